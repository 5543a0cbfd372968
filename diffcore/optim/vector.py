"""Parameters as one real vector, and back; complex numbers as pairs (real, imaginary)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree


def flatten(parameters: Any) -> tuple[jax.Array, Callable[[jax.Array], Any]]:
    """Returns (vector, unflatten) for a pytree of real and complex arrays."""
    vector, unravel = ravel_pytree(jax.tree.map(_to_real, parameters))

    def unflatten(vector: jax.Array) -> Any:
        return jax.tree.map(_from_real, unravel(vector), parameters)

    return vector, unflatten


def _to_real(x: jax.Array) -> jax.Array:
    return jnp.stack([x.real, x.imag]) if jnp.iscomplexobj(x) else x


def _from_real(pair: jax.Array, like: jax.Array) -> jax.Array:
    return jax.lax.complex(pair[0], pair[1]) if jnp.iscomplexobj(like) else pair
