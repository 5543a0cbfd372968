"""Layers that are random in training and hand their input on in use; `apply` gives them keys."""

from __future__ import annotations

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp

from diffcore.nn.module import Module
from diffcore.nn.training import Stateful, Training


def _checked_rate(rate: float) -> float:
    if not 0 <= rate <= 1:
        raise ValueError(f"`rate` is the probability to drop, between 0 and 1; got {rate}.")
    return float(rate)


def _drop(key: jax.Array, x: Any, rate: float, shape: tuple[int, ...]) -> jax.Array:
    """x with zeros where a mask of `shape` says so, scaled to keep the mean."""
    x = jnp.asarray(x)
    if rate == 1:
        return jnp.zeros_like(x)
    keep = jax.random.bernoulli(key, 1 - rate, shape)
    return jnp.where(keep, x / jnp.asarray(1 - rate, x.dtype), jnp.zeros((), x.dtype))


class Dropout(Stateful):
    """In training, zero with probability `rate`, else x / (1 - rate), for each element.

    Source: Srivastava et al., Dropout: a simple way to prevent neural networks from overfitting,
    J. Mach. Learn. Res. 15 (2014).
    """

    rate: float = eqx.field(static=True)
    training: Training | None

    def __init__(self, rate: float = 0.5):
        self.rate = _checked_rate(rate)
        self.training = None

    def __call__(self, x: jax.Array) -> jax.Array:
        if self.training is None or self.rate == 0:
            return x
        return _drop(self.training.draw(self), x, self.rate, jnp.shape(x))


class _ChannelDropout(Stateful):
    rate: float = eqx.field(static=True)
    training: Training | None
    dimension: eqx.AbstractClassVar[int]

    def __init__(self, rate: float = 0.5):
        self.rate = _checked_rate(rate)
        self.training = None

    def __call__(self, x: jax.Array) -> jax.Array:
        if self.training is None or self.rate == 0:
            return x
        shape = jnp.shape(x)[: jnp.ndim(x) - self.dimension] + (1,) * self.dimension
        return _drop(self.training.draw(self), x, self.rate, shape)


class Dropout1d(_ChannelDropout):
    """Dropout of whole channels of (..., channels, length)."""

    dimension: ClassVar[int] = 1


class Dropout2d(_ChannelDropout):
    """Dropout of whole channels of (..., channels, height, width)."""

    dimension: ClassVar[int] = 2


class Dropout3d(_ChannelDropout):
    """Dropout of whole channels of (..., channels, depth, height, width)."""

    dimension: ClassVar[int] = 3


class AlphaDropout(Stateful):
    """Dropout for `selu`: drops to selu's lower limit and keeps mean 0 and variance 1.

    Source: Klambauer et al., Self-normalizing neural networks (2017), section 3.
    """

    rate: float = eqx.field(static=True)
    training: Training | None

    def __init__(self, rate: float = 0.5):
        self.rate = _checked_rate(rate)
        self.training = None

    def __call__(self, x: jax.Array) -> jax.Array:
        if self.training is None or self.rate == 0:
            return x
        if self.rate == 1:
            return jnp.zeros_like(x)
        limit = -1.7580993408473766  # -scale * alpha of selu
        keep = 1 - self.rate
        a = (keep + limit**2 * keep * self.rate) ** -0.5
        mask = jax.random.bernoulli(self.training.draw(self), keep, jnp.shape(x))
        return a * jnp.where(mask, x, jnp.asarray(limit, x.dtype)) - a * limit * self.rate


class StochasticDepth(Module):
    """In training, zero with probability `rate`, else x / (1 - rate), for each sample as a whole.

    Put it last on the branch of a `Residual`. The first axis is that of the samples.

    Source: Huang et al., Deep networks with stochastic depth (2016).
    """

    dropout: Dropout

    def __init__(self, rate: float):
        self.dropout = Dropout(rate)

    def __call__(self, x: jax.Array) -> jax.Array:
        x = jnp.asarray(x)
        keep = self.dropout(jnp.ones((x.shape[0], *(1,) * (x.ndim - 1)), x.dtype))
        return x if self.dropout.training is None else x * keep
