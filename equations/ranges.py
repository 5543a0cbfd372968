"""A problem over the ranges of its parameters: each becomes one more coordinate.

Where a statement holds `Re = parameter("Re", between=(50, 200))`, its unknowns depend on Re as
well, and all of it holds for every value. `over_ranges` writes that down: u(x, y) becomes
u(x, y, Re), and the domain its family over the range. A method that knows families needs to know no
more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np
from sympy.core.function import AppliedUndef

import diffcore
from geometry import BoundarySample, Box, Part

from .interior import Interior
from .symbols import Parameter


def ranged(problem: Any) -> tuple[Parameter, ...]:
    """The parameters of a problem that range between values, and are not coordinates already."""
    return tuple(p for p in problem.parameters if p.between is not None)


def fields_over_ranges(problem: Any) -> dict[AppliedUndef, AppliedUndef]:
    """Each unknown of a problem, and the one that stands for it over the ranges."""
    parameters = ranged(problem)
    return {f: f.func(*f.args, *(p for p in parameters if p not in f.args)) for f in problem.fields}


def over_ranges(problem: Any) -> Any:
    """The problem with its ranged parameters as coordinates; itself where it has none.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x, k = eq.coordinates("x"), eq.parameter("k", between=(1, 2))
        >>> u = eq.field("u", x)
        >>> start = {"left": eq.Eq(u, 0)}
        >>> whole = over_ranges(eq.Problem(geo.Interval(0, 1), eq.Eq(k * eq.diff(u, x), 1), start))
        >>> whole.coordinates, whole.fields
        ((x, k), (u(x, k),))
    """
    parameters = ranged(problem)
    if not parameters:
        return problem
    fields = fields_over_ranges(problem)
    domain = _over(problem.domain, parameters)
    conditions = (
        replace(
            c,
            part=_place(c.part, problem.domain, domain, parameters),
            equation=c.equation.xreplace(fields),
        )
        for c in problem.conditions
    )
    return problem.replace(
        domain=domain,
        equations=tuple(e.xreplace(fields) for e in problem.equations),
        conditions=tuple(conditions),
        units=tuple((fields.get(symbol, symbol), unit) for symbol, unit in problem.units),
        law=None,
    )


def _over(shape: Any, parameters: tuple[Parameter, ...]) -> Any:
    for p in parameters:
        shape = shape.over(p)
    return shape


def _place(place: Any, domain: Any, family: Any, parameters: tuple[Parameter, ...]) -> Any:
    if isinstance(place, Part):
        own = family if place.shape == domain else _over(place.shape, parameters)
        return replace(place, shape=own)
    if isinstance(place, Interior):
        return Interior(family if place.domain == domain else _over(place.domain, parameters))
    return place and ForEach(place, tuple(p.between for p in parameters if p.between))


@dataclass(frozen=True)
class ForEach:
    """A place, as a point or a wire, for each value of parameters between `ends`."""

    place: Any
    ends: tuple[tuple[float, float], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the place."""
        return tuple(getattr(self.place, "names", ()))

    def sample(self, n: int, *, key: Any, sampler: str = "sobol") -> BoundarySample:
        """Returns `n` points of the place, each with values of the parameters; no value recurs."""
        key = diffcore.as_key(key)
        inner = self.place.sample(n, key=key, sampler=sampler)
        rows = np.arange(max(n, len(inner.points))) % len(inner.points)
        lower, upper = np.transpose(self.ends)
        box, other = Box(lower, upper), jax.random.fold_in(key, 1)
        values = np.asarray(box.sample_interior(len(rows), key=other, sampler="random").points)
        points, normals = (np.asarray(a)[rows] for a in (inner.points, inner.normals))
        weights = np.asarray(inner.weights)[rows] * box.measure * len(inner.points) / len(rows)
        return BoundarySample(
            np.hstack([points, values]),
            np.hstack([normals, np.zeros_like(values)]),
            weights,
            np.asarray(inner.parts)[rows],
        )

    def contains(self, points: Any) -> Any:
        """Returns whether each point lies on the place, with values between the ends."""
        points, k = np.asarray(points), len(self.ends)
        lower, upper = np.transpose(self.ends)
        values = points[..., -k:]
        return self.place.contains(points[..., :-k]) & np.all(
            (values >= lower) & (values <= upper), axis=-1
        )
