"""A run of finite elements: meshes of size 4h, 2h and h, and finer ones while a tolerance asks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np

from equations import Problem, WeakForm, weak_form
from equations.structure import solenoidal

from ..monitor import Monitor, Progress, Target
from ..solution import Solution
from ..status import Status
from .estimate import Estimate, distance, estimate
from .evolve import Trajectory, evolve
from .gauge import anchored
from .jets import Discrete
from .newton import Steady, first_guess, solve_steady
from .sizes import default_size, scaled
from .space import Product, Space, make_spaces
from .system import Densities, System

TRAJECTORY = ("times", "values", "rates", "errors")
MOST_UNKNOWNS = {1: 100_000, 2: 150_000, 3: 40_000}  # what a direct solver does in seconds


@dataclass(frozen=True, eq=False)
class _Level:
    """The discrete solution on one mesh."""

    space: Product
    discrete: Discrete
    outcome: Steady | Trajectory

    @property
    def is_good(self) -> bool:
        return self.outcome.converged if isinstance(self.outcome, Steady) else self.outcome.complete


class Run:
    """One call of `solve`."""

    def __init__(self, method: Any, problem: Problem, target: Target, monitor: Monitor):
        self.method, self.problem, self.target, self.monitor = method, problem, target, monitor
        self.started = perf_counter()
        self.shape = space_of(problem)
        self.weak = weak_form(problem)
        self.densities = Densities(self.weak)
        self.degrees = degrees(self.weak, method.degree)
        velocity = solenoidal(problem) or ()
        self.vector = [self.weak.unknowns.index(u) for u in velocity]
        self.size = (
            method.size if method.size is not None else default_size(self.shape, self.densities)
        )
        self.tolerance = min(method.tolerance, 0.1 * (target.tolerance or math.inf))
        self.deadline = self.started + (target.seconds or math.inf)

    def solution(self) -> Solution:
        levels: list[_Level] = []
        in_time: Any = 0.0
        for scale in (4.0, 2.0, 1.0):
            levels.append(self._level(scale, len(levels)))
            if scale == 2.0 and self.weak.time is not None:
                in_time = self._error_in_time(levels[-1])
            if self._is_late:
                break
            if scale > 1.0 and not levels[-1].is_good:  # a mesh too coarse to hold a solution
                levels.pop()
        result = self._estimate(levels, in_time)
        while self._wants_more(levels, result):
            scale /= 2
            levels.append(self._level(scale, len(levels)))
            result = self._estimate(levels, in_time)
        if self._is_late and not levels[-1].is_good and len(levels) > 1:
            levels, scale = levels[:-1], 2 * scale  # the last mesh that was finished in time
            result = self._estimate(levels, in_time)
        return self._finish(levels, result, scale)

    @property
    def _is_late(self) -> bool:
        return perf_counter() > self.deadline

    def _level(self, scale: float, step: int) -> _Level:
        space = make_spaces(self.shape, scaled(self.size, scale), self.degrees)
        system = System(space, self.densities)
        grid = space.main.grid
        known = (grid, self.weak.unknowns, self.problem.coordinates, self.degrees)
        outcome: Steady | Trajectory
        if self.weak.time is None:
            outcome = solve_steady(system, first_guess(system), 1e-2 * self.tolerance)
            level = _Level(space, Discrete(*known, values=outcome.values), outcome)
        else:
            outcome = self._evolve(system, step)
            level = _Level(space, Discrete(*known, trajectory=outcome), outcome)
        self._report(step, 1.0, step, f"{len(grid.cell_nodes)} cells")
        return replace(level, discrete=anchored(level.discrete, space, self.problem, self.weak))

    def _evolve(self, system: System, step: int, finer: bool = False) -> Trajectory:
        return evolve(
            system,
            self.problem.domain.time[1:],
            tolerance=self.tolerance,
            steps=self.method.time_steps,
            finer=finer,
            deadline=self.deadline,
            report=lambda n, done: None if finer else self._report(step, done, n, "time steps"),
        )

    def _error_in_time(self, level: _Level) -> np.ndarray:
        """The relative difference that steps of half the length make on the same mesh."""
        finer = self._evolve(System(level.space, self.densities), 1, finer=True)
        if not finer.complete:
            return np.full(len(self.weak.unknowns), np.inf)
        reference = replace(level.discrete, trajectory=finer)
        reference = anchored(reference, level.space, self.problem, self.weak)
        return self._distance(level.discrete, reference, level.space)

    def _distance(self, other: Discrete, reference: Discrete, space: Product) -> np.ndarray:
        return distance(other, reference, space.main, self.problem.domain, self.vector)

    def _worst(self, result: Estimate) -> float:
        """The largest estimate; multipliers, as a pressure that is singular where a wall starts to
        move, do not count."""
        multipliers = [u in self.weak.multipliers for u in self.weak.unknowns]
        errors = np.broadcast_to(result.errors, len(multipliers))
        return float(errors[~np.array(multipliers)].max())

    def _estimate(self, levels: list[_Level], in_time: Any) -> Estimate:
        sizes = {level.space.size: level for level in levels}  # coarse meshes may coincide
        pairs = [
            self._distance(coarse.discrete, fine.discrete, fine.space)
            for coarse, fine in pairwise(list(sizes.values())[-3:])
        ]
        return estimate(pairs, self.degrees, in_time)

    def _wants_more(self, levels: list[_Level], result: Estimate) -> bool:
        space, wanted = levels[-1].space, self.target.tolerance
        dimension = space.main.dimension
        growth = 2**dimension
        return (
            wanted is not None
            and levels[-1].is_good
            and self._worst(result) > wanted
            and self._worst(result) > 1.5 * np.max(result.in_time)
            and space.main.size * growth <= MOST_UNKNOWNS[dimension]
            and not self._is_late
        )

    def _report(self, level: int, done: float, step: int, message: str) -> None:
        """`done` is the share of this level's work, which grows with the number of cells."""
        growth = 2 ** len(self.weak.space)
        before, whole = (sum(growth**i for i in range(n)) for n in (level, max(level + 1, 3)))
        fraction = (before + done * growth**level) / whole
        seconds = perf_counter() - self.started
        progress = Progress("finite elements", step, None, seconds, fraction, message=message)
        self.monitor.report(progress)

    def _finish(self, levels: list[_Level], result: Estimate, scale: float) -> Solution:
        last = levels[-1]
        return Solution(
            self.problem,
            self.method,
            last.discrete,
            self._status(levels, result),
            perf_counter() - self.started,
            history=_history(last.outcome),
            errors=self._errors(result),
            choices=tuple(self._choices(levels, result, scale)),
            state=state_of(last.discrete),
        )

    def _errors(self, result: Estimate) -> dict[tuple, float]:
        errors = np.broadcast_to(result.errors, len(self.weak.unknowns))
        return {(u,): float(e) for u, e in zip(self.weak.unknowns, errors, strict=True)}

    def _status(self, levels: list[_Level], result: Estimate) -> Status:
        wanted = self.target.tolerance
        if levels[-1].is_good and wanted is not None and self._worst(result) <= wanted:
            return Status.TOLERANCE_REACHED
        if self._is_late:
            return Status.BUDGET_SPENT
        if not levels[-1].is_good or self._worst(result) > 1:
            return Status.NOT_CONVERGED
        return Status.SOLVED if wanted is None else Status.STEPS_SPENT

    def _choices(self, levels: list[_Level], result: Estimate, scale: float):
        space, outcome = levels[-1].space.main, levels[-1].outcome
        yield mesh_choice(space, scaled(self.size, scale), self.method.degree)
        if isinstance(outcome, Steady):
            steps = len(outcome.residuals) - 1
            ramp = f", the nonlinear terms raised in {outcome.ramp} steps" * bool(outcome.ramp)
            linear = "the equations are linear"
            yield linear if steps == 1 else f"{steps} steps of Newton's method{ramp}"
        else:
            kind = "equal" if self.method.time_steps else "adaptive"
            yield (
                f"{len(outcome.times) - 1} {kind} steps in time of an L-stable Runge-Kutta method "
                f"of order 4, with an error of about {np.max(result.in_time):.1e}"
            )
        yield result.explanation
        if 1 < self._worst(result) < math.inf:
            yield (
                "meshes of different size give different solutions: the mesh is far too coarse, or "
                "the statement is not well posed"
            )
        for (u,), error in self._errors(result).items():
            if u in self.weak.multipliers and 1 < error < math.inf:
                yield f"{u} has no mean square that converges: it is singular somewhere"
        if self._status(levels, result) is Status.STEPS_SPENT:
            most = MOST_UNKNOWNS[space.dimension]
            yield (
                f"the tolerance asks for a mesh of more than {most} degrees of freedom, or for "
                "finer steps in time (`tolerance=` of the method)"
            )


