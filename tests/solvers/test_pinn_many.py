"""Derivatives in many dimensions, exact and estimated."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import diffcore
from diffcore import nn
from equations import Eq, Problem, coordinates, field, laplacian
from geometry import Gaussian
from solvers.pinn import many

D = 24
PLACE = jax.random.normal(jax.random.key(1), (D,))


def orders(i=None, n=1):
    """The derivative of order n along coordinate i."""
    return tuple(n * (i == j) for j in range(D))


LAPLACIAN = {orders(i, 2): 1.0 for i in range(D)}
WEIGHTED = {orders(i, 2): 0.1 * i for i in range(D)}
SLOPES = {orders(i): 1.0 + i for i in range(D)}
REQUESTS = {
    "value": {orders(): 2.0},
    "one slope": {orders(3): 1.0},
    "many slopes": SLOPES,
    "one curvature": {orders(5, 2): -1.0},
    "sum of curvatures": LAPLACIAN,
    "sums of all kinds": {orders(): 3.0} | SLOPES | WEIGHTED,
    "complex factors": {orders(2): 1j, orders(4, 2): 2.0},
}


def test_derivatives_are_those_of_the_taylor_engine():
    network = nn.MLP(D, 2, width=8, depth=2, key=jax.random.key(0))
    asked = list(REQUESTS.values())
    found = many.derivatives(network, asked, PLACE, exact=True)
    expected = diffcore.operators(network, asked)(PLACE)
    for name, ours, theirs in zip(REQUESTS, found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("request_", [LAPLACIAN, WEIGHTED, WEIGHTED | SLOPES])
def test_estimated_sums_have_no_bias(request_):
    # Curvatures 0, 1, ..., D - 1 and no change of slopes over places, so that only draws differ.
    factors = jnp.arange(D) / 2.0

    def f(x):
        return jnp.stack([factors @ x**2 + jax.lax.stop_gradient(-factors @ x**2)])

    places = jax.random.normal(jax.random.key(2), (4000, D))
    estimated, exact = (
        jax.vmap(lambda x, e=e: many.derivatives(f, [request_], x, exact=e)[0])(places)
        for e in (False, True)
    )
    deviations = np.asarray(estimated - exact)[:, 0]
    assert deviations.std() > 0
    assert abs(deviations.mean()) < 4 * deviations.std() / np.sqrt(len(deviations))


def test_sums_of_few_are_exact_and_a_draw_belongs_to_its_point():
    def f(x):
        return jnp.stack([jnp.sum(jnp.sin(x) * (1 + jnp.arange(D)))])

    few = {orders(i, 2): 1.0 for i in range(many.SAMPLES)}
    for request_, same in ((few, True), (LAPLACIAN, False)):
        once, twice, exact = (
            many.derivatives(f, [request_], PLACE, exact=e)[0] for e in (False, False, True)
        )
        assert once == twice
        assert bool(jnp.allclose(once, exact, rtol=1e-12)) == same


def test_what_the_kind_of_derivatives_and_the_dimension_do_not_allow_is_left_to_the_taylor_engine():
    mixed = tuple(int(i < 2) for i in range(D))
    assert many.applies([LAPLACIAN, SLOPES], D)
    assert not many.applies([{mixed: 1.0}], D)
    assert not many.applies([{orders(0, 3): 1.0}], D)
    assert not many.applies([{(2, 0): 1.0, (0, 2): 1.0}], 2)


def test_half_of_the_points_of_a_gaussian_lie_inward():
    x = coordinates("x", size=D)
    u = field("u", *x)
    problem = Problem(Gaussian(1, 1, D), Eq(laplacian(u), u))
    points = problem.domain.sample_interior(2000, key=0).points
    moved = np.asarray(many.inward(problem, points, 0))
    far = np.linalg.norm(moved - 1, axis=1) / np.linalg.norm(points - 1, axis=1)
    np.testing.assert_array_equal(far[::2], 1.0)
    assert abs(far[1::2].mean() - 0.5) < 4 * np.sqrt(1 / 12 / 1000)  # uniform factors
