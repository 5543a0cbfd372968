"""Modules made of modules."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from diffcore.nn.activations import as_module
from diffcore.nn.module import Module


class Sequential(Module):
    """The composition of layers, first to last; plain functions may stand between them.

    Arguments:
        key: draws the parameters of the layers that are given without a key.

    Example:
        >>> from diffcore import nn
        >>> net = nn.Sequential([nn.Linear(2, 8), nn.tanh, nn.Linear(8, 1)], key=0)
        >>> net(jnp.ones((5, 2))).shape, len(net)
        ((5, 1), 3)
    """

    layers: tuple[Callable, ...]

    def __init__(self, layers: Sequence[Callable], *, key: Any = None):
        self.layers = tuple(as_module(layer) for layer in layers)

    def __call__(self, x: jax.Array) -> jax.Array:
        for layer in self.layers:
            x = layer(x)
        return x

    def __getitem__(self, index: int | slice) -> Callable:
        if isinstance(index, slice):
            return Sequential(self.layers[index])
        return self.layers[index]

    def __len__(self) -> int:
        return len(self.layers)


class Concatenate(Module):
    """The outputs of several modules for the same input, side by side on the last axis."""

    branches: tuple[Callable, ...]

    def __init__(self, branches: Sequence[Callable], *, key: Any = None):
        self.branches = tuple(as_module(branch) for branch in branches)

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.concatenate([branch(x) for branch in self.branches], axis=-1)


class Residual(Module):
    """The sum x + f(x), or s(x) + f(x) with a `shortcut` s that fits the shapes."""

    layer: Callable
    shortcut: Callable | None

    def __init__(self, layer: Callable, shortcut: Callable | None = None, *, key: Any = None):
        self.layer = as_module(layer)
        self.shortcut = None if shortcut is None else as_module(shortcut)

    def __call__(self, x: jax.Array) -> jax.Array:
        return (x if self.shortcut is None else self.shortcut(x)) + self.layer(x)


class Identity(Module):
    """The layer that hands its input on."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return x


class Flatten(Module):
    """The axes from `start` to `stop` (included) as one.

    By default all but the first, one batch axis. With a negative `start`, such as -3 for images,
    there may be any number of batch axes.
    """

    start: int = eqx.field(static=True, default=1)
    stop: int = eqx.field(static=True, default=-1)

    def __call__(self, x: jax.Array) -> jax.Array:
        x = jnp.asarray(x)
        first, last = (
            axis % x.ndim if -x.ndim <= axis < x.ndim else -1 for axis in (self.start, self.stop)
        )
        if not 0 <= first <= last:
            raise ValueError(
                f"Flatten(start={self.start}, stop={self.stop}) does not fit shape {x.shape}."
            )
        size = math.prod(x.shape[first : last + 1])
        return x.reshape(*x.shape[:first], size, *x.shape[last + 1 :])


class Unflatten(Module):
    """The axis `axis` as axes of sizes `shape`."""

    axis: int = eqx.field(static=True)
    shape: tuple[int, ...] = eqx.field(static=True, converter=tuple)

    def __call__(self, x: jax.Array) -> jax.Array:
        axis = self.axis % jnp.ndim(x)
        return jnp.reshape(x, (*x.shape[:axis], *self.shape, *x.shape[axis + 1 :]))
