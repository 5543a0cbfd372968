"""Random initial weights by name, and the data type that new arrays get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
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
    "zeros": _jax.zeros,
    "ones": _jax.ones,
}

Initializer = str | Callable[[jax.Array, tuple[int, ...], Any], jax.Array]


def initialize(initializer: Initializer, key: Any, shape: tuple[int, ...], dtype: Any = None):
    """Returns an array of `shape`, drawn by the `initializer` of that name or function.

    Arguments:
        initializer: one of glorot_normal, glorot_uniform, he_normal, he_uniform, lecun_normal,
            lecun_uniform, orthogonal, zeros, ones; or a function of (key, shape, dtype).
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
