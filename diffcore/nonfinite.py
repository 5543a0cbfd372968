"""Finding the operation that makes a NaN or an infinity.

The function is recorded as a jaxpr and run operation by operation with every value kept. If a
result is not finite, its cause is followed backward: to the operand that was not finite already,
into calls, branches and the step of a loop where it happened. `where` is followed only through the
values that it picked, so a NaN that was masked is not blamed, but one that reaches a gradient is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core

from diffcore._inputs import control_flow_explained, data_type


@dataclass(frozen=True)
class NonFinite:
    """The first operation that turned finite numbers into a NaN or an infinity; prints as text.

    `operation` is the name of the JAX primitive, or "argument" if a number given to the function
    was not finite. `source` is "file:line (function)" of the user's code, or "" if unknown.
    `operands` describes the inputs of the operation, `kind` is "nan" or "inf".
    """

    operation: str
    kind: str
    source: str
    operands: tuple[str, ...]

    def __str__(self) -> str:
        if self.operation == "argument":
            return f"argument {self.operands[0]} holds {self.kind}"
        at = f" at {self.source}" if self.source else ""
        return f"`{self.operation}` makes {self.kind}{at} from {', '.join(self.operands)}"


def find_nan(f: Callable[..., Any], *args: Any) -> NonFinite | None:
    """The operation that made the NaN or infinity in f(*args), or None if all results are finite.

    Arguments:
        f: a function of pytrees of arrays, such as `diffcore.grad(loss)`.

    Notes:
        Runs without compilation and keeps every intermediate value: for small inputs.

    Example:
        >>> import jax.numpy as jnp
        >>> found = find_nan(lambda x: jnp.sqrt(x - 2.0) + 1.0, 1.0)
        >>> found.operation, found.kind
        ('sqrt', 'nan')
    """
    with control_flow_explained():
        closed = jax.make_jaxpr(f)(*args)
    leaves = jax.tree_util.tree_flatten_with_path(args)[0]
    values = [jnp.asarray(leaf) for _, leaf in leaves]
    cause = _blame_any(closed, values)
    if isinstance(cause, int):
        name = jax.tree_util.keystr(leaves[cause][0])
        return NonFinite("argument", _kind(values[cause]), "", (name,))
    return cause


# An operation, or the index of an input that was not finite already, or None: all is finite.
_Cause = NonFinite | int | None


def _blame_any(closed: core.ClosedJaxpr, values: Sequence[Any]) -> _Cause:
    """The cause of the first result of a jaxpr that is not finite."""
    jaxpr = closed.jaxpr
    environment = dict(zip(jaxpr.constvars, closed.consts, strict=True))
    environment |= zip(jaxpr.invars, values, strict=True)
    makers: dict[Any, Any] = {}

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, core.Literal) else environment[atom]

    for equation in jaxpr.eqns:
        outputs = _run(equation, [read(atom) for atom in equation.invars])
        environment |= zip(equation.outvars, outputs, strict=True)
        makers |= dict.fromkeys(equation.outvars, equation)

    positions = {var: i for i, var in enumerate(jaxpr.invars)}
    bad = next((atom for atom in jaxpr.outvars if _is_bad(read(atom))), None)
    while bad is not None and bad in makers:
        equation = makers[bad]
        operands = [read(atom) for atom in equation.invars]
        cause = _blame(equation, operands, [read(var) for var in equation.outvars])
        if isinstance(cause, NonFinite):
            return cause
        bad = equation.invars[cause]
        if isinstance(bad, core.Literal):  # an infinity written in the program
            return _found(equation, operands, read(equation.outvars[0]))
    return None if bad is None else positions.get(bad)


def _blame(equation: Any, operands: list[Any], outputs: list[Any]) -> NonFinite | int:
    """The operand or the operation that made an output not finite."""
    name, params = equation.primitive.name, equation.params
    if name == "select_n":
        return 1 + _picked(operands, outputs[0])
    if name == "cond":
        index = int(operands[0])
        cause = _blame_any(params["branches"][index], operands[1:])
        return cause + 1 if isinstance(cause, int) else cause or _found(equation, operands, outputs)
    if name == "scan":
        return _blame_scan(equation, operands, outputs)
    if name == "while":
        return _blame_while(equation, operands, outputs)
    inner = _called(params)
    if inner is not None:
        cause = _blame_any(inner, operands)
        return _found(equation, operands, outputs) if cause is None else cause
    bad = _first_bad(operands)
    return _found(equation, operands, outputs) if bad is None else bad


def _picked(operands: list[Any], output: Any) -> int:
    """Which case of `select_n` a non-finite number was taken from."""
    which = np.broadcast_to(np.asarray(operands[0]).astype(int), np.shape(output))
    return int(which[~np.isfinite(np.asarray(output))][0])


def _blame_scan(equation: Any, operands: list[Any], outputs: Any) -> NonFinite | int:
    if (bad := _first_bad(operands)) is not None:
        return bad
    p = equation.params
    n_consts, n_carry = _scan_counts(equation)
    consts, carry = operands[:n_consts], operands[n_consts : n_consts + n_carry]
    rows = operands[n_consts + n_carry :]
    steps = range(p["length"])
    for i in reversed(steps) if p["reverse"] else steps:
        inputs = [*consts, *carry, *(row[i] for row in rows)]
        cause = _blame_any(p["jaxpr"], inputs)
        if isinstance(cause, NonFinite):
            return cause
        carry = core.jaxpr_as_fun(p["jaxpr"])(*inputs)[:n_carry]
    return _found(equation, operands, outputs)


def _scan_counts(equation: Any) -> tuple[int, int]:
    """The number of constants and of carried values, whose names differ between versions of JAX.

    Carried values have the same rank inside and outside, rows lose their first axis inside.
    """
    body = equation.params["jaxpr"]
    ins = zip(equation.invars, body.jaxpr.invars, strict=True)
    outs = zip(equation.outvars, body.jaxpr.outvars, strict=True)
    n_carry = sum(outer.aval.ndim == inner.aval.ndim for outer, inner in outs)
    n_fixed = sum(outer.aval.ndim == inner.aval.ndim for outer, inner in ins)
    return n_fixed - n_carry, n_carry


def _blame_while(equation: Any, operands: list[Any], outputs: Any) -> NonFinite | int:
    if (bad := _first_bad(operands)) is not None:
        return bad
    p = equation.params
    n_test, n_body = p["cond_nconsts"], p["body_nconsts"]
    test_consts, consts = operands[:n_test], operands[n_test : n_test + n_body]
    carry = operands[n_test + n_body :]
    while core.jaxpr_as_fun(p["cond_jaxpr"])(*test_consts, *carry)[0]:
        cause = _blame_any(p["body_jaxpr"], [*consts, *carry])
        if isinstance(cause, NonFinite):
            return cause
        carry = core.jaxpr_as_fun(p["body_jaxpr"])(*consts, *carry)
    return _found(equation, operands, outputs)


def _called(params: dict[str, Any]) -> core.ClosedJaxpr | None:
    """The jaxpr of an equation that only calls it (jit, custom derivatives, checkpoint)."""
    inner = params.get("jaxpr") or params.get("call_jaxpr")
    if isinstance(inner, core.Jaxpr):
        inner = core.ClosedJaxpr(inner, ())
    return inner if isinstance(inner, core.ClosedJaxpr) else None


def _run(equation: Any, operands: list[Any]) -> list[Any]:
    primitive = equation.primitive
    result = primitive.bind(*operands, **primitive.get_bind_params(equation.params))
    return list(result) if primitive.multiple_results else [result]


def _first_bad(operands: list[Any]) -> int | None:
    return next((i for i, operand in enumerate(operands) if _is_bad(operand)), None)


def _is_bad(value: Any) -> bool:
    return bool(jnp.issubdtype(data_type(value), jnp.inexact)) and not bool(
        jnp.isfinite(value).all()
    )


def _kind(value: Any) -> str:
    return "nan" if bool(jnp.isnan(value).any()) else "inf"


def _found(equation: Any, operands: list[Any], outputs: Any) -> NonFinite:
    bad = [value for value in jax.tree.leaves(outputs) if _is_bad(value)]
    return NonFinite(
        operation=equation.primitive.name,
        kind=_kind(bad[0]) if bad else "nan",
        source=_source(equation),
        operands=tuple(map(_describe, operands)),
    )


def _describe(value: Any) -> str:
    value = np.asarray(value)
    shape = f"{value.dtype}[{','.join(map(str, value.shape))}]"
    if value.size == 0:
        return shape
    if value.size == 1:
        return f"{shape} = {value.item():.6g}"
    if np.iscomplexobj(value):
        return f"{shape} of size {np.abs(value).min():.6g} to {np.abs(value).max():.6g}"
    return f"{shape} between {value.min():.6g} and {value.max():.6g}"


_LIBRARIES = tuple(os.path.dirname(os.path.abspath(p)) + os.sep for p in (jax.__file__, __file__))


def _source(equation: Any) -> str:
    """The innermost line of the user's code that led to the equation."""
    traceback = equation.source_info.traceback
    for frame in traceback.frames if traceback is not None else ():
        if not os.path.abspath(frame.file_name).startswith(_LIBRARIES):
            return f"{frame.file_name}:{frame.line_num} ({frame.function_name})"
    return ""
