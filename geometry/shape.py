"""The base of all shapes: what every shape answers, from five hooks that each one supplies."""

from __future__ import annotations

import abc
import dataclasses
import functools
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from diffcore.precision import precision
from geometry._arrays import (
    gradient,
    laplacian,
    namespace,
    norm,
    number,
    query,
    relative_tolerance,
    without_caches,
)
from geometry.chart import Chart, draw
from geometry.face import Face
from geometry.samples import BoundarySample, Sample
from geometry.sequences import check_count, cube, point_count, subkey

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from geometry.mesh import SimplexMesh
    from geometry.part import Part


class Shape(abc.ABC):
    """A bounded region with named parts of its boundary.

    Shapes are frozen dataclasses of what the user wrote: they print as the code that makes them,
    compare and hash. Queries take points `(..., dimension)`: lists and NumPy arrays give NumPy
    arrays, JAX arrays and tracers give JAX arrays, and `jax.grad` goes through `signed_distance`.

    Combine shapes with `+` (union), `-` (difference), `&` (intersection) and `^` (symmetric
    difference), and pick parts of the boundary with `shape["left"]`, `shape["left", "top"]`.
    """

    axes: tuple[str, ...]
    _is_combination: bool = False
    _is_faceted: bool = False

    @abc.abstractmethod
    def _bounds(self) -> tuple[Any, Any]:
        """The corners of a box that encloses the shape."""

    @abc.abstractmethod
    def _sdf(self, points: Any) -> Any:
        """Signed distance, negative inside, for points of either array library."""

    def _membership(self, points: Any) -> Any:
        """What tells inside from outside: near the boundary like the signed distance, and of its
        sign everywhere. Shapes override it where that costs less than the distance."""
        return self._sdf(points)

    @abc.abstractmethod
    def _level(self, points: Any) -> Any:
        """A function as smooth as can be, of unit slope at the boundary and positive inside."""

    @abc.abstractmethod
    def _faces(self) -> tuple[Face, ...]:
        """The named pieces of the boundary, with distinct names for distinct parts."""

    @abc.abstractmethod
    def _solid(self) -> Chart:
        """A chart of the interior; its measure is that of the shape."""

    def _slope(self, points: Any) -> Any:
        """The gradient of the signed distance."""
        return gradient(self._sdf, points)

    # What the shape is

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return len(self.axes)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper corner of a box that encloses the shape, tight for primitives."""
        try:
            lower, upper = self._bounds()
            return np.array(lower, float), np.array(upper, float)
        except TypeError:
            _refuse_symbols(self)
            raise

    @functools.cached_property
    def size(self) -> float:
        """Length of the diagonal of `bounds`, to which tolerances are relative."""
        lower, upper = self.bounds
        return float(np.linalg.norm(upper - lower))

    @property
    def measure(self) -> float:
        """Length, area or volume; exact up to rounding unless `measure_error` says otherwise."""
        return self._solid_chart.measure

    @property
    def measure_error(self) -> float:
        """Estimated error of `measure`; zero where that is exact up to rounding."""
        return self._solid_chart.error

    @property
    def periods(self) -> Mapping[str, float]:
        """Length of the period for each periodic axis; empty for an ordinary shape."""
        return {}

    @property
    def time(self) -> tuple[str, float, float] | None:
        """Name, start and end of the time axis of a space-time domain, else None."""
        return None

    @property
    def _has_boundary(self) -> bool:
        """Whether its faces enclose it."""
        return True

    @property
    def _n_sliced(self) -> int:
        """Number of last coordinates, as time, in which no normal has a component."""
        return 0

    # Parts of the boundary

    @functools.cached_property
    def _boundary_faces(self) -> tuple[Face, ...]:
        _refuse_symbols(self)
        return self._faces()

    @functools.cached_property
    def _solid_chart(self) -> Chart:
        _refuse_symbols(self)
        return self._solid()

    @functools.cached_property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts of the boundary."""
        return tuple(dict.fromkeys(face.name for face in self._boundary_faces))

    @property
    def boundary(self) -> Part:
        """The whole boundary."""
        return self["boundary"]

    def __getitem__(self, names: str | tuple[str, ...]) -> Part:
        """Returns the part, or the union of parts, with the given names.

        `"boundary"` is the whole boundary, and the name given to a primitive of a CSG tree stands
        for all its parts that are left.

        Raises:
            KeyError: a name that no part has; the message lists those there are.
        """
        from geometry.part import find_part  # parts refer to shapes

        return find_part(self, names)

    @functools.cached_property
    def _interface_faces(self) -> tuple[Face, ...]:
        return self._inner_faces()

    @property
    def regions(self) -> Mapping[str, Shape]:
        """The shapes that a domain of several is made of, by name; empty for a single region."""
        return {}

    @query
    def region_of(self, points: Any) -> Any:
        """Returns the index, in the order of `regions`, of the region of each point, or -1."""
        if not self.regions:
            raise ValueError(
                f"`region_of(points)` needs a domain made by `Regions(name=shape)`; got {self!r}."
            )
        xp = namespace(points)
        depths = xp.stack([shape._sdf(points) for shape in self.regions.values()], axis=-1)
        index = xp.argmin(depths, axis=-1)
        return xp.where(xp.min(depths, axis=-1) <= 1e-9 * self.size, index, -1)

    @property
    def interfaces(self) -> tuple[str, ...]:
        """Names of the parts between regions; empty for a single region."""
        return tuple(dict.fromkeys(face.name for face in self._interface_faces))

    def _inner_faces(self) -> tuple[Face, ...]:
        """The pieces of interface between regions: a shape with regions supplies them."""
        return ()

    # Queries

    @query
    def signed_distance(self, points: Any) -> Any:
        """Returns the distance to the boundary `(...)`, negative inside.

        Notes: exact for primitives and their rigid motions. For CSG it has the right sign and is
        at most the distance in absolute value (exact near faces, short near corners that an
        operation made). Differentiable wherever the distance is.
        """
        return self._sdf(points)

    @query
    def contains(self, points: Any) -> Any:
        """Returns whether each point `(..., dimension)` lies in the closed shape.

        Notes: inside a trace, where faces of two operands of a CSG tree coincide and leave nothing
        behind them, points on those faces count as inside too.
        """
        tolerance = contact(self, points)
        if namespace(points) is np:
            return contains_eagerly(self, points, tolerance)
        return self._membership(points) <= tolerance

    @query
    def normals(self, points: Any) -> Any:
        """Returns the outward unit normal at the boundary nearest to each point `(..., d)`.

        It is the direction of the gradient of the signed distance.
        """
        slope = self._slope(points)
        length = norm(slope)[..., None]
        return slope / namespace(points).where(length > 0, length, 1)

    @query
    def closest_point(self, points: Any) -> Any:
        """Returns the nearest point of the boundary to each point `(..., d)`.

        Notes: exact wherever `signed_distance` is. For CSG the steps are repeated until they have
        reached the boundary, near the closest point. On the medial axis it is one of several.
        """
        for _ in range(4):
            points = points - self._sdf(points)[..., None] * self._slope(points)
        return points

    @query
    def curvature(self, points: Any) -> Any:
        """Returns the sum of the principal curvatures `(...)` of the boundary at its points.

        It is the divergence of the normal: 1 / r for a disk, 2 / r for a ball, negative in a hole.
        """
        return laplacian(self._sdf, points)

    # Sampling

    def sample_interior(
        self,
        n: int | None = None,
        *,
        key: Any,
        sampler: str = "sobol",
        density: float | None = None,
    ) -> Sample:
        """Returns `n` points of the interior, uniform, with weights that sum to the measure.

        Arguments:
            n: number of points.
            key: int seed or JAX key. With a traced key this is a JAX function of static shapes
                that runs inside a compiled step; otherwise it returns NumPy float64 arrays.
            sampler: "sobol", "random", "halton", "latin"; "grid" and "gauss", which return the
                largest tensor rule with at most `n` points (about `n` for "grid" on cut shapes); or
                "poisson", points far apart whose weights tell how many candidates each stands for.
            density: points for each unit of measure, in place of `n`.
        """
        n = point_count(n, density, self.measure)
        points, _, weights = draw(self._solid_chart, n, key=key, sampler=sampler)
        return Sample(points, weights)

    def sample_boundary(
        self,
        n: int | Mapping[Any, int] | None = None,
        *,
        key: Any,
        sampler: str = "sobol",
        density: float | None = None,
    ) -> BoundarySample:
        """Returns `n` points of the boundary, distributed by true measure, with outward normals.

        Every part gets at least one point when `n` allows. A part that is a single point (the end
        of an interval) is returned once, whatever `n`. Arguments are those of `sample_interior`;
        `n` may also give a number for each part that is wanted, as `{"left": 50, "top": 20}`.
        """
        if isinstance(n, Mapping):
            return sample_parts(self, n, key=key, sampler=sampler, density=density)
        total = point_count(n, density, self.boundary.measure)
        return sample_faces(self, self._boundary_faces, total, key=key, sampler=sampler)

    # Algebra

    def __add__(self, other: Shape) -> Shape:
        return self._combined("Union", other)

    def __sub__(self, other: Shape) -> Shape:
        return self._combined("Difference", other)

    def __and__(self, other: Shape) -> Shape:
        return self._combined("Intersection", other)

    def __xor__(self, other: Shape) -> Shape:
        return self._combined("SymmetricDifference", other)

    def _combined(self, operation: str, other: Shape) -> Shape:
        if not isinstance(other, Shape):
            return NotImplemented
        from geometry import csg, regions  # the operations are shapes themselves

        kind = getattr(csg, operation)
        if self.regions or other.regions:
            return regions.cut_regions(kind, self, other)
        return kind(self, other)

    # Motions

    def translate(self, offset: Any) -> Shape:
        """Returns the shape moved by a vector."""
        from geometry.transforms import Translated

        return Translated(self, offset)

    def rotate(self, angle: float, *, center: Any = None, axis: Any = None) -> Shape:
        """Returns the shape turned by an angle in radians, about `axis` in three dimensions.

        `center` stays where it is: the origin if not given.
        """
        from geometry.transforms import Rotated

        return Rotated(self, angle, self._origin(center), axis)

    def scale(self, factor: float, *, center: Any = None) -> Shape:
        """Returns the shape enlarged by a factor about `center` (the origin if not given)."""
        from geometry.transforms import Scaled

        return Scaled(self, factor, self._origin(center))

    def mirror(self, normal: Any, *, point: Any = None) -> Shape:
        """Returns the mirror image in the plane through `point` (or the origin) across `normal`."""
        from geometry.transforms import Mirrored

        return Mirrored(self, normal, self._origin(point))

    def repeat(self, count: Any, offset: Any) -> Shape:
        """Returns the union of `count` separate copies of the shape, each `offset` from the last.

        Several directions make a grid: `pin.repeat((4, 3), ((1, 0), (0, 1)))`. The parts keep their
        names, and queries cost as much for many copies as for few where the directions are
        orthogonal.

        Raises:
            ValueError: copies that meet.
        """
        from geometry.repeated import Repeated

        return Repeated(self, count, offset)

    def _origin(self, point: Any) -> Any:
        return (0,) * self.dimension if point is None else point

    # Products, periodicity

    def extrude(self, start: float, end: float, *, axis: str | None = None) -> Shape:
        """Returns the shape drawn out along a further axis, from `start` to `end`.

        Its parts are those of this shape, "base" and "cap". The axis is the next of x, y, z unless
        named.
        """
        from geometry.product import Extruded, next_axis

        return Extruded(self, start, end, axis or next_axis(self))

    def revolve(self) -> Shape:
        """Returns the solid that a plane shape sweeps when it turns about its second axis.

        The first coordinate becomes the distance from the axis z, the second the height on it.
        """
        from geometry.revolved import Revolved

        return Revolved(self)

    def over(self, t: Any, start: Any = None, end: Any = None) -> Shape:
        """Returns the space-time domain of this shape for times from `start` to `end`.

        Its parts are those of the shape, with no time component in their normals, and "initial"
        and "final".

        Where `t` is a parameter with a range, this is the family of the shape over that range: it
        has the parts of the shape alone, and `start` and `end` are those of the range unless given.

        A shape that moves or grows has expressions of t in its center, corners, radius, or in
        `translate` or `scale`: `Disk((1 + t, 0.5), 0.1).over(t, 0, 1)`.

        Arguments:
            t: the name of the time axis, or a symbol that prints as it; or a parameter.
        """
        from geometry.moving import over

        if not isinstance(t, str) and not getattr(t, "is_Symbol", False):
            raise TypeError(
                f"`over(t, a, b)` needs a symbol or a name for time; got {t!r}. Write "
                '`t = coordinates("t")`, or "t".'
            )
        between = getattr(t, "between", None)
        if start is None and end is None and between is not None:
            start, end = between
        if start is None or end is None:
            raise TypeError(f"`over({t}, a, b)` needs both ends; got {start!r} and {end!r}.")
        return over(self, str(t), start, end, is_time=between is None)

    def periodic(self, *axes: str) -> Shape:
        """Returns the shape with opposite ends identified along the named axes.

        The parts at those ends disappear from the boundary.
        """
        from geometry.periodic import make_periodic

        return make_periodic(self, tuple(str(axis) for axis in axes))

    # Meshing

    def mesh(self, size: float | Callable[[np.ndarray], np.ndarray] | None = None) -> SimplexMesh:
        """Returns a mesh of simplices with edges of about `size` and facets tagged by part.

        Arguments:
            size: edge length, or in two and three dimensions a function from points `(n, d)` to
                lengths; None for the mesh that a `PlaneMesh` or `VolumeMesh` holds.

        Notes: any shape in one to three dimensions, boxes in more. Vertices of curved boundaries
            lie on them, so measures converge at second order; edges and corners of the shape are
            edges and vertices of the mesh. Cells are smaller where the boundary curves strongly.

        Example:
            >>> from geometry import Ball
            >>> mesh = Ball((0, 0, 0), 1).mesh(0.5)
            >>> bool((mesh.cell_measures > 0).all())
            True
        """
        from geometry.meshing.shapes import mesh_shape

        return mesh_shape(self, size)

    # Pictures

    def plot(self, ax: Any = None, path: Any = None) -> Figure:
        """Returns a Matplotlib figure of the shape, its parts in colors with names and normals.

        Arguments:
            ax: axes to draw into, 3-D ones for solids.
            path: where to save the picture, if anywhere.
        """
        from geometry.picture import draw_shape  # Matplotlib is slow to import

        return draw_shape(self, ax, path)

    def __getstate__(self) -> dict[str, Any]:
        return without_caches(self)

    def __repr__(self) -> str:
        return constructor_text(self)


