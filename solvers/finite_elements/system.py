"""The discrete problem: residual and tangent of a weak form on a finite-element space.

With nodal values U and their rates V, find U(t) such that R(U, V, t) = 0 in all free degrees of
freedom, while the others have given values. A steady problem is the case without V.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import jax.numpy as jnp
import numpy as np
import scipy
import sympy

from equations import compile_expressions

from .density import Density
from .space import Cells, Space


class Densities:
    """The pointwise functions of a weak form, compiled once for all meshes."""

    def __init__(self, weak: Any) -> None:
        self.weak = weak
        rows = [e for s, flux in zip(weak.sources, weak.fluxes, strict=True) for e in (s, *flux)]
        self.interior = Density(rows, weak)
        self.walls = [(b, Density([b.value], weak)) for b in weak.natural if b.value != 0]
        coordinates = (*weak.space, *([weak.time] if weak.time else []))
        self.essential = [(b, _values_and_rates(b.value, coordinates)) for b in weak.essential]
        self.initial = [(b, _values_and_rates(b.value, coordinates)) for b in weak.initial]
        self.is_linear, self.is_autonomous = weak.is_linear, weak.is_autonomous


def _values_and_rates(expression: sympy.Expr, coordinates):
    time = next((c for c in coordinates if c.name == "t"), None)
    rate = sympy.S.Zero if time is None else sympy.diff(expression, time)
    compiled = compile_expressions([expression, rate], coordinates)

    def evaluate(points: np.ndarray, t: float | None) -> list[np.ndarray]:
        if t is not None:
            points = np.concatenate([points, np.full((len(points), 1), t)], axis=1)
        return [np.asarray(v, dtype=float) for v in compiled(jnp.asarray(points), [])]

    return evaluate


class System:
    """R(U, V, t) and its tangent; U and V hold one row of nodal values for each unknown."""

    def __init__(self, space: Space, densities: Densities) -> None:
        self.space, self.densities, self.weak = space, densities, densities.weak
        self.shape = (len(self.weak.unknowns), space.size)
        fixed = np.zeros(self.shape, bool)
        for boundary, _ in densities.essential:
            fixed[self._row(boundary), space.wall_dofs[boundary.part]] = True
        self.free = np.flatnonzero(~fixed.ravel())

    def free_of(self, row: int) -> np.ndarray:
        """The free degrees of freedom of one unknown, numbered in its row."""
        own = self.free[self.free // self.space.size == row]
        return own - row * self.space.size

    def spread(self, free: np.ndarray) -> np.ndarray:
        """Values of the free degrees of freedom as an array shaped like U, zero elsewhere."""
        result = np.zeros(self.shape)
        result.flat[self.free] = free
        return result

    def given(self, t: float | None) -> tuple[np.ndarray, np.ndarray]:
        """Values and rates of the degrees of freedom that conditions give; zero in the others."""
        values, rates = np.zeros(self.shape), np.zeros(self.shape)
        for boundary, evaluate in self.densities.essential:
            dofs = self.space.wall_dofs[boundary.part]
            row = self._row(boundary)
            values[row, dofs], rates[row, dofs] = evaluate(self.space.grid.nodes[dofs], t)
        return values, rates

    def residual(self, values: np.ndarray, rates: np.ndarray | None, t: float | None) -> np.ndarray:
        """R(U, V, t), shaped like U."""
        if self.densities.is_linear:
            stiffness, storage = self._matrices
            result = stiffness @ values.ravel() + self._load(t)
            if rates is not None:
                result = result + storage @ rates.ravel()
            return result.reshape(self.shape)
        return self._assembled(values, rates, t)

    def tangent(self, values, rates, t, shift: float = 0.0) -> scipy.sparse.csr_matrix:
        """dR/dU + shift dR/dV."""
        if self.densities.is_linear:
            stiffness, storage = self._matrices
            return stiffness + shift * storage if shift else stiffness
        return self._derivative(values, rates, t, 1.0, shift)

    def storage(self, values, rates, t) -> scipy.sparse.csr_matrix:
        """dR/dV."""
        if self.densities.is_linear:
            return self._matrices[1]
        return self._derivative(values, rates, t, 0.0, 1.0)

    def _row(self, boundary: Any) -> int:
        return self.weak.unknowns.index(boundary.unknown)

    @cached_property
    def _matrices(self) -> tuple[scipy.sparse.csr_matrix, scipy.sparse.csr_matrix]:
        zero, t = np.zeros(self.shape), None if self.weak.time is None else 0.0
        stiffness = self._derivative(zero, zero, t, 1.0, 0.0)
        return stiffness, stiffness if t is None else self._derivative(zero, zero, t, 0.0, 1.0)

    @cached_property
    def _steady_load(self) -> np.ndarray:
        t = None if self.weak.time is None else 0.0
        return self._assembled(np.zeros(self.shape), None, t).ravel()

    def _load(self, t: float | None) -> np.ndarray:
        if self.densities.is_autonomous:
            return self._steady_load
        return self._assembled(np.zeros(self.shape), None, t).ravel()

    def _assembled(self, values, rates, t) -> np.ndarray:
        result = np.zeros(self.shape)
        n, d = self.space.size, self.space.dimension
        cells = self.space.interior
        density, _ = self.densities.interior(cells.points, self._jets(cells, values, rates), t)
        for i in range(len(result)):
            result[i] = cells.load(density[..., i * (1 + d) : (i + 1) * (1 + d)], n)
        for boundary, function in self.densities.walls:
            cells = self.space.walls[boundary.part]
            jets = self._jets(cells, values, rates)
            flux, _ = function(cells.points, jets, t, cells.normals)
            test = np.concatenate([flux, np.zeros((*flux.shape[:-1], d))], axis=-1)
            result[self._row(boundary)] -= cells.load(test, n)
        return result

    def _derivative(
        self, values, rates, t, of_values: float, of_rates: float
    ) -> scipy.sparse.csr_matrix:
        k, d, n = self.shape[0], self.space.dimension, self.space.size
        blocks: list[list[Any]] = [[None] * k for _ in range(k)]

        def add(i: int, j: int, cells: Cells, slope: np.ndarray) -> None:
            density = of_values * slope[..., : 1 + d]
            if rates is not None and of_rates:
                density[..., 0] += of_rates * slope[..., 1 + d]
            if density.any():
                matrix = cells.matrix(density, n)
                blocks[i][j] = matrix if blocks[i][j] is None else blocks[i][j] + matrix

        cells = self.space.interior
        _, slopes = self.densities.interior(cells.points, self._jets(cells, values, rates), t)
        for i in range(k):
            for j in range(k):
                add(i, j, cells, slopes[..., i * (1 + d) : (i + 1) * (1 + d), j, :])
        for boundary, function in self.densities.walls:
            cells, i = self.space.walls[boundary.part], self._row(boundary)
            jets = self._jets(cells, values, rates)
            _, slopes = function(cells.points, jets, t, cells.normals)
            for j in range(k):
                test = np.zeros((*slopes.shape[:2], 1 + d, slopes.shape[-1]))
                test[..., 0, :] = -slopes[..., 0, j, :]
                add(i, j, cells, test)
        empty = scipy.sparse.csr_matrix((n, n))
        return scipy.sparse.bmat(
            [[b if b is not None else empty for b in row] for row in blocks], format="csr"
        )

    def _jets(self, cells: Cells, values: np.ndarray, rates: np.ndarray | None) -> np.ndarray:
        jets = cells.jets(values)
        if self.weak.time is None:
            return jets
        rates = np.zeros(self.shape) if rates is None else rates
        return np.concatenate([jets, cells.jets(rates)[..., :1]], axis=-1)
