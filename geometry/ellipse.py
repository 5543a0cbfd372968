"""Ellipses and ellipsoids, with exact distances."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from geometry._arrays import namespace, norm, vector
from geometry.ball import directions
from geometry.chart import Chart
from geometry.face import Face, Surface
from geometry.shape import Shape, set_axes, set_name
from geometry.warp import curved_chart

_NEWTON_STEPS = 14


class Quadric(Shape, abc.ABC):
    """All that `Ellipse` and `Ellipsoid` have in common."""

    center: tuple[float, ...]
    radii: tuple[float, ...]
    name: str | None

    def _bounds(self) -> tuple[Any, Any]:
        center, radii = np.asarray(self.center, float), np.asarray(self.radii, float)
        return center - radii, center + radii

    def _offset(self, points: Any) -> tuple[Any, Any]:
        xp = namespace(points)
        return points - xp.asarray(self.center, points.dtype), xp.asarray(self.radii, points.dtype)

    def _sdf(self, points: Any) -> Any:
        """The nearest point is a^2 y / (t + a^2) with sum (a y / (t + a^2))^2 = 1.

        Newton's method from the left of the root.
        Source: D. Eberly, Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid
        (2013), sections 2 and 3; A. Conn, N. Gould, P. Toint, Trust-region methods (2000), 7.3.
        """
        xp = namespace(points)
        y, a = self._offset(points)
        tiny = float(np.finfo(points.dtype).eps) ** 0.75 * max(self.radii)
        y = xp.maximum(xp.abs(y), tiny)  # the equation degenerates on the planes of symmetry
        squares = a * a
        t = _root(y, a) if xp is np else _frozen_root(y, a)
        for _ in range(2):  # carry derivatives up to the third
            t = _newton(y, a, t)
        nearest = squares * y / (t[..., None] + squares)
        return t * norm(nearest / squares)  # y - nearest = t nearest / a^2

    def _level(self, points: Any) -> Any:
        """(1 - |y / a|^2) over its slope 2 |y / a^2|, smoothed at the center."""
        y, a = self._offset(points)
        xp = namespace(points)
        squared = xp.sum((y / a) ** 2, axis=-1)
        slope2 = xp.sum((y / a**2) ** 2, axis=-1)
        value = (1 - squared) / 2
        return value / xp.sqrt(slope2 + (value / min(self.radii)) ** 2)

    def _membership(self, points: Any) -> Any:
        return -self._level(points)

    def _normal(self, points: Any) -> Any:
        y, a = self._offset(points)
        gradient = y / a**2
        return gradient / norm(gradient)[..., None]

    def _solid(self) -> Chart:
        from geometry.ball import Ball

        unit = Ball((0,) * self.dimension, 1)._solid()

        def fill(u: Any) -> tuple[Any, None, None]:
            return self._place(unit.map(u)[0]), None, None

        return Chart(fill, unit.dimension, unit.measure * math.prod(self.radii), unit.periodic)

    def _place(self, unit: Any) -> Any:
        xp = namespace(unit)
        return xp.asarray(self.center, unit.dtype) + xp.asarray(self.radii, unit.dtype) * unit

    def _faces(self) -> tuple[Face, ...]:
        d = self.dimension

        def cover(u: Any) -> tuple[Any, Any, None]:
            points = self._place(directions(u, d))
            return points, self._normal(points), None

        def element(u: Any) -> Any:
            """Area of the sphere times the cofactor of the stretching in the normal's direction."""
            a = namespace(u).asarray(self.radii, u.dtype)
            return 2 * (d - 1) * math.pi * math.prod(self.radii) * norm(directions(u, d) / a)

        chart = curved_chart(cover, element, d - 1, (True,) if d == 2 else (False, True))
        surface = Surface(self._level, self._sdf, self._normal)
        kind = type(self).__name__.lower()
        return (Face(self.name or kind, kind, self.name, chart, surface),)


def _newton(y: Any, a: Any, t: Any) -> Any:
    """A step for 1 / |a y / (t + a^2)| = 1, which is almost linear in t."""
    xp = namespace(y)
    shifted = t[..., None] + a * a
    squares = (a * y / shifted) ** 2
    size2 = xp.sum(squares, axis=-1)
    return t + (xp.sqrt(size2) - 1) * size2 / xp.sum(squares / shifted, axis=-1)


def _root(y: Any, a: Any) -> Any:
    t = namespace(y).max(a * y - a * a, axis=-1)  # left of the root
    for _ in range(_NEWTON_STEPS):
        before, t = t, _newton(y, a, t)
        if np.allclose(before, t, rtol=1e-8, atol=0):  # the last two steps come on top
            break
    return t


def _frozen_root(y: Any, a: Any) -> Any:
    """The root without its derivatives, in a loop that compiles once."""
    y = jax.lax.stop_gradient(y)
    start = jnp.max(a * y - a * a, axis=-1)
    return jax.lax.fori_loop(0, _NEWTON_STEPS, lambda _, t: _newton(y, a, t), start)


@dataclass(frozen=True, repr=False)
class Ellipse(Quadric):
    """The ellipse around `center` with the given radii along the axes; rotate it to tilt it.

    Its one part has its `name`, or "ellipse".

    Example:
        >>> round(Ellipse((0, 0), (2, 1)).boundary.measure, 6)
        9.688448
    """

    center: tuple[float, float]
    radii: tuple[float, float]
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        _set(self, 2)


@dataclass(frozen=True, repr=False)
class Ellipsoid(Quadric):
    """The ellipsoid around `center` with the given three radii.

    Its one part has its `name`, or "ellipsoid".
    """

    center: tuple[float, float, float]
    radii: tuple[float, float, float]
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        _set(self, 3)


def _set(shape: Any, dimension: int) -> None:
    call = f"`{type(shape).__name__}(center, radii)`"
    object.__setattr__(shape, "center", vector(shape.center, call, dimension))
    radii = vector(shape.radii, call, dimension)
    if min(radii) <= 0:
        raise ValueError(f"{call} needs radii above zero; got {radii}.")
    object.__setattr__(shape, "radii", radii)
    set_axes(shape, shape.axes, dimension)
    set_name(shape)
