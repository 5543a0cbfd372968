"""Facts read off a statement: orders, linearity, stated values, solenoidal velocities, gauges.

Everything here looks at the expanded residuals as expressions on jet space: fields and their
derivatives are independent symbols, so that order, linearity and dependence are plain questions
about an expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from .compile import Orders, expand, field_and_orders, jet_atoms
from .expansion import rate_along, slopes_of
from .history import FractionalLaplacian
from .nonlocal_terms import one_value, outermost
from .symbols import fields_in, is_time, spatial

SHORT = 100  # nodes of an expression that is multiplied out


@dataclass(frozen=True)
class Jet:
    """A derivative of a field (orders all zero: the field itself); orders count derivatives in the
    order of the field's arguments. `place` is the integral or other node that takes it elsewhere
    than at the point, None at the point."""

    field: AppliedUndef
    orders: Orders
    place: Any = None

    @cached_property
    def counts(self) -> tuple[tuple[sympy.Symbol, int], ...]:
        """The coordinates by which it is a derivative, and how often."""
        return tuple((a, n) for a, n in zip(self.field.args, self.orders, strict=True) if n)

    def order(self, *coordinates: sympy.Symbol) -> int:
        """The number of derivatives, with respect to `coordinates` if given."""
        return sum(n for a, n in self.counts if not coordinates or a in coordinates)

    @property
    def is_value(self) -> bool:
        """Whether it is the field itself."""
        return not any(self.orders)

    def expression(self) -> sympy.Expr:
        """The field or its derivative as a SymPy expression."""
        return sympy.Derivative(self.field, *self.counts) if self.counts else self.field


@dataclass(frozen=True)
class JetExpression:
    """A scalar expression with every derivative replaced by a symbol: `symbols[jet]`."""

    expression: sympy.Expr
    symbols: dict[Jet, sympy.Dummy]

    def slope(self, jet: Jet) -> sympy.Expr:
        """The partial derivative with respect to one jet, with jets cancelled that do not matter,
        unless it is long."""
        if jet not in self._slopes:
            symbol = self.symbols[jet]
            slope = self._factors.get(symbol, sympy.S.Zero)
            if slope is None:
                slope = rate_along(self.expression, symbol)
            held = slope.free_symbols & set(self.symbols.values())
            self._slopes[jet] = sympy.expand(slope) if held and is_short(slope) else slope
        return self._slopes[jet]

    @cached_property
    def _factors(self) -> dict[Any, sympy.Expr | None]:
        return slopes_of(self.expression, frozenset(self.symbols.values()))

    @cached_property
    def _slopes(self) -> dict[Jet, sympy.Expr]:
        return {}

    def rest(self) -> sympy.Expr:
        """What is left where every jet is zero."""
        return self.expression.subs(dict.fromkeys(self.symbols.values(), 0))

    @property
    def is_linear(self) -> bool:
        """Whether the expression is affine in all its jets together."""
        held = set(self.symbols.values())
        return not any(self.slope(jet).free_symbols & held for jet in self.symbols)


def is_short(expression: sympy.Expr) -> bool:
    """Whether an expression is multiplied out to see what cancels: not if it is long, or divides by
    a sum."""
    nodes = list(islice(sympy.preorder_traversal(expression), SHORT + 1))
    divides = (n.is_Pow and n.base.is_Add and not n.exp.is_positive for n in nodes)
    return len(nodes) <= SHORT and not any(divides)


@lru_cache(maxsize=4096)
def jet_expression(expression: sympy.Expr) -> JetExpression:
    """The expression on jet space.

    Raises:
        ValueError for derivatives of anything but fields, and fields taken elsewhere than at their
        coordinates.

    Example:
        >>> from equations import coordinates, diff, field
        >>> x = coordinates("x")
        >>> u = field("u", x)
        >>> sorted(jet.orders for jet in jet_expression(u * diff(u, x, 2)).symbols)
        [(0,), (2,)]
    """
    symbols: dict[Jet, sympy.Dummy] = {}
    return JetExpression(_on_jets(expand(expression), symbols), symbols)


def _on_jets(
    expanded: sympy.Expr, symbols: dict[Jet, sympy.Dummy], place: Any = None
) -> sympy.Expr:
    """The expression with its jets replaced by `symbols`. What is taken elsewhere is shown by one
    value there: for questions about structure an integral is its length times a value."""
    stand_in: dict[sympy.Expr, sympy.Expr] = {}
    for node in outermost(expanded):
        inner, scale, moves = one_value(node)
        stand_in[node] = scale * _on_jets(inner, symbols, place or node).xreplace(moves)
    for atom in jet_atoms(expanded):
        f, orders = field_and_orders(atom)
        kind = {"real": True} if f.is_real else {"complex": True}
        jet = Jet(f, orders, place)
        stand_in[atom] = symbols.setdefault(jet, sympy.Dummy(str(atom), **kind))
    return expanded.xreplace(stand_in)


def all_jets(expressions: Iterable[sympy.Expr]) -> tuple[Jet, ...]:
    """The jets of several expressions, each once."""
    return tuple(dict.fromkeys(jet for e in expressions for jet in jet_expression(e).symbols))


def regions(problem: Any) -> dict[AppliedUndef, tuple[str, ...]]:
    """For each field the regions in which it lives, those of its equations; all regions where an
    equation holds everywhere, none where the domain has none.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x = eq.coordinates("x")
        >>> u, v = eq.field("u", x), eq.field("v", x)
        >>> bar = geo.Regions(a=geo.Interval(0, 1), b=geo.Interval(1, 2))
        >>> laws = {"a": eq.Eq(eq.diff(u, x), v), ("a", "b"): eq.Eq(eq.diff(v, x), 0)}
        >>> regions(eq.Problem(bar, laws))
        {u(x): ('a',), v(x): ('a', 'b')}
    """
    every = tuple(problem.domain.regions)
    found: dict[AppliedUndef, set[str]] = {f: set() for f in problem.fields}
    for equation in problem.equations:
        for f in fields_in(equation):
            found[f] |= {equation.region} if equation.region else set(every)
    return {f: tuple(name for name in every if name in names) for f, names in found.items()}


def orders(problem: Any) -> dict[AppliedUndef, dict[sympy.Symbol, int]]:
    """For each field, the highest order of derivative in the equations along each coordinate.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x, t = eq.coordinates("x t")
        >>> law = eq.Burgers((x, t), viscosity=1)
        >>> orders(eq.Problem(geo.Interval(0, 1).over(t, 0, 1), law))
        {u(x, t): {x: 2, t: 1}}
    """
    found = {f: dict.fromkeys(f.args, 0) for f in problem.fields}
    for jet in all_jets(problem.residuals):
        for argument, n in zip(jet.field.args, jet.orders, strict=True):
            found[jet.field][argument] = max(found[jet.field][argument], n)
    for node in (n for r in problem.residuals for n in r.atoms(FractionalLaplacian)):
        for f in fields_in(node.args[0]):  # a condition at each end, as of second order
            found[f][node.args[2][0]] = max(found[f][node.args[2][0]], 2)
    return found


def time_order(problem: Any, field: AppliedUndef) -> int:
    """The highest order of time derivative of `field` in the equations; 0 in a steady problem.

    Example:
        >>> import equations as eq, geometry as geo
        >>> t = eq.coordinates("t")
        >>> u = eq.field("u", t)
        >>> time_order(eq.Problem(geo.Time(0, 1), eq.Eq(eq.diff(u, t, 2), -u)), u)
        2
    """
    return max((n for a, n in orders(problem)[field].items() if is_time(a)), default=0)


def space_order(problem: Any, field: AppliedUndef) -> int:
    """The highest total order of spatial derivatives of `field` in one term of the equations.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x, y = eq.coordinates("x y")
        >>> u = eq.field("u", x, y)
        >>> plate = eq.Eq(eq.diff(u, x, 2, y, 2), 0)
        >>> space_order(eq.Problem(geo.Rectangle((0, 0), (1, 1)), plate), u)
        4
    """
    space = spatial(field.args)
    if not space:
        return 0
    own = (j.order(*space) for j in all_jets(problem.residuals) if j.field == field)
    return max(own, default=0)


def is_linear(problem: Any) -> bool:
    """Whether equations and conditions are affine in all fields together.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x, y = eq.coordinates("x y")
        >>> square = geo.Rectangle((0, 0), (1, 1))
        >>> is_linear(eq.Problem(square, eq.Poisson((x, y), source=x * y)))
        True
        >>> is_linear(eq.Problem(square, eq.NavierStokes((x, y), viscosity=1)))
        False
    """
    conditions = [r for c in problem.conditions for r in c.equation.residuals]
    return all(jet_expression(r).is_linear for r in (*problem.residuals, *conditions))


@lru_cache(maxsize=4096)
def stated_value(residual: sympy.Expr) -> tuple[Jet, sympy.Expr] | None:
    """The field or single derivative whose value a scalar condition states, and that value."""
    held = jet_expression(residual)
    if len(held.symbols) != 1:
        return None
    (jet,) = held.symbols
    if jet.place is not None:
        return None
    slope = held.slope(jet)
    if not slope.is_number or slope == 0:
        return None
    return jet, sympy.sympify(-held.rest() / slope)


def stated(condition: Any) -> dict[Jet, sympy.Expr]:
    """The fields and single derivatives whose value the components of a condition state."""
    return dict(filter(None, map(stated_value, condition.equation.residuals)))


def dirichlet(condition: Any) -> dict[AppliedUndef, sympy.Expr]:
    """The values of fields that a condition states: `{u: g}` for components c u = g with a number c
    and a g free of fields.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x = eq.coordinates("x")
        >>> u, v = eq.field("u", x), eq.field("v", x)
        >>> left = geo.Interval(0, 1)["left"]
        >>> dirichlet(eq.Condition("left", left, eq.Eq((2 * u, u + v), (x, 0))))
        {u(x): x/2}
    """
    return {jet.field: value for jet, value in stated(condition).items() if jet.is_value}


def initial_rate(condition: Any) -> dict[AppliedUndef, sympy.Expr]:
    """The first time derivatives of fields that a condition states: `{u: g}` for du/dt = g.

    Example:
        >>> import equations as eq, geometry as geo
        >>> t = eq.coordinates("t")
        >>> u = eq.field("u", t)
        >>> start = geo.Time(0, 1)["initial"]
        >>> initial_rate(eq.Condition("initial", start, eq.Eq(eq.diff(u, t), 3)))
        {u(t): 3}
    """
    return {
        jet.field: value
        for jet, value in stated(condition).items()
        if jet.order() == 1 and any(is_time(a) and jet.order(a) for a in jet.field.args)
    }


def solenoidal(problem: Any) -> tuple[AppliedUndef, ...] | None:
    """The velocity whose divergence one equation states to vanish, up to a factor, in the order of
    the spatial coordinates (two or three); None where there is none.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x, y = eq.coordinates("x y")
        >>> flow = eq.NavierStokes((x, y), viscosity=1)
        >>> solenoidal(eq.Problem(geo.Rectangle((0, 0), (1, 1)), flow))
        (u(x, y), v(x, y))
    """
    found = continuity(problem)
    return found[1] if found else None


def continuity(problem: Any) -> tuple[int, tuple[AppliedUndef, ...]] | None:
    """The index among `problem.residuals` of the equation that states div(velocity) = 0, and the
    velocity; see `solenoidal`."""
    space = spatial(problem.coordinates)
    if len(space) not in (2, 3):
        return None
    for i, residual in enumerate(problem.residuals):
        velocity = _divergence_free(jet_expression(residual), space)
        if velocity:
            return i, velocity
    return None


def _divergence_free(
    expression: JetExpression, space: tuple[sympy.Symbol, ...]
) -> tuple[AppliedUndef, ...] | None:
    if any(j.place is not None for j in expression.symbols):
        return None
    along = {s: [j for j in expression.symbols if j.order(s) == 1] for s in space}
    first = [j for j in expression.symbols if j.order() == 1]
    if len(first) != len(expression.symbols) or any(len(own) != 1 for own in along.values()):
        return None
    slopes = {sympy.simplify(expression.slope(j)) for j in first}
    velocity = tuple(own[0].field for own in along.values())
    same_factor = len(slopes) == 1 and not slopes.pop().free_symbols & set(
        expression.symbols.values()
    )
    if same_factor and len(first) == len(set(velocity)) == len(space) and expression.rest() == 0:
        return velocity
    return None


def only_derivatives(problem: Any, field: AppliedUndef) -> bool:
    """Whether `field` enters the equations through its derivatives alone, so that they determine it
    up to a constant.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x, y = eq.coordinates("x y")
        >>> flow = eq.NavierStokes((x, y), viscosity=1)
        >>> problem = eq.Problem(geo.Rectangle((0, 0), (1, 1)), flow)
        >>> [only_derivatives(problem, f) for f in problem.fields]
        [False, False, True]
    """
    return all(j.order() for j in all_jets(problem.residuals) if j.field == field)


def floating(problem: Any) -> tuple[AppliedUndef, ...]:
    """The fields that the whole statement determines up to a constant only: neither an equation nor
    a condition nor a datum holds their value.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x, y = eq.coordinates("x y")
        >>> flow = eq.NavierStokes((x, y), viscosity=1)
        >>> walls = {"boundary": eq.Eq(flow.velocity, 0)}
        >>> floating(eq.Problem(geo.Rectangle((0, 0), (1, 1)), flow, walls))
        (p(x, y),)
    """
    held = {jet.field for jet in all_jets(_everything(problem)) if jet.is_value}
    return tuple(f for f in problem.fields if f not in held)


def _everything(problem: Any) -> Iterator[sympy.Expr]:
    yield from problem.residuals
    for condition in problem.conditions:
        yield from condition.equation.residuals
    for data in problem.data:
        yield from data.values


def groups(problem: Any) -> tuple[tuple[AppliedUndef, ...], ...]:
    """The fields grouped by their highest order of derivative, highest first: velocity apart from
    pressure. Errors are reported for each group.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x, y = eq.coordinates("x y")
        >>> flow = eq.NavierStokes((x, y), viscosity=1)
        >>> groups(eq.Problem(geo.Rectangle((0, 0), (1, 1)), flow))
        ((u(x, y), v(x, y)), (p(x, y),))
    """
    highest = {
        f: max((j.order() for j in all_jets(problem.residuals) if j.field == f), default=0)
        for f in problem.fields
    }
    levels = sorted(set(highest.values()), reverse=True)
    return tuple(tuple(f for f in problem.fields if highest[f] == n) for n in levels)
