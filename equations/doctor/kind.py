"""Checks of the kind of an equation: elliptic, parabolic or hyperbolic, and its conditions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import structure
from .case import Case, Statement, both_ends_of_time, evaluate, unknowns_in
from .findings import Finding, warning


def enclosed(case: Case) -> Iterator[Finding]:
    """Equations of waves have no conditions all round: their solution follows from a part."""
    if len(case.equations) != 1 or len(case.fields) != 1 or not case.parts:
        return
    (statement,), (f,) = case.equations, case.fields
    if case.refusal(statement.expression) or not all(_stated(case, name, f) for name in case.parts):
        return
    form = _second_order_part(case, statement, f)
    if form is None:
        return
    speeds = np.linalg.eigvalsh(form)
    scale = 1e-9 * np.abs(speeds).max()
    if np.all((speeds[:, 0] < -scale) & (speeds[:, -1] > scale)):
        yield warning(
            statement.where,
            f"the second derivatives of {f} have both signs, as in the equation of waves, and "
            "conditions are given all round.",
            "Such a problem seldom has one solution; check the signs, or leave one side free and "
            f"state the value and its rate on the opposite one. {both_ends_of_time(case)}".rstrip(),
        )


def _stated(case: Case, name: str, f) -> bool:
    return any(
        covered.all() and f in unknowns_in([statement.expression])
        for _, statement, covered in case.conditions_on(name)
    )


def _second_order_part(case: Case, statement: Statement, f) -> np.ndarray | None:
    """The symmetric matrices of the coefficients of second derivatives at interior points; None
    where the equation has another order, or the solution itself or complex numbers in them."""
    held = structure.jet_expression(statement.expression)
    if max(jet.order() for jet in held.symbols) != 2:
        return None
    axes = case.coordinates
    form = np.zeros((len(case.interior), len(axes), len(axes)))
    for jet in (jet for jet in held.symbols if jet.order() == 2):
        slope = held.slope(jet)
        if slope.free_symbols & set(held.symbols.values()):
            return None
        part = structure.JetExpression(slope, held.symbols)
        values = evaluate(part, axes, case.interior)
        if not np.isrealobj(values):
            return None
        i, j = [k for k, axis in enumerate(axes) for _ in range(jet.order(axis))]
        form[:, i, j] += values / 2
        form[:, j, i] += values / 2
    return form
