"""Residuals as a source minus the divergence of a flux, and the unknown each belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy
import sympy
from sympy.core.function import AppliedUndef

from .operators import Divergence

SourceAndFlux = tuple[sympy.Expr, tuple[sympy.Expr, ...]]


class Reason(ValueError):
    """What stands against a weak form, as a sentence."""


def source_and_flux(
    residual: sympy.Expr, space: Sequence[sympy.Symbol], within: Sequence[AppliedUndef] = ()
) -> SourceAndFlux:
    """(s, F) with residual = s - div F: second derivatives only inside the divergence, and so the
    first derivatives of the fields `within`, a pressure's."""
    nodes = list(outermost(residual, Divergence))
    dummies = {node: sympy.Dummy() for node in nodes}
    rest = residual.xreplace(dummies)
    flux = dict.fromkeys(space, sympy.S.Zero)
    for node, dummy in dummies.items():
        factor = _linear_factor(rest, dummy, node)
        rest = rest.subs(dummy, 0)
        for s, component in zip(node.space, node.flux, strict=True):
            component = component.doit()
            flux[s] -= factor * component
            rest -= sympy.diff(factor, s) * component
    rest = rest.doit()
    for d in sorted(rest.atoms(sympy.Derivative), key=str):
        directions = [v for v in d.variables if v in flux]
        is_pressure = len(directions) == 1 and d.expr in within
        if len(directions) != len(d.variables) or not (is_pressure or len(directions) == 2):
            continue
        dummy = sympy.Dummy()
        factor = _linear_factor(rest.xreplace({d: dummy}), dummy, d)
        rest = rest.xreplace({d: sympy.S.Zero})
        for i, s in enumerate(directions):  # half of each order of derivatives
            others = [v for j, v in enumerate(directions) if j != i]
            inner = (sympy.diff(d.expr, *others) if others else d.expr) / len(directions)
            flux[s] -= factor * inner
            rest -= sympy.diff(factor, s) * inner
    result = rest, tuple(flux.values())
    for expression in (rest, *result[1]):
        for d in expression.atoms(sympy.Derivative):
            if sum(n for v, n in d.variable_count if v in flux) > 1:
                raise Reason(
                    f"{d} is left after integrating by parts: of higher order than the second, or "
                    "multiplied by a derivative"
                )
    return result


def outermost(expression: sympy.Expr, kind: Any) -> Iterator[Any]:
    """The nodes of a kind, or of one of several, that lie in no other such node, each once."""
    walk = sympy.preorder_traversal(expression)
    found = set()
    for node in walk:
        if isinstance(node, kind):
            walk.skip()
            if node not in found:
                found.add(node)
                yield node


def _linear_factor(expression: sympy.Expr, symbol: sympy.Symbol, shown: Any) -> sympy.Expr:
    factor = sympy.diff(expression, symbol)
    if symbol in factor.free_symbols:
        raise Reason(f"{shown} does not enter linearly")
    return factor


def owners(
    read: Sequence[SourceAndFlux],
    unknowns: Sequence[AppliedUndef],
    space: Sequence[sympy.Symbol],
    time: sympy.Symbol | None,
) -> list[int]:
    """For each unknown the number of its equation: that with its time derivative, else with its
    derivative along every axis in the flux along that axis, else with any in the flux; where
    nothing decides, the equation in the same place."""
    scores = [
        [_score(*pair, u, space, time) + (i == j) / 2 for j, u in enumerate(unknowns)]
        for i, pair in enumerate(read)
    ]
    rows, columns = scipy.optimize.linear_sum_assignment(-np.array(scores))
    return [int(i) for i in rows[np.argsort(columns)]]


def _score(source: sympy.Expr, flux: Any, u: AppliedUndef, space: Any, time: Any) -> int:
    along = [sympy.Derivative(u, s) for s in space]
    score = 16 if time is not None and steps_of(source, u, time) else 0
    score += 4 * all(f.has(d) for f, d in zip(flux, along, strict=True))
    return score + 2 * any(f.has(*along) for f in flux)


def steps_of(expression: sympy.Expr, u: AppliedUndef, time: sympy.Symbol | None) -> int:
    """The highest order of a time derivative of a field in an expression."""
    own = (d for d in expression.atoms(sympy.Derivative) if d.expr == u)
    return max((int(dict(d.variable_count).get(time, 0)) for d in own), default=0)
