"""Sectors of disks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from geometry._arrays import namespace, norm, number, vector
from geometry.ball import Disk
from geometry.chart import Chart
from geometry.face import Face, Surface
from geometry.segment import Segment
from geometry.shape import Shape, positive, set_axes, set_name


@dataclass(frozen=True, repr=False)
class Sector(Shape):
    """The part of a disk between two directions, counterclockwise from `start` to `stop` (radians).

    Its parts are "arc" and the radii "start" and "stop".

    Example:
        >>> round(Sector((0, 0), 2, 0, 3.141592653589793 / 2).measure, 6)
        3.141593
    """

    center: tuple[float, float]
    radius: float
    start: float
    stop: float
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        call = "`Sector(center, radius, start, stop)`"
        object.__setattr__(self, "center", vector(self.center, call, 2))
        object.__setattr__(self, "radius", positive(self.radius, call + ": radius"))
        start, stop = number(self.start, call), number(self.stop, call)
        if not start < stop < start + 2 * math.pi:
            raise ValueError(
                f"{call} needs start < stop < start + 2 pi; got start={start}, stop={stop}."
            )
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "stop", stop)
        set_axes(self, self.axes, 2)
        set_name(self)

    @property
    def _angle(self) -> float:
        return float(self.stop - self.start)

    def _turned(self, points: Any) -> tuple[Any, Any]:
        """Coordinates along and across the middle direction."""
        xp = namespace(points)
        middle = float(self.start + self.stop) / 2
        offset = points - xp.asarray(self.center, points.dtype)
        c, s = math.cos(middle), math.sin(middle)
        return c * offset[..., 0] + s * offset[..., 1], c * offset[..., 1] - s * offset[..., 0]

    def _bounds(self) -> tuple[Any, Any]:
        quarter = math.pi / 2
        crossed = range(math.ceil(self.start / quarter), math.floor(self.stop / quarter) + 1)
        angles = np.array([self.start, self.stop, *(quarter * k for k in crossed)], float)
        rim = self.radius * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        corners = np.asarray(self.center) + np.concatenate([rim, np.zeros((1, 2))])
        return corners.min(axis=0), corners.max(axis=0)

    def _sdf(self, points: Any) -> Any:
        """By symmetry for the half above the middle direction, with one radius and half an arc."""
        xp = namespace(points)
        x, y = self._turned(points)
        y = xp.abs(y)
        c, s, radius = math.cos(self._angle / 2), math.sin(self._angle / 2), self.radius
        along, height = c * x + s * y, c * y - s * x  # of the radius; height < 0 within the angle
        to_center = norm(xp.stack([x, y], axis=-1))
        to_end = norm(xp.stack([x - radius * c, y - radius * s], axis=-1))
        inside = (height < 0) & (to_center < radius)
        at_center = xp.where(inside, -to_center, to_center)
        beside = xp.where(along > 0, to_end, at_center)
        to_radius = xp.where((along > 0) & (along < radius), height, beside)
        to_arc = xp.where(height < 0, to_center - radius, to_end)
        return xp.where(xp.abs(to_radius) < xp.abs(to_arc), to_radius, to_arc)

    def _level(self, points: Any) -> Any:
        return -self._sdf(points)

    def _polar(self, u: Any, reach: Any) -> tuple[Any, Any]:
        """Points at the distance `reach` and a share u of the angle, and their directions."""
        xp = namespace(u)
        angle = float(self.start) + self._angle * u
        direction = xp.stack([xp.cos(angle), xp.sin(angle)], axis=-1)
        return xp.asarray(self.center, u.dtype) + reach * direction, direction

    def _solid(self) -> Chart:
        def fill(u: Any) -> tuple[Any, None, None]:
            reach = self.radius * u[..., :1] ** 0.5
            return self._polar(u[..., 1], reach)[0], None, None

        return Chart(fill, 2, self._angle * self.radius**2 / 2)

    def _faces(self) -> tuple[Face, ...]:
        def cover(u: Any) -> tuple[Any, Any, None]:
            return (*self._polar(u[..., 0], self.radius), None)

        disk = Disk(self.center, self.radius)._faces()[0].surface
        arc = Surface(disk.inner, disk.outer, disk.normal, self._beyond_chord, is_supporting=True)
        chart = Chart(cover, 1, self._angle * self.radius)
        return (
            Face("arc", "sector", self.name, chart, arc),
            self._radius_face("start", float(self.start), 1),
            self._radius_face("stop", float(self.stop), -1),
        )

    def _beyond_chord(self, points: Any) -> Any:
        return self._turned(points)[0] - self.radius * math.cos(self._angle / 2)

    def _radius_face(self, name: str, angle: float, side: int) -> Face:
        direction = np.array([math.cos(angle), math.sin(angle)])
        normal = side * np.array([direction[1], -direction[0]])
        segment = Segment(np.asarray(self.center, float), direction, normal, float(self.radius))
        surface = segment.surface(is_supporting=self._angle <= math.pi)
        return Face(name, "sector", self.name, segment.chart(), surface)
