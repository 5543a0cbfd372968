"""Networks from functions to functions: the Fourier neural operator and DeepONet."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from diffcore.keys import as_key
from diffcore.nn._shapes import check_sizes
from diffcore.nn.activations import as_module, gelu
from diffcore.nn.convolution import Conv1d, Conv2d, Conv3d
from diffcore.nn.module import LATER, Module
from diffcore.precision import default_dtype

_CONVOLUTIONS = {1: Conv1d, 2: Conv2d, 3: Conv3d}


class SpectralConv(Module):
    """A convolution given by its Fourier coefficients: (..., in, *grid) to (..., out, *grid).

    Multiplies the modes |k_i| < modes_i along each axis (in the last also none below 0) by a
    complex matrix for each; all others become zero. The same weights serve every grid that is fine
    enough.

    Arguments:
        modes: one number for each axis, one to three axes; the grid needs at least 2 modes_i points
            along each but the last, 2 modes_i - 1 along the last.

    Source: Li et al., Fourier neural operator for parametric partial differential equations
    (2021), eq. (4).

    Example:
        >>> from diffcore import nn
        >>> layer = nn.SpectralConv(3, 5, modes=(4, 4), key=0)
        >>> layer(jnp.ones((2, 3, 16, 16))).shape
        (2, 5, 16, 16)
    """

    weight: jax.Array  # (in, out, 2 modes, ..., modes), complex
    modes: tuple[int, ...] = eqx.field(static=True)

    def __init__(
        self, in_channels: int, out_channels: int, modes: int | Sequence[int], *, key: Any = LATER
    ):
        self.modes = tuple(modes) if isinstance(modes, Sequence) else (modes,)
        check_sizes(in_channels=in_channels, out_channels=out_channels)
        for m in self.modes:
            check_sizes(modes=m)
        dtype = jnp.result_type(default_dtype(), jnp.complex64)
        kept = (*(2 * m for m in self.modes[:-1]), self.modes[-1])
        deviation = math.sqrt(2 / (in_channels + out_channels))
        shape = (in_channels, out_channels, *kept)
        self.weight = deviation * jax.random.normal(as_key(key), shape, dtype)

    def __call__(self, x: jax.Array) -> jax.Array:
        x = jnp.asarray(x)
        n = len(self.modes)
        if x.ndim <= n or x.shape[-n - 1] != self.weight.shape[0]:
            raise ValueError(
                f"SpectralConv takes (..., {self.weight.shape[0]}, *grid) with {n} axes of space; "
                f"got shape {x.shape}."
            )
        grid, axes = x.shape[-n:], tuple(range(-n, 0))
        least = [2 * m for m in self.modes[:-1]] + [2 * self.modes[-1] - 1]
        if any(g < m for g, m in zip(grid, least, strict=True)):
            raise ValueError(
                f"`modes` {self.modes} need a grid of at least {tuple(least)} points; got {grid}."
            )
        spectrum = jnp.fft.rfftn(x, axes=axes, norm="forward")
        for axis, m in zip(axes, self.modes, strict=True):
            spectrum = _low(spectrum, m, axis, both=axis != -1)
        letters = "xyz"[:n]
        y = jnp.einsum(f"...i{letters},io{letters}->...o{letters}", spectrum, self.weight)
        for axis, m, g in zip(axes, self.modes, grid, strict=True):
            y = _spread(y, m, g if axis != -1 else g // 2 + 1, axis, both=axis != -1)
        return jnp.fft.irfftn(y, s=grid, axes=axes, norm="forward").astype(x.dtype)


def _low(spectrum: jax.Array, modes: int, axis: int, *, both: bool) -> jax.Array:
    """The lowest modes along an axis: 0, 1, ... and, if both, ..., -2, -1."""
    n = spectrum.shape[axis]
    low = jax.lax.slice_in_dim(spectrum, 0, modes, axis=axis)
    if not both:
        return low
    return jnp.concatenate([low, jax.lax.slice_in_dim(spectrum, n - modes, n, axis=axis)], axis)


def _spread(spectrum: jax.Array, modes: int, size: int, axis: int, *, both: bool) -> jax.Array:
    """The inverse of `_low`: zeros for the modes that were left out."""
    low = jax.lax.slice_in_dim(spectrum, 0, modes, axis=axis)
    parts = [low, low]
    shape = list(spectrum.shape)
    shape[axis] = size - (2 if both else 1) * modes
    parts[1] = jnp.zeros(shape, spectrum.dtype)
    if both:
        parts.append(jax.lax.slice_in_dim(spectrum, modes, 2 * modes, axis=axis))
    return jnp.concatenate(parts, axis)


class FNO(Module):
    """The Fourier neural operator: (..., in_channels, *grid) to (..., out_channels, *grid).

    Lifts to `width` channels at each point, applies `depth` layers σ(K v + W v + b), with K a
    `SpectralConv` and W at each point, and projects by two layers at each point.

    Arguments:
        modes: of each axis, one to three axes.
        positions: whether to give the coordinates of the points, 0 to 1, as further channels.
        padding: fraction of the grid to add as zeros at the end of each axis, for functions that
            are not periodic.

    Source: Li et al., Fourier neural operator for parametric partial differential equations
    (2021), section 4.

    Example:
        >>> from diffcore import nn
        >>> model = nn.FNO(1, 1, width=8, modes=(4,), depth=1, key=0)
        >>> jax.eval_shape(model, jnp.ones((3, 1, 16))).shape
        (3, 1, 16)
    """

    lifting: Callable
    spectral: tuple[SpectralConv, ...]
    pointwise: tuple[Callable, ...]
    projections: tuple[Callable, Callable]
    activation: Callable
    positions: bool = eqx.field(static=True)
    padding: float = eqx.field(static=True)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        width: int,
        modes: int | Sequence[int],
        depth: int = 4,
        *,
        activation: Callable = gelu,
        positions: bool = True,
        padding: float = 0.0,
        key: Any = LATER,
    ):
        check_sizes(width=width, depth=depth)
        n = len(modes) if isinstance(modes, Sequence) else 1
        if n not in _CONVOLUTIONS:
            raise ValueError(f"`modes` must be given for one to three axes; got {modes}.")
        conv = _CONVOLUTIONS[n]
        keys = iter(jax.random.split(as_key(key), 2 * depth + 3))
        self.lifting = conv(in_channels + n * positions, width, 1, key=next(keys))
        self.spectral = tuple(
            SpectralConv(width, width, modes, key=next(keys)) for _ in range(depth)
        )
        self.pointwise = tuple(conv(width, width, 1, key=next(keys)) for _ in range(depth))
        self.projections = (
            conv(width, 4 * width, 1, key=next(keys)),
            conv(4 * width, out_channels, 1, key=next(keys)),
        )
        self.activation = as_module(activation)
        self.positions, self.padding = positions, padding

    def __call__(self, x: jax.Array) -> jax.Array:
        x = jnp.asarray(x)
        n = len(self.spectral[0].modes)
        grid = x.shape[-n:]
        if self.positions:
            x = jnp.concatenate([x, _positions(x, n)], axis=-n - 1)
        x = self.lifting(x)
        extra = [(0, 0)] * (x.ndim - n) + [(0, round(self.padding * g)) for g in grid]
        x = jnp.pad(x, extra)
        for i, (spectral, pointwise) in enumerate(zip(self.spectral, self.pointwise, strict=True)):
            x = spectral(x) + pointwise(x)
            x = x if i == len(self.spectral) - 1 else self.activation(x)
        x = x[(..., *(slice(g) for g in grid))]
        first, last = self.projections
        return last(self.activation(first(x)))


def _positions(x: jax.Array, n: int) -> jax.Array:
    """Coordinates from 0 to 1 as channels, (..., n, *grid), for x (..., channels, *grid)."""
    axes = [jnp.linspace(0, 1, g, dtype=x.dtype) for g in x.shape[-n:]]
    coordinates = jnp.stack(jnp.meshgrid(*axes, indexing="ij"))
    return jnp.broadcast_to(coordinates, (*x.shape[: x.ndim - n - 1], *coordinates.shape))


class DeepONet(Module):
    """The operator u ↦ (y ↦ Σ_k b_k(u) t_k(y) + c), from two networks.

    Called as `model(functions, points)` with functions (..., sensors), their values at sensors, and
    points (..., points, d), it returns (..., points), or (..., points, outputs).

    Arguments:
        branch: b, from (..., sensors) to (..., rank * outputs).
        trunk: t, from (..., d) to (..., rank * outputs).
        outputs: number of output fields, by default one without an axis of its own.

    Source: Lu et al., Learning nonlinear operators via DeepONet, Nat. Mach. Intell. 3 (2021),
    eq. (2).

    Example:
        >>> from diffcore import nn
        >>> model = nn.DeepONet(nn.MLP(20, 8, 16, 1), nn.MLP(2, 8, 16, 1), key=0)
        >>> model(jnp.ones((5, 20)), jnp.ones((100, 2))).shape
        (5, 100)
    """

    branch: Callable
    trunk: Callable
    bias: jax.Array
    outputs: int | None = eqx.field(static=True)

    def __init__(
        self, branch: Callable, trunk: Callable, *, outputs: int | None = None, key: Any = None
    ):
        self.branch, self.trunk = as_module(branch), as_module(trunk)
        self.outputs = outputs
        self.bias = jnp.zeros(() if outputs is None else (outputs,), default_dtype())

    def __call__(self, functions: jax.Array, points: jax.Array) -> jax.Array:
        b, t = self.branch(functions), self.trunk(points)
        if b.shape[-1] != t.shape[-1]:
            raise ValueError(
                f"`branch` and `trunk` must have outputs of one size; got {b.shape[-1]} and "
                f"{t.shape[-1]}."
            )
        if self.outputs is None:
            return jnp.einsum("...k,...nk->...n", b, t) + self.bias
        b, t = (a.reshape(*a.shape[:-1], self.outputs, -1) for a in (b, t))
        return jnp.einsum("...ok,...nok->...no", b, t) + self.bias
