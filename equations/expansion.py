"""Derivatives carried out, and factors: what SymPy's `doit` and `diff` give, for long expressions.

SymPy differentiates every occurrence of a subexpression again, asks for the assumptions of each,
and builds every derivative of a field anew, which takes seconds for the determinants of large
deformations. Here each subexpression is visited once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy
from sympy.core.function import AppliedUndef


def is_jet(e: Any) -> bool:
    """Whether an expression is a field or a derivative of a field by its coordinates."""
    if isinstance(e, sympy.Derivative):
        return isinstance(e.expr, AppliedUndef) and all(v in e.expr.args for v in e.variables)
    return isinstance(e, AppliedUndef)


def expanded(e: Any, **hints: Any) -> Any:
    """The expression with everything carried out that `e.doit(**hints)` would; jets are left."""
    done: dict[Any, Any] = {}

    def visit(node: Any) -> Any:
        if not node.args or is_jet(node):
            return node
        if node not in done:
            done[node] = (
                _of_arguments(node, tuple(map(visit, node.args)))
                if isinstance(node, sympy.Add | sympy.Mul | sympy.Pow)
                else node.doit(**hints)
            )
        return done[node]

    return visit(e)


def _of_arguments(node: Any, arguments: tuple[Any, ...]) -> Any:
    return node if arguments == node.args else node.func(*arguments)


def rate_along(e: sympy.Expr, symbol: sympy.Symbol) -> sympy.Expr:
    """The derivative of an expression along a coordinate, d e / d s.

    Example:
        >>> from equations import coordinates, field
        >>> x = coordinates("x")
        >>> u = field("u", x)
        >>> rate_along(x * u**2, x)
        2*x*u(x)*Derivative(u(x), x) + u(x)**2
    """
    rates: dict[Any, sympy.Expr] = {}

    def rate(node: Any) -> sympy.Expr:
        if node not in rates:
            rates[node] = _rate(node, symbol, rate)
        return rates[node]

    return rate(e)


def _rate(e: Any, symbol: sympy.Symbol, rate: Callable[[Any], sympy.Expr]) -> sympy.Expr:
    if symbol not in e.free_symbols:
        return sympy.S.Zero
    if isinstance(e, sympy.Add):
        return sympy.Add(*map(rate, e.args))
    if isinstance(e, sympy.Mul):
        pairs = [(i, rate(factor)) for i, factor in enumerate(e.args)]
        return sympy.Add(*(_put(e, i, slope) for i, slope in pairs if slope != 0))
    if isinstance(e, sympy.Pow) and symbol not in e.exp.free_symbols:
        return e.exp * e.base ** (e.exp - 1) * rate(e.base)
    return sympy.diff(e, symbol)


def _put(product: sympy.Mul, i: int, factor: sympy.Expr) -> sympy.Expr:
    return sympy.Mul(*product.args[:i], factor, *product.args[i + 1 :])


Slopes = dict[Any, sympy.Expr | None]


def slopes_of(e: sympy.Expr, symbols: frozenset[sympy.Symbol]) -> Slopes:
    """The factor of each of the symbols that an expression holds; None where it enters otherwise
    than as a term times a factor. Read off sums and products.

    Example:
        >>> a, b, c = sympy.symbols("a b c")
        >>> slopes_of(a * (b + c) + b**2, frozenset((a, b)))
        {b: None, a: b + c}
    """
    if e in symbols:
        return {e: sympy.S.One}
    held = e.free_symbols & symbols
    found: Slopes = {}
    if held and isinstance(e, sympy.Add):
        for summand in e.args:
            for symbol, slope in slopes_of(summand, symbols).items():
                other = found.get(symbol, sympy.S.Zero)
                found[symbol] = None if slope is None or other is None else other + slope
    elif held and isinstance(e, sympy.Mul):
        factors = [slopes_of(factor, symbols) for factor in e.args]
        for i, own in enumerate(factors):
            rest = _put(e, i, sympy.S.One) if own else sympy.S.One
            for symbol, slope in own.items():
                once = symbol not in found and slope is not None
                found[symbol] = slope * rest if once else None
    else:
        found = dict.fromkeys(held)
    return found
