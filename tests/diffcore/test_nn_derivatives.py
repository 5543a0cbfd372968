"""Every smooth layer through the Taylor engine: orders one to three against nested forward mode."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from diffcore import nn, partials

RANDOM = np.random.default_rng(0)
GRAPH = nn.Graph([0, 1, 1, 2], [1, 0, 2, 0], 3)

LAYERS = {
    "Conv1d, circular": (nn.Conv1d(2, 2, 3, padding=1, padding_mode="circular"), (2, 4)),
    "Conv2d, groups": (nn.Conv2d(2, 2, 2, groups=2, stride=2), (2, 4, 4)),
    "ConvTranspose2d": (nn.ConvTranspose2d(1, 2, 2, stride=2), (1, 2, 2)),
    "AvgPool2d": (nn.AvgPool2d(2, padding=1), (1, 3, 3)),
    "AdaptiveAvgPool1d": (nn.AdaptiveAvgPool1d(2), (1, 5)),
    "LpPool1d": (nn.LpPool1d(2, 2), (1, 4)),
    "Upsample": (nn.Upsample(2, mode="cubic", dimension=1), (1, 3)),
    "PixelShuffle": (nn.PixelShuffle(2), (4, 1, 2)),
    "LayerNorm": (nn.LayerNorm(4), (2, 4)),
    "RMSNorm": (nn.RMSNorm(4), (4,)),
    "GroupNorm": (nn.GroupNorm(2, 4, dimension=1), (4, 2)),
    "BatchNorm": (nn.BatchNorm(3), (2, 3)),
    "WeightNorm": (nn.WeightNorm(nn.Linear(3, 2)), (3,)),
    "SpectralNorm": (nn.SpectralNorm(nn.Linear(3, 2)), (3,)),
    "GLU": (nn.GLU(nn.silu), (4,)),
    "RNN": (nn.RNN(2, 2, return_state=False), (2, 2)),
    "LSTM": (nn.LSTM(2, 2, return_state=False), (2, 2)),
    "GRU": (nn.GRU(2, 2, return_state=False), (2, 2)),
    "MultiHeadAttention": (nn.MultiHeadAttention(4, 2, causal=True, rotary=True), (2, 4)),
    "TransformerLayer": (nn.TransformerLayer(4, 1, hidden_size=4, activation=nn.gelu), (2, 4)),
    "SpectralConv": (nn.SpectralConv(1, 1, 2), (1, 4)),
}


def along_a_plane(layer, shape):
    """The layer's values as a function of two numbers, at random places and directions."""
    start, a, b = RANDOM.normal(size=(3, *shape))
    return lambda p: layer(start + p[0] * a + p[1] * b)


def nested(f, x, axes):
    """Derivatives along the given axes, one after the other: first, second, ... order."""
    results = []
    for axis in axes:
        direction = jnp.zeros(2).at[axis].set(1.0)
        f = lambda p, f=f, v=direction: jax.jvp(f, (p,), (v,))[1]  # noqa: E731
        results.append(f(x))
    return results


def check(f):
    x = jnp.array([0.3, -0.2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no primitive is left to nested forward mode
        taylor = jax.jit(partials(f, [(1, 0), (1, 1), (2, 1)]))(x)
    expected = jax.jit(lambda x: nested(f, x, (0, 1, 0)))(x)
    for orders, value in zip([(1, 0), (1, 1), (2, 1)], expected, strict=True):
        np.testing.assert_allclose(taylor[orders], value, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", LAYERS)
def test_taylor_derivatives_of_layers_equal_nested_forward_mode(name):
    layer, shape = LAYERS[name]
    layer = nn.init(layer, 0) if isinstance(layer, nn.Specification) else layer
    check(along_a_plane(layer, shape))


def test_taylor_derivatives_of_graph_layers_equal_nested_forward_mode():
    message, update = nn.MLP(4, 2, 3, 1, key=0), nn.Linear(4, 2, key=1)
    layer, conv = nn.MessagePassing(message, update), nn.GraphConv(2, 2, key=2)
    check(along_a_plane(lambda x: layer(GRAPH, conv(GRAPH, x)), (3, 2)))


def test_taylor_derivatives_of_deeponet_in_its_points_equal_nested_forward_mode():
    model = nn.DeepONet(nn.MLP(3, 4, 5, 1), nn.MLP(2, 4, 5, 1), key=0)
    sensors = RANDOM.normal(size=3)
    check(lambda p: model(sensors, p[None])[0])
