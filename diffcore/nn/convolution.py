"""Convolutions of arrays (..., channels, *spatial), with torch's weights and options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax

from diffcore.nn._shapes import batched, check_channels, check_sizes, per_axis
from diffcore.nn.initializers import Initializer, initialize
from diffcore.nn.module import LATER, Module

_MODES = {"zeros": "constant", "circular": "wrap", "reflect": "reflect", "replicate": "edge"}
Sizes = int | Sequence[int]
Padding = str | int | Sequence[int] | Sequence[tuple[int, int]]


class Conv(Module):
    """Convolution (cross-correlation, as in torch) of (..., in_channels, *spatial).

    Arguments:
        padding: "valid" (none), "same" (the size stays, for stride 1), a number for all sides, one
            for each direction, or a pair (before, after) for each direction.
        padding_mode: "zeros", "circular", "reflect" or "replicate".
        groups: input and output channels fall into this many independent groups.
        dtype: of weight and bias, by default the ambient float type; may be complex.

    Example:
        >>> from diffcore import nn
        >>> nn.Conv2d(3, 8, 5, stride=2, padding=2, key=0)(jnp.zeros((7, 3, 32, 24))).shape
        (7, 8, 16, 12)
    """

    weight: jax.Array  # (out, in / groups, *kernel)
    bias: jax.Array | None
    in_channels: int = eqx.field(static=True)
    stride: tuple[int, ...] = eqx.field(static=True)
    padding: tuple[tuple[int, int], ...] = eqx.field(static=True)
    dilation: tuple[int, ...] = eqx.field(static=True)
    groups: int = eqx.field(static=True)
    padding_mode: str = eqx.field(static=True)
    dimension: eqx.AbstractClassVar[int]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        *,
        stride: Sizes = 1,
        padding: Padding = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        initializer: Initializer = "he_uniform",
        dtype: Any = None,
        key: Any = LATER,
    ):
        _check_groups(in_channels, out_channels, groups)
        if padding_mode not in _MODES:
            raise ValueError(f"`padding_mode` is one of {', '.join(_MODES)}; got {padding_mode!r}.")
        kernel = per_axis("kernel_size", kernel_size, self.dimension)
        self.in_channels, self.groups, self.padding_mode = in_channels, groups, padding_mode
        self.stride = per_axis("stride", stride, self.dimension)
        self.dilation = per_axis("dilation", dilation, self.dimension)
        self.padding = _pairs(padding, kernel, self.stride, self.dilation)
        shape = (out_channels, in_channels // groups, *kernel)
        self.weight = initialize(initializer, key, shape, dtype)
        self.bias = jnp.zeros(out_channels, self.weight.dtype) if bias else None

    def __call__(self, x: jax.Array) -> jax.Array:
        check_channels(self, x, self.in_channels, self.dimension)
        return batched(self._convolve, x, self.dimension + 1)

    def _convolve(self, x: jax.Array) -> jax.Array:
        padding = self.padding
        if self.padding_mode != "zeros" and any(map(any, padding)):
            x = jnp.pad(x, ((0, 0), (0, 0), *padding), mode=_MODES[self.padding_mode])
            padding = ((0, 0),) * self.dimension
        y = lax.conv_general_dilated(
            *_promoted(x, self.weight),
            self.stride,
            padding,
            rhs_dilation=self.dilation,
            feature_group_count=self.groups,
        )
        return _biased(y, self.bias)


class Conv1d(Conv):
    """Convolution of (..., channels, length); see `Conv`."""

    dimension: ClassVar[int] = 1


class Conv2d(Conv):
    """Convolution of (..., channels, height, width); see `Conv`."""

    dimension: ClassVar[int] = 2


class Conv3d(Conv):
    """Convolution of (..., channels, depth, height, width); see `Conv`."""

    dimension: ClassVar[int] = 3


class ConvTranspose(Module):
    """The transpose of a convolution, of (..., in_channels, *spatial): it enlarges by `stride`.

    The size n becomes (n - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.

    Arguments:
        output_padding: how much of the ambiguous size to add at the end, less than `stride`.
        groups, dtype: as in `Conv`.
    """

    weight: jax.Array  # (in, out / groups, *kernel), as in torch
    bias: jax.Array | None
    stride: tuple[int, ...] = eqx.field(static=True)
    padding: tuple[int, ...] = eqx.field(static=True)
    output_padding: tuple[int, ...] = eqx.field(static=True)
    dilation: tuple[int, ...] = eqx.field(static=True)
    groups: int = eqx.field(static=True)
    dimension: eqx.AbstractClassVar[int]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        *,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        initializer: Initializer = "he_uniform",
        dtype: Any = None,
        key: Any = LATER,
    ):
        _check_groups(in_channels, out_channels, groups)
        kernel = per_axis("kernel_size", kernel_size, self.dimension)
        self.stride = per_axis("stride", stride, self.dimension)
        self.padding = per_axis("padding", padding, self.dimension, least=0)
        self.output_padding = per_axis("output_padding", output_padding, self.dimension, least=0)
        self.dilation = per_axis("dilation", dilation, self.dimension)
        self.groups = groups
        most = map(max, self.stride, self.dilation)
        if any(o >= m for o, m in zip(self.output_padding, most, strict=True)):
            raise ValueError(
                f"`output_padding` must be less than the stride or the dilation; got "
                f"{output_padding} with stride {stride}, dilation {dilation}."
            )
        shape = (in_channels, out_channels // groups, *kernel)
        self.weight = initialize(initializer, key, shape, dtype)
        self.bias = jnp.zeros(out_channels, self.weight.dtype) if bias else None

    def __call__(self, x: jax.Array) -> jax.Array:
        check_channels(self, x, self.weight.shape[0], self.dimension)
        return batched(self._convolve, x, self.dimension + 1)

    def _convolve(self, x: jax.Array) -> jax.Array:
        n_in, n_out, *kernel = self.weight.shape
        weight = self.weight.reshape(self.groups, n_in // self.groups, n_out, *kernel)
        weight = weight.swapaxes(1, 2).reshape(self.groups * n_out, n_in // self.groups, *kernel)
        reach = [d * (k - 1) for d, k in zip(self.dilation, kernel, strict=True)]
        y = lax.conv_general_dilated(
            *_promoted(x, jnp.flip(weight, range(2, weight.ndim))),
            (1,) * self.dimension,
            [
                (r - p, r - p + o)
                for r, p, o in zip(reach, self.padding, self.output_padding, strict=True)
            ],
            lhs_dilation=self.stride,
            rhs_dilation=self.dilation,
            feature_group_count=self.groups,
        )
        return _biased(y, self.bias)


class ConvTranspose1d(ConvTranspose):
    """Transposed convolution of (..., channels, length); see `ConvTranspose`."""

    dimension: ClassVar[int] = 1


class ConvTranspose2d(ConvTranspose):
    """Transposed convolution of (..., channels, height, width); see `ConvTranspose`."""

    dimension: ClassVar[int] = 2


class ConvTranspose3d(ConvTranspose):
    """Transposed convolution of (..., channels, depth, height, width); see `ConvTranspose`."""

    dimension: ClassVar[int] = 3


def _promoted(x: jax.Array, weight: jax.Array) -> tuple[jax.Array, jax.Array]:
    dtype = jnp.result_type(x, weight)
    return x.astype(dtype), weight.astype(dtype)


def _biased(y: jax.Array, bias: jax.Array | None) -> jax.Array:
    return y if bias is None else y + bias.reshape(-1, *(1,) * (y.ndim - 2))


def _check_groups(in_channels: int, out_channels: int, groups: int) -> None:
    check_sizes(in_channels=in_channels, out_channels=out_channels, groups=groups)
    if in_channels % groups or out_channels % groups:
        raise ValueError(
            f"`groups` must divide in_channels={in_channels} and out_channels={out_channels}; "
            f"got {groups}."
        )


def _pairs(
    padding: Any, kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> tuple[tuple[int, int], ...]:
    if padding == "valid":
        return ((0, 0),) * len(kernel)
    if padding == "same":
        if set(stride) != {1}:
            raise ValueError(f'`padding="same"` needs stride 1; got {stride}.')
        total = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
        return tuple((t // 2, t - t // 2) for t in total)
    if not isinstance(padding, (int, str)) and all(isinstance(p, Sequence) for p in padding):
        pairs = tuple(per_axis("padding", p, 2, least=0) for p in padding)
        if len(pairs) == len(kernel):
            return tuple((low, high) for low, high in pairs)
    return tuple((p, p) for p in per_axis("padding", padding, len(kernel), least=0))