def _refuse_symbols(shape: Shape) -> None:
    """Raises for a shape with symbols in it, which is asked for numbers."""
    from geometry.motion import motion_of  # of shapes

    if not motion_of(shape).is_still:
        raise ValueError(
            f"`{shape!r}` depends on symbols, and has numbers only over a range of them: write "
            "`.over(t, a, b)`, for time or for a parameter."
        )


_BATCH = 2**16


def contains_eagerly(shape: Shape, points: np.ndarray, tolerance: float) -> np.ndarray:
    """Returns whether points lie in the closed shape, in compiled batches if there are many."""
    flat = points.reshape(-1, shape.dimension)
    if len(flat) <= 2 * _BATCH or is_faceted(shape):
        values = shape._membership(flat)
    else:
        values = _in_batches(shape, flat)
    inside = values <= tolerance
    if shape._is_combination:
        contact = np.flatnonzero(inside & (values >= -tolerance))
        if len(contact):
            inside[contact] = _has_inside_nearby(shape, flat[contact], 32 * tolerance)
    return inside.reshape(points.shape[:-1])


def _in_batches(shape: Shape, points: np.ndarray) -> np.ndarray:
    """What `_membership` returns, by a compiled function that all processors run at once."""
    result = np.empty(len(points), points.dtype)

    def fill(start: int) -> None:
        start = min(start, len(points) - _BATCH)
        batch = points[start : start + _BATCH]
        with precision(points.dtype.name):
            result[start : start + _BATCH] = _compiled_membership(shape, batch)

    first, *rest = range(0, len(points), _BATCH)
    fill(first)  # compiles
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(fill, rest))
    return result


