"""Solutions over the ranges of parameters: values and residuals for all of them, or for given ones.

A method solves the problem in which the parameters are coordinates (`equations.ranges`); a person
asks in terms of the statement, with a value for each parameter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import jax.numpy as jnp
from sympy.core.function import AppliedUndef

from equations import Functional, Problem
from equations.ranges import fields_over_ranges, over_ranges, ranged
from equations.symbols import Parameter

from .solution import Solution

ROUNDING = 1e-9  # relative to the range: values this far outside are its end


def reasons_against(problem: Problem) -> tuple[str, ...]:
    """Why a problem has no solution over ranges of parameters; empty if it can have one."""
    names = ", ".join(p.name for p in ranged(problem))
    if names and problem.data:
        return (f"data do not say for which value of {names} they were measured.",)
    return ()


def with_ranges(solution: Solution, problem: Problem) -> Solution:
    """The solution of a statement, from that of the problem over its ranges."""
    fields = fields_over_ranges(problem)
    back = {f: g for g, f in fields.items()}
    errors = {
        tuple(back.get(f, f) for f in group): error for group, error in solution.errors.items()
    }
    jets = Ranged(solution.problem, solution.jets, ranged(problem), fields)
    return replace(solution, problem=problem, jets=jets, errors=errors)


@dataclass(frozen=True, eq=False)
class Ranged:
    """The jets of a statement's fields over the ranges of its `parameters`.

    `family`: the problem in which they are coordinates, solved by `jets`; `fields`: its field for
    each one of the statement."""

    family: Problem
    jets: Any
    parameters: tuple[Parameter, ...]
    fields: Mapping[AppliedUndef, AppliedUndef]

    def __call__(self, functionals: Sequence[Functional], points: Any) -> list[Any]:
        """Refused: values depend on the parameters."""
        return self.at({})(functionals, points)

    def at(self, values: Mapping[str, float]) -> AtValues:
        """The jets for values of the parameters.

        Raises:
            ValueError for a parameter without value, and for values outside the range; TypeError
            for what is no number.
        """
        return AtValues(self, tuple(_value(p, values) for p in self.parameters))


@dataclass(frozen=True, eq=False)
class AtValues:
    """The jets of a statement's fields for one value of each parameter."""

    ranged: Ranged
    values: tuple[float, ...]

    def __call__(self, functionals: Sequence[Functional], points: Any) -> list[Any]:
        """One array for each functional."""
        points = jnp.asarray(points)
        columns = jnp.broadcast_to(
            jnp.asarray(self.values, points.dtype), (len(points), len(self.values))
        )
        own = tuple(map(self._over_ranges, functionals))
        return list(self.ranged.jets(own, jnp.concatenate([points, columns], axis=1)))

    def _over_ranges(self, functional: Functional) -> Functional:
        field = self.ranged.fields[functional.field]
        further = (0,) * (len(field.args) - len(functional.field.args))
        terms = tuple((orders + further, c) for orders, c in functional.terms)
        return replace(functional, field=field, terms=terms)


def _value(parameter: Parameter, values: Mapping[str, float]) -> float:
    name, (low, high) = parameter.name, parameter.between or (0, 1)
    if name not in values:
        middle = (low + high) / 2
        raise ValueError(
            f"`{name}` ranges from {low:g} to {high:g} in this solution, which needs its value: "
            f"`solution(u, points, {name}={middle:g})`, or `solution.at({name}={middle:g})`."
        )
    value = values[name]
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"`{name}` is one number; got {value!r:.60}.")
    slack = ROUNDING * (high - low)
    if not low - slack <= value <= high + slack:
        raise ValueError(
            f"`{name}` = {value:g} is outside the range in which the solution was sought, {low:g} "
            f"to {high:g}; solve again with a wider `between`."
        )
    return min(max(float(value), low), high)


__all__ = ["Ranged", "over_ranges", "reasons_against", "with_ranges"]
