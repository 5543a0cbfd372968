"""The convention for complex numbers, checked against finite differences and formulas."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import diffcore as dc

Z = jnp.array([0.3 + 0.8j, -1.1 + 0.2j])
A = jnp.array([[1 + 1j, 2], [3j, 4 - 1j], [0.5, -1j]])


def inner(a, b):
    return sum(
        float(jnp.vdot(x, y).real)
        for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True)
    )


def real(z):
    return jnp.sum(jnp.abs(z) ** 4) + jnp.prod(z).imag


def mixed(z):
    return z.conj() * z + jnp.sin(A @ z).sum() * z.conj() ** 2


def test_the_gradient_is_that_of_real_and_imaginary_part():
    def of_parts(parts):
        return real(parts[0] + 1j * parts[1])

    dx, dy = jax.grad(of_parts)(jnp.stack([Z.real, Z.imag]))
    np.testing.assert_allclose(dc.grad(real)(Z), dx + 1j * dy, rtol=1e-14)
    np.testing.assert_allclose(dc.grad(real)(Z), 2 * dc.wirtinger(real)(Z)[1], rtol=1e-14)


def test_steepest_descent_descends():
    def misfit(z):
        return jnp.sum(jnp.abs(A @ z - 1) ** 2) / 2

    # Hessian eigenvalues are the squared singular values of A, between 2 and 31.
    z = jax.lax.fori_loop(0, 500, lambda _, z: z - dc.value_and_grad(misfit)(z)[1] / 20, Z)
    best = np.linalg.lstsq(A, np.ones(3), rcond=None)[0]
    np.testing.assert_allclose(z, best, atol=1e-12)


def test_forward_and_reverse_are_adjoint_for_functions_that_are_not_holomorphic():
    v, w = jnp.array([1 - 2j, 0.5j]), jnp.array([-1 + 1j, 2 + 0.1j])
    _, tangent = dc.jvp(mixed, (Z,), (v,))
    step = 1e-6
    finite = (mixed(Z + step * v) - mixed(Z - step * v)) / (2 * step)
    np.testing.assert_allclose(tangent, finite, rtol=1e-8)  # O(step²) and rounding / step
    _, pull = dc.vjp(mixed, Z)
    assert abs(inner(w, tangent) - inner(pull(w)[0], v)) < 1e-12


def test_the_adjoint_of_a_matrix_is_its_conjugate_transpose():
    w = jnp.array([1.0, 1j, 2 - 1j])
    _, pull = dc.vjp(lambda z: A @ z, Z)
    np.testing.assert_allclose(pull(w)[0], A.conj().T @ w, rtol=1e-14)


def test_the_hessian_product_is_the_derivative_of_the_gradient_and_symmetric():
    v, w = jnp.array([1 - 2j, 0.5j]), jnp.array([-1 + 1j, 2 + 0.1j])
    hv, hw = dc.hvp(real, Z, v), dc.hvp(real, Z, w)
    step = 1e-6
    finite = (dc.grad(real)(Z + step * v) - dc.grad(real)(Z - step * v)) / (2 * step)
    np.testing.assert_allclose(hv, finite, rtol=1e-8)
    assert abs(inner(w, hv) - inner(hw, v)) < 1e-12


def test_wirtinger_derivatives_of_mixed_powers():
    dz, dz_conj = dc.wirtinger(lambda z: z**3 * z.conj() ** 2)(Z)
    np.testing.assert_allclose(np.diag(dz), 3 * Z**2 * Z.conj() ** 2, rtol=1e-13)
    np.testing.assert_allclose(np.diag(dz_conj), 2 * Z**3 * Z.conj(), rtol=1e-13)
    np.testing.assert_allclose(dz - np.diag(np.diag(dz)), 0)


def test_wirtinger_takes_a_real_point_as_complex():
    dz, dz_conj = dc.wirtinger(jnp.conj)(1.0)
    assert (dz, dz_conj) == (0, 1)


def test_holomorphic_derivatives():
    def f(z):
        return jnp.sum(jnp.exp(A @ z))

    weights = np.exp(A @ Z)
    np.testing.assert_allclose(dc.grad(f, holomorphic=True)(Z), A.T @ weights, rtol=1e-13)
    expected = A.T @ (weights[:, None] * A)
    np.testing.assert_allclose(dc.hessian(f, holomorphic=True)(Z), expected, rtol=1e-13)
    jac = dc.jacobian(lambda z: jnp.exp(A @ z), holomorphic=True)(Z)
    np.testing.assert_allclose(jac, weights[:, None] * A, rtol=1e-13)
    np.testing.assert_allclose(dc.wirtinger(f)(Z)[1], 0, atol=1e-13)


def test_complex_values_of_real_arguments():
    x = jnp.array([0.2, 0.5])
    np.testing.assert_allclose(
        dc.jacobian(lambda x: jnp.exp(1j * x))(x), np.diag(1j * np.exp(1j * x)), rtol=1e-14
    )
    np.testing.assert_allclose(
        dc.hessian(lambda x: jnp.exp(1j * x[0] * x[1]))(x)[0, 0],
        -(x[1] ** 2) * np.exp(1j * x[0] * x[1]),
        rtol=1e-13,
    )


def test_real_and_complex_leaves_mix():
    def f(p):
        return jnp.abs(p["z"]) ** 2 * p["a"]

    slope = dc.grad(f)({"z": 1 + 2j, "a": 3.0})
    assert slope["a"].dtype == "float64"
    np.testing.assert_allclose(slope["a"], 5, rtol=1e-15)
    np.testing.assert_allclose(slope["z"], 6 + 12j, rtol=1e-15)


@pytest.mark.parametrize("f", [jnp.conj, jnp.abs, lambda z: z.real + 0j, lambda z: z * z.conj()])
def test_functions_that_are_not_holomorphic_are_found_out(f):
    assert not dc.is_holomorphic(f, Z)
    with pytest.raises(ValueError, match="Cauchy-Riemann"):
        dc.jacobian(f, holomorphic=True)(Z)
    with pytest.raises(ValueError, match="Cauchy-Riemann"):
        dc.grad(lambda z: jnp.sum(f(z)) + 0j, holomorphic=True)(Z)


def test_the_check_steps_aside_under_jit():
    slope = jax.jit(dc.grad(lambda z: z**2, holomorphic=True))(1 + 2j)
    assert slope == 2 + 4j


def test_refusals_name_the_way_out():
    with pytest.raises(TypeError, match="real number; it returned complex128.*holomorphic=True"):
        dc.grad(lambda z: z**2)(1 + 2j)
    with pytest.raises(TypeError, match="needs `holomorphic=True`.*wirtinger"):
        dc.jacobian(mixed)(Z)
    with pytest.raises(TypeError, match="needs `holomorphic=True`.*hvp"):
        dc.hessian(real)(Z)
    with pytest.raises(TypeError, match=r"complex arguments; got float64: pass z \+ 0j"):
        dc.grad(lambda z: z**2, holomorphic=True)(1.0)
