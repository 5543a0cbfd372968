"""Space-time domains of shapes that move: a center or a translation that depends on time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geometry._arrays import compiled, is_symbolic, namespace, norm
from geometry.ball import RoundShape
from geometry.chart import Chart, append
from geometry.distance import part_distance
from geometry.face import Face, Surface
from geometry.shape import Shape
from geometry.spacetime import SpaceTime
from geometry.transforms import Translated


def over(shape: Shape, axis: str, start: Any, end: Any) -> Shape:
    """Returns the space-time domain of a shape at rest or in motion."""
    still, path = at_rest(shape)
    if path is None:
        return SpaceTime(shape, axis, start, end)
    return Moving(shape, axis, start, end)


@functools.singledispatch
def at_rest(shape: Shape) -> tuple[Shape, tuple[Any, ...] | None]:
    """Returns a shape at the origin and its path, or the shape and None if it does not move."""
    return shape, None


@at_rest.register
def _(shape: RoundShape) -> tuple[Shape, tuple[Any, ...] | None]:
    if not any(map(is_symbolic, shape.center)):
        return shape, None
    still: Any = shape  # a dataclass, as all final shapes are
    return replace(still, center=(0,) * shape.dimension), shape.center


@at_rest.register
def _(shape: Translated) -> tuple[Shape, tuple[Any, ...] | None]:
    if not any(map(is_symbolic, shape.offset)):
        return shape, None
    return shape.base, shape.offset


@dataclass(frozen=True, repr=False)
class Moving(Shape):
    """The shape `space`, which moves without turning, for times from `start` to `end`.

    Its parts are those of `space`, "initial" and "final". Normals of the parts of `space` are those
    in space, and weights are area times duration, as for shapes at rest.
    """

    space: Shape
    axis: str
    start: float
    end: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", self._still.start)
        object.__setattr__(self, "end", self._still.end)
        object.__setattr__(self, "axes", self._still.axes)
        strange = {str(s) for e in self._path_terms for s in getattr(e, "free_symbols", ())}
        if strange != {self.axis}:
            raise ValueError(
                f"`over({self.axis}, a, b)` needs a path that depends on {self.axis} alone; got "
                f"{self._path_terms}."
            )

    @functools.cached_property
    def _still(self) -> SpaceTime:
        return SpaceTime(at_rest(self.space)[0], self.axis, self.start, self.end)

    @property
    def _path_terms(self) -> tuple[Any, ...]:
        return at_rest(self.space)[1] or ()

    @functools.cached_property
    def _path(self) -> Callable[[Any], Any]:
        return compiled(self._path_terms, (self.axis,))

    @functools.cached_property
    def _stretch(self) -> float:
        """Bound of the slope of the distance at rest along the path: sqrt(1 + speed^2)."""
        times = np.linspace(self.start, self.end, 1025)[:, None]
        speed = norm(np.diff(self._path(times), axis=0)) / np.diff(times, axis=0)[:, 0]
        return float(np.sqrt(1 + 1.1 * speed.max() ** 2))

    @property
    def time(self) -> tuple[str, float, float]:
        """Name, start and end of the time axis."""
        return self._still.time

    def _shift(self, points: Any) -> Any:
        path = self._path(points[..., -1:]).astype(points.dtype)
        return append(path, namespace(points).zeros_like(points[..., -1:]))

    def _pulled(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda points: function(points - self._shift(points))

    def _bounds(self) -> tuple[Any, Any]:
        lower, upper = self._still.bounds
        path = self._path(np.linspace(self.start, self.end, 1025)[:, None])
        margin = 1e-3 * np.ptp(path, axis=0)
        lower[:-1] += path.min(axis=0) - margin
        upper[:-1] += path.max(axis=0) + margin
        return lower, upper

    def _sdf(self, points: Any) -> Any:
        """The distance at rest, made a bound of the distance in space-time by the speed."""
        return self._pulled(self._still._sdf)(points) / self._stretch

    def _level(self, points: Any) -> Any:
        return self._pulled(self._still._level)(points)

    def _moved(self, chart: Chart) -> Chart:
        def moved_map(u: Any) -> tuple[Any, Any, Any]:
            points, normals, kept = chart.map(u)
            return points + self._shift(points), normals, kept

        return replace(chart, map=moved_map)

    def _solid(self) -> Chart:
        return self._moved(self._still._solid_chart)

    def _faces(self) -> tuple[Face, ...]:
        return tuple(
            replace(face, chart=self._moved(face.chart), surface=self._moved_surface(face.surface))
            for face in self._still._boundary_faces
        )

    def _moved_surface(self, surface: Surface) -> Surface:
        return Surface(
            self._pulled(surface.inner),
            self._pulled(surface.outer),
            self._pulled(surface.normal),
            None if surface.trim is None else self._pulled(surface.trim),
            surface.is_supporting,
        )

    def __repr__(self) -> str:
        return f"{self.space!r}.over({self.axis!r}, {self.start!r}, {self.end!r})"


@part_distance.register
def _(shape: Moving, names: tuple[str, ...], points: Any, join: str) -> Any:
    return part_distance(shape._still, names, points - shape._shift(points), join)
