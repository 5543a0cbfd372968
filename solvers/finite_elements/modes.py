"""A run for eigenvalues: meshes of size 4h, 2h and h, and finer ones while a tolerance asks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import jax.numpy as jnp
import numpy as np

from equations import Problem, weak_form

from ..monitor import Monitor, Progress, Target
from ..solution import Solution
from ..status import Status, UnsupportedProblem
from .eigen import NotReal
from .estimate import Estimate
from .jets import Discrete
from .run import MOST_UNKNOWNS, degrees, mesh_choice, state_of
from .sizes import default_size, scaled
from .spectrum import Modes, Spectrum, eigenvalues_of, estimates


def solve_modes(
    method: Any, problem: Problem, count: int, near: float | None, target: Target, monitor: Monitor
) -> tuple[Solution, ...]:
    """The lowest `count` modes, or those next to a number, in ascending order.

    Raises:
        UnsupportedProblem where eigenvalues are complex.
    """
    try:
        return _Run(method, problem, count, near, target, monitor).solutions()
    except NotReal as reason:
        raise UnsupportedProblem(method, (str(reason),)) from reason


class _Run:
    def __init__(self, method, problem, count, near, target, monitor):
        self.method, self.problem, self.target, self.monitor = method, problem, target, monitor
        self.count, self.near = count, near
        self.started = perf_counter()
        self.weak = weak_form(problem)
        (self.eigenvalue,) = eigenvalues_of(problem)
        self.spectrum = Spectrum(self.weak, self.eigenvalue)
        self.degrees = degrees(self.weak, method.degree)
        self.size = method.size
        if self.size is None:
            self.size = default_size(problem.domain, self.spectrum.stiffness)
        self.deadline = self.started + (target.seconds or math.inf)

    def solutions(self) -> tuple[Solution, ...]:
        levels: list[Modes] = []
        for scale in (4.0, 2.0, 1.0):
            levels.append(self._level(scale, len(levels)))
            if perf_counter() > self.deadline:
                break
        values, shapes = estimates(levels, self.degrees)
        while self._wants_more(levels[-1], values, shapes):
            scale /= 2
            levels.append(self._level(scale, len(levels)))
            values, shapes = estimates(levels, self.degrees)
        return tuple(self._solutions(levels, values, shapes, scale))

    def _level(self, scale: float, step: int) -> Modes:
        size = scaled(self.size, scale)
        domain = self.problem.domain
        modes = self.spectrum.on(domain, size, self.degrees, self.count, self.near)
        cells = len(modes.space.main.grid.cell_nodes)
        seconds = perf_counter() - self.started
        fraction = min(1.0, 2.0 ** (modes.space.main.dimension * (step - 2)))
        message = f"{cells} cells"
        self.monitor.report(Progress("eigenvalues", step, None, seconds, fraction, message=message))
        return modes

    def _wants_more(self, last: Modes, values: Estimate, shapes: Estimate) -> bool:
        space, wanted = last.space.main, self.target.tolerance
        return (
            wanted is not None
            and max(values.worst, shapes.worst) > wanted
            and space.size * 2**space.dimension <= MOST_UNKNOWNS[space.dimension]
            and perf_counter() < self.deadline
        )

    def _solutions(
        self, levels: list[Modes], values: Estimate, shapes: Estimate, scale: float
    ) -> Iterator[Solution]:
        modes = levels[-1]
        grid = modes.space.main.grid
        known = (grid, self.weak.unknowns, self.problem.coordinates, self.degrees)
        seconds = perf_counter() - self.started
        errors = np.broadcast_to(values.errors, len(modes.values))
        distances = np.broadcast_to(shapes.errors, (len(modes.values), len(self.weak.unknowns)))
        mesh = mesh_choice(modes.space.main, scaled(self.size, scale), self.method.degree)
        for i, value in enumerate(modes.values):
            found = {self.eigenvalue.name: float(value)}
            plain = Discrete(*known, values=modes.vectors[i])
            discrete = Discrete(*known, values=modes.vectors[i] * self._factor(modes, i, plain))
            groups = {(u,): float(e) for u, e in zip(self.weak.unknowns, distances[i], strict=True)}
            yield Solution(
                self.problem,
                self.method,
                discrete,
                self._status(errors[i], max(groups.values())),
                seconds,
                parameters=found,
                history={
                    "step": np.arange(len(levels)),
                    "eigenvalue": np.array([level.values[i] for level in levels]),
                },
                errors={**groups, (self.eigenvalue,): float(errors[i])},
                choices=(mesh, *self._choices(modes, i, errors[i])),
                state={**state_of(discrete), "eigenvalue": np.array(value)},
            )

    def _factor(self, modes: Modes, i: int, discrete: Discrete) -> float:
        """What gives a mode the norm one in L2 in the units of the statement, or the size that a
        condition states."""
        if self.weak.sizes:
            return self._stated_size(float(modes.values[i]), discrete)
        scaling = self.problem.scaling
        if scaling is None:
            return 1.0
        volume = math.prod(unit for _, unit in scaling.coordinates)
        rows = zip(
            self.weak.unknowns, modes.space.spaces, modes.space.split(modes.vectors[i]), strict=True
        )
        square = sum(scaling.units[u] ** 2 * float(v @ (s.mass @ v)) for u, s, v in rows)
        return 1 / math.sqrt(volume * square)

    def _stated_size(self, value: float, discrete: Discrete) -> float:
        """The factor c with which the stated integral holds, of residual a c^n + b."""
        (gauge, *_) = self.weak.sizes
        compiled = self.problem.compile(gauge.equation.residuals[:1])
        point = jnp.asarray(gauge.part.sample(1, key=0).points)[:1]

        given = {self.eigenvalue.name: value}

        def residual(factor: float) -> float:
            def jets(functionals: Any, points: Any) -> list[np.ndarray]:
                return [factor * v for v in discrete(functionals, points)]

            return float(compiled(point, compiled.values(jets, point, given), given)[0][0])

        rest, once, twice = (residual(c) for c in (0.0, 1.0, 2.0))
        power = round(math.log2(abs((twice - rest) / (once - rest))))
        ratio = -rest / (once - rest)
        return math.copysign(abs(ratio) ** (1 / power), ratio if power % 2 else 1.0)

    def _status(self, error: float, distance: float) -> Status:
        wanted = self.target.tolerance
        if wanted is not None and max(error, distance) <= wanted:
            return Status.TOLERANCE_REACHED
        if perf_counter() > self.deadline:
            return Status.BUDGET_SPENT
        if error > 1:
            return Status.NOT_CONVERGED
        return Status.SOLVED if wanted is None else Status.STEPS_SPENT

    def _choices(self, modes: Modes, i: int, error: float) -> Iterator[str]:
        which = f"number {i + 1} from below" if self.near is None else f"next to {self.near:g}"
        yield (
            f"eigenvalue {modes.values[i]:.8g}, {which}, with a relative error of about {error:.1e}"
        )
        if modes.complete:
            yield "the signs of the pivots show that no lower eigenvalue was left out"
        if modes.complete is False:
            yield "the signs of the pivots show that eigenvalues were left out: ask for more modes"
