"""Layers, features, initializers, and the division into parameters and the rest."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from diffcore import nn

POINTS = np.random.default_rng(0).uniform(-1, 1, (6, 2))


@pytest.mark.parametrize(
    ("name", "variance"),
    [
        ("glorot_normal", 2 / 500),
        ("glorot_uniform", 2 / 500),
        ("he_normal", 2 / 300),
        ("he_uniform", 2 / 300),
        ("lecun_normal", 1 / 300),
        ("lecun_uniform", 1 / 300),
    ],
)
def test_initializers_have_the_published_variance(name, variance):
    weight = nn.Linear(300, 200, initializer=name, key=0).weight
    assert weight.shape == (200, 300)
    # 60 000 draws: the standard error of a variance is about 0.6 %.
    np.testing.assert_allclose(np.var(weight), variance, rtol=0.03)


@pytest.mark.parametrize("dtype", [float, complex])
def test_orthogonal_weights_have_orthonormal_rows(dtype):
    weight = nn.initialize("orthogonal", 0, (3, 7), dtype)
    np.testing.assert_allclose(weight @ weight.conj().T, np.eye(3), atol=1e-14)


def test_unknown_initializer_names_the_known_ones():
    with pytest.raises(ValueError, match="`initializer`.*'glorot'.*Known: glorot_normal"):
        nn.Linear(2, 3, initializer="glorot", key=0)


def test_int_seed_and_key_give_the_same_weights():
    a, b = nn.Linear(2, 3, key=5), nn.Linear(2, 3, key=jax.random.key(5))
    np.testing.assert_array_equal(a.weight, b.weight)


def test_linear_without_bias_is_homogeneous():
    layer = nn.Linear(2, 3, bias=False, key=0)
    assert layer.bias is None
    np.testing.assert_array_equal(layer(jnp.zeros(2)), 0)


def test_factorized_linear_starts_as_its_initializer():
    layer = nn.FactorizedLinear(50, 400, mean=1.0, deviation=0.1, key=0)
    weight = jnp.exp(layer.log_scale)[:, None] * layer.direction
    np.testing.assert_allclose(layer(jnp.eye(50)), weight.T, rtol=1e-14)
    # Glorot: 2 / (50 + 400). Standard errors: 1 % of the variance, 0.1 / 20 of the mean.
    np.testing.assert_allclose(np.var(weight), 2 / 450, rtol=0.04)
    np.testing.assert_allclose(np.mean(layer.log_scale), 1.0, atol=0.02)


def test_fourier_features_have_the_given_scale_per_axis_and_are_not_trained():
    features = nn.FourierFeatures(2, 4000, scale=(1.0, 10.0), key=0)
    np.testing.assert_allclose(np.std(features.frequencies.array, axis=1), [1, 10], rtol=0.05)
    assert nn.count_parameters(features) == 0
    values = features(POINTS)
    np.testing.assert_allclose(np.sum(values**2, axis=-1), 2000, rtol=1e-12)  # cos² + sin² = 1


def test_fourier_features_of_odd_size_are_refused():
    with pytest.raises(ValueError, match="`out_size` must be even.*got 7"):
        nn.FourierFeatures(2, 7, key=0)


def test_periodic_features_make_any_network_periodic_with_its_derivatives():
    features = nn.PeriodicFeatures(2, {0: 2.0}, harmonics=2)
    assert features.out_size == 5
    net = nn.Sequential([features, nn.MLP(features.out_size, 1, 8, 2, key=0)])
    left, right = jnp.array([-1.0, 0.3]), jnp.array([1.0, 0.3])
    both = jax.jit(lambda x: (net(x), jax.jacfwd(net)(x), jax.hessian(net)(x)))
    for a, b in zip(both(left), both(right), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("periods", "text"),
    [({2: 1.0}, "names axis 2; axes are 0 to 1"), ({0: -1.0}, "must be positive; got -1.0")],
)
def test_impossible_periods_are_refused(periods, text):
    with pytest.raises(ValueError, match=text):
        nn.PeriodicFeatures(2, periods)


def test_sequential_composes_and_is_sliced():
    layers = [nn.Linear(2, 4, key=0), nn.sine, nn.Linear(4, 1, key=1)]
    net = nn.Sequential(layers)
    expected = layers[2](jnp.sin(layers[0](POINTS)))
    np.testing.assert_array_equal(net(POINTS), expected)
    np.testing.assert_array_equal(net[2](net[:2](POINTS)), expected)


def test_concatenate_puts_outputs_side_by_side():
    a, b = nn.Linear(2, 3, key=0), nn.Linear(2, 4, key=1)
    both = nn.Concatenate([a, b])(POINTS)
    np.testing.assert_array_equal(both, np.concatenate([a(POINTS), b(POINTS)], axis=-1))


def test_fixed_arrays_and_integers_belong_to_the_rest():
    tree = {
        "w": jnp.ones(3),
        "z": jnp.ones(2, complex),
        "n": jnp.arange(4),
        "b": nn.Fixed(jnp.ones(5)),
    }
    parameters, rest = nn.split(tree)
    assert nn.count_parameters(tree) == 5
    assert jax.tree.structure(nn.merge(parameters, rest)) == jax.tree.structure(tree)


def test_flattened_parameters_round_trip():
    net = nn.MLP(2, 1, 4, 1, key=0)
    vector, unflatten = nn.flatten_parameters(net)
    np.testing.assert_array_equal(nn.flatten_parameters(unflatten(2 * vector))[0], 2 * vector)


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("relu", lambda x: np.maximum(x, 0)),
        ("silu", lambda x: x / (1 + np.exp(-x))),
        ("softplus", lambda x: np.log1p(np.exp(x))),
        ("sine", np.sin),
        ("tanh", np.tanh),
        ("mish", lambda x: x * np.tanh(np.log1p(np.exp(x)))),
        ("elu", lambda x: np.where(x > 0, x, np.expm1(x))),
    ],
)
def test_activations_equal_their_formulas(name, formula):
    x = np.linspace(-3, 3, 13)
    np.testing.assert_allclose(getattr(nn, name)(x), formula(x), rtol=1e-12, atol=1e-15)