def is_faceted(shape: Any) -> bool:
    """Whether a shape is made from facets of a mesh: its distances have kinks, and NumPy searches
    for the nearest facet faster than compiled code compares all."""
    return any(part._is_faceted for part in _made_of(shape))


def is_enclosed(shape: Any) -> bool:
    """Whether the faces of all that a shape is made from enclose it: those of a cloud of points
    without normals do not."""
    return all(part._has_boundary for part in _made_of(shape))


def _made_of(shape: Any) -> Iterator[Shape]:
    """Yields a shape and all shapes in its definition."""
    yield shape
    for value in jax.tree.leaves([getattr(shape, f.name) for f in dataclasses.fields(shape)]):
        if isinstance(value, Shape):
            yield from _made_of(value)


@functools.partial(jax.jit, static_argnums=0)
def _compiled_membership(shape: Shape, points: Any) -> Any:
    return shape._membership(points)


def _has_inside_nearby(shape: Shape, points: np.ndarray, step: float) -> np.ndarray:
    """Whether points on faces have the inside of the shape next to them, as closures do."""
    u, _ = cube(64, shape.dimension, key=0, sampler="sobol")
    directions = u - 0.5
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    found = np.zeros(len(points), bool)
    for direction in directions:
        found |= shape._membership(points + step * direction) < 0
    return found


