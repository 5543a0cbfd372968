"""The page of orders and operations leaves no function out, and its rows are right in the tails."""

import inspect

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

from benchmarks.order_excluded import ALIASES, EXCLUDED
from benchmarks.order_rows import ELEMENTWISE, NAMESPACES
from diffcore.taylor import partials

ORDERS = list(range(1, 7))


def functions(namespace):
    """The names of a namespace's functions; types and modules are none."""
    public = {name: getattr(namespace, name) for name in dir(namespace) if name[0] != "_"}
    return {name for name, each in public.items() if callable(each) and not inspect.isclass(each)}


@pytest.mark.parametrize("title", NAMESPACES)
def test_each_function_has_a_row_or_a_reason_to_have_none(title):
    rows = {name for row in ELEMENTWISE[title] for name in row.names}
    groups = [one.names for one in EXCLUDED.get(title, ())]
    excluded = set().union(*groups)
    aliases = ALIASES.get(title, {})
    inherited = functions(jax.scipy.special) if title == "diffcore.special" else set()
    missing = functions(NAMESPACES[title]) - rows - excluded - set(aliases) - inherited
    assert not missing, f"give them a row in benchmarks/order_rows.py or a reason: {missing}"
    assert set(aliases.values()) <= rows
    assert sum(map(len, groups)) == len(excluded) and not rows & excluded


HALF = mpmath.mpf(1) / 2
TAILS = {
    "erfcx": (
        jax.scipy.special.erfcx,
        lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
        [-20.0, -3.0, 0.0, 2.0, 10.0, 60.0],
    ),
    "log_ndtr": (
        jax.scipy.special.log_ndtr,
        lambda x: mpmath.log(mpmath.erfc(-x / mpmath.sqrt(2)) / 2),
        [-100.0, -12.0, -3.0, 0.2, 2.0, 9.0],
    ),
    "exp1": (jax.scipy.special.exp1, mpmath.e1, [0.01, 0.9, 1.1, 30.0]),
    "expn": (
        lambda x: jax.scipy.special.expn(3, x),
        lambda x: mpmath.expint(3, x),
        [0.1, 0.9, 1.1, 30.0],
    ),
    "hyp1f1": (
        lambda x: jax.scipy.special.hyp1f1(0.5, 1.5, x),
        lambda x: mpmath.hyp1f1(HALF, 3 * HALF, x),
        [-30.0, -1.0, 0.0, 30.0],
    ),
    "hyp2f1": (
        lambda x: jax.scipy.special.hyp2f1(0.5, 1.5, 2.25, x),
        lambda x: mpmath.hyp2f1(HALF, 3 * HALF, 9 * HALF / 2, x),
        [-0.5, 0.0, 0.7],
    ),
}


@pytest.mark.parametrize("name", TAILS)
def test_six_orders_and_the_gradient_of_the_last_are_right_in_the_tails(name):
    f, reference, at = TAILS[name]
    sixth = jax.value_and_grad(lambda x: (r := partials(f, ORDERS)(x))[6] + 0 * sum(r.values()))

    def all_orders(x):
        return [*partials(f, ORDERS)(x).values(), sixth(x)[1]]

    ours = np.array(jax.jit(jax.vmap(all_orders))(jnp.array(at)))
    with mpmath.workdps(60):
        series = np.array([mpmath.taylor(reference, x, 7)[1:] for x in at]).T
    factorials = np.cumprod(np.arange(1.0, 8.0))[:, None]
    theirs = series.astype(float) * factorials
    # Rounding; nearer to where a derivative changes sign a few digits more.
    np.testing.assert_allclose(ours, theirs, rtol=2e-12)


@pytest.mark.parametrize("name", ["exp1", "hyp1f1", "log_ndtr", "erfcx"])
def test_they_take_arrays_and_stay_in_single_precision(name):
    f, _, at = TAILS[name]
    at = jnp.array(at[1:], jnp.float32)

    def second(scale):
        return partials(lambda s: f(s * at), [2])(scale)[2]

    of_array = jax.jit(second)(jnp.float32(1))
    one_by_one = jax.jit(jax.vmap(lambda x: partials(f, [2])(x)[2]))(at)
    assert of_array.dtype == jnp.float32
    np.testing.assert_allclose(of_array, at**2 * one_by_one, rtol=1e-5)
    gradient = jax.jit(jax.grad(lambda scale: jnp.sum(second(scale))))(jnp.float32(1))
    assert jnp.isfinite(gradient)
    assert jax.jit(second)(jnp.float32(1)).shape == at.shape


def test_parameters_of_hypergeometric_functions_have_their_derivatives():
    def second(a):
        return partials(lambda x: jax.scipy.special.hyp1f1(a, 1.5, x), [2])(0.4)[2]

    mixed = partials(lambda p: jax.scipy.special.hyp1f1(p[0], 1.5, p[1]), [(1, 0)])

    def reference(a, x):
        return mpmath.hyp1f1(a, 3 * HALF, x)

    expected = mpmath.diff(reference, (HALF, mpmath.mpf(0.4)), (1, 2))
    np.testing.assert_allclose(jax.grad(second)(0.5), float(expected), rtol=1e-12)
    expected = mpmath.diff(reference, (HALF, mpmath.mpf(0.4)), (1, 0))
    np.testing.assert_allclose(mixed(jnp.array([0.5, 0.4]))[1, 0], float(expected), rtol=1e-12)
