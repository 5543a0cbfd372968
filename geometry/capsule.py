"""Capsules: all points within a distance of a segment, in two or three dimensions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from geometry._arrays import namespace, norm, safe_sqrt, vector
from geometry.ball import Ball
from geometry.chart import Chart
from geometry.face import Face, Surface
from geometry.shape import Shape, positive, set_axes, set_name


@dataclass(frozen=True, repr=False)
class Capsule(Shape):
    """The points within `radius` of the segment from `start` to `stop`.

    Its parts are "side" and the round ends "base" at `start` and "cap" at `stop`.
    """

    start: tuple[float, ...]
    stop: tuple[float, ...]
    radius: float
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        call = "`Capsule(start, stop, radius)`"
        start = vector(self.start, call)
        stop = vector(self.stop, call, len(start))
        if len(start) not in (2, 3):
            raise ValueError(f"{call} needs points of two or three coordinates; got {start}.")
        if start == stop:
            raise ValueError(f"{call} needs two distinct ends; got {start} twice. Use `Ball`.")
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "stop", stop)
        object.__setattr__(self, "radius", positive(self.radius, call + ": radius"))
        set_axes(self, self.axes, len(start))
        set_name(self)

    @property
    def _frame(self) -> tuple[np.ndarray, float]:
        """Rows: the direction of the segment and unit vectors across; and its length."""
        along = np.asarray(self.stop, float) - np.asarray(self.start, float)
        return frame(along), float(np.linalg.norm(along))

    def _bounds(self) -> tuple[Any, Any]:
        ends = np.array([self.start, self.stop], float)
        return ends.min(axis=0) - self.radius, ends.max(axis=0) + self.radius

    def _local(self, points: Any) -> Any:
        xp = namespace(points)
        rows = xp.asarray(self._frame[0], points.dtype)
        return (points - xp.asarray(self.start, points.dtype)) @ rows.T

    def _axis_offset(self, points: Any) -> Any:
        """From the nearest point of the segment, in local coordinates."""
        xp = namespace(points)
        local = self._local(points)
        beyond = local[..., :1] - xp.clip(local[..., :1], 0, self._frame[1])
        return xp.concatenate([beyond, local[..., 1:]], axis=-1)

    def _sdf(self, points: Any) -> Any:
        return norm(self._axis_offset(points)) - self.radius

    def _level(self, points: Any) -> Any:
        offset = self._axis_offset(points)
        squared = namespace(points).sum(offset * offset, axis=-1)
        return (self.radius**2 - squared) / (2 * self.radius)

    def _membership(self, points: Any) -> Any:
        return -self._level(points)

    def _normal(self, points: Any) -> Any:
        offset = self._axis_offset(points)
        rows = namespace(points).asarray(self._frame[0], points.dtype)
        return offset / norm(offset)[..., None] @ rows

    def _global(self, local: Any) -> Any:
        xp = namespace(local)
        rows = xp.asarray(self._frame[0], local.dtype)
        return xp.asarray(self.start, local.dtype) + local @ rows

    def _solid(self) -> Chart:
        """A chart made of the two half balls and the cylinder between, by share of the first
        coordinate, which then becomes the coordinate along the segment."""
        d, length, radius = self.dimension, self._frame[1], self.radius
        section = Ball((0, 0), radius)._solid() if d == 3 else None
        area = section.measure if section else 2.0 * radius
        ball = Ball((0,) * d, radius)._solid()
        share = ball.measure / (ball.measure + area * length)

        def fill(u: Any) -> tuple[Any, None, None]:
            xp = namespace(u)
            in_ball = u[..., 0] < share
            stretched = xp.where(in_ball, u[..., 0] / share, (u[..., 0] - share) / (1 - share))
            v = xp.concatenate([stretched[..., None], u[..., 1:]], axis=-1)
            round_end = ball.map(v)[0]
            shift = xp.where(round_end[..., :1] > 0, length, 0)
            ends = xp.concatenate([round_end[..., :1] + shift, round_end[..., 1:]], axis=-1)
            across = section.map(v[..., 1:])[0] if section else radius * (2 * v[..., 1:] - 1)
            tube = xp.concatenate([length * v[..., :1], across], axis=-1)
            return self._global(xp.where(in_ball[..., None], ends, tube)), None, None

        return Chart(fill, d, ball.measure + area * length, is_smooth=False)

    def _faces(self) -> tuple[Face, ...]:
        length = self._frame[1]

        def side_trim(points: Any) -> Any:
            along = self._local(points)[..., 0]
            return along * (length - along) / length

        trims = {
            "side": side_trim,
            "base": lambda points: -self._local(points)[..., 0],
            "cap": lambda points: self._local(points)[..., 0] - length,
        }
        surfaces = {
            name: Surface(self._level, self._sdf, self._normal, trim)
            for name, trim in trims.items()
        }
        return tuple(
            Face(name, "capsule", self.name, chart, surface)
            for name, surface in surfaces.items()
            for chart in self._charts(name)
        )

    def _charts(self, name: str) -> tuple[Chart, ...]:
        if name == "side":
            if self.dimension == 2:
                return tuple(self._chart(_line(sign), self._frame[1], 1) for sign in (-1.0, 1.0))
            area = 2 * math.pi * self.radius * self._frame[1]
            return (self._chart(_tube, area, 2),)
        half = _half_circle if self.dimension == 2 else _half_sphere
        area = math.pi * self.radius * (1 if self.dimension == 2 else 2 * self.radius)
        if name == "base":
            return (self._chart(lambda u: (0.0, -1 * half(u)), area, self.dimension - 1),)
        return (self._chart(lambda u: (1.0, half(u)), area, self.dimension - 1),)

    def _chart(self, place: Any, measure: float, dimension: int) -> Chart:
        """A chart from a map to the share of the segment and the direction from it."""

        def cover(u: Any) -> tuple[Any, Any, None]:
            xp = namespace(u)
            share, direction = place(u)
            along = xp.zeros_like(direction[..., 0]) + self._frame[1] * share
            rest = xp.zeros_like(direction[..., 1:])
            offset = xp.concatenate([along[..., None], rest], axis=-1)
            rows = xp.asarray(self._frame[0], u.dtype)
            return self._global(offset + self.radius * direction), direction @ rows, None

        periodic = (False, True) if dimension == 2 else ()
        return Chart(cover, dimension, measure, periodic)


def frame(along: np.ndarray) -> np.ndarray:
    """Returns rows of unit vectors: the given direction, then those across, right-handed."""
    first = along / np.linalg.norm(along)
    if len(first) == 2:
        return np.stack([first, [-first[1], first[0]]])
    second = np.eye(3)[np.argmin(np.abs(first))]
    second = second - (second @ first) * first
    second = second / np.linalg.norm(second)
    return np.stack([first, second, np.cross(first, second)])


def _line(sign: float) -> Any:
    def place(u: Any) -> tuple[Any, Any]:
        xp = namespace(u)
        zero = xp.zeros_like(u[..., 0])
        return u[..., 0], xp.stack([zero, zero + sign], axis=-1)

    return place


def _tube(u: Any) -> tuple[Any, Any]:
    xp = namespace(u)
    angle = 2 * math.pi * u[..., 1]
    direction = xp.stack([xp.zeros_like(angle), xp.cos(angle), xp.sin(angle)], axis=-1)
    return u[..., 0], direction


def _half_circle(u: Any) -> Any:
    xp = namespace(u)
    angle = math.pi * (u[..., 0] - 0.5)
    return xp.stack([xp.cos(angle), xp.sin(angle)], axis=-1)


def _half_sphere(u: Any) -> Any:
    xp = namespace(u)
    height, angle = u[..., 0], 2 * math.pi * u[..., 1]
    across = safe_sqrt(1 - height**2)
    return xp.stack([height, across * xp.cos(angle), across * xp.sin(angle)], axis=-1)
