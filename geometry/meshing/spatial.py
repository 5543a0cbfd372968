"""Meshes of solids: a lattice of tetrahedra that is made to fit the boundary, then improved.

The surface of each face cuts the lattice in turn. Vertices close to it are moved onto it, edges
that still cross it are split where they do; a vertex on several surfaces stays on all of them, so
that edges and corners of the shape become edges and vertices of the mesh. Only what is near the
boundary is cut. Every state is a mesh face to face, so any nesting of operations gives a valid
mesh. Deterministic.

Source: the moving of vertices onto a surface follows F. Labelle and J. R. Shewchuk, Isosurface
stuffing (2007). Where we differ: several surfaces one after the other, a graded lattice of bisected
cubes, and local improvement in place of bounds on the angles.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from geometry.chart import draw
from geometry.face import Surface
from geometry.mesh import SimplexMesh
from geometry.meshing.improve import improved
from geometry.meshing.lattice import graded_lattice
from geometry.meshing.sizes import SizeField
from geometry.meshing.surfaces import misfit, project, root
from geometry.meshing.swaps import Tetrahedra
from geometry.meshing.tets import outer_faces, quality, split, unique_edges, volumes
from geometry.meshing.walls import all_walls, compact, depth, facet_walls, tagged, with_borders

if TYPE_CHECKING:
    from geometry.shape import Shape

_GROWTH = 0.3  # of the size with the distance from a finer boundary
_LARGEST_TURN = 0.6  # of the normal along one edge, in radians
_NEAR = 0.3  # of an edge, within which a vertex is moved rather than the edge split
_FIT = 1e-9  # of the size, within which a vertex is on a surface
_REFINEMENTS = 2
_SAMPLES_A_FACE = 400


@dataclass(frozen=True, eq=False)
class _Lattice:
    """Points, cells, and `on` (points, surfaces): which surfaces each vertex lies on."""

    points: np.ndarray
    cells: np.ndarray
    on: np.ndarray


def mesh_solid(shape: Shape, wanted: SizeField) -> SimplexMesh:
    """Returns a mesh of tetrahedra of a three-dimensional shape; see `Shape.mesh`."""
    if not shape._boundary_faces:
        raise ValueError(f"`mesh(size)` needs a boundary; `{shape!r}` has none.")
    walls = all_walls(shape)
    surfaces = list({id(wall.surface): wall.surface for wall in walls}.values())
    of_wall = np.array([surfaces.index(wall.surface) for wall in walls])
    field = _graded(shape, wanted)
    for attempt in range(_REFINEMENTS + 1):
        points, cells = _inside(shape, _fitted(shape, surfaces, field))
        points, cells = with_borders(shape, walls, points, cells)
        points = _settled(shape, surfaces, points, cells)
        mesh = Tetrahedra(points, cells, facet_walls(shape, walls, points, cells))
        outer, gap, loose = _loose(shape, points, cells)
        if not len(loose) or attempt == _REFINEMENTS:
            break
        field = _least(field, points[loose], 0.5 * field(points[loose]))
    if len(loose):
        warnings.warn(
            f"`mesh(size)` leaves {len(loose)} of {len(outer)} boundary vertices off `{shape!r}`, "
            f"by at most {gap.max():.2g}: it has details smaller than the cells. Ask for a smaller "
            "size.",
            stacklevel=3,
        )
    return tagged(shape, walls, improved(mesh, surfaces, of_wall))


# Sizes


def _graded(shape: Shape, wanted: SizeField) -> SizeField:
    """The wanted size, made smaller near surfaces that turn by much along an edge."""
    points, sizes = [], []
    step = 1e-4 * shape.size
    for face in (*shape._boundary_faces, *shape._interface_faces):
        x, n, _ = draw(face.chart, _SAMPLES_A_FACE, key=0, sampler="sobol")
        across = np.cross(n, np.eye(3)[np.argmin(np.abs(n), axis=1)])
        across /= np.linalg.norm(across, axis=-1, keepdims=True)
        turns = [
            face.surface.normal(x + step * t) - face.surface.normal(x - step * t)
            for t in (across, np.cross(n, across))
        ]
        curvature = np.sqrt(sum(np.sum(turn**2, axis=-1) for turn in turns)) / (2 * step)
        points.append(x)
        sizes.append(_LARGEST_TURN / np.maximum(np.nan_to_num(curvature), 1e-9 / shape.size))
    where, length = np.concatenate(points), np.concatenate(sizes)
    asked = wanted(where)
    return _least(
        wanted, where[length < asked], np.maximum(length, shape.size / 500)[length < asked]
    )


def _least(field: SizeField, points: np.ndarray, sizes: np.ndarray) -> SizeField:
    """The field, or what it may be at a distance from points with sizes of their own."""
    if not len(points):
        return field
    level = np.round(2 * np.log2(sizes))
    groups = [
        (scipy.spatial.cKDTree(points[level == g]), sizes[level == g].mean())
        for g in np.unique(level)
    ]

    def least(at: np.ndarray) -> np.ndarray:
        result = field(at)
        for tree, size in groups:
            result = np.minimum(result, size + _GROWTH * tree.query(at)[0])
        return result

    return least


def _largest(shape: Shape, field: SizeField) -> float:
    lower, upper = shape.bounds
    grid = np.stack(np.meshgrid(*np.linspace(lower, upper, 17).T, indexing="ij"), -1).reshape(-1, 3)
    return float(field(grid).max())


# Fitting


def _gap(shape: Shape, points: np.ndarray) -> np.ndarray:
    """A bound of the distance from the nearest boundary or interface."""
    members = shape.regions.values() or (shape,)
    return np.min([np.abs(member._sdf(points)) for member in members], axis=0)


def _fitted(shape: Shape, surfaces: list[Surface], field: SizeField) -> _Lattice:
    lower, upper = shape.bounds
    points, cells = graded_lattice(lower, upper, field, _largest(shape, field))
    lattice = _Lattice(points, cells, np.zeros((len(points), len(surfaces)), bool))
    for k in range(len(surfaces)):
        lattice = _cut(shape, surfaces, k, _snapped(shape, surfaces, k, lattice))
    return lattice


def _heights(surfaces: list[Surface], k: int, lattice: _Lattice, tolerance: float) -> np.ndarray:
    """The function of surface k at the vertices, with those on it at zero."""
    height = np.array(surfaces[k].inner(lattice.points))
    height[lattice.on[:, k] | (np.abs(height) < tolerance)] = 0
    return height


def _crossings(
    shape: Shape, surfaces: list[Surface], k: int, lattice: _Lattice
) -> tuple[np.ndarray, np.ndarray, _Lattice]:
    """The edges that cross surface k near the boundary, and where they do, from 0 to 1."""
    height = _heights(surfaces, k, lattice, _FIT * shape.size)
    on = lattice.on.copy()
    on[:, k] = height == 0
    lattice = _Lattice(lattice.points, lattice.cells, on)
    mixed = (height[lattice.cells].min(axis=1) < 0) & (height[lattice.cells].max(axis=1) > 0)
    edges, _ = unique_edges(lattice.cells[mixed], len(lattice.points))
    edges = edges[height[edges[:, 0]] * height[edges[:, 1]] < 0]
    a, b = lattice.points[edges[:, 0]], lattice.points[edges[:, 1]]
    share = root(surfaces[k].inner, a, b, height[edges[:, 0]], height[edges[:, 1]])
    length = np.linalg.norm(b - a, axis=-1)
    near = _gap(shape, a + share[:, None] * (b - a)) <= 1.5 * length
    return edges[near], share[near], lattice


def _snapped(shape: Shape, surfaces: list[Surface], k: int, lattice: _Lattice) -> _Lattice:
    """Moves vertices that are close to surface k onto it, where no cell suffers."""
    edges, share, lattice = _crossings(shape, surfaces, k, lattice)
    points, cells, on = lattice.points, lattice.cells, lattice.on
    length = np.linalg.norm(points[edges[:, 1]] - points[edges[:, 0]], axis=-1)
    close = np.concatenate([edges[share < _NEAR, 0], edges[share > 1 - _NEAR, 1]])
    moving = np.unique(close)
    reach = np.full(len(points), np.inf)
    np.minimum.at(reach, edges.ravel(), np.repeat(length, 2))
    target_on = on[moving].copy()
    target_on[:, k] = True
    target = project(points[moving], target_on, surfaces)
    free = np.linalg.norm(target - points[moving], axis=-1) < 1.2 * _NEAR * reach[moving]
    free &= misfit(target, target_on, surfaces) < _FIT * shape.size
    moving, target = moving[free], target[free]
    around = np.isin(cells, moving).any(axis=1)
    before = quality(points[cells[around]])
    while len(moving):
        moved = points.copy()
        moved[moving] = target
        after = quality(moved[cells[around]])
        bad = (after < 0.15) & (after < 0.7 * before)
        spoiled = np.isin(moving, cells[around][bad])
        if not spoiled.any():
            on = on.copy()
            on[moving, k] = True
            return _Lattice(moved, cells, on)
        moving, target = moving[~spoiled], target[~spoiled]
    return lattice


def _cut(shape: Shape, surfaces: list[Surface], k: int, lattice: _Lattice) -> _Lattice:
    """Splits the edges that cross surface k."""
    edges, share, lattice = _crossings(shape, surfaces, k, lattice)
    if not len(edges):
        return lattice
    points, on = lattice.points, lattice.on
    a, b = points[edges[:, 0]], points[edges[:, 1]]
    straight = a + share[:, None] * (b - a)
    only = np.zeros((len(edges), len(surfaces)), bool)
    only[:, k] = True
    common = on[edges].all(axis=1) | only
    middles = project(straight, common, surfaces)
    length = np.linalg.norm(b - a, axis=-1)
    far = np.linalg.norm(middles - straight, axis=-1) > 0.3 * np.minimum(share, 1 - share) * length
    far |= misfit(middles, common, surfaces) > _FIT * shape.size
    middles[far], common[far] = straight[far], only[far]
    numbers = len(points) + np.arange(len(edges))
    order = np.argsort(-length, kind="stable")
    cells = split(lattice.cells, edges[order], numbers[order], len(points) + len(edges))
    everything = np.concatenate([points, middles])
    for _ in range(3):  # a middle off its edge may turn a thin cell inside out: back to the edge
        inverted = volumes(everything[cells]) <= 0
        back = np.unique(cells[inverted])
        back = back[back >= len(points)] - len(points)
        if not len(back):
            break
        everything[len(points) + back], common[back] = straight[back], only[back]
    return _Lattice(everything, cells, np.concatenate([on, common]))


def _inside(shape: Shape, lattice: _Lattice) -> tuple[np.ndarray, np.ndarray]:
    """The cells inside, with their vertices."""
    inside = depth(shape, lattice.points, lattice.cells) < 0
    points, cells = compact(lattice.points, lattice.cells[inside])
    return points, cells


def _loose(
    shape: Shape, points: np.ndarray, cells: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The boundary vertices, their distances from the boundary, and those that are off it."""
    outer = np.unique(outer_faces(cells, len(points))[0])
    gap = _gap(shape, points[outer])
    return outer, gap, outer[gap > 1e-7 * shape.size]


def _settled(
    shape: Shape, surfaces: list[Surface], points: np.ndarray, cells: np.ndarray
) -> np.ndarray:
    """Moves boundary vertices that no surface caught to the nearest one, where cells stay good."""
    _, _, loose = _loose(shape, points, cells)
    if not len(loose):
        return points
    alone = np.ones((len(loose), 1), bool)
    targets = np.stack([project(points[loose], alone, [s]) for s in surfaces], axis=1)
    way = np.linalg.norm(targets - points[loose][:, None], axis=-1)
    fits = _gap(shape, targets.reshape(-1, 3)).reshape(way.shape) < _FIT * shape.size
    way = np.where(fits, way, np.inf)
    best = np.argmin(way, axis=1)
    row = np.flatnonzero(np.isfinite(way[np.arange(len(loose)), best]))
    loose, target = loose[row], targets[row, best[row]]
    while len(loose):
        moved = points.copy()
        moved[loose] = target
        spoiled = np.isin(loose, cells[quality(moved[cells]) < 0.03])
        if not spoiled.any():
            return moved
        loose, target = loose[~spoiled], target[~spoiled]
    return points
