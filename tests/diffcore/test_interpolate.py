"""Splines against SciPy's, and by order of convergence."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.interpolate

import diffcore as dc
from diffcore.interpolate import spline

RNG = np.random.default_rng(0)
X = np.sort(RNG.uniform(size=9))
Y = np.array([0.0, 0.2, 0.5, 0.6, 1.0, 1.3, 2.0])
INSIDE = X[0] + (X[-1] - X[0]) * np.append(RNG.uniform(size=20), [0, 1])


@pytest.mark.parametrize("degree", [1, 3, 5])
def test_splines_of_one_variable_agree_with_scipy(degree):
    values = RNG.normal(size=(9, 2)) + 1j * RNG.normal(size=(9, 2))
    ours = spline(X, jnp.asarray(values), degree=degree)
    theirs = scipy.interpolate.make_interp_spline(X, values, k=degree)
    np.testing.assert_allclose(
        jax.jit(ours)(jnp.asarray(INSIDE)), theirs(INSIDE), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("degree", [1, 3])
def test_splines_on_grids_agree_with_scipy(degree):
    values = RNG.normal(size=(9, 7))
    points = np.stack([INSIDE, 2 * RNG.uniform(size=22)], -1).reshape(2, 11, 2)
    along_x = scipy.interpolate.make_interp_spline(X, values, k=degree)(points[..., 0])
    along_y = scipy.interpolate.make_interp_spline(Y, along_x, k=degree, axis=-1)
    expected = [[along_y(points[i, j, 1])[i, j] for j in range(11)] for i in range(2)]
    ours = spline((X, Y), jnp.asarray(values), degree=degree)(jnp.asarray(points))
    np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("degree", [1, 3, 5])
def test_the_error_falls_with_the_order_of_the_degree(degree):
    errors = []
    points = jnp.linspace(0, 1, 571)
    for n in (65, 129):
        x = jnp.linspace(0, 1, n)
        error = spline(x, jnp.sin(20 * x), degree=degree)(points) - jnp.sin(20 * points)
        errors.append(float(jnp.max(jnp.abs(error))))
    assert abs(np.log2(errors[0] / errors[1]) - (degree + 1)) < 0.5


def test_polynomials_of_its_degree_and_their_derivatives_are_exact():
    def f(x):
        return x[0] ** 3 * x[1] - x[1] ** 3 * x[2] ** 2 + x[2]

    axes = [jnp.linspace(0, 1, 5), jnp.asarray(Y), jnp.linspace(-1, 1, 4)]
    grid = jnp.stack(jnp.meshgrid(*axes, indexing="ij"), -1)
    interpolant = spline(axes, jax.vmap(jax.vmap(jax.vmap(f)))(grid))
    x, orders = (
        jnp.array([0.33, 1.1, -0.2]),
        [(0, 0, 0), (2, 1, 0), (0, 3, 0), (0, 1, 2), (3, 1, 0)],
    )
    ours, exact = jax.jit(lambda x: [dc.partials(g, orders)(x) for g in (interpolant, f)])(x)
    for each in orders:
        np.testing.assert_allclose(ours[each], exact[each], rtol=1e-9, atol=1e-9)


def test_the_fit_is_linear_in_the_values():
    x = jnp.asarray(X)
    slope = jax.jit(jax.grad(lambda v: spline(x, v)(jnp.float64(0.4))))(jnp.sin(x))
    np.testing.assert_allclose(slope @ jnp.cos(x), spline(x, jnp.cos(x))(0.4), rtol=1e-10)


def test_points_outside_get_what_was_asked_for():
    x = jnp.linspace(0, 1, 5)
    outside = jnp.array([-0.5, 1.5, 0.5])
    assert jnp.isnan(spline(x, x**3)(outside)).tolist() == [True, True, False]
    np.testing.assert_allclose(
        spline(x, x**3, outside="nearest")(outside), [0, 1, 0.125], atol=1e-12
    )
    value = spline(x, x**3, outside="extrapolate")(outside)
    np.testing.assert_allclose(value, outside**3, rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: spline(X, X, degree=2), ValueError, "`degree` 1, 3 or 5; got 2"),
        (lambda: spline(X, X, outside="zero"), ValueError, "`outside` to be one of"),
        (lambda: spline(X[::-1], X), ValueError, "increase strictly"),
        (lambda: spline(X, X[1:]), ValueError, r"axis 0 of the grid has shape \(9,\)"),
        (lambda: spline((X, Y), X), ValueError, "axis 1 of the grid"),
        (lambda: spline(X[:3], X[:3]), ValueError, "has 3 points; degree 3 needs at least 4"),
        (lambda: spline(X, np.arange(9)), TypeError, "data type int64"),
        (lambda: spline((X, Y), np.ones((9, 7)))(jnp.ones(3)), ValueError, r"shape \(..., 2\)"),
        (lambda: spline(X, X)(1j), ValueError, "real points"),
        (lambda: spline(X, X)(jnp.arange(3)), TypeError, "data type int64"),
    ],
)
def test_bad_input_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
