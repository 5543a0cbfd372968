"""Quadrature rules: points and weights as NumPy float64 arrays, computed on the host.

Every rule integrates f as `rule.weights @ f(rule.points)`. Points have shape (n,) on an interval
and (n, d) in d dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from diffcore._inputs import as_count


class Rule(NamedTuple):
    """Points and weights; the integral of f is about `weights @ f(points)`."""

    points: np.ndarray
    weights: np.ndarray


class Integral(NamedTuple):
    """The value of an integral and an estimate of its absolute error."""

    value: Any
    error: float


def gauss_legendre(n: int, a: float = -1.0, b: float = 1.0) -> Rule:
    """The n-point Gauss rule on [a, b], exact for polynomials of degree 2 n - 1.

    Example:
        >>> rule = gauss_legendre(3, 0, 1)
        >>> round(float(rule.weights @ rule.points**5), 15)
        0.166666666666667
    """
    return _on_interval("gauss_legendre", _special().roots_legendre(_count(n)), a, b)


def gauss_lobatto(n: int, a: float = -1.0, b: float = 1.0) -> Rule:
    """The n-point Gauss rule on [a, b] with both ends among the points, exact to degree 2 n - 3.

    The inner points are the zeros of P'_{n-1}, the weights 2 / (n (n - 1) P_{n-1}(x)^2) on [-1, 1].
    """
    n = as_count("gauss_lobatto", "n", n, at_least=2)
    inner = _special().roots_jacobi(n - 2, 1, 1)[0] if n > 2 else np.empty(0)
    points = np.concatenate([[-1.0], inner, [1.0]])
    weights = 2 / (n * (n - 1) * _special().eval_legendre(n - 1, points) ** 2)
    return _on_interval("gauss_lobatto", (points, weights), a, b)


def gauss_radau(n: int, a: float = -1.0, b: float = 1.0) -> Rule:
    """The n-point Gauss rule on [a, b] with the left end among the points, exact to degree 2 n - 2.

    The other points are the zeros of the Jacobi polynomial P_{n-1}^{(0, 1)}.
    """
    n = _count(n)
    points = np.array([-1.0])
    if n > 1:
        points = np.concatenate([points, _special().roots_jacobi(n - 1, 0, 1)[0]])
    weights = (1 - points) / (n * _special().eval_legendre(n - 1, points)) ** 2
    return _on_interval("gauss_radau", (points, weights), a, b)


def clenshaw_curtis(n: int, a: float = -1.0, b: float = 1.0) -> Rule:
    """The n Chebyshev points on [a, b], ends included, and their interpolatory weights.

    Exact to degree n - 1 and in practice nearly as accurate as Gauss; rules of 2^k + 1 points nest.

    Source:
        L. N. Trefethen, Spectral Methods in MATLAB, 2000, program clencurt.
    """
    n = as_count("clenshaw_curtis", "n", n, at_least=2)
    theta = np.pi * np.arange(n - 1, -1, -1) / (n - 1)
    k = np.arange(0, n, 2)
    moments = 2 / (1 - k.astype(float) ** 2)  # integrals of T_k over [-1, 1]
    moments[0] /= 2
    if n % 2 == 1:
        moments[-1] /= 2
    weights = 2 / (n - 1) * np.cos(np.outer(theta, k)) @ moments
    weights[[0, -1]] /= 2
    return _on_interval("clenshaw_curtis", (np.cos(theta), weights), a, b)


def periodic(n: int, a: float = 0.0, b: float = 2 * math.pi) -> Rule:
    """n equispaced points over one period [a, b) with equal weights.

    For smooth periodic functions the error falls faster than any power of 1/n.
    """
    points = np.arange(_count(n)) * 2 / n - 1
    return _on_interval("periodic", (points, np.full(n, 2 / n)), a, b)


def gauss_jacobi(n: int, alpha: float, beta: float) -> Rule:
    """The n-point Gauss rule for integrals of f(x) (1 - x)^alpha (1 + x)^beta over [-1, 1].

    Arguments:
        n: number of points; exact to degree 2 n - 1.
        alpha, beta: > -1.
    """
    if not (alpha > -1 and beta > -1):
        raise ValueError(f"`gauss_jacobi` needs alpha, beta > -1; got {alpha}, {beta}.")
    return Rule(*_special().roots_jacobi(_count(n), alpha, beta))


def gauss_hermite(n: int) -> Rule:
    """The n-point Gauss rule for integrals of f(x) exp(-x^2) over the real line."""
    return Rule(*_special().roots_hermite(_count(n)))


def gauss_laguerre(n: int, alpha: float = 0.0) -> Rule:
    """The n-point Gauss rule for integrals of f(x) x^alpha exp(-x) over x > 0; alpha > -1."""
    if not alpha > -1:
        raise ValueError(f"`gauss_laguerre` needs alpha > -1; got {alpha}.")
    return Rule(*_special().roots_genlaguerre(_count(n), alpha))


def tensor(*rules: Rule) -> Rule:
    """The product of rules: all combinations of points, products of weights.

    Example:
        >>> rule = tensor(gauss_legendre(2, 0, 1), periodic(8))
        >>> rule.points.shape, round(float(rule.weights.sum() / np.pi), 12)
        ((16, 2), 2.0)
    """
    if not rules:
        raise ValueError("`tensor` needs at least one rule.")
    points, weights = np.empty((1, 0)), np.ones(1)
    for rule in rules:
        new = rule.points.reshape(len(rule.weights), -1)
        points = np.concatenate(
            [np.repeat(points, len(new), 0), np.tile(new, (len(points), 1))], axis=1
        )
        weights = np.outer(weights, rule.weights).ravel()
    return Rule(points, weights)


def simplex(degree: int, vertices: Any) -> Rule:
    """A rule on a segment, triangle, tetrahedron, ..., exact to the given total degree.

    A product of Gauss-Jacobi rules, mapped from the cube by x_1 = t_1, x_2 = t_2 (1 - t_1), ...;
    all weights are positive and all points inside, at any degree.

    Arguments:
        degree: total degree that is integrated exactly, >= 0.
        vertices: the d + 1 corners, shape (d + 1, d), in any orientation.

    Raises:
        ValueError: the vertices have another shape or span no volume.

    Source:
        A. H. Stroud, Approximate Calculation of Multiple Integrals, 1971 (conical product).

    Example:
        >>> rule = simplex(2, [(0, 0), (1, 0), (0, 1)])
        >>> round(float(rule.weights @ (rule.points[:, 0] * rule.points[:, 1])), 12)
        0.041666666667
    """
    n = as_count("simplex", "degree", degree, at_least=0) // 2 + 1
    corners = np.asarray(vertices, float)
    dimension = corners.shape[-1]
    if corners.shape != (dimension + 1, dimension):
        raise ValueError(f"`vertices` needs shape (d + 1, d); got {corners.shape}.")
    edges = corners[1:] - corners[0]  # (d, d), one edge a row
    volume = abs(np.linalg.det(edges))  # d! times the measure
    if not volume > 0:
        raise ValueError(f"`vertices` needs corners that span a volume; got {corners.tolist()}.")
    cube = tensor(*(_jacobi_on_unit(n, dimension - 1 - i) for i in range(dimension)))
    left = np.cumprod(np.concatenate([np.ones((len(cube.points), 1)), 1 - cube.points], 1), 1)
    local = cube.points * left[:, :-1]  # barycentric coordinates of corners 1..d
    return Rule(corners[0] + local @ edges, cube.weights * volume)


def adaptive(
    f: Callable[[float], Any], a: float, b: float, *, tolerance: float = 1e-10
) -> Integral:
    """The integral of f over [a, b] by adaptive Gauss-Kronrod subdivision on the host.

    Arguments:
        f: a function of one float with real, complex or array values.
        a, b: ends, which may be infinite.
        tolerance: for the error, absolute and relative.

    Raises:
        ValueError: the tolerance was not reached.

    Example:
        >>> import math
        >>> value, error = adaptive(lambda x: math.exp(-x * x), -math.inf, math.inf)
        >>> round(float(value) ** 2, 12)
        3.14159265359
    """
    if not tolerance > 0:
        raise ValueError(f"`adaptive` needs `tolerance` > 0; got {tolerance}.")
    from scipy.integrate import quad_vec

    value, error, info = quad_vec(
        lambda x: np.asarray(f(x)), a, b, epsabs=tolerance, epsrel=tolerance, full_output=True
    )
    if not info.success or not np.all(np.isfinite(value)):
        raise ValueError(
            f"`adaptive` did not reach tolerance {tolerance} on [{a}, {b}] (value {value}, "
            f"estimated error {error:.1e}): split the interval at singular points, or loosen it."
        )
    return Integral(value, float(error))


def _special() -> Any:
    """SciPy's special functions, loaded when first needed: they take a third of a second."""
    import scipy.special

    return scipy.special


def _jacobi_on_unit(n: int, power: int) -> Rule:
    """The Gauss rule on [0, 1] for the weight (1 - t)^power."""
    points, weights = _special().roots_jacobi(n, power, 0)
    return Rule((points + 1) / 2, weights / 2 ** (power + 1))


def _count(n: int) -> int:
    return as_count("quadrature", "n", n)


def _on_interval(name: str, rule: tuple, a: float, b: float) -> Rule:
    """A rule on [-1, 1] moved to [a, b]; the ends stay exact."""
    if not (math.isfinite(a) and math.isfinite(b) and a < b):
        raise ValueError(f"`{name}` needs finite a < b; got a={a}, b={b}.")
    points, weights = rule
    return Rule(a * (1 - points) / 2 + b * (1 + points) / 2, weights * (b - a) / 2)
