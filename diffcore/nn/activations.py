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
    glu,
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
    "AdaptiveActivation", "GLU", "Lambda", "PReLU", "as_module", "celu", "elu", "gelu", "glu",
    "hard_shrink", "hard_sigmoid", "hard_swish", "hard_tanh", "leaky_relu", "log_sigmoid",
    "log_softmax", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "sine", "soft_shrink",
    "soft_sign", "softmax", "softmin", "softplus", "tanh", "tanh_shrink",
]  # fmt: skip


def sine(x: jax.Array) -> jax.Array:
    """Returns sin(x)."""
    return jnp.sin(x)


def softmin(x: jax.Array, axis: int = -1) -> jax.Array:
    """Returns softmax(-x)."""
    return softmax(-x, axis=axis)


def tanh_shrink(x: jax.Array) -> jax.Array:
    """Returns x - tanh x."""
    return x - jnp.tanh(x)


def soft_shrink(x: jax.Array, threshold: float = 0.5) -> jax.Array:
    """Returns x moved towards 0 by `threshold`, and 0 within it."""
    return jnp.sign(x) * jnp.maximum(jnp.abs(x) - threshold, 0)


def hard_shrink(x: jax.Array, threshold: float = 0.5) -> jax.Array:
    """Returns x where |x| > `threshold`, elsewhere 0."""
    return jnp.where(jnp.abs(x) > threshold, x, 0)


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


class PReLU(Module):
    """max(x, 0) + a min(x, 0), with a trained slope a.

    Arguments:
        size: number of slopes: one for each channel, or one for all by default.
        slope: its initial value.
        axis: of the channels; 1 as in torch by default.

    Source: He, Zhang, Ren, Sun, Delving deep into rectifiers (2015), eq. (1).
    """

    weight: jax.Array
    axis: int = eqx.field(static=True)

    def __init__(self, size: int = 1, *, slope: float = 0.25, axis: int = 1):
        self.weight = jnp.full(size, slope, default_dtype())
        self.axis = axis

    def __call__(self, x: jax.Array) -> jax.Array:
        weight = self.weight
        if weight.size > 1:
            weight = weight.reshape(-1, *(1,) * (jnp.ndim(x) - self.axis % jnp.ndim(x) - 1))
        return jnp.where(x >= 0, x, weight * x)


class GLU(Module):
    """a f(b), with a and b the halves of the last axis: the gated linear unit.

    Arguments:
        function: f; `silu` makes SwiGLU, `gelu` makes GEGLU.

    Source: Dauphin et al. (2017); Shazeer, GLU variants improve transformer (2020), eq. (5).
    """

    function: Callable = eqx.field(static=True, default=sigmoid)

    def __call__(self, x: jax.Array) -> jax.Array:
        a, b = jnp.split(x, 2, axis=-1)
        return a * self.function(b)


def as_module(activation: Callable) -> Callable:
    """Returns the activation as a module: itself if it is one, otherwise wrapped in `Lambda`."""
    return activation if isinstance(activation, eqx.Module) else Lambda(activation)
