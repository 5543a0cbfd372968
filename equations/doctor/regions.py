"""Checks of equations that hold in single regions: the regions exist, and unknowns live where
conditions take them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from .. import structure
from .case import Case, unknowns_in
from .findings import Finding, error


def regions(case: Case) -> Iterator[Finding]:
    """Every region named by an equation exists, and every region of the domain has an equation."""
    named = dict.fromkeys(s.region for s in case.equations if s.region)
    there = tuple(case.domain.regions)
    for name in (n for n in named if n not in there):
        close = difflib.get_close_matches(name, there, n=1)
        yield error(
            "equations",
            f"the domain has no region {name!r}; its regions are: {', '.join(there) or 'none'}.",
            f"Did you mean {close[0]!r}?" if close else "Make regions by `Regions(name=shape)`.",
        )
    if named and all(s.region for s in case.equations):
        for name in (n for n in there if n not in named):
            yield error(
                f"equations in {name}",
                "there is none.",
                f"Give {name} equations, or take a domain without it.",
            )


def inhabitants(case: Case) -> Iterator[Finding]:
    """Conditions take unknowns at points where they live, data too."""
    if not case.regions:
        return
    where = structure.regions(case.problem)
    for condition, statement in case.placed:
        names = getattr(condition.part, "names", ())
        sides = (side for name in names for side in _sides(case, name, condition.part))
        beside = {region for side in sides for region in side}
        for f in unknowns_in([statement.expression]):
            if names and f in where and not beside & set(where[f]):
                yield error(
                    statement.where,
                    f"{f} does not live there, but in {', '.join(where[f])}.",
                    f"State it on a part of {where[f][0]}, or an interface as "
                    f"`domain[{next(iter(case.domain.interfaces), 'a|b')!r}]`.",
                )
    for statement, points in case.measured:
        outside = ~case.problem.defines(statement.expression, points)
        if outside.any():
            yield error(
                statement.where,
                f"{outside.sum()} of {len(points)} points lie outside the regions in which the "
                f"unknowns of {statement.expression} live.",
                "Correct or drop them.",
            )


def _sides(case: Case, name: str, place: object) -> Iterator[tuple[str, ...]]:
    """The regions next to those sampled points of a part that a place covers."""
    covered = case.covers(place, name)
    return (names for names, there in case.sides(name) if (there & covered).any())
