"""Activation functions under their usual names, and those with trained parameters.

A network keeps its activations as modules: a plain function is wrapped by `Lambda`, so that a
module holds nothing but arrays and modules and passes through `jax.jit` and `jax.grad` as it is.
"""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.nn import (
    celu,
    elu,
    gelu,
    hard_sigmoid,
    hard_swish,
    hard_tanh,
    leaky_relu,
    log_sigmoid,
    log_softmax,
    mish,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    soft_sign,
    softmax,
    softplus,
)
from jax.numpy import tanh

from diffcore.nn.module import Module
from diffcore.precision import default_dtype

__all__ = [
    "AdaptiveActivation", "Lambda", "as_module", "celu", "elu", "gelu", "hard_sigmoid",
    "hard_swish", "hard_tanh", "leaky_relu", "log_sigmoid", "log_softmax", "mish", "relu",
    "relu6", "selu", "sigmoid", "silu", "sine", "soft_sign", "softmax", "softplus", "tanh",
]  # fmt: skip


def sine(x: jax.Array) -> jax.Array:
    """Returns sin(x)."""
    return jnp.sin(x)


class Lambda(Module):
    """A function as a layer without parameters."""

    function: Callable = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.function(x)


class AdaptiveActivation(Module):
    """The activation f(n a x), with a trained slope a that starts at 1/n.

    Arguments:
        function: f.
        size: number of slopes: one for each of `size` neurons, or one for all by default.
        scale: n >= 1, which multiplies the learning rate of the slope.

    Source: Jagtap, Kawaguchi, Karniadakis, Adaptive activation functions accelerate convergence
    in deep and physics-informed neural networks, J. Comput. Phys. 404 (2020), eq. (4).
    """

    slope: jax.Array
    function: Callable = eqx.field(static=True)
    scale: float = eqx.field(static=True)

    def __init__(self, function: Callable = tanh, size: int | None = None, scale: float = 1.0):
        self.slope = jnp.full(() if size is None else (size,), 1 / scale, default_dtype())
        self.function = function
        self.scale = float(scale)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.function(self.scale * self.slope * x)


def as_module(activation: Callable) -> Callable:
    """Returns the activation as a module: itself if it is one, otherwise wrapped in `Lambda`."""
    return activation if isinstance(activation, eqx.Module) else Lambda(activation)
