"""Expressions typed on a command line, as "sqrt(u**2 + v**2)" or "diff(u, x)"; no `eval`."""

from __future__ import annotations

import ast
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
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from error


def _read(node: ast.AST, names: dict[str, Any]) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return sympy.sympify(node.value)
    if isinstance(node, ast.Name):
        return _known(node.id, names, "name")
    if isinstance(node, ast.Tuple | ast.List):
        return sympy.ImmutableMatrix([_read(e, names) for e in node.elts])
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_read(node.operand, names))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_read(node.left, names), _read(node.right, names))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _known(node.func.id, _FUNCTIONS, "function")
        return function(*(_read(a, names) for a in node.args))
    raise ValueError(f"{ast.unparse(node)} is not understood; use + - * / ** and functions.")


def _known(name: str, table: dict[str, Any], what: str) -> Any:
    if name not in table:
        raise ValueError(f"there is no {what} {name!r}; there are {', '.join(sorted(table))}.")
    return table[name]
