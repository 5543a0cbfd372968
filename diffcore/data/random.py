"""Random streams named by a key, an epoch and a number."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from diffcore.keys import as_key

Words = tuple[int, int]


def key_words(key: Any) -> Words:
    """The two words of a key: what a dataset holds of it, since they can be sent and compared."""
    first, second = np.asarray(jax.random.key_data(as_key(key))).ravel()[-2:]
    return int(first), int(second)


def _stream(words: Words, epoch: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([*words, epoch])))


# Each batch asks for the whole order of its epoch: the last few orders are kept.


@lru_cache(maxsize=8)
def permutation(words: Words, epoch: int, n: int) -> np.ndarray:
    """The numbers below n in random order."""
    return _stream(words, epoch).permutation(n)


@lru_cache(maxsize=8)
def uniform(words: Words, epoch: int, n: int) -> np.ndarray:
    """Numbers between 0 and 1."""
    return _stream(words, epoch).random(n)


@lru_cache(maxsize=64)
def _key_of_epoch(words: Words, epoch: int) -> jax.Array:
    key = jax.random.wrap_key_data(jnp.array(words, jnp.uint32), impl="threefry2x32")
    return jax.random.fold_in(key, epoch)


def key_of(words: Words, epoch: int, number: int) -> jax.Array:
    """The JAX key of one record or batch of an epoch."""
    return jax.random.fold_in(_key_of_epoch(words, epoch), number)
