"""Checks of measured data: points in the domain, expressions that can be measured."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .case import Case, at, unknowns_in
from .findings import Finding, error


def data(case: Case) -> Iterator[Finding]:
    """Every datum has points in the domain and values of its kind."""
    axes = case.domain.axes
    for i, item in enumerate(case.problem.data):
        where = "data" if len(case.problem.data) == 1 else f"data {i + 1}"
        if not len(item.points) or not item.values:
            yield error(where, "it is empty.", "Give points and values, or leave it out.")
        elif item.points.shape[1] != len(axes):
            yield error(
                where,
                f"points have {item.points.shape[1]} columns, the domain has the axes "
                f"{', '.join(axes)}.",
                f"Give one column for each of {', '.join(axes)}, in that order.",
            )
        else:
            yield from _outside(case, where, item.points)
        for expression, values in item.values.items():
            unknowns = unknowns_in([expression])
            if np.any(np.imag(values)) and unknowns and all(f.is_real for f in unknowns):
                yield error(
                    where,
                    f"complex values of {expression}, which is real.",
                    'Make the unknown complex, `field("u", ..., complex=True)`, or give the real '
                    "part.",
                )


def _outside(case: Case, where: str, points: np.ndarray) -> Iterator[Finding]:
    lower, upper = case.domain.bounds
    slack = 1e-6 * np.linalg.norm(upper - lower)  # measured points carry rounding of their own
    outside = np.asarray(case.domain.signed_distance(points)) > slack
    if outside.any():
        yield error(
            where,
            f"{outside.sum()} of {len(points)} points lie outside the domain, the first at "
            f"{at(points[int(np.argmax(outside))], case.coordinates)}.",
            "Correct or drop them, or enlarge the domain.",
        )