def contact_tolerance(points: Any) -> float:
    """Returns the distance, relative to the size, within which a point counts as on a boundary."""
    return float(np.finfo(points.dtype).eps ** 0.5)  # 1.5e-8 in float64, 3e-4 in float32


def refuse_periodic(call: str, shape: Shape) -> None:
    """Raises for a periodic shape, whose images an operation would not see."""
    if shape.periods:
        axes = ", ".join(map(repr, shape.periods))
        raise ValueError(
            f"{call} needs a shape that is not periodic; got `{shape!r}`. Make the result periodic "
            f"at the end, by `.periodic({axes})`; give what crosses an end at both ends."
        )


def contact(shape: Shape, points: Any) -> float:
    """Returns the distance within which a point counts as on a boundary of a shape."""
    return max(contact_tolerance(points) * shape.size, _spacing(shape, points))


def _spacing(shape: Shape, points: Any) -> float:
    """A length above the rounding of the coordinates of a shape, which may lie far away."""
    return 16 * float(np.finfo(points.dtype).eps) * float(np.max(np.abs(shape.bounds)))


def rounding(shape: Shape, points: Any) -> float:
    """Returns a length that rounding does not hide, neither in the size nor in the coordinates."""
    return max(relative_tolerance(points) * shape.size, _spacing(shape, points))


