"""Expressions typed on a command line, as "sqrt(u**2 + v**2)" or "diff(u, x)"; no `eval`."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

import sympy

import equations
from equations import Problem

_FUNCTIONS: dict[str, Callable] = {
    **{name: getattr(equations, name) for name in ("diff", "grad", "div", "laplacian", "dot")},
    **{
        name: getattr(sympy, name)
        for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "re", "im")
    },
    "abs": abs,
}
_CONSTANTS = {"pi": sympy.pi, "I": sympy.I}
LARGEST = 1e300  # of a number
_OPERATORS: dict[type, Callable] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def parse(text: str, problem: Problem) -> Any:
    """The expression, or the vector "(u, v)", in fields, coordinates and parameters of a problem.

    Raises:
        ValueError for names that are neither these nor known functions, and for anything that is
        not arithmetic.
    """
    names = {f.func.__name__: f for f in problem.fields}
    names |= {s.name: s for s in (*problem.coordinates, *problem.parameters)}
    try:
        return _read(ast.parse(text.strip(), mode="eval").body, {**_CONSTANTS, **names})
    except SyntaxError as error:
        raise ValueError(f"{text!r} is no expression: {error.msg}.") from error
    except (RecursionError, MemoryError):
        raise ValueError(f"{text!r:.60} is nested too deeply.") from None
    except (ValueError, TypeError, ArithmeticError, AttributeError) as error:
        raise ValueError(f"{text!r}: {error}") from error


def _read(node: ast.AST, names: dict[str, Any]) -> Any:
    """The value of a node, whose numbers are all of a size that floating point holds."""
    value = _value(node, names)
    if isinstance(value, sympy.Expr) and value.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
        raise ValueError(f"{ast.unparse(node)} is not finite.")
    if isinstance(value, sympy.Number) and not abs(value) < LARGEST:
        raise ValueError(f"{ast.unparse(node):.60} is above {LARGEST:.0e}.")
    return value


def _value(node: ast.AST, names: dict[str, Any]) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return sympy.sympify(node.value)
    if isinstance(node, ast.Name):
        return _known(node.id, names, "name")
    if isinstance(node, ast.Tuple | ast.List):
        return sympy.ImmutableMatrix([_read(e, names) for e in node.elts])
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_read(node.operand, names))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _read(node.left, names), _read(node.right, names)
        if isinstance(node.op, ast.Pow):
            _require_bounded(left, right)
        return _OPERATORS[type(node.op)](left, right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _known(node.func.id, _FUNCTIONS, "function")
        try:
            return function(*(_read(a, names) for a in node.args))
        except TypeError:
            text = f"{ast.unparse(node)}: {node.func.id} takes other arguments."
            raise ValueError(text) from None
    raise ValueError(f"{ast.unparse(node)} is not understood; use + - * / ** and functions.")


def _require_bounded(base: Any, exponent: Any) -> None:
    """Refuse a power of numbers that no memory holds, before it is computed."""
    if isinstance(base, sympy.Number) and isinstance(exponent, sympy.Number) and base:
        if abs(float(exponent)) * abs(math.log(abs(float(base)))) > math.log(LARGEST):
            raise ValueError(f"a power of {base} by {exponent} is out of range.")


def _known(name: str, table: dict[str, Any], what: str) -> Any:
    if name not in table:
        raise ValueError(f"there is no {what} {name!r}; there are {', '.join(sorted(table))}.")
    return table[name]
