"""Airy functions of real argument, differentiable to every order.

Between -12 and 12, Taylor series of the equation y'' = x y about the nearest of 49 centers, where
SciPy gives the values; outside, asymptotic expansions.

Source: NIST Digital Library of Mathematical Functions, 9.2 and 9.7.
"""

from __future__ import annotations

import math
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np

from diffcore._inputs import check_floating, is_complex

_EDGE, _STEP, _TERMS = 12.0, 0.5, 24

Four = tuple[jax.Array, jax.Array, jax.Array, jax.Array]


def airy(x: jax.Array) -> Four:
    """The Airy functions and their derivatives (Ai, Ai', Bi, Bi'), as `scipy.special.airy`.

    Both solve y'' = x y; Ai decays for x > 0 and Bi grows. x is real.

    Example:
        >>> [round(value.item(), 5) for value in airy(1.0)]
        [0.13529, -0.15915, 1.20742, 0.93244]
    """
    check_floating("airy", "x", x)
    if is_complex(x):
        raise TypeError("`airy` takes real arguments; got complex `x`.")
    return _airy(jnp.asarray(x))


@jax.custom_jvp
@jax.jit
def _airy(x: jax.Array) -> Four:
    near = _near(jnp.clip(x, -_EDGE, _EDGE))
    right, left = _right(jnp.maximum(x, _EDGE)), _left(jnp.maximum(-x, _EDGE))
    a, b, c, d = (
        jnp.where(x > _EDGE, r, jnp.where(x < -_EDGE, l, n))
        for n, r, l in zip(near, right, left, strict=True)
    )
    return a, b, c, d


@_airy.defjvp
def _airy_jvp(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[Four, Four]:
    (x,), (v,) = primals, tangents
    ai, ai_prime, bi, bi_prime = _airy(x)
    return (ai, ai_prime, bi, bi_prime), (v * ai_prime, v * x * ai, v * bi_prime, v * x * bi)


@lru_cache
def _table() -> np.ndarray:
    """Taylor coefficients, highest first, of the four functions at every center."""
    import scipy.special

    centers = np.arange(-_EDGE, _EDGE + _STEP / 2, _STEP)
    values = scipy.special.airy(centers)
    table = []
    for value, slope in (values[:2], values[2:]):
        rows = [value, slope]
        for k in range(_TERMS):  # (k + 2)(k + 1) a_{k+2} = c a_k + a_{k-1}
            lower = rows[k - 1] if k else 0
            rows.append((centers * rows[k] + lower) / ((k + 2) * (k + 1)))
        table.append(rows[:_TERMS])
        table.append([(k + 1) * rows[k + 1] for k in range(_TERMS)])
    return np.array(table)[:, ::-1]  # (function, term, center)


def _near(x: jax.Array) -> list[jax.Array]:
    index = jnp.rint((x + _EDGE) / _STEP).astype(int)
    offset = x - (index * _STEP - _EDGE).astype(x.dtype)
    table = _table().astype(np.float64 if x.dtype == np.float64 else np.float32)
    return [jnp.polyval(jnp.asarray(rows)[:, index], offset) for rows in table]


@lru_cache
def _expansion() -> tuple[np.ndarray, np.ndarray]:
    """u_k and v_k of DLMF 9.7.2."""
    u = [1.0]
    for k in range(1, 16):
        u.append(u[-1] * (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1)))
    n = 6 * np.arange(16)
    return np.array(u), np.array(u) * (n + 1) / (1 - n)


def _right(x: jax.Array) -> Four:
    u, v = _expansion()
    zeta, root = 2 / 3 * x * jnp.sqrt(x), jnp.sqrt(jnp.sqrt(x))
    signs = (-1.0) ** np.arange(16)
    small, large = jnp.exp(-zeta) / math.sqrt(math.pi), jnp.exp(zeta) / math.sqrt(math.pi)
    return (
        small / (2 * root) * _powers(u * signs, zeta),
        -small * root / 2 * _powers(v * signs, zeta),
        large / root * _powers(u, zeta),
        large * root * _powers(v, zeta),
    )


def _left(x: jax.Array) -> Four:
    """At -x for large x."""
    u, v = _expansion()
    zeta, root = 2 / 3 * x * jnp.sqrt(x), jnp.sqrt(jnp.sqrt(x))
    c, s = jnp.cos(zeta - math.pi / 4), jnp.sin(zeta - math.pi / 4)
    signs = np.where(np.arange(16) // 2 % 2, -1.0, 1.0)
    even, odd = np.arange(16) % 2 == 0, np.arange(16) % 2 == 1
    u0, u1 = (_powers(u * signs * part, zeta) for part in (even, odd))
    v0, v1 = (_powers(v * signs * part, zeta) for part in (even, odd))
    scale = 1 / math.sqrt(math.pi)
    return (
        scale / root * (c * u0 + s * u1),
        scale * root * (s * v0 - c * v1),
        scale / root * (-s * u0 + c * u1),
        scale * root * (c * v0 + s * v1),
    )


def _powers(coefficients: np.ndarray, zeta: jax.Array) -> jax.Array:
    """sum of coefficients[k] / zeta^k."""
    return jnp.polyval(jnp.asarray(coefficients[::-1].astype(zeta.dtype)), 1 / zeta)
