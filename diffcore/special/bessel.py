"""Bessel functions of integer order and real argument, differentiable to every order.

Values come from power series for small arguments, from integral representations under the
trapezoidal rule (which converges geometrically for periodic and for decaying integrands) or Gauss
quadrature for middle ones, from Hankel's expansion for large ones, and from recurrences in the
stable direction. No tables of coefficients are needed. Derivatives follow from the recurrences
2 J_n' = J_{n-1} - J_{n+1} and their like, so they are as accurate as values.

Source: NIST Digital Library of Mathematical Functions, 10.2, 10.6, 10.9, 10.17, 10.29, 10.32.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from diffcore._inputs import check_floating, is_complex

_LARGEST_ORDER = 50
_TINY = 1e-8  # below it the first term of the series at zero is exact
_LARGE = 60.0  # above it Hankel's expansion with 14 terms is exact, and recurrences to order 50
_EULER = float(np.euler_gamma)


def jv(order: int, x: jax.Array) -> jax.Array:
    """The Bessel function of the first kind J_n(x), solution of x² y'' + x y' + (x² - n²) y = 0.

    Arguments:
        order: n, an int with |n| <= 50.
        x: real, of any sign.

    Raises:
        TypeError: an order that is no int, an x that is no real floating-point number.
        ValueError: an order out of range.

    Notes:
        Absolute error a few units in the last place of 1; relative to the value for
        x² <= 8 (n + 1). In float64 up to x = 1e5, above which the phase of x itself is uncertain.

    Example:
        >>> import jax.numpy as jnp
        >>> round(jv(1, jnp.float32(2.0)).item(), 5)
        0.57672
    """
    return _value("jv", order, x)


def yv(order: int, x: jax.Array) -> jax.Array:
    """The Bessel function of the second kind Y_n(x) for x > 0; -inf at 0 and NaN below.

    Arguments and errors as `jv`; absolute or relative error of a few units in the last place.
    """
    return _value("yv", order, x)


def iv(order: int, x: jax.Array) -> jax.Array:
    """The modified Bessel function I_n(x), solution of x² y'' + x y' - (x² + n²) y = 0 finite at 0.

    Arguments and errors as `jv`; relative error about 1e-13 in float64. Overflows above x = 713.
    """
    return _value("iv", order, x)


def kv(order: int, x: jax.Array) -> jax.Array:
    """The modified Bessel function K_n(x) for x > 0, decaying; inf at 0 and NaN below.

    Arguments and errors as `jv`; relative error about 1e-14 in float64. Underflows above x = 740.
    """
    return _value("kv", order, x)


def _value(name: str, order: int, x: jax.Array) -> jax.Array:
    n, x = _checked(name, order, x)
    return _family(name, n, n, x)[0]


@partial(jax.custom_jvp, nondiff_argnums=(0, 1, 2))
@partial(jax.jit, static_argnums=(0, 1, 2))
def _family(name: str, low: int, high: int, x: jax.Array) -> tuple[jax.Array, ...]:
    """Orders low to high. Together, so that the k-th derivative costs 2 k + 1 orders, not 2^k."""
    orders = range(low, high + 1)
    values = _KERNELS[name](sorted({abs(n) for n in orders}), x)
    odd = -1 if name in ("jv", "yv") else 1  # the sign of order -n for odd n
    return tuple(odd**n * values[-n] if n < 0 else values[n] for n in orders)


@_family.defjvp
def _family_jvp(name: str, low: int, high: int, primals: tuple, tangents: tuple) -> tuple:
    wide = _family(name, low - 1, high + 1, *primals)
    below, above = {"jv": (1, -1), "yv": (1, -1), "iv": (1, 1), "kv": (-1, -1)}[name]
    pairs = zip(wide[:-2], wide[2:], strict=True)
    return wide[1:-1], tuple(tangents[0] * (below * p + above * q) / 2 for p, q in pairs)


# Each kernel gives the values of some orders n >= 0.

_Values = dict[int, jax.Array]


def _j_kernel(orders: list[int], x: jax.Array) -> _Values:
    a = jnp.abs(x)
    middle, large = jnp.minimum(a, _LARGE), jnp.maximum(a, _LARGE)
    far = _upward(max(orders), *_hankel(large, jnp.cos), large, 1)

    def value(n: int) -> jax.Array:
        small = jnp.minimum(a, math.sqrt(8 * (n + 1)))
        mean = _mean(64 + n, lambda t: jnp.cos(n * t - middle * jnp.sin(t)), x)
        series = _series(n, small, -1, 40)
        near = jnp.where(a * a <= 8 * (n + 1), series, jnp.where(a < _LARGE, mean, far[n]))
        return jnp.where(x < 0, (-1) ** n * near, near)

    return {n: value(n) for n in orders}


def _y_kernel(orders: list[int], x: jax.Array) -> _Values:
    a = jnp.clip(x, _TINY, _LARGE)
    cut = jnp.arcsinh((45 + 2 * jnp.arcsinh(45 / a)) / a)

    def near(m: int) -> jax.Array:
        def wave(t: jax.Array) -> jax.Array:
            return jnp.sin(a * jnp.sin(math.pi * t) - m * math.pi * t)

        def tail(t: jax.Array) -> jax.Array:
            growth = jnp.exp(m * t * cut) + (-1) ** m * jnp.exp(-m * t * cut)
            return growth * jnp.exp(-a * jnp.sinh(t * cut))

        return _sum(wave, *_gauss(96), x) - cut * _sum(tail, *_gauss(128), x) / math.pi

    tiny = jnp.minimum(x, _TINY)
    at_zero = (2 / math.pi * (jnp.log(tiny / 2) + _EULER), -2 / (math.pi * tiny))
    far = _hankel(jnp.maximum(x, _LARGE), jnp.sin)
    zero, one = (
        jnp.where(x < _TINY, at_zero[m], jnp.where(x < _LARGE, near(m), far[m])) for m in (0, 1)
    )
    values = _upward(max(orders), zero, one, x, 1)
    return {n: _right_of_zero(x, values[n], -jnp.inf) for n in orders}


def _i_kernel(orders: list[int], x: jax.Array) -> _Values:
    a = jnp.abs(x)

    def value(n: int) -> jax.Array:
        switch = 30.0 + 2 * n
        small, large = jnp.minimum(a, switch), jnp.maximum(a, switch)
        scaled = _mean(
            128 + n, lambda t: jnp.exp(-2 * large * jnp.sin(t / 2) ** 2) * jnp.cos(n * t), x
        )
        series = _series(n, small, 1, 60 + 2 * n)
        near = jnp.where(a <= switch, series, jnp.exp(large) * scaled)
        return jnp.where(x < 0, (-1) ** n * near, near)

    return {n: value(n) for n in orders}


def _k_kernel(orders: list[int], x: jax.Array) -> _Values:
    a = jnp.maximum(x, _TINY)
    cut = 2 * jnp.arcsinh(jnp.sqrt(22 / a))  # exp(-a (cosh t - 1)) has fallen to e^-44
    weights = np.full(112, 1 / 112)
    weights[0] /= 2

    def near(m: int) -> jax.Array:
        def decay(t: jax.Array) -> jax.Array:
            return jnp.exp(-a - 2 * a * jnp.sinh(t * cut / 2) ** 2) * jnp.cosh(m * t * cut)

        return cut * _sum(decay, np.arange(112) / 112, weights, x)

    tiny = jnp.minimum(x, _TINY)
    at_zero = (-jnp.log(tiny / 2) - _EULER, 1 / tiny)
    zero, one = (jnp.where(x < _TINY, at_zero[m], near(m)) for m in (0, 1))
    values = _upward(max(orders), zero, one, x, -1)
    return {n: _right_of_zero(x, values[n], jnp.inf) for n in orders}


_KERNELS: dict[str, Callable[[list[int], jax.Array], _Values]] = {
    "jv": _j_kernel,
    "yv": _y_kernel,
    "iv": _i_kernel,
    "kv": _k_kernel,
}


def _right_of_zero(x: jax.Array, value: jax.Array, at_zero: float) -> jax.Array:
    return jnp.where(x == 0, at_zero, jnp.where(x < 0, jnp.nan, value))


def _series(n: int, x: jax.Array, sign: int, n_terms: int) -> jax.Array:
    """(x/2)^n / n! sum_k (sign x²/4)^k / (k! (n+1)_k), by Horner's rule."""
    y = sign * x * x / 4

    def step(i: jax.Array, total: jax.Array) -> jax.Array:
        k = jnp.asarray(n_terms - i, x.dtype)
        return 1 + total * y / (k * (n + k))

    total = jax.lax.fori_loop(0, n_terms, step, jnp.ones_like(x))
    for k in range(1, n + 1):
        total = total * (x / (2 * k))
    return total


