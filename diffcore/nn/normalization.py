"""Normalization of activations and of weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp

from diffcore.keys import as_key
from diffcore.nn.module import LATER, Module, replaced
from diffcore.nn.parameters import Fixed
from diffcore.nn.training import Stateful, Training
from diffcore.precision import default_dtype


def _moments(x: jax.Array, axes: tuple[int, ...]) -> tuple[jax.Array, jax.Array]:
    """Mean and mean square deviation over `axes`, kept as axes of size 1."""
    mean = jnp.mean(x, axes, keepdims=True)
    return mean, jnp.mean(_square(x - mean), axes, keepdims=True)


def _square(x: jax.Array) -> jax.Array:
    return x.real**2 + x.imag**2 if jnp.iscomplexobj(x) else x * x


def _wide(x: Any) -> jax.Array:
    """x in at least float32: sums of half precision would lose the mean."""
    x = jnp.asarray(x)
    return x.astype(jnp.promote_types(x.dtype, jnp.float32))


def _finished(y: jax.Array, x: Any, weight: Any, bias: Any, after: int = 0) -> jax.Array:
    """y in the float type of x, times weight plus bias, which have their axes before `after`."""
    kind = jnp.result_type(x)
    y = y.astype(kind) if jnp.issubdtype(kind, jnp.inexact) else y
    y = y if weight is None else y * weight.reshape(*weight.shape, *(1,) * after)
    return y if bias is None else y + bias.reshape(*bias.shape, *(1,) * after)


def _ones_and_zeros(shape: Any, affine: bool, bias: bool = True) -> tuple[Any, Any]:
    weight = jnp.ones(shape, default_dtype()) if affine else None
    return weight, jnp.zeros(shape, default_dtype()) if affine and bias else None


class LayerNorm(Module):
    """(x - mean) / √(variance + ε) · weight + bias, over the last axes, of sizes `shape`.

    Source: Ba, Kiros, Hinton, Layer normalization (2016).

    Example:
        >>> from diffcore import nn
        >>> nn.LayerNorm(2, epsilon=0.0)(jnp.array([[1.0, 3.0], [0.0, 8.0]])).tolist()
        [[-1.0, 1.0], [-1.0, 1.0]]
    """

    weight: jax.Array | None
    bias: jax.Array | None
    shape: tuple[int, ...] = eqx.field(static=True)
    epsilon: float = eqx.field(static=True)

    def __init__(
        self,
        shape: int | Sequence[int],
        *,
        epsilon: float = 1e-5,
        affine: bool = True,
        bias: bool = True,
    ):
        self.shape = tuple(shape) if isinstance(shape, Sequence) else (shape,)
        self.weight, self.bias = _ones_and_zeros(self.shape, affine, bias)
        self.epsilon = epsilon

    def __call__(self, x: jax.Array) -> jax.Array:
        _check_last(self, x, self.shape)
        wide = _wide(x)
        mean, variance = _moments(wide, tuple(range(-len(self.shape), 0)))
        y = (wide - mean) * jax.lax.rsqrt(variance + self.epsilon)
        return _finished(y, x, self.weight, self.bias)


class RMSNorm(Module):
    """x / √(mean |x|² + ε) · weight, over the last axes, of sizes `shape`.

    Source: Zhang and Sennrich, Root mean square layer normalization (2019), eq. (4).
    """

    weight: jax.Array | None
    shape: tuple[int, ...] = eqx.field(static=True)
    epsilon: float = eqx.field(static=True)

    def __init__(self, shape: int | Sequence[int], *, epsilon: float = 1e-6, affine: bool = True):
        self.shape = tuple(shape) if isinstance(shape, Sequence) else (shape,)
        self.weight, _ = _ones_and_zeros(self.shape, affine)
        self.epsilon = epsilon

    def __call__(self, x: jax.Array) -> jax.Array:
        _check_last(self, x, self.shape)
        wide = _wide(x)
        axes = tuple(range(-len(self.shape), 0))
        y = wide * jax.lax.rsqrt(jnp.mean(_square(wide), axes, keepdims=True) + self.epsilon)
        return _finished(y, x, self.weight, None)


class GroupNorm(Module):
    """Normalization over space and the channels of each of `groups` groups.

    Arguments:
        dimension: number of spatial axes, x being (..., channels, *spatial); by default x is
            (batch, channels, *spatial), with one batch axis.

    Source: Wu and He, Group normalization (2018), eq. (7).
    """

    weight: jax.Array | None
    bias: jax.Array | None
    groups: int = eqx.field(static=True)
    channels: int = eqx.field(static=True)
    dimension: int | None = eqx.field(static=True)
    epsilon: float = eqx.field(static=True)

    def __init__(
        self,
        groups: int,
        channels: int,
        *,
        dimension: int | None = None,
        epsilon: float = 1e-5,
        affine: bool = True,
    ):
        if channels % groups:
            raise ValueError(f"`groups` must divide the {channels} channels; got {groups}.")
        self.weight, self.bias = _ones_and_zeros(channels, affine)
        self.groups, self.channels, self.dimension = groups, channels, dimension
        self.epsilon = epsilon

    def __call__(self, x: jax.Array) -> jax.Array:
        dimension = jnp.ndim(x) - 2 if self.dimension is None else self.dimension
        _check_channel(self, x, self.channels, dimension)
        return _grouped(x, self.groups, self.weight, self.bias, dimension, self.epsilon)


def _grouped(
    x: Any, groups: int, weight: Any, bias: Any, dimension: int, epsilon: float
) -> jax.Array:
    wide = _wide(x)
    lead, rest = wide.shape[: wide.ndim - dimension - 1], wide.shape[wide.ndim - dimension :]
    split = wide.reshape(*lead, groups, -1, *rest)
    mean, variance = _moments(split, tuple(range(-dimension - 1, 0)))
    y = ((split - mean) * jax.lax.rsqrt(variance + epsilon)).reshape(wide.shape)
    return _finished(y, x, weight, bias, dimension)


class InstanceNorm(Module):
    """Normalization over space, for each sample and channel of (..., channels, *spatial).

    Source: Ulyanov, Vedaldi, Lempitsky, Instance normalization (2016), eq. (2).
    """

    weight: jax.Array | None
    bias: jax.Array | None
    channels: int = eqx.field(static=True)
    epsilon: float = eqx.field(static=True)
    dimension: eqx.AbstractClassVar[int]

    def __init__(self, channels: int, *, epsilon: float = 1e-5, affine: bool = False):
        self.weight, self.bias = _ones_and_zeros(channels, affine)
        self.channels, self.epsilon = channels, epsilon

    def __call__(self, x: jax.Array) -> jax.Array:
        _check_channel(self, x, self.channels, self.dimension)
        return _grouped(x, self.channels, self.weight, self.bias, self.dimension, self.epsilon)


class InstanceNorm1d(InstanceNorm):
    """Normalization of each channel of (..., channels, length); see `InstanceNorm`."""

    dimension: ClassVar[int] = 1


class InstanceNorm2d(InstanceNorm):
    """Normalization of each channel of (..., channels, height, width); see `InstanceNorm`."""

    dimension: ClassVar[int] = 2


class InstanceNorm3d(InstanceNorm):
    """Normalization of each channel of (..., channels, depth, height, width)."""

    dimension: ClassVar[int] = 3


class _BatchNorm(Stateful):
    """Normalization of each channel by the statistics of the batch, or in use by running ones.

    Arguments:
        momentum: weight of the newest statistics in the running ones; None averages all.
        affine: whether there is a trained weight and bias.

    Notes: In training with `apply`, which hands back the model with new running statistics. These
    are not parameters. Under `jax.jit` with a batch sharded over devices, the statistics are those
    of the whole batch.

    Source: Ioffe and Szegedy, Batch normalization (2015), algorithms 1 and 2.
    """

    weight: jax.Array | None
    bias: jax.Array | None
    running_mean: Fixed
    running_var: Fixed
    num_batches_tracked: Fixed
    channels: int = eqx.field(static=True)
    momentum: float | None = eqx.field(static=True)
    epsilon: float = eqx.field(static=True)
    training: Training | None
    dimension: eqx.AbstractClassVar[int]

    def __init__(
        self,
        channels: int,
        *,
        momentum: float | None = 0.1,
        epsilon: float = 1e-5,
        affine: bool = True,
    ):
        self.weight, self.bias = _ones_and_zeros(channels, affine)
        self.running_mean = Fixed(jnp.zeros(channels, default_dtype()))
        self.running_var = Fixed(jnp.ones(channels, default_dtype()))
        self.num_batches_tracked = Fixed(jnp.zeros((), jnp.int32))
        self.channels, self.momentum, self.epsilon = channels, momentum, epsilon
        self.training = None

    def __call__(self, x: jax.Array) -> jax.Array:
        # Of (batch, channels) arrays there is one kind, as in torch's BatchNorm1d.
        dimension = 0 if self.dimension == 1 and jnp.ndim(x) == 2 else self.dimension
        _check_channel(self, x, self.channels, dimension)
        wide = _wide(x)
        if self.training is None:
            mean, variance = (
                a.array.reshape(-1, *(1,) * dimension)
                for a in (self.running_mean, self.running_var)
            )
        else:
            mean, variance = self._of_batch(wide, dimension)
        y = (wide - mean) * jax.lax.rsqrt(variance + self.epsilon)
        return _finished(y, x, self.weight, self.bias, dimension)

    def _of_batch(self, x: jax.Array, dimension: int) -> tuple[jax.Array, jax.Array]:
        assert self.training is not None
        channel = x.ndim - dimension - 1
        axes = tuple(axis for axis in range(x.ndim) if axis != channel)
        n = math.prod(x.shape[axis] for axis in axes)
        if n < 2:
            raise ValueError(
                f"{type(self).__name__} needs more than one value for each channel in training; "
                f"got an array of shape {x.shape}."
            )
        mean, variance = _moments(x, axes)
        before = self.training.now(self)
        tracked = before.num_batches_tracked.array + 1
        rate = 1 / tracked if self.momentum is None else self.momentum

        def moved(old: Fixed, new: jax.Array) -> Fixed:
            new = jax.lax.stop_gradient(new).reshape(old.array.shape)
            return Fixed((old.array + rate * (new - old.array)).astype(old.array.dtype))

        self.training.update(
            running_mean=moved(before.running_mean, mean),
            running_var=moved(before.running_var, variance * (n / (n - 1))),
            num_batches_tracked=Fixed(tracked),
        )
        return mean, variance


class BatchNorm(_BatchNorm):
    """Batch normalization of the last axis, (..., channels)."""

    dimension: ClassVar[int] = 0


class BatchNorm1d(_BatchNorm):
    """Batch normalization of (..., channels, length), or of (batch, channels)."""

    dimension: ClassVar[int] = 1


class BatchNorm2d(_BatchNorm):
    """Batch normalization of (..., channels, height, width)."""

    dimension: ClassVar[int] = 2


class BatchNorm3d(_BatchNorm):
    """Batch normalization of (..., channels, depth, height, width)."""

    dimension: ClassVar[int] = 3


class WeightNorm(Module):
    """A layer whose weight is g v / ‖v‖, a norm g and a direction v for each output, both trained.

    Arguments:
        layer: any module with a `weight`; it starts as it is.
        axis: of the outputs in the weight.

    Source: Salimans and Kingma, Weight normalization (2016), eq. (2).
    """

    layer: Any  # its weight is v
    norm: jax.Array
    axis: int = eqx.field(static=True)

    def __init__(self, layer: Callable, *, axis: int = 0, key: Any = None):
        self.layer, self.axis = layer, axis
        self.norm = self._norm()

    def _norm(self) -> jax.Array:
        weight = self.layer.weight
        axes = tuple(i for i in range(weight.ndim) if i != self.axis)
        return jnp.sqrt(jnp.sum(_square(weight), axes, keepdims=True))

    def __call__(self, x: jax.Array) -> jax.Array:
        weight = self.layer.weight * (self.norm / self._norm())
        return replaced(self.layer, weight=weight)(x)


class SpectralNorm(Stateful):
    """A layer whose weight is divided by its largest singular value, seen as (outputs, rest).

    Each training pass improves the singular vectors by `iterations` of the power method.

    Source: Miyato et al., Spectral normalization for generative adversarial networks (2018),
    algorithm 1.
    """

    layer: Any
    left: Fixed
    right: Fixed
    iterations: int = eqx.field(static=True)
    training: Training | None

    def __init__(self, layer: Any, *, iterations: int = 1, key: Any = LATER):
        self.layer, self.iterations = layer, iterations
        weight = layer.weight
        matrix = weight.reshape(weight.shape[0], -1)
        start = jax.random.normal(as_key(key), matrix.shape[1:], matrix.dtype)
        self.left, self.right = _power_method(matrix, start / jnp.linalg.norm(start), 15)
        self.training = None

    def __call__(self, x: jax.Array) -> jax.Array:
        matrix = self.layer.weight.reshape(self.layer.weight.shape[0], -1)
        left, right = self.left, self.right
        if self.training is not None:
            start = self.training.now(self).right.array
            left, right = _power_method(jax.lax.stop_gradient(matrix), start, self.iterations)
            self.training.update(left=left, right=right)
        largest = jnp.vdot(left.array, matrix @ right.array).real
        return replaced(self.layer, weight=self.layer.weight / largest)(x)


def _power_method(matrix: jax.Array, right: jax.Array, iterations: int) -> tuple[Fixed, Fixed]:
    left = right[:0]
    for _ in range(iterations):
        left = matrix @ right
        left = left / jnp.maximum(jnp.linalg.norm(left), 1e-12)
        right = matrix.conj().T @ left
        right = right / jnp.maximum(jnp.linalg.norm(right), 1e-12)
    return Fixed(left), Fixed(right)


def _check_last(layer: Any, x: Any, shape: tuple[int, ...]) -> None:
    if jnp.shape(x)[-len(shape) :] != shape:
        raise ValueError(
            f"{type(layer).__name__}({shape}) takes arrays whose shape ends so; got {jnp.shape(x)}."
        )


def _check_channel(layer: Any, x: Any, channels: int, dimension: int) -> None:
    shape = jnp.shape(x)
    if dimension < 0 or len(shape) <= dimension or shape[-dimension - 1] != channels:
        raise ValueError(
            f"{type(layer).__name__} takes {channels} channels, followed by "
            f"{max(dimension, 0)} axes of space; got an array of shape {shape}."
        )
