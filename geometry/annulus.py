"""Annuli and spherical shells, of any dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from geometry._arrays import namespace, norm, vector
from geometry.ball import Ball, chart_dimension, directions, periodic_axes
from geometry.chart import Chart
from geometry.face import Face, Surface
from geometry.shape import Shape, positive, set_axes, set_name


@dataclass(frozen=True, repr=False)
class Annulus(Shape):
    """The points between two distances from `center`, in two or more dimensions.

    Its parts are "inner" and "outer".
    """

    center: tuple[float, ...]
    inner: float
    outer: float
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        call = "`Annulus(center, inner, outer)`"
        center = vector(self.center, call)
        if len(center) < 2:
            raise ValueError(f"{call} needs a center with two or more coordinates; got {center}.")
        object.__setattr__(self, "center", center)
        for radius in ("inner", "outer"):
            value = positive(getattr(self, radius), f"{call}: {radius}")
            object.__setattr__(self, radius, value)
        if self.inner >= self.outer:
            raise ValueError(
                f"{call} needs inner < outer; got inner={self.inner}, outer={self.outer}."
            )
        set_axes(self, self.axes, len(center))
        set_name(self)

    def _ball(self, radius: float) -> Ball:
        return Ball(self.center, radius)

    def _bounds(self) -> tuple[Any, Any]:
        return self._ball(self.outer)._bounds()

    def _sdf(self, points: Any) -> Any:
        distance = norm(points - namespace(points).asarray(self.center, points.dtype))
        return namespace(points).maximum(distance - self.outer, self.inner - distance)

    def _level(self, points: Any) -> Any:
        outer = self._ball(self.outer)._level(points)
        inner = -self._ball(self.inner)._level(points)
        return outer + inner - namespace(points).hypot(outer, inner)

    def _solid(self) -> Chart:
        d = self.dimension
        low, high = self.inner**d, self.outer**d

        def fill(u: Any) -> tuple[Any, None, None]:
            reach = (low + (high - low) * u[..., :1]) ** (1 / d)
            center = namespace(u).asarray(self.center, u.dtype)
            return center + reach * directions(u[..., 1:], d), None, None

        measure = self._ball(1)._solid().measure * (high - low)
        return Chart(fill, 1 + chart_dimension(d), measure, (False,) + periodic_axes(d))

    def _faces(self) -> tuple[Face, ...]:
        (outer,) = self._ball(self.outer)._faces()
        (hole,) = self._ball(self.inner)._faces()

        def flipped(u: Any) -> tuple[Any, Any, None]:
            points, normals, _ = hole.chart.map(u)
            return points, -normals, None

        h = hole.surface
        surface = Surface(h.outer, h.inner, lambda points: -h.normal(points))
        area = hole.chart.measure
        chart = Chart(flipped, hole.chart.dimension, area, hole.chart.periodic)
        return (
            Face("inner", "annulus", self.name, chart, surface),
            Face("outer", "annulus", self.name, outer.chart, outer.surface),
        )
