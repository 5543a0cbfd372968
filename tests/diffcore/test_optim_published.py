"""The recursions against NumPy transcriptions of the published formulas, and against SciPy."""

import jax.numpy as jnp
import numpy as np
import pytest
import scipy.optimize

import diffcore as dc
from diffcore import optim

N = 6
rng = np.random.default_rng(0)
A = rng.normal(size=(N, N))
A = A @ A.T + 0.1 * np.eye(N)


def loss_numpy(x):
    return 0.5 * x @ A @ x + 0.25 * np.sum(x**4)


def gradient_numpy(x):
    return A @ x + x**3


loss = dc.value_and_grad(lambda x: 0.5 * x @ jnp.asarray(A) @ x + 0.25 * jnp.sum(x**4))


def bfgs(H, s, y, b):
    rho = 1 / (s @ y)
    V = np.eye(N) - rho * np.outer(s, y)
    return V @ H @ V.T + rho * np.outer(s, s)


def self_scaled_bfgs(H, s, y, b):
    """Al-Baali's scaling, eqs. (8)-(11) of Urbán, Stefanou and Pons: H / τ, τ = min(1, 1/b)."""
    return bfgs(H / min(1.0, 1 / b), s, y, b)


def self_scaled_broyden(H, s, y, b):
    """Eqs. (13)-(23) of Urbán, Stefanou and Pons."""
    Hy = H @ y
    h = y @ Hy / (s @ y)
    a = h * b - 1
    c = np.sqrt(a / (a + 1))
    rho_minus = min(1.0, h * (1 - c))
    theta_minus = (rho_minus - 1) / a
    theta_plus = 1 / rho_minus
    theta = max(theta_minus, min(theta_plus, (1 - b) / b))
    sigma = 1 + theta * a
    rho = min(1.0, 1 / b)
    power = sigma ** (1 / (1 - N))
    tau = min(rho * power, sigma) if theta <= 0 else rho * min(power, 1 / theta)
    phi = (1 - theta) / (1 + a * theta)
    v = np.sqrt(y @ Hy) * (s / (s @ y) - Hy / (y @ Hy))
    inner = H - np.outer(Hy, Hy) / (y @ Hy) + phi * np.outer(v, v)
    return inner / tau + np.outer(s, s) / (s @ y)


@pytest.mark.parametrize(
    ("optimizer", "published"),
    [
        (optim.bfgs(), bfgs),
        (optim.self_scaled_bfgs(), self_scaled_bfgs),
        (optim.self_scaled_broyden(), self_scaled_broyden),
    ],
)
def test_inverse_hessians_follow_the_published_recursion(optimizer, published):
    x, state, H = jnp.full(N, 2.0), None, np.eye(N)
    for k in range(12):
        last = np.asarray(x)
        result = optim.run(optimizer, loss, x, steps=1, state=state)
        x, state = result.parameters, result.state
        s, y = x - last, gradient_numpy(x) - gradient_numpy(last)
        if k == 0:  # Nocedal and Wright, eq. (6.20)
            H = (s @ y) / (y @ y) * H
        b = s @ np.linalg.solve(H, s) / (s @ y)
        H = published(H, s, y, b)
        scale = np.abs(H).max()
        np.testing.assert_allclose(state.hessian, H, rtol=1e-6, atol=1e-6 * scale)
        np.testing.assert_allclose(
            state.direction, -H @ gradient_numpy(x), rtol=1e-5, atol=1e-6 * scale
        )


def test_limited_memory_equals_the_dense_update_after_one_pair():
    # Later, the two-loop recursion scales by the last pair, the dense update by the first.
    start = jnp.full(N, 2.0)
    dense = optim.run(optim.bfgs(), loss, start, steps=2)
    limited = optim.run(optim.lbfgs(), loss, start, steps=2)
    np.testing.assert_allclose(dense.parameters, limited.parameters, rtol=1e-12)


def test_every_step_satisfies_the_strong_wolfe_conditions():
    x, state = jnp.full(N, 2.0), None
    for _ in range(10):
        last = np.asarray(x)
        result = optim.run(optim.self_scaled_broyden(), loss, x, steps=1, state=state)
        x, state = result.parameters, result.state
        s, slope = np.asarray(x) - last, gradient_numpy(last) @ (np.asarray(x) - last)
        assert loss_numpy(x) <= loss_numpy(last) + 1e-4 * slope
        assert abs(gradient_numpy(np.asarray(x)) @ s) <= 0.9 * abs(slope) * (1 + 1e-12)


def test_bfgs_needs_about_as_many_steps_as_scipy():
    start = np.full(10, -1.2)
    peer = scipy.optimize.minimize(
        scipy.optimize.rosen, start, jac=scipy.optimize.rosen_der, method="BFGS"
    )
    rosen = dc.value_and_grad(
        lambda x: jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    )
    result = optim.run(optim.bfgs(tolerance=1e-5), rosen, jnp.asarray(start), steps=500)
    assert result.reason == "gradient below tolerance"
    assert len(result.losses) < 1.2 * peer.nit


@pytest.mark.parametrize(("m", "n"), [(30, 8), (8, 30)])
def test_jacobian_and_step_are_the_dense_formulas_in_both_forms(m, n):
    points = np.random.default_rng(1).normal(size=(m, n))
    residual = lambda p, x: jnp.tanh(p @ x) - 0.3  # noqa: E731
    ls = optim.LeastSquares(residual)
    start = jnp.full(n, 0.1)
    r, J = (np.asarray(a) for a in ls.linearize(start, points))
    t = np.tanh(points @ np.full(n, 0.1))
    np.testing.assert_allclose(r, (t - 0.3) / np.sqrt(m), rtol=1e-12)
    np.testing.assert_allclose(J, (1 - t**2)[:, None] * points / np.sqrt(m), rtol=1e-12)

    result = optim.run(optim.levenberg_marquardt(damping=0.5), ls, start, steps=1, args=(points,))
    damping = 0.5 * np.sum((J.T @ r) ** 2) / np.sum(r**2)
    p = np.linalg.solve(J.T @ J + damping * np.eye(n), -J.T @ r)
    np.testing.assert_allclose(result.parameters - start, p, rtol=1e-9, atol=1e-12)
