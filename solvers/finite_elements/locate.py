"""From points to cells: where a point lies, and the basis functions there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

CANDIDATES = (6, 40)  # cells tried for a point: those with the nearest centers, then more of them


@dataclass(frozen=True, eq=False)
class Located:
    """Points in a mesh: `dofs` (points, b) of their cells, values (points, b) and gradients
    (points, d, b) of the basis functions there."""

    dofs: np.ndarray
    values: np.ndarray
    gradients: np.ndarray

    def weights(self, direction: int | None) -> np.ndarray:
        """The basis functions (direction None) or their derivatives in a direction, (points, b)."""
        return self.values if direction is None else self.gradients[:, direction]


@dataclass(frozen=True, eq=False)
class Locator:
    """Finds the cells of points; a point outside the mesh belongs to the nearest cell, whose
    polynomial is continued (as between a curved wall and its chord)."""

    space: Any

    def __post_init__(self):
        vertices = self.space.mapping_nodes[self.space.cell_nodes[:, : self.space.dimension + 1]]
        edges = vertices[:, 1:] - vertices[:, :1]  # rows are edges
        object.__setattr__(self, "_origin", vertices[:, 0])
        object.__setattr__(self, "_inverse", np.linalg.inv(edges))
        object.__setattr__(self, "_tree", cKDTree(vertices.mean(axis=1)))

    def __call__(self, points: np.ndarray) -> Located:
        points = _wrap(self.space.shape, points)
        cells, reference = self._cells(points)
        values, gradients = physical_gradients(self.space, cells, reference)
        return Located(self.space.interior.dofs[cells], values, gradients)

    def _cells(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cells = np.zeros(len(points), int)
        slack = np.full(len(points), -np.inf)
        for count in CANDIDATES:
            todo = np.flatnonzero(slack < -1e-10)
            if not todo.size:
                break
            best, found = self._best(points[todo], min(count, len(self._origin)))  # type: ignore[attr-defined]
            cells[todo], slack[todo] = best, found
        reference = self._affine(points, cells)
        return cells, _newton(self.space, points, cells, reference)

    def _affine(self, points: np.ndarray, cells: np.ndarray) -> np.ndarray:
        offset = points - self._origin[cells]  # type: ignore[attr-defined]
        return np.einsum("...k,...kj->...j", offset, self._inverse[cells])  # type: ignore[attr-defined]

    def _best(self, points: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """The candidate whose smallest barycentric coordinate of the point is largest."""
        near = self._tree.query(points, k=count)[1].reshape(len(points), count)  # type: ignore[attr-defined]
        reference = self._affine(points[:, None], near)
        inside = np.minimum(reference.min(axis=-1), 1 - reference.sum(axis=-1))
        best = inside.argmax(axis=1)
        rows = np.arange(len(points))
        return near[rows, best], inside[rows, best]


def physical_gradients(space: Any, cells: np.ndarray, reference: np.ndarray):
    """Values (n, b) and gradients (n, d, b) of the local basis functions at reference points."""
    values, slopes = _shape_functions(space.element, reference)
    jacobian = _jacobian(space, cells, slopes)
    return values, np.linalg.solve(jacobian, slopes)


def _shape_functions(element: Any, reference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Reference basis functions (n, b) and their gradients (n, d, b)."""
    n, d = reference.shape
    functions = [element.lbasis(reference.T, i) for i in range(len(element.doflocs))]
    values = np.stack([np.broadcast_to(phi, n) for phi, _ in functions], axis=-1)
    slopes = np.stack([np.broadcast_to(dphi.T, (n, d)) for _, dphi in functions], axis=-1)
    return values, slopes


def _jacobian(space: Any, cells: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """dx_j / dξ_i of the isoparametric map, (n, i, j)."""
    return slopes @ space.mapping_nodes[space.cell_nodes[cells]]


def _newton(space: Any, points, cells, reference, steps: int = 4) -> np.ndarray:
    """Reference coordinates under the isoparametric map, from those under the affine one."""
    if space.degree == 1:
        return reference
    scale = space.shape.size
    for _ in range(steps):
        values, slopes = _shape_functions(space.element, reference)
        nodes = space.mapping_nodes[space.cell_nodes[cells]]
        miss = points - (values[:, None] @ nodes)[:, 0]
        if np.abs(miss).max(initial=0.0) < 1e-14 * scale:
            break
        step = np.linalg.solve(np.swapaxes(slopes @ nodes, 1, 2), miss[..., None])[..., 0]
        reference = reference + np.clip(step, -0.5, 0.5)
    return reference


def _wrap(shape: Any, points: np.ndarray) -> np.ndarray:
    if not shape.periods:
        return points
    points = points.copy()
    lower = shape.bounds[0]
    for axis, period in shape.periods.items():
        i = shape.axes.index(axis)
        points[:, i] = lower[i] + (points[:, i] - lower[i]) % period
    return points
