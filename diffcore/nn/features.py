"""Maps of coordinates to features that a network can use better: waves and bumps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from diffcore.keys import as_key
from diffcore.nn.module import LATER, Module
from diffcore.nn.parameters import Fixed
from diffcore.precision import default_dtype


class FourierFeatures(Module):
    """Random waves [cos(x B), sin(x B)], with B drawn from N(0, scale²) and not trained.

    Arguments:
        in_size: number of coordinates.
        out_size: number of features, even.
        scale: standard deviation of the angular wave numbers (radians per unit of length), one
            number or one for each coordinate. For several scales at once put several of these
            into `Concatenate`.

    Source: Tancik et al., Fourier features let networks learn high frequency functions (2020);
    Wang, Wang, Perdikaris, On the eigenvector bias of Fourier feature networks (2021).

    Example:
        >>> from diffcore import nn
        >>> low, high = (nn.FourierFeatures(2, 16, scale=s, key=0) for s in (1.0, 10.0))
        >>> nn.Concatenate([low, high])(jnp.zeros((5, 2))).shape
        (5, 32)
    """

    frequencies: Fixed  # (in, out / 2)

    def __init__(
        self, in_size: int, out_size: int, *, scale: float | Sequence[float] = 1.0, key: Any = LATER
    ):
        if out_size % 2:
            raise ValueError(
                f"`out_size` must be even, one cosine and one sine a wave; got {out_size}."
            )
        scales = jnp.broadcast_to(jnp.asarray(scale, default_dtype()), (in_size,))
        normal = jax.random.normal(as_key(key), (in_size, out_size // 2), default_dtype())
        self.frequencies = Fixed(scales[:, None] * normal)

    def __call__(self, x: jax.Array) -> jax.Array:
        phase = x @ self.frequencies.array
        return jnp.concatenate([jnp.cos(phase), jnp.sin(phase)], axis=-1)


class PeriodicFeatures(Module):
    """Coordinates in which each periodic one, x, is replaced by cos and sin of 2πk x / period.

    Whatever follows is periodic with all its derivatives.

    Arguments:
        in_size: number of coordinates.
        periods: the period of each periodic axis, such as {0: 2.0}.
        harmonics: the largest k.

    Attributes:
        out_size: number of features.

    Source: Dong and Ni, A method for representing periodic functions and enforcing exactly
    periodic boundary conditions with deep neural networks, J. Comput. Phys. 435 (2021).

    Example:
        >>> from diffcore import nn
        >>> features = nn.PeriodicFeatures(2, {0: 2.0})
        >>> features.out_size, features(jnp.array([0.0, 7.0])).tolist()
        (3, [1.0, 0.0, 7.0])
    """

    in_size: int = eqx.field(static=True)
    periods: tuple[tuple[int, float], ...] = eqx.field(static=True)
    harmonics: int = eqx.field(static=True)

    def __init__(self, in_size: int, periods: Mapping[int, float], *, harmonics: int = 1):
        for axis, period in periods.items():
            if not 0 <= axis < in_size:
                raise ValueError(f"`periods` names axis {axis}; axes are 0 to {in_size - 1}.")
            if not period > 0:
                raise ValueError(f"`periods` must be positive; got {period} for axis {axis}.")
        if harmonics < 1:
            raise ValueError(f"`harmonics` must be at least 1; got {harmonics}.")
        self.in_size = in_size
        self.periods = tuple((axis, float(period)) for axis, period in sorted(periods.items()))
        self.harmonics = harmonics

    @property
    def out_size(self) -> int:
        return self.in_size + (2 * self.harmonics - 1) * len(self.periods)

    def __call__(self, x: jax.Array) -> jax.Array:
        periods = dict(self.periods)
        pieces = []
        for axis in range(self.in_size):
            column = x[..., axis : axis + 1]
            if axis in periods:
                wave_numbers = 2 * np.pi / periods[axis] * np.arange(1, self.harmonics + 1)
                phase = column * jnp.asarray(wave_numbers, x.dtype)
                pieces += [jnp.cos(phase), jnp.sin(phase)]
            else:
                pieces.append(column)
        return jnp.concatenate(pieces, axis=-1)


class RadialBasis(Module):
    """A sum of Gaussian bumps, Σ w_j exp(-|x - c_j|² / (2 s_j²)), all trained.

    Arguments:
        n_centers: number of bumps; the centers start uniform in the box `lower` to `upper`.
        width: initial s, by default the mean distance between centers.

    Source: Bai et al., Physics-informed radial basis network, Comput. Methods Appl. Mech. Eng.
    (2023).
    """

    centers: jax.Array  # (centers, in)
    log_widths: jax.Array  # (centers,)
    weight: jax.Array  # (out, centers)

    def __init__(
        self,
        in_size: int,
        out_size: int,
        n_centers: int,
        *,
        lower: float | Sequence[float] = -1.0,
        upper: float | Sequence[float] = 1.0,
        width: float | None = None,
        key: Any = LATER,
    ):
        center_key, weight_key = jax.random.split(as_key(key))
        dtype = default_dtype()
        low = jnp.broadcast_to(jnp.asarray(lower, dtype), (in_size,))
        extent = jnp.asarray(upper, dtype) - low
        uniform = jax.random.uniform(center_key, (n_centers, in_size), dtype)
        self.centers = low + extent * uniform
        spacing = (jnp.prod(extent) / n_centers) ** (1 / in_size)
        self.log_widths = jnp.full(n_centers, jnp.log(spacing if width is None else width))
        scale = n_centers**-0.5
        self.weight = scale * jax.random.normal(weight_key, (out_size, n_centers), dtype)

    def __call__(self, x: jax.Array) -> jax.Array:
        distance2 = jnp.sum((x[..., None, :] - self.centers) ** 2, axis=-1)  # (..., centers)
        return jnp.exp(-0.5 * distance2 * jnp.exp(-2 * self.log_widths)) @ self.weight.T
