"""Arrays of equal, separate copies of a shape."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geometry._arrays import namespace, vector
from geometry.chart import Chart
from geometry.csg import Combination, either
from geometry.distance import part_distance
from geometry.face import Face
from geometry.mesh import SimplexMesh
from geometry.meshing.shapes import mesh_shape
from geometry.shape import Shape, refuse_periodic
from geometry.transforms import Translated

_MOST_COPIES = 10_000


@dataclass(frozen=True, repr=False)
class Repeated(Shape):
    """The union of `counts` copies of `base` along each of `offsets`; written
    `base.repeat(count, offset)`.

    A part is made of the parts of that name of all copies.
    """

    base: Shape
    counts: tuple[int, ...]
    offsets: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        call = "`repeat(count, offset)`"
        refuse_periodic(call, self.base)
        if self.base.time is not None:
            raise ValueError(f"{call} needs a shape in space; write `.over(t, a, b)` after it.")
        counts, offsets = _directions(self.counts, self.offsets, self.base.dimension, call)
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "offsets", offsets)
        object.__setattr__(self, "axes", self.base.axes)
        self._refuse_contact(call)

    def _refuse_contact(self, call: str) -> None:
        """Raises where two copies meet, by their boxes and then by points of the boundary."""
        ranges = [range(1 - n, n) for n in self.counts]
        steps = np.array([k for k in itertools.product(*ranges) if k > (0,) * len(k)])
        if not len(steps):
            return
        shifts = steps @ np.asarray(self.offsets, float)
        lower, upper = self.base.bounds
        tolerance = 1e-9 * self.base.size
        for shift in shifts[(np.abs(shifts) < upper - lower + tolerance).all(axis=-1)]:
            points = self.base.sample_boundary(512, key=0).points
            if self.base._sdf(points + shift).min() <= tolerance or not shift.any():
                raise ValueError(
                    f"{call} needs copies that do not meet; those apart by "
                    f"{tuple(shift.tolist())} do. Enlarge the offset, or join copies that meet "
                    "by `+`."
                )

    @functools.cached_property
    def _shifts(self) -> np.ndarray:
        """Where the copies are `(copies, d)`, relative to `base`."""
        grid = np.stack(np.meshgrid(*map(np.arange, self.counts), indexing="ij"), axis=-1)
        return np.asarray(grid.reshape(-1, len(self.counts)) @ np.asarray(self.offsets, float))

    @functools.cached_property
    def _folds(self) -> bool:
        """Whether the nearest copies are known from coordinates along the offsets: these are
        orthogonal, and a copy is no longer along an offset than that."""
        offsets = np.asarray(self.offsets, float)
        squares = offsets @ offsets.T
        lower, upper = self.base.bounds
        reach = np.abs(offsets) @ (upper - lower)
        orthogonal = np.abs(squares - np.diag(np.diag(squares))).max() <= 1e-12 * squares.max()
        return bool(orthogonal and np.all(reach <= np.diag(squares) * (1 + 1e-12)))

    def _local(self, points: Any) -> Any:
        """Points relative to copies, one of which is the nearest `(candidates, ..., d)`."""
        xp = namespace(points)
        if not self._folds:
            shifts = self._shifts.reshape(-1, *(1,) * (points.ndim - 1), self.dimension)
            return points - xp.asarray(shifts, points.dtype)
        offsets = np.asarray(self.offsets, float)
        along = xp.asarray(offsets.T / np.sum(offsets**2, axis=-1), points.dtype)
        middle = xp.asarray(np.mean(self.base.bounds, axis=0), points.dtype)
        before = xp.floor((points - middle) @ along)  # (..., directions)
        last = xp.asarray(np.array(self.counts) - 1, points.dtype)
        steps = itertools.product((0, 1), repeat=len(self.counts))
        copies = [xp.clip(before + xp.asarray(s, points.dtype), 0, last) for s in steps]
        return points - xp.stack(copies) @ xp.asarray(offsets, points.dtype)

    def _folded(self, points: Any) -> Any:
        """Points relative to the copy nearest to them."""
        xp = namespace(points)
        local = self._local(points)
        nearest = xp.argmin(self.base._sdf(local), axis=0)[None, ..., None]
        return xp.take_along_axis(local, nearest, axis=0)[0]

    def _bounds(self) -> tuple[Any, Any]:
        lower, upper = self.base.bounds
        return lower + self._shifts.min(axis=0), upper + self._shifts.max(axis=0)

    def _sdf(self, points: Any) -> Any:
        return namespace(points).min(self.base._sdf(self._local(points)), axis=0)

    def _level(self, points: Any) -> Any:
        """R-disjunction over all copies, which is smooth between them."""
        xp = namespace(points)
        levels = [
            self.base._level(points - xp.asarray(shift, points.dtype)) for shift in self._shifts
        ]
        return functools.reduce(either, levels)

    def _solid(self) -> Chart:
        """The first coordinate picks the copy and then, stretched, serves in it."""
        chart, copies = self.base._solid_chart, len(self._shifts)

        def fill(u: Any) -> tuple[Any, None, Any]:
            xp = namespace(u)
            scaled = copies * u[..., :1]
            index = xp.clip(xp.floor(scaled), 0, copies - 1)
            inside = xp.concatenate([scaled - index, u[..., 1:]], axis=-1)
            inside = inside if chart.warp is None else chart.warp(inside)
            points, _, kept = chart.map(inside)
            shifts = xp.asarray(self._shifts, u.dtype)
            return points + shifts[index[..., 0].astype(int)], None, kept

        return Chart(
            fill,
            chart.dimension,
            copies * chart.measure,
            fraction=chart.fraction,
            is_smooth=False,
            error=copies * chart.error,
        )

    def _faces(self) -> tuple[Face, ...]:
        return tuple(face for copy in self._copies for face in copy._boundary_faces)

    def _inner_faces(self) -> tuple[Face, ...]:
        return tuple(face for copy in self._copies for face in copy._interface_faces)

    @property
    def _copies(self) -> list[Shape]:
        return [Translated(self.base, tuple(shift.tolist())) for shift in self._shifts]

    @property
    def regions(self) -> Mapping[str, Shape]:
        """The regions of `base`, repeated alike."""
        return {name: replace(self, base=shape) for name, shape in self.base.regions.items()}

    def __repr__(self) -> str:
        base = f"({self.base!r})" if isinstance(self.base, Combination) else repr(self.base)
        if len(self.counts) == 1:
            return f"{base}.repeat({self.counts[0]!r}, {self.offsets[0]!r})"
        return f"{base}.repeat({self.counts!r}, {self.offsets!r})"


def _directions(
    counts: Any, offsets: Any, dimension: int, call: str
) -> tuple[tuple[int, ...], tuple[tuple[float, ...], ...]]:
    """The count and the offset of each direction, checked."""
    if not hasattr(counts, "__len__"):
        counts, offsets = (counts,), (offsets,)
    if not hasattr(offsets, "__len__") or len(counts) != len(offsets) or not len(counts):
        raise ValueError(
            f"{call} needs one offset for each count; got counts {counts!r}, offsets {offsets!r}."
        )
    for n in counts:
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise ValueError(f"{call} needs whole counts of one or more; got {n!r}.")
    if math.prod(counts) > _MOST_COPIES:
        raise ValueError(
            f"{call} makes at most {_MOST_COPIES} copies; {counts} are {math.prod(counts)}."
        )
    vectors = tuple(vector(o if hasattr(o, "__iter__") else (o,), call, dimension) for o in offsets)
    if not all(any(v) for v in vectors):
        raise ValueError(f"{call} needs offsets of some length; got {offsets!r}.")
    return tuple(map(int, counts)), vectors


@part_distance.register
def _(shape: Repeated, names: tuple[str, ...], points: Any, join: str) -> Any:
    """That of the copy which a point lies in, or next to."""
    return part_distance(shape.base, names, shape._folded(points), join)


@mesh_shape.register
def _(shape: Repeated, size: Any) -> SimplexMesh:
    copies = [Translated(shape.base, tuple(shift.tolist())) for shift in shape._shifts]
    if callable(size):
        meshes = [mesh_shape(copy, size) for copy in copies]
    else:
        mesh = mesh_shape(shape.base, size)
        meshes = [replace(mesh, points=mesh.points + shift) for shift in shape._shifts]
    starts = np.cumsum([0, *(len(mesh.points) for mesh in meshes)])
    pairs = list(zip(meshes, starts[:-1], strict=True))
    return SimplexMesh(
        np.concatenate([mesh.points for mesh in meshes]),
        np.concatenate([mesh.cells + start for mesh, start in pairs]),
        {
            name: np.concatenate([mesh.facets[name] + start for mesh, start in pairs])
            for name in meshes[0].facets
        },
    )
