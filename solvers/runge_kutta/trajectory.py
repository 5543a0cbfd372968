"""A trajectory: a polynomial on each step, and the jets of the fields that it gives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .system import System, span

NODES = 8  # of a polynomial of degree 7, that of the dense output of order 7
# Chebyshev points of the first kind on [-1, 1], and the coefficients of what has values there.
POINTS = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)[::-1]
FIT = np.linalg.inv(np.polynomial.chebyshev.chebvander(POINTS, NODES - 1))


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The state between the ends of steps, by Chebyshev coefficients.

    Calling it gives the jets: `jets(functionals, points) -> list of arrays`. Derivatives up to the
    highest of the equations are those of the polynomials, so that residuals show their error;
    higher ones come from the equations, differentiated along the solution. Beyond the last step of
    a run that did not reach its end the values are nan.

    Attributes:
        times: (steps + 1,).
        coefficients: (steps, 8, components of the state).
    """

    system: System
    times: np.ndarray
    coefficients: np.ndarray

    def __call__(self, functionals: Any, points: Any) -> list[jax.Array]:
        times = jnp.asarray(points)[..., 0]
        jet = lru_cache(maxsize=None)(lambda field, order: self._jet(field, order, times))
        return [sum(c * jet(f.field, o) for (o,), c in f.terms) for f in functionals]

    def _jet(self, field: Any, order: int, times: jax.Array) -> jax.Array:
        system = self.system
        if field not in system.problem.fields:
            known = ", ".join(map(str, system.problem.fields))
            raise ValueError(f"{field} is no unknown of this solution; those are {known}.")
        i = system.problem.fields.index(field)
        first, highest = system.offsets[i], system.orders[i]
        if order < highest:
            values = self.states(times)[..., first + order]
        elif order == highest:
            values = self.states(times, 1)[..., first + order - 1]
        else:
            rates = jnp.vectorize(system.rates(order - highest + 1), signature="(),(n)->(n)")
            values = jax.jit(rates)(times, self.states(times))[..., first + highest - 1]
        return values if not field.is_real else values.real

    def states(self, times: Any, derivative: int = 0) -> jax.Array:
        """The state at `times` (...), or its first derivative: (..., components)."""
        values = _states(jnp.asarray(times), self.times, self.coefficients, derivative)
        if self.times[-1] >= span(self.system.problem)[1]:
            return values
        return jnp.where((times <= self.times[-1])[..., None], values, jnp.nan)

    @property
    def own_states(self) -> np.ndarray:
        """The state at the times of `quadrature`, (times, components)."""
        values = np.linalg.inv(FIT) @ self.coefficients
        return values.reshape(-1, self.coefficients.shape[-1])

    def quadrature(self) -> tuple[np.ndarray, np.ndarray]:
        """Times within all steps, and weights."""
        lengths = np.diff(self.times)
        times = self.times[:-1, None] + lengths[:, None] * (POINTS + 1) / 2
        return times.ravel(), np.repeat(lengths / NODES, NODES)


@partial(jax.jit, static_argnames="derivative")
def _states(times: Any, knots: Any, coefficients: Any, derivative: int) -> jax.Array:
    step = jnp.clip(jnp.searchsorted(knots, times, side="right") - 1, 0, len(knots) - 2)
    length = (knots[1:] - knots[:-1])[step]
    place = 2 * (times - knots[step]) / length - 1
    basis = _chebyshev(place, derivative) * (2 / length[..., None]) ** derivative
    return jnp.einsum("...k,...kn->...n", basis, coefficients[step])


def _chebyshev(place: jax.Array, derivative: int) -> jax.Array:
    """The first polynomials T_k or their derivatives k U_(k-1), (..., 8)."""
    first = [jnp.ones_like(place), place]
    second = [jnp.ones_like(place), 2 * place]
    for _ in range(NODES - 2):
        first.append(2 * place * first[-1] - first[-2])
        second.append(2 * place * second[-1] - second[-2])
    if derivative:
        return jnp.stack([0 * place, *(k * second[k - 1] for k in range(1, NODES))], axis=-1)
    return jnp.stack(first, axis=-1)
