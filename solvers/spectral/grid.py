"""A grid on a periodic box and the waves on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from diffcore.fft import wavenumbers


@dataclass(frozen=True, eq=False)
class Grid:
    """`size` points along each axis of a box. Coefficients are those of exp(i k (x - lower)); the
    highest wave, which has no conjugate on the grid, is left out."""

    lower: tuple[float, ...]
    lengths: tuple[float, ...]
    size: int

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.size,) * len(self.lengths)

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes of space in an array of values."""
        return tuple(range(-len(self.lengths), 0))

    @cached_property
    def points(self) -> np.ndarray:
        """(points, axes)."""
        pairs = zip(self.lower, self.lengths, strict=True)
        along = [a + length * np.arange(self.size) / self.size for a, length in pairs]
        return np.stack([c.ravel() for c in np.meshgrid(*along, indexing="ij")], axis=-1)

    @cached_property
    def waves(self) -> np.ndarray:
        """The wave numbers, (waves, axes)."""
        along = [wavenumbers(self.size, length) for length in self.lengths]
        return np.stack([c.ravel() for c in np.meshgrid(*along, indexing="ij")], axis=-1)

    @cached_property
    def kept(self) -> np.ndarray:
        """One for each wave, zero for those left out."""
        inside = np.ones(self.shape)
        for axis in range(len(self.shape)):
            inside[(slice(None),) * axis + (self.size // 2,)] = 0
        return inside.ravel()

    def symbol(self, orders: tuple[int, ...]) -> np.ndarray:
        """What a derivative in space multiplies the waves with."""
        return np.prod((1j * self.waves) ** np.array(orders), axis=-1) * self.kept

    def resized(self, coefficients: np.ndarray, size: int) -> np.ndarray:
        """The coefficients (..., waves) on a finer or coarser grid."""
        values = coefficients.reshape(*coefficients.shape[:-1], *self.shape)
        half = min(size, self.size) // 2
        kept = np.r_[0:half, -half + 1 : 0]
        for axis in self.axes:
            moved = np.moveaxis(values, axis, -1)
            other = np.zeros((*moved.shape[:-1], size), dtype=complex)
            other[..., kept] = moved[..., kept]
            values = np.moveaxis(other, -1, axis)
        return values.reshape(*coefficients.shape[:-1], -1)

    def with_size(self, size: int) -> Grid:
        """The grid with another number of points."""
        return Grid(self.lower, self.lengths, size)


def grid_of(problem: Any, size: int) -> Grid:
    """The grid on the space of a problem."""
    lower, upper = (np.asarray(b, dtype=float) for b in problem.domain.space.bounds)
    return Grid(tuple(map(float, lower)), tuple(map(float, upper - lower)), size)
