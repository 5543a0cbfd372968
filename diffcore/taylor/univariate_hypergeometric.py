"""Truncated power series of hypergeometric functions, whose derivatives are their neighbors.

The k-th coefficient of ₚFₚ(a; b; x) is (a)_k / ((b)_k k!) ₚFₚ(a + k; b + k; x), that of the
exponential integral E_m is (-1)^k / k! E_{m-k} (NIST Digital Library of Mathematical Functions,
13.3, 15.5 and 8.19).
"""

from math import factorial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from diffcore.taylor.series import Array
from diffcore.taylor.shift import shifted_derivative
from diffcore.taylor.univariate import Coefficients


@shifted_derivative
def hyp1f1(a: Array, b: Array, x: Array, n: int) -> Coefficients:
    """₁F₁(a; b; x), left of 0 as exp(x) ₁F₁(b - a; b; -x), whose terms do not cancel."""
    a, b, x = _same_shape(a, b, x)
    k = _indices(n, x)
    is_left = x < 0
    neighbors = jax.scipy.special.hyp1f1(
        jnp.where(is_left, b - a, a + k), b + k, jnp.broadcast_to(lax.abs(x), (n + 1, *x.shape))
    )
    return _weighted(neighbors * jnp.where(is_left, lax.exp(x), 1), [a], [b])


@shifted_derivative
def hyp2f1(a: Array, b: Array, c: Array, x: Array, n: int) -> Coefficients:
    """₂F₁(a, b; c; x)."""
    a, b, c, x = _same_shape(a, b, c, x)
    k = _indices(n, x)
    points = jnp.broadcast_to(x, (n + 1, *x.shape))
    return _weighted(jax.scipy.special.hyp2f1(a + k, b + k, c + k, points), [a, b], [c])


def _same_shape(*arrays: Array) -> list[Array]:
    return jnp.broadcast_arrays(*(jnp.asarray(array) for array in arrays))


def _indices(n: int, x: Array) -> Array:
    """0 ... n along a new first axis."""
    return jnp.arange(n + 1, dtype=x.dtype).reshape(-1, *[1] * x.ndim)


def _weighted(neighbors: Array, upper: list[Array], lower: list[Array]) -> Coefficients:
    factor, c = jnp.ones_like(neighbors[0]), []
    for k, neighbor in enumerate(neighbors):
        c.append(factor * neighbor)
        for a in upper:
            factor = factor * (a + k)
        for b in lower:
            factor = factor / (b + k)
        factor = factor * (1 / (k + 1))
    return c


@shifted_derivative
def expn(m: Array, x: Array, n: int) -> Coefficients:
    """E_m(x) for integers m ≥ 0; E_{j} = (exp(-x) - j E_{j+1}) / x for j ≤ 0."""
    order = np.asarray(m, x.dtype) if isinstance(m, np.ndarray | np.generic | int) else m
    values = [jax.scipy.special.expn(m, x)]
    for k in range(1, n + 1):
        below = (lax.exp(-x) + (k - order) * values[-1]) / x
        if isinstance(order, np.ndarray) and (order <= k).all():
            values.append(below)
        else:
            above = jax.scipy.special.expn(jnp.maximum(order - k, 1), x)
            values.append(jnp.where(order > k, above, below))
    return [v * ((-1) ** k / factorial(k)) for k, v in enumerate(values)]
