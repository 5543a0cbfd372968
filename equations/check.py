"""The statement doctor: what is wrong or doubtful in a problem, with the remedy, before computing.

`check` puts one problem through all checks, each of which looks for one kind of slip and knows
nothing of the others; a new check is a function from a `Case` to findings, added to `CHECKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .doctor import (
    corners,
    counts,
    data,
    direction,
    eigen,
    gauge,
    kind,
    measures,
    places,
    regions,
    resolution,
    transport,
    unknowns,
    values,
)
from .doctor.case import Case
from .doctor.findings import LEVELS, Finding, Findings, StatementError, note

CHECKS: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    places.domain,
    places.missing_parts,
    places.foreign_parts,
    regions.regions,
    regions.inhabitants,
    unknowns.coordinates,
    unknowns.fields,
    unknowns.arguments,
    unknowns.expressions,
    unknowns.normals,
    unknowns.parameters,
    counts.equations,
    counts.boundary,
    counts.initial,
    counts.evidence,
    counts.single,
    values.coefficients,
    values.contradictions,
    values.positive,
    values.poles,
    direction.direction,
    transport.inflow,
    eigen.homogeneous,
    kind.enclosed,
    corners.corners,
    corners.periodicity,
    gauge.constants,
    gauge.balance,
    data.data,
    measures.units,
    resolution.scales,
    resolution.layers,
)

__all__ = ["CHECKS", "Finding", "Findings", "StatementError", "check"]


def check(problem: Any, resolution: float | None = None) -> Findings:
    """All findings of a problem, errors first.

    Arguments:
        resolution: the length that the chosen method carries, as the size of its mesh; what is
            shorter is then a warning. Without it, what usual resolutions do not carry is a note.

    Raises:
        ValueError for a resolution that is no length.

    Notes:
        A broken statement raises nothing: a check that fails leaves the others standing.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x = eq.coordinates("x")
        >>> u = eq.field("u", x)
        >>> conditions = {"lft": eq.Eq(u, 0)}
        >>> problem = eq.Problem(geo.Interval(0, 1), eq.Eq(eq.diff(u, x, 2), 1), conditions)
        >>> [(f.level, f.where, f.remedy) for f in check(problem)][0]
        ('error', 'conditions', "Did you mean 'left'?")
    """
    if resolution is not None and not resolution > 0:
        raise ValueError(f"`resolution` is a length above 0; got {resolution}.")
    case = Case(problem, resolution)
    found: dict[Finding, None] = {}
    failed: dict[Finding, None] = {}
    for examine in CHECKS:
        try:
            for finding in examine(case):
                found[finding] = None
        except Exception as reason:
            subject = f"{examine.__module__.rsplit('.', 1)[-1]}.{examine.__name__}"
            failed[note("doctor", f"the check {subject} was not made: {reason!r}.", "")] = None
    if not any(f.level == "error" for f in found):  # else it is a consequence of the errors
        found.update(failed)
    return Findings(sorted(found, key=lambda f: LEVELS.index(f.level)))
