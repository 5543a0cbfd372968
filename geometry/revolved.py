"""Solids of revolution."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from geometry._arrays import namespace, norm
from geometry.box import Orthotope, Rectangle
from geometry.chart import Chart
from geometry.csg import Combination
from geometry.distance import part_distance
from geometry.face import Face, Surface
from geometry.polygon import Polygon, Polygonal
from geometry.shape import Shape, default_axes, refuse_periodic
from geometry.trim import flux
from geometry.warp import curved_chart


@dataclass(frozen=True, repr=False)
class Revolved(Shape):
    """The solid that the plane shape `profile` sweeps about its second axis; written
    `profile.revolve()`.

    The first coordinate of the profile is the distance from the axis z and may not be negative.
    Parts are those of the profile; what lies on the axis is no boundary.
    """

    profile: Shape

    def __post_init__(self) -> None:
        refuse_periodic("`revolve()`", self.profile)
        if self.profile.dimension != 2:
            raise ValueError(f"`revolve()` needs a plane shape; got dimension {self.profile!r}.")
        if self.profile.bounds[0][0] < -1e-12 * self.profile.size:
            raise ValueError(
                "`revolve()` needs a profile with a first coordinate of zero or more, the distance "
                f"from the axis; `{self.profile!r}` reaches {self.profile.bounds[0][0]}."
            )
        object.__setattr__(self, "axes", default_axes(3))

    @functools.cached_property
    def _section(self) -> Shape:
        """The profile together with its mirror image, so that the axis is inside."""
        touches = self.profile.bounds[0][0] <= 1e-12 * self.profile.size
        return unfolded(self.profile) if touches else self.profile

    def _bounds(self) -> tuple[Any, Any]:
        (_, low), (reach, high) = self.profile.bounds
        return np.array([-reach, -reach, low]), np.array([reach, reach, high])

    def _sdf(self, points: Any) -> Any:
        return self._section._sdf(flattened(points))

    def _membership(self, points: Any) -> Any:
        return self._section._membership(flattened(points))

    def _level(self, points: Any) -> Any:
        return self._section._level(flattened(points))

    def _faces(self) -> tuple[Face, ...]:
        return _swept_faces(self.profile._boundary_faces)

    def _inner_faces(self) -> tuple[Face, ...]:
        return _swept_faces(self.profile._interface_faces)

    @property
    def regions(self) -> Mapping[str, Shape]:
        """The regions of `profile`, each turned alike."""
        return {name: Revolved(shape) for name, shape in self.profile.regions.items()}

    def _solid(self) -> Chart:
        """A tube around the profile, uniform in the square of the distance from the axis."""
        (inner, low), (outer, high) = self.profile.bounds
        inner = max(float(inner), 0.0)

        def fill(u: Any) -> tuple[Any, None, Any]:
            xp = namespace(u)
            reach = xp.sqrt(inner**2 + float(outer**2 - inner**2) * u[..., 0])
            height = float(low) + float(high - low) * u[..., 1]
            points = _spun(reach, height, u[..., 2])
            return points, None, self._sdf(points) < 0

        around = np.mean(self.bounds, axis=0)
        measure = sum(flux(face.chart, around) for face in self._boundary_faces) / 3
        whole = math.pi * (outer**2 - inner**2) * (high - low)
        return Chart(fill, 3, float(measure), fraction=min(float(measure / whole), 1 - 1e-15))

    def __repr__(self) -> str:
        text = repr(self.profile)
        text = f"({text})" if isinstance(self.profile, Combination) else text
        return f"{text}.revolve()"


@part_distance.register
def _(shape: Revolved, names: tuple[str, ...], points: Any, join: str) -> Any:
    return part_distance(shape.profile, names, flattened(points), join)


@functools.singledispatch
def unfolded(profile: Shape) -> Shape:
    """Returns a profile that touches the axis with its mirror image.

    For shapes in general this is a union, whose distance is a bound that vanishes on the axis.
    """
    return profile + profile.mirror((1, 0))


@unfolded.register
def _(profile: Orthotope) -> Shape:
    (_, low), (reach, high) = profile.bounds
    return Rectangle((-reach, low), (reach, high))


@unfolded.register
def _(profile: Polygonal) -> Shape:
    """One loop without the edge on the axis, where there is one such edge."""
    loop = profile._loops()[0]
    on_axis = np.abs(loop[:, 0]) <= 1e-12 * profile.size
    first = np.flatnonzero(on_axis & np.roll(on_axis, -1))
    if on_axis.sum() != 2 or len(first) != 1 or len(profile._loops()) > 1:
        return profile + profile.mirror((1, 0))
    path = np.roll(loop, -(first[0] + 1), axis=0)  # from one end of the edge round to the other
    image = path[::-1][1:-1] * [-1, 1]
    return Polygon(np.concatenate([path, image]).tolist())


def flattened(points: Any) -> Any:
    """Returns the distance from the axis and the height."""
    reach = norm(points[..., :2])
    return namespace(points).stack([reach, points[..., 2]], axis=-1)


def _spun(reach: Any, height: Any, turn: Any) -> Any:
    xp = namespace(turn)
    angle = 2 * math.pi * turn
    return xp.stack([reach * xp.cos(angle), reach * xp.sin(angle), height + 0 * angle], axis=-1)


def _swept_faces(faces: tuple[Face, ...]) -> tuple[Face, ...]:
    return tuple(
        Face(face.name, face.kind, face.owner, _swept(face.chart), _turned(face.surface))
        for face in faces
        if not _is_on_axis(face)
    )


def _is_on_axis(face: Face) -> bool:
    points, _, _ = face.chart.map(np.linspace(0, 1, 5)[:, None])
    return bool(np.abs(points[:, 0]).max() <= 1e-12 * (1 + np.abs(points).max()))


def _swept(chart: Chart) -> Chart:
    def cover(u: Any) -> tuple[Any, Any, Any]:
        points, normals, kept = chart.map(u[..., :1])
        turn = u[..., 1]
        return (
            _spun(points[..., 0], points[..., 1], turn),
            _spun(normals[..., 0], normals[..., 1], turn),
            kept,
        )

    def element(u: Any) -> Any:
        along = u[..., :1]
        speed = 1 if chart.density is None else chart.density(along)
        return 2 * math.pi * chart.measure * chart.map(along)[0][..., 0] * speed

    closed = bool(chart.periodic and chart.periodic[0])
    return curved_chart(cover, element, 2, (closed, True))


def _turned(surface: Surface) -> Surface:
    def normal(points: Any) -> Any:
        flat = surface.normal(flattened(points))
        reach = norm(points[..., :2])[..., None]
        xp = namespace(points)
        direction = points[..., :2] / xp.where(reach > 0, reach, 1)
        return xp.concatenate([flat[..., :1] * direction, flat[..., 1:]], axis=-1)

    trim = surface.trim
    return Surface(
        lambda points: surface.inner(flattened(points)),
        lambda points: surface.outer(flattened(points)),
        normal,
        None if trim is None else lambda points: trim(flattened(points)),
        surface.is_supporting,
    )
