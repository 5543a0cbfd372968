"""Cells and nodes: what is needed to evaluate a finite-element function at any point."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from .recovery import recovery

CELLS = {1: "Line", 2: "Tri", 3: "Tet"}
CANDIDATES = (6, 40)  # cells tried for a point: those with the nearest centers, then more of them


def element(dimension: int, degree: int) -> Any:
    """Lagrange's element on simplices, of scikit-fem, which takes a while to load."""
    import skfem

    return getattr(skfem, f"Element{CELLS[dimension]}P{degree}")()


@dataclass(frozen=True, eq=False)
class Places:
    """Where points lie: their `cells` (n,), `reference` coordinates (n, d) there, and the slopes
    (n, d, d) of places by reference coordinates."""

    cells: np.ndarray
    reference: np.ndarray
    jacobian: np.ndarray


@dataclass(frozen=True, eq=False)
class Located:
    """Points in a grid: `dofs` (points, b) of their cells, values (points, b) and gradients
    (points, d, b) of the basis functions there."""

    dofs: np.ndarray
    values: np.ndarray
    gradients: np.ndarray

    def weights(self, direction: int | None) -> np.ndarray:
        """The basis functions (direction None) or their derivatives in a direction, (points, b)."""
        return self.values if direction is None else self.gradients[:, direction]


@dataclass(frozen=True, eq=False)
class Grid:
    """Isoparametric Lagrange cells of degree 1 or 2 on a shape.

    `mesh_nodes` (m, d) are the places of all nodes, `cell_nodes` (cells, b) those of each cell,
    corners first, and `glue` (m,) the degree of freedom at each node: several nodes share one where
    periodic ends are glued.
    """

    shape: Any
    degree: int
    mesh_nodes: np.ndarray
    cell_nodes: np.ndarray
    glue: np.ndarray

    @property
    def dimension(self) -> int:
        """Number of space coordinates."""
        return self.mesh_nodes.shape[1]

    @cached_property
    def nodes(self) -> np.ndarray:
        """The place of each degree of freedom, (n, d)."""
        return self.mesh_nodes[np.unique(self.glue, return_index=True)[1]]

    @cached_property
    def dofs(self) -> np.ndarray:
        """The degrees of freedom of each cell, (cells, b)."""
        return self.glue[self.cell_nodes]

    @property
    def size(self) -> int:
        """Number of degrees of freedom."""
        return len(self.nodes)

    @cached_property
    def element(self) -> Any:
        """The reference element."""
        return element(self.dimension, self.degree)

    @cached_property
    def linear(self) -> Grid:
        """The grid of continuous functions of degree 1 on the same cells."""
        corners = self.cell_nodes[:, : self.dimension + 1]
        kept, cells = np.unique(corners, return_inverse=True)
        glue = np.unique(self.glue[kept], return_inverse=True)[1]
        return Grid(self.shape, 1, self.mesh_nodes[kept], cells.reshape(corners.shape), glue)

    def of_degree(self, degree: int) -> Grid:
        """The grid itself, or the one of degree 1 on its cells."""
        return self if degree == self.degree else self.linear

    def locate(self, points: np.ndarray) -> Places:
        """The places of points (n, d).

        A point outside the grid belongs to the nearest cell, whose polynomial is continued (as
        between a curved wall and its chord)."""
        points = _wrapped(self.shape, points)
        cells = np.zeros(len(points), int)
        slack = np.full(len(points), -np.inf)
        for count in CANDIDATES:
            todo = np.flatnonzero(slack < -1e-10)
            if not todo.size:
                break
            cells[todo], slack[todo] = self._nearest(points[todo], min(count, len(self.dofs)))
        reference = self._curved_reference(points, cells, self._reference(points, cells))
        slopes = self._reference_basis(reference)[1]
        return Places(cells, reference, slopes @ self.mesh_nodes[self.cell_nodes[cells]])

    def at(self, places: Places) -> Located:
        """The basis functions at places that this grid, or the one whose cells it has, located."""
        values, slopes = self._reference_basis(places.reference)
        gradients = np.linalg.solve(places.jacobian, slopes)
        return Located(self.dofs[places.cells], values, gradients)

    @cached_property
    def recovery(self) -> tuple[scipy.sparse.csr_matrix, ...]:
        """For each direction, the map from nodal values to nodal values of the derivative; see
        `recovery`."""
        return recovery(self)

    @cached_property
    def _corners(self) -> tuple[np.ndarray, np.ndarray]:
        """The first corner of each cell and the inverse of its edges from there."""
        corners = self.mesh_nodes[self.cell_nodes[:, : self.dimension + 1]]
        return corners[:, 0], np.linalg.inv(corners[:, 1:] - corners[:, :1])

    @cached_property
    def _centers(self) -> scipy.spatial.cKDTree:
        return scipy.spatial.cKDTree(
            self.mesh_nodes[self.cell_nodes[:, : self.dimension + 1]].mean(axis=1)
        )

    def _reference(self, points: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """Reference coordinates of points in cells with straight edges."""
        origin, inverse = self._corners
        return np.einsum("...k,...kj->...j", points - origin[cells], inverse[cells])

    def _nearest(self, points: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Of so many candidates the cell in which the point lies deepest, and how deep: its
        smallest barycentric coordinate."""
        near = self._centers.query(points, k=count)[1].reshape(len(points), count)
        reference = self._reference(points[:, None], near)
        depth = np.minimum(reference.min(axis=-1), 1 - reference.sum(axis=-1))
        rows, best = np.arange(len(points)), depth.argmax(axis=1)
        return near[rows, best], depth[rows, best]

    def _curved_reference(self, points, cells, reference, steps: int = 4) -> np.ndarray:
        """Reference coordinates in curved cells, by Newton's method from those in straight ones."""
        if self.degree == 1:
            return reference
        nodes = self.mesh_nodes[self.cell_nodes[cells]]
        for _ in range(steps):
            values, slopes = self._reference_basis(reference)
            miss = points - (values[:, None] @ nodes)[:, 0]
            if np.abs(miss).max(initial=0.0) < 1e-14 * self.shape.size:
                break
            step = np.linalg.solve(np.swapaxes(slopes @ nodes, 1, 2), miss[..., None])[..., 0]
            reference = reference + np.clip(step, -0.5, 0.5)
        return reference

    def _reference_basis(self, reference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Basis functions (n, b) of the reference element and their gradients (n, d, b)."""
        n, d = reference.shape
        pairs = [self.element.lbasis(reference.T, i) for i in range(len(self.element.doflocs))]
        values = np.stack([np.broadcast_to(phi, n) for phi, _ in pairs], axis=-1)
        slopes = np.stack([np.broadcast_to(dphi.T, (n, d)) for _, dphi in pairs], axis=-1)
        return values, slopes


def _wrapped(shape: Any, points: np.ndarray) -> np.ndarray:
    """Points moved into the cell of periodicity."""
    points = points.copy()
    for i, period in ((shape.axes.index(a), length) for a, length in shape.periods.items()):
        start = shape.bounds[0][i]
        points[:, i] = start + (points[:, i] - start) % period
    return points
