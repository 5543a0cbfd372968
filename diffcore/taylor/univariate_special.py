"""Truncated power series of special functions whose parameters are fixed."""

from math import comb, factorial, pi

import jax
import jax.numpy as jnp
from jax import lax

from diffcore.taylor.series import Array
from diffcore.taylor.univariate import Coefficients, digamma, exp, integral, product, sin

_SMALL = 8.0  # below it modified Bessel functions are summed, above it recurrences lose nothing
_SINC_SMALL, _SINC_TERMS = 5.0, 20  # 5^40 / 41! is below 1e-21
_TERMS = 32  # of the sum: (x/2)^(2 m) / (m!)² is below 1e-16 of the whole for x < 8


def igamma(a: Array, x: Array, n: int) -> Coefficients:
    """The lower incomplete gamma function: y' = x^(a-1) exp(-x) / Γ(a)."""
    return integral(lax.igamma(a, x), _gamma_density(a, x, n - 1))


def igammac(a: Array, x: Array, n: int) -> Coefficients:
    """The upper incomplete gamma function, 1 - igamma."""
    return integral(lax.igammac(a, x), [-c for c in _gamma_density(a, x, n - 1)])


def _gamma_density(a: Array, x: Array, n: int) -> Coefficients:
    """x w' = (a - 1 - x) w."""
    c = [lax.exp((a - 1) * lax.log(x) - x - lax.lgamma(a))]
    while len(c) <= n:
        k = len(c)
        total = (a - x - k) * c[-1] - (c[-2] if k > 1 else 0)
        c.append(total / (k * x))
    return c


def betainc(a: Array, b: Array, x: Array, n: int) -> Coefficients:
    """The regularized incomplete beta function: y' = x^(a-1) (1-x)^(b-1) / B(a, b)."""
    return integral(lax.betainc(a, b, x), _beta_density(a, b, x, n - 1))


def _beta_density(a: Array, b: Array, x: Array, n: int) -> Coefficients:
    """x (1 - x) w' = ((a - 1) (1 - x) - (b - 1) x) w."""
    log_beta = lax.lgamma(a) + lax.lgamma(b) - lax.lgamma(a + b)
    c = [lax.exp((a - 1) * lax.log(x) + (b - 1) * lax.log1p(-x) - log_beta)]
    while len(c) <= n:
        k = len(c)
        total = ((a - k) * (1 - x) - (b - k) * x) * c[-1]
        if k > 1:
            total = total + (k - a - b) * c[-2]
        c.append(total / (k * x * (1 - x)))
    return c


def zeta(s: Array, q: Array, n: int) -> Coefficients:
    """Hurwitz's zeta function in q: y' = -s ζ(s + 1, q)."""
    factor, c = jnp.ones_like(q), []
    for k in range(n + 1):
        c.append(factor * jax.scipy.special.zeta(s + k, q))
        factor = factor * (s + k) * (-1 / (k + 1))
    return c


def poch(m: Array, z: Array, n: int) -> Coefficients:
    """Γ(z + m) / Γ(z): y' = (ψ(z + m) - ψ(z)) y."""
    pairs = zip(digamma(z + m, n - 1), digamma(z, n - 1), strict=True)
    slope = [a - b for a, b in pairs]
    c = [jax.scipy.special.poch(z, m)]
    while len(c) <= n:
        k = len(c)
        c.append(sum(c[i] * slope[k - 1 - i] for i in range(k)) * (1 / k))
    return c


def sinc(x: Array, n: int) -> Coefficients:
    """sin(π x) / (π x): near 0 its power series, where the quotient's recurrence cancels."""
    u = pi * x
    is_small = jnp.abs(u) < _SINC_SMALL
    small, large = jnp.where(is_small, u, 0), jnp.where(is_small, _SINC_SMALL, u)
    quotient: Coefficients = []
    for sine in sin(large, n):  # u y = sin u
        quotient.append((sine - quotient[-1] if quotient else sine) / large)
    summed = [_sinc_sum(small, k) for k in range(n + 1)]
    pairs = enumerate(zip(summed, quotient, strict=True))
    c = [pi**k * jnp.where(is_small, s, q) for k, (s, q) in pairs]
    return [jnp.sinc(x), *c[1:]]


def _sinc_sum(u: Array, k: int) -> Array:
    """The k-th coefficient: Σ_m (-1)^m (2 m over k) u^(2 m - k) / (2 m + 1)!, by Horner's rule."""
    first, square, total = -(-k // 2), u * u, jnp.zeros_like(u)
    for m in range(first + _SINC_TERMS, first - 1, -1):
        total = total * square + (-1) ** m * comb(2 * m, k) / factorial(2 * m + 1)
    return total * u if k % 2 else total


def bessel_i0e(x: Array, n: int) -> Coefficients:
    """exp(-|x|) I₀(x)."""
    return _scaled_bessel(0, x, n)


def bessel_i1e(x: Array, n: int) -> Coefficients:
    """exp(-|x|) I₁(x)."""
    return _scaled_bessel(1, x, n)


def _scaled_bessel(order: int, x: Array, n: int) -> Coefficients:
    """By 2 I_m' = I_{m-1} + I_{m+1} and I_{-m} = I_m, times the series of exp(-|x|)."""
    functions = _bessel_functions(x, n + order)
    plain = [
        sum(comb(k, j) * functions[abs(order + k - 2 * j)] for j in range(k + 1))
        * (1 / (2**k * factorial(k)))
        for k in range(n + 1)
    ]
    sign = jnp.where(x >= 0, 1, -1).astype(x.dtype)
    decay = [c * (-sign) ** k for k, c in enumerate(exp(jnp.zeros_like(x), n))]
    return product(plain, decay)


def _bessel_functions(x: Array, n: int) -> list[Array]:
    """exp(-|x|) I_m(x) for m = 0 ... n."""
    small = jnp.where(jnp.abs(x) < _SMALL, x, 0)
    decay = lax.exp(-jnp.abs(small))
    large = jnp.where(jnp.abs(x) < _SMALL, _SMALL, x)
    upward = [lax.bessel_i0e(large), lax.bessel_i1e(large)]
    for m in range(1, n):
        upward.append(upward[-2] - (2 * m) / large * upward[-1])
    summed = [decay * _sum_of_powers(small / 2, m) for m in range(n + 1)]
    is_small = jnp.abs(x) < _SMALL
    return [jnp.where(is_small, s, u) for s, u in zip(summed, upward, strict=False)]


def _sum_of_powers(half: Array, m: int) -> Array:
    """I_m(2 h) = h^m Σ_j h^(2 j) / (j! (j + m)!), by Horner's rule."""
    square, total = half * half, jnp.ones_like(half)
    for j in range(_TERMS, 0, -1):
        total = 1 + total * square * (1 / (j * (j + m)))
    return total * half**m * (1 / factorial(m))
