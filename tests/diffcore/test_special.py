"""Special functions against mpmath in 30 digits, and their derivatives to order 3."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import scipy.special

import diffcore as dc
from diffcore import special as sp

mpmath.mp.dps = 30

BESSEL = {
    sp.jv: (mpmath.besselj, scipy.special.jv),
    sp.yv: (mpmath.bessely, scipy.special.yv),
    sp.iv: (mpmath.besseli, scipy.special.iv),
    sp.kv: (mpmath.besselk, scipy.special.kv),
}


def exact(f, points):
    return np.array([float(mpmath.re(f(mpmath.mpf(float(x))))) for x in points])


@pytest.mark.parametrize("order", [0, 1, 30])
@pytest.mark.parametrize("f", BESSEL, ids=lambda f: f.__name__)
def test_bessel_functions_agree_with_mpmath(f, order):
    x = np.array([1e-10, 1e-3, 0.5, 2.4, 7.0, 15.9, 25.0, 31.0, 59.9, 60.1, 91.0, 600.0])
    value, reference = f(order, jnp.asarray(x)), BESSEL[f][0]
    expected = exact(lambda t: reference(order, t), x)
    # J and Y oscillate: their error is relative to the amplitude, of I and K to the value.
    amplitude = np.sqrt(2 / np.pi / np.maximum(x, 1)) if f in (sp.jv, sp.yv) else 0
    normal = np.isfinite(expected) & (np.abs(expected) > 1e-300)
    scale = np.maximum(np.abs(expected), amplitude)
    assert np.all((np.abs(value - expected) < 1e-13 * scale)[normal])
    np.testing.assert_allclose(value[~normal], expected[~normal], atol=1e-300)
    np.testing.assert_allclose(
        f(-order, jnp.asarray(x)), (-1.0) ** (order % 2 * (f in (sp.jv, sp.yv))) * value
    )


@pytest.mark.parametrize("f", BESSEL, ids=lambda f: f.__name__)
def test_bessel_functions_at_the_ends_and_left_of_zero(f):
    x = np.array([0.0, -0.5, -3.0, -70.0])
    for order in (0, 3):
        expected = np.real(BESSEL[f][1](order, x))
        if f in (sp.yv, sp.kv):
            expected[1:] = np.nan
        np.testing.assert_allclose(f(order, jnp.asarray(x)), expected, rtol=1e-12, atol=1e-14)


def test_the_wronskians_hold():
    x = jnp.geomspace(1e-3, 500.0, 40)

    @jax.jit
    def of_order(x, n=5):
        j, y, i, k = ([f(m, x) for m in (n, n + 1)] for f in (sp.jv, sp.yv, sp.iv, sp.kv))
        return (j[1] * y[0] - j[0] * y[1]) * jnp.pi * x / 2, (i[0] * k[1] + i[1] * k[0]) * x

    oscillating, growing = of_order(x)
    np.testing.assert_allclose(oscillating, 1, rtol=2e-11)  # cancels for large x
    np.testing.assert_allclose(growing, 1, rtol=1e-12)


SCALAR = {
    "jv": (lambda x: sp.jv(2, x), lambda t: mpmath.besselj(2, t), (0.0, 3.0, 70.0)),
    "yv": (lambda x: sp.yv(0, x), lambda t: mpmath.bessely(0, t), (0.3, 3.0, 70.0)),
    "iv": (lambda x: sp.iv(1, x), lambda t: mpmath.besseli(1, t), (0.0, -2.0, 40.0)),
    "kv": (lambda x: sp.kv(1, x), lambda t: mpmath.besselk(1, t), (0.3, 3.0)),
    "ai": (lambda x: sp.airy(x)[0], mpmath.airyai, (-14.0, -1.1, 0.3, 13.0)),
    "bi": (lambda x: sp.airy(x)[2], mpmath.airybi, (-14.0, -1.1, 0.3, 13.0)),
    "w": (sp.lambertw, mpmath.lambertw, (-0.3, 0.0, 2.0, 50.0)),
    "w-1": (lambda x: sp.lambertw(x, -1), lambda t: mpmath.lambertw(t, -1), (-0.3, -0.01)),
    "k": (sp.ellipk, mpmath.ellipk, (-3.0, 0.0, 0.9)),
    "e": (sp.ellipe, mpmath.ellipe, (-3.0, 0.0, 0.9)),
}


@pytest.mark.parametrize("name", SCALAR)
def test_derivatives_of_every_order_agree_with_mpmath(name):
    f, reference, points = SCALAR[name]
    x = jnp.asarray(points)
    derivatives = [f]
    for _ in range(3):
        derivatives.append(slope(derivatives[-1]))
    for order, value in enumerate(jax.jit(lambda x: [d(x) for d in derivatives])(x)):
        expected = exact(lambda t, k=order: mpmath.diff(reference, t, k), points)
        scale = 1e-12 * 10**order * np.max(np.abs(expected))  # differences of neighbors lose digits
        np.testing.assert_allclose(value, expected, rtol=1e-10, atol=scale)


def slope(f):
    return lambda x: jax.jvp(f, (x,), (jnp.ones_like(x),))[1]


def test_they_go_through_taylor_arithmetic_and_reverse_mode():
    def f(x):
        return sp.jv(0, x[0] * x[1]) + sp.lambertw(x[0])

    x = jnp.array([0.7, 1.3])
    value = jax.jit(dc.partials(f, [(2, 1)]))(x)[(2, 1)]
    nested = jax.jit(jax.grad(lambda x: jax.jvp(jax.grad(f), (x,), (jnp.eye(2)[0],))[1][0]))(x)[1]
    np.testing.assert_allclose(value, nested, rtol=1e-11)


def test_airy_functions_agree_with_mpmath():
    x = np.array([-90.0, -12.3, -11.8, -6.2, -1.0, -0.26, 0.0, 0.24, 3.3, 11.9, 12.1, 40.0])
    names = [(mpmath.airyai, 0), (mpmath.airyai, 1), (mpmath.airybi, 0), (mpmath.airybi, 1)]
    for value, (reference, k) in zip(sp.airy(jnp.asarray(x)), names, strict=True):
        expected = exact(lambda t, r=reference, k=k: r(t, derivative=k), x)
        amplitude = np.where(x < 0, np.abs(x - 1) ** (0.25 if k else -0.25), 0)
        error = np.abs(value - expected) / np.maximum(np.abs(expected), amplitude)
        assert np.all(error < 2e-13)


def test_lambert_w_agrees_with_mpmath_up_to_the_branch_point():
    x = np.concatenate([-np.exp(-1) + np.geomspace(2e-16, 0.3, 30), [1e-300, 0.5, 30.0, 1e300]])
    w = sp.lambertw(jnp.asarray(x))
    np.testing.assert_allclose(w, exact(mpmath.lambertw, x), rtol=1e-13)
    x = np.concatenate([-np.exp(-1) + np.geomspace(2e-16, 0.3, 30), [-1e-9, -1e-300]])
    w = sp.lambertw(jnp.asarray(x), -1)
    np.testing.assert_allclose(w, exact(lambda t: mpmath.lambertw(t, -1), x), rtol=1e-13)


def test_lambert_w_outside_its_domain_and_at_the_ends():
    assert sp.lambertw(-np.exp(-1)) == sp.lambertw(-np.exp(-1), -1) == -1
    assert jnp.isnan(sp.lambertw(-0.4)) and jnp.isnan(sp.lambertw(0.1, -1))
    assert sp.lambertw(jnp.inf) == jnp.inf and sp.lambertw(0.0, -1) == -jnp.inf


def test_elliptic_integrals_agree_with_scipy():
    m = np.concatenate([-np.geomspace(1e-5, 1e8, 20), [0.0, 0.3, 1 - 1e-12, 1.0, 1.5]])
    for name in ("ellipk", "ellipe"):
        expected = getattr(scipy.special, name)(m)
        np.testing.assert_allclose(getattr(sp, name)(jnp.asarray(m)), expected, rtol=3e-14)


def test_single_precision_stays_single_and_accurate():
    x = jnp.linspace(0.1, 20, 30, dtype=jnp.float32)
    for f, (_, reference) in BESSEL.items():
        value, expected = f(1, x), reference(1, np.asarray(x, float))
        assert value.dtype == jnp.float32
        np.testing.assert_allclose(value, expected, rtol=2e-5, atol=3e-6)
    for value, expected in zip(
        sp.airy(x[:10]), scipy.special.airy(np.asarray(x[:10])), strict=True
    ):
        assert value.dtype == jnp.float32
        np.testing.assert_allclose(value, expected, rtol=3e-5)


@pytest.mark.parametrize("n", [1, 3])
def test_exponential_integrals_have_derivatives_of_every_order(n):
    x = jnp.array([0.3, 1.0, 4.0])
    f = (lambda x: sp.exp1(x)) if n == 1 else (lambda x: sp.expn(n, x))
    ours = jax.jit(jax.vmap(dc.partials(f, [0, 1, 2, 5])))(x)
    for k, values in ours.items():
        wanted = [float((-1) ** k * mpmath.expint(n - k, float(each))) for each in x]
        np.testing.assert_allclose(values, wanted, rtol=1e-13)
    slope = jax.grad(lambda x: jnp.sum(f(x)))(x)
    np.testing.assert_allclose(slope, ours[1], rtol=1e-14)


def test_the_functions_of_jax_are_there():
    np.testing.assert_allclose(sp.erfc(0.3), scipy.special.erfc(0.3))
    np.testing.assert_allclose(sp.digamma(0.3), scipy.special.digamma(0.3))
    assert all(callable(getattr(sp, name)) for name in sp.__all__)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: sp.jv(0.5, 1.0), TypeError, "int as `order`.* got float 0.5"),
        (lambda: sp.kv(51, 1.0), ValueError, r"\|order\| <= 50; got 51"),
        (lambda: sp.yv(0, jnp.arange(3)), TypeError, "data type int64"),
        (lambda: sp.iv(0, 1j), TypeError, "takes real arguments; `x` has data type complex"),
        (lambda: sp.airy(1), TypeError, "data type int64"),
        (lambda: sp.exp1(1), TypeError, "data type int64"),
        (lambda: sp.expn(-1, 1.0), ValueError, "`n` >= 0; got -1"),
        (lambda: sp.airy(1j), TypeError, "real arguments"),
        (lambda: sp.lambertw(1.0, 1), ValueError, "branches 0 and -1; got branch=1"),
        (lambda: sp.lambertw(1j), TypeError, "real arguments"),
        (lambda: sp.ellipk(1), TypeError, "data type int64"),
        (lambda: sp.ellipe(True), TypeError, "data type bool"),
    ],
)
def test_bad_input_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
