"""Disks and balls of any dimension."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
import scipy

from geometry._arrays import is_symbolic, motion, namespace, norm, safe_sqrt
from geometry.chart import Chart
from geometry.face import Face, Surface
from geometry.shape import Shape, positive, set_axes, set_name


class RoundShape(Shape, abc.ABC):
    """All that `Disk` and `Ball` have in common."""

    center: tuple[float, ...]
    radius: float
    name: str | None

    def _offset(self, points: Any) -> Any:
        return points - namespace(points).asarray(self.center, points.dtype)

    def _bounds(self) -> tuple[Any, Any]:
        center = np.asarray(self.center, float)
        return center - self.radius, center + self.radius

    def _sdf(self, points: Any) -> Any:
        return norm(self._offset(points)) - self.radius

    def _level(self, points: Any) -> Any:
        offset = self._offset(points)
        squared = namespace(points).sum(offset * offset, axis=-1)
        return (self.radius**2 - squared) / (2 * self.radius)

    def _membership(self, points: Any) -> Any:
        return -self._level(points)

    def _normal(self, points: Any) -> Any:
        offset = self._offset(points)
        return offset / norm(offset)[..., None]

    def _solid(self) -> Chart:
        d = self.dimension

        def fill(u: Any) -> tuple[Any, None, None]:
            reach = self.radius * u[..., :1] ** (1 / d)
            return self._place(reach * directions(u[..., 1:], d)), None, None

        volume = math.exp(d / 2 * math.log(math.pi) - math.lgamma(d / 2 + 1)) * self.radius**d
        return Chart(fill, 1 + chart_dimension(d), volume, (False,) + periodic_axes(d))

    def _place(self, offset: Any) -> Any:
        return offset + namespace(offset).asarray(self.center, offset.dtype)

    def _faces(self) -> tuple[Face, ...]:
        d = self.dimension
        kind = type(self).__name__.lower()

        def cover(u: Any) -> tuple[Any, Any, None]:
            normals = directions(u, d)
            return self._place(self.radius * normals), normals, None

        area = self._solid().measure * d / self.radius
        chart = Chart(cover, chart_dimension(d), area, periodic_axes(d))
        surface = Surface(self._level, self._sdf, self._normal)
        word = {2: "circle"}.get(d, "sphere")
        return (Face(self.name or word, kind, self.name, chart, surface),)


def chart_dimension(d: int) -> int:
    """Returns the number of coordinates that `directions` takes in d dimensions."""
    return d if d > 3 else d - 1


def periodic_axes(d: int) -> tuple[bool, ...]:
    """Returns which of those coordinates close on themselves."""
    return {2: (True,), 3: (False, True)}.get(d, (False,) * chart_dimension(d))


def directions(u: Any, d: int) -> Any:
    """Returns the point of the unit sphere in d dimensions for a point of the cube.

    Preserves measure: angle in two dimensions, height and angle in three (Archimedes), d Gaussians
    above.
    """
    xp = namespace(u)
    if d == 1:
        raise ValueError("`Ball` needs two or more dimensions; use `Interval` for one.")
    if d > 3:
        normal = inverse_normal(u)
        length = norm(normal)[..., None]
        first = xp.asarray(np.eye(d)[0], u.dtype)  # for the middle of the cube
        return xp.where(length > 0, normal / xp.where(length > 0, length, 1), first)
    angle = 2 * math.pi * u[..., -1]
    circle = xp.stack([xp.cos(angle), xp.sin(angle)], axis=-1)
    if d == 2:
        return circle
    height = 2 * u[..., :1] - 1
    return xp.concatenate([safe_sqrt(1 - height**2) * circle, height], axis=-1)


def inverse_normal(u: Any) -> Any:
    """Returns standard normal numbers for uniform ones."""
    return scipy.special.ndtri(u) if namespace(u) is np else jax.scipy.special.ndtri(u)


@dataclass(frozen=True, repr=False)
class Disk(RoundShape):
    """The disk around `center`; its one part has the disk's `name`, or "circle".

    Example:
        >>> round(Disk((0, 0), 2).measure, 6)
        12.566371
    """

    center: tuple[float, float]
    radius: float
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        _set(self, 2)


@dataclass(frozen=True, repr=False)
class Ball(RoundShape):
    """The ball around `center` in two or more dimensions; its one part has its `name`, or "sphere".

    Notes: above three dimensions points come from Gaussians, so `sampler="gauss"` is a rule for
    them, not for the sphere's polynomials.
    """

    center: tuple[float, ...]
    radius: float
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        _set(self, None)


def _set(shape: Any, dimension: int | None) -> None:
    call = f"`{type(shape).__name__}(center, radius)`"
    center = motion(shape.center, call, dimension)
    if len(center) < 2:
        raise ValueError(f"{call} needs a center with two or more coordinates; got {center}.")
    object.__setattr__(shape, "center", center)
    if not is_symbolic(shape.radius):
        object.__setattr__(shape, "radius", positive(shape.radius, call + ": radius"))
    set_axes(shape, shape.axes, len(center))
    set_name(shape)
