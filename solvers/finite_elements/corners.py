"""Corners of plane shapes at which solutions are singular.

They are reentrant ones, where gradients grow without bound, and those between parts that give an
unknown different values, where it jumps.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from .system import Densities

REENTRANT = 1.25 * np.pi  # angles of curved walls in a mesh are less
JUMP = 1e-6  # of the largest value that is given


def singular_corners(mesh: Any, densities: Densities | None = None) -> np.ndarray:
    """The singular corners (n, 2) of a plane mesh whose facets have names.

    Arguments:
        densities: those of the weak form, for the values that are given on parts.
    """
    points = np.asarray(mesh.points, float)
    reentrant = _angles(points, np.asarray(mesh.cells)) > REENTRANT
    found: set[int] = set(np.flatnonzero(reentrant).tolist())
    if densities is not None:
        found |= _jumps(points, mesh.facets, densities)
    return points[sorted(found)]


def _angles(points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """The angle of the shape at each vertex of its boundary; zero inside."""
    sums, edges = np.zeros(len(points)), dict[tuple[int, ...], int]()
    for i in range(3):
        here, one, other = (points[cells[:, (i + k) % 3]] for k in range(3))
        a, b = one - here, other - here
        turned = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        np.add.at(sums, cells[:, i], np.arctan2(np.abs(turned), np.sum(a * b, axis=1)))
        pairs = np.sort(cells[:, [i, (i + 1) % 3]], axis=1)
        for pair in map(tuple, pairs.tolist()):
            edges[pair] = edges.get(pair, 0) + 1
    boundary = np.zeros(len(points), bool)
    boundary[[v for pair, count in edges.items() if count == 1 for v in pair]] = True
    return np.where(boundary, sums, 0.0)


def _jumps(points: np.ndarray, facets: Any, densities: Densities) -> set[int]:
    """The vertices at which two parts give one unknown different values."""
    t = None if densities.weak.time is None else 0.0
    given: dict[Any, list[dict[int, float]]] = {}
    for boundary, evaluate in densities.essential:
        vertices = np.unique(facets.get(boundary.part, np.zeros(0, int)))
        values = evaluate(points[vertices], t)[0] if len(vertices) else np.zeros(0)
        found = dict(zip(vertices.tolist(), values.tolist(), strict=True))
        given.setdefault(boundary.unknown, []).append(found)
    jumps: set[int] = set()
    for parts in given.values():
        largest = max((abs(v) for part in parts for v in part.values()), default=0.0)
        for one, other in combinations(parts, 2):
            shared = one.keys() & other.keys()
            jumps |= {v for v in shared if abs(one[v] - other[v]) > JUMP * largest}
    return jumps