def _hankel(x: jax.Array, wave: Callable[[jax.Array], jax.Array]) -> tuple[jax.Array, jax.Array]:
    """Orders 0 and 1 for large x: of J if `wave` is the cosine, of Y if it is the sine."""
    values = []
    for n in (0, 1):
        p, q, term = jnp.zeros_like(x), jnp.zeros_like(x), jnp.ones_like(x)
        for k in range(14):
            if k:
                term = term * ((4 * n * n - (2 * k - 1) ** 2) / (8 * k)) / x
            sign = (-1) ** (k // 2)
            p, q = (p + sign * term, q) if k % 2 == 0 else (p, q + sign * term)
        phase = x - (2 * n + 1) * math.pi / 4
        # cos(phase) P - sin(phase) Q, or sin(phase) P + cos(phase) Q
        values.append(
            jnp.sqrt(2 / (math.pi * x)) * (wave(phase) * p + wave(phase + math.pi / 2) * q)
        )
    return values[0], values[1]


def _upward(n: int, zero: jax.Array, one: jax.Array, x: jax.Array, sign: int) -> list[jax.Array]:
    """Orders 0 to n from orders 0 and 1 by y_{k+1} = 2 k / x y_k - sign y_{k-1}."""
    values = [zero, one]
    for k in range(1, n):
        after = 2 * k / x * values[k] - sign * values[k - 1]
        values.append(jnp.where(jnp.isinf(values[k]), values[k], after))
    return values


def _mean(n: int, f: Callable[[jax.Array], jax.Array], x: jax.Array) -> jax.Array:
    """The mean of f over [0, pi] by n midpoints."""
    return _sum(f, math.pi * (np.arange(n) + 0.5) / n, np.full(n, 1 / n), x)


def _sum(
    f: Callable[[jax.Array], jax.Array], nodes: np.ndarray, weights: np.ndarray, x: jax.Array
) -> jax.Array:
    """sum of weights * f(nodes), one node at a time, so that memory does not grow with nodes."""
    t, w = jnp.asarray(nodes, x.dtype), jnp.asarray(weights, x.dtype)
    return jax.lax.fori_loop(
        0, len(nodes), lambda i, total: total + w[i] * f(t[i]), jnp.zeros_like(x)
    )


def _gauss(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre points and weights on [0, 1]."""
    points, weights = np.polynomial.legendre.leggauss(n)
    return (points + 1) / 2, weights / 2


def _checked(name: str, order: int, x: jax.Array) -> tuple[int, jax.Array]:
    if isinstance(order, bool) or not isinstance(order, (int, np.integer)):
        raise TypeError(
            f"`{name}` needs an int as `order`, known while JAX records; got "
            f"{type(order).__name__} {order!r}."
        )
    if abs(order) > _LARGEST_ORDER:
        raise ValueError(f"`{name}` needs |order| <= {_LARGEST_ORDER}; got {order}.")
    check_floating(name, "x", x)
    if is_complex(x):
        raise TypeError(f"`{name}` takes real arguments; `x` has data type {jnp.result_type(x)}.")
    return int(order), jnp.asarray(x)
