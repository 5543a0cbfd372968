"""Constructive solid geometry: union, difference, intersection, symmetric difference.

A result is regularized: it is the closure of its interior, so faces that two operands share inside
it are no boundary. Its parts are the parts of the operands that are left.
"""

from __future__ import annotations

import abc
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geometry._arrays import namespace
from geometry.chart import Chart
from geometry.face import Face
from geometry.sequences import cube
from geometry.shape import Shape, is_enclosed, refuse_periodic
from geometry.trim import boundary_status, cut, flux


class Combination(Shape, abc.ABC):
    """All that the four operations have in common."""

    left: Shape
    right: Shape
    sign: str
    _is_combination = True

    @abc.abstractmethod
    def _join(self, a: Any, b: Any) -> Any:
        """Combines values that are negative inside each operand."""

    def _sdf(self, points: Any) -> Any:
        return self._join(self.left._sdf(points), self.right._sdf(points))

    def _membership(self, points: Any) -> Any:
        return self._join(self.left._membership(points), self.right._membership(points))

    def _faces(self) -> tuple[Face, ...]:
        leaves = tuple(leaves_of(self))
        faces = []
        alone = boundary_status(self)
        for index, named in enumerate(named_faces(leaves)):
            status = boundary_status(self, leaves[:index]) if index else alone
            others = leaves[:index] + leaves[index + 1 :]
            for face in named:
                faces += [replace(face, chart=c) for c in cut(face.chart, status, others, alone)]
        return tuple(faces)

    def _solid(self) -> Chart:
        base = self._enclosure()

        def cut_map(u: Any) -> tuple[Any, None, Any]:
            points, _, kept = base.map(u)
            inside = self._sdf(points) < 0
            return points, None, inside if kept is None else inside & kept

        whole = base.measure / base.fraction
        measure, error = self._measured(cut_map, base.dimension, whole)
        fraction = min(measure / whole, 1 - 1e-15)
        return Chart(
            cut_map,
            base.dimension,
            measure,
            base.periodic,
            fraction,
            base.density,
            base.warp,
            is_smooth=base.is_smooth,
            error=error,
        )

    def _measured(self, cut_map: Any, dimension: int, whole: float) -> tuple[float, float]:
        """The measure and its error: by the divergence theorem from the exact boundary, or by
        sampling above 3-D and where there is no such boundary.

        Surfaces in three dimensions are cut numerically: the error is estimated from that of their
        line rule (which converges as lines^-1.5 at tangencies).
        """
        d = self.dimension
        if d <= 3 and is_enclosed(self):
            k = d - self._n_sliced  # slice by slice, along time and parameters
            center = np.mean(self.bounds, axis=0)[:k]
            fluxes = [flux(face.chart, center) for face in self._boundary_faces]
            cut_area = sum(f.chart.measure for f in self._boundary_faces if f.chart.is_cut)
            off = sum(f.chart.error for f in self._boundary_faces) + 1e-4 * cut_area
            return float(sum(fluxes)) / k, float(off) * self.size / k
        estimates = [
            whole * np.mean(cut_map(cube(2**13, dimension, key=k, sampler="sobol")[0])[2])
            for k in range(8)
        ]
        return float(np.mean(estimates)), float(np.std(estimates, ddof=1) / np.sqrt(8))

    def _enclosure(self) -> Chart:
        """The chart that the interior is sampled from: an operand that contains it, or a box."""
        if isinstance(self, Difference):
            return self.left._solid_chart
        if isinstance(self, Intersection):
            return min(self.left._solid_chart, self.right._solid_chart, key=lambda c: c.measure)
        lower, upper = self._bounds()

        def fill(u: Any) -> tuple[Any, None, None]:
            xp = namespace(u)
            a = xp.asarray(lower, u.dtype)
            return a + xp.asarray(upper - lower, u.dtype) * u, None, None

        return Chart(fill, self.dimension, float(np.prod(upper - lower)))

    def __repr__(self) -> str:
        right = f"({self.right!r})" if isinstance(self.right, Combination) else repr(self.right)
        left = f"({self.left!r})" if isinstance(self.left, Combination) else repr(self.left)
        return f"{left} {self.sign} {right}"

    def __post_init__(self) -> None:
        if self.left.axes != self.right.axes:
            raise ValueError(
                f"`{self.sign}` needs two shapes with the same axes; got {self.left.axes} and "
                f"{self.right.axes}. Name axes alike with `axes=`, and put `.over(t, ...)` on both."
            )
        object.__setattr__(self, "axes", self.left.axes)
        for operand in (self.left, self.right):
            refuse_periodic(f"`{self.sign}`", operand)
        from geometry.motion import motion_of  # knows the operations

        if motion_of(self).is_still:
            _refuse_empty(self)

    @property
    def time(self) -> tuple[str, float, float] | None:
        """Name, start and end of the time axis that the operands share."""
        first, second = self.left.time, self.right.time
        return first if first == second or second is None else None

    @property
    def _n_sliced(self) -> int:
        return min(self.left._n_sliced, self.right._n_sliced)


