"""Checks of transport: a field of first order has its values where the flow enters the domain."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import structure
from .case import TIME_PARTS, Case, at, evaluate, unknowns_in
from .findings import Finding, error, warning

STILL = 1e-9  # of the largest speed: the flow runs along the boundary


def inflow(case: Case) -> Iterator[Finding]:
    """Values are stated where the flow enters, and not where it leaves."""
    through = speeds(case)
    if through is None:
        return
    scale = STILL * max(float(np.max(np.abs(v), initial=0)) for v in through.values())
    stated = {name: _covered(case, name) for name in through}
    sign = _orientation(case, through, stated, scale)
    for name, speed in through.items():
        enters, leaves = sign * speed < -scale, sign * speed > scale
        open_points = enters & ~stated[name]
        if open_points.any():
            point = case.parts[name].points[int(np.argmax(open_points))]
            yield error(
                f"on {name}",
                f"no conditions where the flow of {case.fields[0]} enters, near "
                f"{at(point, case.coordinates)}.",
                "Add conditions there: state its value.",
            )
        elif stated[name].any() and leaves[stated[name]].all():
            yield warning(
                f"on {name}",
                f"{case.fields[0]} has a condition where its flow leaves the domain.",
                "Drop it: the values there follow from those upstream.",
            )


def speeds(case: Case) -> dict[str, np.ndarray] | None:
    """The speed at which a field of first order is carried out of the domain, at the sampled points
    of each side; None where the statement is no transport of one field at a known velocity."""
    if len(case.equations) != 1 or len(case.fields) != 1 or not case.space:
        return None
    (statement,), (f,) = case.equations, case.fields
    if case.refusal(statement.expression):
        return None
    held = structure.jet_expression(statement.expression)
    jets = [j for j in held.symbols if j.field == f and j.order()]
    known = all(not held.slope(j).free_symbols & set(held.symbols.values()) for j in jets)
    rates = [j for j in jets if j.order() == j.order(*_time(case)) == 1]
    first = all(j.order() == 1 and j.place is None for j in jets)
    if not jets or not known or not first or len(rates) != bool(case.time):
        return None
    rate = held.slope(rates[0]) if rates else 1
    found = {}
    for name in (n for n in case.parts if n not in TIME_PARTS or case.time is None):
        sample = case.parts[name]
        speed = np.zeros(len(sample.points))
        for j in (j for j in jets if j not in rates):
            part = structure.JetExpression(held.slope(j) / rate, held.symbols)
            values = evaluate(part, case.coordinates, sample.points)
            if not np.isrealobj(values) or not np.isfinite(values).all():
                return None
            (axis,) = (i for i, c in enumerate(case.coordinates) if j.order(c))
            speed = speed + values * sample.normals[:, axis]
        found[name] = speed
    return found


def _time(case: Case) -> tuple:
    return tuple(c for c in case.coordinates if c.name == case.time) or (None,)


def _covered(case: Case, name: str) -> np.ndarray:
    """Which sampled points of a part have a condition on the field."""
    covered = np.zeros(len(case.parts[name].points), bool)
    for _, statement, points in case.conditions_on(name):
        if unknowns_in([statement.expression]):
            covered |= points
    return covered


def _orientation(case: Case, through: dict, stated: dict, scale: float) -> int:
    """1 where the solution follows from values upstream, -1 from those downstream: from a final
    state, or, where there is no time, from the side that has more of the conditions."""
    if case.time:
        return -1 if any(case.conditions_on("final")) else 1
    upstream = sum(int((stated[n] & (v < -scale)).sum()) for n, v in through.items())
    downstream = sum(int((stated[n] & (v > scale)).sum()) for n, v in through.items())
    return -1 if downstream > upstream else 1
