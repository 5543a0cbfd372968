"""Derivatives of real functions of pytrees, and refusals."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import diffcore as dc

X = jnp.array([0.3, -0.7, 1.1])


def f(x):
    return jnp.sin(x[0] * x[1]) + x[2] ** 3 * x[0]


def gradient(x):
    c = np.cos(x[0] * x[1])
    return np.array([x[1] * c + x[2] ** 3, x[0] * c, 3 * x[2] ** 2 * x[0]])


def second(x):
    s, c = np.sin(x[0] * x[1]), np.cos(x[0] * x[1])
    xy = c - x[0] * x[1] * s
    return np.array(
        [
            [-(x[1] ** 2) * s, xy, 3 * x[2] ** 2],
            [xy, -(x[0] ** 2) * s, 0],
            [3 * x[2] ** 2, 0, 6 * x[2] * x[0]],
        ]
    )


def test_gradient_and_hessian_agree_with_the_formulas():
    np.testing.assert_allclose(dc.grad(f)(X), gradient(X), rtol=1e-14)
    np.testing.assert_allclose(dc.hessian(f)(X), second(X), rtol=1e-13)
    value, slope = dc.value_and_grad(f)(X)
    assert value == f(X) and (slope == dc.grad(f)(X)).all()


def test_products_with_the_hessian_need_no_matrix():
    v = jnp.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(dc.hvp(f, X, v), second(X) @ v, rtol=1e-13)


@pytest.mark.parametrize("n_out", [1, 7])
def test_the_jacobian_is_the_same_in_both_modes(n_out):
    a = jnp.linspace(-1, 1, 3 * n_out).reshape(n_out, 3)
    jac = dc.jacobian(lambda x: jnp.tanh(a @ x))(X)
    np.testing.assert_allclose(jac, (1 - np.tanh(a @ X) ** 2)[:, None] * a, rtol=1e-14)


def test_forward_and_reverse_are_adjoint():
    def g(x):
        return {"a": jnp.exp(x[:2]), "b": x[0] * x[2]}

    v, w = jnp.array([0.2, 0.4, -1.0]), {"a": jnp.array([1.0, 2.0]), "b": jnp.array(-3.0)}
    value, push = dc.linearize(g, X)
    _, tangent = dc.jvp(g, (X,), (v,))
    _, pull = dc.vjp(g, X)
    assert value["b"] == X[0] * X[2]
    np.testing.assert_allclose(push(v)["a"], tangent["a"], rtol=1e-14)
    left = sum(jnp.vdot(w[k], tangent[k]) for k in w)
    np.testing.assert_allclose(left, jnp.vdot(pull(w)[0], v), rtol=1e-13)


def test_arguments_may_be_trees_and_several():
    def g(params, x, scale=1.0):
        return scale * jnp.sum(params["w"] * x) + params["b"] ** 2

    params = {"w": jnp.array([1.0, 2.0]), "b": jnp.array(3.0)}
    x = jnp.array([4.0, 5.0])
    by_both = dc.grad(g, (0, 1))(params, x, scale=2.0)
    assert by_both[0]["b"] == 6 and (by_both[0]["w"] == 2 * x).all()
    assert (by_both[1] == 2 * params["w"]).all()
    assert (dc.jacobian(g, -1)(params, x) == params["w"]).all()
    assert dc.hessian(g)(params, x)["b"]["b"] == 2


def test_auxiliary_output_passes_through():
    (value, aux), slope = dc.value_and_grad(lambda x: (x**2, {"x": x}), has_aux=True)(3.0)
    assert (value, aux["x"], slope) == (9, 3, 6)
    slope, aux = dc.grad(lambda x: (x**2, "text"), has_aux=True)(3.0)
    assert (slope, aux) == (6, "text")


@pytest.mark.parametrize("order", [0, 1, 2, 3, 5])
def test_directional_derivatives_of_any_order(order):
    v = jnp.array([1.0, 0.5, -2.0])
    a = jnp.array([0.3, -1.0, 0.2])
    value = dc.directional(lambda x: jnp.exp(a @ x), v, order)(X)
    np.testing.assert_allclose(value, (a @ v) ** order * np.exp(a @ X), rtol=1e-13)


def test_directional_takes_trees():
    value = dc.directional(lambda p: p["a"] ** 2 * p["b"], {"a": 1.0, "b": 2.0}, 3)(
        {"a": 0.3, "b": 0.7}
    )
    np.testing.assert_allclose(value, 3 * 2 * 2.0, rtol=1e-13)  # (a+t)²(b+2t): 2 t³


def test_they_compose_with_jit_vmap_and_themselves():
    batch = jnp.stack([X, 2 * X])
    jitted = jax.jit(jax.vmap(dc.grad(f)))(batch)
    np.testing.assert_allclose(jitted[1], gradient(2 * X), rtol=1e-13)
    np.testing.assert_allclose(dc.jacobian(dc.grad(f))(X), second(X), rtol=1e-13)
    third = dc.grad(lambda x: dc.directional(f, jnp.eye(3)[2], 2)(x))(X)
    np.testing.assert_allclose(third, [6 * X[2], 0, 6 * X[0]], atol=1e-13)


V = (jnp.ones(3),)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: dc.grad(f)(x),
        lambda x: dc.value_and_grad(f)(x),
        lambda x: dc.jacobian(f)(x),
        lambda x: dc.hessian(f)(x),
        lambda x: dc.jvp(f, (x,), V),
        lambda x: dc.vjp(f, x),
        lambda x: dc.hvp(f, x, *V),
        lambda x: dc.linearize(f, x),
        lambda x: dc.directional(f, *V)(x),
        lambda x: dc.wirtinger(f)(x),
    ],
)
@pytest.mark.parametrize("x", [jnp.arange(3), np.array([True, False, True]), 1])
def test_integers_are_refused_with_a_remedy(call, x):
    with pytest.raises(TypeError, match=r"data type (int|bool).*pass 1.0 instead of 1"):
        call(x)


def test_functions_among_the_parameters_are_refused_with_a_remedy():
    with pytest.raises(TypeError, match=r"argument \[0\]\['f'\] is a .*equinox.partition"):
        dc.grad(lambda p: p["x"])({"x": 1.0, "f": jnp.tanh})


def test_gradients_of_no_scalar_are_refused():
    with pytest.raises(TypeError, match=r"one scalar; it returned shape \(3,\).*jacobian"):
        dc.grad(jnp.sin)(X)


def test_tangents_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match=r"got shape \(2,\)"):
        dc.jvp(f, (X,), (jnp.ones(2),))
    with pytest.raises(ValueError, match="`hvp` needs v like x"):
        dc.hvp(f, X, 1j * X)
    with pytest.raises(TypeError, match="the structure of primals"):
        dc.jvp(f, (X,), (X, X))
    with pytest.raises(ValueError, match="the cotangent like the value"):
        dc.vjp(f, X)[1](X)
    with pytest.raises(TypeError, match="`argnums` is 2, but the call has 1"):
        dc.grad(f, 2)(X)
    with pytest.raises(ValueError, match="`order` >= 0; got -1"):
        dc.directional(f, X, -1)
    with pytest.raises(TypeError, match="int as `order`"):
        dc.directional(f, X, 1.5)


def test_python_control_flow_is_explained():
    def branching(x):
        return x[0] if x[0] > 0 else -x[0]

    for derivative in (dc.jacobian, dc.hessian):
        with pytest.raises(TypeError, match=r"`jax.numpy.where` \(or `jax.lax.cond`\)"):
            derivative(branching)(X)
    with pytest.raises(TypeError, match=r"masks x\[x > 0\] as `jax.numpy.where`"):
        dc.jacobian(lambda x: jnp.sum(x[x > 0]))(X)
