"""Periodic shapes: opposite ends identified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from geometry._arrays import namespace
from geometry.box import Orthotope, box_distance
from geometry.chart import Chart
from geometry.csg import Combination
from geometry.distance import part_distance
from geometry.face import Face
from geometry.sequences import cube
from geometry.shape import Shape
from geometry.spacetime import SpaceTime


def make_periodic(shape: Shape, axes: tuple[str, ...]) -> Shape:
    """Returns the shape with the ends of the named axes identified; time is left outside."""
    if isinstance(shape, Periodic):
        return Periodic(shape.base, tuple(dict.fromkeys(shape.periodic_axes + axes)))
    if isinstance(shape, SpaceTime):
        space = make_periodic(shape.space, axes)
        return SpaceTime(space, shape.axis, shape.start, shape.end)
    return Periodic(shape, axes)


@dataclass(frozen=True, repr=False)
class Periodic(Shape):
    """The shape `base` with opposite ends identified; written `base.periodic("x")`.

    The ends have to match: a wall at one end opposite to an equal wall at the other.
    """

    base: Shape
    periodic_axes: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", self.base.axes)
        if not self.periodic_axes:
            raise ValueError(f"`periodic(axis)` needs the name of an axis; axes are {self.axes}.")
        for axis in self.periodic_axes:
            if axis not in self.axes:
                raise ValueError(
                    f"`periodic(axis)` needs one of the axes {self.axes}; got {axis!r}."
                )
            self._check_ends(self.axes.index(axis))

    def _check_ends(self, axis: int) -> None:
        lower, upper = self.base.bounds
        first, last = (
            float(sum(f.chart.measure for f in self.base._boundary_faces if _lies_at(f, axis, end)))
            for end in (lower[axis], upper[axis])
        )
        inner = lower + (upper - lower) * cube(256, self.dimension, key=0, sampler="sobol")[0]
        step = 1e-6 * (upper[axis] - lower[axis])
        inner[:, axis] = lower[axis] + step
        opposite = inner.copy()
        opposite[:, axis] = upper[axis] - step
        same = np.array_equal(self.base._sdf(inner) < 0, self.base._sdf(opposite) < 0)
        if first == 0 or not np.isclose(first, last) or not same:
            raise ValueError(
                f"`periodic({self.axes[axis]!r})` needs flat, equal ends at {lower[axis]} and "
                f"{upper[axis]}; `{self.base!r}` has ends of measure {first:.6g} and {last:.6g}."
            )

    @property
    def periods(self) -> Mapping[str, float]:
        """Length of the period for each periodic axis."""
        lower, upper = self.base.bounds
        lengths = dict(zip(self.axes, (upper - lower).tolist(), strict=True))
        return {axis: lengths[axis] for axis in self.periodic_axes}

    @property
    def _indices(self) -> tuple[int, ...]:
        return tuple(self.axes.index(axis) for axis in self.periodic_axes)

    def _wrapped(self, points: Any) -> Any:
        """Moves points into the cell along the periodic axes."""
        xp = namespace(points)
        lower, upper = self.base.bounds
        period = np.ones(self.dimension)
        mask = np.zeros(self.dimension, bool)
        for i in self._indices:
            period[i], mask[i] = upper[i] - lower[i], True
        low, period = xp.asarray(lower, points.dtype), xp.asarray(period, points.dtype)
        return xp.where(mask, low + (points - low) % period, points)

    def _bounds(self) -> tuple[Any, Any]:
        return self.base.bounds

    def _sdf(self, points: Any) -> Any:
        lower, upper = self.base.bounds
        return _unrolled(self.base, self._wrapped(points), self._indices, upper - lower)

    def _level(self, points: Any) -> Any:
        return -self._sdf(points)

    def _solid(self) -> Chart:
        return self.base._solid_chart

    def _faces(self) -> tuple[Face, ...]:
        ends = [(i, bound[i]) for i in self._indices for bound in self.base.bounds]
        return tuple(
            face
            for face in self.base._boundary_faces
            if not any(_lies_at(face, axis, end) for axis, end in ends)
        )

    def _inner_faces(self) -> tuple[Face, ...]:
        return self.base._interface_faces

    @property
    def regions(self) -> Mapping[str, Shape]:
        """The regions of `base`."""
        return self.base.regions

    def __repr__(self) -> str:
        base = f"({self.base!r})" if isinstance(self.base, Combination) else repr(self.base)
        return f"{base}.periodic({', '.join(map(repr, self.periodic_axes))})"


@part_distance.register
def _(shape: Periodic, names: tuple[str, ...], points: Any, join: str) -> Any:
    return part_distance(shape.base, names, shape._wrapped(points), join)


def _lies_at(face: Face, axis: int, end: float) -> bool:
    """Whether a face is flat across `axis`, at the coordinate `end`."""
    u = np.linspace(0.05, 0.95, 7)[:, None] * np.ones(face.chart.dimension)
    points, normals, _ = face.chart.map(u)
    scale = 1e-9 * (1 + abs(end))
    return bool(
        np.all(np.abs(points[:, axis] - end) < scale) & np.all(np.abs(normals[:, axis]) > 0.5)
    )


def _unrolled(shape: Shape, points: Any, indices: tuple[int, ...], lengths: np.ndarray) -> Any:
    """Signed distance of the endless repetition, for points in the cell.

    Boxes that reach from end to end lose those walls; other leaves appear with their neighbors.
    """
    xp = namespace(points)
    if isinstance(shape, Combination):
        left = _unrolled(shape.left, points, indices, lengths)
        return shape._join(left, _unrolled(shape.right, points, indices, lengths))
    lower, upper = shape.bounds
    endless = [i for i in indices if np.isclose(upper[i] - lower[i], lengths[i])]
    if endless and isinstance(shape, Orthotope):
        wide = xp.asarray(lengths * np.isin(np.arange(shape.dimension), endless), points.dtype)
        low, high = shape._corners(points)
        return box_distance(points, low - wide, high + wide)
    values = shape._sdf(points)
    for i in indices:
        for shift in (-lengths[i], lengths[i]):
            move = xp.asarray(shift * np.eye(shape.dimension)[i], points.dtype)
            values = xp.minimum(values, shape._sdf(points + move))
    return values
