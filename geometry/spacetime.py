"""Space-time domains: the product of a shape with an interval of time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from geometry._arrays import namespace, number, safe_sqrt
from geometry.chart import Chart, append, product
from geometry.csg import Combination, both
from geometry.face import Face, Surface
from geometry.shape import Shape


@dataclass(frozen=True, repr=False)
class SpaceTime(Shape):
    """The shape `space` for times from `start` to `end`; written `space.over(t, start, end)`.

    Its parts are those of `space`, "initial" and "final". The last coordinate is time, and points
    are distinct in space and time.
    """

    space: Shape
    axis: str
    start: float
    end: float

    def __post_init__(self) -> None:
        start, end = number(self.start, "`over(t, a, b)`"), number(self.end, "`over(t, a, b)`")
        if not start < end:
            raise ValueError(f"`over(t, a, b)` needs a < b; got a={start}, b={end}.")
        if self.axis in self.space.axes:
            raise ValueError(
                f"`over(t, a, b)` needs a new name for time; {self.axis!r} is already among the "
                f"axes {self.space.axes}."
            )
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)
        object.__setattr__(self, "axes", (*self.space.axes, self.axis))

    @property
    def time(self) -> tuple[str, float, float]:
        """Name, start and end of the time axis."""
        return self.axis, float(self.start), float(self.end)

    @property
    def periods(self) -> Mapping[str, float]:
        """Length of the period for each periodic axis of `space`."""
        return self.space.periods

    def _bounds(self) -> tuple[Any, Any]:
        lower, upper = self.space.bounds
        return np.append(lower, self.start), np.append(upper, self.end)

    def _excess(self, points: Any) -> Any:
        t = points[..., -1]
        return namespace(points).maximum(self.start - t, t - self.end)

    def _sdf(self, points: Any) -> Any:
        xp = namespace(points)
        across, along = self.space._sdf(points[..., :-1]), self._excess(points)
        outside = xp.maximum(across, 0) ** 2 + xp.maximum(along, 0) ** 2
        return safe_sqrt(outside) + xp.minimum(xp.maximum(across, along), 0)

    def _level(self, points: Any) -> Any:
        return both(self.space._level(points[..., :-1]), self._during(points))

    def _during(self, points: Any) -> Any:
        """A parabola in time, positive from start to end."""
        t = points[..., -1]
        return (t - self.start) * (self.end - t) / (self.end - self.start)

    def _solid(self) -> Chart:
        return product(self.space._solid_chart, self.start, self.end)

    def _faces(self) -> tuple[Face, ...]:
        lateral = tuple(self._lateral(face) for face in self.space._boundary_faces)
        return (*lateral, self._cap("initial", self.start, -1), self._cap("final", self.end, 1))

    def _lateral(self, face: Face) -> Face:
        def lift(function: Any) -> Any:
            return None if function is None else lambda points: function(points[..., :-1])

        def normal(points: Any) -> Any:
            return append(face.surface.normal(points[..., :-1]), 0 * points[..., -1:])

        def trim(points: Any) -> Any:
            during = self._during(points)
            return during if s.trim is None else both(s.trim(points[..., :-1]), during)

        s = face.surface
        surface = Surface(lift(s.inner), lift(s.outer), normal, trim)
        return Face(
            face.name, face.kind, face.owner, product(face.chart, self.start, self.end), surface
        )

    def _cap(self, name: str, t: float, sign: int) -> Face:
        solid = self.space._solid_chart

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
            return self.space._level(points[..., :-1])

        chart = Chart(**{**solid.__dict__, "map": place})
        surface = Surface(inner, lambda points: -inner(points), normal, trim)
        return Face(name, "time", f"{self.axis}={t}", chart, surface)  # one part for each instant

    def __repr__(self) -> str:
        space = f"({self.space!r})" if isinstance(self.space, Combination) else repr(self.space)
        return f"{space}.over({self.axis!r}, {self.start!r}, {self.end!r})"
