"""Random keys from seeds: the same stream on every machine and in both precisions."""

from __future__ import annotations

import operator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def as_key(key: int | jax.Array) -> jax.Array:
    """The typed JAX random key meant by `key`: an int seed, a typed key or a raw key.

    A seed gives the same Threefry key whatever JAX's defaults and precision are
    (`jax.random.key` drops the upper half of a 64-bit seed in 32-bit mode).

    Arguments:
        key: a seed with 0 <= seed < 2**64, a scalar typed key (`jax.random.key`), or a raw key
            (`jax.random.PRNGKey`, two uint32).

    Raises:
        TypeError: anything else.
        ValueError: a seed out of range, or an array of several keys.

    Example:
        >>> import jax
        >>> bool(as_key(3) == jax.random.key(3))
        True
    """
    if isinstance(key, jax.Array) and jax.dtypes.issubdtype(key.dtype, jax.dtypes.prng_key):
        if key.shape != ():
            raise ValueError(f"`key` needs to be one key; got an array of keys, shape {key.shape}.")
        return key
    if isinstance(key, (jax.Array, np.ndarray)) and key.dtype == np.uint32 and key.shape == (2,):
        return jax.random.wrap_key_data(jnp.asarray(key), impl="threefry2x32")
    seed = _as_seed(key)
    if not 0 <= seed < 2**64:
        raise ValueError(f"`key` needs 0 <= seed < 2**64; got {seed}.")
    halves = np.array([seed >> 32, seed & 0xFFFFFFFF], np.uint32)
    return jax.random.wrap_key_data(jnp.asarray(halves), impl="threefry2x32")


def _as_seed(key: Any) -> int:
    try:
        if isinstance(key, (bool, np.bool_)):
            raise TypeError
        return operator.index(key)
    except TypeError:
        raise TypeError(
            f"`key` needs an int seed or a JAX key; got {type(key).__name__} {key!r}: "
            "pass key=0, or jax.random.key(0)."
        ) from None
