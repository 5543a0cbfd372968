"""Exponential Runge-Kutta steps of order 4 for the coefficients."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .evolution import Evolution
from .grid import Grid
from .phi import phi
from .split import Split

CHUNK = 32  # steps in one call of the compiled program


class Stepper:
    """Runs on one grid; compiled once for all lengths of step.

    Source:
        Cox & Matthews, J. Comput. Phys. 176 (2002) 430-455, section 3 (ETDRK4).
    """

    def __init__(self, split: Split, grid: Grid):
        self.split, self.grid = split, grid
        self.symbols = np.zeros((len(split.components), len(grid.waves)), dtype=complex)
        for component, coefficients in zip(split.last, split.linear, strict=True):
            for jet, c in coefficients.items():
                orders = split.component(jet.field, jet.orders)[2]
                self.symbols[component] += c * grid.symbol(orders)
        self._multipliers = self._functionals()
        self._advance = jax.jit(self._chunk)
        self._remainders = jax.jit(lambda u, t: jax.lax.map(lambda p: self._remainder(*p), (u, t)))

    def start(self) -> np.ndarray:
        """The coefficients of the initial values."""
        points = self._points(jnp.asarray(self.span[0]))
        values = jnp.stack(self.split.start(points, []))
        return np.asarray(self._transform(values))

    def run(self, steps: int, is_late: Any) -> Evolution | None:
        """The evolution in so many equal steps; None where it leaves the finite numbers or is
        late."""
        begin, end = self.span
        times = np.linspace(begin, end, steps + 1)
        tables = self._tables((end - begin) / steps)
        chunk = np.gcd(steps, CHUNK)
        state = jnp.asarray(self.start())
        coefficients, remainders = [], []
        for i in range(0, steps, chunk):
            state, pieces = self._advance(state, jnp.asarray(times[i : i + chunk + 1]), tables)
            if is_late() or not np.isfinite(np.asarray(state)).all():
                return None
            coefficients.append(np.asarray(pieces[0]))
            remainders.append(np.asarray(pieces[1]))
        coefficients.append(np.asarray(state)[None])
        remainders.append(np.asarray(self._remainders(state[None], jnp.asarray(times[-1:]))))
        known = np.concatenate(coefficients), np.concatenate(remainders)
        return Evolution(self.split, self.grid, times, *known, self.symbols)

    def evolution(self, times: np.ndarray, values: np.ndarray) -> Evolution:
        """The evolution with given values (steps + 1, components, *grid)."""
        series = np.fft.fftn(values, axes=self.grid.axes, norm="forward")
        series = series.reshape(*series.shape[:2], -1) * self.grid.kept
        remainders = np.asarray(self._remainders(jnp.asarray(series), jnp.asarray(times)))
        return Evolution(self.split, self.grid, times, series, remainders, self.symbols)

    @property
    def span(self) -> tuple[float, float]:
        """The first and the last time."""
        _, begin, end = self.split.problem.domain.time
        return float(begin), float(end)

    def _functionals(self) -> np.ndarray:
        """What each functional of the remainder multiplies the waves of each component with,
        (functionals, components, waves)."""
        functionals = self.split.remainder.functionals
        found = np.zeros((len(functionals), *self.symbols.shape), dtype=complex)
        for row, f in zip(found, functionals, strict=True):
            for orders, c in f.terms:
                component, _, space = self.split.component(f.field, orders)
                row[component] += complex(c) * self.grid.symbol(space)
        return found

    def _tables(self, length: float) -> dict[str, np.ndarray]:
        whole, half = phi(length * self.symbols, 3), phi(length * self.symbols / 2, 1)
        return {
            "whole": whole[0],
            "half": half[0],
            "stage": length / 2 * half[1],
            "first": length * (whole[1] - 3 * whole[2] + 4 * whole[3]),
            "middle": length * (2 * whole[2] - 4 * whole[3]),
            "last": length * (4 * whole[3] - whole[2]),
        }

    def _chunk(self, state: Any, times: Any, tables: Any) -> Any:
        def step(u, span):
            now, then = span
            middle = (now + then) / 2
            n_u = self._remainder(u, now)
            a = tables["half"] * u + tables["stage"] * n_u
            n_a = self._remainder(a, middle)
            b = tables["half"] * u + tables["stage"] * n_a
            n_b = self._remainder(b, middle)
            c = tables["half"] * a + tables["stage"] * (2 * n_b - n_u)
            n_c = self._remainder(c, then)
            new = tables["whole"] * u + tables["first"] * n_u
            return new + tables["middle"] * (n_a + n_b) + tables["last"] * n_c, (u, n_u)

        return jax.lax.scan(step, state, (times[:-1], times[1:]))

    def _remainder(self, u: jax.Array, t: jax.Array) -> jax.Array:
        """N of all components, (components, waves)."""
        values = self._values(u)
        compiled = self.split.remainder
        moved = self._transform(jnp.stack(compiled(self._points(t), values)))
        rates = [jnp.zeros_like(u[0])] * len(u)
        for i, component in enumerate(self.split.last):
            rates[component] = moved[i]
        for component in set(range(len(u))) - set(self.split.last):  # u' is the next component
            rates[component] = u[component + 1]
        return jnp.stack(rates)

    def _values(self, u: jax.Array) -> list[jax.Array]:
        """The functionals of the remainder at the points of the grid."""
        if not len(self._multipliers):
            return []
        series = jnp.einsum("fck,ck->fk", self._multipliers, u)
        shaped = series.reshape(-1, *self.grid.shape)
        values = jnp.fft.ifftn(shaped, axes=self.grid.axes, norm="forward")
        flat = values.reshape(len(series), -1)
        kinds = [f.field.is_real for f in self.split.remainder.functionals]
        return [v.real if real else v for v, real in zip(flat, kinds, strict=True)]

    def _transform(self, values: jax.Array) -> jax.Array:
        shaped = values.astype(complex).reshape(-1, *self.grid.shape)
        series = jnp.fft.fftn(shaped, axes=self.grid.axes, norm="forward")
        return series.reshape(len(values), -1) * self.grid.kept

    def _points(self, t: jax.Array) -> jax.Array:
        """The points of the grid at a time, in the order of the coordinates."""
        columns = list(self.grid.points.T)
        columns.insert(self.split.time, jnp.broadcast_to(t, columns[0].shape))
        return jnp.stack(columns, axis=-1)