def sample_faces(
    shape: Shape, faces: tuple[Face, ...], n: int, *, key: Any, sampler: str
) -> BoundarySample:
    """Returns about `n` points of the given faces of a shape, stratified by face."""
    check_count(n)
    if not faces:
        raise ValueError(f"`{shape!r}` has no boundary to sample.")
    names = (*shape.parts, *(face.name for face in shape._interface_faces))
    columns = []
    for index, (face, count) in enumerate(zip(faces, face_counts(faces, n), strict=True)):
        if count == 0:
            continue
        points, normals, weights = draw(face.chart, count, key=subkey(key, index), sampler=sampler)
        part = np.full(len(points), names.index(face.name))
        columns.append((points, normals, weights, part))
    xp = namespace(columns[0][0])
    points, normals, weights, parts = (xp.concatenate(c) for c in zip(*columns, strict=True))
    covered = float(sum(f.chart.measure for f in faces)) if len(columns) < len(faces) else None
    if covered is not None:  # fewer points than faces: the weights stand for the whole all the same
        weights = weights * (covered / xp.sum(weights))
    return BoundarySample(points, normals, weights, parts)


def sample_parts(
    shape: Shape, counts: Mapping[Any, int], *, key: Any, sampler: str, density: Any
) -> BoundarySample:
    """Returns the given number of points of each of several parts, one part after the other."""
    if density is not None or not counts:
        raise ValueError(
            "`sample_boundary({name: n})` needs a number for one part or more, and no `density`; "
            f"got {dict(counts)!r}, density={density!r}."
        )
    parts = [shape[names] for names in counts]
    named = [name for part in parts for name in part.names]
    twice = sorted({name for name in named if named.count(name) > 1})
    if twice:
        raise ValueError(f"`sample_boundary({{name: n}})` names {twice[0]!r} more than once.")
    samples = [
        part.sample(n, key=subkey(key, i), sampler=sampler)
        for i, (part, n) in enumerate(zip(parts, counts.values(), strict=True))
    ]
    xp = namespace(samples[0].points)
    columns = ("points", "normals", "weights", "parts")
    return BoundarySample(*(xp.concatenate([getattr(s, c) for s in samples]) for c in columns))


