"""Checks of units of measurement, where the statement has some."""

from __future__ import annotations

from collections.abc import Iterator

from ..units import Quantity, UnitConflict, measure
from .case import Case, unknowns_in
from .findings import Finding, error, warning


def units(case: Case) -> Iterator[Finding]:
    """Terms that are added have one unit."""
    given = dict(case.problem.units)
    known = {*case.coordinates, *case.problem.parameters}
    known |= set(unknowns_in(s.expression for s in case.statements))
    for symbol in (s for s in given if s not in known):
        yield warning(
            "units",
            f"{symbol} is no coordinate, unknown or parameter of the statement.",
            "Drop it, or use the symbol of the statement.",
        )
    if not given and not any(s.expression.has(Quantity) for s in case.statements):
        return
    for statement in case.statements:
        try:
            measure(statement.expression, given)
        except UnitConflict as conflict:
            yield error(
                statement.where,
                f"units differ: {conflict}.",
                "Correct one of them; a number that has a unit is written `quantity(1e-3, "
                "'Pa s')`, and counts in SI units.",
            )
