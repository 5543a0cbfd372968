"""Regions of a domain: coefficients with a value of its own in each, equations that hold in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import sympy

from .call import call
from .expressions import as_expression


@dataclass(frozen=True)
class Depth:
    """The distance of a point to the boundary of a shape, negative outside."""

    shape: Any

    def __call__(self, point):
        return -self.shape.signed_distance(jnp.asarray(point))


def indicator(domain: Any, name: str, coordinates: Sequence[sympy.Symbol]) -> sympy.Expr:
    """One in a region of a domain and on its boundary, zero elsewhere.

    Arguments:
        coordinates: those of the domain's axes; time, if the domain has one, has no say.
    """
    shape = space_of_domain(domain).regions[name]
    place = [c for c in coordinates if c.name in shape.axes]
    return sympy.Piecewise((1, call(Depth(shape), *place, name=name) >= 0), (0, True))


def space_of_domain(domain: Any) -> Any:
    """The domain without its time."""
    return getattr(domain, "space", domain) if domain.time else domain


def piecewise(domain: Any, **values: Any) -> sympy.Expr:
    """A coefficient by regions: `piecewise(domain, core=10, shell=1)` for
    `domain = Regions(core=..., shell=...)`.

    Arguments:
        values: for each region an expression; for a region that is not named, zero would be a
            guess, so that all must be.

    Notes:
        A SymPy `Piecewise` over the distances to the regions, constant in time. On an interface the
        region named first counts; `jump` and `average` see both sides.

    Example:
        >>> from geometry import Interval, Regions
        >>> domain = Regions(copper=Interval(0, 1), steel=Interval(1, 3))
        >>> piecewise(domain, copper=400, steel=50)
        Piecewise((400, copper(x) >= 0), (50, True))
    """
    regions = getattr(domain, "regions", None)
    if not regions:
        raise TypeError(
            f"`piecewise` needs a domain made by `Regions(name=shape)`; got {domain!r}."
        )
    if set(values) != set(regions):
        raise ValueError(
            f"`piecewise` needs one value for each region, {', '.join(regions)}; got "
            f"{', '.join(values) or 'none'}."
        )
    coordinates = [sympy.Symbol(a, real=True) for a in domain.axes]
    pairs = []
    for name, shape in regions.items():
        inside = call(Depth(shape), *coordinates, name=name) >= 0
        pairs.append((as_expression(values[name], name), inside))
    return sympy.Piecewise(*pairs[:-1], (pairs[-1][0], True))
