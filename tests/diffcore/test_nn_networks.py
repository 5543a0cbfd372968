"""Networks: shapes, batches, precision, and what the papers say of them."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from diffcore import nn, partials, precision

NETWORKS = {
    "MLP": partial(nn.MLP, 2, 3, 8, 2),
    "adaptive": lambda key: nn.MLP(
        2, 3, 8, 2, activation=nn.AdaptiveActivation(scale=10.0), key=key
    ),
    "factorized": partial(nn.MLP, 2, 3, 8, 2, linear=nn.FactorizedLinear),
    "ModifiedMLP": partial(nn.ModifiedMLP, 2, 3, 8, 2),
    "SIREN": partial(nn.SIREN, 2, 3, 8, 2, frequency=3.0),
    "ResNet": partial(nn.ResNet, 2, 3, 8, 2),
    "PirateNet": partial(nn.PirateNet, 2, 3, 8, 2),
    "SeparableNetwork": partial(nn.SeparableNetwork, 2, 3, 8, 2, rank=4),
    "RadialBasis": partial(nn.RadialBasis, 2, 3, 9),
}
POINTS = np.random.default_rng(0).uniform(-1, 1, (3, 4, 2))


def perturbed(module):
    """The module with random parameters, so that nothing is zero by its initial value."""
    vector, unflatten = nn.flatten_parameters(module)
    return unflatten(vector + 0.3 * jax.random.normal(jax.random.key(7), vector.shape))


@pytest.fixture(params=NETWORKS, scope="module")
def network(request):
    return perturbed(NETWORKS[request.param](key=0))


def test_batched_values_equal_pointwise_values(network):
    values = network(POINTS)
    assert values.shape == (3, 4, 3)
    one_by_one = jax.jit(jax.vmap(jax.vmap(network)))(POINTS)
    np.testing.assert_allclose(values, one_by_one, rtol=1e-12, atol=1e-14)


def test_networks_pass_through_jit_and_grad_as_they_are(network):
    value, gradient = jax.jit(jax.value_and_grad(lambda net: jnp.sum(net(POINTS) ** 2)))(network)
    vector, unflatten = nn.flatten_parameters(network)
    slope = jnp.sum(nn.flatten_parameters(gradient)[0])
    loss = jax.jit(lambda vector: jnp.sum(unflatten(vector)(POINTS) ** 2))
    h = 1e-6
    difference = (loss(vector + h) - loss(vector - h)) / (2 * h)
    # Truncation h² times a third derivative, rounding 1e-16 / h times the value.
    np.testing.assert_allclose(slope, difference, atol=1e-6 * (1 + abs(value)))


def test_taylor_derivatives_equal_nested_forward_mode(network):
    x = jnp.array([0.3, -0.4])
    orders = [(2, 0), (1, 1)]
    taylor = jax.jit(partials(network, orders))(x)
    hessian = jax.jit(jax.hessian(network))(x)
    np.testing.assert_allclose(taylor[2, 0], hessian[:, 0, 0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(taylor[1, 1], hessian[:, 0, 1], rtol=1e-10, atol=1e-12)


def test_split_and_merge_give_the_module_back(network):
    parameters, rest = nn.split(network)
    again = nn.merge(parameters, rest)
    np.testing.assert_array_equal(again(POINTS), network(POINTS))
    sizes = [leaf.size for leaf in jax.tree.leaves(parameters)]
    assert sum(sizes) == nn.count_parameters(network) == nn.flatten_parameters(network)[0].size


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", NETWORKS)
def test_parameters_have_the_ambient_precision(name, dtype):
    with precision(dtype):
        net = NETWORKS[name](key=0)
        assert {leaf.dtype for leaf in jax.tree.leaves(net)} == {np.dtype(dtype)}
        assert net(POINTS.astype(dtype)).dtype == dtype


def test_mlp_equals_its_formula():
    net = nn.MLP(2, 1, 5, 2, key=3)
    h = POINTS
    for layer in net.layers[:-1]:
        h = np.tanh(h @ np.asarray(layer.weight).T + np.asarray(layer.bias))
    expected = h @ np.asarray(net.layers[-1].weight).T
    np.testing.assert_allclose(net(POINTS), expected, rtol=1e-13)


def test_mlp_with_complex_weights_gives_complex_values():
    net = nn.MLP(2, 1, 4, 1, linear=partial(nn.Linear, dtype=complex), key=0)
    assert net(POINTS).dtype == np.complex128
    assert nn.count_parameters(net) == 17


def test_adaptive_activations_are_separate_in_each_layer():
    net = nn.MLP(2, 1, 5, 3, activation=nn.AdaptiveActivation(), key=0)
    plain = nn.MLP(2, 1, 5, 3, key=0)
    assert nn.count_parameters(net) == nn.count_parameters(plain) + 3
    np.testing.assert_allclose(net(POINTS), plain(POINTS), rtol=1e-14)


def test_piratenet_starts_as_a_linear_map_of_its_waves():
    net = nn.PirateNet(2, 1, 8, 3, key=0)
    np.testing.assert_allclose(net(POINTS), net.last(net.embedding(POINTS)), rtol=1e-13)


def test_siren_keeps_unit_scale_through_depth():
    # Sitzmann et al., theorem 1.8: activations stay arcsine distributed, variance 1/2.
    net = nn.SIREN(2, 1, 256, 6, key=0)
    h = np.random.default_rng(1).uniform(-1, 1, (500, 2))
    for layer in net.layers[:-1]:
        h = jnp.sin(net.frequency * layer(h))
    assert 0.4 < float(jnp.var(h)) < 0.6


def test_separable_network_on_a_grid_equals_its_values_at_points():
    net = nn.SeparableNetwork(3, 2, 8, 1, rank=4, key=0)
    axes = [np.linspace(0, 1, n) for n in (3, 4, 5)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    np.testing.assert_allclose(net.on_grid(*axes), net(points), rtol=1e-12, atol=1e-14)


def test_radial_basis_equals_its_formula():
    net = perturbed(nn.RadialBasis(2, 1, 4, key=0))
    c, s, w = (np.asarray(a) for a in (net.centers, np.exp(net.log_widths), net.weight))
    d = np.linalg.norm(POINTS[..., None, :] - c, axis=-1)
    np.testing.assert_allclose(net(POINTS), np.exp(-0.5 * (d / s) ** 2) @ w.T, rtol=1e-11)


@pytest.mark.parametrize("sizes", [(0, 1, 8, 2), (2, 1, 8, 0), (2, 1, 8.5, 2)])
def test_sizes_that_are_not_positive_whole_numbers_are_refused(sizes):
    with pytest.raises(ValueError, match="must be a positive whole number"):
        nn.MLP(*sizes, key=0)
