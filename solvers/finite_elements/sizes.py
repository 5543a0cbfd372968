"""Mesh sizes that a shape asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from geometry.meshes.cell_mesh import longest_edge

from .corners import singular_corners

CELLS_ACROSS = {1: 200, 2: 40, 3: 10}
CELLS_ALONG_CURVE = 24
FINEST = 1 / 10  # of the size, at singular corners
CORNER_GRADING = 0.15  # growth of the size with the distance from a singular corner
GRADING = 0.3  # growth of the size with the distance from a curved part
MOST_CELLS = {1: 50_000, 2: 100_000, 3: 20_000}  # of a mesh from a file, refined


def default_size(shape: Any, densities: Any = None) -> float | Callable[[np.ndarray], np.ndarray]:
    """The edge length, or a function of points where small curved parts and singular corners need a
    finer mesh.

    A mesh from a file is refined twice, or once if that is more than a direct solver can take, so
    that the error can be told from the coarser ones.
    """
    longest = longest_edge(shape)
    if longest is not None:
        mesh = shape.mesh(longest)
        finest = MOST_CELLS[mesh.dimension]
        few = len(mesh.cells) * 4**mesh.dimension <= finest
        return longest / 4 if few else longest / 2
    lower, upper = shape.bounds
    size = float(np.prod(upper - lower) ** (1 / len(lower)) / CELLS_ACROSS[len(lower)])
    if len(lower) != 2:
        return size
    fine = []
    for name in shape.parts:
        sample = shape[name].sample(256, key=0, sampler="grid")
        curved = np.abs(sample.normals - sample.normals[0]).max() > 1e-9
        if curved and shape[name].measure / CELLS_ALONG_CURVE < size:
            points = np.asarray(sample.points)
            fine.append((scipy.spatial.cKDTree(points), shape[name].measure / CELLS_ALONG_CURVE))
    grown = _growing(size, [(tree, length, GRADING) for tree, length in fine]) if fine else size
    corners = singular_corners(_plane_mesh(shape, scaled(grown, 2)), densities)
    if not len(corners):
        return grown
    tree = scipy.spatial.cKDTree(corners)
    return _growing(grown, [(tree, size * FINEST, CORNER_GRADING)])


def _plane_mesh(shape: Any, size: Any) -> Any:
    return (getattr(shape, "base", shape) if shape.periods else shape).mesh(size)


def _growing(size: Any, fine: list) -> Callable[[np.ndarray], np.ndarray]:
    """The size, less near some points: there it is a length, and grows with the distance."""

    def graded(points: np.ndarray) -> np.ndarray:
        near = [length + slope * tree.query(points)[0] for tree, length, slope in fine]
        return np.minimum(size(points) if callable(size) else size, np.min(near, axis=0))

    return graded


def scaled(size: Any, factor: float) -> Any:
    """The size, or function that gives it, times a factor."""
    if not callable(size):
        return size * factor
    return lambda points: factor * size(points)
