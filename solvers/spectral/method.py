"""`Spectral`: periodic problems in time, with an error estimate from coarser runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

import diffcore
from equations import Problem

from ..monitor import Monitor, Progress, Target
from ..solution import Solution
from ..status import Status
from .evolution import NEAR, Evolution
from .grid import grid_of
from .split import Split, reasons_against
from .steps import Stepper

FIRST_MODES, FIRST_STEPS = 32, 64
MOST_MODES = {1: 4096, 2: 256, 3: 64}  # along each axis, by the dimension of space
MOST_NUMBERS = 2**22  # of all components at all points and steps
COLUMNS = ("points", "steps", "change in space", "change in time")  # of the history
LOOKS = 64  # times at which runs are compared


@dataclass(frozen=True)
class Spectral:
    """Fourier series in space and exponential Runge-Kutta steps of order 4 in time, for problems
    that are periodic along every axis of space.

    The equations are solved for the highest time derivatives, of first or higher order. Terms with
    constant coefficients in the unknown that an equation moves are integrated exactly, all others
    at the points of the grid. Points and steps are doubled, whichever brings more, until the
    solution changes by less than the tolerance.

    Arguments:
        modes: points along each axis, an even number; by default as many as the tolerance asks for.
        time_steps: equal steps in time; by default as many as the tolerance asks for.
        tolerance: estimated relative error; that of `solve` goes first.

    Notes:
        For smooth solutions the error falls faster than any power of the points, for kinks as a
        power; it is of order 4 in the steps. The estimate is what half the points and half the
        steps change, for each field in L2 over space and time. Terms that couple unknowns, and
        those of waves of second order, are stepped explicitly: they ask for steps that follow their
        fastest wave. Derivatives of any order, those in time of high order with fewer digits.

    Raises:
        TypeError and ValueError for numbers out of range.

    Source:
        Cox & Matthews, J. Comput. Phys. 176 (2002) 430-455 (steps); Trefethen, Spectral Methods in
        MATLAB, 2000, chapters 3 and 4 (series and their accuracy).
    """

    modes: int | None = None
    time_steps: int | None = None
    tolerance: float = 1e-6

    def __post_init__(self):
        for name, least in (("modes", 4), ("time_steps", 8)):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"`{name}` is a whole number; got {value!r:.60}.")
            if value < least or value % 2:
                raise ValueError(f"`{name}` is an even number, at least {least}; got {value}.")
        if not 0 < self.tolerance < 1:
            raise ValueError(f"`tolerance` must lie between 0 and 1; got {self.tolerance}.")

    def in_units(self, scaling: Any) -> Spectral:
        """The method for a problem in dimensionless form: it holds no lengths."""
        return self

    def reasons_against(self, problem: Problem) -> tuple[str, ...]:
        """Why this method cannot take the problem; empty if it can."""
        return tuple(reasons_against(problem))

    def solve(self, problem: Problem, *, key: Any, target: Target, monitor: Monitor) -> Solution:
        """Runs with ever more points and steps, and their differences."""
        with diffcore.precision("float64"):
            return _Run(self, problem, target, monitor).solution()

    def rebuild(self, problem: Problem, state: Any) -> tuple[Evolution, dict[str, float]]:
        """The jets of a saved solution, from its `state`."""
        with diffcore.precision("float64"):
            stepper = Stepper(Split(problem), grid_of(problem, state["values"].shape[-1]))
            return stepper.evolution(state["times"], state["values"]), {}


class _Run:
    """One call of `solve`."""

    def __init__(self, method: Spectral, problem: Problem, target: Target, monitor: Monitor):
        self.method, self.problem, self.target, self.monitor = method, problem, target, monitor
        self.started = perf_counter()
        self.split = Split(problem)
        self.goal = method.tolerance if target.tolerance is None else target.tolerance
        self.steppers: dict[int, Stepper] = {}
        self.runs: dict[tuple[int, int], Evolution | None] = {}
        self.history: list[tuple[float, ...]] = []

    def solution(self) -> Solution:
        size = self.method.modes or self._first_size()
        steps = self.method.time_steps or FIRST_STEPS
        found = None
        while True:
            fine = self._evolve(size, steps)
            in_space = self._difference(fine, self._evolve(size // 2, steps))
            in_time = self._difference(fine, self._evolve(size, steps // 2))
            self.history.append((size, steps, in_space.max(), in_time.max()))
            if self._is_late and (fine is None or found is not None):
                break
            if fine is not None:
                found = (fine, in_space, in_time)
            following = self._refined(size, steps, in_space.max(), in_time.max())
            if following is None or self._is_late:
                break
            size, steps = following
            self._forget(size, steps)
            self._report(size, steps, float(in_space.max() + in_time.max()))
        return self._finish(*(found or self._nothing(size)))

    @property
    def _is_late(self) -> bool:
        return perf_counter() > self.started + (self.target.seconds or math.inf)

    @cached_property
    def _dimension(self) -> int:
        return len(self.problem.coordinates) - 1

    def _first_size(self) -> int:
        """The points on which the initial values are as good as the goal."""
        size = FIRST_MODES
        while 2 * size <= MOST_MODES[self._dimension]:
            coarse, fine = self._stepper(size), self._stepper(2 * size)
            gap = fine.start() - coarse.grid.resized(coarse.start(), 2 * size)
            if np.linalg.norm(gap) <= self.goal * np.linalg.norm(fine.start()):
                break
            size *= 2
        return size

    def _stepper(self, size: int) -> Stepper:
        if size not in self.steppers:
            self.steppers[size] = Stepper(self.split, grid_of(self.problem, size))
        return self.steppers[size]

    def _evolve(self, size: int, steps: int) -> Evolution | None:
        if (size, steps) not in self.runs:
            run = self._stepper(size).run(steps, lambda: self._is_late)
            self.runs[size, steps] = run
        return self.runs[size, steps]

    def _forget(self, size: int, steps: int) -> None:
        """Keep only the runs that the next comparison needs."""
        needed = {(size, steps), (size // 2, steps), (size, steps // 2)}
        self.runs = {k: run for k, run in self.runs.items() if k in needed}

    def _difference(self, fine: Evolution | None, coarse: Evolution | None) -> np.ndarray:
        """The relative L2 difference of each field; infinite where a run broke off."""
        count = len(self.problem.fields)
        if fine is None or coarse is None:
            return np.full(count, np.inf)
        begin, end = fine.times[0], fine.times[-1]
        times = begin + (end - begin) * (np.arange(LOOKS) + 0.5) / LOOKS
        values = [self.split.components.index((i, 0)) for i in range(count)]
        own, other = (e.series(times)[:, values] for e in (fine, coarse))
        gap = own - coarse.grid.resized(other, fine.grid.size)
        size, apart = (np.linalg.norm(v, axis=(0, 2)) for v in (own, gap))
        return apart / np.where(size > 0, size, 1.0)

    def _refined(self, size: int, steps: int, in_space: float, in_time: float) -> Any:
        """(points, steps) of the next run, more of what brings more; None at the end."""
        if in_space + in_time <= self.goal:
            return None
        is_free = self.method.modes is None and 2 * size <= MOST_MODES[self._dimension]
        options = [
            (in_time, self.method.time_steps is None, (size, 2 * steps)),  # first where both broke
            (in_space, is_free, (2 * size, steps)),
        ]
        for error, is_allowed, (n, m) in sorted(options, key=lambda o: o[0], reverse=True):
            numbers = len(self.split.components) * n**self._dimension * m
            if error > self.goal / 2 and is_allowed and numbers <= MOST_NUMBERS:
                return n, m
        return None

    def _nothing(self, size: int) -> tuple[Evolution, np.ndarray, np.ndarray]:
        """The initial values for all times, where no run reached the end."""
        stepper = self._stepper(size)
        begin, end = stepper.span
        times = np.linspace(begin, end, NEAR)
        series = np.repeat(stepper.start()[None], NEAR, axis=0)
        still = Evolution(self.split, stepper.grid, times, series, 0 * series, 0 * stepper.symbols)
        unknown = np.full(len(self.problem.fields), np.inf)
        return still, unknown, unknown

    def _report(self, size: int, steps: int, error: float) -> None:
        seconds = perf_counter() - self.started
        known = None if math.isinf(error) else error
        fraction = math.log(min(known or 1, 1)) / math.log(self.goal)
        message = f"{size} points along each axis, {steps} steps"
        self.monitor.report(
            Progress("spectral", steps, None, seconds, fraction, known, message=message)
        )

    def _finish(self, last: Evolution, in_space: np.ndarray, in_time: np.ndarray) -> Solution:
        errors = in_space + in_time
        return Solution(
            problem=self.problem,
            method=self.method,
            jets=last,
            status=self._status(errors),
            seconds=perf_counter() - self.started,
            history=dict(zip(COLUMNS, np.array(self.history).T, strict=True)),
            errors={(f,): float(e) for f, e in zip(self.problem.fields, errors, strict=True)},
            choices=tuple(self._choices(last, in_space.max(), in_time.max())),
            state={"times": last.times, "values": last.values()},
        )

    def _status(self, errors: np.ndarray) -> Status:
        wanted = self.target.tolerance
        if wanted is not None and errors.max() <= wanted:
            return Status.TOLERANCE_REACHED
        if self._is_late:
            return Status.BUDGET_SPENT
        if np.isinf(errors).all():
            return Status.NOT_FINITE
        if errors.max() > 1:
            return Status.NOT_CONVERGED
        return Status.SOLVED if wanted is None else Status.STEPS_SPENT

    def _choices(self, last: Evolution, in_space: float, in_time: float) -> Iterator[str]:
        steps, size = len(last.times) - 1, last.grid.size
        yield f"{size} points along each axis and {steps} exponential Runge-Kutta steps of order 4."
        for field, coefficients in zip(self.problem.fields, self.split.linear, strict=True):
            if coefficients:
                terms = " + ".join(
                    f"{_number(c)} {j.expression()}" for j, c in coefficients.items()
                )
                yield f"{field}: integrated exactly is {terms}."
        yield (
            f"error estimate: half the points change {in_space:.1e}, half the steps {in_time:.1e}, "
            "relative, over space and time."
        )
        if in_space + in_time > self.goal:
            yield (
                "the goal was not reached: the solution is not smooth enough, or needs more points "
                "and steps than are allowed."
            )


def _number(c: complex) -> str:
    return f"{c:.4g}" if c.imag else f"{c.real:.4g}"
