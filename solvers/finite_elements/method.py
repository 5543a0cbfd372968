"""`FiniteElements`: the method, its refinements and its error estimate."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
import sympy

import diffcore
from equations import NoWeakForm, Parameter, Problem, WeakForm, fields_in, is_time, weak_form
from geometry import SpaceTime

from ..monitor import Monitor, Progress, Target
from ..solution import Solution
from ..status import Status
from .estimate import Estimate, distance, estimate
from .evolve import Trajectory, evolve
from .gauge import anchored
from .grid import Grid
from .jets import Discrete
from .newton import Steady, first_guess, solve_steady
from .sizes import default_size, scaled
from .space import Product, make_spaces
from .system import Densities, System

TRAJECTORY = ("times", "values", "rates", "errors")
MOST_UNKNOWNS = {1: 100_000, 2: 150_000, 3: 40_000}  # what a direct solver does in seconds


@dataclass(frozen=True)
class FiniteElements:
    """Lagrange finite elements on simplices, for scalar and coupled equations in divergence form.

    The weak form is read off the statement (`equations.weak_form`); nonlinear problems are solved
    by Newton's method with exact tangents, time-dependent ones stepped by an L-stable Runge-Kutta
    method of order 4. The problem is solved on meshes of size 4h, 2h and h (and half of it, while
    `solve(tolerance=)` asks for more), which gives the error estimate.

    Arguments:
        size: edge length h of the mesh, or in two and three dimensions a function from points
            (n, d) to lengths; by default about 200, 40 and 10 cells across in one, two and three
            dimensions, and in two 24 along each curved part.
        degree: 1 or 2, of the polynomials; cells along curved walls are curved for degree 2.
        time_steps: so many equal steps in time instead of adaptive ones.
        tolerance: relative, of one adaptive step and of Newton's method.

    Notes:
        The error in L2 is of order degree + 1 where the solution is smooth, less at reentrant
        corners. Values of any expression with derivatives up to the second.

    Raises:
        ValueError for a size, degree, number of steps or tolerance out of range.
    """

    size: Any = None
    degree: int = 2
    time_steps: int | None = None
    tolerance: float = 1e-6

    def __post_init__(self):
        if self.degree not in (1, 2):
            raise ValueError(f"`degree` must be 1 or 2; got {self.degree}.")
        if self.size is not None and not callable(self.size) and not self.size > 0:
            raise ValueError(f"`size` is an edge length above 0; got {self.size}.")
        if self.time_steps is not None and not (
            isinstance(self.time_steps, int) and self.time_steps > 0
        ):
            raise ValueError(f"`time_steps` is a number of steps above 0; got {self.time_steps}.")
        if not 0 < self.tolerance < 1:
            raise ValueError(f"`tolerance` must lie between 0 and 1; got {self.tolerance}.")

    def in_units(self, scaling: Any) -> FiniteElements:
        """The method for a problem in dimensionless form, with its mesh size as it is there."""
        length = next(unit for c, unit in scaling.coordinates if not is_time(c))
        if not callable(self.size):
            return replace(self, size=self.size and self.size / length)
        size = self.size
        return replace(self, size=lambda points: size(points * length) / length)

    def reasons_against(self, problem: Problem) -> tuple[str, ...]:
        """Why this method cannot take the problem; empty if it can."""
        reasons = list(_form_reasons(problem))
        if problem.parameters:
            names = ", ".join(map(str, problem.parameters))
            reasons.append(f"the parameters {names} have no value: give numbers")
        ranged = [str(c) for c in problem.coordinates if isinstance(c, Parameter)]
        if ranged:
            reasons.append(f"the domain ranges over {', '.join(ranged)}: give numbers")
        if problem.domain.time is not None and not isinstance(problem.domain, SpaceTime):
            reasons.append("the domain moves, and it keeps one mesh of space at rest")
            return tuple(dict.fromkeys(reasons))
        if problem.data:
            reasons.append("it does not fit measured data")
        if _is_complex(problem):
            reasons.append("it is written for real fields and equations")
        if self.degree == 1 and not reasons and weak_form(problem).multipliers:
            reasons.append("an unknown as a pressure needs others of one degree more: degree=2")
        dimension = len(problem.domain.axes) - (problem.domain.time is not None)
        if dimension > 3:
            reasons.append(f"it meshes at most 3 space dimensions; the domain has {dimension}")
        return tuple(dict.fromkeys(reasons))

    def solve(self, problem: Problem, *, key: Any, target: Target, monitor: Monitor) -> Solution:
        """The solution on the finest mesh, with the error estimated from the coarser ones."""
        with diffcore.precision("float64"):
            return _Run(self, problem, target, monitor).solution()

    def rebuild(self, problem: Problem, state: Any) -> tuple[Discrete, dict[str, float]]:
        """The jets of a saved solution from its `state`, and no parameters."""
        grid = Grid(_space(problem), self.degree, state["nodes"], state["cells"], state["glue"])
        degrees = state.get("degrees", np.full(len(problem.fields), self.degree))
        known = (grid, problem.fields, problem.coordinates, tuple(map(int, degrees)))
        if "times" not in state:
            return Discrete(*known, values=np.ravel(state["values"])), {}
        stored = {name: state[name] for name in TRAJECTORY}
        for name in ("values", "rates"):
            stored[name] = np.reshape(stored[name], (len(stored["times"]), -1))
        return Discrete(*known, trajectory=Trajectory(**stored, complete=True)), {}


@dataclass(frozen=True, eq=False)
class _Level:
    """The discrete solution on one mesh."""

    space: Product
    discrete: Discrete
    outcome: Steady | Trajectory

    @property
    def is_good(self) -> bool:
        return self.outcome.converged if isinstance(self.outcome, Steady) else self.outcome.complete


class _Run:
    """One call of `solve`."""

    def __init__(self, method: FiniteElements, problem: Problem, target: Target, monitor: Monitor):
        self.method, self.problem, self.target, self.monitor = method, problem, target, monitor
        self.started = perf_counter()
        self.shape = _space(problem)
        self.weak = weak_form(problem)
        self.densities = Densities(self.weak)
        self.degrees = degrees(self.weak, method.degree)
        self.size = method.size if method.size is not None else default_size(self.shape)
        self.tolerance = min(method.tolerance, 0.1 * (target.tolerance or math.inf))
        self.deadline = self.started + (target.seconds or math.inf)

    def solution(self) -> Solution:
        levels: list[_Level] = []
        in_time: Any = 0.0
        for scale in (4.0, 2.0, 1.0):
            levels.append(self._level(scale, len(levels)))
            if scale == 2.0 and self.weak.time is not None:
                in_time = self._error_in_time(levels[-1])
            if not levels[-1].is_good or self._is_late:
                break
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
        return distance(level.discrete, reference, level.space.main, self.problem.domain)

    def _estimate(self, levels: list[_Level], in_time: Any) -> Estimate:
        sizes = {level.space.size: level for level in levels}  # coarse meshes may coincide
        pairs = [
            distance(coarse.discrete, fine.discrete, fine.space.main, self.problem.domain)
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
            and result.worst > wanted
            and result.worst > 1.5 * np.max(result.in_time)
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
            state=_state(last.discrete),
        )

    def _errors(self, result: Estimate) -> dict[tuple, float]:
        errors = np.broadcast_to(result.errors, len(self.weak.unknowns))
        return {(u,): float(e) for u, e in zip(self.weak.unknowns, errors, strict=True)}

    def _status(self, levels: list[_Level], result: Estimate) -> Status:
        wanted = self.target.tolerance
        if levels[-1].is_good and wanted is not None and result.worst <= wanted:
            return Status.TOLERANCE_REACHED
        if self._is_late:
            return Status.BUDGET_SPENT
        if not levels[-1].is_good or result.worst > 1:
            return Status.NOT_CONVERGED
        return Status.SOLVED if wanted is None else Status.STEPS_SPENT

    def _choices(self, levels: list[_Level], result: Estimate, scale: float):
        space, outcome = levels[-1].space.main, levels[-1].outcome
        size = scaled(self.size, scale)
        length = f"of size {size:.4g}" if not callable(size) else "graded towards curved parts"
        yield (
            f"mesh {length}: {len(space.grid.cell_nodes)} cells of degree {self.method.degree}, "
            f"{space.size} degrees of freedom a field"
        )
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
        if 1 < result.worst < math.inf:
            yield (
                "meshes of different size give different solutions: the mesh is far too coarse, or "
                "the statement is not well posed"
            )
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


def _space(problem: Problem) -> Any:
    return problem.domain.space if problem.domain.time is not None else problem.domain


def _form_reasons(problem: Problem) -> tuple[str, ...]:
    try:
        weak = weak_form(problem)
    except NoWeakForm as error:
        return error.reasons
    if weak.time is None and not _is_determined(weak):
        return ("the conditions leave the solution open up to a constant",)
    return ()


def _is_determined(weak: WeakForm) -> bool:
    """Whether each unknown is a multiplier or has a value somewhere, or a term that depends on the
    field itself, or a gauge."""
    given = {u for c in weak.gauges for u in fields_in(c.equation)}
    return given.issuperset(set(weak.floating) - set(weak.multipliers))


def _is_complex(problem: Problem) -> bool:
    statements = [*problem.equations, *(c.equation for c in problem.conditions)]
    return any(not f.is_real for f in problem.fields) or any(s.has(sympy.I) for s in statements)


def _history(outcome: Steady | Trajectory) -> dict[str, np.ndarray]:
    if isinstance(outcome, Steady):
        residuals = np.array(outcome.residuals)
        return {"step": np.arange(len(residuals)), "residual": residuals}
    lengths = np.diff(outcome.times)
    steps = np.arange(1, len(lengths) + 1)
    return {"step": steps, "t": outcome.times[1:], "length": lengths, "error": outcome.errors}


def _state(discrete: Discrete) -> dict[str, np.ndarray]:
    """Arrays from which the function can be rebuilt."""
    grid, trajectory = discrete.grid, discrete.trajectory
    arrays: dict[str, Any] = {"nodes": grid.mesh_nodes, "cells": grid.cell_nodes, "glue": grid.glue}
    arrays["degrees"] = np.array(discrete.degrees)
    if trajectory is None:
        return arrays | {"values": discrete.values}
    return arrays | {name: getattr(trajectory, name) for name in TRAJECTORY}
