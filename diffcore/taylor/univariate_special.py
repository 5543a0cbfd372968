"""Truncated power series of special functions whose parameters are fixed."""

from math import comb, factorial, pi, prod

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from diffcore.taylor.series import Array
from diffcore.taylor.univariate import Coefficients, digamma, integral, sin

_FAR, _NODES, _EXPANSION = 30.0, 40, 25  # aliasing and remainder are below 1e-17 of the whole
_SINC_SMALL, _SINC_TERMS = 5.0, 20  # 5^40 / 41! is below 1e-21


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


def airy(x: Array, n: int, y: Array, slope: Array, of_slope: bool) -> Coefficients:
    """A solution of y'' = x y from its value and slope; or, if `of_slope`, y'."""
    c = [y, slope]
    for k in range(n):
        c.append((x * c[k] + (c[k - 1] if k else 0)) * (1 / ((k + 1) * (k + 2))))
    return [(k + 1) * c[k + 1] for k in range(n + 1)] if of_slope else c[: n + 1]


def bessel_jn(x: Array, n: int, n_iter: int) -> Coefficients:
    """J_0 ... J_v along the first axis, by 2 J_m' = J_{m-1} - J_{m+1}, J_{-m} = (-1)^m J_m."""
    v = len(x) - 1
    values = jax.scipy.special.bessel_jn(x[0], v=v + n, n_iter=n_iter)
    orders = jnp.arange(-n, v + n + 1)
    flip = jnp.where((orders < 0) & (orders % 2 == 1), -1, 1).astype(x.dtype)
    row, c = values[jnp.abs(orders)] * flip.reshape(-1, *[1] * (x.ndim - 1)), []
    for k in range(n + 1):
        c.append(row[n - k : n - k + v + 1] * (1 / (2**k * factorial(k))))
        row = row[:-2] - row[2:]
    return c


def bessel_i0e(x: Array, n: int) -> Coefficients:
    """exp(-|x|) I₀(x)."""
    return _scaled_bessel(0, x, n)


def bessel_i1e(x: Array, n: int) -> Coefficients:
    """exp(-|x|) I₁(x)."""
    return _scaled_bessel(1, x, n)


def _scaled_bessel(m: int, x: Array, n: int) -> Coefficients:
    """For x > 0 the mean of cos(m t) exp(-x (1 - cos t)) over t, and far out its expansion."""
    near, far = jnp.minimum(jnp.abs(x), _FAR), jnp.maximum(jnp.abs(x), _FAR)
    t = (np.arange(_NODES) + 0.5) * pi / _NODES
    u = 1 - np.cos(t)
    weights = [(-u) ** k * np.cos(m * t) * (1 / (_NODES * factorial(k))) for k in range(n + 1)]
    heights = lax.exp(-near[..., None] * u.astype(x.dtype))
    means = jnp.matmul(heights, np.stack(weights, 1).astype(x.dtype), precision="highest")
    sign = jnp.where(x >= 0, 1, -1).astype(x.dtype)
    is_far = jnp.abs(x) > _FAR
    c = [jnp.where(is_far, _far_bessel(m, far, k), means[..., k]) for k in range(n + 1)]
    return [each if (k + m) % 2 == 0 else sign * each for k, each in enumerate(c)]


def _far_bessel(m: int, x: Array, k: int) -> Array:
    """The k-th coefficient of Σ_j (-1)^j a_j(m) x^(-j - 1/2) / √(2 π), by Horner's rule."""
    a, terms = 1.0, []
    for j in range(_EXPANSION):
        binomial = prod(-(j + 0.5) - i for i in range(k)) / factorial(k)
        terms.append((-1) ** j * a * binomial)
        a *= (4 * m * m - (2 * j + 1) ** 2) / (8 * (j + 1))
    total, inverse = jnp.zeros_like(x), 1 / x
    for term in reversed(terms):
        total = total * inverse + term
    return total * lax.rsqrt(2 * pi * x) * lax.integer_pow(inverse, k)
