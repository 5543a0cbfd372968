"""Intervals, rectangles and boxes of any dimension."""

from __future__ import annotations

import abc
import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from geometry._arrays import is_symbolic, motion, namespace, norm
from geometry.chart import Chart
from geometry.face import Face, Surface
from geometry.shape import Shape, set_axes, set_name

SIDES = {
    1: (("left", "right"),),
    2: (("left", "right"), ("bottom", "top")),
    3: (("left", "right"), ("bottom", "top"), ("back", "front")),
}


class Orthotope(Shape, abc.ABC):
    """An axis-parallel box: all that `Interval`, `Rectangle`, `Box` and `Time` have in common."""

    lower: Any
    upper: Any
    name: str | None

    @property
    def _side_names(self) -> tuple[tuple[str, str], ...]:
        if isinstance(self, Time):
            return (("initial", "final"),)
        beyond = ((f"{axis}_lower", f"{axis}_upper") for axis in self.axes)
        return SIDES.get(self.dimension) or tuple(beyond)

    def _bounds(self) -> tuple[Any, Any]:
        return np.atleast_1d(self.lower), np.atleast_1d(self.upper)

    def _corners(self, points: Any) -> tuple[Any, Any]:
        xp = namespace(points)
        lower, upper = self._bounds()
        return xp.asarray(lower, points.dtype), xp.asarray(upper, points.dtype)

    def _sdf(self, points: Any) -> Any:
        return box_distance(points, *self._corners(points))

    def _membership(self, points: Any) -> Any:
        xp = namespace(points)
        lower, upper = self._corners(points)
        return xp.max(xp.maximum(lower - points, points - upper), axis=-1)

    def _level(self, points: Any) -> Any:
        xp = namespace(points)
        lower, upper = self._corners(points)
        walls = (points - lower) * (upper - points) / (upper - lower)
        level = walls[..., 0]
        for axis in range(1, self.dimension):  # R-conjunction: positive where both are
            level = level + walls[..., axis] - xp.hypot(level, walls[..., axis])
        return level

    def _solid(self) -> Chart:
        lower, upper = (np.asarray(bound, float) for bound in self._bounds())

        def fill(u: Any) -> tuple[Any, None, None]:
            a, b = self._corners(u)
            return a + (b - a) * u, None, None

        return Chart(fill, self.dimension, float(np.prod(upper - lower)))

    def _faces(self) -> tuple[Face, ...]:
        kind = type(self).__name__.lower()
        return tuple(
            Face(name, kind, self.name, self._side_chart(axis, side), self._side(axis, side))
            for axis, names in enumerate(self._side_names)
            for side, name in enumerate(names)
        )

    def _side_chart(self, axis: int, side: int) -> Chart:
        lower, upper = (np.asarray(bound, float) for bound in self._bounds())
        lengths = np.delete(upper - lower, axis)
        normal = np.zeros(self.dimension)
        normal[axis] = 1 if side else -1

        def place(u: Any) -> tuple[Any, Any, None]:
            xp = namespace(u)
            a, b = self._corners(u)
            end = xp.broadcast_to((b if side else a)[axis : axis + 1], u.shape[:-1] + (1,))
            others = xp.delete(xp.stack([a, b]), axis, axis=1)
            free = others[0] + (others[1] - others[0]) * u
            points = xp.concatenate([free[..., :axis], end, free[..., axis:]], axis=-1)
            return points, xp.broadcast_to(xp.asarray(normal, u.dtype), points.shape), None

        return Chart(place, self.dimension - 1, float(np.prod(lengths)))

    def _side(self, axis: int, side: int) -> Surface:
        lower, upper = self._bounds()
        end, sign = (float(upper[axis]), -1) if side else (float(lower[axis]), 1)

        def inner(points: Any) -> Any:
            return sign * (points[..., axis] - end)

        def normal(points: Any) -> Any:
            xp = namespace(points)
            direction = xp.asarray(np.eye(self.dimension)[axis] * -sign, points.dtype)
            return xp.broadcast_to(direction, points.shape)

        trim = functools.partial(self._rim, axis) if self.dimension > 1 else None
        return Surface(inner, lambda points: -inner(points), normal, trim, is_supporting=True)

    def _rim(self, axis: int, points: Any) -> Any:
        """Positive over the face across `axis`: a smoothed R-conjunction over the other axes."""
        xp = namespace(points)
        lower, upper = self._corners(points)
        walls = (points - lower) * (upper - points) / (upper - lower)
        off = walls[..., axis]  # zero on the face, so that the joint is exact there and smooth off
        others = [i for i in range(self.dimension) if i != axis]
        level = walls[..., others[0]]
        for i in others[1:]:
            root = xp.sqrt(level**2 + walls[..., i] ** 2 + off**2)
            level = level + walls[..., i] - root
        return level


