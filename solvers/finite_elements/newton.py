"""Newton's method for the free degrees of freedom, and the sparse direct solver under it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

MAX_STEPS = 30
HALVINGS = 12
PIVOT = 0.01
SMALLEST_RAMP = 1 / 64


@dataclass(frozen=True)
class Steady:
    """A steady state (dofs,), the residual norms on the way, whether it converged, and in how many
    steps its nonlinear terms were raised, where that was necessary."""

    values: np.ndarray
    residuals: tuple[float, ...]
    converged: bool
    ramp: int = 0


def factorize(matrix: Any, free: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """A direct solver for the free rows and columns of a matrix.

    Pivots stay on the diagonal unless they are a hundredth of another entry: rows of multipliers,
    whose diagonal is empty, else fill the factors with a hundred times as many numbers.
    """
    sub = matrix[free][:, free].tocsc()
    options = {"SymmetricMode": True}
    return scipy.sparse.linalg.splu(
        sub, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=PIVOT, options=options
    ).solve


def solve_steady(system: Any, start: np.ndarray, tolerance: float) -> Steady:
    """R(U) = 0 by Newton's method, each step halved until the residual shrinks; where that fails,
    the nonlinear terms are raised little by little from zero, as a Reynolds number is.

    Arguments:
        start: first guess, with the given values in place.
        tolerance: of the last correction relative to the solution.
    """
    found = _newton(system, start, tolerance)
    if found.converged or system.densities.is_linear:
        return found
    return _ramp(system, start, tolerance)


def _newton(system: Any, start: np.ndarray, tolerance: float) -> Steady:
    values, norms = start, []
    residual = system.residual((values,), None)[system.free]
    for _ in range(MAX_STEPS):
        norms.append(float(np.linalg.norm(residual)))
        if not np.isfinite(norms[-1]):
            return Steady(start, tuple(norms), False)
        try:
            solve = factorize(system.tangent((values,), None, (1.0,)), system.free)
        except RuntimeError:  # exactly singular
            return Steady(values, tuple(norms), False)
        correction = system.spread(-solve(residual))
        values, residual = _damped(system, values, correction, norms[-1])
        small = np.linalg.norm(correction) <= tolerance * np.linalg.norm(values)
        if system.densities.is_linear or small or not correction.any():
            norms.append(float(np.linalg.norm(residual)))
            return Steady(values, tuple(norms), bool(np.isfinite(norms[-1])))
    return Steady(values, tuple(norms), False)


def _damped(system, values, correction, norm):
    for halving in range(HALVINGS):
        trial = values + correction * 0.5**halving
        residual = system.residual((trial,), None)[system.free]
        if np.linalg.norm(residual) < norm or system.densities.is_linear:
            break
    return trial, residual


def _ramp(system: Any, start: np.ndarray, tolerance: float) -> Steady:
    """The states of R0 + s (R - R0) for s from 0 to 1, where R0 is R linearized at rest."""
    share, step, steps = 0.0, 1.0, 0
    reached = _newton(_Weakened(system, 0.0), start, tolerance)
    norms = reached.residuals
    while reached.converged and share < 1 and step >= SMALLEST_RAMP:
        trial = _newton(_Weakened(system, share + step), reached.values, tolerance)
        norms = (*norms, *trial.residuals)
        if trial.converged:
            share, reached, steps = share + step, trial, steps + 1
            step = min(2 * step, 1 - share)
        else:
            step /= 2
    return replace(reached, residuals=norms, converged=reached.converged and share >= 1, ramp=steps)


class _Weakened:
    """A system with a share of its nonlinear terms alone."""

    def __init__(self, system: Any, share: float) -> None:
        self.system, self.share = system, share
        self.free, self.spread, self.densities = system.free, system.spread, system.densities
        rest = (np.zeros(system.space.size),)
        self.linear, self.constant = system.tangent(rest, None, (1.0,)), system.residual(rest, None)

    def residual(self, motion: Any, t: None) -> np.ndarray:
        linear = self.constant + self.linear @ motion[0]
        return linear + self.share * (self.system.residual(motion, t) - linear)

    def tangent(self, motion: Any, t: None, shifts: Any) -> Any:
        return self.linear + self.share * (self.system.tangent(motion, t, shifts) - self.linear)


def first_guess(system: Any) -> np.ndarray:
    """The harmonic extension of the given boundary values, of each unknown by itself."""
    (values,) = system.given(None)
    for row, own in enumerate(system.space.split(values)):
        space, free = system.space.spaces[row], system.free_of(row)
        if 0 < free.size < space.size and own.any():
            own[free] = -factorize(space.stiffness, free)((space.stiffness @ own)[free])
    return values
