"""Triangulation of plane regions: exact boundary vertices, Delaunay inside.

The boundary is cut into segments of the wanted size with vertices on the curves and at all corners.
The interior is filled with hexagonal lattices, one for each band of sizes, and relaxed; a Delaunay
triangulation of all points is kept where it is inside. Points that hide a boundary segment from it
are removed, or the segment is split, so that every segment is an edge of the mesh. Deterministic.

Source: the relaxation moves each point to the centroid of its triangles, L. Chen, Mesh smoothing
schemes based on optimal Delaunay triangulations (2004), eq. 4.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from geometry.mesh import SimplexMesh
from geometry.meshing.sizes import SizeField, refuse_many
from geometry.shape import rounding

if TYPE_CHECKING:
    from geometry.face import Face
    from geometry.shape import Shape

_GROWTH = 0.3  # of the size with the distance from a finer boundary
_LARGEST_TURN = np.pi / 8  # of the normal along one segment
_CLEARANCE = 0.6  # of lattice points from the boundary, in sizes
_RELAXATIONS = 12
_RECOVERIES = 30


@dataclass(frozen=True)
class _Outline:
    """Boundary vertices and segments (pairs of vertices), with the face and the ends in the face's
    coordinate of each segment."""

    points: np.ndarray
    segments: np.ndarray
    faces: np.ndarray
    ends: np.ndarray


def mesh_plane(shape: Shape, wanted: SizeField) -> SimplexMesh:
    """Returns a triangulation of a two-dimensional shape; see `Shape.mesh`."""
    if not shape._boundary_faces:
        raise ValueError(f"`mesh(size)` needs a boundary; `{shape!r}` has none.")
    outline = _outline(shape, wanted)
    field = _graded(outline, wanted)
    inside = _relaxed(shape, outline, _filled(shape, outline, field))
    points, triangles, outline = _recovered(shape, outline, inside)
    return _tagged(shape, points, triangles, outline)


# The boundary


def _walls(shape: Shape) -> tuple[Face, ...]:
    """What the mesh follows: the boundary, and interfaces between regions."""
    return (*shape._boundary_faces, *shape._interface_faces)


def _outline(shape: Shape, wanted: SizeField) -> _Outline:
    ticks = [_ticks(face, wanted) for face in _walls(shape)]
    return _assembled(shape, ticks)


def _ticks(face: Face, wanted: SizeField) -> np.ndarray:
    """Coordinates along a face whose spacing follows the size and the curvature."""
    u = np.linspace(0, 1, 513)
    points, normals, _ = face.chart.map(_warped(face, u))
    middle = (points[1:] + points[:-1]) / 2
    steps = np.linalg.norm(np.diff(points, axis=0), axis=-1) / wanted(middle)
    cosine = np.clip(np.sum(normals[1:] * normals[:-1], axis=-1), -1, 1)
    turns = np.arccos(cosine) / _LARGEST_TURN
    load = np.concatenate([[0], np.cumsum(np.maximum(steps, turns))])
    closed = np.linalg.norm(points[0] - points[-1]) < 1e-9 * face.chart.measure
    refuse_many(load[-1], float(wanted(middle).min()))
    count = max(int(np.ceil(load[-1] - 1e-6)), 3 if closed else 1)
    return np.interp(np.linspace(0, load[-1], count + 1), load, u)


def _warped(face: Face, u: np.ndarray) -> np.ndarray:
    column = u[:, None]
    return column if face.chart.warp is None else face.chart.warp(column)


def _assembled(shape: Shape, ticks: list[np.ndarray]) -> _Outline:
    """Joins the vertices of all faces, so that ends that meet are one vertex."""
    points, segments, faces, ends, start = [], [], [], [], 0
    for number, (face, u) in enumerate(zip(_walls(shape), ticks, strict=True)):
        points.append(face.chart.map(_warped(face, u))[0])
        first = start + np.arange(len(u) - 1)
        segments.append(np.stack([first, first + 1], axis=-1))
        faces.append(np.full(len(u) - 1, number))
        ends.append(np.stack([u[:-1], u[1:]], axis=-1))
        start += len(u)
    vertices = np.concatenate(points)
    pairs = scipy.spatial.cKDTree(vertices).query_pairs(1e-8 * shape.size, output_type="ndarray")
    graph = scipy.sparse.coo_array((np.ones(len(pairs)), pairs.T), shape=(len(vertices),) * 2)
    _, label = scipy.sparse.csgraph.connected_components(graph, directed=False)
    _, first, label = np.unique(label, return_index=True, return_inverse=True)
    return _Outline(
        vertices[first],
        label[np.concatenate(segments)],
        np.concatenate(faces),
        np.concatenate(ends),
    )


def _graded(outline: _Outline, wanted: SizeField) -> SizeField:
    """The wanted size, made smaller near segments that corners or curvature made shorter."""
    a, b = outline.points[outline.segments].transpose(1, 0, 2)
    middles, lengths = (a + b) / 2, np.linalg.norm(b - a, axis=-1)
    short = lengths < 0.75 * wanted(middles)
    if not short.any():
        return wanted
    groups = np.unique(np.round(2 * np.log2(lengths[short])))
    trees = []
    for group in groups:
        chosen = short & (np.round(2 * np.log2(lengths)) == group)
        trees.append((scipy.spatial.cKDTree(middles[chosen]), lengths[chosen].mean()))

    def field(points: np.ndarray) -> np.ndarray:
        sizes = wanted(points)
        for tree, length in trees:
            sizes = np.minimum(sizes, length + _GROWTH * tree.query(points)[0])
        return sizes

    return field


# The interior


def _filled(shape: Shape, outline: _Outline, field: SizeField) -> np.ndarray:
    """Lattice points inside, from the finest band of sizes to the coarsest."""
    lower, upper = shape.bounds
    smallest, largest = _size_range(shape, outline, field)
    levels = max(1, int(np.ceil(2 * np.log2(largest / smallest) + 0.25)))
    placed: list[np.ndarray] = []
    for level in range(levels):
        spacing = smallest * 2 ** (level / 2)
        lattice = _hexagonal(lower, upper, spacing)
        sizes = field(lattice) if len(lattice) else np.zeros(0)
        low = -np.inf if level == 0 else spacing / 2**0.25
        high = np.inf if level == levels - 1 else spacing * 2**0.25
        band = lattice[(sizes >= low) & (sizes < high)]
        band = band[shape._sdf(band) < -0.9 * _CLEARANCE * spacing] if len(band) else band
        if placed and len(band):
            gaps, _ = scipy.spatial.cKDTree(np.concatenate(placed)).query(
                band, distance_upper_bound=spacing
            )
            band = band[gaps > 0.7 * spacing]
        if len(band):
            placed.append(band)
    return np.concatenate(placed) if placed else np.zeros((0, 2))


def _size_range(shape: Shape, outline: _Outline, field: SizeField) -> tuple[float, float]:
    lower, upper = shape.bounds
    grid = np.stack(np.meshgrid(*np.linspace(lower, upper, 65).T, indexing="ij"), -1).reshape(-1, 2)
    grid = np.concatenate([grid[shape._sdf(grid) <= 0], outline.points])
    sizes = field(grid)
    return float(sizes.min()), float(sizes.max())


def _hexagonal(lower: np.ndarray, upper: np.ndarray, spacing: float) -> np.ndarray:
    height = spacing * np.sqrt(3) / 2
    columns = int((upper[0] - lower[0]) / spacing) + 2
    rows = int((upper[1] - lower[1]) / height) + 2
    refuse_many(2 * columns * rows, spacing)
    i, j = np.meshgrid(np.arange(columns), np.arange(rows), indexing="ij")
    x = lower[0] + (upper[0] - lower[0]) % spacing / 2 + (i - (j % 2) / 2) * spacing
    y = lower[1] + (upper[1] - lower[1]) % height / 2 + j * height
    return np.stack([x, y], axis=-1).reshape(-1, 2)


def _relaxed(shape: Shape, outline: _Outline, inside: np.ndarray) -> np.ndarray:
    """Moves interior points to the centroids of their triangles a few times."""
    fixed = len(outline.points)
    for _ in range(_RELAXATIONS):
        if not len(inside):
            break
        points = np.concatenate([outline.points, inside])
        triangles = _triangulated(shape, points)
        corners = points[triangles]
        edges = corners[:, 1:] - corners[:, :1]
        areas = np.abs(np.linalg.det(edges))
        centroids = corners.mean(axis=1) * areas[:, None]
        total, moment = np.zeros(len(points)), np.zeros_like(points)
        for corner in range(3):
            np.add.at(total, triangles[:, corner], areas)
            np.add.at(moment, triangles[:, corner], centroids)
        free = total[fixed:] > 0
        inside = inside[free]
        inside = moment[fixed:][free] / total[fixed:][free, None]
        inside = inside[~_encroaching(outline, inside)]
    return inside


def _triangulated(shape: Shape, points: np.ndarray) -> np.ndarray:
    """The Delaunay triangles whose middle is inside."""
    triangles = _delaunay(points)
    return triangles[shape._sdf(points[triangles].mean(axis=1)) < 0]


def _delaunay(points: np.ndarray) -> np.ndarray:
    """The Delaunay triangles; about the middle, for lifted squares far from it have no digits."""
    return scipy.spatial.Delaunay(points - points.mean(axis=0)).simplices


def _encroaching(outline: _Outline, points: np.ndarray) -> np.ndarray:
    """Whether a point lies in the circle that has a boundary segment as its diameter."""
    a, b = outline.points[outline.segments].transpose(1, 0, 2)
    middles, radii = (a + b) / 2, np.linalg.norm(b - a, axis=-1) / 2
    bad = np.zeros(len(points), bool)
    if len(points):
        tree = scipy.spatial.cKDTree(points)
        for found in tree.query_ball_point(middles, radii * 1.02):
            bad[found] = True
    return bad


# Segments as edges, the outside away


def _recovered(
    shape: Shape, outline: _Outline, inside: np.ndarray
) -> tuple[np.ndarray, np.ndarray, _Outline]:
    """Triangulates so that all segments are edges, splitting those that are not."""
    for _ in range(_RECOVERIES):
        points = np.concatenate([outline.points, inside])
        triangles = _delaunay(points)
        missing = ~np.isin(_keys(outline.segments, len(points)), _edge_keys(triangles, len(points)))
        if not missing.any():
            return points, _inner_cells(shape, points, triangles, outline), outline
        outline = _split(shape, outline, missing)
        inside = inside[~_encroaching(outline, inside)]
    raise RuntimeError(
        f"`mesh(size)` did not recover {missing.sum()} of {len(missing)} boundary segments of "
        f"`{shape!r}` in {_RECOVERIES} rounds; parts of the boundary come too close. Ask for a "
        "smaller size."
    )


def _split(shape: Shape, outline: _Outline, missing: np.ndarray) -> _Outline:
    ticks = []
    for number in range(len(_walls(shape))):
        mine = outline.faces == number
        middles = outline.ends[mine & missing].mean(axis=1)
        ticks.append(np.unique(np.concatenate([outline.ends[mine].ravel(), middles])))
    return _assembled(shape, ticks)


def _keys(edges: np.ndarray, count: int) -> np.ndarray:
    return edges.min(axis=-1).astype(np.int64) * count + edges.max(axis=-1)


def _edge_keys(triangles: np.ndarray, count: int) -> np.ndarray:
    """A number for each edge (m, 3); edge i lies opposite to corner i."""
    return np.stack(
        [_keys(triangles[:, [(i + 1) % 3, (i + 2) % 3]], count) for i in range(3)], axis=-1
    )


def _inner_cells(
    shape: Shape, points: np.ndarray, triangles: np.ndarray, outline: _Outline
) -> np.ndarray:
    """The triangles inside: regions between segments are in or out as their largest triangle is."""
    keys = _edge_keys(triangles, len(points))
    walls = np.isin(keys, _keys(outline.segments, len(points)))
    owner = np.repeat(np.arange(len(triangles)), 3)[~walls.ravel()]
    order = np.argsort(keys[~walls], kind="stable")
    key, owner = keys[~walls][order], owner[order]
    twins = np.flatnonzero(key[1:] == key[:-1])
    graph = scipy.sparse.coo_array(
        (np.ones(len(twins)), (owner[twins], owner[twins + 1])), shape=(len(triangles),) * 2
    )
    count, region = scipy.sparse.csgraph.connected_components(graph, directed=False)
    corners = points[triangles]
    areas = np.linalg.det(corners[:, 1:] - corners[:, :1])
    by_area = np.argsort(np.abs(areas), kind="stable")
    largest = np.zeros(count, int)
    largest[region[by_area]] = by_area
    middles = corners[largest].mean(axis=1)
    kept = (shape._sdf(middles) < -rounding(shape, middles))[region]  # nor slivers on an edge
    triangles = triangles.copy()
    triangles[areas < 0] = triangles[areas < 0][:, ::-1]
    return triangles[kept]


def _tagged(
    shape: Shape, points: np.ndarray, triangles: np.ndarray, outline: _Outline
) -> SimplexMesh:
    used, triangles = np.unique(triangles, return_inverse=True)
    renumbered = np.zeros(len(points), int)
    renumbered[used] = np.arange(len(used))
    names = np.array([face.name for face in _walls(shape)])[outline.faces]
    tagged = (*shape.parts, *shape.interfaces)
    facets = {name: renumbered[outline.segments[names == name]] for name in tagged}
    return SimplexMesh(points[used], triangles.reshape(-1, 3), facets)
