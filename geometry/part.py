"""Parts of a boundary, by name."""

from __future__ import annotations

import difflib
import functools
import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from geometry._arrays import namespace, number, query, relative_tolerance, without_caches
from geometry.condition import Condition
from geometry.face import Face, Surface
from geometry.samples import BoundarySample
from geometry.sequences import point_count
from geometry.shape import contact, default_axes, is_faceted, sample_faces
from geometry.trim import cut

if TYPE_CHECKING:
    from geometry.shape import Shape


@dataclass(frozen=True, repr=False)
class Part:
    """The union of some named parts of the boundary of a shape: `shape["left", "top"]`."""

    shape: Shape
    names: tuple[str, ...]
    condition: tuple[Condition, ...] = ()

    @property
    def dimension(self) -> int:
        """Number of coordinates of its points."""
        return self.shape.dimension

    @property
    def label(self) -> str:
        """Its names and conditions in words, as "left where y > 0.5"."""
        where = " and ".join(map(repr, self.condition))
        return ", ".join(self.names) + (f" where {where}" if where else "")

    @functools.cached_property
    def _faces(self) -> tuple[Face, ...]:
        everything = (*self.shape._boundary_faces, *self.shape._interface_faces)
        faces = [face for face in everything if face.name in self.names]
        if not self.condition:
            return tuple(faces)

        def status(points: Any, normals: Any) -> tuple[Any, Any]:
            return self._holds(points), namespace(points).ones_like(points[..., 0])

        return tuple(replace(f, chart=c) for f in faces for c in cut(f.chart, status, ()))

    def _holds(self, points: Any) -> Any:
        results = [condition.holds(points) for condition in self.condition]
        return functools.reduce(lambda a, b: a & b, results)

    @property
    def is_smooth(self) -> bool:
        """Whether `distance` is smooth inside the shape; to the facets of a mesh it has kinks."""
        return not is_faceted(self.shape)

    def where(self, condition: Any) -> Part:
        """Returns the piece of the part where a condition on the coordinates holds.

        Arguments:
            condition: a SymPy relation such as `y > 0.5`, or a function of points `(..., d)` that
                returns truth values, or numbers that are positive where it holds.

        Raises:
            ValueError: nothing is left.
        """
        condition = Condition(condition, self.shape.axes)
        part = Part(self.shape, self.names, (*self.condition, condition))
        if not part._faces:
            raise ValueError(f"`where({condition!r})` leaves nothing of {self!r}.")
        return part

    @property
    def measure(self) -> float:
        """Length or area; the number of points in one dimension."""
        return float(sum(face.chart.measure for face in self._faces))

    def sample(
        self,
        n: int | None = None,
        *,
        key: Any,
        sampler: str = "sobol",
        density: float | None = None,
    ) -> BoundarySample:
        """Returns `n` points of the part with outward normals and weights that sum to its measure.

        Arguments are those of `Shape.sample_interior`. `parts` indexes `shape.parts`.
        """
        n = point_count(n, density, self.measure)
        return sample_faces(self.shape, self._faces, n, key=key, sampler=sampler)

    @query
    def contains(self, points: Any) -> Any:
        """Returns whether each point lies on the part, its rim included.

        The tolerance is 1.5e-8 of the size of the shape in float64, 3e-4 in float32.
        """
        xp = namespace(points)
        on_part = xp.zeros(points.shape[:-1], bool)
        surfaces = {id(face.surface): (face.surface, face.name) for face in self._faces}
        for surface, name in surfaces.values():
            if name in self.shape.interfaces:
                on_part = on_part | _on_face(surface, points, contact(self.shape, points))
            else:
                on_part = on_part | on_boundary(self.shape, surface, points)
        return on_part & self._holds(points) if self.condition else on_part

    @query
    def distance(self, points: Any, *, join: str = "product") -> Any:
        """Returns a smooth function that is zero on the part and positive elsewhere in the shape.

        Arguments:
            join: how several faces go together. "product" makes polynomials of boxes, such as
                x (1 - x) y (1 - y); "equivalence" has unit slope on every face.

        Notes: one face, or two opposite ones, have unit slope. Faces of a box whose plane cuts the
        shape elsewhere are trimmed. Derivatives of every order exist inside the shape.

        Source: A. Biswas and V. Shapiro, Approximate distance fields with non-vanishing gradients
        (2004), eqs. 5 and 9; N. Sukumar and A. Srivastava, Exact imposition of boundary conditions
        with distance functions in physics-informed deep neural networks (2022), eqs. 9 and 14.
        """
        from geometry.distance import part_distance, trimmed  # walk CSG trees

        distance = part_distance(self.shape, self.names, points, join)
        for condition in self.condition:
            distance = trimmed(distance, condition.level(points), self.shape.size)
        return distance

    def __sub__(self, other: Part) -> Part:
        """Returns what is left of this part without the names of another one."""
        _refuse_mixture("-", self, other)
        if other.condition:
            raise ValueError(
                f"`-` takes away parts as wholes; {other!r} is a piece. Use `where` with the "
                "opposite condition."
            )
        names = tuple(name for name in self.names if name not in other.names)
        if not names:
            raise ValueError(f"`-` leaves nothing: {other!r} covers {self!r}.")
        return Part(self.shape, names, self.condition)

    def __add__(self, other: Part) -> Part:
        """Returns the union of two parts of one shape."""
        _refuse_mixture("+", self, other)
        if other.condition != self.condition:
            raise ValueError(f"`+` needs parts with the same `where`; got {self!r} and {other!r}.")
        return Part(self.shape, tuple(dict.fromkeys(self.names + other.names)), self.condition)

    def __getstate__(self) -> dict[str, Any]:
        return without_caches(self)

    def __repr__(self) -> str:
        words = ", ".join(map(repr, self.names))
        text = ".boundary" if self.names == self.shape.parts else f"[{words}]"
        return f"({self.shape!r}){text}" + "".join(f".where({c!r})" for c in self.condition)


