"""Polygons, with holes and dents: exact distances, one part for each edge."""

from __future__ import annotations

import abc
import functools
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from geometry._arrays import namespace, norm, number, vector
from geometry.chart import Chart
from geometry.face import Face
from geometry.meshing.planar import mesh_plane
from geometry.meshing.sizes import size_field
from geometry.segment import Segment
from geometry.shape import Shape, positive, set_axes, set_name
from geometry.simplices import simplex_chart


class Polygonal(Shape, abc.ABC):
    """All that shapes with straight edges have in common, from their loops of vertices."""

    name: str | None

    @abc.abstractmethod
    def _loops(self) -> tuple[np.ndarray, ...]:
        """The outer loop of vertices `(n, 2)` and those of the holes, in the order written."""

    @abc.abstractmethod
    def _edge_names(self) -> tuple[str, ...]:
        """Names of the edges, loop by loop, from each vertex to the next."""

    @functools.cached_property
    def _edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Starts, directions, outward normals `(n, 2)` and lengths `(n,)`."""
        starts, stops, normals = [], [], []
        for i, loop in enumerate(self._loops()):
            after = np.roll(loop, -1, axis=0)
            turn = 1 if (signed_area(loop) > 0) == (i == 0) else -1  # the inside lies to the left
            along = (after - loop) / np.linalg.norm(after - loop, axis=-1, keepdims=True)
            starts.append(loop)
            stops.append(after)
            normals.append(turn * np.stack([along[:, 1], -along[:, 0]], axis=-1))
        a, b = np.concatenate(starts), np.concatenate(stops)
        lengths = np.linalg.norm(b - a, axis=-1)
        return a, (b - a) / lengths[:, None], np.concatenate(normals), lengths

    @functools.cached_property
    def _is_convex(self) -> bool:
        a, _, n, _ = self._edges
        heights = np.einsum("vi,ei->ve", a, n) - np.sum(a * n, axis=-1)
        return bool(len(self._loops()) == 1 and heights.max() < 1e-12 * np.ptp(a))

    def _bounds(self) -> tuple[Any, Any]:
        outer = self._loops()[0]
        return outer.min(axis=0), outer.max(axis=0)

    def _sdf(self, points: Any) -> Any:
        """The distance to the nearest edge, from its line where that is nearest.

        So the derivative is right on the boundary too, where the root of a square has none.
        """
        xp = namespace(points)
        a, t, n, length = (xp.asarray(e, points.dtype) for e in self._edges)
        offset = points[..., None, :] - a  # (..., edges, 2)
        along = xp.sum(offset * t, axis=-1)
        height = xp.sum(offset * n, axis=-1)
        beyond = along - xp.clip(along, 0, length)
        distance = norm(xp.stack([beyond, height], axis=-1))
        nearest = xp.argmin(distance, axis=-1)[..., None]
        height, distance, beyond = (
            xp.take_along_axis(v, nearest, axis=-1)[..., 0] for v in (height, distance, beyond)
        )
        return xp.where(beyond == 0, height, xp.where(self._inside(points), -distance, distance))

    def _membership(self, points: Any) -> Any:
        """For convex ones the height above the lines of the edges."""
        if not self._is_convex:
            return self._sdf(points)
        xp = namespace(points)
        a, _, n, _ = (xp.asarray(e, points.dtype) for e in self._edges)
        return xp.max(points @ n.T - xp.sum(a * n, axis=-1), axis=-1)

    def _inside(self, points: Any) -> Any:
        """Even-odd rule for a ray to the right."""
        xp = namespace(points)
        a, t, _, length = (xp.asarray(e, points.dtype) for e in self._edges)
        b = a + t * length[:, None]
        x, y = points[..., :1], points[..., 1:]
        straddles = (a[:, 1] > y) != (b[:, 1] > y)
        rise = xp.where(straddles, b[:, 1] - a[:, 1], 1)
        crossing = a[:, 0] + (y - a[:, 1]) * (b[:, 0] - a[:, 0]) / rise
        return xp.sum(straddles & (x < crossing), axis=-1) % 2 == 1

    def _level(self, points: Any) -> Any:
        return -self._sdf(points)

    def _solid(self) -> Chart:
        if len(self._loops()) == 1 and len(self._loops()[0]) == 3:
            return simplex_chart(self._loops()[0][None])
        mesh = mesh_plane(self, size_field(2 * self.size))
        return simplex_chart(mesh.points[mesh.cells])

    def _faces(self) -> tuple[Face, ...]:
        kind = type(self).__name__.lower()
        segments = [
            Segment(a, t, n, float(length)) for a, t, n, length in zip(*self._edges, strict=True)
        ]
        return tuple(
            Face(name, kind, self.name, s.chart(), s.surface(is_supporting=self._is_convex))
            for name, s in zip(self._edge_names(), segments, strict=True)
        )


def signed_area(loop: np.ndarray) -> float:
    """Returns the area of a loop of vertices, positive if they go round counterclockwise."""
    x, y = (loop - loop[0]).T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


@dataclass(frozen=True, repr=False)
class Polygon(Polygonal):
    """The polygon with the given vertices, in either sense, and with `holes`.

    Arguments:
        vertices: points of the outer loop; it closes by itself.
        holes: a sequence of loops, inside the outer one and apart from each other.
        edges: names of the edges of the outer loop, the first joining the first two vertices; edges
            of one name are one part. Default "edge1", "edge2", ...; holes are "hole1", ...

    Raises:
        ValueError: a loop that crosses or touches itself or another, or has no area.

    Example:
        >>> step = Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
        >>> step.measure, step["edge1"].measure
        (3.0, 2.0)
    """

    vertices: tuple[tuple[float, float], ...]
    holes: tuple[tuple[tuple[float, float], ...], ...] = ()
    edges: tuple[str, ...] | None = None
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", _loop(self.vertices, "`Polygon(vertices)`"))
        holes = tuple(_loop(hole, "`Polygon(vertices, holes=)`") for hole in self.holes)
        object.__setattr__(self, "holes", holes)
        if self.edges is not None:
            object.__setattr__(self, "edges", tuple(self.edges))
            if isinstance(self.edges, str) or len(self.edges) != len(self.vertices):
                raise ValueError(
                    f"`Polygon(edges=)` needs a name for each of the {len(self.vertices)} edges; "
                    f"got {self.edges!r}."
                )
        set_axes(self, self.axes, 2)
        set_name(self)
        refuse_crossings(self._loops())
        _refuse_flat(self._loops(), "`Polygon(vertices)`")
        for hole in self._loops()[1:]:
            outer = Polygon(self.vertices)
            if not (outer._sdf(hole) < 0).all():
                raise ValueError("`Polygon(vertices, holes=)` needs holes inside the outer loop.")
        for a, b in itertools.permutations(self.holes, 2):
            if Polygon(a)._sdf(np.asarray(b[0], float)) < 0:
                raise ValueError(
                    f"`Polygon(vertices, holes=)` needs holes apart from each other; {b} lies in "
                    f"{a}. Add an island by `+` of a second polygon."
                )

    def _loops(self) -> tuple[np.ndarray, ...]:
        return tuple(np.asarray(loop, float) for loop in (self.vertices, *self.holes))

    def _edge_names(self) -> tuple[str, ...]:
        outer = self.edges or tuple(f"edge{i + 1}" for i in range(len(self.vertices)))
        inner = [f"hole{i + 1}" for i, hole in enumerate(self.holes) for _ in hole]
        return (*outer, *inner)


@dataclass(frozen=True, repr=False)
class Triangle(Polygonal):
    """The triangle with the given corners; its parts are "edge1" from a to b, "edge2", "edge3"."""

    a: tuple[float, float]
    b: tuple[float, float]
    c: tuple[float, float]
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        for corner in ("a", "b", "c"):
            value = vector(getattr(self, corner), "`Triangle(a, b, c)`", 2)
            object.__setattr__(self, corner, value)
        set_axes(self, self.axes, 2)
        set_name(self)
        _loop((self.a, self.b, self.c), "`Triangle(a, b, c)`")
        _refuse_flat(self._loops(), "`Triangle(a, b, c)`")

    def _loops(self) -> tuple[np.ndarray, ...]:
        return (np.array([self.a, self.b, self.c], float),)

    def _edge_names(self) -> tuple[str, ...]:
        return "edge1", "edge2", "edge3"


@dataclass(frozen=True, repr=False)
class RegularPolygon(Polygonal):
    """The polygon with `sides` equal edges and corners at distance `radius` from `center`.

    The first corner lies in the direction `angle` (radians). Parts are "edge1", "edge2", ...
    """

    center: tuple[float, float]
    radius: float
    sides: int
    angle: float = 0
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        call = "`RegularPolygon(center, radius, sides)`"
        object.__setattr__(self, "center", vector(self.center, call, 2))
        object.__setattr__(self, "radius", positive(self.radius, call + ": radius"))
        object.__setattr__(self, "angle", number(self.angle, call + ": angle"))
        if isinstance(self.sides, bool) or not isinstance(self.sides, int) or self.sides < 3:
            raise ValueError(f"{call} needs three or more sides; got {self.sides!r}.")
        set_axes(self, self.axes, 2)
        set_name(self)

    def _loops(self) -> tuple[np.ndarray, ...]:
        angles = self.angle + 2 * math.pi * np.arange(self.sides) / self.sides
        circle = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        return (np.asarray(self.center, float) + self.radius * circle,)

    def _edge_names(self) -> tuple[str, ...]:
        return tuple(f"edge{i + 1}" for i in range(self.sides))


def _loop(vertices: Any, call: str) -> tuple[tuple[float, float], ...]:
    """Returns the vertices of a loop as pairs of numbers, after checks of the loop by itself."""
    pairs = tuple(vector(v, call, 2) for v in vertices)
    if len(pairs) > 1 and pairs[0] == pairs[-1]:
        pairs = pairs[:-1]
    if len(pairs) < 3:
        raise ValueError(f"{call} needs three or more vertices; got {len(pairs)}.")
    points = np.asarray(pairs, float)
    size = np.ptp(points, axis=0).max()
    gaps = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=-1)
    if gaps.min() <= 1e-12 * size:
        i = int(gaps.argmin())
        raise ValueError(f"{call} needs distinct vertices; {pairs[i]} comes twice in a row.")
    return pairs  # type: ignore[return-value]


def _refuse_flat(loops: tuple[np.ndarray, ...], call: str) -> None:
    for loop in loops:
        if abs(signed_area(loop)) <= 1e-12 * np.ptp(loop, axis=0).max() ** 2:
            raise ValueError(f"{call} needs a loop with an area; its vertices lie on a line.")


def refuse_crossings(loops: tuple[np.ndarray, ...]) -> None:
    """Raises where two edges cross or touch that are not neighbors in a loop."""
    a = np.concatenate(loops)
    b = np.concatenate([np.roll(loop, -1, axis=0) for loop in loops])
    for i, j in _touching(a, b):
        if not (np.array_equal(b[i], a[j]) or np.array_equal(a[i], b[j])):
            raise ValueError(
                f"`Polygon(vertices)` needs edges that meet at their ends only; the edge from "
                f"{tuple(a[i].tolist())} to {tuple(b[i].tolist())} meets the edge from "
                f"{tuple(a[j].tolist())} to {tuple(b[j].tolist())}. Reorder the vertices, or use "
                "`+` of several polygons."
            )
    corners, counts = np.unique(a, axis=0, return_counts=True)
    if counts.max() > 1:
        twice = tuple(corners[counts > 1][0].tolist())
        raise ValueError(
            f"`Polygon(vertices)` needs distinct vertices; {twice} comes twice. "
            "Use `+` of several polygons."
        )


def _touching(a: np.ndarray, b: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yields pairs of segments with a point in common, rows at a time to bound memory."""

    def side(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> np.ndarray:
        return np.asarray(
            (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1])
            - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0])
        )

    low, high = np.minimum(a, b), np.maximum(a, b)
    for i in range(len(a) - 1):
        c, d = a[i + 1 :], b[i + 1 :]
        boxes = ((low[i + 1 :] <= high[i]) & (high[i + 1 :] >= low[i])).all(axis=-1)
        across = side(a[i], b[i], c) * side(a[i], b[i], d) <= 0
        back = side(c, d, a[i]) * side(c, d, b[i]) <= 0
        for j in np.flatnonzero(boxes & across & back):
            yield i, i + 1 + int(j)
