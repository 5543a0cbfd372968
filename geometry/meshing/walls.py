"""Which part of the boundary, or which interface, the facets of a mesh of tetrahedra belong to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from geometry.face import Surface
from geometry.mesh import SimplexMesh
from geometry.meshing.surfaces import project, root
from geometry.meshing.swaps import Tetrahedra, Walls
from geometry.meshing.tets import FACES, keys, outer_faces, split

if TYPE_CHECKING:
    from geometry.shape import Shape


@dataclass(frozen=True, eq=False)
class Wall:
    """What a facet can belong to: a named piece of one surface, outside or between regions."""

    name: str
    surface: Surface
    is_outer: bool


def all_walls(shape: Shape) -> list[Wall]:
    """Returns the walls of the boundary of a shape, then those of its interfaces."""
    outer = {(f.name, id(f.surface)): Wall(f.name, f.surface, True) for f in shape._boundary_faces}
    inner = {
        (f.name, id(f.surface)): Wall(f.name, f.surface, False) for f in shape._interface_faces
    }
    return [*outer.values(), *inner.values()]


def facet_walls(shape: Shape, walls: list[Wall], points: np.ndarray, cells: np.ndarray) -> Walls:
    """Returns the facets around a mesh and between its regions, each with the wall it fits best."""
    outer, _ = outer_faces(cells, len(points))
    inner = _between_regions(shape, points, cells)
    tags = [
        _best_wall(points[facets], walls, is_outer)
        for facets, is_outer in ((outer, True), (inner, False))
    ]
    is_outer = np.arange(len(outer) + len(inner)) < len(outer)
    return Walls(np.concatenate([outer, inner]), np.concatenate(tags), is_outer)


def _between_regions(shape: Shape, points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """The faces whose two cells lie in different regions, outward from the first region."""
    if not shape._interface_faces:
        return np.zeros((0, 3), int)
    members = [depth(member, points, cells) for member in shape.regions.values()]
    region = np.argmin(members, axis=0)
    faces = cells[:, FACES].reshape(-1, 3)
    code = keys(faces, len(points))
    order = np.argsort(code, kind="stable")
    twin = np.flatnonzero(code[order][1:] == code[order][:-1])
    first, second = order[twin], order[twin + 1]
    a, b = region[first // 4], region[second // 4]
    return np.concatenate([faces[first[a < b]], faces[second[b < a]]])


def _best_wall(corners: np.ndarray, walls: list[Wall], is_outer: bool) -> np.ndarray:
    """The number of the wall that facets `(k, 3, 3)` lie on, or come closest to."""
    middle = corners.mean(axis=1)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=-1)
    scores = np.full((len(corners), len(walls)), np.inf)
    for i, wall in enumerate(walls):
        if wall.is_outer != is_outer:
            continue
        height = np.abs(wall.surface.inner(corners)).max(axis=1)
        trim = 0 if wall.surface.trim is None else np.maximum(-wall.surface.trim(middle), 0)
        cosine = np.sum(normal * wall.surface.normal(middle), axis=-1) / np.where(
            length > 0, length, 1
        )
        scores[:, i] = np.nan_to_num(
            height + trim + np.sqrt(length) * (1 - np.abs(cosine)), nan=np.inf
        )
    return np.argmin(scores, axis=1)


def with_borders(
    shape: Shape, walls: list[Wall], points: np.ndarray, cells: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns points and cells with boundary edges split where a part ends on a smooth surface."""
    tolerance = 1e-7 * shape.size
    for wall in walls:
        surface = wall.surface
        if surface.trim is None:
            continue
        facets, _ = outer_faces(cells, len(points))
        facets = facets[(np.abs(surface.inner(points[facets])) < tolerance).all(axis=1)]
        edges = np.unique(
            np.sort(facets[:, [(1, 2), (2, 0), (0, 1)]].reshape(-1, 2), axis=1), axis=0
        )
        trim = surface.trim(points)
        trim = np.where(np.abs(trim) < tolerance, 0, trim)
        edges = edges[trim[edges[:, 0]] * trim[edges[:, 1]] < 0]
        if not len(edges):
            continue
        a, b = points[edges[:, 0]], points[edges[:, 1]]
        share = root(surface.trim, a, b, trim[edges[:, 0]], trim[edges[:, 1]])
        share = np.clip(share, 0.02, 0.98)
        middles = project(a + share[:, None] * (b - a), np.ones((len(edges), 1), bool), [surface])
        numbers = len(points) + np.arange(len(edges))
        new = np.concatenate([points, middles])
        cells, points = split(cells, edges, numbers, len(new)), new
    return points, cells


def depth(shape: Shape, points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Returns a number for each cell, negative inside.

    It is that of a vertex off the boundary, if all such vertices agree, or else of the middle,
    which bulges may put on the other side.
    """
    tolerance = 1e-7 * shape.size
    corners = shape._sdf(points)[cells]
    low, high = corners.min(axis=1), corners.max(axis=1)
    middle = shape._sdf(points[cells].mean(axis=1))
    agree = np.where(high > tolerance, low >= -tolerance, low < -tolerance)
    return np.where(agree, np.where(high > tolerance, high, low), middle)


def compact(points: np.ndarray, *rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """Returns the points that the first rows use, and the rows renumbered."""
    used = np.unique(rows[0])
    number = np.full(len(points), -1)
    number[used] = np.arange(len(used))
    return (points[used], *(number[r] for r in rows))


def tagged(shape: Shape, walls: list[Wall], mesh: Tetrahedra) -> SimplexMesh:
    """Returns the mesh with its facets by the names of parts and interfaces."""
    points, cells, facets = compact(mesh.points, mesh.cells, mesh.walls.facets)
    names = np.array([wall.name for wall in walls])[mesh.walls.tags]
    tagged = (*shape.parts, *shape.interfaces)
    return SimplexMesh(points, cells, {name: facets[names == name] for name in tagged})
