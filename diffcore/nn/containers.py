"""Modules made of modules."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import equinox as eqx
import jax
import jax.numpy as jnp

from diffcore.nn.activations import as_module


class Sequential(eqx.Module):
    """The composition of layers, first to last; plain functions may stand between them.

    Example:
        >>> from diffcore import nn
        >>> net = nn.Sequential([nn.Linear(2, 8, key=0), nn.tanh, nn.Linear(8, 1, key=1)])
        >>> net(jnp.ones((5, 2))).shape, len(net)
        ((5, 1), 3)
    """

    layers: tuple[Callable, ...]

    def __init__(self, layers: Sequence[Callable]):
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


class Concatenate(eqx.Module):
    """The outputs of several modules for the same input, side by side on the last axis."""

    branches: tuple[Callable, ...]

    def __init__(self, branches: Sequence[Callable]):
        self.branches = tuple(as_module(branch) for branch in branches)

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.concatenate([branch(x) for branch in self.branches], axis=-1)
