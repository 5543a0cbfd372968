"""Mesh sizes that a shape asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from geometry.meshes.cell_mesh import longest_edge

CELLS_ACROSS = {1: 200, 2: 40, 3: 10}
CELLS_ALONG_CURVE = 24
GRADING = 0.3  # growth of the size with the distance from a curved part
MOST_CELLS = {1: 50_000, 2: 100_000, 3: 20_000}  # of a mesh from a file, refined


def default_size(shape: Any) -> float | Callable[[np.ndarray], np.ndarray]:
    """The edge length, or a function of points where small curved parts need a finer mesh.

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
    if not fine:
        return size

    def graded(points: np.ndarray) -> np.ndarray:
        near = [length + GRADING * tree.query(points)[0] for tree, length in fine]
        return np.minimum(size, np.min(near, axis=0))

    return graded


def scaled(size: Any, factor: float) -> Any:
    """The size, or function that gives it, times a factor."""
    if not callable(size):
        return size * factor
    return lambda points: factor * size(points)