def _refuse_mixture(sign: str, part: Part, other: Any) -> None:
    if not isinstance(other, Part) or other.shape != part.shape:
        raise ValueError(f"`{sign}` needs two parts of one shape; got {part!r} and {other!r}.")


def on_boundary(shape: Shape, surface: Surface, points: Any) -> Any:
    """Returns whether points lie on what is left of a face, its rim included.

    A point does if it, or a point of the face next to it, has the inside on one side only.
    """
    xp = namespace(points)
    near = contact(shape, points)
    if xp is np:  # what is off the carrier costs no search
        result = np.array(_on_face(surface, points, near))
        result[result] = _bounds_inside(shape, surface, points[result], near)
        return result
    return _on_face(surface, points, near) & _bounds_inside(shape, surface, points, near)


def _bounds_inside(shape: Shape, surface: Surface, points: Any, near: float) -> Any:
    """Whether points of the carrier of a face, or others next to them, have the inside of the shape
    on one side only."""
    xp = namespace(points)
    normals = surface.normal(points)
    result = xp.zeros(points.shape[:-1], bool)
    middle = xp.asarray(np.mean(shape.bounds, axis=0), points.dtype)
    for direction in (*_neighbors(shape.dimension), xp.sign(middle - points)):
        shift = 8 * near * xp.asarray(direction, points.dtype)
        beside = points + shift - xp.sum(shift * normals, axis=-1, keepdims=True) * normals
        behind = shape._sdf(beside - near * normals) < 0
        ahead = shape._sdf(beside + near * normals) < 0
        result = result | (_on_face(surface, beside, near) & (behind != ahead))
    return result


def _neighbors(dimension: int) -> np.ndarray:
    if dimension <= 3:
        return np.array(list(itertools.product((0, 1, -1), repeat=dimension)))
    return np.concatenate([np.zeros((1, dimension)), np.eye(dimension), -np.eye(dimension)])


def _on_face(surface: Surface, points: Any, near: float) -> Any:
    on_face = namespace(points).abs(surface.inner(points)) <= near
    return on_face if surface.trim is None else on_face & (surface.trim(points) >= -near)


def locate(shape: Shape, points: Any) -> Any:
    """Returns the index in `shape.parts` of the one part that each point belongs to, or -1.

    Points on a rim that two parts share belong to the first.
    """
    xp = namespace(points)
    index = xp.full(points.shape[:-1], -1)
    for i, name in reversed(list(enumerate(shape.parts))):
        index = xp.where(Part(shape, (name,)).contains(points), i, index)
    return index


def find_part(shape: Shape, names: str | tuple[str, ...]) -> Part:
    """Returns the part with the given names; the name of a primitive stands for its faces."""
    asked = (names,) if isinstance(names, str) else tuple(names)
    found: dict[str, None] = {}
    for name in asked:
        found |= dict.fromkeys(_matching(shape, name))
    ordered = tuple(name for name in (*shape.parts, *shape.interfaces) if name in found)
    return Part(shape, ordered)


def _matching(shape: Shape, name: str) -> tuple[str, ...]:
    if name == "boundary":
        return shape.parts
    if name in shape.parts or name in shape.interfaces:
        return (name,)
    owned = [face.name for face in shape._boundary_faces if face.owner == name]
    if owned:
        return tuple(owned)
    there = ", ".join((*shape.parts, *shape.interfaces)) or "none"
    close = difflib.get_close_matches(str(name), [*shape.parts, "boundary"], n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise UnknownPart(f"no part of the boundary is called {name!r}; there are: {there}.{hint}")


class UnknownPart(KeyError):
    """A name that no part of the boundary has."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError prints the repr


class Point:
    """A single point, as a place for a condition: `Point(0.5, 0.5)`."""

    names = ("point",)

    def __init__(self, *coordinates: Any):
        if len(coordinates) == 1 and hasattr(coordinates[0], "__iter__"):
            coordinates = tuple(coordinates[0])
        if not coordinates:
            raise ValueError("`Point(x, ...)` needs one number for each axis; got none.")
        self.coordinates = tuple(number(c, "`Point(x, ...)`") for c in coordinates)

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def axes(self) -> tuple[str, ...]:
        """Default names of the coordinates."""
        return default_axes(self.dimension)

    measure = 1.0

    def sample(self, n: int = 1, *, key: Any = None, sampler: str = "sobol") -> BoundarySample:
        """Returns the point, once, whatever `n`; it has no normal, so that is zero."""
        point = np.array([self.coordinates], float)
        return BoundarySample(point, np.zeros_like(point), np.ones(1), np.zeros(1, int))

    def _squared(self, points: Any) -> Any:
        offset = points - namespace(points).asarray(self.coordinates, points.dtype)
        return namespace(points).sum(offset * offset, axis=-1)

    @query
    def contains(self, points: Any) -> Any:
        """Returns whether each point is this one, up to rounding."""
        scale = 1 + max(map(abs, self.coordinates))
        return self._squared(points) <= (relative_tolerance(points) * scale) ** 2

    @query
    def distance(self, points: Any) -> Any:
        """Returns the squared distance, which is smooth at the point itself too."""
        return self._squared(points)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and self.coordinates == other.coordinates

    def __hash__(self) -> int:
        return hash(("Point", self.coordinates))

    def __repr__(self) -> str:
        return f"Point({', '.join(map(repr, self.coordinates))})"
