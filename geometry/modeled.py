"""Primitives that are a product or a solid of revolution, placed in space."""

from __future__ import annotations

import abc
import functools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geometry._arrays import number, vector
from geometry.ball import Disk
from geometry.chart import Chart
from geometry.distance import part_distance
from geometry.face import Face
from geometry.polygon import Polygon
from geometry.shape import Shape, positive, set_axes, set_name


class Modeled(Shape, abc.ABC):
    """A primitive that answers as another shape does, under its own name."""

    name: str | None

    @abc.abstractmethod
    def _make_model(self) -> Shape:
        """The shape that it is the same as."""

    @functools.cached_property
    def _model(self) -> Shape:
        return self._make_model()

    def _bounds(self) -> tuple[Any, Any]:
        return self._model._bounds()

    def _sdf(self, points: Any) -> Any:
        return self._model._sdf(points)

    def _membership(self, points: Any) -> Any:
        return self._model._membership(points)

    def _level(self, points: Any) -> Any:
        return self._model._level(points)

    def _solid(self) -> Chart:
        return self._model._solid()

    def _faces(self) -> tuple[Face, ...]:
        kind = type(self).__name__.lower()
        return tuple(replace(f, kind=kind, owner=self.name) for f in self._model._boundary_faces)


@part_distance.register
def _(shape: Modeled, names: tuple[str, ...], points: Any, join: str) -> Any:
    return part_distance(shape._model, names, points, join)


@dataclass(frozen=True, repr=False)
class Cylinder(Modeled):
    """The cylinder around the segment from `start` to `stop`.

    Its parts are "side", "base" at the start and "cap" at the stop.

    Example:
        >>> round(Cylinder((0, 0, 0), (0, 0, 2), 1).measure, 6)
        6.283185
    """

    start: tuple[float, float, float]
    stop: tuple[float, float, float]
    radius: float
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        call = "`Cylinder(start, stop, radius)`"
        _set_segment(self, call)
        object.__setattr__(self, "radius", positive(self.radius, call + ": radius"))

    def _make_model(self) -> Shape:
        disk = Disk((0, 0), self.radius, name="side")
        return _aimed(disk.extrude(0, _length(self)), self.start, self.stop)


@dataclass(frozen=True, repr=False)
class Cone(Modeled):
    """The cone from a circle of `radius` around `start` to the apex `stop`.

    With `stop_radius` it ends in a circle there. Its parts are "side", "base" and then "cap".
    """

    start: tuple[float, float, float]
    stop: tuple[float, float, float]
    radius: float
    stop_radius: float = 0
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        call = "`Cone(start, stop, radius)`"
        _set_segment(self, call)
        object.__setattr__(self, "radius", positive(self.radius, call + ": radius"))
        top = number(self.stop_radius, call + ": stop_radius")
        if top < 0:
            raise ValueError(f"{call} needs a stop_radius of zero or more; got {top}.")
        object.__setattr__(self, "stop_radius", top)

    def _make_model(self) -> Shape:
        h = _length(self)
        corners = [(0, 0), (self.radius, 0), (self.stop_radius, h)]
        edges = ["base", "side", "axis"]
        if self.stop_radius > 0:
            corners.append((0, h))
            edges.insert(2, "cap")
        return _aimed(Polygon(tuple(corners), edges=tuple(edges)).revolve(), self.start, self.stop)


@dataclass(frozen=True, repr=False)
class Torus(Modeled):
    """The ring around `center` whose tube of radius `tube` follows a circle of radius `radius`.

    `direction` is the axis of the ring. Its one part has its `name`, or "torus".

    Example:
        >>> round(Torus((0, 0, 0), 2, 0.5).measure, 6)
        9.869604
    """

    center: tuple[float, float, float]
    radius: float
    tube: float
    direction: tuple[float, float, float] = (0, 0, 1)
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        call = "`Torus(center, radius, tube)`"
        object.__setattr__(self, "center", vector(self.center, call, 3))
        direction = vector(self.direction, call + ": direction", 3)
        if not any(direction):
            raise ValueError(f"{call} needs a direction of some length; got {direction}.")
        object.__setattr__(self, "direction", direction)
        object.__setattr__(self, "radius", positive(self.radius, call + ": radius"))
        object.__setattr__(self, "tube", positive(self.tube, call + ": tube"))
        if self.tube >= self.radius:
            raise ValueError(
                f"{call} needs tube < radius, or the ring meets itself; got tube={self.tube}, "
                f"radius={self.radius}."
            )
        set_axes(self, self.axes, 3)
        set_name(self)

    def _make_model(self) -> Shape:
        ring = Disk((self.radius, 0), self.tube, name=self.name or "torus").revolve()
        stop = tuple(c + d for c, d in zip(self.center, self.direction, strict=True))
        return _aimed(ring, self.center, stop)


@dataclass(frozen=True, repr=False)
class Prism(Modeled):
    """The polygon with the given vertices, drawn out along z from `lower` to `upper`.

    Its parts are the edges, "edge1", "edge2", ..., "base" and "cap".
    """

    vertices: tuple[tuple[float, float], ...]
    lower: float
    upper: float
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        base = Polygon(self.vertices)
        object.__setattr__(self, "vertices", base.vertices)
        call = "`Prism(vertices, lower, upper)`"
        lower, upper = number(self.lower, call), number(self.upper, call)
        if not lower < upper:
            raise ValueError(f"{call} needs lower < upper; got lower={lower}, upper={upper}.")
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        set_axes(self, self.axes, 3)
        set_name(self)

    def _make_model(self) -> Shape:
        return Polygon(self.vertices).extrude(self.lower, self.upper)


def _set_segment(shape: Any, call: str) -> None:
    for end in ("start", "stop"):
        object.__setattr__(shape, end, vector(getattr(shape, end), call, 3))
    if shape.start == shape.stop:
        raise ValueError(f"{call} needs two distinct ends; got {shape.start} twice.")
    set_axes(shape, shape.axes, 3)
    set_name(shape)


def _length(shape: Any) -> float:
    return math.dist(shape.start, shape.stop)


def _aimed(shape: Shape, start: Any, stop: Any) -> Shape:
    """Moves a shape that stands at the origin along z to stand at `start` towards `stop`."""
    direction = np.subtract(stop, start, dtype=float)
    direction /= np.linalg.norm(direction)
    across = np.cross((0, 0, 1), direction)
    sine = float(np.linalg.norm(across))
    if sine > 0 or direction[2] < 0:
        angle = math.atan2(sine, direction[2])
        shape = shape.rotate(angle, axis=tuple(across.tolist()) if sine > 0 else (1, 0, 0))
    return shape.translate(start) if any(start) else shape
