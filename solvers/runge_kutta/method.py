"""`RungeKutta`: initial-value problems in one coordinate, with an error estimate."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

import diffcore
from equations import Problem

from ..monitor import Monitor, Progress, Target
from ..solution import Solution
from ..status import Status
from .march import March, Marcher
from .system import System, reasons_against
from .trajectory import Trajectory

COARSER = 10.0  # factor between the tolerances of two runs that are compared
FINEST = 1e-13  # tolerance of a step below which rounding decides


@dataclass(frozen=True)
class RungeKutta:
    """Adaptive Runge-Kutta steps for systems of ordinary differential equations of any order, real
    or complex, with all conditions where the coordinate begins.

    Equations are solved for the highest derivatives, which they hold linearly, and stepped as a
    system of first order: by the explicit method of order 8 of Dormand and Prince, or, where fast
    decay holds that back (a stiff system), by the implicit Radau IIA method of order 5. A run with
    a tolerance ten times as large gives the error estimate; `solve(tolerance=)` makes further runs
    until the estimate is below it.

    Arguments:
        tolerance: relative, of one step.
        stiff: whether steps are implicit; by default that is found out.

    Notes:
        The error along the whole trajectory is larger than that of a step by what the system
        amplifies: the estimate is the difference of two runs and includes it. Derivatives of any
        order: up to the highest in the equations those of the dense output, higher ones from the
        equations. A solution that grows beyond bounds ends as NOT_FINITE, with nan from there on.

    Raises:
        TypeError and ValueError for a tolerance or a choice out of range.

    Source:
        Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, section II.5 (explicit,
        dense output of order 7); Hairer & Wanner, II, section IV.8 (implicit).
    """

    tolerance: float = 1e-9
    stiff: bool | None = None

    def __post_init__(self):
        if isinstance(self.tolerance, bool) or not isinstance(self.tolerance, int | float):
            raise TypeError(f"`tolerance` is a number; got {self.tolerance!r:.60}.")
        if not FINEST <= self.tolerance < 1:
            raise ValueError(f"`tolerance` must lie between {FINEST} and 1; got {self.tolerance}.")
        if self.stiff not in (None, True, False):
            raise TypeError(f"`stiff` is True, False or None; got {self.stiff!r:.60}.")

    def in_units(self, scaling: Any) -> RungeKutta:
        """The method for a problem in dimensionless form: it holds no lengths."""
        return self

    def reasons_against(self, problem: Problem) -> tuple[str, ...]:
        """Why this method cannot take the problem; empty if it can."""
        return tuple(reasons_against(problem))

    def solve(self, problem: Problem, *, key: Any, target: Target, monitor: Monitor) -> Solution:
        """Two runs and their difference, and finer ones while a tolerance asks."""
        with diffcore.precision("float64"):
            return _Run(self, problem, target, monitor).solution()

    def rebuild(self, problem: Problem, state: Any) -> tuple[Trajectory, dict[str, float]]:
        """The jets of a saved solution, from its `state`."""
        return Trajectory(System(problem), state["times"], state["coefficients"]), {}


class _Run:
    """One call of `solve`."""

    def __init__(self, method: RungeKutta, problem: Problem, target: Target, monitor: Monitor):
        self.method, self.problem, self.target, self.monitor = method, problem, target, monitor
        self.started = perf_counter()
        self.tolerance = min(COARSER * method.tolerance, 0.1)
        deadline = self.started + (target.seconds or math.inf)
        self.marcher = Marcher(System(problem), deadline, self._report)

    def solution(self) -> Solution:
        last, errors = self._march(None), np.full(len(self.problem.fields), np.inf)
        while last.arrived and self._wants_more(errors):
            self.tolerance /= COARSER
            finer = self._march(last)
            if not finer.arrived:
                last = finer if not finer.late else last
                break
            last, errors = finer, self._differences(last, finer)
        return self._finish(last, errors)

    def _march(self, before: March | None) -> March:
        stiff = self.method.stiff if before is None else before.implicit
        return self.marcher.march(self.tolerance, self.marcher.scales(before), stiff)

    def _wants_more(self, errors: np.ndarray) -> bool:
        if self.tolerance > self.method.tolerance * 1.01:
            return True
        wanted = self.target.tolerance
        return wanted is not None and errors.max() > wanted and self.tolerance >= COARSER * FINEST

    def _differences(self, coarse: March, fine: March) -> np.ndarray:
        """The relative L2 difference of each field."""
        times, weights = fine.trajectory.quadrature()
        first = list(self.marcher.system.offsets[:-1])
        own = fine.trajectory.own_states[:, first]
        other = np.asarray(coarse.trajectory.states(times))[:, first]
        size, gap = (np.sqrt(weights @ np.abs(v) ** 2) for v in (own, own - other))
        return gap / np.where(size > 0, size, 1.0)

    def _report(self, fraction: float, step: int) -> None:
        seconds = perf_counter() - self.started
        message = f"steps with a tolerance of {self.tolerance:.0e}"
        self.monitor.report(Progress("Runge-Kutta", step, None, seconds, fraction, message=message))

    def _finish(self, last: March, errors: np.ndarray) -> Solution:
        trajectory = last.trajectory
        lengths = np.diff(trajectory.times)
        return Solution(
            problem=self.problem,
            method=self.method,
            jets=trajectory,
            status=self._status(last, errors),
            seconds=perf_counter() - self.started,
            history={
                "step": np.arange(1, len(lengths) + 1),
                "t": trajectory.times[1:],
                "length": lengths,
            },
            errors={(f,): float(e) for f, e in zip(self.problem.fields, errors, strict=True)},
            choices=tuple(self._choices(last)),
            state={"times": trajectory.times, "coefficients": trajectory.coefficients},
        )

    def _status(self, last: March, errors: np.ndarray) -> Status:
        wanted = self.target.tolerance
        if last.late:
            return Status.BUDGET_SPENT
        if not last.arrived:
            return Status.NOT_FINITE
        if wanted is not None and errors.max() <= wanted:
            return Status.TOLERANCE_REACHED
        if errors.max() > 1:
            return Status.NOT_CONVERGED
        return Status.SOLVED if wanted is None else Status.STEPS_SPENT

    def _choices(self, last: March) -> Iterator[str]:
        kind = (
            "implicit steps (Radau IIA, order 5)" if last.implicit else "explicit steps (order 8)"
        )
        why = ""
        if self.method.stiff is None:
            why = ", as the system is stiff" if last.implicit else ", as nothing decays too fast"
        n = len(last.trajectory.times) - 1
        yield f"{n} {kind} with a relative tolerance of {self.tolerance:.0e}{why}."
        if not last.arrived and not last.late:
            end = last.trajectory.times[-1]
            coordinate = self.problem.coordinates[0]
            yield f"the solution cannot be continued beyond {coordinate} = {end:.6g}."
        yield "error estimate: the difference from a run with ten times the tolerance."
