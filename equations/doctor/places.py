"""Checks of places: a domain to solve in, conditions on parts that it has."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

import numpy as np

from .case import TIME_PARTS, Case
from .findings import Finding, error


def domain(case: Case) -> Iterator[Finding]:
    """The domain has points to solve at."""
    try:
        finite = np.isfinite(case.interior).all()
    except ValueError as reason:
        yield error("domain", f"it cannot be sampled: {reason}", "Change the shape.")
        return
    if not finite:
        yield error("domain", "its points are not finite.", "Give finite bounds.")


def missing_parts(case: Case) -> Iterator[Finding]:
    """Every named part exists."""
    labels = dict.fromkeys(c.label for c in case.problem.conditions if c.part is None)
    for label in labels:
        for name in (n for n in label.split(", ") if not _has(case.domain, n)):
            there = ", ".join(case.domain.parts) or "none, for every axis is periodic"
            yield error(
                "conditions",
                f"the domain has no part {name!r}; its parts are: {there}.",
                _remedy(case, name),
            )


def _has(domain, name: str) -> bool:
    try:
        domain[name]
    except (KeyError, ValueError):
        return False
    return True


def _remedy(case: Case, name: str) -> str:
    if name in TIME_PARTS and case.time is None:
        return "For a domain in time write `shape.over(t, start, end)`."
    close = [part for part in case.domain.parts if part.endswith(f".{name}")]
    close += difflib.get_close_matches(name, [*case.domain.parts, "boundary"], n=1)
    if close:
        return f"Did you mean {close[0]!r}?"
    if case.domain.periods:
        axes = ", ".join(case.domain.periods)
        return f"The domain is periodic in {axes}: its ends there are one, and need no condition."
    return "Name one of its parts."


def foreign_parts(case: Case) -> Iterator[Finding]:
    """Every part belongs to the domain, and every point lies in it."""
    places = dict.fromkeys(c.part for c in case.problem.conditions if c.part is not None)
    for place in places:
        owner = getattr(place, "shape", None)
        if owner is not None and owner != case.domain:
            yield error(
                f"on {', '.join(place.names)}",
                f"the part belongs to another shape, {owner!r}.",
                f"Take it from the domain of the problem, {case.domain!r}.",
            )
        elif owner is None:
            yield from _misplaced_point(case, place)


def _misplaced_point(case: Case, place) -> Iterator[Finding]:
    points = np.atleast_2d(place.sample(64, key=0).points)  # a point is returned once
    axes = case.domain.axes
    what = "the point" if len(points) == 1 else "the curve"
    if points.shape[1] != len(axes):
        yield error(
            f"on {place!r}",
            f"{what} has {points.shape[1]} coordinates, the domain has {len(axes)} axes.",
            f"Give one number for each of {', '.join(axes)}.",
        )
    elif not case.domain.contains(points).all():
        yield error(
            f"on {place!r}",
            f"{what} lies outside the domain.",
            f"Choose {what.replace('the', 'a')} in {case.domain!r}.",
        )
