"""Vector calculus against formulas and identities."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import diffcore as dc

X2, X3 = jnp.array([0.3, -0.7]), jnp.array([0.3, -0.7, 1.1])


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_laplacian_and_biharmonic_of_plane_waves(d):
    k = jnp.linspace(0.4, 1.5, d)
    x = jnp.linspace(-1, 1, d)

    def f(x):
        return {"real": jnp.sin(k @ x), "complex": jnp.exp(1j * (k @ x))}

    size = float(k @ k)
    for apply, factor in ((dc.laplacian, -size), (dc.biharmonic, size**2)):
        value = apply(f)(x)
        for name in ("real", "complex"):
            np.testing.assert_allclose(value[name], factor * f(x)[name], rtol=1e-12, atol=1e-13)


def test_the_laplacian_of_a_network_is_the_trace_of_its_hessian():
    w = jax.random.normal(jax.random.key(0), (8, 3))

    def f(x):
        return jnp.tanh(w @ x).sum()

    expected = jnp.trace(jax.hessian(f)(X3))
    np.testing.assert_allclose(dc.laplacian(f)(X3), expected, rtol=1e-13)
    batch = jnp.stack([X3, 2 * X3])
    value = jax.jit(jax.vmap(dc.laplacian(f)))(batch)
    np.testing.assert_allclose(value[0], expected, rtol=1e-13)


def field(x):
    return jnp.stack([jnp.sin(x[0] * x[1]), x[1] ** 2 * x[-1], jnp.exp(x[0] - x[-1])])


def test_divergence_and_curl_agree_with_the_jacobian():
    jac = jax.jacfwd(field)(X3)
    np.testing.assert_allclose(dc.divergence(field)(X3), jnp.trace(jac), rtol=1e-14)
    curl = [jac[2, 1] - jac[1, 2], jac[0, 2] - jac[2, 0], jac[1, 0] - jac[0, 1]]
    np.testing.assert_allclose(dc.curl(field)(X3), curl, rtol=1e-14)


def test_the_curl_in_the_plane_is_a_scalar():
    np.testing.assert_allclose(dc.curl(lambda x: jnp.stack([x[1] ** 2, x[0] ** 3]))(X2), 1.67)


def test_identities_of_second_order():
    np.testing.assert_allclose(dc.divergence(dc.curl(field))(X3), 0, atol=1e-14)

    def g(x):
        return jnp.sin(x[0]) * jnp.exp(x[1]) * x[2] ** 3

    np.testing.assert_allclose(dc.curl(dc.grad(g))(X3), 0, atol=1e-14)
    np.testing.assert_allclose(dc.divergence(dc.grad(g))(X3), dc.laplacian(g)(X3), rtol=1e-13)
    np.testing.assert_allclose(dc.laplacian(dc.laplacian(g))(X3), dc.biharmonic(g)(X3), rtol=1e-12)
    curl_curl = dc.grad(dc.divergence(field))(X3) - dc.laplacian(field)(X3)
    np.testing.assert_allclose(dc.curl(dc.curl(field))(X3), curl_curl, rtol=1e-12, atol=1e-13)


def test_matrix_fields_are_taken_by_rows():
    rows = dc.divergence(lambda x: jnp.stack([field(x), 2 * field(x)]))(X3)
    np.testing.assert_allclose(rows, dc.divergence(field)(X3) * jnp.array([1, 2]), rtol=1e-14)


OPERATORS = [dc.laplacian, dc.biharmonic, dc.divergence, dc.curl]


@pytest.mark.parametrize("apply", OPERATORS)
def test_what_is_no_real_point_is_refused(apply):
    with pytest.raises(ValueError, match=r"`x` has shape \(2, 3\): map a batch .* jax.vmap"):
        apply(field)(jnp.ones((2, 3)))
    with pytest.raises(TypeError, match="data type int64"):
        apply(field)(jnp.arange(3))
    with pytest.raises(TypeError, match="a real point; `x` has data type complex128"):
        apply(field)(X3 + 0j)


def test_fields_of_wrong_size_are_refused():
    with pytest.raises(ValueError, match=r"with 2 components .* f returned shape \(3,\)"):
        dc.divergence(field)(X2)
    with pytest.raises(ValueError, match=r"f returned shape \(\)"):
        dc.curl(jnp.sum)(X2)
    with pytest.raises(ValueError, match="dimension 2 or 3; got 4"):
        dc.curl(lambda x: x)(jnp.ones(4))


def test_python_control_flow_is_explained():
    with pytest.raises(TypeError, match="jax.numpy.where"):
        dc.laplacian(lambda x: x[0] if x[0] > 0 else x[1])(X2)
