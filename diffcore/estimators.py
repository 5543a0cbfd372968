"""Unbiased random estimates of traces and of differential operators in many dimensions.

The Laplacian of a function of 10^6 variables is a sum of 10^6 second derivatives, but its estimate
from a few random directions is unbiased, and that is enough for stochastic optimization. Each
direction costs one pass of univariate Taylor arithmetic, whatever the dimension. Given x and a key,
an estimate is a smooth function of what f closes over, so that it can stand in a loss.

Note that the square of an unbiased estimate is not an unbiased estimate of the square: multiply two
estimates with independent keys.

Source: Z. Shi, Z. Hu, M. Lin, K. Kawaguchi, Stochastic Taylor Derivative Estimator, 2024;
M. F. Hutchinson, A stochastic estimator of the trace of the influence matrix, 1989.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from diffcore._inputs import as_count, as_point
from diffcore.functional import directional
from diffcore.keys import as_key
from diffcore.precision import default_dtype

Estimator = Callable[[jax.Array, int | jax.Array], Any]
_DISTRIBUTIONS = ("rademacher", "gaussian")


def estimate_trace(
    product: Callable[[jax.Array], jax.Array],
    size: int,
    n_samples: int,
    *,
    n_deflated: int = 0,
    distribution: str = "rademacher",
) -> Callable[[int | jax.Array], jax.Array]:
    """An unbiased estimate of the trace of a matrix known by its products, as a function of a key.

    Arguments:
        product: v -> A v for v of shape (size,); A is real or complex and square.
        size: number of rows.
        n_samples: number of random vectors; the mean of v^T A v over them is the estimate.
        n_deflated: treat the span of A times this many further vectors exactly and only the rest at
            random: with n_deflated = n_samples / 2 the error falls as 1/n instead of 1/sqrt(n) for
            positive semidefinite A (Hutch++). Costs two products a vector.
        distribution: "rademacher" (signs; the variance is 2 sum_{i≠j} A_ij² for symmetric A) or
            "gaussian".

    Source:
        Hutchinson 1989; R. A. Meyer, C. Musco, C. Musco, D. Woodruff, Hutch++, 2021, algorithm 1.

    Example:
        >>> import jax.numpy as jnp
        >>> estimate_trace(lambda v: jnp.arange(4.0) * v, 4, n_samples=1)(0).item()
        6.0
    """
    size = as_count("estimate_trace", "size", size)
    n_samples = as_count("estimate_trace", "n_samples", n_samples)
    n_deflated = as_count("estimate_trace", "n_deflated", n_deflated, at_least=0)
    if n_deflated > size:
        raise ValueError(f"`n_deflated` needs to be at most size={size}; got {n_deflated}.")
    _check_distribution("estimate_trace", distribution)
    rows = jax.vmap(product)

    def estimate(key: int | jax.Array) -> jax.Array:
        sketch_key, sample_key = jax.random.split(as_key(key))
        v = _vectors(sample_key, distribution, (n_samples, size))
        if n_deflated == 0:
            return jnp.mean(jnp.sum(v * rows(v), 1))
        sketch = rows(_vectors(sketch_key, distribution, (n_deflated, size)))
        q = jnp.linalg.qr(sketch.T)[0].T  # orthonormal rows, (n_deflated, size)
        # The deflated part, and the mean over v of v^T P A P v with P = 1 - Q^H Q.
        exact = jnp.sum(q.conj() * rows(q))
        left, right = v - (v @ q.T) @ q.conj(), v - (v @ q.conj().T) @ q
        return exact + jnp.mean(jnp.sum(left * rows(right), 1))

    return estimate


def estimate_laplacian(
    f: Callable[[jax.Array], Any], n_samples: int, *, directions: str = "coordinates"
) -> Estimator:
    """An unbiased estimate of the Laplacian of f, a function of a point and a key.

    Arguments:
        f: maps a point of shape (d,) to a pytree.
        n_samples: number of random directions; at most d for "coordinates", which are drawn without
            replacement, so that n_samples = d is exact.
        directions: "coordinates", or "rademacher" or "gaussian" vectors v with the second
            derivative along v. Coordinates win where the second derivatives d^2 f / dx_i^2 are
            alike, signs where the mixed ones are small.

    Example:
        >>> import jax.numpy as jnp
        >>> estimate = estimate_laplacian(lambda x: jnp.sum(x**2), n_samples=2)
        >>> estimate(jnp.zeros(1000), 0).item()
        2000.0
    """
    if directions == "coordinates":
        return _coordinates("estimate_laplacian", f, 2, n_samples, None)
    _check_distribution("estimate_laplacian", directions, ("coordinates", *_DISTRIBUTIONS))
    n_samples = as_count("estimate_laplacian", "n_samples", n_samples)

    def estimate(x: jax.Array, key: int | jax.Array) -> Any:
        x = as_point("estimate_laplacian", x)
        return _mean_along(f, 2, x, _vectors(as_key(key), directions, (n_samples, x.size), x.dtype))

    return estimate


def estimate_diagonal(
    f: Callable[[jax.Array], Any],
    order: int,
    n_samples: int,
    *,
    coefficients: jax.Array | None = None,
) -> Estimator:
    """An unbiased estimate of sum_i a_i d^k f / dx_i^k, a function of a point and a key.

    Arguments:
        f: maps a point of shape (d,) to a pytree.
        order: k >= 1.
        n_samples: number of coordinates, drawn without replacement; at most d.
        coefficients: a, shape (d,); all one by default.

    Example:
        >>> import jax.numpy as jnp
        >>> estimate = estimate_diagonal(lambda x: jnp.sum(x**3), 3, n_samples=1)
        >>> estimate(jnp.ones(100), 0).item()
        600.0
    """
    order = as_count("estimate_diagonal", "order", order)
    return _coordinates("estimate_diagonal", f, order, n_samples, coefficients)


def estimate_biharmonic(f: Callable[[jax.Array], Any], n_samples: int) -> Estimator:
    """An unbiased estimate of the Laplacian of the Laplacian of f, a function of a point and a key.

    With random signs v, E D_v^4 f = 3 Δ²f - 2 sum_i d^4 f / dx_i^4; the last sum is estimated
    from random coordinates. (Shi et al. use Gaussian v, where E D_v^4 f = 3 Δ²f, of larger
    variance.)

    Arguments:
        f: maps a point of shape (d,) to a pytree.
        n_samples: number of random directions, and of random coordinates (at most d of them).
    """
    n_samples = as_count("estimate_biharmonic", "n_samples", n_samples)

    def estimate(x: jax.Array, key: int | jax.Array) -> Any:
        x = as_point("estimate_biharmonic", x)
        sign_key, coordinate_key = jax.random.split(as_key(key))
        v = _vectors(sign_key, "rademacher", (n_samples, x.size), x.dtype)
        along = _mean_along(f, 4, x, v)
        fourth = estimate_diagonal(f, 4, min(n_samples, x.size))(x, coordinate_key)
        return jax.tree.map(lambda a, b: (a + 2 * b) / 3, along, fourth)

    return estimate


def _coordinates(
    name: str, f: Callable, order: int, n_samples: int, coefficients: jax.Array | None
) -> Estimator:
    n_samples = as_count(name, "n_samples", n_samples)

    def estimate(x: jax.Array, key: int | jax.Array) -> Any:
        x = as_point(name, x)
        if n_samples > x.size:
            raise ValueError(
                f"`{name}` draws coordinates without replacement: `n_samples` needs to be at most "
                f"{x.size}; got {n_samples}."
            )
        if coefficients is not None and jnp.shape(coefficients) != x.shape:
            raise ValueError(
                f"`coefficients` needs the shape of x, {x.shape}; got {jnp.shape(coefficients)}."
            )

        def one(i: jax.Array) -> Any:
            value = directional(f, jnp.zeros_like(x).at[i].set(1), order)(x)
            weight = 1 if coefficients is None else jnp.asarray(coefficients)[i]
            return jax.tree.map(lambda leaf: x.size * weight * leaf, value)

        return _mean(one, _distinct(as_key(key), x.size, n_samples), x.size)

    return estimate


def _mean_along(f: Callable, order: int, x: jax.Array, vectors: jax.Array) -> Any:
    return _mean(lambda v: directional(f, v, order)(x), vectors, x.size)


def _mean(one: Callable, samples: jax.Array, dimension: int) -> Any:
    """The mean of `one` over samples, so many at once that memory stays at some 2^20 numbers."""
    values = jax.lax.map(one, samples, batch_size=max(1, 2**20 // dimension))
    return jax.tree.map(lambda leaf: jnp.mean(leaf, 0), values)


def _vectors(key: jax.Array, distribution: str, shape: tuple, dtype: Any = None) -> jax.Array:
    draw = jax.random.rademacher if distribution == "rademacher" else jax.random.normal
    return draw(key, shape, dtype or default_dtype())


def _distinct(key: jax.Array, size: int, n: int) -> jax.Array:
    """n distinct indices below size, every subset equally likely, without touching all of them.

    Source: R. W. Floyd, in J. Bentley, Programming Pearls: a sample of brilliance, 1987.
    """
    if n == size:
        return jnp.arange(size)
    keys = jax.random.split(key, n)

    def step(i: jax.Array, chosen: jax.Array) -> jax.Array:
        last = size - n + i
        index = jax.random.randint(keys[i], (), 0, last + 1)
        return chosen.at[i].set(jnp.where(jnp.any(chosen == index), last, index))

    return jax.lax.fori_loop(0, n, step, jnp.full(n, -1))


def _check_distribution(name: str, given: str, allowed: tuple[str, ...] = _DISTRIBUTIONS) -> None:
    if given not in allowed:
        raise ValueError(f"`{name}` draws from one of {allowed}; got {given!r}.")
