"""Newton's method for the free degrees of freedom, and the sparse direct solver under it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

MAX_STEPS = 30
HALVINGS = 12


@dataclass(frozen=True)
class Steady:
    """A steady state (unknowns, dofs), the residual norms on the way, and whether it converged."""

    values: np.ndarray
    residuals: tuple[float, ...]
    converged: bool


def factorize(matrix: Any, free: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """A direct solver for the free rows and columns of a matrix."""
    sub = matrix[free][:, free].tocsc()
    return scipy.sparse.linalg.splu(
        sub, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}
    ).solve


def solve_steady(system: Any, start: np.ndarray, tolerance: float) -> Steady:
    """R(U) = 0 by Newton's method, each step halved until the residual shrinks.

    Arguments:
        start: first guess, with the given values in place.
        tolerance: of the last correction relative to the solution.
    """
    values, norms = start, []
    residual = system.residual(values, None, None).ravel()[system.free]
    for _ in range(MAX_STEPS):
        norms.append(float(np.linalg.norm(residual)))
        if not np.isfinite(norms[-1]):
            return Steady(start, tuple(norms), False)
        try:
            solve = factorize(system.tangent(values, None, None), system.free)
        except RuntimeError:  # exactly singular
            return Steady(values, tuple(norms), False)
        correction = system.spread(-solve(residual))
        values, residual = _damped(system, values, correction, norms[-1])
        small = np.linalg.norm(correction) <= tolerance * np.linalg.norm(values)
        if system.densities.is_linear or small or not correction.any():
            norms.append(float(np.linalg.norm(residual)))
            return Steady(values, tuple(norms), True)
    return Steady(values, tuple(norms), False)


def _damped(system, values, correction, norm):
    for halving in range(HALVINGS):
        trial = values + correction * 0.5**halving
        residual = system.residual(trial, None, None).ravel()[system.free]
        if np.linalg.norm(residual) < norm or system.densities.is_linear:
            break
    return trial, residual


def first_guess(system: Any) -> np.ndarray:
    """The harmonic extension of the given boundary values, of each unknown by itself."""
    values, _ = system.given(None)
    stiffness = system.space.stiffness
    for row in range(len(values)):
        free = system.free_of(row)
        if 0 < free.size < system.space.size:
            values[row, free] = -factorize(stiffness, free)((stiffness @ values[row])[free])
    return values
