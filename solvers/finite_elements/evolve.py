"""Stepping in time: an L-stable, stiffly accurate Runge-Kutta method of order 4.

Source: Kennedy & Carpenter, Additive Runge-Kutta schemes for convection-diffusion-reaction
equations, Appl. Numer. Math. 44 (2003) 139-181: the implicit half of ARK4(3)6L[2]SA. Its first
stage is the last one of the step before, the others are implicit with one and the same factor 1/4,
so that one factorization serves a whole step. Initial values that contradict the boundary values
are damped at once (L-stability). Second time derivatives are stepped as the rates of rates, V' = A
beside U' = V, which leaves one linear system for U alone (a Runge-Kutta-Nystrom method); unknowns
without a time derivative, as a pressure, are found in each stage.

Steps are the interval divided by powers of two, so that few factorizations serve all steps of a
linear problem, and a step is doubled only where it then still ends on that grid.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from .newton import factorize
from .start import initial_motion
from .system import Motion

GAMMA = 1 / 4
STAGES = (0, 1 / 2, 83 / 250, 31 / 50, 17 / 20, 1)
LOWER = (
    (),
    (1 / 4,),
    (8611 / 62500, -1743 / 31250),
    (5012029 / 34652500, -654441 / 2922500, 174375 / 388108),
    (
        15267082809 / 155376265600, -71443401 / 120774400,
        730878875 / 902184768, 2285395 / 8070912,
    ),
    (82889 / 524892, 0, 15625 / 83664, 69875 / 102672, -2260 / 8211),
)  # fmt: skip
WEIGHTS = np.array([*LOWER[-1], GAMMA])
EMBEDDED = np.array([
    4586570599 / 29645900160, 0, 178811875 / 945068544, 814220225 / 1159782912,
    -3700637 / 11593932, 61727 / 225920,
])  # fmt: skip

ORDER = 4  # the embedded error is of this order in the length of the step
GROWTH = 32  # it grows at most so much when a step is doubled, save where the solution is rough
FINEST = 40  # the interval is halved at most so often
NEWTON_STEPS = 8


@dataclass(frozen=True)
class Trajectory:
    """Values and rates (times, dofs) at the ends of the steps; the steps' estimated local
    errors, relative; and whether the final time was reached."""

    times: np.ndarray
    values: np.ndarray
    rates: np.ndarray
    errors: np.ndarray
    complete: bool


def evolve(
    system: Any,
    interval: tuple[float, float],
    *,
    tolerance: float,
    steps: int | None = None,
    finer: bool = False,
    deadline: float = math.inf,
    report: Callable[[int, float], None] = lambda step, fraction: None,
) -> Trajectory:
    """R(U, dU/dt, d²U/dt², t) = 0 over an interval of time, from the initial values of the problem.

    Arguments:
        tolerance: of the error made in one step, relative to the largest norm of the solution.
        steps: so many equal steps instead.
        finer: steps of half the length, to compare.
        deadline: clock time at which to stop.
    """
    if finer:
        tolerance, steps = tolerance / 2**ORDER, steps and 2 * steps
    return _Stepper(system, interval, tolerance, steps, finer, deadline, report).run()


class _Stepper:
    def __init__(self, system, interval, tolerance, steps, finer, deadline, report):
        self.system, self.tolerance, self.steps, self.finer = system, tolerance, steps, finer
        self.start, self.length = interval[0], interval[1] - interval[0]
        self.deadline, self.report = deadline, report
        self.solvers: dict[float, Callable] = {}

    def run(self) -> Trajectory:
        motion = initial_motion(self.system, self.start)
        rows = [(self.start, *motion[:2], 0.0)]
        largest = self._scale(motion)
        n = self.steps or 2 ** (self._first_level(motion[1], largest) + self.finer)
        done = 0  # in steps of length / n
        while done < n:
            largest = max(largest, self.system.norm(motion[0]))
            step = self._step(self.start + self.length * done / n, self.length / n, motion)
            error = math.inf if step is None else self.system.norm(step[1]) / largest
            if self.steps is None and error > self.tolerance:
                excess = 2.0 ** (2 * ORDER) if step is None else error / self.tolerance
                halvings = math.ceil(math.log2(excess) / ORDER)
                n, done = n * 2**halvings, done * 2**halvings
                if n > 2**FINEST:
                    return self._cut_short(rows)
                continue
            if step is None:
                return self._cut_short(rows)
            motion = step[0]
            done += 1
            rows.append((self.start + self.length * done / n, *motion[:2], error))
            self.report(len(rows) - 1, done / n)
            if self.steps is None:
                while n > 1 and done % 2 == 0 and error < self.tolerance / GROWTH:
                    n, done, error = n // 2, done // 2, error * GROWTH
            if perf_counter() > self.deadline and done < n:
                return self._cut_short(rows)
        return self._trajectory(rows, True)

    def _cut_short(self, rows: list) -> Trajectory:
        """What was reached, the last state held from then on."""
        last = (self.start + self.length, rows[-1][1], np.zeros_like(rows[-1][1]), math.inf)
        return self._trajectory([*rows, last], False)

    def _step(self, t: float, h: float, motion: Motion):
        """The motion after a step, and the embedded error; None where Newton fails."""
        slopes, stage = [motion[1:]], motion
        for c, row in zip(STAGES[1:], LOWER[1:], strict=True):
            base = [
                start + h * sum(a * k[n] for a, k in zip(row, slopes, strict=True))
                for n, start in enumerate(motion[:-1])
            ]
            found = self._stage(t + c * h, h * GAMMA, base, stage[-1])
            if found is None:
                return None
            stage = found
            slopes.append(stage[1:])
        differences = WEIGHTS - EMBEDDED
        error = h * sum(b * k[0] for b, k in zip(differences, slopes, strict=True))
        return stage, self._replace_given(error, np.zeros_like(error))

    def _stage(self, t: float, scale: float, base: list[np.ndarray], guess: np.ndarray):
        """The motion with U = base + scale V (and V = base + scale A) at which R vanishes, and with
        what is given in its place."""
        system, motion = self.system, [guess]
        for start in reversed(base):
            motion.insert(0, start + scale * motion[0])
        given = system.given(t)
        state = tuple(map(self._replace_given, motion, given))
        shifts = [scale**-n for n in range(len(state))]
        before = math.inf
        for i in range(NEWTON_STEPS):
            residual = system.residual(state, t)[system.free]
            solve = self._solver(state, t, shifts, fresh=i in (3, 6))
            correction = system.spread(-solve(residual))
            state = tuple(v + s * correction for v, s in zip(state, shifts, strict=True))
            size = system.norm(correction)
            if not np.isfinite(size):
                return None
            enough = 1e-2 * self.tolerance * system.norm(state[0])
            if system.densities.is_linear or size <= enough:
                return state
            if size > 2 * before:
                return None
            before = size
        return None

    def _solver(self, motion, t, shifts, fresh):
        """The factorized tangent: one for each length of step, renewed where Newton is slow."""
        system, scale = self.system, shifts[1]
        if not system.densities.is_linear and (fresh or scale not in self.solvers):
            self.solvers.clear()
        if scale not in self.solvers:
            self.solvers[scale] = factorize(system.tangent(motion, t, shifts), system.free)
        return self.solvers[scale]

    def _scale(self, motion: Motion) -> float:
        """The size of the solution, to which errors are relative: of its initial or boundary
        values, or, where they vanish, of what one step over all the time makes of it."""
        times = self.start + self.length * np.linspace(0, 1, 9)
        norm, given = self.system.norm, self.system.given
        known = max(norm(motion[0]), *(norm(given(t)[0]) for t in times))
        if known == 0:
            step = self._step(self.start, self.length, motion)
            known = 0.0 if step is None else norm(step[0][0])
        return known or 1.0

    def _first_level(self, rates: np.ndarray, scale: float) -> int:
        """So many halvings of the interval that the first step changes the values by a percent."""
        wanted = 100 * self.system.norm(rates) * self.length / scale
        return min(max(4, math.ceil(math.log2(max(wanted, 1)))), FINEST // 2)

    def _replace_given(self, values: np.ndarray, given: np.ndarray) -> np.ndarray:
        result = given.copy()
        result[self.system.free] = values[self.system.free]
        return result

    def _trajectory(self, rows: list, complete: bool) -> Trajectory:
        times, values, rates, errors = (np.array(column) for column in zip(*rows, strict=True))
        at_rest = ~self.system.moving  # found in each stage, so that their rates are no slopes
        if at_rest.any():
            rates[:, at_rest] = np.gradient(values[:, at_rest], times, axis=0)
        return Trajectory(times, values, rates, errors[1:], complete)
