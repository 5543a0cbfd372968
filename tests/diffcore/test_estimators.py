"""Random estimates are unbiased: by enumerating the randomness, and by statistics."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import diffcore as dc

KEYS = jax.random.split(jax.random.key(0), 2000)
X = jnp.array([0.3, -0.7, 0.5, 0.9])
A = jnp.array(np.random.default_rng(0).normal(size=(4, 4)))


def f(x):
    return {"s": jnp.sin(A[0] @ x) + x[0] ** 2 * x[1] ** 4, "v": jnp.exp(A[:2] @ x)}


def at_keys(estimate, *args):
    return jax.jit(jax.vmap(lambda key: estimate(*args, key)))(KEYS)


def assert_mean(samples, expected):
    """The mean is within four standard errors, and the estimate does vary."""
    error = np.std(samples, 0) / np.sqrt(len(samples))
    assert np.all(error > 0) and np.all(np.abs(np.mean(samples, 0) - expected) < 4 * error)


def test_coordinates_give_every_subset_equally_often():
    hessian = jax.hessian(lambda x: f(x)["s"])(X)
    subsets = [
        4 / 2 * sum(float(hessian[i, i]) for i in subset)
        for subset in itertools.combinations(range(4), 2)
    ]
    np.testing.assert_allclose(np.mean(subsets), jnp.trace(hessian))  # so the estimate is unbiased
    estimates = at_keys(dc.estimate_laplacian(f, 2), X)["s"]
    nearest = np.argmin(np.abs(np.array(subsets)[:, None] - estimates), 0)
    np.testing.assert_allclose(estimates, np.array(subsets)[nearest], rtol=1e-12)
    counts = np.bincount(nearest, minlength=6)
    chi_square = np.sum((counts - 2000 / 6) ** 2) / (2000 / 6)
    assert chi_square < 20.5  # 0.1 % of samples of 5 degrees of freedom are above


def test_signs_give_the_values_of_the_enumeration_whose_mean_is_exact():
    hessian = np.asarray(jax.hessian(lambda x: f(x)["s"])(X))
    values = [v @ hessian @ v for v in np.array(list(itertools.product([-1, 1], repeat=4)))]
    np.testing.assert_allclose(np.mean(values), np.trace(hessian))
    estimates = at_keys(dc.estimate_laplacian(f, 1, directions="rademacher"), X)["s"]
    distance = np.min(np.abs(np.array(values)[:, None] - estimates), 0)
    assert np.all(distance < 1e-12)
    assert_mean(estimates, np.trace(hessian))


@pytest.mark.parametrize("directions", ["coordinates", "gaussian"])
def test_laplacian_estimates_have_the_right_mean_for_every_leaf(directions):
    estimates = at_keys(dc.estimate_laplacian(f, 2, directions=directions), X)
    exact = dc.laplacian(f)(X)
    for name in ("s", "v"):
        assert_mean(estimates[name], exact[name])


def test_biharmonic_estimates_are_unbiased_by_enumeration_and_by_statistics():
    exact = dc.biharmonic(f)(X)
    signs = jnp.array(list(itertools.product([-1.0, 1.0], repeat=4)))
    along = jax.jit(jax.vmap(lambda v: dc.directional(f, v, 4)(X)))(signs)
    fourth = dc.estimate_diagonal(f, 4, 4)(X, 0)
    estimates = at_keys(dc.estimate_biharmonic(f, 1), X)
    for name in ("s", "v"):
        mean = (np.mean(along[name], 0) + 2 * fourth[name]) / 3
        np.testing.assert_allclose(mean, exact[name], rtol=1e-11)
        assert_mean(estimates[name], exact[name])


def test_all_coordinates_are_exact():
    exact = dc.laplacian(f)(X)["s"]
    np.testing.assert_allclose(dc.estimate_laplacian(f, 4)(X, 5)["s"], exact, rtol=1e-12)
    weights = jnp.array([1.0, -2.0, 0.0, 0.5])
    third = dc.operator(f, {tuple(3 * np.eye(4, dtype=int)[i]): weights[i] for i in range(4)})(X)
    estimate = dc.estimate_diagonal(f, 3, 4, coefficients=weights)(X, 0)
    np.testing.assert_allclose(estimate["v"], third["v"], rtol=1e-12)


def test_weighted_diagonal_estimates_have_the_right_mean():
    weights = jnp.array([1.0, -2.0, 0.0, 0.5])
    estimate = dc.estimate_diagonal(f, 3, 1, coefficients=weights)
    exact = dc.estimate_diagonal(f, 3, 4, coefficients=weights)(X, 0)["s"]
    assert_mean(at_keys(estimate, X)["s"], exact)


def test_a_hundred_thousand_dimensions_are_fine():
    d = 100_000

    def g(x):
        return jnp.sum(x**4) + jnp.sum(x) ** 2

    x = jnp.full(d, 0.1)
    exact = 12 * 0.01 * d + 2 * d
    estimate = jax.jit(dc.estimate_laplacian(g, 8))(x, jax.random.key(1))
    np.testing.assert_allclose(estimate, exact, rtol=1e-12)  # all second derivatives are alike


def test_estimates_differentiate_by_parameters():
    def loss(a):
        return dc.estimate_laplacian(lambda x: jnp.sum(a * x**2), 2)(X, 3)

    np.testing.assert_allclose(jnp.sum(jax.grad(loss)(jnp.ones(4))), 8.0, rtol=1e-12)


def test_trace_estimates_have_the_right_mean_and_variance():
    symmetric = A + A.T
    samples = at_keys(dc.estimate_trace(lambda v: symmetric @ v, 4, 1))
    assert_mean(samples, jnp.trace(symmetric))
    variance = 2 * np.sum(np.asarray(symmetric - np.diag(np.diag(symmetric))) ** 2)
    np.testing.assert_allclose(np.var(samples), variance, rtol=0.15)  # 2000 samples
    estimate = dc.estimate_trace(lambda v: symmetric @ v, 4, 3, distribution="gaussian")
    assert_mean(at_keys(estimate), jnp.trace(symmetric))


def test_trace_estimates_of_complex_matrices():
    matrix = A + 1j * jnp.flip(A)
    for n_deflated in (0, 2):
        samples = at_keys(dc.estimate_trace(lambda v: matrix @ v, 4, 2, n_deflated=n_deflated))
        assert_mean(samples.real, jnp.trace(matrix).real)
        assert_mean(samples.imag, jnp.trace(matrix).imag)


def test_deflation_makes_low_rank_traces_exact_and_others_better():
    low = A[:, :2] @ A[:, :2].T
    exact = dc.estimate_trace(lambda v: low @ v, 4, 1, n_deflated=2)(0)
    np.testing.assert_allclose(exact, jnp.trace(low), rtol=1e-12)
    spectrum = jnp.arange(1.0, 51) ** -2.0
    q = jnp.linalg.qr(jax.random.normal(jax.random.key(1), (50, 50)))[0]

    def product(v):
        return q @ (spectrum * (q.T @ v))

    plain = at_keys(dc.estimate_trace(product, 50, 30))
    deflated = at_keys(dc.estimate_trace(product, 50, 10, n_deflated=10))  # as many products
    assert_mean(deflated, jnp.sum(spectrum))
    assert np.std(deflated) < np.std(plain) / 5


def test_the_laplacian_is_a_trace_of_products_with_the_hessian():
    def g(x):
        return f(x)["s"]

    estimate = dc.estimate_trace(lambda v: dc.hvp(g, X, v), 4, 1)
    assert_mean(at_keys(estimate), dc.laplacian(g)(X))


FACTORS = [
    lambda x: jnp.stack([jnp.sin(x), x**2, jnp.ones_like(x)]),
    lambda y: jnp.stack([jnp.exp(y), y, jnp.cos(y)]),
    lambda z: jnp.stack([z, jnp.tanh(z), z**3]),
]


def test_separable_derivatives_agree_with_the_function_at_each_point():
    orders = [(0, 0, 0), (2, 0, 0), (1, 1, 1), (0, 4, 2)]
    axes = [jnp.linspace(0, 1, n) for n in (3, 4, 5)]
    values = jax.jit(dc.separable_partials(FACTORS, orders))(*axes)
    grid = jnp.stack(jnp.meshgrid(*axes, indexing="ij"), -1)

    def whole(x):
        return sum(
            jnp.prod(jnp.stack([f(t)[r] for f, t in zip(FACTORS, x, strict=True)]))
            for r in range(3)
        )

    expected = jax.vmap(dc.partials(whole, orders))(grid.reshape(-1, 3))
    for each in orders:
        assert values[each].shape == (3, 4, 5)
        np.testing.assert_allclose(values[each].ravel(), expected[each], rtol=1e-11, atol=1e-12)


def test_separable_factors_may_have_several_values():
    factors = [lambda x: jnp.outer(jnp.array([1.0, x]), jnp.array([1.0, 2.0]))] * 2
    values = dc.separable_partials(factors, [(1, 0)])(jnp.ones(3), jnp.full(2, 5.0))
    assert values[1, 0].shape == (3, 2, 2)
    np.testing.assert_allclose(values[1, 0][0, 0], [5, 20])  # d/dx (1 + x y), times 1 and 4


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: dc.estimate_laplacian(f, 5)(X, 0), ValueError, "at most 4; got 5"),
        (lambda: dc.estimate_laplacian(f, 0), ValueError, "`n_samples` >= 1"),
        (lambda: dc.estimate_laplacian(f, 1, directions="sobol"), ValueError, "got 'sobol'"),
        (lambda: dc.estimate_laplacian(f, 1)(X[None], 0), ValueError, "map a batch"),
        (lambda: dc.estimate_laplacian(f, 1)(jnp.arange(4), 0), TypeError, "data type int64"),
        (lambda: dc.estimate_laplacian(f, 1)(X, 0.5), TypeError, "int seed or a JAX key"),
        (lambda: dc.estimate_diagonal(f, 0, 1), ValueError, "`order` >= 1"),
        (
            lambda: dc.estimate_diagonal(f, 2, 1, coefficients=jnp.ones(3))(X, 0),
            ValueError,
            "`coefficients` needs the shape of x",
        ),
        (lambda: dc.estimate_biharmonic(f, 1.5), TypeError, "int as `n_samples`"),
        (lambda: dc.estimate_trace(lambda v: v, 0, 1), ValueError, "`size` >= 1"),
        (lambda: dc.estimate_trace(lambda v: v, 3, 1, n_deflated=4), ValueError, "at most size=3"),
        (
            lambda: dc.estimate_trace(lambda v: v, 3, 1, distribution="coordinates"),
            ValueError,
            "draws from one of",
        ),
        (lambda: dc.separable_partials(FACTORS, [(1, 0)]), ValueError, "length 3"),
        (lambda: dc.separable_partials(FACTORS, []), ValueError, "at least one"),
        (lambda: dc.separable_partials(FACTORS, [(0, 0, 0)])(X, X), ValueError, "3 axes; got 2"),
        (
            lambda: dc.separable_partials(FACTORS, [(0, 0, 0)])(X, X, X[None]),
            ValueError,
            r"shape \(n,\); got \(1, 4\)",
        ),
        (
            lambda: dc.separable_partials([jnp.sin, FACTORS[0]], [(0, 0)])(X, X),
            ValueError,
            r"one shape \(rank, ...\)",
        ),
    ],
)
def test_bad_input_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
