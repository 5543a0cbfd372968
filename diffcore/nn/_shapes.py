"""Sizes for each direction, and functions of one batch axis applied to any number of them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

_SPATIAL = {1: "length", 2: "height, width", 3: "depth, height, width"}


def check_sizes(**sizes: Any) -> None:
    """Raises a ValueError unless all are positive whole numbers."""
    for name, size in sizes.items():
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise ValueError(f"`{name}` must be a positive whole number; got {size!r}.")


def per_axis(
    name: str, value: int | Sequence[int], dimension: int, least: int = 1
) -> tuple[int, ...]:
    """Returns one whole number for each of `dimension` axes, given one for all or one for each."""
    try:
        values = tuple(value) if isinstance(value, Sequence) else (value,) * dimension
        values = tuple(operator.index(v) for v in values)
    except TypeError:
        values = ()
    if len(values) != dimension or min(values) < least:
        raise ValueError(
            f"`{name}` must be a whole number of at least {least}, or {dimension} of them; "
            f"got {value!r}."
        )
    return values


def batched(function: Callable[[jax.Array], jax.Array], x: Any, inner: int) -> jax.Array:
    """Returns `function` of x with all axes but the `inner` last ones flattened to one."""
    x = jnp.asarray(x)
    lead, rest = x.shape[: x.ndim - inner], x.shape[x.ndim - inner :]
    y = function(x.reshape(math.prod(lead), *rest))
    return y.reshape(lead + y.shape[1:])


def check_channels(layer: Any, x: Any, channels: int, dimension: int) -> None:
    """Raises a ValueError unless x has shape (..., channels, *spatial)."""
    shape = jnp.shape(x)
    if len(shape) <= dimension or shape[-dimension - 1] != channels:
        raise ValueError(
            f"{type(layer).__name__} takes (..., {channels}, {_SPATIAL[dimension]}), channels "
            f"before space; got an array of shape {shape}."
        )
