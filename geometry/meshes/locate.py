"""In which cell of a mesh a point lies, and values interpolated there.

A grid over the mesh lists for each of its boxes the cells that reach into it. So a point has few
cells to try, inside a trace too.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np

from geometry._arrays import namespace

_MOST_LISTED = 2**22  # numbers of cells that the grid may hold
_CHUNK = 2**22  # cells tried at a time


@dataclass(frozen=True, eq=False)
class Locator:
    """Simplices with corners `(m, d + 1, d)`."""

    corners: np.ndarray

    @functools.cached_property
    def _lists(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The corner, the width and the counts of the grid, and the cells `(boxes, most)`."""
        lower, upper = self.corners.min(axis=(0, 1)), self.corners.max(axis=(0, 1))
        d = lower.size
        count = max(1, int(round((2 * len(self.corners)) ** (1 / d))))
        low, high = self.corners.min(axis=1), self.corners.max(axis=1)
        while True:
            width = (upper - lower) / count
            slack = 1e-9 * width
            first = np.clip(((low - slack - lower) / width).astype(int), 0, count - 1)
            last = np.clip(((high + slack - lower) / width).astype(int), 0, count - 1)
            size = last - first + 1
            each = size.prod(axis=1)
            cell = np.repeat(np.arange(len(self.corners)), each)
            rank = np.arange(len(cell)) - np.repeat(np.cumsum(each) - each, each)
            box = np.zeros(len(cell), int)
            for axis in range(d):
                box = box * count + first[cell, axis] + rank % size[cell, axis]
                rank = rank // size[cell, axis]
            many = np.bincount(box, minlength=count**d)
            if count == 1 or many.max() * count**d <= _MOST_LISTED:
                break
            count = max(1, count * 2 // 3)
        order = np.argsort(box, kind="stable")
        starts = np.cumsum(many) - many
        lists = np.full((count**d, max(int(many.max()), 1)), -1)
        lists[box[order], np.arange(len(order)) - starts[box[order]]] = cell[order]
        lists = np.where(lists < 0, np.where(many > 0, lists[:, 0], 0)[:, None], lists)
        return lower, width, np.array(count), lists

    @functools.cached_property
    def _inverse(self) -> np.ndarray:
        return np.linalg.inv(self.corners[:, 1:] - self.corners[:, :1])

    def __call__(self, points: Any) -> tuple[Any, Any]:
        """Returns for points `(..., d)` the cell in which each lies deepest `(...)` and the weights
        `(..., d + 1)` of its corners, the least of which is negative outside all cells."""
        xp = namespace(points)
        flat = points.reshape(-1, points.shape[-1])
        if xp is np:
            step = max(1, _CHUNK // self._lists[3].shape[1])
            parts = [self._deepest(flat[i : i + step]) for i in range(0, max(len(flat), 1), step)]
            index = np.concatenate(parts)
        else:
            index = self._deepest(flat)
        index = index.reshape(points.shape[:-1])
        return index, self.weights(points, index)

    def weights(self, points: Any, index: Any) -> Any:
        """Returns the weights `(..., d + 1)` of the corners of the cells with the given numbers."""
        xp = namespace(points)
        start = xp.asarray(self.corners[:, 0], points.dtype)[index]
        inverse = xp.asarray(self._inverse, points.dtype)[index]
        rest = xp.sum((points - start)[..., None] * inverse, axis=-2)
        return xp.concatenate([1 - xp.sum(rest, axis=-1, keepdims=True), rest], axis=-1)

    def _deepest(self, points: Any) -> Any:
        xp = namespace(points)
        lower, width, count, lists = self._lists
        place = (points - xp.asarray(lower, points.dtype)) / xp.asarray(width, points.dtype)
        place = xp.clip(xp.nan_to_num(place), 0, int(count) - 1).astype(int)
        box = place[:, 0]
        for axis in range(1, points.shape[1]):
            box = box * int(count) + place[:, axis]
        candidates = xp.asarray(lists)[box]  # (n, most)
        depth = xp.min(self.weights(points[:, None, :], candidates), axis=-1)
        best = xp.argmax(depth, axis=1)
        return xp.take_along_axis(candidates, best[:, None], axis=1)[:, 0]


@dataclass(frozen=True, eq=False)
class MeshField:
    """Values on a mesh as a function of points, for NumPy and JAX: `field(points)`.

    Linear in each cell between `values` at the points of the mesh, or constant in each cell. Beyond
    the mesh it is that of a cell nearby, continued. Its derivative is that of the cell, zero for
    values of cells.
    """

    locator: Locator
    cells: np.ndarray
    values: np.ndarray
    is_at_points: bool

    def __call__(self, points: Any) -> Any:
        """Returns the values `(...)` or `(..., k)` at points `(..., d)`."""
        xp = namespace(points)
        points = points if xp is jnp else np.asarray(points, float)
        index, weights = self.locator(points)
        if not self.is_at_points:
            return xp.asarray(self.values)[index]
        nodal = xp.asarray(self.values)[xp.asarray(self.cells)[index]]  # (..., d + 1) or (..., k)
        if self.values.ndim > 1:
            weights = weights[..., None]
            return xp.sum(weights * nodal, axis=-2)
        return xp.sum(weights * nodal, axis=-1)
