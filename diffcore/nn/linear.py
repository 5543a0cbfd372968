"""Affine maps of the last axis."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from diffcore.keys import as_key
from diffcore.nn.initializers import Initializer, initialize
from diffcore.nn.module import LATER, Module
from diffcore.precision import default_dtype


class Linear(Module):
    """The affine map x W' + b of the last axis; any leading axes are batch axes.

    Arguments:
        in_size, out_size: sizes of the last axis before and after.
        bias: whether there is a b (it starts at zero).
        initializer: of the weight, a name or a function, see `initialize`.
        dtype: of weight and bias, by default the ambient float type; may be complex.

    Example:
        >>> from diffcore import nn
        >>> nn.Linear(3, 2, key=0)(jnp.ones((5, 4, 3))).shape
        (5, 4, 2)
    """

    weight: jax.Array  # (out, in), as in torch
    bias: jax.Array | None

    def __init__(
        self,
        in_size: int,
        out_size: int,
        *,
        bias: bool = True,
        initializer: Initializer = "glorot_uniform",
        dtype: Any = None,
        key: Any = LATER,
    ):
        self.weight = initialize(initializer, key, (out_size, in_size), dtype)
        self.bias = jnp.zeros(out_size, self.weight.dtype) if bias else None

    def __call__(self, x: jax.Array) -> jax.Array:
        y = x @ self.weight.T
        return y if self.bias is None else y + self.bias


class FactorizedLinear(Module):
    """An affine map whose weight is diag(exp(s)) V, with one trained log-scale s a neuron.

    The product starts as a usual random weight; the scales are drawn from N(mean, deviation²).

    Source: Wang, Wang, Seidman, Perdikaris, Random weight factorization improves the training of
    continuous neural representations (2022), eq. (3.2) and Algorithm 1.
    """

    direction: jax.Array  # V: (out, in)
    log_scale: jax.Array  # s: (out,)
    bias: jax.Array

    def __init__(
        self,
        in_size: int,
        out_size: int,
        *,
        mean: float = 1.0,
        deviation: float = 0.1,
        initializer: Initializer = "glorot_normal",
        key: Any = LATER,
    ):
        scale_key, weight_key = jax.random.split(as_key(key))
        noise = jax.random.normal(scale_key, (out_size,), default_dtype())
        self.log_scale = mean + deviation * noise
        weight = initialize(initializer, weight_key, (out_size, in_size))
        self.direction = weight / jnp.exp(self.log_scale)[:, None]
        self.bias = jnp.zeros(out_size, weight.dtype)

    def __call__(self, x: jax.Array) -> jax.Array:
        return x @ (jnp.exp(self.log_scale)[:, None] * self.direction).T + self.bias
