"""What a statement may hold besides values at the point, and how each is looked into.

Four nodes take their expression elsewhere: `At`, integrals, and one-sided values. Others, such as
`Caputo`, expand into these by `.doit()`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy

from .elsewhere import At
from .integrals import NODES, GaussIntegral, RegionIntegral
from .symbols import fields_in
from .traces import Trace

NONLOCAL = (At, sympy.Integral, GaussIntegral, RegionIntegral, Trace)


def is_local(expression: Any) -> bool:
    """Whether an expression depends on values at the point alone."""
    return not expression.has(*NONLOCAL)


def outermost(expression: sympy.Expr, kinds: Any = NONLOCAL) -> tuple[sympy.Expr, ...]:
    """The nodes of these kinds that are in no other such node, each once."""
    if not expression.has(*kinds):
        return ()
    found: dict[sympy.Expr, None] = {}
    walk = sympy.preorder_traversal(expression)
    for node in walk:
        if isinstance(node, kinds):
            found[node] = None
            walk.skip()
    return tuple(found)


def parts(node: sympy.Expr) -> Iterator[tuple[sympy.Expr, tuple[sympy.Symbol, ...]]]:
    """The expressions inside a node, each with the symbols that are bound in it."""
    if isinstance(node, At):
        yield node.expression, ()
        yield from ((_free_of_fields(p), ()) for p in node.moves.values())
    elif isinstance(node, RegionIntegral | Trace):
        yield node.args[0], ()
    else:
        gauss = gauss_form(node)
        integrand, (s, lower, upper), *_ = gauss.args
        yield integrand, (s,)
        ends = (end for end in (lower, upper) if end.is_finite is not False)
        yield from ((_free_of_fields(end), ()) for end in ends)


def _free_of_fields(place: sympy.Expr) -> sympy.Expr:
    if fields_in(place):
        raise ValueError(
            f"{place}: limits of integrals and points at which a field is taken may depend on "
            "coordinates and parameters, not on fields."
        )
    return place


def one_value(node: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr, dict]:
    """What a node takes elsewhere, a factor, and where a bound symbol stands: of an integral the
    middle, with its length as the factor."""
    if isinstance(node, At):
        return node.expression, sympy.S.One, {}
    if isinstance(node, RegionIntegral | Trace):
        return node.args[0], sympy.S.One, {}
    integrand, (s, lower, upper), (p, q), _ = gauss_form(node).args
    if lower.is_infinite or upper.is_infinite:
        return integrand, sympy.S.One, {s: next((e for e in (lower, upper) if e.is_finite), 0)}
    half = (upper - lower) / 2
    return integrand, 2 * half ** (1 + p + q), {s: lower + half}


def gauss_form(node: sympy.Integral | GaussIntegral) -> GaussIntegral:
    """SymPy's `Integral` as nested Gauss rules; the first of its limits is the innermost."""
    if isinstance(node, GaussIntegral):
        return node
    inner = node.function
    for limits in node.limits:
        if len(limits) != 3:
            raise ValueError(f"{node}: an integral in a statement has limits, as `(s, 0, x)`.")
        inner = GaussIntegral(inner, limits, (0, 0), NODES)
    return inner
