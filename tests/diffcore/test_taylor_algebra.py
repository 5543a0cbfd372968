"""The algebra of a request, checked by exact multiplication of polynomials."""

from fractions import Fraction
from itertools import product
from math import comb, factorial, prod

import numpy as np
import pytest

from diffcore.taylor.algebra import algebra


def power(base, n):
    """base(∂) ** n as terms, for base a dictionary."""
    result = {(0,) * len(next(iter(base))): 1}
    for _ in range(n):
        longer = {}
        for (a, x), (b, y) in product(result.items(), base.items()):
            key = tuple(i + j for i, j in zip(a, b, strict=True))
            longer[key] = longer.get(key, 0) + x * y
        result = longer
    return tuple(result.items())


def laplacian(d):
    return {tuple(2 * int(i == j) for j in range(d)): 1 for i in range(d)}


@pytest.mark.parametrize("d", [1, 2, 3, 10])
def test_the_laplacian_takes_two_arrays_more_than_dimensions(d):
    assert algebra((power(laplacian(d), 1),), d).size == d + 2


@pytest.mark.parametrize(
    ("request_", "sizes"),
    [
        (power(laplacian(2), 2), (1, 2, 3, 2, 1)),  # the literature's directional scheme: 11
        (power(laplacian(3), 2), (1, 3, 6, 3, 1)),
        (power(laplacian(2), 3), (1, 2, 3, 4, 3, 2, 1)),
        ((((1, 0), 1), ((0, 2), -0.01)), (1, 1, 1)),  # a heat operator is one coefficient
        (power({(1, 0): 1, (0, 1): 2}, 4), (1, 1, 1, 1, 1)),  # a directional derivative is a jet
        ((((2, 0), 1), ((0, 2), -4.0)), (1, 2, 1)),  # a wave operator
        ((((4, 0), 1), ((1, 1), 1)), (1, 1, 1, 1, 1)),  # ∂y only occurs within ∂x³ + ∂y/4
    ],
)
def test_the_basis_has_the_hilbert_function_of_the_request(request_, sizes):
    space = algebra((request_,), 2 if len(request_[0][0]) == 2 else 3)
    assert tuple(space.degrees.count(n) for n in range(space.order + 1)) == sizes


def test_all_monomials_give_the_closed_set_of_indices():
    requests = tuple((((i, 3 - i), 1),) for i in range(4))
    space = algebra(requests, 2)
    assert space.size == 10
    assert all(len(b) == 1 for b in space.basis)


def test_the_space_is_never_larger_than_that_of_the_monomials():
    rng = np.random.default_rng(0)
    for _ in range(20):
        orders = [tuple(map(int, rng.integers(0, 4, 3))) for _ in range(3)]
        terms = tuple((o, int(c)) for o, c in zip(orders, rng.integers(1, 9, 3), strict=True))
        monomials = tuple(((o, 1),) for o in orders)
        assert algebra((terms,), 3).size <= algebra(monomials, 3).size


def functional(b, u):
    """b(∂)u at the origin, for polynomials b in ∂ and u in x."""
    return sum(Fraction(c) * u.get(a, 0) * prod(map(factorial, a)) for a, c in b)


@pytest.mark.parametrize(
    "requests",
    [
        (power(laplacian(2), 2), (((1, 1), 1),)),
        ((((1, 0), 1), ((0, 2), -0.25)), (((2, 1), 1), ((0, 1), 3))),
        (power({(1, 0): 1, (0, 1): 2}, 4),),
        ((((2, 0), 1), ((0, 2), 1), ((0, 0), 1)),),  # Helmholtz
        ((*power(laplacian(2), 2), *power(laplacian(2), 1), ((1, 0), 2), ((0, 0), -3)),),
        ((((3, 0), 1), ((1, 2), 2), ((1, 1), 1), ((0, 0), 5)), (((2, 0), 1), ((0, 0), 1))),
    ],
)
def test_products_and_readouts_are_exact_on_polynomials(requests):
    space = algebra(requests, 2)
    rng = np.random.default_rng(1)
    u, v = ({a: Fraction(int(rng.integers(-9, 9))) for a in product(range(5), repeat=2)}
            for _ in range(2))  # fmt: skip
    uv = {}
    for (a, x), (b, y) in product(u.items(), v.items()):
        key = (a[0] + b[0], a[1] + b[1])
        uv[key] = uv.get(key, 0) + x * y
    left, right = ([functional(b, w) for b in space.basis] for w in (u, v))
    for k, b in enumerate(space.basis):
        total = left[0] * right[k] + (left[k] * right[0] if k else 0)
        for i, j, c in space.products[k]:
            both = left[i] * right[j] + (left[j] * right[i] if i != j else 0)
            total += Fraction(c).limit_denominator(10**6) * both
        assert abs(float(total - functional(b, uv))) < 1e-6  # constants are rounded to doubles
    for request_, readout in zip(requests, space.readouts, strict=True):
        value = sum(Fraction(c) * left[k] for k, c in readout)
        assert abs(float(value - functional(request_, u))) < 1e-6


def test_the_dual_basis_is_dual():
    space = algebra((power(laplacian(2), 2), (((3, 0), 1), ((0, 1), 1))), 2)
    pairing = [[float(functional(b, dict(e))) for e in space.dual] for b in space.basis]
    np.testing.assert_allclose(pairing, np.eye(space.size), atol=1e-14)


def test_almost_dependent_requests_fall_back_to_monomials():
    near = ((((2, 0), 1), ((0, 2), 1)), (((2, 0), 1), ((0, 2), 1 + 2e-12)))
    constants = [abs(c) for table in algebra(near, 2).products for *_, c in table]
    assert max(constants) <= comb(4, 2)
