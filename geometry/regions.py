"""Domains made of several regions, such as two materials, with the interfaces between them."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from geometry._arrays import namespace, relative_tolerance
from geometry.chart import Chart
from geometry.csg import Combination, Difference, EmptyShape, Intersection, Union, leaves_of
from geometry.distance import part_distance
from geometry.face import Face, Surface
from geometry.sequences import cube
from geometry.shape import Shape
from geometry.trim import Status, cut

if TYPE_CHECKING:
    from geometry.part import Part


@dataclass(frozen=True, repr=False, init=False)
class Regions(Shape):
    """Several named shapes side by side: `Regions(core=core, shell=rim - core)`.

    Its parts are those of the outer boundary of all regions together. `interface("core", "shell")`
    is the part where two regions meet, also found as `regions["core|shell"]`; its normals point
    from the first region into the second, in the order they were given. `-` and `&` cut all
    regions.

    Raises:
        ValueError: regions that overlap.
    """

    members: tuple[tuple[str, Shape], ...]

    def __init__(self, **regions: Shape):
        if len(regions) < 2:
            raise ValueError(f"`Regions(name=shape, ...)` needs two or more; got {len(regions)}.")
        for name, shape in regions.items():
            if not isinstance(shape, Shape):
                raise TypeError(f"`Regions({name}=)` needs a shape; got {shape!r}.")
        object.__setattr__(self, "members", tuple(regions.items()))
        object.__setattr__(self, "axes", self._union.axes)
        self._refuse_overlaps()

    def _refuse_overlaps(self) -> None:
        lower, upper = self._union.bounds
        points = lower + (upper - lower) * cube(4096, self.dimension, key=0, sampler="sobol")[0]
        depth = 1e-9 * self._union.size
        for (a, first), (b, second) in itertools.combinations(self.members, 2):
            both = (first._sdf(points) < -depth) & (second._sdf(points) < -depth)
            if both.any():
                raise ValueError(
                    f"`Regions` needs regions that do not overlap; {a!r} and {b!r} share the point "
                    f"{tuple(points[both][0].tolist())}. Subtract one from the other."
                )

    @property
    def constructor_arguments(self) -> dict[str, Any]:
        """What makes the same domain again, as it is stored."""
        return dict(self.members)

    @property
    def regions(self) -> Mapping[str, Shape]:
        """The regions by name."""
        return MappingProxyType(dict(self.members))

    @functools.cached_property
    def _union(self) -> Shape:
        return functools.reduce(Union, (shape for _, shape in self.members))

    def interface(self, first: str, second: str) -> Part:
        """Returns the part where two regions meet, named in the order they were given.

        Its normals point from the first to the second.
        """
        for name in (first, second):
            if name not in self.regions:
                there = ", ".join(self.regions)
                raise KeyError(f"no region is called {name!r}; there are: {there}")
        name = f"{first}|{second}"
        if name not in self.interfaces:
            if f"{second}|{first}" in self.interfaces:
                raise KeyError(f"the interface is called {second + '|' + first!r}, in that order.")
            raise ValueError(f"the regions {first!r} and {second!r} of `Regions` do not meet.")
        return self[name]

    def _inner_faces(self) -> tuple[Face, ...]:
        pairs = itertools.combinations(self.regions, 2)
        return tuple(face for a, b in pairs for face in self._facing(a, b))

    def _facing(self, first: str, second: str) -> tuple[Face, ...]:
        """The pieces of the boundary of one region that have the other right behind them."""
        own, other = self.regions[first], self.regions[second]
        step = 1e-12 * self._union.size
        status = _behind(other, step)
        near = tuple(leaves_of(other))

        def rim(points: Any) -> Any:
            """Zero where both regions end, negative elsewhere."""
            xp = namespace(points)
            return -xp.maximum(xp.abs(own._sdf(points)), xp.abs(other._sdf(points)))

        def between(surface: Surface) -> Surface:
            trim = surface.trim
            both_end = rim if trim is None else lambda p: namespace(p).minimum(rim(p), trim(p))
            return replace(surface, trim=both_end)

        surfaces = {id(face.surface): between(face.surface) for face in own._boundary_faces}
        return tuple(
            replace(face, chart=chart, name=f"{first}|{second}", surface=surfaces[id(face.surface)])
            for face in own._boundary_faces
            for chart in cut(face.chart, status, near)
        )

    @property
    def time(self) -> tuple[str, float, float] | None:
        """Name, start and end of the time axis that the regions share."""
        return self._union.time

    @property
    def _n_sliced(self) -> int:
        return self._union._n_sliced

    def _bounds(self) -> tuple[Any, Any]:
        return self._union._bounds()

    def _sdf(self, points: Any) -> Any:
        return self._union._sdf(points)

    def _membership(self, points: Any) -> Any:
        return self._union._membership(points)

    def _level(self, points: Any) -> Any:
        return self._union._level(points)

    def _faces(self) -> tuple[Face, ...]:
        return self._union._boundary_faces

    def _solid(self) -> Chart:
        return self._union._solid_chart

    def __repr__(self) -> str:
        return f"Regions({', '.join(f'{name}={shape!r}' for name, shape in self.members)})"


def cut_regions(operation: type[Combination], left: Shape, right: Shape) -> Shape:
    """Returns what an operation leaves of a domain with regions, region by region.

    Raises:
        ValueError: a union, in which the added shape has no name, or a single region left.
    """
    if operation is Difference and not left.regions:
        return Difference(left, right)
    if operation is Intersection and not left.regions:
        left, right = right, left
    sign, there = operation.sign, ", ".join([*left.regions, *right.regions])
    if operation not in (Difference, Intersection):
        raise ValueError(
            f"`{sign}` would lose the regions {there}: what is added needs a name. Write "
            "`Regions(name=shape, ...)` with all of them."
        )
    kept = {}
    for name, member in left.regions.items():
        with contextlib.suppress(EmptyShape):
            kept[name] = operation(member, right)
    if not kept:
        return operation(left, right)  # raises
    if len(kept) == 1:
        name, member = kept.popitem()
        raise ValueError(
            f"`{sign}` leaves of the regions {there} only {name!r}: write `{member!r}` alone."
        )
    return Regions(**kept)


def _behind(other: Shape, step: float) -> Status:
    def status(points: Any, normals: Any) -> tuple[Any, Any]:
        xp = namespace(points)
        reach = max(step, relative_tolerance(points) * other.size) if xp is not np else step
        kept = other._sdf(points + 2 * reach * normals) < 0
        return kept, xp.ones_like(points[..., 0])

    return status


@part_distance.register
def _(shape: Regions, names: tuple[str, ...], points: Any, join: str) -> Any:
    strange = [name for name in names if name not in shape.parts]
    if strange:
        raise ValueError(
            f"`distance` is for parts of the outer boundary; {strange[0]!r} is an interface."
        )
    return part_distance(shape._union, names, points, join)
