"""Truncated power series in one variable, as lists of arrays: φ(x + h) = Σ c_k h^k.

Each function returns c_0 ... c_n from a differential equation that φ satisfies (Griewank and
Walther, Evaluating Derivatives, 2008, chapter 13). None divides where φ is smooth.
"""

from collections.abc import Callable
from math import factorial, log, pi, sqrt

import jax
import jax.numpy as jnp
from jax import lax

from diffcore.taylor.series import Array

Coefficients = list[Array]
Taylor = Callable[[Array, int], Coefficients]


def product(a: Coefficients, b: Coefficients) -> Coefficients:
    """The coefficients of a b, as many as both have."""
    return [_convolve(a, b, k) for k in range(min(len(a), len(b)))]


def _convolve(a: Coefficients, b: Coefficients, k: int) -> Array:
    if a is b:  # half of the terms occur twice
        terms = [2 * (a[i] * a[k - i]) for i in range((k + 1) // 2)]
        terms += [] if k % 2 else [a[k // 2] * a[k // 2]]
    else:
        terms = [a[i] * b[k - i] for i in range(k + 1)]
    return sum(terms[1:], terms[0])


def integral(constant: Array, slope: Coefficients) -> Coefficients:
    """The coefficients of φ from φ(x) and those of φ'."""
    return [constant] + [c * (1 / (k + 1)) if k else c for k, c in enumerate(slope)]


def _from_slope(constant: Array, n: int, slope: Callable[[Coefficients], Array]) -> Coefficients:
    """Solves c_{k+1} = slope(c_0 ... c_k) / (k + 1)."""
    c = [constant]
    while len(c) <= n:
        c.append(slope(c) * (1 / len(c)) if len(c) > 1 else slope(c))
    return c


def exp(x: Array, n: int) -> Coefficients:
    """exp: y' = y."""
    y = lax.exp(x)
    return [y] + [y * (1 / factorial(k)) if k > 1 else y for k in range(1, n + 1)]


def exp2(x: Array, n: int) -> Coefficients:
    """2 ** x: y' = log(2) y."""
    y = lax.exp2(x)
    return [y] + [y * (log(2) ** k / factorial(k)) for k in range(1, n + 1)]


def expm1(x: Array, n: int) -> Coefficients:
    """exp - 1."""
    return [lax.expm1(x), *exp(x, n)[1:]]


def log_(x: Array, n: int) -> Coefficients:
    """log: y' = 1 / x."""
    return _logarithm(lax.log(x), x, n)


def log1p(x: Array, n: int) -> Coefficients:
    """log(1 + x): y' = 1 / (1 + x)."""
    return _logarithm(lax.log1p(x), 1 + x, n)


def _logarithm(y: Array, x: Array, n: int) -> Coefficients:
    return integral(y, reciprocal(x, n - 1))


def reciprocal(x: Array, n: int) -> Coefficients:
    """1 / x: y' = -y²."""
    c = [1 / x]
    while len(c) <= n:
        c.append(-c[-1] * c[0])
    return c


def sin(x: Array, n: int) -> Coefficients:
    """sin: y'' = -y."""
    return _trigonometric([lax.sin(x), lax.cos(x)], n)


def cos(x: Array, n: int) -> Coefficients:
    """cos: y'' = -y."""
    return _trigonometric([lax.cos(x), -lax.sin(x)], n)


def _trigonometric(values: list[Array], n: int) -> Coefficients:
    signs = [1, 1, -1, -1]
    return [_times(signs[k % 4] / factorial(k), values[k % 2]) for k in range(n + 1)]


def sinh(x: Array, n: int) -> Coefficients:
    """sinh: y'' = y."""
    return _hyperbolic([lax.sinh(x), lax.cosh(x)], n)


def cosh(x: Array, n: int) -> Coefficients:
    """cosh: y'' = y."""
    return _hyperbolic([lax.cosh(x), lax.sinh(x)], n)


def _hyperbolic(values: list[Array], n: int) -> Coefficients:
    return [_times(1 / factorial(k), values[k % 2]) for k in range(n + 1)]


def _times(c: float, x: Array) -> Array:
    return x if c == 1 else c * x


def tan(x: Array, n: int) -> Coefficients:
    """tan: y' = 1 + y²."""
    return _from_slope(lax.tan(x), n, lambda c: _square(c) + (1 if len(c) == 1 else 0))


def tanh(x: Array, n: int) -> Coefficients:
    """tanh: y' = 1 - y²."""
    return _from_slope(lax.tanh(x), n, lambda c: (1 if len(c) == 1 else 0) - _square(c))


def _square(c: Coefficients) -> Array:
    return _convolve(c, c, len(c) - 1)


def logistic(x: Array, n: int) -> Coefficients:
    """1 / (1 + exp(-x)): y' = y - y²."""

    def slope(c: Coefficients) -> Array:  # σ' = σ (1 - σ)
        return c[0] * lax.logistic(-x) if len(c) == 1 else c[-1] - _square(c)

    return _from_slope(lax.logistic(x), n, slope)


def softplus(x: Array, n: int) -> Coefficients:
    """log(1 + exp(x)): y' is the logistic function."""
    return integral(jnp.logaddexp(x, 0), logistic(x, n - 1))


def power(x: Array, n: int, exponent: float) -> Coefficients:
    """x ** exponent for a number; x⁰ = 1 and no division by x in what is a polynomial."""
    binomial, c = 1.0, []
    for k in range(n + 1):
        c.append(jnp.zeros_like(x) if binomial == 0 else _times(binomial, _pow(x, exponent - k)))
        binomial *= (exponent - k) / (k + 1)
    return c


def _pow(x: Array, exponent: float) -> Array:
    if exponent == int(exponent):
        return jnp.ones_like(x) if exponent == 0 else lax.integer_pow(x, int(exponent))
    return lax.pow(x, jnp.asarray(exponent, x.dtype))


def _root(y: Array, slope: Array, ratio: Array, n: int, exponent: float) -> Coefficients:
    """y = x ** exponent; slope = x ** (exponent - 1) and ratio = 1 / x as powers of y: ∞ at 0."""
    c = [y, exponent * slope]
    for k in range(1, n):
        c.append(((exponent - k) / (k + 1)) * (c[-1] * ratio))
    return c[: n + 1]


def sqrt_(x: Array, n: int) -> Coefficients:
    """x ** (1/2)."""
    y = lax.sqrt(x)
    inverse = 1 / y
    return _root(y, inverse, inverse * inverse, n, 1 / 2)


def rsqrt(x: Array, n: int) -> Coefficients:
    """x ** (-1/2)."""
    y = lax.rsqrt(x)
    return _root(y, y * y * y, y * y, n, -1 / 2)


def cbrt(x: Array, n: int) -> Coefficients:
    """x ** (1/3)."""
    y = lax.cbrt(x)
    inverse = 1 / y
    return _root(y, inverse * inverse, inverse * inverse * inverse, n, 1 / 3)


def _quadratic_power(a: Coefficients, n: int, exponent: float) -> Coefficients:
    """(a_0 + a_1 h + a_2 h²) ** exponent, by a y' = exponent a' y."""
    c = [lax.pow(a[0], jnp.asarray(exponent, a[0].dtype)) if exponent != -1 else 1 / a[0]]
    while len(c) <= n:
        k = len(c)
        total = (exponent - k + 1) * (a[1] * c[k - 1])
        if k > 1:
            total = total + (2 * exponent - k + 2) * (a[2] * c[k - 2])
        c.append(total / (k * a[0]))
    return c


def atan(x: Array, n: int) -> Coefficients:
    """atan: y' = 1 / (1 + x²)."""
    return integral(lax.atan(x), _quadratic_power([1 + x * x, 2 * x, 1], n - 1, -1))


def atanh(x: Array, n: int) -> Coefficients:
    """atanh: y' = 1 / (1 - x²)."""
    square = [(1 - x) * (1 + x), -2 * x, -1]
    return integral(lax.atanh(x), _quadratic_power(square, n - 1, -1))


def asin(x: Array, n: int) -> Coefficients:
    """asin: y' = (1 - x²) ** (-1/2)."""
    return integral(lax.asin(x), _arc(x, n - 1))


def acos(x: Array, n: int) -> Coefficients:
    """acos: y' = -(1 - x²) ** (-1/2)."""
    return integral(lax.acos(x), [-c for c in _arc(x, n - 1)])


def _arc(x: Array, n: int) -> Coefficients:
    return _quadratic_power([(1 - x) * (1 + x), -2 * x, -1], n, -1 / 2)


def asinh(x: Array, n: int) -> Coefficients:
    """asinh: y' = (1 + x²) ** (-1/2)."""
    return integral(lax.asinh(x), _quadratic_power([1 + x * x, 2 * x, 1], n - 1, -1 / 2))


def acosh(x: Array, n: int) -> Coefficients:
    """acosh: y' = (x - 1) ** (-1/2) (x + 1) ** (-1/2)."""
    # (x - 1) ** (-1/2) (x + 1) ** (-1/2) has the branch cut of acosh also for complex x.
    slope = product(rsqrt(x - 1, n - 1), rsqrt(x + 1, n - 1))
    return integral(lax.acosh(x), slope)


def erf(x: Array, n: int) -> Coefficients:
    """erf: y' = 2/√π exp(-x²)."""
    return integral(lax.erf(x), _gaussian(x, n - 1))


def erfc(x: Array, n: int) -> Coefficients:
    """1 - erf."""
    return integral(lax.erfc(x), [-c for c in _gaussian(x, n - 1)])


def _gaussian(x: Array, n: int) -> Coefficients:
    """2/√π exp(-x²), by y' = -2 x y."""

    def slope(c: Coefficients) -> Array:
        return -2 * (x * c[-1] + (c[-2] if len(c) > 1 else 0))

    return _from_slope(2 / sqrt(pi) * lax.exp(-x * x), n, slope)


def erf_inv(x: Array, n: int) -> Coefficients:
    """y' = w = √π/2 exp(y²) and w' = 2 y w²."""
    y = [lax.erf_inv(x)]
    w = [sqrt(pi) / 2 * lax.exp(y[0] * y[0])]
    for k in range(n):
        y.append(w[k] * (1 / (k + 1)))
        w.append(_convolve(product(w, w), y, k) * (2 / (k + 1)))
    return y[: n + 1]


def lgamma(x: Array, n: int) -> Coefficients:
    """log |Γ|: y' = digamma."""
    return integral(lax.lgamma(x), digamma(x, n - 1))


def digamma(x: Array, n: int) -> Coefficients:
    """digamma: the polygamma functions follow."""
    return [lax.digamma(x), *polygamma(0, x, n)[1:]]


def polygamma(m: Array, x: Array, n: int) -> Coefficients:
    """polygamma of order m in x: its k-th derivative has the order m + k."""
    orders = [jnp.full_like(x, k) + m for k in range(n + 1)]
    return [lax.polygamma(order, x) * (1 / factorial(k)) for k, order in enumerate(orders)]


def by_forward_mode(function: Callable[[Array], Array]) -> Taylor:
    """The coefficients of an elementwise function that JAX differentiates n times."""

    def derivative(f: Callable[[Array], Array]) -> Callable[[Array], Array]:
        return lambda x: jax.jvp(f, (x,), (jnp.ones_like(x),))[1]

    def taylor(x: Array, n: int) -> Coefficients:
        f, c = function, []
        for k in range(n + 1):
            c.append(f(x) * (1 / factorial(k)))
            f = derivative(f)
        return c

    return taylor
