"""The coefficients over time, and the jets of the fields that they give."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .grid import Grid
from .phi import phi
from .split import Split

NEAR = 4  # steps through whose remainders a polynomial is laid
BLOCK = 2**19  # numbers that are worked on at once


@dataclass(frozen=True, eq=False)
class Evolution:
    """Coefficients at the ends of equal steps.

    Between them the linear part is exact, and the remainder the cubic through its values at the
    four nearest ends, of order 4 as the steps. Calling it gives the jets:
    `jets(functionals, points) -> list of arrays`, with derivatives of any order.

    Attributes:
        times: (steps + 1,).
        coefficients, remainders: (steps + 1, components, waves).
        symbols: of the linear parts, (components, waves).
    """

    split: Split
    grid: Grid
    times: np.ndarray
    coefficients: np.ndarray
    remainders: np.ndarray
    symbols: np.ndarray

    def __call__(self, functionals: Any, points: Any) -> list[np.ndarray]:
        points = np.asarray(points, dtype=float)
        flat = points.reshape(-1, points.shape[-1])
        found = [np.zeros(len(flat), dtype=complex) for _ in functionals]
        order = np.argsort(flat[:, self.split.time], kind="stable")
        size = max(BLOCK // len(self.grid.waves), 1)
        for i in range(0, len(order), size):
            block = order[i : i + size]
            for values, own in zip(found, self._block(functionals, flat[block]), strict=True):
                values[block] = own
        kinds = [f.field.is_real for f in functionals]
        shaped = [v.reshape(points.shape[:-1]) for v in found]
        return [v.real if real else v for v, real in zip(shaped, kinds, strict=True)]

    def _block(self, functionals: Any, points: np.ndarray) -> Iterator[np.ndarray]:
        time = self.split.time
        times, back = np.unique(points[:, time], return_inverse=True)
        places = np.delete(points, time, axis=1) - np.array(self.grid.lower)
        waves = np.exp(1j * places @ self.grid.waves.T)  # (points, waves)
        known: dict[tuple[int, int], np.ndarray] = {}
        for functional in functionals:
            pieces: dict[tuple[int, int], np.ndarray] = {}
            for orders, c in functional.terms:
                component, rate, space = self.split.component(functional.field, orders)
                piece = pieces.get((component, rate), 0) + complex(c) * self.grid.symbol(space)
                pieces[component, rate] = piece
            total = np.zeros(len(points), dtype=complex)
            for (component, rate), symbol in pieces.items():
                if (component, rate) not in known:
                    known[component, rate] = self.series(times, rate, component)
                own = known[component, rate] * symbol
                total += np.einsum("pk,pk->p", waves, own[back])
            yield total

    def series(self, times: np.ndarray, rate: int = 0, component: Any = slice(None)) -> np.ndarray:
        """The coefficients of the components, or of a derivative in time, (times, ..., waves)."""
        n, length = len(self.times) - 1, self.times[1] - self.times[0]
        step = np.clip(((times - self.times[0]) / length).astype(int), 0, n - 1)
        first = np.clip(step - 1, 0, n + 1 - NEAR)
        symbols = self.symbols[component]
        shape = (-1,) + (1,) * symbols.ndim
        tau = (times - self.times[step]).reshape(shape)
        powers = self._powers(first - step, length)  # (times, NEAR, NEAR)
        nearby = np.stack([self.remainders[first + j][:, component] for j in range(NEAR)], axis=1)
        terms = np.einsum("tqj,tj...->qt...", powers, nearby)
        weights = phi(tau * symbols, NEAR)
        value = weights[0] * self.coefficients[step][:, component]
        for q, term in enumerate(terms):
            value = value + math.factorial(q) * tau ** (q + 1) * weights[q + 1] * term
        for r in range(rate):  # u' = L u + N
            value = symbols * value + _derivative(terms, tau, r)
        return value

    def _powers(self, offsets: np.ndarray, length: float) -> np.ndarray:
        """From values at the four ends to the coefficients of powers of the time since the step."""
        distinct, back = np.unique(offsets, return_inverse=True)
        nodes = length * (distinct[:, None] + np.arange(NEAR))
        return np.linalg.inv(np.stack([np.vander(a, increasing=True) for a in nodes]))[back]

    def values(self) -> np.ndarray:
        """The components at the points of the grid, (steps + 1, components, *grid)."""
        shaped = self.coefficients.reshape(*self.coefficients.shape[:-1], *self.grid.shape)
        values = np.fft.ifftn(shaped, axes=self.grid.axes, norm="forward")
        is_real = all(f.is_real for f in self.split.problem.fields)
        return values.real if is_real else values


def _derivative(terms: np.ndarray, tau: np.ndarray, order: int) -> Any:
    """The derivative of a polynomial in tau with coefficients `terms`."""
    total: Any = 0.0
    for q in range(order, len(terms)):
        total = total + math.perm(q, order) * tau ** (q - order) * terms[q]
    return total
