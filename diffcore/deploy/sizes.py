"""Sizes of arrays as text: "batch", "2*batch + 1", "floordiv(n, 2)"."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

LONGEST = 1000  # characters
FUNCTIONS: dict[str, Callable] = {
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "max": max,
    "min": min,
}
_OPERATORS: dict[type, Callable] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def value_of(
    size: int | str, symbols: Mapping[str, Any], functions: Mapping[str, Callable] = FUNCTIONS
) -> Any:
    """The size where its symbols have these values: numbers, or anything with + - * and **.

    Raises:
        ValueError: text that is no size.

    Example:
        >>> value_of("floordiv(2*batch + 1, 3)", {"batch": 7})
        5
    """
    if isinstance(size, int):
        return size

    def value(node: ast.AST) -> Any:
        match node:
            case ast.Constant(int(number)):
                return number
            case ast.Name(name) if name in symbols:
                return symbols[name]
            case ast.UnaryOp(ast.USub(), part):
                return -1 * value(part)
            case ast.BinOp(base, ast.Pow(), ast.Constant(int(power))) if 0 < power < 9:
                return value(base) ** power
            case ast.BinOp(left, sign, right) if type(sign) in _OPERATORS:
                return _OPERATORS[type(sign)](value(left), value(right))
            case ast.Call(ast.Name(name), parts) if name in functions:
                return functions[name](*map(value, parts))
        raise ValueError(f"{size!r} is no size of an array.")

    text = size.replace("^", "**")
    if len(text) > LONGEST:
        raise ValueError(f"{size!r:.60}... is no size of an array.")
    try:
        return value(ast.parse(text, mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"{size!r:.60} is no size of an array.") from error
