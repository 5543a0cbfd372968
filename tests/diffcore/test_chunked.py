"""Chunked evaluation against evaluation at once."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from diffcore.chunked import chunk_size, map_points, sum_value_and_grad
from diffcore.functional import value_and_grad

W = jnp.array([[0.5, -1.0], [2.0, 0.3]])


def loss(parameters, points):
    values = jnp.tanh(points["x"] @ parameters["w"]) * parameters["a"]
    return jnp.sum(points["weight"][:, None] * jnp.abs(values) ** 2)


def sample(n):
    rng = np.random.default_rng(0)
    return {"x": jnp.array(rng.normal(size=(n, 2))), "weight": jnp.array(rng.uniform(size=n))}


@pytest.mark.parametrize("n", [6, 7, 60, 61])  # whole chunks, one point left, a divisor, a prime
def test_value_and_gradient_are_those_of_all_points_at_once(n):
    parameters = {"w": W, "a": jnp.array([1.0 + 2.0j, 0.5])}
    ours, theirs = jax.jit(
        lambda p, x: (sum_value_and_grad(loss, chunk=6)(p, x), value_and_grad(loss)(p, x))
    )(parameters, sample(n))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-12), ours, theirs)


def test_further_sums_are_accumulated_too():
    f = lambda a, x: (jnp.sum(a * x), {"count": x.size, "squares": jnp.sum(x**2)})  # noqa: E731
    (value, aux), gradient = sum_value_and_grad(f, has_aux=True, chunk=4)(2.0, jnp.arange(10.0))
    assert (float(value), float(gradient)) == (90, 45)
    assert (int(aux["count"]), float(aux["squares"])) == (10, 285)


@pytest.mark.parametrize("n", [1, 8, 9, 17])
def test_mapped_points_keep_their_order(n):
    x = jnp.arange(n * 2.0).reshape(n, 2)
    values = map_points(lambda x: (x.sum(-1), x**2), x, chunk=4)
    np.testing.assert_array_equal(values[0], x.sum(-1))
    np.testing.assert_array_equal(values[1], x**2)


def test_a_mapped_function_is_differentiable():
    x = jnp.arange(7.0)
    gradient = jax.grad(lambda a: jnp.sum(map_points(lambda x: jnp.sin(a * x), x, chunk=3)))(0.5)
    np.testing.assert_allclose(gradient, jnp.sum(x * jnp.cos(0.5 * x)), rtol=1e-12)


def test_memory_does_not_grow_with_the_points():
    def temporaries(n):
        step = jax.jit(sum_value_and_grad(loss, chunk=100))
        parameters = {"w": W, "a": jnp.ones(2)}
        return step.lower(parameters, sample(n)).compile().memory_analysis().temp_size_in_bytes

    assert temporaries(10_000) < 1.1 * temporaries(1_000) + 4096


def test_wider_functions_have_smaller_chunks():
    sizes = [chunk_size(lambda x, w=w: x @ jnp.ones((2, w)), jnp.ones((99, 2))) for w in (8, 512)]
    assert sizes[0] == 64 * sizes[1]


def test_wrong_points_and_chunks_are_refused():
    with pytest.raises(ValueError, match="one leading axis of the same length"):
        map_points(lambda x: x, {"a": jnp.ones(3), "b": jnp.ones(4)})
    with pytest.raises(ValueError, match="`chunk` >= 1; got 0"):
        sum_value_and_grad(loss, chunk=0)
    for chunk in (2.5, "a"):
        with pytest.raises(TypeError, match="`sum_value_and_grad` needs an int as `chunk`"):
            sum_value_and_grad(loss, chunk=chunk)


def test_sums_that_have_no_gradient_are_refused():
    x = jnp.ones(5)
    with pytest.raises(TypeError, match=r"return one scalar; it returned shape \(2,\)"):
        sum_value_and_grad(lambda a, x: a * x, chunk=2)(1.0, x[:4])
    with pytest.raises(TypeError, match="pass 1.0 instead of 1"):
        sum_value_and_grad(lambda a, x: jnp.sum(a * x), chunk=2)(1, x)


@pytest.mark.parametrize("n", [2, 5])
def test_a_result_without_the_axis_of_points_is_refused(n):
    with pytest.raises(ValueError, match=r"one result for each point.*shapes \[\(\)\]"):
        map_points(jnp.sum, jnp.arange(float(n)), chunk=2)


def test_no_points_give_nothing_and_zero():
    none = jnp.zeros((0, 2))
    assert map_points(lambda x: x.sum(-1), none).shape == (0,)
    value, gradient = sum_value_and_grad(lambda a, x: jnp.sum(a * x))(2.0, none)
    assert (float(value), float(gradient)) == (0, 0)