@dataclass(frozen=True, repr=False)
class Union(Combination):
    """All points of either shape: `left + right`."""

    left: Shape
    right: Shape
    sign = "+"

    def _join(self, a: Any, b: Any) -> Any:
        return namespace(a, b).minimum(a, b)

    def _level(self, points: Any) -> Any:
        return either(self.left._level(points), self.right._level(points))

    def _bounds(self) -> tuple[Any, Any]:
        return _hull(self.left, self.right)


@dataclass(frozen=True, repr=False)
class Difference(Combination):
    """The points of the first shape outside the second: `left - right`."""

    left: Shape
    right: Shape
    sign = "-"

    def _join(self, a: Any, b: Any) -> Any:
        return namespace(a, b).maximum(a, -b)

    def _level(self, points: Any) -> Any:
        return both(self.left._level(points), -self.right._level(points))

    def _bounds(self) -> tuple[Any, Any]:
        return self.left.bounds


@dataclass(frozen=True, repr=False)
class Intersection(Combination):
    """The points of both shapes: `left & right`."""

    left: Shape
    right: Shape
    sign = "&"

    def _join(self, a: Any, b: Any) -> Any:
        return namespace(a, b).maximum(a, b)

    def _level(self, points: Any) -> Any:
        return both(self.left._level(points), self.right._level(points))

    def _bounds(self) -> tuple[Any, Any]:
        (a, b), (c, d) = self.left.bounds, self.right.bounds
        return np.maximum(a, c), np.minimum(b, d)


@dataclass(frozen=True, repr=False)
class SymmetricDifference(Combination):
    """The points of exactly one of two shapes: `left ^ right`."""

    left: Shape
    right: Shape
    sign = "^"

    def _join(self, a: Any, b: Any) -> Any:
        xp = namespace(a, b)
        return xp.maximum(xp.minimum(a, b), -xp.maximum(a, b))

    def _level(self, points: Any) -> Any:
        a, b = self.left._level(points), self.right._level(points)
        return both(either(a, b), -both(a, b))

    def _bounds(self) -> tuple[Any, Any]:
        return _hull(self.left, self.right)


def both(a: Any, b: Any) -> Any:
    """R-conjunction: positive where a and b are, smooth except where both vanish.

    Source: V. L. Rvachev; see V. Shapiro, Semi-analytic geometry with R-functions (2007), eq. 3.
    """
    return a + b - namespace(a, b).hypot(a, b)


def either(a: Any, b: Any) -> Any:
    """R-disjunction: positive where a or b is, smooth except where both vanish."""
    return a + b + namespace(a, b).hypot(a, b)


def leaves_of(shape: Shape) -> Iterator[Shape]:
    """Yields the shapes at the leaves of a CSG tree, from left to right."""
    if isinstance(shape, Combination):
        yield from leaves_of(shape.left)
        yield from leaves_of(shape.right)
    else:
        yield shape


def _hull(left: Shape, right: Shape) -> tuple[Any, Any]:
    (a, b), (c, d) = left.bounds, right.bounds
    return np.minimum(a, c), np.maximum(b, d)


def named_faces(leaves: tuple[Shape, ...]) -> list[list[Face]]:
    """The faces of each leaf, renamed where a name is taken by an earlier leaf.

    Faces whose primitives were given one and the same name are one part, and so are those of one
    primitive that comes twice. Otherwise the primitive's name, or its kind and number, goes in
    front: "cut.left", "rectangle2.left".
    """
    first: dict[Shape, list[Face]] = {}
    taken: dict[str, str | None] = {}
    kinds: dict[str, int] = {}
    result = []
    for leaf in leaves:
        if leaf in first:
            result.append(first[leaf])
            continue
        named, counted = [], set()
        for face in leaf._boundary_faces:
            if face.kind not in counted:
                counted.add(face.kind)
                kinds[face.kind] = kinds.get(face.kind, 0) + 1
            name = face.name
            for prefix in (face.owner, f"{face.kind}{kinds[face.kind]}"):
                if prefix is not None and not _is_free(name, face.owner, taken):
                    name = f"{prefix}.{face.name}"
            named.append(replace(face, name=name))
        taken.update({face.name: face.owner for face in named})
        result.append(named)
        first[leaf] = named
    return result


def _is_free(name: str, owner: str | None, taken: dict[str, str | None]) -> bool:
    return name not in taken or (owner is not None and taken[name] == owner)


class EmptyShape(ValueError):
    """An operation that leaves nothing."""


def _refuse_empty(shape: Combination) -> None:
    """Raises where nothing is left: no point among a few, and no piece of boundary either."""
    lower, upper = shape._bounds()
    if np.all(lower < upper):
        u, _ = cube(1024, shape.dimension, key=0, sampler="sobol")
        if np.any(shape._sdf(lower + (upper - lower) * u) < 0):
            return
        if shape.dimension <= 3 and shape._boundary_faces:
            return
    raise EmptyShape(
        f"`{shape.sign}` leaves nothing: `{shape!r}` is empty. Check that the shapes overlap as "
        "they should; `shape.bounds` tells where each one lies."
    )
