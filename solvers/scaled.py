"""Problems solved in dimensionless form, and their solutions in the units of the statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax.numpy as jnp
import numpy as np

import diffcore
from equations import Functional, NotScalable, Problem, Scaling

from .solution import Solution

DURATIONS = ("t", "length")  # columns of a history that are times


def dimensionless(problem: Problem) -> tuple[Problem, tuple[str, ...]]:
    """The problem in numbers of order one, or as it is, and sentences for the report."""
    try:
        scaled = problem.nondimensionalize()
    except NotScalable as reason:
        return problem, (f"{reason}.",)
    if scaled is problem:
        return problem, ()
    lines = " ".join(str(scaled.scaling).split())
    return scaled, (
        f"the problem was solved in dimensionless form, with {lines}; numbers below refer to it",
    )


def restored(solution: Solution, problem: Problem, scaling: Scaling, method: Any) -> Solution:
    """The solution of `problem`, from that of its dimensionless form."""
    return replace(
        in_units(solution, problem, scaling),
        method=method,
        history=_history(solution, scaling),
        errors=_errors(solution, scaling),
    )


def in_units(solution: Solution, problem: Problem, scaling: Scaling) -> Solution:
    """The solution with the values, parameters and deviations of `problem`."""
    return replace(
        solution,
        problem=problem,
        jets=InUnits(solution.jets, scaling),
        parameters=_parameters(solution.parameters, scaling),
        deviations=solution.deviations and Deviations(solution.deviations, scaling),
        scaling=scaling,
    )


@dataclass(frozen=True)
class InUnits:
    """The jets of fields in the units of the statement, from dimensionless ones."""

    jets: Any
    scaling: Scaling

    def __call__(self, functionals: Sequence[Functional], points: Any) -> list[Any]:
        """One array for each functional; with derivatives as everywhere."""
        lengths = jnp.array([unit for _, unit in self.scaling.coordinates])
        own = tuple(map(self._scaled, functionals))
        values = self.jets(own, jnp.asarray(points) / lengths)
        offsets = map(self._offset, functionals)
        return [v + o if o else v for v, o in zip(values, offsets, strict=True)]

    def _scaled(self, functional: Functional) -> Functional:
        f = functional.field
        units = [self.scaling.units.get(a, 1.0) for a in f.args]
        size = self.scaling.units.get(f, 1.0)
        terms = tuple(
            (orders, c * size / float(np.prod([u**n for u, n in zip(units, orders, strict=True)])))
            for orders, c in functional.terms
        )
        return replace(functional, terms=terms)

    def _offset(self, functional: Functional) -> complex:
        values = [c for orders, c in functional.terms if not any(orders)]
        return sum(values) * self.scaling.offsets.get(functional.field, 0.0)


@dataclass(frozen=True)
class Deviations:
    """Standard deviations of expressions in the units of the statement."""

    deviations: Any
    scaling: Scaling

    def __call__(self, expressions: Sequence[Any], points: Any) -> Any:
        """(points, expressions)."""
        return self.deviations([self.scaling(e) for e in expressions], self.scaling.points(points))


def _parameters(values: Mapping[str, float], scaling: Scaling) -> dict[str, float]:
    units = {p.name: unit for p, unit in scaling.parameters}
    return {name: value * units.get(name, 1.0) for name, value in values.items()}


def _history(solution: Solution, scaling: Scaling) -> dict[str, Any]:
    time = solution.problem.domain.time
    units = {c.name: unit for c, unit in scaling.coordinates}
    duration = units[time[0]] if time else 1.0
    return {
        name: np.asarray(column) * duration if name in DURATIONS else column
        for name, column in solution.history.items()
    }


def _errors(solution: Solution, scaling: Scaling) -> dict[tuple, float]:
    """Relative errors of the fields with their offsets, which make them larger, and of parameters
    by the symbols of the statement."""
    own = {p.name: p for p, _ in scaling.parameters}
    return {
        tuple(own.get(str(item), item) for item in group): error * _share(solution, scaling, group)
        for group, error in solution.errors.items()
    }


def _share(solution: Solution, scaling: Scaling, group: tuple) -> float:
    """The L2 norm of a group of fields without offsets, relative to that with them."""
    if not any(f in scaling.offsets for f in group):
        return 1.0
    points = solution.problem.domain.sample_interior(1000, key=0).points
    functionals = tuple(Functional(f, (((0,) * len(f.args), 1),)) for f in group)
    with diffcore.precision("float64"):
        values = map(np.asarray, solution.jets(functionals, jnp.asarray(points)))
    plain, full = [], []
    for f, value in zip(group, values, strict=True):
        plain.append(scaling.units[f] * value)
        full.append(plain[-1] + scaling.offsets.get(f, 0.0))
    return float(np.linalg.norm(plain) / np.linalg.norm(full))