def degrees(weak: WeakForm, degree: int) -> tuple[int, ...]:
    """The degree of the polynomials of each unknown: one less for multipliers, so that the
    equations that they stand for do not ask too much of the others (Taylor & Hood, 1973)."""
    return tuple(degree - (u in weak.multipliers) for u in weak.unknowns)


def space_of(problem: Problem) -> Any:
    """The shape in space."""
    return problem.domain.space if problem.domain.time is not None else problem.domain


def mesh_choice(space: Space, size: Any, degree: int) -> str:
    """The mesh as a sentence for the report."""
    length = (
        f"of size {size:.4g}" if not callable(size) else "graded towards curved parts and corners"
    )
    return (
        f"mesh {length}: {len(space.grid.cell_nodes)} cells of degree {degree}, "
        f"{space.size} degrees of freedom a field"
    )


def _history(outcome: Steady | Trajectory) -> dict[str, np.ndarray]:
    if isinstance(outcome, Steady):
        residuals = np.array(outcome.residuals)
        return {"step": np.arange(len(residuals)), "residual": residuals}
    lengths = np.diff(outcome.times)
    steps = np.arange(1, len(lengths) + 1)
    return {"step": steps, "t": outcome.times[1:], "length": lengths, "error": outcome.errors}


def state_of(discrete: Discrete) -> dict[str, np.ndarray]:
    """Arrays from which the function can be rebuilt."""
    grid, trajectory = discrete.grid, discrete.trajectory
    arrays: dict[str, Any] = {"nodes": grid.mesh_nodes, "cells": grid.cell_nodes, "glue": grid.glue}
    arrays["degrees"] = np.array(discrete.degrees)
    if trajectory is None:
        return arrays | {"values": discrete.values}
    return arrays | {name: getattr(trajectory, name) for name in TRAJECTORY}
