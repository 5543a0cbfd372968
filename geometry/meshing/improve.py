"""Improvement of meshes of tetrahedra by swaps, collapses and smoothing, on their surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from geometry.face import Surface
from geometry.meshing.surfaces import are_transversal, misfit, project
from geometry.meshing.swaps import Tetrahedra, Walls, collapse, remove_edges, remove_faces
from geometry.meshing.tets import FACES, find, keys, outer_faces

_ROUNDS = 8
_GOOD = 0.45  # quality of cells that smoothing leaves alone


def improved(mesh: Tetrahedra, surfaces: Sequence[Surface], of_tag: np.ndarray) -> Tetrahedra:
    """Returns the mesh with better cells; walls stay on their surfaces, creases on both.

    Arguments:
        surfaces: what the walls lie on.
        of_tag: the number of the surface for each tag of the walls.
    """
    for _ in range(_ROUNDS):
        if mesh.quality.min() >= _GOOD:
            break
        patch, rest = _parted(mesh)
        level, _, _, creases = _places(patch, surfaces, of_tag)
        patch = collapse(patch, level, creases)
        patch = remove_edges(patch)
        patch = remove_faces(patch)
        patch = remove_edges(patch)
        patch = _smoothed(patch, surfaces, of_tag)
        mesh = _joined(patch, rest)
    return mesh


def _parted(mesh: Tetrahedra) -> tuple[Tetrahedra, Tetrahedra]:
    """The bad cells with their surroundings, and the rest. Where they meet, the first have walls
    with the tag -1."""
    count, walls = len(mesh.points), mesh.walls
    near = mesh.quality < _GOOD
    for _ in range(2):
        reached = np.zeros(count, bool)
        reached[mesh.cells[near]] = True
        near = reached[mesh.cells].any(axis=1)
    cells = mesh.cells[near]
    outer, _ = outer_faces(cells, count)
    code, outside = keys(walls.facets, count), np.sort(keys(outer, count))
    around = find(outside, code) >= 0
    within = np.isin(code, keys(cells[:, FACES].reshape(-1, 3), count))
    mine = np.where(walls.outer, around, within & ~around)
    seam = outer[find(np.sort(code[mine]), keys(outer, count)) < 0]
    own = Walls(
        np.concatenate([walls.facets[mine], seam]),
        np.concatenate([walls.tags[mine], np.full(len(seam), -1)]),
        np.concatenate([walls.outer[mine], np.zeros(len(seam), bool)]),
    )
    others = Walls(walls.facets[~mine], walls.tags[~mine], walls.outer[~mine])
    return Tetrahedra(mesh.points, cells, own), Tetrahedra(mesh.points, mesh.cells[~near], others)


def _joined(patch: Tetrahedra, rest: Tetrahedra) -> Tetrahedra:
    real = patch.walls.tags >= 0
    own, others = patch.walls, rest.walls
    walls = Walls(
        np.concatenate([own.facets[real], others.facets]),
        np.concatenate([own.tags[real], others.tags]),
        np.concatenate([own.outer[real], others.outer]),
    )
    return Tetrahedra(patch.points, np.concatenate([patch.cells, rest.cells]), walls)


def _places(
    mesh: Tetrahedra, surfaces: Sequence[Surface], of_tag: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The level of each vertex (0 inside, 1 on a face, 2 on a crease, 3 fixed), the surfaces that
    it stays on when it moves, whether it may, and which sides of the walls are creases.

    Where a part ends on a smooth surface, vertices do not move, but may collapse along the crease.
    """
    walls, count = mesh.walls, len(mesh.points)
    on = np.zeros((count, len(surfaces)), bool)
    on[walls.facets, of_tag[walls.tags][:, None]] = True
    creases = _creases(walls, count)
    sides = walls.facets[:, [(1, 2), (2, 0), (0, 1)]][creases]
    sides = np.unique(np.sort(sides, axis=-1).reshape(-1, 2), axis=0)
    degree = np.bincount(sides.ravel(), minlength=count)
    level = np.where(degree == 2, 2, np.where(degree > 0, 3, on.any(axis=1).astype(int)))
    level[(degree == 0) & (on.sum(axis=1) > 1)] = 3
    level[walls.facets[walls.tags < 0]] = 3
    crease = np.flatnonzero(level == 2)
    still = crease[~are_transversal(mesh.points[crease], on[crease], surfaces)]
    level[misfit(mesh.points, on, surfaces) > 1e-7 * np.ptp(mesh.points)] = 3
    free = level < 3
    free[still] = False
    return level, on & free[:, None], free, creases


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
    _, on, may_move, _ = _places(mesh, surfaces, of_tag)
    for step in (1.0, 0.5, 0.25):
        near = np.unique(mesh.cells[mesh.quality < _GOOD])
        free = near[may_move[near]]
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
