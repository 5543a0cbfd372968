"""Runs a jaxpr on series.

Equations without a series among their inputs, and those with integer or boolean results, are
bound as they are; the others go to their rule, or to nested forward mode if they have none.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.extend import core

from diffcore.taylor.algebra import Algebra
from diffcore.taylor.nested import nested_forward
from diffcore.taylor.registry import RULES
from diffcore.taylor.series import Series, Value, primal_of


def evaluate(space: Algebra, closed: core.ClosedJaxpr, values: Sequence[Value]) -> list[Value]:
    """The outputs of a closed jaxpr for arguments that are arrays or series."""
    jaxpr = closed.jaxpr
    environment: dict[Any, Value] = dict(zip(jaxpr.constvars, closed.consts, strict=True))
    environment |= zip(jaxpr.invars, values, strict=True)

    def read(atom: Any) -> Value:
        is_number = isinstance(atom, core.Literal)
        return np.asarray(atom.val, atom.aval.dtype) if is_number else environment[atom]

    for equation in jaxpr.eqns:
        outputs = _apply(space, equation, [read(atom) for atom in equation.invars])
        environment |= zip(equation.outvars, outputs, strict=True)
    return [read(atom) for atom in jaxpr.outvars]


def _apply(space: Algebra, equation: Any, values: list[Value]) -> list[Value]:
    primitive = equation.primitive
    if not _is_smooth(equation) or not any(isinstance(value, Series) for value in values):
        outputs = _bind(equation, *map(primal_of, values))
    elif primitive.name in RULES:
        outputs = RULES[primitive.name](space, values, equation)
    else:
        _warn_once(primitive.name)
        outputs = nested_forward(space, lambda *arrays: _bind(equation, *arrays), values)
    return list(outputs) if primitive.multiple_results else [outputs]


def _bind(equation: Any, *arrays: Any) -> Any:
    primitive = equation.primitive
    return primitive.bind(*arrays, **primitive.get_bind_params(equation.params))


def _is_smooth(equation: Any) -> bool:
    """Whether some result has a derivative."""
    return any(jnp.issubdtype(v.aval.dtype, jnp.inexact) for v in equation.outvars)


_warned: set[str] = set()


def _warn_once(name: str) -> None:
    if name not in _warned:
        _warned.add(name)
        warnings.warn(
            f"`{name}` has no Taylor rule: its derivatives are computed by nested forward mode, "
            "which is correct but slower.",
            stacklevel=2,
        )
