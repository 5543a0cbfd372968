"""Rules of linear and bilinear primitives."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from diffcore.taylor.algebra import Algebra
from diffcore.taylor.registry import bind, rule
from diffcore.taylor.series import (
    Value,
    add,
    multiply,
    parts_of,
    primal_of,
    series,
    subtract,
)

_ALL = slice(None)  # every argument is linear
_FIRST = slice(1)  # the others are indices or sizes


def _linear(space: Algebra, values: list[Value], equation: Any, linear: slice) -> Any:
    """A primitive that is linear in the `linear` arguments taken together."""
    results = bind_all(equation, *map(primal_of, values))
    present = sorted(set().union(*(parts_of(value) for value in values[linear])))
    parts = {}
    for k in present:
        arguments = [primal_of(value) for value in values]
        arguments[linear] = [_part(value, k) for value in values[linear]]
        parts[k] = bind_all(equation, *arguments)
    outputs = [series(r, {k: parts[k][i] for k in present}) for i, r in enumerate(results)]
    return outputs if equation.primitive.multiple_results else outputs[0]


def bind_all(equation: Any, *arrays: Any) -> list[Any]:
    """The results of the primitive, as a list also if there is one."""
    results = bind(equation, *arrays)
    return list(results) if equation.primitive.multiple_results else [results]


def _part(value: Value, k: int) -> Any:
    part = parts_of(value).get(k)
    return part if part is not None else np.zeros(np.shape(primal_of(value)), _dtype(value))


def _dtype(value: Value) -> Any:
    return jnp.result_type(primal_of(value))


def _register(linear: slice, *names: str) -> None:
    @rule(*names)
    def apply(space: Algebra, values: list[Value], equation: Any) -> Any:
        return _linear(space, values, equation, linear)


_register(
    _ALL,
    *("add_any", "broadcast_in_dim", "complex", "concatenate", "conj", "convert_element_type"),
    *("copy", "copy_p", "cumsum", "device_put", "fft", "imag", "name", "neg", "pad", "real"),
    *("optimization_barrier", "reduce_precision", "reduce_sum", "reduce_window_sum", "reshape"),
    *("rev", "sharding_constraint", "slice", "split", "squeeze", "stack", "tile", "transpose"),
    *("unstack", "psum", "psum_invariant", "all_gather", "all_to_all", "ppermute", "pvary"),
)
_register(_FIRST, "dynamic_slice")
_register(slice(2), "dynamic_update_slice")
_register(slice(1, None), "select_n")


@rule("gather")
def _gather(space: Algebra, values: list[Value], equation: Any) -> Value:
    """Points outside the array read the fill value, whose derivatives are 0."""
    operand, indices = values
    primal = bind(equation, primal_of(operand), indices)
    zero_fill = equation.replace(params={**equation.params, "fill_value": 0})
    parts = {k: bind(zero_fill, part, indices) for k, part in parts_of(operand).items()}
    return series(primal, parts)


@rule("scatter", "scatter-add", "scatter-sub")
def _scatter(space: Algebra, values: list[Value], equation: Any) -> Value:
    operand, indices, updates = values
    primal = bind(equation, primal_of(operand), indices, primal_of(updates))
    present = sorted(set(parts_of(operand)) | set(parts_of(updates)))
    return series(
        primal, {k: bind(equation, _part(operand, k), indices, _part(updates, k)) for k in present}
    )


@rule("add")
def _add(space: Algebra, values: list[Value], equation: Any) -> Value:
    return add(*values)


@rule("sub")
def _sub(space: Algebra, values: list[Value], equation: Any) -> Value:
    return subtract(*values)


@rule("mul")
def _mul(space: Algebra, values: list[Value], equation: Any) -> Value:
    return multiply(space, *values)


@rule("dot_general", "conv_general_dilated")
def _bilinear(space: Algebra, values: list[Value], equation: Any) -> Value:
    a, b = values
    return multiply(space, a, b, lambda x, y: bind(equation, x, y))


@rule("stop_gradient")
def _stop_gradient(space: Algebra, values: list[Value], equation: Any) -> Value:
    return primal_of(values[0])
