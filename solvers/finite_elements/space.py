"""Continuous piecewise polynomials on a mesh of simplices, with curved cells along curved walls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from .grid import CELLS, Grid, element


@dataclass(frozen=True, eq=False)
class Cells:
    """Basis functions at the quadrature points of some cells, or of facets of cells.

    `dofs` (cells, b) of `size` in all; `points` (cells, q, d); `weights` (cells, q); `values`
    (cells, q, 1 + d, b) holds each of the b local basis functions and its gradient; `normals`
    (cells, q, d) on facets.
    """

    dofs: np.ndarray
    size: int
    points: np.ndarray
    weights: np.ndarray
    values: np.ndarray
    normals: np.ndarray | None = None

    def jets(self, nodal: np.ndarray) -> np.ndarray:
        """Values and gradients (cells, q, 1 + d) of the function with nodal values (n,)."""
        return (self.values @ nodal[self.dofs][:, None, :, None])[..., 0]

    def load(self, density: np.ndarray) -> np.ndarray:
        """∫ density · (v, grad v) for every basis function v: (cells, q, 1 + d) -> (n,)."""
        local = np.einsum("cqab,cqa,cq->cb", self.values, density, self.weights, optimize=True)
        return np.bincount(self.dofs.ravel(), local.ravel(), minlength=self.size)

    def matrix(self, density: np.ndarray, trial: Cells) -> scipy.sparse.csr_matrix:
        """∫ (v, grad v) · density · (u, grad u) for basis functions v, and u of `trial` on the same
        cells: (cells, q, 1 + d, 1 + d) -> (n, m)."""
        cells, q, a, b = self.values.shape
        c = trial.values.shape[-1]
        right = (density * self.weights[..., None, None]) @ trial.values
        left = np.swapaxes(self.values.reshape(cells, q * a, b), 1, 2)
        local = left @ right.reshape(cells, q * a, c)
        rows = np.repeat(self.dofs, c, axis=1).ravel()
        columns = np.tile(trial.dofs, (1, b)).ravel()
        shape = (self.size, trial.size)
        return scipy.sparse.coo_matrix((local.ravel(), (rows, columns)), shape=shape).tocsr()


@dataclass(frozen=True, eq=False)
class Space:
    """A finite-element space on a shape: its grid, the `interior` for integrals over cells, `walls`
    for integrals over the facets of each part, `wall_dofs` the degrees of freedom on each part."""

    grid: Grid
    interior: Cells
    walls: Mapping[str, Cells]
    wall_dofs: Mapping[str, np.ndarray]

    @property
    def size(self) -> int:
        """Number of degrees of freedom of a scalar field."""
        return self.grid.size

    @property
    def dimension(self) -> int:
        """Number of space coordinates."""
        return self.grid.dimension

    @cached_property
    def mass(self) -> scipy.sparse.csr_matrix:
        """∫ u v."""
        return self._constant(np.diag([1.0] + [0.0] * self.dimension))

    @cached_property
    def stiffness(self) -> scipy.sparse.csr_matrix:
        """∫ grad u · grad v."""
        return self._constant(np.diag([0.0] + [1.0] * self.dimension))

    def _constant(self, density: np.ndarray) -> scipy.sparse.csr_matrix:
        shape = (*self.interior.weights.shape, *density.shape)
        return self.interior.matrix(np.broadcast_to(density, shape), self.interior)


@dataclass(frozen=True, eq=False)
class Product:
    """The space of several unknowns, each in a `Space` of its own on the same cells. Its functions
    are vectors with the degrees of freedom of one unknown after the other."""

    spaces: tuple[Space, ...]

    @cached_property
    def main(self) -> Space:
        """The space of highest degree, on whose grid points are located."""
        return max(self.spaces, key=lambda space: space.grid.degree)

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where the degrees of freedom of each unknown start, and how many there are in all."""
        return np.concatenate([[0], np.cumsum([space.size for space in self.spaces])])

    @property
    def size(self) -> int:
        """Number of degrees of freedom of all unknowns."""
        return int(self.offsets[-1])

    def slice(self, row: int) -> slice:
        """The degrees of freedom of one unknown."""
        return slice(int(self.offsets[row]), int(self.offsets[row + 1]))

    def split(self, values: np.ndarray) -> list[np.ndarray]:
        """The part of each unknown, along the last axis."""
        return [values[..., self.slice(row)] for row in range(len(self.spaces))]


def make_spaces(shape: Any, size: Any, degrees: Sequence[int]) -> Product:
    """Spaces of the given degrees on a mesh of the given size; periodic axes are glued.

    Raises:
        ValueError where the nodes on two periodic ends do not match.
    """
    import skfem

    base = getattr(shape, "base", shape) if shape.periods else shape
    simplices = base.mesh(size)
    d = simplices.dimension
    degree = max(degrees)
    points, cells = np.asarray(simplices.points, float), np.asarray(simplices.cells)
    mesh = getattr(skfem, f"Mesh{CELLS[d]}")(points.T.copy(), cells.T.copy())
    facets = {name: _facet_numbers(mesh, rows) for name, rows in simplices.facets.items()}
    if d > 1 and degree > 1:
        mesh = _curved(base, mesh)
    basis = skfem.CellBasis(mesh, element(d, degree), intorder=2 * degree)
    nodes = basis.doflocs.T
    grid = Grid(shape, degree, nodes, basis.element_dofs.T, _glue(nodes, shape))
    found = {n: _space(mesh, facets, grid.of_degree(n), 2 * degree) for n in set(degrees)}
    return Product(tuple(found[n] for n in degrees))