def box_distance(points: Any, lower: Any, upper: Any) -> Any:
    """Returns the signed distance of points `(..., d)` to the box between two corners."""
    xp = namespace(points)
    excess = xp.maximum(lower - points, points - upper)  # (..., axes)
    return norm(xp.maximum(excess, 0)) + xp.minimum(xp.max(excess, axis=-1), 0)


@dataclass(frozen=True, repr=False)
class Interval(Orthotope):
    """The interval from `lower` to `upper`, with parts "left" and "right".

    Example:
        >>> Interval(0, 2).measure
        2.0
    """

    lower: float
    upper: float
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        _set_ends(self)
        set_axes(self, self.axes, 1)
        set_name(self)


@dataclass(frozen=True, repr=False)
class Time(Orthotope):
    """The time from `lower` to `upper`, with parts "initial" and "final", for ordinary equations.

    Its axis is called t unless `axes` says otherwise.
    """

    lower: float
    upper: float
    name: str | None = None
    axes: tuple[str, ...] = ("t",)

    def __post_init__(self) -> None:
        _set_ends(self)
        set_axes(self, self.axes, 1)
        set_name(self)

    @property
    def time(self) -> tuple[str, float, float]:
        """Name, start and end of the time axis."""
        return self.axes[0], float(self.lower), float(self.upper)


@dataclass(frozen=True, repr=False)
class Rectangle(Orthotope):
    """The rectangle between two opposite corners, with parts "left", "right", "bottom", "top".

    Example:
        >>> channel = Rectangle((0, 0), (2.2, 0.41)) - Rectangle((1, 0), (1.2, 0.2), name="step")
        >>> channel.parts
        ('left', 'right', 'bottom', 'top', 'step.left', 'step.right', 'step.top')
    """

    lower: tuple[float, float]
    upper: tuple[float, float]
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        set_corners(self, 2)


@dataclass(frozen=True, repr=False)
class Box(Orthotope):
    """The box between two opposite corners, in any dimension.

    Parts, in the order of the axes x, y, z: "left" and "right", "bottom" and "top", "back" and
    "front"; above three dimensions "x1_lower", "x1_upper" and so on, from the names of the axes.
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        set_corners(self, None)


def _set_ends(shape: Any) -> None:
    call = f"`{type(shape).__name__}(lower, upper)`"
    (lower,), (upper,) = (motion((end,), call) for end in (shape.lower, shape.upper))
    if not _is_ordered(lower, upper):
        raise ValueError(f"{call} needs lower < upper; got lower={lower}, upper={upper}.")
    object.__setattr__(shape, "lower", lower)
    object.__setattr__(shape, "upper", upper)


def _is_ordered(lower: Any, upper: Any) -> bool:
    """Whether lower < upper, as far as numbers can tell."""
    return is_symbolic(lower) or is_symbolic(upper) or lower < upper


def set_corners(shape: Any, dimension: int | None) -> None:
    """Checks and stores the corners, axes and name of a box."""
    call = f"`{type(shape).__name__}(lower, upper)`"
    lower = motion(shape.lower, call, dimension)
    upper = motion(shape.upper, call, len(lower))
    if not lower or not all(_is_ordered(a, b) for a, b in zip(lower, upper, strict=True)):
        raise ValueError(
            f"{call} needs lower < upper in every direction; got lower={lower}, upper={upper}."
        )
    object.__setattr__(shape, "lower", lower)
    object.__setattr__(shape, "upper", upper)
    set_axes(shape, shape.axes, len(lower))
    set_name(shape)
