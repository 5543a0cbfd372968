"""Lambert's W function on the real line."""

from __future__ import annotations

import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from diffcore._inputs import check_floating, is_complex


def lambertw(x: jax.Array, branch: int = 0) -> jax.Array:
    """The real solution w of w exp(w) = x.

    Arguments:
        x: real; NaN outside the domain of the branch.
        branch: 0 for w >= -1 (x >= -1/e), -1 for w <= -1 (-1/e <= x < 0).

    Notes:
        Differentiable to every order by W' = 1 / (exp(W) (1 + W)), infinite at the branch point.

    Source:
        R. M. Corless et al., On the Lambert W function, 1996, eq. (4.22) for the branch point and
        Halley's iteration (5.9).

    Example:
        >>> round(lambertw(1.0).item(), 5)
        0.56714
    """
    if branch not in (0, -1):
        raise ValueError(f"`lambertw` has the real branches 0 and -1; got branch={branch!r}.")
    check_floating("lambertw", "x", x)
    if is_complex(x):
        raise TypeError("`lambertw` takes real arguments; got complex `x`.")
    return _lambert_w(branch, jnp.asarray(x))


@partial(jax.custom_jvp, nondiff_argnums=(0,))
@partial(jax.jit, static_argnums=0)
def _lambert_w(branch: int, x: jax.Array) -> jax.Array:
    edge, rest = _inverse_e(x.dtype)
    # 2 (e x + 1) without cancellation. XLA would merge the constants of (x + edge) + rest.
    square = 2 * math.e * (x + edge) + 2 * math.e * rest
    p = jnp.sqrt(jnp.maximum(square, 0)) * (1 if branch == 0 else -1)
    at_branch = jnp.polyval(_BRANCH_POINT.astype(x.dtype), p)
    w = _start(branch, x, at_branch)
    for _ in range(5):
        excess = w - x * jnp.exp(-w)  # w e^w - x, without overflow
        slope = jnp.where(w == -1, 1, w + 1)
        w = w - excess / (slope - (w + 2) * excess / (2 * slope))
    w = jnp.where(jnp.abs(p) < 1e-2, at_branch, w)
    if branch == 0:
        return jnp.where(x == jnp.inf, jnp.inf, jnp.where(x >= -edge, w, jnp.nan))
    return jnp.where(x == 0, -jnp.inf, jnp.where((x >= -edge) & (x < 0), w, jnp.nan))


@_lambert_w.defjvp
def _w_jvp(branch: int, primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    w = _lambert_w(branch, *primals)
    return w, tangents[0] / (jnp.exp(w) * (1 + w))


# W in powers of p = ±sqrt(2 (e x + 1)), highest power first.
_BRANCH_POINT = np.array([-221 / 8505, 769 / 17280, -43 / 540, 11 / 72, -1 / 3, 1, -1])


def _inverse_e(dtype: np.dtype) -> tuple[float, float]:
    """1/e as the nearest number of the data type and what is missing."""
    nearest = float(np.asarray(1 / np.e, dtype))
    exact_rest = -1.2428753672788363e-17  # 1/e minus its nearest double
    return nearest, (1 / math.e - nearest) + exact_rest


def _start(branch: int, x: jax.Array, at_branch: jax.Array) -> jax.Array:
    if branch == 0:
        large = jnp.log(jnp.maximum(x, 1.0))
        far = large - jnp.log(jnp.maximum(large, 1.0))
        middle = jnp.log1p(jnp.maximum(x, -0.5))
        middle = middle * (1 - jnp.log1p(jnp.maximum(middle, -0.5)) / (2 + middle))
        return jnp.where(x < -0.2, at_branch, jnp.where(x < 3, middle, far))
    outer = jnp.log(jnp.clip(-x, jnp.finfo(x.dtype).tiny, 0.3))
    inner = jnp.log(-outer)
    return jnp.where(x < -0.25, at_branch, outer - inner + inner / outer)