def _space(mesh: Any, facets: Mapping[str, np.ndarray], grid: Grid, order: int) -> Space:
    """The space on a grid, with quadrature of the given order."""
    import skfem

    functions, glue = grid.element, grid.glue
    basis = skfem.CellBasis(mesh, functions, intorder=order)
    walls, wall_dofs = {}, {}
    for name in grid.shape.parts:
        facet_basis = skfem.FacetBasis(mesh, functions, intorder=order, facets=facets[name])
        walls[name] = _cells(facet_basis, grid, facet_basis.normals)
        wall_dofs[name] = np.unique(glue[basis.get_dofs(facets[name]).all()])
    return Space(grid, _cells(basis, grid), walls, wall_dofs)


def _cells(basis: Any, grid: Grid, normals: Any = None) -> Cells:
    fields = [functions[0] for functions in basis.basis]
    values = np.stack(
        [np.concatenate([np.asarray(f)[None], f.grad]) for f in fields]
    )  # (b, 1+d, c, q)
    outward = None if normals is None else np.moveaxis(np.asarray(normals), 0, -1)
    return Cells(
        grid.glue[basis.element_dofs.T],
        grid.size,
        np.moveaxis(np.asarray(basis.global_coordinates()), 0, -1),
        np.ascontiguousarray(basis.dx),
        np.ascontiguousarray(values.transpose(2, 3, 1, 0)),
        outward,
    )


def _facet_numbers(mesh: Any, vertices: np.ndarray) -> np.ndarray:
    """The numbers of facets that are given by their vertices, (k, d) -> (k,)."""
    base = mesh.p.shape[1] ** np.arange(len(mesh.facets))
    codes = base @ np.sort(mesh.facets, axis=0)
    order = np.argsort(codes)
    wanted = np.sort(np.asarray(vertices), axis=1) @ base
    return order[np.searchsorted(codes[order], wanted)].astype(np.int32)


def _curved(shape: Any, mesh: Any) -> Any:
    """The mesh with the middle nodes of boundary facets moved onto the shape, where it is curved.

    Isoparametric cells keep the third order of quadratic elements on curved domains.
    """
    import skfem

    curved = getattr(skfem, f"Mesh{CELLS[mesh.dim()]}2").from_mesh(mesh)
    on_wall = curved.dofs.get_facet_dofs(mesh.boundary_facets()).all()
    middle = np.unique(on_wall[on_wall >= mesh.p.shape[1]])
    start = curved.doflocs[:, middle].T
    end = _project(shape, start)
    moved = np.linalg.norm(end - start, axis=1)
    if not (moved > 1e-10 * shape.size).any():
        return mesh
    locations = curved.doflocs.copy()
    locations[:, middle] = end.T
    result = replace(curved, doflocs=locations)
    folded = _folded_cells(result)
    if folded.size:
        own = np.intersect1d(curved.dofs.element_dofs[:, folded], middle)
        locations[:, own] = curved.doflocs[:, own]
        result = replace(curved, doflocs=locations)
    return result


def _project(shape: Any, points: np.ndarray, steps: int = 4) -> np.ndarray:
    """Points moved along the gradient of the signed distance onto the boundary."""
    width = 1e-6 * shape.size
    for _ in range(steps):
        distance = np.asarray(shape.signed_distance(points))
        shifts = width * np.eye(points.shape[1])
        gradient = np.stack(
            [
                (np.asarray(shape.signed_distance(points + s)) - shape.signed_distance(points - s))
                / (2 * width)
                for s in shifts
            ],
            axis=-1,
        )
        length = np.maximum(np.sum(gradient**2, axis=-1), 0.25)
        points = points - (distance / length)[:, None] * gradient
    return points


def _folded_cells(mesh: Any) -> np.ndarray:
    """Cells whose map from the reference cell is not one to one, as far as its nodes tell."""
    corners = element(mesh.dim(), 2).doflocs.T
    determinants = mesh._mapping().detDF(corners)
    return np.flatnonzero(determinants.min(axis=1) * determinants.max(axis=1) <= 0)


def _glue(nodes: np.ndarray, shape: Any) -> np.ndarray:
    """The number of each node once those on opposite periodic ends are taken for one."""
    if not shape.periods:
        return np.arange(len(nodes))
    lower, upper = shape.bounds
    wrapped, near = nodes.copy(), 1e-8 * shape.size
    for i in map(shape.axes.index, shape.periods):
        at_lower, at_upper = (np.abs(nodes[:, i] - end[i]) < near for end in (lower, upper))
        wrapped[at_upper, i] = lower[i]
        if at_lower.sum() != at_upper.sum():
            break
    else:
        stays = np.all(wrapped == nodes, axis=1)
        distance, partner = scipy.spatial.cKDTree(nodes[stays]).query(wrapped)
        if distance.max() < near:
            return partner
    raise ValueError(f"the mesh of {shape!r} has nodes that do not match on its periodic ends.")
