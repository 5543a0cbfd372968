"""The table of rules: the name of a JAX primitive → what it does to series.

A rule is called as rule(space, values, equation), where `space` is the algebra, `values` are the
inputs, at least one of them a series, and `equation` knows the primitive and its parameters. It
returns one value, or a list if the primitive has several results.
"""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

Rule = Callable[..., Any]

RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Registers the decorated function as the rule of the named primitives."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return register


def bind(equation: Any, *arrays: Any) -> Any:
    """The primitive of the equation applied to arrays.

    NumPy arrays give NumPy arrays, at once: what is known while tracing stays known.
    """
    primitive = equation.primitive
    params = primitive.get_bind_params(equation.params)
    if not all(isinstance(array, np.ndarray | np.generic) for array in arrays):
        return primitive.bind(*arrays, **params)
    with jax.ensure_compile_time_eval():
        return jax.tree.map(np.asarray, primitive.bind(*arrays, **params))
