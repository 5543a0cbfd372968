"""A problem on a piece of its domain."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from geometry import Part, Regions

from .symbols import fields_in

POINTS = 64


def restrict(problem: Any, region: Any) -> Any:
    """The problem on the part of its domain that lies in a region.

    Arguments:
        region: a shape, in space or in space and time; or the name of a region of the domain.

    Notes:
        Of equations that hold in single regions those of this region stay, with conditions on their
        unknowns. Conditions stay where their part is still a boundary, and points and data where
        they lie inside. New walls have no condition: `check()` names them, and `add` gives them
        one. Those walls are named as the region's parts are, or as the interfaces were.

    Raises:
        ValueError for a name that no region of the domain has, and where nothing is left; TypeError
        for what is neither a shape nor a name.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x, y = eq.coordinates("x y")
        >>> law = eq.Poisson((x, y), source=1)
        >>> walls = {"boundary": eq.Eq(law.unknown, 0)}
        >>> problem = eq.Problem(geo.Rectangle((0, 0), (1, 1)), law, walls)
        >>> half = restrict(problem, geo.Disk((0, 0.5), 0.4, name="window"))
        >>> half.domain.parts, half.conditions[0].label
        (('left', 'window'), 'left')
    """
    domain = _domain(problem.domain, region)
    if any(e.region for e in problem.equations):
        problem = _within(problem, region)
    return problem.replace(
        domain=domain,
        conditions=tuple(c for given in problem.conditions for c in _kept(given, domain)),
        data=tuple(_inside(problem.data, domain)),
    )


def _within(problem: Any, region: Any) -> Any:
    """The statement of one region of those that have equations of their own."""
    if not isinstance(region, str):
        raise ValueError(
            "`restrict(shape)`: equations hold in single regions here; restrict to the name of one "
            f"of them first, {', '.join(problem.domain.regions)}."
        )
    equations = tuple(e.within(None) for e in problem.equations if e.region in (None, region))
    known = {f for e in equations for f in fields_in(e)}
    conditions = (c for c in problem.conditions if known.issuperset(fields_in(c.equation)))
    data = ({e: v for e, v in d.values.items() if known >= set(fields_in(e))} for d in problem.data)
    measured = zip(problem.data, data, strict=True)
    return problem.replace(
        equations=equations,
        conditions=tuple(conditions),
        data=tuple(replace(d, values=values) for d, values in measured if values),
    )


def _domain(domain: Any, region: Any) -> Any:
    time = domain.time
    space = domain.space if time and hasattr(domain, "space") else domain
    if isinstance(region, str):
        known = getattr(space, "regions", {})
        if region not in known:
            there = ", ".join(known) or "none"
            raise ValueError(f"`restrict({region!r})`: the regions of the domain are: {there}.")
        piece = known[region]
        return piece if time is None else piece.over(*time)
    if not hasattr(region, "sample_interior"):
        raise TypeError(f"`restrict(region)` takes a shape or a region's name; got {region!r}.")
    if region.dimension == domain.dimension:
        return _common(domain, region)
    return _common(space, region).over(*time)


def _common(shape: Any, region: Any) -> Any:
    if isinstance(shape, Regions):
        shape = reduce(operator.add, shape.regions.values())
    return shape & region


def _kept(condition: Any, domain: Any) -> Iterator[Any]:
    """The condition on those parts of the new domain that lie on its place."""
    place = condition.part
    if not isinstance(place, Part):
        inside = place is not None and bool(np.all(domain.contains(place.sample(1, key=0).points)))
        if inside or place is None:
            yield condition
        return
    for name in domain.parts:
        own = domain[name]
        on = np.asarray(place.contains(own.sample(POINTS, key=0).points))
        if on.all():
            yield replace(condition, label=name, part=own)
        elif on.any():
            yield replace(condition, label=name, part=own.where(place.contains))


def _inside(data: Any, domain: Any) -> Iterator[Any]:
    for item in data:
        inside = np.asarray(domain.contains(item.points))
        if inside.any():
            values = {expression: v[inside] for expression, v in item.values.items()}
            yield type(item)(item.points[inside], values, item.noise)
