"""Exponential integrals of integer order, differentiable to every order.

Source: NIST Digital Library of Mathematical Functions, 8.19.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp

from diffcore._inputs import as_count, check_floating, is_complex


def exp1(x: jax.Array) -> jax.Array:
    """The exponential integral E_1(x), that of exp(-t) / t from x to infinity.

    Arguments:
        x: real, positive.

    Raises:
        TypeError: an x that is no real floating-point number.

    Example:
        >>> round(float(exp1(1.0)), 4)
        0.2194
    """
    return _integral(1, _real("exp1", x))


def expn(n: int, x: jax.Array) -> jax.Array:
    """The exponential integral E_n(x), that of exp(-x t) / t^n from t = 1 to infinity.

    Arguments:
        n: the order, an int >= 0.
        x: real, positive.

    Raises:
        TypeError: an order that is no int, an x that is no real floating-point number.
        ValueError: a negative order.

    Notes:
        E_n' = -E_{n-1}, so derivatives are as accurate as values.

    Example:
        >>> round(float(expn(2, 1.0)), 4)
        0.1485
    """
    return _integral(as_count("expn", "n", n, at_least=0), _real("expn", x))


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _integral(n: int, x: jax.Array) -> jax.Array:
    return jnp.exp(-x) / x if n == 0 else jax.scipy.special.expn(n, x)


@_integral.defjvp
def _slope(n: int, primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (dx,) = primals, tangents
    slope = -_integral(n - 1, x) if n else -(1 + 1 / x) * jnp.exp(-x) / x
    return _integral(n, x), slope * dx


def _real(name: str, x: jax.Array) -> jax.Array:
    check_floating(name, "x", x)
    if is_complex(x):
        raise TypeError(f"`{name}` takes real arguments; `x` has data type {x.dtype}.")
    return jnp.asarray(x)
