"""Fields taken elsewhere than at the point: `u.subs(t, t - 1)`, `u.subs(x, 0)`, u(s) in integrals.

SymPy writes them as the field with other arguments, or as a `Subs` around a derivative. `settle`
turns each into `At(jet, coordinates, points)`, which holds the field with its own coordinates, so
that every question about a statement (which fields, which orders) has one form of field to look at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from .symbols import Parameter

Canonical = Mapping[Any, tuple[AppliedUndef, ...]]


class At(sympy.Expr):
    """An expression taken at other values of some coordinates: `At(u(x, t), (t,), (t - 1,))` is
    u(x, t - 1)."""

    is_commutative = True

    def __new__(cls, expression, variables, points):
        variables, points = sympy.Tuple(*variables), sympy.Tuple(*points)
        moved = [(v, p) for v, p in zip(variables, points, strict=True) if v != p]
        if not moved:
            return expression
        return sympy.Expr.__new__(
            cls, expression, *(sympy.Tuple(*column) for column in zip(*moved, strict=True))
        )

    @property
    def expression(self) -> sympy.Expr:
        """What is taken elsewhere."""
        return self.args[0]

    @property
    def moves(self) -> dict[sympy.Symbol, sympy.Expr]:
        """The new value of each coordinate that moves."""
        return dict(zip(self.args[1], self.args[2], strict=True))

    @property
    def free_symbols(self) -> set:
        inner = self.args[0].free_symbols - set(self.args[1])
        return inner | self.args[2].free_symbols

    def rewritten(self, rewriting):
        """The same in other units."""
        points = [rewriting(p, 1 / rewriting.unit(v)) for v, p in self.moves.items()]
        return At(rewriting(self.args[0]), self.args[1], points)

    def _eval_is_real(self):
        return self.args[0].is_real

    def _eval_is_positive(self):
        return self.args[0].is_positive

    def _eval_subs(self, old, new):
        if not isinstance(old, sympy.Symbol):
            return None
        expression, variables, points = self.args
        points = points.subs(old, new)
        if old in variables or old not in expression.free_symbols:
            return At(expression, variables, points)
        return At(expression, (*variables, old), (*points, new))

    def _eval_derivative(self, symbol):
        expression, variables, points = self.args
        terms = [
            At(sympy.diff(expression, v), variables, points) * sympy.diff(p, symbol)
            for v, p in zip(variables, points, strict=True)
        ]
        if symbol not in variables:
            terms.append(At(sympy.diff(expression, symbol), variables, points))
        return sympy.Add(*terms)

    def _written(self) -> sympy.Expr:
        return sympy.Subs(*self.args).doit(integrals=False)

    def _sympystr(self, printer) -> str:
        return printer.doprint(self._written())

    def _latex(self, printer) -> str:
        return printer.doprint(self._written())


def canonical_fields(expressions: Iterable[Any], coordinates: Sequence[Any]) -> Canonical:
    """For each undefined function the fields that stand for its value at the point: those whose
    arguments are coordinates (or their names) and ranged parameters.

    Where one set of coordinates occurs in two orders, that of the coordinates is the field."""
    rank = {str(c): i for i, c in enumerate(coordinates)}

    def order(f: AppliedUndef) -> list[int]:
        return [rank.get(a.name, len(rank)) for a in f.args]

    found: dict[Any, dict[frozenset, AppliedUndef]] = {}
    for f in (f for e in expressions for f in sympy.sympify(e).atoms(AppliedUndef)):
        names = {a.name for a in f.args if isinstance(a, sympy.Symbol)}
        local = len(names) == len(f.args) and all(
            a.name in rank or isinstance(a, Parameter) for a in f.args
        )
        if local:
            forms = found.setdefault(f.func, {})
            other = forms.get(frozenset(f.args))
            if other is None or order(f) == sorted(order(f)):
                forms[frozenset(f.args)] = f
    return {function: tuple(forms.values()) for function, forms in found.items()}


def settle(expression: Any, canonical: Canonical, coordinates: Sequence[sympy.Symbol] = ()) -> Any:
    """The expression (or vector, or `Eq`) with every field that is taken elsewhere as an `At`.

    Arguments:
        canonical: the fields at the point, by function; see `canonical_fields`.
        coordinates: arguments of fields that occur only elsewhere.

    Example:
        >>> from equations import coordinates, field
        >>> x, t = coordinates("x t")
        >>> u = field("u", x, t)
        >>> delayed = settle(u - u.subs(t, t - 1), {u.func: (u,)})
        >>> delayed, [node.moves for node in delayed.atoms(At)]
        (u(x, t) - u(x, t - 1), [{t: t - 1}])
    """
    if isinstance(expression, sympy.MatrixBase):
        return expression.applyfunc(lambda e: settle(e, canonical, coordinates))
    fields = {f for forms in canonical.values() for f in forms}
    if not expression.has(sympy.Subs) and expression.atoms(AppliedUndef) <= fields:
        return expression
    return _Settler(canonical, tuple(coordinates)).visit(expression)


class _Settler:
    def __init__(self, canonical: Canonical, coordinates: tuple[sympy.Symbol, ...]):
        self.canonical, self.coordinates = canonical, coordinates

    def visit(self, e: Any) -> Any:
        if isinstance(e, AppliedUndef):
            return self.moved(e, {}, ())
        if isinstance(e, sympy.Subs) and isinstance(e.expr, sympy.Derivative):
            moves = dict(zip(e.variables, e.point, strict=True))
            return self.moved(e.expr.expr, moves, e.expr.variable_count)
        if isinstance(e, sympy.Derivative):
            if isinstance(e.expr, AppliedUndef) and all(v in e.expr.args for v in e.variables):
                return self.moved(e.expr, {}, e.variable_count)
            done = e.doit(integrals=False)
            return e if isinstance(done, sympy.Derivative) else self.visit(done)
        if not e.args or not isinstance(e, sympy.Basic):
            return e
        arguments = [self.visit(a) for a in e.args]
        return e if tuple(arguments) == e.args else e.func(*arguments)

    def moved(self, f: AppliedUndef, moves: dict, counts: Any) -> sympy.Expr:
        """The derivative of f by `counts`, taken where `moves` says."""
        field = self.field(f)
        own = dict(zip(f.args, field.args, strict=True)) if field is not None else {}
        if field is None or any(v not in own for v, _ in counts):
            return sympy.Derivative(f, *counts) if counts else f
        orders = [(own[v], n) for v, n in counts]
        jet = sympy.Derivative(field, *orders) if orders else field
        points = [self.visit(a.subs(moves, simultaneous=True)) for a in f.args]
        return At(jet, field.args, points)

    def field(self, f: AppliedUndef) -> AppliedUndef | None:
        """The field at the point of which f is the value elsewhere."""
        forms = [c for c in self.canonical.get(f.func, ()) if len(c.args) == len(f.args)]
        if f in forms:
            return f
        if not forms and len(self.coordinates) == len(f.args):
            forms = [f.func(*self.coordinates)]
        agreeing = [sum(a == b for a, b in zip(c.args, f.args, strict=True)) for c in forms]
        return forms[agreeing.index(max(agreeing))] if forms else None
