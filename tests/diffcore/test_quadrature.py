"""Rules integrate the polynomials that they promise, and no more than they must."""

import itertools
import math

import numpy as np
import pytest

from diffcore import quadrature as q

EXACTNESS = {
    q.gauss_legendre: lambda n: 2 * n - 1,
    q.gauss_lobatto: lambda n: 2 * n - 3,
    q.gauss_radau: lambda n: 2 * n - 2,
    q.clenshaw_curtis: lambda n: n - 1,
}


@pytest.mark.parametrize("n", [2, 3, 4, 7, 12])
@pytest.mark.parametrize("make", EXACTNESS, ids=lambda f: f.__name__)
def test_interval_rules_are_exact_to_their_degree(make, n):
    a, b = -0.5, 2.0
    rule = make(n, a, b)
    assert rule.points.shape == rule.weights.shape == (n,) and (rule.weights > 0).all()
    assert (np.diff(rule.points) > 0).all()
    for k in range(EXACTNESS[make](n) + 1):
        exact = (b ** (k + 1) - a ** (k + 1)) / (k + 1)
        np.testing.assert_allclose(rule.weights @ rule.points**k, exact, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("n", [2, 3, 7])
def test_gauss_rules_are_not_exact_beyond_their_degree(n):
    for make in (q.gauss_legendre, q.gauss_lobatto, q.gauss_radau):
        rule, degree = make(n), EXACTNESS[make](n) + 1
        assert abs(rule.weights @ rule.points**degree - (1 + (-1) ** degree) / (degree + 1)) > 1e-9


def test_rules_with_ends_hold_them_exactly():
    for make in (q.gauss_lobatto, q.clenshaw_curtis):
        assert make(5, 0.1, 0.7).points[[0, -1]].tolist() == [0.1, 0.7]
    assert q.gauss_radau(4, 0.1, 0.7).points[0] == 0.1
    assert q.gauss_radau(1).weights == 2


def test_clenshaw_curtis_rules_nest():
    np.testing.assert_allclose(q.clenshaw_curtis(9).points[::2], q.clenshaw_curtis(5).points)


def test_the_periodic_rule_is_exact_below_its_number_of_points():
    rule = q.periodic(7, 1.0, 4.0)
    for k in range(-6, 7):
        mean = rule.weights @ np.exp(2j * np.pi * k * rule.points / 3) / 3
        np.testing.assert_allclose(mean, k == 0, atol=1e-14)


def test_weighted_gauss_rules_give_the_moments():
    gamma = math.gamma
    jacobi, hermite, laguerre = (
        q.gauss_jacobi(6, 0.5, -0.3),
        q.gauss_hermite(6),
        q.gauss_laguerre(6, 0.5),
    )
    for k in range(12):
        exact = 2 ** (k + 1.2) * gamma(1.5) * gamma(0.7 + k) / gamma(2.2 + k)  # Beta integral
        moment = jacobi.weights @ (1 + jacobi.points) ** k
        np.testing.assert_allclose(moment, exact, rtol=1e-12)
        exact = gamma((k + 1) / 2) if k % 2 == 0 else 0
        np.testing.assert_allclose(hermite.weights @ hermite.points**k, exact, atol=1e-11)
        moment = laguerre.weights @ laguerre.points**k
        np.testing.assert_allclose(moment, gamma(k + 1.5), rtol=1e-12)


@pytest.mark.parametrize("dimension", [1, 2, 3, 4])
@pytest.mark.parametrize("degree", [0, 1, 4, 5])
def test_simplex_rules_are_exact_to_their_total_degree(dimension, degree):
    corners = np.concatenate([np.zeros((1, dimension)), np.eye(dimension)])
    rule = q.simplex(degree, corners)
    assert (rule.weights > 0).all() and (rule.points > 0).all() and (rule.points.sum(1) < 1).all()
    for powers in itertools.product(range(degree + 1), repeat=dimension):
        if sum(powers) <= degree:
            exact = math.prod(map(math.factorial, powers))
            exact /= math.factorial(dimension + sum(powers))  # Dirichlet's integral
            value = rule.weights @ np.prod(rule.points**powers, 1)
            np.testing.assert_allclose(value, exact, rtol=1e-12)


def test_simplex_rules_move_with_their_corners():
    corners = np.array([(1, 1), (4, 2), (0, 3)])
    rule = q.simplex(1, corners[::-1])
    np.testing.assert_allclose(rule.weights.sum(), 3.5)  # half of |3·2 - 1·(-1)|
    np.testing.assert_allclose(rule.weights @ rule.points / 3.5, corners.mean(0))


def test_tensor_rules_multiply():
    rule = q.tensor(q.gauss_legendre(3, 0, 1), q.simplex(2, [(0, 0), (1, 0), (0, 1)]))
    x, y, z = rule.points.T
    np.testing.assert_allclose(rule.weights @ (x**4 * y * z), 1 / 5 / 24, rtol=1e-13)


def test_adaptive_integrals_of_real_complex_and_array_functions():
    value, error = q.adaptive(lambda x: math.sqrt(abs(x - 0.3)), 0, 1)
    np.testing.assert_allclose(value, (0.3**1.5 + 0.7**1.5) / 1.5, atol=1e-9)
    assert error < 1e-8
    value, _ = q.adaptive(lambda x: np.exp(1j * x), 0, 1)
    np.testing.assert_allclose(value, (np.exp(1j) - 1) / 1j, rtol=1e-13)
    value, _ = q.adaptive(lambda x: np.exp(-x * np.array([1.0, 2.0])), 0, math.inf)
    np.testing.assert_allclose(value, [1, 0.5], rtol=1e-9)


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: q.gauss_legendre(0), ValueError, "`n` >= 1; got 0"),
        (lambda: q.gauss_legendre(2.5), TypeError, "int as `n`"),
        (lambda: q.gauss_lobatto(1), ValueError, "`n` >= 2"),
        (lambda: q.clenshaw_curtis(3, 1, 1), ValueError, "finite a < b; got a=1, b=1"),
        (lambda: q.periodic(3, 0, math.inf), ValueError, "finite a < b"),
        (lambda: q.gauss_jacobi(3, -1, 0), ValueError, "alpha, beta > -1"),
        (lambda: q.gauss_laguerre(3, -2), ValueError, "alpha > -1"),
        (lambda: q.tensor(), ValueError, "at least one rule"),
        (lambda: q.simplex(-1, np.eye(2)), ValueError, "`degree` >= 0"),
        (lambda: q.simplex(1, np.eye(2)), ValueError, r"shape \(d \+ 1, d\); got \(2, 2\)"),
        (lambda: q.simplex(1, [(0, 0), (1, 1), (2, 2)]), ValueError, "span a volume"),
        (lambda: q.adaptive(math.sin, 0, 1, tolerance=0), ValueError, "`tolerance` > 0"),
        (
            lambda: q.adaptive(lambda x: 1 / x, 0, 1),
            ValueError,
            "did not reach tolerance",
        ),
    ],
)
def test_bad_input_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
