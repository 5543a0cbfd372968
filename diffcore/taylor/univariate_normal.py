"""Truncated power series of the error function's relatives, exact to rounding in their tails.

With J_k = 2/√π ∫₀^∞ t^k / k! exp(-t² - 2 x t) dt, the coefficients of erfcx are (-2)^k J_k, and
2 k J_k = J_{k-2} - 2 x J_{k-1} (NIST Digital Library of Mathematical Functions, 7.18). Right of
0 it cancels upwards, where the J_k are its smallest solution: their ratios come from the
continued fraction J_k / J_{k-1} = 1 / (2 x + 2 (k + 1) J_{k+1} / J_k).
"""

from math import pi, sqrt

import jax
import jax.numpy as jnp
from jax import lax

from diffcore.taylor.series import Array
from diffcore.taylor.shift import shifted_derivative
from diffcore.taylor.univariate import Coefficients

_TAIL = 1.2  # from here upwards the recurrence cancels; the fraction of this length is exact to
_LENGTH = 100  # exp(-2 x √(2 length)) = 2e-15


@shifted_derivative
def erfcx(x: Array, n: int) -> Coefficients:
    """exp(x²) erfc(x)."""
    return _erfcx(x, n)


def _erfcx(x: Array, n: int) -> Coefficients:
    y = jax.scipy.special.erfcx(x)
    is_tail = x > _TAIL
    near, far = jnp.where(is_tail, 0, x), jnp.where(is_tail, x, _TAIL)
    upward = [jnp.full_like(x, 2 / sqrt(pi)), jnp.where(is_tail, 1, y)]  # J_{-1}, J_0
    for k in range(1, n + 1):
        upward.append((upward[-2] - 2 * near * upward[-1]) * (1 / (2 * k)))
    falling = [y]
    for ratio in _ratios(far, n):
        falling.append(falling[-1] * ratio)
    pairs = enumerate(zip(upward[1:], falling, strict=True))
    return [y] + [(-2) ** k * jnp.where(is_tail, b, a) for k, (a, b) in pairs][1:]


def _ratios(x: Array, n: int) -> list[Array]:
    """J_k / J_{k-1} for k = 1 ... n."""
    last = n + _LENGTH

    def step(i: int, ratio: Array) -> Array:
        return 1 / (2 * x + 2 * (last - i) * ratio)

    ratio = lax.fori_loop(0, _LENGTH, step, 1 / (x + jnp.sqrt(x * x + 2 * last)))
    ratios = [ratio]
    for k in range(n, 1, -1):
        ratios.append(1 / (2 * x + 2 * k * ratios[-1]))
    return ratios[::-1] if n else []


@shifted_derivative
def log_ndtr(x: Array, n: int) -> Coefficients:
    """log Φ(x): left of 0 log(erfcx(-x/√2) / 2) - x²/2, right of it y'' = -(x + y') y'."""
    is_left = x < 0
    left, right = jnp.where(is_left, x, 0), jnp.where(is_left, 0, x)
    y = jax.scipy.special.log_ndtr(x)
    scaled = [c * (-1 / sqrt(2)) ** k for k, c in enumerate(_erfcx(-left / sqrt(2), n))]
    below = _logarithm(scaled, n)
    square = [left * left * (-1 / 2), -left, jnp.full_like(x, -1 / 2)]
    below = [c + square[k] if k < 3 else c for k, c in enumerate(below)]
    slope = [lax.exp(-right * right / 2 - jax.scipy.special.log_ndtr(right)) / sqrt(2 * pi)]
    for k in range(n - 1):
        convolved = sum(slope[i] * slope[k - i] for i in range(k + 1))
        below_it = slope[k - 1] if k else 0
        slope.append((right * slope[k] + below_it + convolved) * (-1 / (k + 1)))
    above = [y] + [c * (1 / (k + 1)) for k, c in enumerate(slope)]
    pairs = zip(below, above[: n + 1], strict=True)
    return [y] + [jnp.where(is_left, a, b) for a, b in pairs][1:]


def _logarithm(w: Coefficients, n: int) -> Coefficients:
    """log w, by w y' = w'."""
    c = [lax.log(w[0])]
    for k in range(1, n + 1):
        known = sum(i * c[i] * w[k - i] for i in range(1, k))
        c.append((w[k] - known * (1 / k)) / w[0])
    return c
