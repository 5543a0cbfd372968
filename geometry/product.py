"""Products of a shape with an interval: extrusion in space, and what space-time is made of."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geometry._arrays import namespace, number, safe_sqrt
from geometry.chart import Chart, append, product
from geometry.csg import Combination, both
from geometry.face import Face, Surface
from geometry.shape import Shape, refuse_periodic


class Product(Shape, abc.ABC):
    """The points of a shape `base` with a further, last coordinate between `start` and `end`."""

    start: float
    end: float

    @property
    @abc.abstractmethod
    def base(self) -> Shape:
        """The shape without the last coordinate."""

    @property
    @abc.abstractmethod
    def cap_names(self) -> tuple[str, ...]:
        """Names of the parts at the start and at the end; none where these are no boundary."""

    @property
    def _base_text(self) -> str:
        return f"({self.base!r})" if isinstance(self.base, Combination) else repr(self.base)

    def _bounds(self) -> tuple[Any, Any]:
        lower, upper = self.base.bounds
        return np.append(lower, self.start), np.append(upper, self.end)

    def _excess(self, points: Any) -> Any:
        t = points[..., -1]
        return namespace(points).maximum(self.start - t, t - self.end)

    def _sdf(self, points: Any) -> Any:
        return product_distance(self.base._sdf(points[..., :-1]), self._excess(points))

    def _membership(self, points: Any) -> Any:
        return namespace(points).maximum(
            self.base._membership(points[..., :-1]), self._excess(points)
        )

    def _level(self, points: Any) -> Any:
        return both(self.base._level(points[..., :-1]), self._between(points))

    def _between(self, points: Any) -> Any:
        """A parabola in the last coordinate, positive from start to end."""
        t = points[..., -1]
        return (t - self.start) * (self.end - t) / (self.end - self.start)

    def _solid(self) -> Chart:
        return product(self.base._solid_chart, self.start, self.end)

    def _faces(self) -> tuple[Face, ...]:
        lateral = tuple(self._lateral(face) for face in self.base._boundary_faces)
        return (*lateral, *self._caps())

    def _inner_faces(self) -> tuple[Face, ...]:
        return tuple(self._lateral(face) for face in self.base._interface_faces)

    @abc.abstractmethod
    def _of(self, base: Shape) -> Shape:
        """The product of another shape with the same interval."""

    @property
    def regions(self) -> Mapping[str, Shape]:
        """The regions of `base`, each with the further coordinate."""
        return {name: self._of(shape) for name, shape in self.base.regions.items()}

    def _lateral(self, face: Face) -> Face:
        def lift(function: Any) -> Any:
            return None if function is None else lambda points: function(points[..., :-1])

        def normal(points: Any) -> Any:
            return append(face.surface.normal(points[..., :-1]), 0 * points[..., -1:])

        def trim(points: Any) -> Any:
            between = self._between(points)
            return between if s.trim is None else both(s.trim(points[..., :-1]), between)

        s = face.surface
        surface = Surface(lift(s.inner), lift(s.outer), normal, trim)
        return Face(
            face.name, face.kind, face.owner, product(face.chart, self.start, self.end), surface
        )

    def _caps(self) -> tuple[Face, ...]:
        ends = ((self.start, -1), (self.end, 1))
        return tuple(self._cap(name, *end) for name, end in zip(self.cap_names, ends, strict=False))

    def _cap(self, name: str, t: float, sign: int) -> Face:
        solid = self.base._solid_chart

        def place(u: Any) -> tuple[Any, Any, Any]:
            points, _, kept = solid.map(u)
            ones = namespace(u).ones_like(points[..., :1])
            normals = append(namespace(u).zeros_like(points), sign * ones)
            return append(points, t * ones), normals, kept

        def inner(points: Any) -> Any:
            return sign * (t - points[..., -1])

        def normal(points: Any) -> Any:
            return append(
                0 * points[..., :-1], sign * namespace(points).ones_like(points[..., -1:])
            )

        def trim(points: Any) -> Any:
            return self.base._level(points[..., :-1])

        chart = Chart(**{**solid.__dict__, "map": place})
        surface = Surface(inner, lambda points: -inner(points), normal, trim)
        # the owner makes caps at one place one part, and tells those at other places apart
        return Face(name, type(self).__name__.lower(), f"{self.axes[-1]}={t}", chart, surface)


def product_distance(across: Any, along: Any) -> Any:
    """Returns the signed distance to a product from those to its factors."""
    xp = namespace(across, along)
    outside = xp.maximum(across, 0) ** 2 + xp.maximum(along, 0) ** 2
    return safe_sqrt(outside) + xp.minimum(xp.maximum(across, along), 0)


@dataclass(frozen=True, repr=False)
class Extruded(Product):
    """The shape `profile` drawn out along a further axis; written `profile.extrude(start, end)`.

    Its parts are those of the profile, "base" at the start and "cap" at the end.
    """

    profile: Shape
    start: float
    end: float
    axis: str

    def __post_init__(self) -> None:
        refuse_periodic("`extrude(start, end)`", self.profile)
        set_span(self, "`extrude(start, end)`")
        if self.axis in self.profile.axes:
            raise ValueError(
                f"`extrude(start, end, axis=)` needs a new name; {self.axis!r} is already among "
                f"the axes {self.profile.axes}."
            )
        object.__setattr__(self, "axes", (*self.profile.axes, self.axis))

    @property
    def base(self) -> Shape:
        """The shape without the last coordinate."""
        return self.profile

    @property
    def cap_names(self) -> tuple[str, str]:
        """Names of the parts at the start and at the end."""
        return "base", "cap"

    def _of(self, base: Shape) -> Shape:
        return replace(self, profile=base)

    def __repr__(self) -> str:
        axis = "" if self.axis == next_axis(self.profile) else f", axis={self.axis!r}"
        return f"{self._base_text}.extrude({self.start!r}, {self.end!r}{axis})"


def next_axis(shape: Shape) -> str:
    """Returns the default name of the axis after those of a shape."""
    return "xyz"[shape.dimension] if shape.dimension < 3 else f"x{shape.dimension + 1}"


def set_span(shape: Any, call: str) -> None:
    """Checks and stores the start and end of a product."""
    start, end = number(shape.start, call), number(shape.end, call)
    if not start < end:
        raise ValueError(f"{call} needs the start below the end; got {start} and {end}.")
    object.__setattr__(shape, "start", start)
    object.__setattr__(shape, "end", end)
