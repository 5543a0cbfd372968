"""Improvement of meshes of tetrahedra by swaps, collapses and smoothing, on their surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from geometry.face import Surface
from geometry.surfaces import are_transversal, project
from geometry.swaps import Tetrahedra, Walls, collapse, remove_edges, remove_faces
from geometry.tets import keys

_ROUNDS = 8
_GOOD = 0.45  # quality of cells that smoothing leaves alone


def improved(mesh: Tetrahedra, surfaces: Sequence[Surface], of_tag: np.ndarray) -> Tetrahedra:
    """Returns the mesh with better cells; walls stay on their surfaces, creases on both.

    Arguments:
        surfaces: what the walls lie on.
        of_tag: the number of the surface for each tag of the walls.
    """
    for _ in range(_ROUNDS):
        level, _, creases = _places(mesh, surfaces, of_tag)
        mesh = collapse(mesh, level, creases)
        mesh = remove_edges(mesh)
        mesh = remove_faces(mesh)
        mesh = remove_edges(mesh)
        mesh = _smoothed(mesh, surfaces, of_tag)
    return mesh


def _places(
    mesh: Tetrahedra, surfaces: Sequence[Surface], of_tag: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The level of each vertex (0 inside, 1 on a face, 2 on a crease, 3 fixed), the surfaces it
    lies on, and which sides of the walls are creases."""
    walls, count = mesh.walls, len(mesh.points)
    on = np.zeros((count, len(surfaces)), bool)
    on[walls.facets, of_tag[walls.tags][:, None]] = True
    creases = _creases(walls, count)
    sides = walls.facets[:, [(1, 2), (2, 0), (0, 1)]][creases]
    sides = np.unique(np.sort(sides, axis=-1).reshape(-1, 2), axis=0)
    degree = np.bincount(sides.ravel(), minlength=count)
    level = np.where(degree == 2, 2, np.where(degree > 0, 3, on.any(axis=1).astype(int)))
    level[(degree == 0) & (on.sum(axis=1) > 1)] = 3
    crease = np.flatnonzero(level == 2)
    level[crease[~are_transversal(mesh.points[crease], on[crease], surfaces)]] = 3
    heights = np.stack([np.abs(s.inner(mesh.points)) for s in surfaces], axis=-1)
    tolerance = 1e-7 * np.ptp(mesh.points)
    level[(np.where(on, np.nan_to_num(heights), 0) > tolerance).any(axis=1)] = 3
    return level, on, creases


def _creases(walls: Walls, count: int) -> np.ndarray:
    """Which sides `(f, 3)` of the walls have no neighbor, one of another tag, or several."""
    sides = walls.facets[:, [(1, 2), (2, 0), (0, 1)]]
    code, place, times = np.unique(keys(sides, count), return_inverse=True, return_counts=True)
    place = place.reshape(-1, 3)
    low, high = np.full(len(code), np.iinfo(int).max), np.full(len(code), -1)
    tags = np.repeat(walls.tags, 3)
    np.minimum.at(low, place.ravel(), tags)
    np.maximum.at(high, place.ravel(), tags)
    return np.asarray(((times != 2) | (low != high))[place])


def _smoothed(mesh: Tetrahedra, surfaces: Sequence[Surface], of_tag: np.ndarray) -> Tetrahedra:
    """Moves vertices of bad cells towards where these would be regular, if that helps."""
    level, on, _ = _places(mesh, surfaces, of_tag)
    on = on & (level < 3)[:, None]
    for step in (1.0, 0.5, 0.25):
        near = np.unique(mesh.cells[mesh.quality < _GOOD])
        free = near[level[near] < 3]
        target = mesh.points[free] + step * (_ideal(mesh)[free] - mesh.points[free])
        target = project(target, on[free], surfaces)
        mesh = _moved(mesh, free, target)
    return mesh


def _ideal(mesh: Tetrahedra) -> np.ndarray:
    """For each vertex, the mean of the places that make its cells regular, the worst first."""
    corners = mesh.points[mesh.cells]
    total, weight = np.zeros_like(mesh.points), np.zeros(len(mesh.points))
    w = (np.maximum(mesh.quality, 0) + 0.03) ** -2
    for i, (a, b, c) in enumerate(((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))):
        x, y, z = corners[:, a], corners[:, b], corners[:, c]
        normal = np.cross(y - x, z - x)
        area = np.linalg.norm(normal, axis=-1, keepdims=True)
        edge = np.sqrt(area * 2 / np.sqrt(3))  # of a regular triangle of that area
        place = (x + y + z) / 3 - np.sqrt(2 / 3) * edge * normal / np.where(area > 0, area, 1)
        np.add.at(total, mesh.cells[:, i], w[:, None] * place)
        np.add.at(weight, mesh.cells[:, i], w)
    return total / np.where(weight > 0, weight, 1)[:, None]


def _moved(mesh: Tetrahedra, vertices: np.ndarray, target: np.ndarray) -> Tetrahedra:
    """Moves the vertices that may be moved without harm to the worst of their cells."""
    before = _worst_at(mesh.cells, mesh.quality, len(mesh.points))
    while len(vertices):
        points = mesh.points.copy()
        points[vertices] = target
        new = replace(mesh, points=points)
        harmed = _worst_at(mesh.cells, new.quality, len(points))[vertices] < before[vertices]
        if not harmed.any():
            return new
        vertices, target = vertices[~harmed], target[~harmed]
    return mesh


def _worst_at(cells: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    worst = np.full(count, np.inf)
    np.minimum.at(worst, cells.ravel(), np.repeat(values, 4))
    return worst
