"""Random initial weights by name, and the data type that new arrays get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.nn import initializers as _jax

from diffcore.keys import as_key
from diffcore.precision import default_dtype

# Weights are stored as in torch: (out, in, ...).
_AXES = {"in_axis": 1, "out_axis": 0}

_BY_NAME: dict[str, Callable] = {
    "glorot_normal": _jax.glorot_normal(**_AXES),
    "glorot_uniform": _jax.glorot_uniform(**_AXES),
    "he_normal": _jax.he_normal(**_AXES),
    "he_uniform": _jax.he_uniform(**_AXES),
    "lecun_normal": _jax.lecun_normal(**_AXES),
    "lecun_uniform": _jax.lecun_uniform(**_AXES),
    "orthogonal": _jax.orthogonal(column_axis=0),
    "normal": jax.random.normal,
    "zeros": _jax.zeros,
    "ones": _jax.ones,
}
_BY_NAME |= {
    name.replace(theirs, ours): function
    for theirs, ours in (("glorot", "xavier"), ("he", "kaiming"))
    for name, function in _BY_NAME.items()
    if name.startswith(theirs + "_")
}

Initializer = str | Callable[[jax.Array, tuple[int, ...], Any], jax.Array]


def initialize(initializer: Initializer, key: Any, shape: tuple[int, ...], dtype: Any = None):
    """Returns an array of `shape`, drawn by the `initializer` of that name or function.

    Arguments:
        initializer: one of glorot_normal, glorot_uniform (or xavier_), he_normal, he_uniform (or
            kaiming_), lecun_normal, lecun_uniform, normal, orthogonal, zeros, ones; or a function
            of (key, shape, dtype), such as
            `nn.initializers.truncated_normal(0.02)`.
        key: a JAX key or an int.
        dtype: by default the float type of the ambient precision.

    Source: Glorot and Bengio 2010; He et al. 2015; LeCun et al. 1998; Saxe et al. 2014.
    """
    dtype = default_dtype() if dtype is None else dtype
    if callable(initializer):
        return initializer(as_key(key), shape, dtype)
    if initializer not in _BY_NAME:
        raise ValueError(
            f"`initializer` is the name of a known one or a function; got {initializer!r}. "
            f"Known: {', '.join(_BY_NAME)}."
        )
    return _BY_NAME[initializer](as_key(key), shape, dtype)


def constant(value: float) -> Callable:
    """Returns an initializer: all numbers are `value`."""
    return lambda key, shape, dtype: jnp.full(shape, value, dtype)


def normal(deviation: float, mean: float = 0.0) -> Callable:
    """Returns an initializer: numbers drawn from N(mean, deviation²)."""
    return lambda key, shape, dtype: mean + deviation * jax.random.normal(key, shape, dtype)


def uniform(low: float, high: float) -> Callable:
    """Returns an initializer: real numbers uniform between `low` and `high`."""
    return lambda key, shape, dtype: jax.random.uniform(key, shape, dtype, low, high)


def truncated_normal(deviation: float, limit: float = 2.0) -> Callable:
    """Returns an initializer: N(0, deviation²) given that |x| < limit · deviation.

    Notes: The standard deviation of what is drawn is less: 0.88 deviation for limit 2.
    """
    return lambda key, shape, dtype: (
        deviation * jax.random.truncated_normal(key, -limit, limit, shape, dtype)
    )


def identity(key: Any, shape: tuple[int, ...], dtype: Any) -> jax.Array:
    """Returns the weight of a layer that hands channels on: a unit matrix, or a Dirac kernel.

    Arguments:
        shape: (out, in, *kernel); the kernel's middle element (of odd sizes) is the one.
    """
    middle = tuple(k // 2 for k in shape[2:])
    unit = jnp.eye(shape[0], shape[1], dtype=dtype)
    return jnp.zeros(shape, dtype).at[(slice(None), slice(None), *middle)].set(unit)
