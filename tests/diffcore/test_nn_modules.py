"""Parameters drawn later, training passes, and the layers that need them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from diffcore import nn, precision

RANDOM = np.random.default_rng(0)


class Block(nn.Module):
    """As a person writes one: layers without keys, called in order."""

    linear: nn.Module
    dropout: nn.Module
    norm: nn.Module

    def __init__(self, size):
        self.linear = nn.Linear(size, size)
        self.dropout = nn.Dropout(0.5)
        self.norm = nn.BatchNorm(size)

    def __call__(self, x):
        return self.norm(x + self.dropout(self.linear(x)))


def test_a_digits_network_is_written_without_keys_for_its_layers():
    layers = [nn.Conv2d(1, 16, 3, padding=1), nn.relu, nn.MaxPool2d(2), nn.Flatten()]
    model = nn.Sequential([*layers, nn.Linear(256, 10)], key=0)
    assert jax.eval_shape(model, jnp.zeros((5, 1, 8, 8))).shape == (5, 10)
    assert nn.count_parameters(model) == 16 * 9 + 16 + 2560 + 10


def test_deferred_layers_get_distinct_parameters_and_the_same_ones_for_the_same_key():
    layers = [nn.Linear(3, 3), nn.tanh, nn.Sequential([nn.Linear(3, 3), Block(3)])]
    a, b = nn.Sequential(layers, key=0), nn.init(nn.Sequential(layers), jax.random.key(0))
    assert not np.array_equal(a[0].weight, a[2][0].weight)
    np.testing.assert_array_equal(
        a[2][1].linear.weight, nn.Sequential(layers, key=0)[2][1].linear.weight
    )
    assert jax.tree.structure(a) == jax.tree.structure(b)


def test_a_block_of_ones_own_gets_parameters_from_its_key():
    assert Block(3, key=0).linear.weight.shape == (3, 3)
    assert nn.init({"a": Block(2), "b": [Block(2)]}, 0)["b"][0].linear.bias.shape == (2,)


def test_a_layer_without_parameters_says_what_is_missing():
    layer = nn.Linear(2, 3, bias=False)
    assert repr(layer) == "Linear(2, 3, bias=False)"
    with pytest.raises(
        TypeError, match=r"Linear\(2, 3, bias=False\) has no parameters yet.*`key=`"
    ):
        layer(jnp.ones(2))
    with pytest.raises(TypeError, match="missing a required argument: 'out_size'"):
        nn.Linear(2)


def test_training_passes_move_the_batch_statistics_and_only_those():
    x = RANDOM.normal(3.0, 2.0, (500, 4))
    model = nn.BatchNorm(4, momentum=0.25)
    y, trained = jax.jit(lambda m, x: nn.apply(m, x, train=True))(model, x)
    np.testing.assert_allclose(y, (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5), rtol=1e-10)
    np.testing.assert_allclose(trained.running_mean.array, 0.25 * x.mean(0), rtol=1e-12)
    np.testing.assert_allclose(trained.running_var.array, 0.75 + 0.25 * x.var(0, ddof=1))
    assert trained.training is None and nn.count_parameters(trained) == 8
    in_use, same = nn.apply(trained, x, train=False)
    assert same is trained
    np.testing.assert_allclose(
        in_use, (x - 0.25 * x.mean(0)) / np.sqrt(trained.running_var.array + 1e-5), rtol=1e-10
    )


def test_gradients_and_new_statistics_come_out_of_one_training_step():
    model, x = nn.Sequential([Block(3), nn.Linear(3, 1)], key=0), RANDOM.normal(size=(8, 3))

    def loss(parameters, rest):
        y, model = nn.apply(nn.merge(parameters, rest), x, key=1)
        return jnp.mean(y**2), nn.split(model)[1]

    parameters, rest = nn.split(model)
    gradient, rest = jax.jit(jax.grad(loss, has_aux=True))(parameters, rest)
    assert int(nn.merge(parameters, rest)[0].norm.num_batches_tracked.array) == 1
    assert float(jnp.max(jnp.abs(gradient.layers[0].linear.weight))) > 0


@pytest.mark.parametrize(
    ("layer", "dropped_alike"),
    [
        (nn.Dropout(0.3), 0),
        (nn.Dropout1d(0.3), 1),
        (nn.Dropout2d(0.3), 2),
        (nn.Dropout3d(0.3), 3),
    ],
)
def test_dropout_keeps_the_mean_and_drops_channels_as_a_whole(layer, dropped_alike):
    x = jnp.ones((40, 50, 2, 2, 2))
    y = np.asarray(nn.apply(layer, x, key=0)[0])
    assert set(np.unique(y)) == {0.0, np.float64(1 / 0.7)}
    independent = 2000 * 8 // 2**dropped_alike
    assert abs(np.mean(y == 0) - 0.3) < 4 * np.sqrt(0.21 / independent)  # four deviations
    if dropped_alike:
        inner = tuple(range(5 - dropped_alike, 5))
        np.testing.assert_array_equal(y.max(inner), y.min(inner))
    np.testing.assert_array_equal(layer(x), x)


def test_alpha_dropout_keeps_mean_and_variance():
    x = RANDOM.normal(size=(200, 500))
    y = nn.apply(nn.AlphaDropout(0.2), x, key=0)[0]
    # Standard errors of 1e5 values: 0.003 for the mean, 0.005 for the variance.
    assert abs(float(jnp.mean(y))) < 0.015 and abs(float(jnp.var(y)) - 1) < 0.025


def test_stochastic_depth_drops_whole_samples():
    layer = nn.Residual(nn.Sequential([nn.Identity(), nn.StochasticDepth(0.5)]))
    y = np.asarray(nn.apply(layer, jnp.ones((64, 5)), key=0)[0])
    assert set(np.unique(y)) == {1.0, 3.0}
    np.testing.assert_array_equal(y.min(1), y.max(1))
    np.testing.assert_array_equal(layer(jnp.ones((2, 5))), 2)


def test_each_use_of_a_dropout_draws_anew_and_equal_keys_repeat():
    class Twice(nn.Module):
        dropout: nn.Dropout

        def __call__(self, x):
            return jnp.stack([self.dropout(x), self.dropout(x)])

    model = Twice(nn.Dropout(0.5))
    a, b = nn.apply(model, jnp.ones(100), key=0)[0]
    assert not np.array_equal(a, b)
    np.testing.assert_array_equal(nn.apply(model, jnp.ones(100), key=0)[0][0], a)


def test_dropout_without_a_key_says_so():
    with pytest.raises(ValueError, match="Dropout is random in training and needs a `key`"):
        nn.apply(nn.Dropout(0.5), jnp.ones(3))


@pytest.mark.parametrize("rate", [-0.1, 1.5])
def test_rates_that_are_no_probabilities_are_refused(rate):
    with pytest.raises(ValueError, match="`rate` is the probability to drop"):
        nn.Dropout(rate)


def test_a_single_value_has_no_batch_statistics():
    with pytest.raises(ValueError, match="needs more than one value for each channel"):
        nn.apply(nn.BatchNorm(3), jnp.ones((1, 3)))


def test_spectral_norm_bounds_the_largest_singular_value():
    layer = nn.SpectralNorm(nn.Linear(5, 4, bias=False), iterations=100, key=0)
    trained = nn.apply(layer, jnp.ones((2, 5)))[1]
    matrix = trained(jnp.eye(5))
    np.testing.assert_allclose(np.linalg.norm(matrix, 2), 1, rtol=1e-10)


def test_weight_norm_starts_as_the_layer_it_wraps():
    layer = nn.Linear(5, 4, key=0)
    np.testing.assert_allclose(nn.WeightNorm(layer)(jnp.eye(5)), layer(jnp.eye(5)), rtol=1e-14)


NORMS = {
    "layer": (nn.LayerNorm((4, 6)), (-2, -1), True),
    "rms": (nn.RMSNorm(6, epsilon=1e-5), (-1,), False),
    "instance": (nn.InstanceNorm1d(4), (-1,), True),
    "group": (nn.GroupNorm(1, 4, dimension=1), (-2, -1), True),
}


@pytest.mark.parametrize("name", NORMS)
def test_normalization_equals_its_formula_for_any_batch_axes(name):
    layer, axes, centered = NORMS[name]
    x = RANDOM.normal(2.0, 3.0, (3, 2, 4, 6))
    mean = x.mean(axes, keepdims=True) if centered else 0
    expected = (x - mean) / np.sqrt(np.mean((x - mean) ** 2, axes, keepdims=True) + 1e-5)
    np.testing.assert_allclose(layer(x), expected, rtol=1e-10, atol=1e-12)


def test_normalization_of_half_precision_is_summed_in_single():
    with precision("float32"):
        x = 300 * jnp.ones((2, 4096), jnp.float16)  # the sum overflows float16
        y = nn.RMSNorm(4096, affine=False)(x)
        assert y.dtype == jnp.float16
        np.testing.assert_allclose(y, 1, rtol=1e-3)


def test_embedding_looks_rows_up_and_refuses_what_is_no_index():
    layer = nn.Embedding(5, 3, padding=2, key=0)
    values = layer(np.array([[1, 2], [4, 0]]))
    np.testing.assert_array_equal(values[0, 0], layer.weight[1])
    np.testing.assert_array_equal(values[0, 1], 0)
    assert np.all(np.isnan(layer(jnp.array(7))))
    with pytest.raises(ValueError, match="indices from 0 to 4; got 0 to 5"):
        layer(np.array([0, 5]))
    with pytest.raises(TypeError, match="takes whole numbers; got float"):
        layer(np.array([0.5]))


def test_bilinear_equals_its_formula():
    layer = nn.Bilinear(2, 3, 4, key=0)
    a, b = RANDOM.normal(size=(5, 2)), RANDOM.normal(size=(5, 3))
    expected = [[a[n] @ w @ b[n] for w in np.asarray(layer.weight)] for n in range(5)]
    np.testing.assert_allclose(layer(a, b), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: nn.Linear(3, 2, key=0)(jnp.ones((4, 5))), "last axis has size 3.*(4, 5)"),
        (lambda: nn.LayerNorm(3)(jnp.ones((4, 5))), "shape ends so; got (4, 5)"),
        (lambda: nn.BatchNorm2d(3)(jnp.ones((4, 5, 3))), "takes 3 channels, followed by 2 axes"),
        (lambda: nn.Flatten(-3)(jnp.ones(4)), "does not fit shape (4,)"),
        (lambda: nn.GroupNorm(3, 4), "must divide the 4 channels; got 3"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(make, text):
    import re

    with pytest.raises(ValueError, match=re.escape(text).replace(r"\.\*", ".*")):
        make()


def test_identity_kernels_hand_channels_on():
    layer = nn.Conv2d(3, 3, 5, padding=2, initializer=nn.initializers.identity, key=0)
    x = RANDOM.normal(size=(2, 3, 6, 7))
    np.testing.assert_allclose(layer(x), x, atol=1e-14)


@pytest.mark.parametrize(
    ("initializer", "deviation"),
    [
        (nn.initializers.normal(0.3), 0.3),
        (nn.initializers.uniform(-0.6, 0.6), 0.6 / 3**0.5),
        (nn.initializers.truncated_normal(1.0), 0.87963),  # exact: 0.8796256610342398
        (nn.initializers.constant(2.0), 0.0),
        ("xavier_uniform", (2 / 500) ** 0.5),
        ("kaiming_normal", (2 / 300) ** 0.5),
    ],
)
def test_initializers_have_their_deviation(initializer, deviation):
    weight = nn.initialize(initializer, 0, (200, 300))
    np.testing.assert_allclose(np.std(weight), deviation, rtol=0.02, atol=1e-12)


def test_complex_activations_equal_their_formulas():
    z = RANDOM.normal(size=50) + 1j * RANDOM.normal(size=50)
    np.testing.assert_allclose(nn.cardioid(z), z * (1 + np.cos(np.angle(z))) / 2, rtol=1e-12)
    np.testing.assert_allclose(
        nn.complex_relu(z), np.maximum(z.real, 0) + 1j * np.maximum(z.imag, 0)
    )
    first = (z.real >= 0) & (z.imag >= 0)
    np.testing.assert_allclose(nn.zrelu(z), np.where(first, z, 0))
    layer = nn.replace(nn.ModReLU(50), "bias", np.full(50, -0.5))
    expected = np.maximum(np.abs(z) - 0.5, 0) * np.exp(1j * np.angle(z))
    np.testing.assert_allclose(layer(z), expected, rtol=1e-12, atol=1e-15)
    slope = jax.jit(jax.grad(lambda r: jnp.real(layer(r * z * 0)[0])))(1.0)
    assert np.isfinite(slope)
