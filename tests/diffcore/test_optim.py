"""All optimizers on test functions, resumed runs, changed losses, and the driver's refusals."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import diffcore as dc
from diffcore import nn, optim

SECOND_ORDER = {
    "bfgs": optim.bfgs(),
    "self_scaled_bfgs": optim.self_scaled_bfgs(),
    "self_scaled_broyden": optim.self_scaled_broyden(),
    "lbfgs": optim.lbfgs(history=10),
    "levenberg_marquardt": optim.levenberg_marquardt(),
    "matrix_free": optim.levenberg_marquardt(matrix_free=True),
}
FIRST_ORDER = {
    "sgd": optim.sgd(0.1),
    "momentum": optim.sgd(0.05, momentum=0.9),
    "adam": optim.adam(optim.cosine_decay_schedule(0.1, 400)),
    "adamw": optim.adamw(optim.cosine_decay_schedule(0.1, 400), weight_decay=0.0),
    "soap": optim.soap(optim.cosine_decay_schedule(0.1, 400)),
    "muon": optim.muon(adam_learning_rate=optim.cosine_decay_schedule(0.1, 400)),
    "lion": optim.first_order(optax.lion, learning_rate=optim.cosine_decay_schedule(0.1, 400)),
}
ALL = FIRST_ORDER | SECOND_ORDER

# Residual functions take (parameters, point): the least-squares methods need them.
rosenbrock = optim.LeastSquares(
    lambda x, i: jnp.stack([1 - x[i], 10 * (x[i + 1] - x[i] ** 2)]),
)
quadratic = optim.LeastSquares(
    lambda p, i: (jnp.arange(1.0, 5.0, dtype=p["x"].dtype) * (p["x"] - 1))[i]
)
complex_quadratic = optim.LeastSquares(lambda p, target: p["z"] + 1j * p["w"] - target)
PAIRS = (jnp.arange(5),)


@pytest.mark.parametrize("name", SECOND_ORDER)
def test_second_order_methods_find_the_minimum_of_rosenbrock(name):
    start = jnp.full(6, -1.2).at[1::2].set(1.0)
    result = optim.run(SECOND_ORDER[name], rosenbrock, start, steps=300, args=PAIRS)
    np.testing.assert_allclose(result.parameters, 1.0, atol=1e-8)
    assert result.reason in ("gradient below tolerance", "line search failed")
    assert result.stopped and len(result.losses) < 200


@pytest.mark.parametrize("name", ALL)
def test_every_optimizer_minimizes_a_quadratic(name):
    start = {"x": jnp.array([3.0, -2.0, 0.0, 5.0])}
    result = optim.run(ALL[name], quadratic, start, steps=400, args=(jnp.arange(4),))
    np.testing.assert_allclose(result.parameters["x"], 1.0, atol=1e-3)
    assert result.losses[0] == quadratic(start, jnp.arange(4))[0]


@pytest.mark.parametrize("name", sorted(set(ALL) - {"muon"}))
def test_every_optimizer_descends_in_complex_parameters(name):
    # |z + i w - t|² for real w and complex z, t: minimum zero on a line.
    start = {"z": jnp.array([1 + 2j]), "w": jnp.array([0.5])}
    target = jnp.array([3 - 1j])
    result = optim.run(ALL[name], complex_quadratic, start, steps=400, args=(target,))
    p = result.parameters
    assert p["z"].dtype == complex and p["w"].dtype == float
    np.testing.assert_allclose(p["z"] + 1j * p["w"], target, atol=2e-3)


@pytest.mark.parametrize("name", ["adam", "lbfgs", "self_scaled_broyden", "levenberg_marquardt"])
def test_a_run_in_two_parts_equals_an_unbroken_run_to_the_last_bit(name):
    start = jnp.full(6, -1.2)
    whole = optim.run(ALL[name], rosenbrock, start, steps=30, args=PAIRS)
    part = optim.run(ALL[name], rosenbrock, start, steps=13, args=PAIRS)
    saved = jax.tree.map(np.asarray, (part.parameters, part.state))  # as from a checkpoint
    rest = optim.run(
        ALL[name], rosenbrock, jnp.asarray(saved[0]), steps=17, args=PAIRS, state=saved[1]
    )
    np.testing.assert_array_equal(whole.parameters, rest.parameters)
    np.testing.assert_array_equal(whole.losses, np.concatenate([part.losses, rest.losses]))


@pytest.mark.parametrize("optimizer", [optim.bfgs(), optim.lbfgs()])
def test_a_changed_loss_is_evaluated_anew_and_the_inverse_hessian_kept(optimizer):
    scales = jnp.logspace(0, 3, 8)
    loss = dc.value_and_grad(lambda x, target: jnp.sum(scales * (x - target) ** 2))
    zero, one = jnp.zeros(8), jnp.ones(8)
    first = optim.run(optimizer, loss, one, steps=100, args=(zero,))
    second = optim.run(optimizer, loss, first.parameters, steps=100, args=(one,), state=first.state)
    again = optim.run(optimizer, loss, first.parameters, steps=100, args=(one,))
    np.testing.assert_allclose(second.losses[0], loss(first.parameters, one)[0], rtol=1e-12)
    np.testing.assert_allclose(second.parameters, 1.0, atol=1e-9)
    assert len(second.losses) < len(again.losses) / 2


@pytest.mark.parametrize("name", ["bfgs", "self_scaled_broyden", "lbfgs"])
def test_the_line_search_steps_back_from_where_the_loss_is_not_finite(name):
    # x - log x has its minimum at 1 and no value at x <= 0, where a long first step leads.
    barrier = dc.value_and_grad(lambda x: jnp.sum(100 * (x - jnp.log(x))))
    result = optim.run(ALL[name], barrier, jnp.array([0.1, 3.0, 0.5]), steps=100)
    np.testing.assert_allclose(result.parameters, 1.0, atol=1e-8)
    assert np.all(np.isfinite(result.losses))


@pytest.mark.parametrize("name", ["self_scaled_broyden", "lbfgs", "levenberg_marquardt"])
def test_single_precision_stays_single_under_strict_promotion(name):
    with dc.precision("float32"), jax.numpy_dtype_promotion("strict"):
        start = {"x": jnp.array([3.0, -2.0, 0.0, 5.0])}
        result = optim.run(ALL[name], quadratic, start, steps=400, args=(jnp.arange(4),))
        assert result.parameters["x"].dtype == result.losses.dtype == np.float32
        np.testing.assert_allclose(result.parameters["x"], 1.0, atol=1e-3)


def test_losses_never_rise_in_a_quasi_newton_run():
    result = optim.run(
        ALL["self_scaled_broyden"], rosenbrock, jnp.full(6, -1.2), steps=80, args=PAIRS
    )
    assert np.all(np.diff(result.losses) <= 0)


@pytest.mark.parametrize("name", ["adam", "bfgs", "levenberg_marquardt"])
def test_a_loss_that_is_not_finite_stops_the_run_and_keeps_the_parameters(name):
    broken = optim.LeastSquares(lambda p, i: jnp.log(p[0]) * i)
    start = jnp.array([-1.0])
    result = optim.run(ALL[name], broken, start, steps=10, args=(jnp.arange(3.0),))
    assert result.reason == "loss not finite" and result.stopped
    np.testing.assert_array_equal(result.parameters, start)


def test_a_loss_that_cannot_fall_further_stops_the_run():
    # The gradient points the wrong way: no step goes down.
    wrong = lambda x: (jnp.sum(x**2), -2 * x)  # noqa: E731
    result = optim.run(optim.bfgs(), wrong, jnp.ones(2), steps=50)
    assert result.reason == "line search failed"
    np.testing.assert_array_equal(result.parameters, 1.0)


def test_soap_is_adam_in_the_eigenbasis_of_the_gradients():
    # A rotated problem: SOAP in rotated parameters takes the rotated steps, Adam does not.
    rng = np.random.default_rng(0)
    scale = jnp.asarray(rng.uniform(0.1, 10, (4, 3)))
    u, v = (np.linalg.qr(rng.normal(size=(n, n)))[0] for n in (4, 3))
    straight = dc.value_and_grad(lambda w: jnp.sum(scale * (w - 1) ** 2))
    rotated = dc.value_and_grad(lambda w: jnp.sum(scale * (u.T @ w @ v - 1) ** 2))
    start = jnp.asarray(rng.normal(size=(4, 3)))
    for optimizer, same in ((optim.soap(0.1), True), (optim.adam(0.1), False)):
        a = optim.run(optimizer, straight, start, steps=25).parameters
        b = optim.run(optimizer, rotated, u @ start @ v.T, steps=25).parameters
        # In directions without gradient, rounding errors are divided by eps: 1e-16 / 1e-8.
        assert np.allclose(u @ a @ v.T, b, atol=1e-5) == same


def test_constants_in_the_parameters_stay_as_they_are():
    net = nn.Sequential([nn.FourierFeatures(1, 4, key=0), nn.Linear(4, 1, key=1)])
    x = jnp.linspace(0, 1, 20)[:, None]
    loss = dc.value_and_grad(lambda net: jnp.mean((net(x) - x**2) ** 2))
    result = optim.run(optim.bfgs(), loss, net, steps=100)
    assert result.losses[-1] < 1e-4
    before, after = (m.layers[0].frequencies.array for m in (net, result.parameters))
    np.testing.assert_array_equal(before, after)


def test_new_arguments_and_fewer_steps_compile_nothing_new():
    traces = []

    def loss(x, target):
        traces.append(1)
        return jnp.sum((x - target) ** 2), 2 * (x - target)

    optim.run(optim.bfgs(), loss, jnp.zeros(2), steps=50, args=(jnp.ones(2),))
    n = len(traces)
    state = None
    for steps in (7, 20):
        r = optim.run(
            optim.bfgs(), loss, jnp.ones(2), steps=steps, args=(jnp.ones(2) * 2,), state=state
        )
        state = r.state
    assert len(traces) == n


def test_optimizers_with_equal_options_are_equal():
    assert optim.adam(1e-3) == optim.adam(1e-3) != optim.adam(1e-2)
    assert optim.bfgs() == optim.bfgs() != optim.self_scaled_bfgs()
    assert hash(optim.lbfgs(history=5)) == hash(optim.lbfgs(history=5))


@pytest.mark.parametrize(
    "make",
    [
        lambda: optim.bfgs(history=3),
        lambda: optim.lbfgs(memory=3),
        lambda: optim.adam(1e-3, rate=1),
        lambda: optim.first_order(optax.lion, learning_rate=1e-3, history=3),
        lambda: optim.WolfeSearch(c1=1e-4),
        lambda: optim.first_order(optax.sgd(0.1), momentum=0.9),
    ],
)
def test_an_option_that_an_optimizer_does_not_know_is_an_error(make):
    with pytest.raises(TypeError, match="unexpected keyword|do not apply"):
        make()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: optim.lbfgs(history=0), "`history` must be at least 1; got 0"),
        (lambda: optim.WolfeSearch(curvature=2.0), "decrease < curvature < 1; got 0.0001 and 2.0"),
        (lambda: optim.levenberg_marquardt(damping=0.0), "`damping` must be positive; got 0.0"),
        (lambda: optim.run(optim.bfgs(), None, jnp.ones(2), steps=0), "`steps` .*got 0"),
        (lambda: optim.run(optim.bfgs(), None, jnp.arange(2), steps=1), "Integers are constants"),
    ],
)
def test_values_out_of_range_are_refused(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_least_squares_methods_refuse_a_plain_loss():
    with pytest.raises(TypeError, match="must be a `LeastSquares`.*got function"):
        optim.run(optim.levenberg_marquardt(), lambda x: (x @ x, x), jnp.ones(2), steps=1)
