"""The one place where a module is divided into what is trained and what is not.

A parameter is a float or complex array that is not wrapped in `Fixed`. Everything else (integers,
fixed arrays, functions) is the rest. Both halves have the structure of the module, so that
`merge(*split(module))` gives the module back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree


class Fixed(eqx.Module):
    """An array that belongs to a module and is not trained, such as random frequencies."""

    array: jax.Array

    def __jax_array__(self) -> jax.Array:
        return jnp.asarray(self.array)


def is_parameter(leaf: Any) -> bool:
    """Whether the leaf is a float or complex array and not fixed."""
    return not isinstance(leaf, Fixed) and eqx.is_inexact_array(leaf)


def split(module: Any) -> tuple[Any, Any]:
    """Returns (parameters, rest), two pytrees with the structure of `module`.

    Example:
        >>> from diffcore import nn
        >>> parameters, rest = nn.split(nn.Linear(3, 2, key=0))
        >>> [leaf.shape for leaf in jax.tree.leaves(parameters)]
        [(2, 3), (2,)]
    """
    return eqx.partition(module, is_parameter, is_leaf=lambda leaf: isinstance(leaf, Fixed))


def merge(parameters: Any, rest: Any) -> Any:
    """Returns the module that `split` divided, with these `parameters`."""
    return eqx.combine(parameters, rest, is_leaf=lambda leaf: isinstance(leaf, Fixed))


def flatten_parameters(module: Any) -> tuple[jax.Array, Callable[[jax.Array], Any]]:
    """Returns (vector, unflatten): all parameters in one vector, and the way back to a module.

    Example:
        >>> from diffcore import nn
        >>> vector, unflatten = nn.flatten_parameters(nn.MLP(2, 1, 8, 2, key=0))
        >>> vector.shape, unflatten(vector * 0)(jnp.ones(2)).tolist()
        ((105,), [0.0])
    """
    parameters, rest = split(module)
    vector, unravel = ravel_pytree(parameters)
    return vector, lambda vector: merge(unravel(vector), rest)


def count_parameters(module: Any) -> int:
    """Returns the number of trained numbers in `module` (a complex one counts as one)."""
    return sum(leaf.size for leaf in jax.tree.leaves(split(module)[0]))
