"""The discrete problem: residual and tangent of a weak form on a finite-element space.

With nodal values U, their rates V and accelerations A, find U(t) such that R(U, V, A, t) = 0 in all
free degrees of freedom, while the others have given values. A `motion` is the tuple (U,), (U, V) or
(U, V, A), as far as the equations have time derivatives; each of these holds the degrees of freedom
of one unknown after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import jax.numpy as jnp
import numpy as np
import scipy
import sympy

from equations import compile_expressions

from .density import Density
from .space import Cells, Product

Motion = tuple[np.ndarray, ...]


class Densities:
    """The pointwise functions of a weak form, compiled once for all meshes."""

    def __init__(self, weak: Any) -> None:
        self.weak = weak
        rows = [e for s, flux in zip(weak.sources, weak.fluxes, strict=True) for e in (s, *flux)]
        self.interior = Density(rows, weak)
        self.walls = [(b, Density([b.value], weak)) for b in weak.natural if b.value != 0]
        coordinates = (*weak.space, *([weak.time] if weak.time else []))
        self.order = max(weak.time_orders)
        self.essential = [(b, _known(b.value, coordinates, self.order)) for b in weak.essential]
        self.initial = [
            [(b, _known(b.value, coordinates, 0)) for b in values]
            for values in (weak.initial, weak.initial_rates)
        ]
        self.is_linear, self.is_autonomous = weak.is_linear, weak.is_autonomous


def _known(expression: sympy.Expr, coordinates, order: int):
    """A known function of place and time, and its time derivatives up to an order."""
    time = next((c for c in coordinates if c.name == "t"), None)
    rates = [sympy.diff(expression, time, n) for n in range(1, order + 1)]
    compiled = compile_expressions([expression, *rates], coordinates)

    def evaluate(points: np.ndarray, t: float | None) -> list[np.ndarray]:
        if t is not None:
            points = np.concatenate([points, np.full((len(points), 1), t)], axis=1)
        return [np.asarray(v, dtype=float) for v in compiled(jnp.asarray(points), [])]

    return evaluate


class System:
    """R(motion, t) and its tangent."""

    def __init__(self, space: Product, densities: Densities) -> None:
        self.space, self.densities, self.weak = space, densities, densities.weak
        fixed = np.zeros(space.size, bool)
        for boundary, _ in densities.essential:
            fixed[self._on_part(boundary)] = True
        for u in self.weak.floating:  # one value, on which the others are counted
            fixed[space.slice(self.weak.unknowns.index(u)).start] = True
        self.free = np.flatnonzero(~fixed)

    @property
    def order(self) -> int:
        """The highest order of time derivative."""
        return self.densities.order

    def free_of(self, row: int) -> np.ndarray:
        """The free degrees of freedom of one unknown, numbered in its row."""
        own = self.space.slice(row)
        return self.free[(self.free >= own.start) & (self.free < own.stop)] - own.start

    @cached_property
    def moving(self) -> np.ndarray:
        """Which degrees of freedom belong to unknowns that have a time derivative."""
        sizes = np.diff(self.space.offsets)
        return np.repeat(np.array(self.weak.time_orders) > 0, sizes)

    @cached_property
    def multiplying(self) -> np.ndarray:
        """Which degrees of freedom belong to multipliers."""
        sizes = np.diff(self.space.offsets)
        return np.repeat([u in self.weak.multipliers for u in self.weak.unknowns], sizes)

    def spread(self, free: np.ndarray) -> np.ndarray:
        """Values of the free degrees of freedom among all, zero elsewhere."""
        result = np.zeros(self.space.size)
        result[self.free] = free
        return result

    def given(self, t: float | None) -> Motion:
        """The motion of the degrees of freedom that conditions give; zero in the others."""
        motion = tuple(np.zeros(self.space.size) for _ in range(self.order + 1))
        for boundary, evaluate in self.densities.essential:
            dofs = self._on_part(boundary)
            row = self._row(boundary)
            places = self.space.spaces[row].grid.nodes[dofs - self.space.slice(row).start]
            for values, found in zip(motion, evaluate(places, t), strict=True):
                values[dofs] = found
        return motion

    def residual(self, motion: Motion, t: float | None) -> np.ndarray:
        """R(motion, t)."""
        if self.densities.is_linear:
            products = (a @ values for a, values in zip(self._matrices, motion, strict=True))
            return sum(products, self._load(t))
        return self._assembled(motion, t)

    def tangent(
        self, motion: Motion, t: float | None, shifts: Sequence[float]
    ) -> scipy.sparse.csr_matrix:
        """shifts[0] dR/dU + shifts[1] dR/dV + shifts[2] dR/dA, as far as there are such."""
        if self.densities.is_linear:
            pairs = zip(shifts, self._matrices, strict=True)
            nothing = scipy.sparse.csr_matrix((self.space.size, self.space.size))
            return sum((s * a for s, a in pairs if s), nothing)
        return self._derivative(motion, t, shifts)

    def norm(self, values: np.ndarray) -> float:
        """The L2 norm of those unknowns that have a time derivative."""
        rows = zip(self.space.spaces, self.space.split(values), self.weak.time_orders, strict=True)
        squares = (float(v @ (space.mass @ v)) for space, v, order in rows if order)
        return float(np.sqrt(max(0.0, sum(squares))))

    def _row(self, boundary: Any) -> int:
        return self.weak.unknowns.index(boundary.unknown)

    def _on_part(self, boundary: Any) -> np.ndarray:
        row = self._row(boundary)
        return self.space.spaces[row].wall_dofs[boundary.part] + self.space.slice(row).start

    def _rest(self) -> Motion:
        return tuple(np.zeros(self.space.size) for _ in range(self.order + 1))

    @cached_property
    def _matrices(self) -> tuple[scipy.sparse.csr_matrix, ...]:
        t = None if self.weak.time is None else 0.0
        one = np.eye(self.order + 1).tolist()
        return tuple(self._derivative(self._rest(), t, shifts) for shifts in one)

    @cached_property
    def _steady_load(self) -> np.ndarray:
        return self._assembled(self._rest(), None if self.weak.time is None else 0.0)

    def _load(self, t: float | None) -> np.ndarray:
        if self.densities.is_autonomous:
            return self._steady_load
        return self._assembled(self._rest(), t)

    def _terms(self, motion: Motion, t: float | None):
        """For each integral: the cells of each unknown, the values of the densities, their slopes
        by the jets, and the rows of tests, each with its columns of the densities."""
        k, d = len(self.weak.unknowns), self.space.main.dimension
        cells = [space.interior for space in self.space.spaces]
        found = self.densities.interior(cells[0].points, self._jets(cells, motion), t)
        yield cells, *found, [(i, i * (1 + d)) for i in range(k)]
        for boundary, function in self.densities.walls:
            cells = [space.walls[boundary.part] for space in self.space.spaces]
            jets = self._jets(cells, motion)
            flux, slopes = function(cells[0].points, jets, t, cells[0].normals)
            test = np.concatenate([-flux, np.zeros((*flux.shape[:-1], d))], axis=-1)
            weights = np.zeros((*slopes.shape[:2], 1 + d, *slopes.shape[3:]))
            weights[:, :, 0] = -slopes[:, :, 0]
            yield cells, test, weights, [(self._row(boundary), 0)]

    def _assembled(self, motion: Motion, t: float | None) -> np.ndarray:
        result, d = np.zeros(self.space.size), self.space.main.dimension
        for cells, density, _, rows in self._terms(motion, t):
            for i, start in rows:
                result[self.space.slice(i)] += cells[i].load(density[..., start : start + 1 + d])
        return result

    def _derivative(
        self, motion: Motion, t: float | None, shifts: Sequence[float]
    ) -> scipy.sparse.csr_matrix:
        spaces, d = self.space.spaces, self.space.main.dimension
        k = len(spaces)
        blocks: list[list[Any]] = [[None] * k for _ in range(k)]
        for cells, _, slopes, rows in self._terms(motion, t):
            for i, start in rows:
                for j in range(k):
                    slope = slopes[..., start : start + 1 + d, j, :]
                    density = shifts[0] * slope[..., : 1 + d]
                    for n, shift in enumerate(shifts[1:]):
                        density[..., 0] += shift * slope[..., 1 + d + n]
                    if density.any():
                        matrix = cells[i].matrix(density, cells[j])
                        blocks[i][j] = matrix if blocks[i][j] is None else blocks[i][j] + matrix
        for i, j in np.ndindex(k, k):
            if blocks[i][j] is None:
                blocks[i][j] = scipy.sparse.csr_matrix((spaces[i].size, spaces[j].size))
        return scipy.sparse.bmat(blocks, format="csr")

    def _jets(self, cells: Sequence[Cells], motion: Motion) -> np.ndarray:
        """The jets (cells, q, unknowns, 1 + d + order)."""
        rows = zip(cells, *(self.space.split(values) for values in motion), strict=True)
        return np.stack([_jets_of(own, values) for own, *values in rows], axis=2)


def _jets_of(cells: Cells, motion: Sequence[np.ndarray]) -> np.ndarray:
    jets = cells.jets(motion[0])
    rates = [cells.jets(values)[..., :1] for values in motion[1:]]
    return np.concatenate([jets, *rates], axis=-1) if rates else jets