def face_counts(faces: tuple[Face, ...], n: int) -> list[int]:
    """Distributes `n` points by measure with largest remainders, at least one for each face.

    With fewer points than faces, the largest face of each part comes first.
    """
    solid = [i for i, face in enumerate(faces) if face.chart.dimension > 0]
    counts = [0 if i in set(solid) else 1 for i in range(len(faces))]
    if not solid:
        return counts
    measures = np.array([faces[i].chart.measure for i in solid])
    if n <= len(solid):
        seen: set[str] = set()
        ranks = []
        for i in sorted(solid, key=lambda i: -faces[i].chart.measure):
            ranks.append((faces[i].name in seen, i))
            seen.add(faces[i].name)
        for _, i in sorted(ranks, key=lambda rank: rank[0])[:n]:
            counts[i] = 1
        return counts
    whole = largest_remainders(measures, n)
    for i, count in zip(solid, whole, strict=True):
        counts[i] = count
    return counts


def largest_remainders(measures: np.ndarray, n: int) -> list[int]:
    """Returns whole numbers that sum to `n` in proportion to measures, one or more for each.

    Where there are more measures than `n`, the largest get one each.
    """
    if n <= len(measures):
        chosen = np.argsort(-measures, kind="stable")[:n]
        return [int(i in chosen) for i in range(len(measures))]
    shares = measures / measures.sum() * n
    whole = np.maximum(np.floor(shares).astype(int), 1)
    order = np.argsort(-(shares - np.floor(shares)), kind="stable")
    for i in range(n - whole.sum()):
        whole[order[i % len(order)]] += 1
    while whole.sum() > n:  # ends: each pass takes one from the largest, and n > len(measures)
        whole[np.argmax(whole)] -= 1
    return [int(count) for count in whole]


def constructor_text(shape: Any) -> str:
    """Returns the code that makes a dataclass: required fields by position, others by name."""
    words = []
    for field in dataclasses.fields(shape):
        if not field.repr:
            continue
        value = getattr(shape, field.name)
        if field.default is dataclasses.MISSING:
            words.append(repr(value))
        elif field.name == "axes":
            if value != default_axes(shape.dimension):
                words.append(f"axes={value!r}")
        elif value != field.default:
            words.append(f"{field.name}={value!r}")
    return f"{type(shape).__name__}({', '.join(words)})"


def default_axes(dimension: int) -> tuple[str, ...]:
    """Returns x, y, z, or x1, x2, ... above three dimensions."""
    if dimension <= 3:
        return ("x", "y", "z")[:dimension]
    return tuple(f"x{i}" for i in range(1, dimension + 1))


def set_axes(shape: Any, axes: Any, dimension: int) -> None:
    """Stores the axis names of a primitive: the given ones, checked, or the default ones."""
    if axes is None:
        names = default_axes(dimension)
    else:
        names = (axes,) if isinstance(axes, str) else tuple(str(axis) for axis in axes)
        if len(names) != dimension or len(set(names)) != dimension:
            raise ValueError(f"`axes` needs {dimension} distinct names; got {axes!r}.")
    object.__setattr__(shape, "axes", names)


def set_name(shape: Any) -> None:
    """Checks the name of a primitive."""
    if shape.name is None:
        return
    if not isinstance(shape.name, str):
        raise TypeError(f"`name` needs text; got {shape.name!r}.")
    if not shape.name or shape.name == "boundary":
        raise ValueError(
            f"`name` needs a word other than 'boundary', which is the whole boundary; "
            f"got {shape.name!r}."
        )


def positive(value: Any, what: str) -> float | int:
    """Returns a finite number above zero."""
    result = number(value, what)
    if result <= 0:
        raise ValueError(f"{what} needs a number above zero; got {value!r}.")
    return result
