"""Networks from coordinates to fields. All take (..., in_size) to (..., out_size).

`linear` is a factory of layers, called as `linear(in_size, out_size, key=key)`: `Linear` by
default; `FactorizedLinear`, or `functools.partial(Linear, initializer="he_normal")`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from diffcore.keys import as_key
from diffcore.nn.activations import as_module, tanh
from diffcore.nn.features import FourierFeatures
from diffcore.nn.linear import Linear
from diffcore.nn.module import LATER, Module
from diffcore.precision import default_dtype


def _check_sizes(**sizes: int) -> None:
    for name, size in sizes.items():
        if not isinstance(size, int) or size < 1:
            raise ValueError(f"`{name}` must be a positive whole number; got {size!r}.")


class MLP(Module):
    """A fully connected network with `depth` hidden layers of `width` neurons.

    Arguments:
        activation: a function, or a module, of which each hidden layer gets its own copy.
        linear: factory of the affine layers.
        key: an int or a JAX key.

    Example:
        >>> from diffcore import nn
        >>> nn.MLP(2, 1, 20, 4, key=0)(jnp.zeros((7, 2))).shape
        (7, 1)
    """

    layers: tuple[Callable, ...]
    activations: tuple[Callable, ...]

    def __init__(
        self,
        in_size: int,
        out_size: int,
        width: int,
        depth: int,
        *,
        activation: Callable = tanh,
        linear: Callable = Linear,
        key: Any = LATER,
    ):
        _check_sizes(in_size=in_size, out_size=out_size, width=width, depth=depth)
        sizes = [in_size] + [width] * depth + [out_size]
        keys = jax.random.split(as_key(key), depth + 1)
        self.layers = tuple(
            linear(a, b, key=k) for a, b, k in zip(sizes[:-1], sizes[1:], keys, strict=True)
        )
        self.activations = (as_module(activation),) * depth

    def __call__(self, x: jax.Array) -> jax.Array:
        for layer, activation in zip(self.layers[:-1], self.activations, strict=True):
            x = activation(layer(x))
        return self.layers[-1](x)


class ModifiedMLP(Module):
    """An MLP whose hidden layers are gates z between two encodings of the input: z U + (1 - z) V.

    Source: Wang, Teng, Perdikaris, Understanding and mitigating gradient flow pathologies in
    physics-informed neural networks, SIAM J. Sci. Comput. 43 (2021), eqs. (43)-(47).
    """

    encoders: tuple[Callable, Callable]
    layers: tuple[Callable, ...]
    activation: Callable

    def __init__(
        self,
        in_size: int,
        out_size: int,
        width: int,
        depth: int,
        *,
        activation: Callable = tanh,
        linear: Callable = Linear,
        key: Any = LATER,
    ):
        _check_sizes(in_size=in_size, out_size=out_size, width=width, depth=depth)
        key_u, key_v, *keys = jax.random.split(as_key(key), depth + 3)
        self.encoders = (linear(in_size, width, key=key_u), linear(in_size, width, key=key_v))
        sizes = [in_size] + [width] * depth + [out_size]
        self.layers = tuple(
            linear(a, b, key=k) for a, b, k in zip(sizes[:-1], sizes[1:], keys, strict=True)
        )
        self.activation = as_module(activation)

    def __call__(self, x: jax.Array) -> jax.Array:
        u, v = (self.activation(encoder(x)) for encoder in self.encoders)
        for layer in self.layers[:-1]:
            x = _gate(self.activation(layer(x)), u, v)
        return self.layers[-1](x)


def _gate(z: jax.Array, u: jax.Array, v: jax.Array) -> jax.Array:
    return v + z * (u - v)


class SIREN(Module):
    """A network of sines, sin(ω (x W' + b)), with the initial weights that keep its spectrum.

    Arguments:
        frequency: ω of all layers; the larger, the finer the initial function.

    Source: Sitzmann et al., Implicit neural representations with periodic activation functions
    (2020), Theorem 1.8 and section 3.2.
    """

    layers: tuple[Linear, ...]
    frequency: float = eqx.field(static=True)

    def __init__(
        self,
        in_size: int,
        out_size: int,
        width: int,
        depth: int,
        *,
        frequency: float = 30.0,
        key: Any = LATER,
    ):
        _check_sizes(in_size=in_size, out_size=out_size, width=width, depth=depth)
        keys = jax.random.split(as_key(key), depth + 1)
        sizes = [in_size] + [width] * depth + [out_size]
        limits = [1 / in_size] + [(6 / width) ** 0.5 / frequency] * depth
        self.layers = tuple(
            Linear(a, b, initializer=_uniform(limit), key=k)
            for a, b, limit, k in zip(sizes[:-1], sizes[1:], limits, keys, strict=True)
        )
        self.frequency = float(frequency)

    def __call__(self, x: jax.Array) -> jax.Array:
        for layer in self.layers[:-1]:
            x = jnp.sin(self.frequency * layer(x))
        return self.layers[-1](x)


def _uniform(limit: float) -> Callable:
    return lambda key, shape, dtype: jax.random.uniform(key, shape, dtype, -limit, limit)


class ResNet(Module):
    """A residual network: `depth` blocks x + W₂ σ(W₁ σ(x)), between two affine maps."""

    first: Callable
    blocks: tuple[tuple[Callable, Callable], ...]
    last: Callable
    activation: Callable

    def __init__(
        self,
        in_size: int,
        out_size: int,
        width: int,
        depth: int,
        *,
        activation: Callable = tanh,
        linear: Callable = Linear,
        key: Any = LATER,
    ):
        _check_sizes(in_size=in_size, out_size=out_size, width=width, depth=depth)
        first_key, last_key, *keys = jax.random.split(as_key(key), 2 * depth + 2)
        self.first = linear(in_size, width, key=first_key)
        layers = [linear(width, width, key=k) for k in keys]
        self.blocks = tuple(zip(layers[::2], layers[1::2], strict=True))
        self.last = linear(width, out_size, key=last_key)
        self.activation = as_module(activation)

    def __call__(self, x: jax.Array) -> jax.Array:
        x = self.first(x)
        for inner, outer in self.blocks:
            x = x + outer(self.activation(inner(self.activation(x))))
        return self.last(self.activation(x))


class PirateBlock(Module):
    """One block of `PirateNet`: two gated layers and a third, blended into the input by α."""

    layers: tuple[Callable, Callable, Callable]
    alpha: jax.Array
    activation: Callable

    def __init__(self, width: int, activation: Callable, linear: Callable, key: jax.Array):
        keys = jax.random.split(key, 3)
        self.layers = tuple(linear(width, width, key=k) for k in keys)
        self.alpha = jnp.zeros((), default_dtype())
        self.activation = activation

    def __call__(self, x: jax.Array, u: jax.Array, v: jax.Array) -> jax.Array:
        first, second, third = self.layers
        z = _gate(self.activation(first(x)), u, v)
        z = _gate(self.activation(second(z)), u, v)
        return x + self.alpha * (self.activation(third(z)) - x)


class PirateNet(Module):
    """A deep gated residual network that starts as a linear map of its random waves.

    Arguments:
        width: number of random Fourier features and of neurons, even.
        depth: number of blocks, of three layers each.
        scale: of the wave numbers, see `FourierFeatures`.
        embedding: a module that takes the place of the random waves, with `width` outputs.

    Source: Wang, Li, Chen, Perdikaris, PirateNets: physics-informed deep learning with residual
    adaptive networks, J. Mach. Learn. Res. 25 (2024), eqs. (4.1)-(4.7).
    """

    embedding: Callable
    encoders: tuple[Callable, Callable]
    blocks: tuple[PirateBlock, ...]
    last: Callable
    activation: Callable

    def __init__(
        self,
        in_size: int,
        out_size: int,
        width: int,
        depth: int,
        *,
        activation: Callable = tanh,
        linear: Callable = Linear,
        scale: float = 1.0,
        embedding: Callable | None = None,
        key: Any = LATER,
    ):
        _check_sizes(in_size=in_size, out_size=out_size, width=width, depth=depth)
        wave_key, key_u, key_v, last_key, *keys = jax.random.split(as_key(key), depth + 4)
        self.embedding = (
            FourierFeatures(in_size, width, scale=scale, key=wave_key)
            if embedding is None
            else as_module(embedding)
        )
        self.activation = as_module(activation)
        self.encoders = (linear(width, width, key=key_u), linear(width, width, key=key_v))
        self.blocks = tuple(PirateBlock(width, self.activation, linear, k) for k in keys)
        self.last = linear(width, out_size, key=last_key)

    def __call__(self, x: jax.Array) -> jax.Array:
        x = self.embedding(x)
        u, v = (self.activation(encoder(x)) for encoder in self.encoders)
        for block in self.blocks:
            x = block(x, u, v)
        return self.last(x)


class SeparableNetwork(Module):
    """A sum of products of functions of one coordinate: u(x) = Σ_r Π_i f_ir(x_i).

    Arguments:
        rank: number of products for each output.

    Notes: `on_grid` evaluates a tensor grid at the cost of its axes, and the products.

    Source: Cho et al., Separable physics-informed neural networks (2023), eq. (4).

    Example:
        >>> from diffcore import nn
        >>> net = nn.SeparableNetwork(2, 1, 16, 2, rank=8, key=0)
        >>> net(jnp.zeros((5, 2))).shape, net.on_grid(jnp.zeros(3), jnp.zeros(4)).shape
        ((5, 1), (3, 4, 1))
    """

    factors: tuple[MLP, ...]
    out_size: int = eqx.field(static=True)

    def __init__(
        self,
        in_size: int,
        out_size: int,
        width: int,
        depth: int,
        *,
        rank: int,
        activation: Callable = tanh,
        key: Any = LATER,
    ):
        _check_sizes(in_size=in_size, out_size=out_size, rank=rank)
        keys = jax.random.split(as_key(key), in_size)
        self.factors = tuple(
            MLP(1, rank * out_size, width, depth, activation=activation, key=k) for k in keys
        )
        self.out_size = out_size

    def __call__(self, x: jax.Array) -> jax.Array:
        product: Any = 1.0
        for i, factor in enumerate(self.factors):
            product = product * factor(x[..., i : i + 1])
        return self._sum(product)

    def on_grid(self, *axes: jax.Array) -> jax.Array:
        """Returns the values on the grid of these `axes` (one array of coordinates each)."""
        product: Any = 1.0
        for i, (factor, axis) in enumerate(zip(self.factors, axes, strict=True)):
            values = factor(axis[:, None])
            product = product * jnp.expand_dims(values, [k for k in range(len(axes)) if k != i])
        return self._sum(product)

    def _sum(self, product: jax.Array) -> jax.Array:
        return product.reshape(*product.shape[:-1], self.out_size, -1).sum(-1)
