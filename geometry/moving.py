"""Domains in time, or over a parameter, of shapes that move: with expressions in their numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geometry._arrays import compiled, namespace, norm
from geometry.box import Orthotope, box_distance
from geometry.chart import Chart, append
from geometry.csg import Combination
from geometry.distance import part_distance
from geometry.face import Face, Surface
from geometry.family import Family
from geometry.motion import Motion, motion_of
from geometry.product import product_distance
from geometry.shape import Shape
from geometry.spacetime import SpaceTime
from geometry.warp import curved_chart

_MOMENTS = 1025


def over(shape: Shape, axis: str, start: Any, end: Any, *, is_time: bool = True) -> Shape:
    """Returns the space-time domain of a shape, at rest or in motion, or its family over a
    parameter."""
    motion = motion_of(shape)
    is_time = is_time and not motion.has_parameter(axis)
    if axis not in motion.symbols:
        return (SpaceTime if is_time else Family)(shape, axis, start, end)
    if isinstance(shape, Combination):
        kind: Any = type(shape)
        left, right = (
            over(operand, axis, start, end, is_time=is_time)
            for operand in (shape.left, shape.right)
        )
        return kind(left, right)
    return Moving(shape, axis, start, end, is_time)


@dataclass(frozen=True, repr=False)
class Moving(Shape):
    """The shape `space`, which moves and grows without turning, for times (or values of a
    parameter) from `start` to `end`.

    Its parts are those of `space`, and "initial" and "final" in time. Normals of the parts of
    `space` are those in space, and weights are area times duration, as for shapes at rest.
    """

    space: Shape
    axis: str
    start: float
    end: float
    is_time: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", self._still.start)
        object.__setattr__(self, "end", self._still.end)
        object.__setattr__(self, "axes", self._still.axes)
        call = f"`over({self.axis}, a, b)`"
        strange = self._motion.symbols - {self.axis}
        if strange:
            raise ValueError(
                f"{call} needs a shape that depends on {self.axis} alone; `{self.space!r}` has "
                f"{', '.join(sorted(strange))} too."
            )
        path, stretch = self._history
        if not (np.isfinite(path).all() and np.isfinite(stretch).all()):
            raise ValueError(
                f"{call} needs `{self.space!r}` finite from {self.start} to {self.end}."
            )
        if stretch.min() <= 0:
            moment = self._moments[np.argmin(stretch.min(axis=-1)), 0]
            raise ValueError(
                f"{call} needs sizes above zero throughout; `{self.space!r}` has lost one at "
                f"{self.axis} = {moment:.6g}."
            )

    # The motion

    @functools.cached_property
    def _motion(self) -> Motion:
        return motion_of(self.space)

    @functools.cached_property
    def _still(self) -> Any:
        kind: Any = SpaceTime if self.is_time else Family
        return kind(self._motion.still, self.axis, self.start, self.end)

    @functools.cached_property
    def _path(self) -> Callable[[Any], Any]:
        return compiled(self._motion.path, (self.axis,))

    @functools.cached_property
    def _stretch(self) -> Callable[[Any], Any]:
        return compiled(self._motion.stretch, (self.axis,))

    @property
    def _moments(self) -> np.ndarray:
        return np.linspace(self.start, self.end, _MOMENTS)[:, None]

    @property
    def _history(self) -> tuple[np.ndarray, np.ndarray]:
        """The path and the stretch `(moments, d)`."""
        with np.errstate(all="ignore"):
            return self._path(self._moments), self._stretch(self._moments)

    @functools.cached_property
    def _grows(self) -> bool:
        return any(getattr(s, "free_symbols", ()) for s in self._motion.stretch)

    @functools.cached_property
    def _steepness(self) -> float:
        """Bound of the slope of the distance along the axis, by the speed of corners of the bounds
        at rest: sqrt(1 + speed^2)."""
        path, stretch = self._history
        ends = np.stack(self._motion.still.bounds)
        corners = np.stack([path + stretch * end for end in ends])  # speeds are extreme there
        step = self._moments[1, 0] - self._moments[0, 0]
        speeds = np.abs(np.diff(corners, axis=1) / step).max(axis=0)  # (moments - 1, d)
        return float(np.sqrt(1 + 1.1 * np.max(np.sum(speeds**2, axis=-1))))

    def _at(self, points: Any) -> tuple[Any, Any]:
        """The path and the stretch at the times of points, as `(..., d + 1)` with 0 and 1 last."""
        t = points[..., -1:]
        path, stretch = (f(t).astype(points.dtype) for f in (self._path, self._stretch))
        return append(path, 0 * t), append(stretch, 0 * t + 1)

    def _back(self, points: Any) -> Any:
        path, stretch = self._at(points)
        return (points - path) / stretch

    def _scale(self, points: Any, direction: np.ndarray | None) -> Any:
        """How lengths along a direction of space grow `(...)`: on average for none."""
        stretch = self._at(points)[1][..., :-1]
        xp = namespace(points)
        if direction is None:
            return xp.exp(xp.mean(xp.log(stretch), axis=-1))
        return 1 / norm(xp.asarray(direction, points.dtype) / stretch)

    def _growth(self, points: Any, direction: np.ndarray | None) -> Any:
        """How volumes `(...)`, or areas across a direction of space, grow."""
        volume = namespace(points).prod(self._at(points)[1], axis=-1)
        return volume if direction is None else volume / self._scale(points, direction)

    # What a shape answers

    @property
    def time(self) -> tuple[str, float, float] | None:
        """Name, start and end of the time axis."""
        return self._still.time

    @property
    def periods(self) -> Mapping[str, float]:
        """None: a shape that moves is not periodic."""
        return {}

    @property
    def _n_sliced(self) -> int:
        return self._still._n_sliced

    def _bounds(self) -> tuple[Any, Any]:
        low, high = self._motion.still.bounds
        path, stretch = self._history
        first, last = path + stretch * low, path + stretch * high
        between = [np.abs(np.diff(end, 2, axis=0)).max(axis=0) for end in (first, last)]
        lower, upper = first.min(axis=0) - between[0], last.max(axis=0) + between[1]
        return np.append(lower, self.start), np.append(upper, self.end)

    def _sdf(self, points: Any) -> Any:
        """The distance in space, made a bound of that in space-time by the speed."""
        across, along = self._across(points), self._still._excess(points)
        return product_distance(across / self._steepness, along)

    def _across(self, points: Any) -> Any:
        """The signed distance in space: exact for equal stretches and for boxes, else a bound."""
        still = self._motion.still
        placed = self._back(points)[..., :-1]
        stretch = self._at(points)[1][..., :-1]
        xp = namespace(points)
        if isinstance(still, Orthotope):
            low, high = still._corners(points)
            return box_distance(placed * stretch, low * stretch, high * stretch)
        return xp.min(stretch, axis=-1) * still._sdf(placed)

    def _level(self, points: Any) -> Any:
        return self._scale(points, None) * self._still._level(self._back(points))

    def _solid(self) -> Chart:
        return self._moved(self._still._solid_chart, None)

    def _faces(self) -> tuple[Face, ...]:
        faces = []
        for face in self._still._boundary_faces:
            direction = _direction(face.chart)
            chart = self._moved(face.chart, direction)
            surface = self._moved_surface(face.surface, direction)
            faces.append(replace(face, chart=chart, surface=surface))
        return tuple(faces)

    def _moved(self, chart: Chart, direction: np.ndarray | None) -> Chart:
        """The chart where the shape is, with the measure that it has there."""

        def moved_map(u: Any) -> tuple[Any, Any, Any]:
            points, normals, kept = chart.map(u)
            path, stretch = self._at(points)
            if normals is not None:
                normals = normals / stretch
                normals = normals / norm(normals)[..., None]
            return path + stretch * points, normals, kept

        if not self._grows:
            return replace(chart, map=moved_map)
        if direction is not None and direction[-1] != 0:  # the shape at the start or the end
            moment = np.append(0.0 * direction[:-1], self.start if direction[-1] < 0 else self.end)
            times = float(self._growth(moment, None))
            return replace(
                chart, map=moved_map, measure=chart.measure * times, error=chart.error * times
            )
        across = None if direction is None else direction[:-1]
        return _weighted(chart, moved_map, lambda u: self._growth(self._moment(u), across))

    def _moment(self, u: Any) -> Any:
        """Points at the time that u `(..., 1)` stands for."""
        t = self.start + (self.end - self.start) * u
        return namespace(u).broadcast_to(t, (*u.shape[:-1], self.dimension))

    def _moved_surface(self, surface: Surface, direction: np.ndarray) -> Surface:
        is_cap = direction[-1] != 0

        def pulled(function: Callable[[Any], Any], along: np.ndarray | None) -> Any:
            def moved(points: Any) -> Any:
                value = function(self._back(points))
                return value if is_cap else self._scale(points, along) * value

            return moved

        def normal(points: Any) -> Any:
            normals = surface.normal(self._back(points)) / self._at(points)[1]
            return normals / norm(normals)[..., None]

        return Surface(
            pulled(surface.inner, direction[:-1]),
            pulled(surface.outer, direction[:-1]),
            normal,
            None if surface.trim is None else pulled(surface.trim, None),
            surface.is_supporting,
        )

    def __repr__(self) -> str:
        text = f"({self.space!r})" if isinstance(self.space, Combination) else repr(self.space)
        axis = repr(self.axis) if self.is_time else self.axis
        return f"{text}.over({axis}, {self.start!r}, {self.end!r})"


def _direction(chart: Chart) -> np.ndarray:
    """The normal in the middle of a face: of flat ones, or of curved ones that grow alike."""
    return np.asarray(chart.map(np.full(chart.dimension, 0.5))[1])


def _weighted(chart: Chart, moved_map: Any, growth: Callable[[Any], Any]) -> Chart:
    """The chart with a measure that grows along its last coordinate as `growth(u)` `(..., 1)`."""
    line = curved_chart(lambda u: (u, None, None), growth, 1)
    line_density, line_warp = line.density, line.warp
    assert line_density is not None and line_warp is not None  # for mypy

    def density(u: Any) -> Any:
        before = 1.0 if chart.density is None else chart.density(u)
        return before * line_density(u[..., -1:])

    def warp(u: Any) -> Any:
        before = u if chart.warp is None else chart.warp(u)
        return append(before[..., :-1], line_warp(u[..., -1:]))

    times = line.measure
    return replace(
        chart,
        map=moved_map,
        measure=chart.measure * times,
        error=chart.error * times,
        density=density,
        warp=warp,
        rule=None,
    )


@part_distance.register
def _(shape: Moving, names: tuple[str, ...], points: Any, join: str) -> Any:
    distance = part_distance(shape._still, names, shape._back(points), join)
    directions = [
        direction[:-1]
        for face in shape._still._boundary_faces
        if face.name in names and not (direction := _direction(face.chart))[-1]
    ]
    if not directions:
        return distance
    alike = all(np.allclose(np.abs(d), np.abs(directions[0])) for d in directions)
    return distance * shape._scale(points, directions[0] if alike else None)
