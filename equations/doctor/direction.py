"""Checks of signs: diffusion that smooths forward in time, coefficients that do not change sign."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import structure
from .case import TIME_PARTS, Case, Statement, at, evaluate, unknowns_in
from .findings import Finding, warning


def direction(case: Case) -> Iterator[Finding]:
    """Highest derivatives have the sign with which the equation can be solved from the side in time
    where its conditions are."""
    for statement in case.sound(case.equations):
        held = structure.jet_expression(statement.expression)
        for jet in filter(lambda jet: _is_leading(case, held, jet), held.symbols):
            slopes = _slopes(case, statement, held, jet)
            if np.isrealobj(slopes):
                yield from _sign_change(case, statement, jet, slopes)
                yield from _backward(case, statement, held, jet, slopes)


def _is_leading(case: Case, held: structure.JetExpression, jet: structure.Jet) -> bool:
    """Whether it is a highest derivative of its field, of even order along one spatial axis, with a
    coefficient that the solution does not change."""
    highest = max(j.order() for j in held.symbols if j.field == jet.field)
    along = max((jet.order(c) for c in case.space), default=0)
    if jet.order() % 2 or not highest == jet.order() == along:
        return False
    return not held.slope(jet).free_symbols & set(held.symbols.values())


def _slopes(case: Case, statement: Statement, held, jet: structure.Jet) -> np.ndarray:
    slope = structure.JetExpression(held.slope(jet), held.symbols)
    return evaluate(slope, case.coordinates, case.interior_of(statement))


def _sign_change(case: Case, statement: Statement, jet, slopes) -> Iterator[Finding]:
    scale = 1e-9 * np.max(np.abs(slopes))
    if slopes.min() < -scale and slopes.max() > scale:
        point = case.interior_of(statement)[int(np.argmin(np.abs(slopes)))]
        yield warning(
            statement.where,
            f"the coefficient of {jet.expression()} changes sign, near "
            f"{at(point, case.coordinates)}.",
            "Such an equation seldom has a solution for conditions of the usual kind; check the "
            "coefficient.",
        )


def _backward(case: Case, statement: Statement, held, jet, slopes) -> Iterator[Finding]:
    t = next((c for c in case.coordinates if c.name == case.time), None)
    rates = [j for j in held.symbols if t and j.field == jet.field and j.order() == j.order(t) > 0]
    sides = {s for s in TIME_PARTS if t and _has_value(case, s, jet.field)}
    if not rates or len(sides) != 1 or len(case.fields) != 1:
        return
    rate = max(rates, key=lambda j: j.order())
    across = (-1) ** (jet.order() // 2)  # the symbol of an even derivative along one axis
    growth = -across * slopes / _slopes(case, statement, held, rate)
    if rate.order() == 1 and sides == {"final"}:
        growth = -growth
    if rate.order() > 2 or not np.isrealobj(growth) or np.any(~np.isfinite(growth)):
        return
    if np.all(growth > 0):
        yield warning(
            statement.where,
            f"{rate.expression()} and {jet.expression()} have signs with which short waves grow "
            f"without bound from the values on '{next(iter(sides))}'.",
            "Change the sign of one of them, or state the values at the other end of time.",
        )


def _has_value(case: Case, part: str, f) -> bool:
    return part in case.parts and any(
        f in unknowns_in([s.expression]) for _, s, _ in case.conditions_on(part)
    )
