"""Stepping in time: an L-stable, stiffly accurate Runge-Kutta method of order 4.

Source: Kennedy & Carpenter, Additive Runge-Kutta schemes for convection-diffusion-reaction
equations, Appl. Numer. Math. 44 (2003) 139-181: the implicit half of ARK4(3)6L[2]SA. Its first
stage is the last one of the step before, the others are implicit with one and the same factor 1/4,
so that one factorization serves a whole step. Initial values that contradict the boundary values
are damped at once (L-stability).

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
    """Values and rates (times, unknowns, dofs) at the ends of the steps; the steps' estimated local
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
    """R(U, dU/dt, t) = 0 over an interval of time, from the initial values of the problem.

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
        values = initial_values(self.system, self.start)
        rates = self._initial_rates(values)
        rows = [(self.start, values, rates, 0.0)]
        largest = self._scale(values, rates)
        n = self.steps or 2 ** (self._first_level(rates, largest) + self.finer)
        done = 0  # in steps of length / n
        while done < n:
            largest = max(largest, self._norm(values))
            step = self._step(self.start + self.length * done / n, self.length / n, values, rates)
            error = math.inf if step is None else self._norm(step[2]) / largest
            if self.steps is None and error > self.tolerance:
                excess = 2.0 ** (2 * ORDER) if step is None else error / self.tolerance
                halvings = math.ceil(math.log2(excess) / ORDER)
                n, done = n * 2**halvings, done * 2**halvings
                if n > 2**FINEST:
                    return self._cut_short(rows)
                continue
            if step is None:
                return self._cut_short(rows)
            values, rates = step[:2]
            done += 1
            rows.append((self.start + self.length * done / n, values, rates, error))
            self.report(len(rows) - 1, done / n)
            if self.steps is None:
                while n > 1 and done % 2 == 0 and error < self.tolerance / GROWTH:
                    n, done, error = n // 2, done // 2, error * GROWTH
            if perf_counter() > self.deadline and done < n:
                return self._cut_short(rows)
        return _trajectory(rows, True)

    def _cut_short(self, rows: list) -> Trajectory:
        """What was reached, the last state held from then on."""
        last = (self.start + self.length, rows[-1][1], np.zeros_like(rows[-1][1]), math.inf)
        return _trajectory([*rows, last], False)

    def _step(self, t: float, h: float, values, rates):
        """Values and rates after a step, and the embedded error; None where Newton fails."""
        slopes = [rates]
        for c, row in zip(STAGES[1:], LOWER[1:], strict=True):
            base = values + h * sum(a * k for a, k in zip(row, slopes, strict=True))
            stage = self._stage(t + c * h, h, base, slopes[-1])
            if stage is None:
                return None
            slopes.append(stage[1])
        differences = WEIGHTS - EMBEDDED
        error = h * sum(b * k for b, k in zip(differences, slopes, strict=True))
        return stage[0], stage[1], self._on_free(error)

    def _stage(self, t: float, h: float, base: np.ndarray, guess: np.ndarray):
        """U = base + h γ V with R(U, V, t) = 0 and the given values and rates in their places."""
        system, scale = self.system, h * GAMMA
        given, given_rates = system.given(t)
        rates = self._replace_given(guess, given_rates)
        values = self._replace_given(base + scale * rates, given)
        before = math.inf
        for i in range(NEWTON_STEPS):
            residual = system.residual(values, rates, t).ravel()[system.free]
            solve = self._solver(values, rates, t, scale, fresh=i in (3, 6))
            correction = system.spread(-solve(residual))
            values, rates = values + correction, rates + correction / scale
            size = self._norm(correction)
            if not np.isfinite(size):
                return None
            if system.densities.is_linear or size <= 1e-2 * self.tolerance * self._norm(values):
                return values, rates
            if size > 2 * before:
                return None
            before = size
        return None

    def _solver(self, values, rates, t, scale, fresh):
        """The factorized tangent: one for each length of step, renewed where Newton is slow."""
        system = self.system
        if not system.densities.is_linear and (fresh or scale not in self.solvers):
            self.solvers.clear()
        if scale not in self.solvers:
            matrix = system.tangent(values, rates, t, 1 / scale)
            self.solvers[scale] = factorize(matrix, system.free)
        return self.solvers[scale]

    def _initial_rates(self, values: np.ndarray) -> np.ndarray:
        """The rates V of the free degrees of freedom with R(U, V, start) = 0."""
        system = self.system
        _, rates = system.given(self.start)
        residual = system.residual(values, rates, self.start).ravel()[system.free]
        storage = factorize(system.storage(values, rates, self.start), system.free)
        return rates - system.spread(storage(residual))

    def _scale(self, values: np.ndarray, rates: np.ndarray) -> float:
        """The size of the solution, to which errors are relative: of its initial or boundary
        values, or, where they vanish, of what one step over all the time makes of it."""
        times = self.start + self.length * np.linspace(0, 1, 9)
        known = max(self._norm(values), *(self._norm(self.system.given(t)[0]) for t in times))
        if known == 0:
            step = self._step(self.start, self.length, values, rates)
            known = 0.0 if step is None else self._norm(step[0])
        return known or 1.0

    def _first_level(self, rates: np.ndarray, scale: float) -> int:
        """So many halvings of the interval that the first step changes the values by a percent."""
        wanted = 100 * self._norm(rates) * self.length / scale
        return min(max(4, math.ceil(math.log2(max(wanted, 1)))), FINEST // 2)

    def _replace_given(self, values: np.ndarray, given: np.ndarray) -> np.ndarray:
        result = given.ravel().copy()
        result[self.system.free] = values.ravel()[self.system.free]
        return result.reshape(values.shape)

    def _on_free(self, values: np.ndarray) -> np.ndarray:
        return self._replace_given(values, np.zeros_like(values))

    def _norm(self, values: np.ndarray) -> float:
        mass = self.system.space.mass
        return float(np.sqrt(max(0.0, sum(float(row @ (mass @ row)) for row in values))))


def initial_values(system: Any, start: float) -> np.ndarray:
    """The L2 projection of the initial data onto the functions that take the boundary values.

    Where data and boundary values disagree it keeps the moments of the data that count later.
    """
    values, _ = system.given(start)
    space = system.space
    for boundary, evaluate in system.densities.initial:
        row = system.weak.unknowns.index(boundary.unknown)
        cells = space.interior
        data = evaluate(cells.points.reshape(-1, space.dimension), start)[0]
        density = np.zeros((*cells.weights.shape, 1 + space.dimension))
        density[..., 0] = data.reshape(cells.weights.shape)
        free = system.free_of(row)
        misfit = cells.load(density, space.size) - space.mass @ values[row]
        values[row, free] = factorize(space.mass, free)(misfit[free])
    return values


def _trajectory(rows: list, complete: bool) -> Trajectory:
    times, values, rates, errors = (np.array(column) for column in zip(*rows, strict=True))
    return Trajectory(times, values, rates, errors[1:], complete)
