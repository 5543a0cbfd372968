"""A statement in time as linear parts with constant coefficients and what remains.

The state holds each field and its time derivatives up to one below the highest. The equations are
solved for the highest, `d/dt state_i = L_i state_i + N_i(state, x, t)`, with L_i a differential
operator with constant coefficients on that component alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from equations import Problem, is_time, spatial, structure
from equations.structure import Jet, jet_expression

MOST_DIMENSIONS = 3


@dataclass(frozen=True, eq=False)
class Split:
    """The statement for exponential steps. `components` are pairs (field, order in time)."""

    problem: Problem

    @cached_property
    def components(self) -> tuple[tuple[int, int], ...]:
        return tuple(
            (i, r) for i, f in enumerate(self.problem.fields) for r in range(self.order(f))
        )

    def order(self, field: Any) -> int:
        """The highest order of derivative in time of a field."""
        return structure.time_order(self.problem, field)

    @cached_property
    def last(self) -> tuple[int, ...]:
        """The component of each field that its equation moves."""
        return tuple(
            self.components.index((i, self.order(f) - 1)) for i, f in enumerate(self.problem.fields)
        )

    @property
    def time(self) -> int:
        """The column of time among the coordinates."""
        return next(i for i, c in enumerate(self.problem.coordinates) if is_time(c))

    def component(self, field: Any, orders: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
        """The component that holds a derivative, how often it is still to be differentiated in
        time, and how often along each axis of space."""
        known = self.problem.fields
        if field not in known:
            listed = ", ".join(map(str, known))
            raise ValueError(f"{field} is no unknown of this solution; those are {listed}.")
        counts = dict(zip(field.args, orders, strict=True))
        in_time = sum(n for a, n in counts.items() if is_time(a))
        space = tuple(counts.get(a, 0) for a in spatial(self.problem.coordinates))
        held = min(in_time, self.order(field) - 1)
        index = self.components.index((known.index(field), held))
        return index, in_time - held, space

    @cached_property
    def _rates(self) -> list[sympy.Expr]:
        """The highest time derivative of each field as an expression in the others."""
        highest = [_highest(self.problem, f) for f in self.problem.fields]
        held = [jet_expression(r) for r in self.problem.residuals]
        mass = sympy.Matrix([[h.slope(j) if j in h.symbols else 0 for j in highest] for h in held])
        rest = [_without(h, highest) for h in held]
        return list(-mass.inv() * sympy.Matrix(rest))

    @cached_property
    def _parts(self) -> list[tuple[dict[Jet, complex], sympy.Expr]]:
        """For each field the coefficients of its linear part, and the remainder."""
        pairs = zip(self.problem.fields, self._rates, strict=True)
        return [_linear_part(f, self.order(f) - 1, rate) for f, rate in pairs]

    @property
    def linear(self) -> list[dict[Jet, complex]]:
        """The coefficients of the linear part of each field."""
        return [coefficients for coefficients, _ in self._parts]

    @cached_property
    def remainder(self) -> Any:
        """The compiled remainders, one for each field."""
        return self.problem.compile([rest for _, rest in self._parts])

    @cached_property
    def start(self) -> Any:
        """The compiled initial values, one for each component."""
        values = _initial_values(self.problem)
        ordered = [values[(self.problem.fields[i], r)] for i, r in self.components]
        return self.problem.compile(ordered)


def _highest(problem: Problem, field: Any) -> Jet:
    n = structure.time_order(problem, field)
    return Jet(field, tuple(n if is_time(a) else 0 for a in field.args))


def _without(held: Any, jets: list[Jet]) -> sympy.Expr:
    """The expression with some derivatives zero."""
    back = {s: 0 if j in jets else j.expression() for j, s in held.symbols.items()}
    return held.expression.xreplace({s: sympy.sympify(e) for s, e in back.items()})


def _linear_part(field: Any, order: int, rate: sympy.Expr) -> tuple[dict, sympy.Expr]:
    held = jet_expression(rate)
    own = [j for j in held.symbols if j.field == field and _in_time(j) == order]
    coefficients = {j: _constant(held.slope(j), held, field.is_real) for j in own}
    coefficients = {j: c for j, c in coefficients.items() if c != 0}
    rest = held.expression - sympy.Add(*(c * held.symbols[j] for j, c in coefficients.items()))
    rest = sympy.expand(rest) if structure.is_short(rest) else rest
    rest = rest.xreplace({s: j.expression() for j, s in held.symbols.items()})
    return {j: complex(c) for j, c in coefficients.items()}, rest


def _constant(slope: sympy.Expr, held: Any, is_real: bool) -> sympy.Expr:
    """The slope where it is a number, or that of the linearization about zero; else zero."""
    if slope.free_symbols and is_real:
        slope = slope.subs(dict.fromkeys(held.symbols.values(), 0))
    if slope.free_symbols or not slope.is_number or not slope.is_finite:
        return sympy.S.Zero
    return slope


def _in_time(jet: Jet) -> int:
    return sum(n for a, n in jet.counts if is_time(a))


def _initial_values(problem: Problem) -> dict[tuple[Any, int], sympy.Expr]:
    """The stated values of the fields and their time derivatives at the start."""
    found = {}
    for condition in problem.conditions:
        for jet, value in structure.stated(condition).items():
            if jet.order() == _in_time(jet):
                found[(jet.field, jet.order())] = value
    return found


def reasons_against(problem: Problem) -> Iterator[str]:
    """Why the statement is no periodic problem in time."""
    domain = problem.domain
    space = [str(c) for c in spatial(problem.coordinates)]
    if domain.time is None or not hasattr(domain, "space") or not space:
        yield "it steps in time, in a space at rest: the domain is no `shape.over(t, a, b)`"
        return
    closed = [a for a in space if a not in domain.periods]
    if closed:
        yield f"it needs space to be periodic along every axis; {', '.join(closed)} is not"
    elif len(space) > MOST_DIMENSIONS:
        yield f"it takes at most {MOST_DIMENSIONS} dimensions of space; there are {len(space)}"
    elif not _is_box(domain.space):
        yield "it needs a whole interval or box as space"
    if len(domain.regions):
        yield "the domain has regions, and it knows one law"
    if problem.parameters:
        names = ", ".join(p.name for p in problem.parameters)
        yield f"the parameters {names} have no value: give numbers"
    if problem.data:
        yield "it does not fit measured data"
    elsewhere = [c.label for c in problem.conditions if c.label != "initial"]
    if elsewhere:
        yield f"conditions at {', '.join(elsewhere)}: it knows those at the start"
    if any(j.place is not None for j in structure.all_jets(problem.residuals)):
        yield "fields are taken at other points than the current one (delay, memory, integral)"
        return
    yield from _against_equations(problem)


def _is_box(space: Any) -> bool:
    lower, upper = space.bounds
    return bool(np.isclose(space.measure, np.prod(np.subtract(upper, lower)), rtol=1e-9))


def _against_equations(problem: Problem) -> Iterator[str]:
    orders = {f: structure.time_order(problem, f) for f in problem.fields}
    algebraic = [str(f) for f, n in orders.items() if n == 0]
    if algebraic:
        yield f"the equations hold no time derivative of {', '.join(algebraic)}"
        return
    if any(set(f.args) != set(problem.coordinates) for f in problem.fields):
        yield "an unknown does not depend on all coordinates"
        return
    if len(problem.residuals) != len(problem.fields):
        yield f"{len(problem.residuals)} equations for {len(problem.fields)} unknowns"
        return
    highest = [_highest(problem, f) for f in problem.fields]
    jets = structure.all_jets(problem.residuals)
    if any(_in_time(j) >= orders[j.field] and j not in highest for j in jets):
        yield "the highest time derivatives are differentiated in space too"
        return
    held = [jet_expression(r) for r in problem.residuals]
    mass = sympy.Matrix([[h.slope(j) if j in h.symbols else 0 for j in highest] for h in held])
    if not all(entry.is_number for entry in mass) or mass.det() == 0:
        yield "the highest time derivatives need factors that are numbers, and an equation for each"
    stated = _initial_values(problem)
    missing = [f"{f}" for f, n in orders.items() for r in range(n) if (f, r) not in stated]
    if missing:
        names = ", ".join(dict.fromkeys(missing))
        yield f"initial values of {names}, or of its time derivatives, are not stated"
