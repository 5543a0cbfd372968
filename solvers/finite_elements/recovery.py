"""Derivatives recovered from nodal values by local least squares.

Around each node the nodal values of a patch are fitted by a polynomial of one degree more than that
of the elements; its slopes at the node are of order degree + 1, on the boundary too, so that the
second derivatives that follow from them converge where those of the elements do not.

Source: Zhang & Naga, A new finite element gradient recovery method: superconvergence property,
SIAM J. Sci. Comput. 26 (2005) 1192-1213.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import scipy

NODES = 2.5  # in a patch, for each coefficient of the polynomial
DAMPING = 1e-12  # for patches that do not fix all coefficients


def recovery(grid: Any) -> tuple[scipy.sparse.csr_matrix, ...]:
    """For each direction, the map (n, n) from nodal values to nodal values of the derivative."""
    powers = _powers(grid.dimension, grid.degree + 1)
    patch, counts = _patches(grid, round(NODES * len(powers)))
    offsets = _shortest(grid.shape, grid.nodes[patch] - grid.nodes[:, None])  # (n, k, d)
    radius = np.linalg.norm(offsets, axis=-1).max(axis=1)
    scaled = offsets / radius[:, None, None]
    monomials = np.stack([np.prod(scaled**p, axis=-1) for p in powers], axis=-1)
    monomials = monomials * counts[..., None]
    normal = np.swapaxes(monomials, 1, 2) @ monomials + DAMPING * np.eye(len(powers))
    slopes = np.linalg.solve(normal, np.swapaxes(monomials, 1, 2))[:, 1 : 1 + grid.dimension]
    slopes = slopes / radius[:, None, None]  # (n, d, k)
    rows = np.repeat(np.arange(grid.size), patch.shape[1])
    return tuple(
        scipy.sparse.coo_matrix(
            (slopes[:, k].ravel(), (rows, patch.ravel())), shape=(grid.size, grid.size)
        ).tocsr()
        for k in range(grid.dimension)
    )


def _powers(dimension: int, degree: int) -> np.ndarray:
    """Exponents of the monomials up to a degree: the constant, the coordinates, then the rest."""
    every = itertools.product(range(degree + 1), repeat=dimension)
    chosen = sorted((p for p in every if sum(p) <= degree), key=lambda p: (sum(p), [-n for n in p]))
    return np.array(chosen)


def _patches(grid: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """For each node the nearest of those at most two cells away, (n, count), and which entries
    count (1.0): short rows are filled up with the node itself (0.0)."""
    n, b = grid.size, grid.dofs.shape[1]
    rows, columns = np.repeat(grid.dofs, b, axis=1).ravel(), np.tile(grid.dofs, (1, b)).ravel()
    touching = scipy.sparse.coo_matrix((np.ones(rows.size), (rows, columns)), shape=(n, n)).tocsr()
    rows, columns = (touching @ touching).nonzero()
    away = np.linalg.norm(_shortest(grid.shape, grid.nodes[columns] - grid.nodes[rows]), axis=-1)
    order = np.lexsort((away, rows))
    rows, columns = rows[order], columns[order]
    rank = np.arange(rows.size) - np.searchsorted(rows, np.arange(n))[rows]
    near = rank < count
    patch = np.tile(np.arange(n)[:, None], (1, count))
    counts = np.zeros((n, count))
    patch[rows[near], rank[near]] = columns[near]
    counts[rows[near], rank[near]] = 1.0
    return patch, counts


def _shortest(shape: Any, offsets: np.ndarray) -> np.ndarray:
    """Offsets between points, the short way round along periodic axes."""
    offsets = offsets.copy()
    for axis, period in shape.periods.items():
        i = shape.axes.index(axis)
        offsets[..., i] -= period * np.round(offsets[..., i] / period)
    return offsets
