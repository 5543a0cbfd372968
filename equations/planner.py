"""From expressions to functionals: which numbers an expression needs of the fields, and where.

Terms that are linear in one field and differ by numeric factors are collected into one functional.
Integrals become weighted sums over quadrature points: arrays get one more axis for each level of
nesting, and a functional inside is taken at a place that depends on the quadrature variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from diffcore import quadrature

from .curvilinear import area_factor, volume_factor
from .elsewhere import At
from .expansion import expanded, slopes_of
from .expressions import as_expression
from .integrals import GaussIntegral, RegionIntegral
from .nonlocal_terms import NONLOCAL, gauss_form, outermost
from .symbols import NormalComponent, Parameter, normal, spatial
from .traces import STEP, Trace

Orders = tuple[int, ...]
AXIS_SUM = "sum_over_quadrature_axis"
POINTS = {1: 64, 2: 1024, 3: 8000}  # of integrals over shapes and parts, by their dimension


@dataclass(frozen=True)
class Functional:
    """A linear constant-coefficient differential operator of one field, at the point.

    `terms` holds pairs (orders, coefficient); orders count derivatives in the order of the field's
    own arguments. `place`: where it is taken instead, one expression for each coordinate of the
    problem; methods never see such functionals."""

    field: AppliedUndef
    terms: tuple[tuple[Orders, complex], ...]
    place: tuple[sympy.Expr, ...] | None = None

    @property
    def order(self) -> int:
        """The highest order of derivative in it."""
        return max(sum(orders) for orders, _ in self.terms)

    def expression(self) -> sympy.Expr:
        """The functional as a SymPy expression."""
        return sympy.Add(*(c * derivative(self.field, orders) for orders, c in self.terms))


@dataclass(frozen=True, eq=False)
class Quadrature:
    """Constant arrays (Q,) of quadrature, one for each of `symbols`, along the axis `depth`."""

    symbols: tuple[sympy.Dummy, ...]
    arrays: tuple[np.ndarray, ...]
    depth: int


@dataclass(frozen=True)
class Frame:
    """Where an expression stands: coordinates that have moved, and how many integrals are open."""

    moves: Mapping[sympy.Symbol, sympy.Expr] = field(default_factory=dict)
    depth: int = 0

    def move(self, more: Mapping[sympy.Symbol, sympy.Expr], deeper: int = 0) -> Frame:
        """The frame with more coordinates moved."""
        return Frame({**self.moves, **more}, self.depth + deeper)


class Planner:
    """Collects the functionals that expressions need and replaces them by symbols."""

    def __init__(self, coordinates: tuple[sympy.Symbol, ...], domain: Any, collapse: bool) -> None:
        self.coordinates, self.domain, self.collapse = coordinates, domain, collapse
        self.functionals: dict[Functional, sympy.Dummy] = {}
        self.quadratures: dict[Any, Quadrature] = {}

    @property
    def depth(self) -> int:
        """The number of axes that quadrature adds to arrays."""
        return max((q.depth + 1 for q in self.quadratures.values()), default=0)

    def symbol(self, functional: Functional) -> sympy.Dummy:
        """The symbol of a functional's value."""
        name = f"value_{len(self.functionals)}"
        return self.functionals.setdefault(functional, sympy.Dummy(name))

    def reduce(self, expression: sympy.Expr, frame: Frame = Frame()) -> sympy.Expr:
        """The expression with every functional replaced by its symbol."""
        opaque = {node: sympy.Dummy() for node in outermost(expression)}
        inner = expression.xreplace(opaque)
        stand_in = {atom: sympy.Dummy() for atom in jet_atoms(inner)}
        inner = inner.xreplace(stand_in)
        back: dict[sympy.Expr, sympy.Expr] = dict(frame.moves)
        if self.collapse:
            inner = self._collapse(inner, stand_in, back, frame)
        free = inner.free_symbols
        for atom, dummy in stand_in.items():
            if dummy in free:
                f, orders = field_and_orders(atom)
                back[dummy] = self._value(f, ((orders, 1),), frame)
        for node, dummy in opaque.items():
            if dummy in free:
                back[dummy] = self._lower(node, frame)
        return inner.xreplace(back)

    def _value(self, f: AppliedUndef, terms: Any, frame: Frame) -> sympy.Dummy:
        if not any(a in frame.moves for a in f.args):
            return self.symbol(Functional(f, terms))
        own = {**{c: c for c in f.args}, **frame.moves}  # others: any number, as f has no say
        place = tuple(own[c] if c in f.args else sympy.S.Zero for c in self.coordinates)
        return self.symbol(Functional(f, terms, place))

    def _collapse(self, inner, stand_in, back, frame) -> sympy.Expr:
        """Replace sums `slope * (c1 d1 + c2 d2 + ...)` over atoms d of a field, with numeric c."""
        groups: list[tuple[AppliedUndef, sympy.Expr, list]] = []
        slopes = slopes_of(inner, frozenset(stand_in.values()))
        for atom, dummy in stand_in.items():
            slope = slopes.get(dummy)
            if not slope:
                continue
            f, orders = field_and_orders(atom)
            for other, factor, terms in groups:
                ratio = _ratio(slope, factor) if f == other else None
                if ratio is not None:
                    terms.append((dummy, orders, number(ratio)))
                    break
            else:
                groups.append((f, slope, [(dummy, orders, 1)]))
        for f, _, terms in groups:
            dummies = [dummy for dummy, _, _ in terms]
            if len(terms) < 2:
                continue
            # Anew: it may hold sums replaced before.
            factor = slopes_of(inner, frozenset(dummies[:1]))[dummies[0]]
            if factor is None or factor.free_symbols & set(dummies):
                continue
            whole = sympy.Dummy()
            inner = inner.xreplace(dict.fromkeys(dummies, sympy.S.Zero)) + factor * whole
            back[whole] = self._value(f, tuple(sorted((o, c) for _, o, c in terms)), frame)
        return inner

    def _lower(self, node: sympy.Expr, frame: Frame) -> sympy.Expr:
        """A node that takes its expression elsewhere, as sums over functionals at places."""
        if isinstance(node, At):
            moves = {v: self.reduce(p, frame) for v, p in node.moves.items()}
            return self.reduce(node.expression, frame.move(moves))
        if isinstance(node, Trace):
            return self._trace(node, frame)
        if isinstance(node, RegionIntegral):
            return self._region(node, frame)
        return self._gauss(gauss_form(node), frame)

    def _trace(self, node: Trace, frame: Frame) -> sympy.Expr:
        step = float(node.args[1]) * STEP * (self.domain.size if self.domain is not None else 1.0)
        space = spatial(self.coordinates)
        moves = {
            c: frame.moves.get(c, c) + step * frame.moves.get(n, n)
            for c, n in zip(space, normal(space), strict=True)
        }
        return self.reduce(node.args[0], frame.move(moves))

    def _gauss(self, node: GaussIntegral, frame: Frame) -> sympy.Expr:
        integrand, (variable, lower, upper), (p, q), n = node.args
        z, w = self._rule(int(n), float(p), float(q), frame.depth)
        if lower.is_infinite or upper.is_infinite:
            point, factor = _unbounded(lower, upper, z, lambda end: self.reduce(end, frame))
        else:
            a, b = self.reduce(lower, frame), self.reduce(upper, frame)
            point, factor = a + (b - a) * z, (b - a) ** (1 + p + q)
        inner = self.reduce(integrand, frame.move({variable: point}, 1))
        return _sum(frame.depth, w * factor * inner)

    def _rule(self, n: int, p: float, q: float, depth: int) -> tuple[sympy.Dummy, ...]:
        """A Gauss rule for the weight z^p (1 - z)^q on (0, 1)."""
        key = (n, p, q, depth)
        if key not in self.quadratures:
            rule = quadrature.gauss_jacobi(n, q, p)
            arrays = ((np.asarray(rule[0]) + 1) / 2, np.asarray(rule[1]) / 2 ** (1 + p + q))
            symbols = (sympy.Dummy("z", real=True), sympy.Dummy("w", real=True))
            self.quadratures[key] = Quadrature(symbols, arrays, depth)
        return self.quadratures[key].symbols

    def _region(self, node: RegionIntegral, frame: Frame) -> sympy.Expr:
        integrand, region, n, is_mean = node.args
        place = region.resolve(self.domain)
        sample, is_part = _sample(place, int(n))
        axes = getattr(place, "shape", place).axes
        named = {c.name: c for c in self.coordinates}
        lacking = [a for a in axes if a not in named]
        if lacking:
            raise ValueError(f"{node}: the problem has no coordinate {', '.join(lacking)}.")
        space = [named[a] for a in axes]
        key = (region, n, frame.depth)
        if key not in self.quadratures:
            columns = [*np.asarray(sample.points).T, np.asarray(sample.weights)]
            if is_part:
                columns += list(np.asarray(sample.normals).T)
            symbols = tuple(sympy.Dummy(f"q{i}", real=True) for i in range(len(columns)))
            self.quadratures[key] = Quadrature(symbols, tuple(columns), frame.depth)
        symbols = self.quadratures[key].symbols
        d = len(space)
        moves: dict[sympy.Symbol, sympy.Expr] = dict(zip(space, symbols[:d], strict=True))
        factor = area_factor(space) if is_part else volume_factor(space)
        if is_part:
            moves |= dict(zip(normal(space), symbols[d + 1 :], strict=True))
        inside = frame.move(moves, 1)
        weight = symbols[d] * factor.xreplace(moves)
        whole = _sum(frame.depth, weight * self.reduce(integrand, inside))
        return whole / _sum(frame.depth, weight) if is_mean else whole


def _ratio(a: sympy.Expr, b: sympy.Expr) -> sympy.Expr | None:
    """The number a / b, which SymPy does not cancel for a `Piecewise`; None where it is none."""
    (c, own), (d, other) = a.as_coeff_Mul(), b.as_coeff_Mul()
    if own == other:
        return c / d
    ratio = None if own.is_Add or other.is_Add else a / b
    return ratio if ratio is not None and ratio.is_number else None


def _sample(place: Any, n: int) -> tuple[Any, bool]:
    """Quadrature points on a part, or in a shape; whether it is a part. Pieces and what is cut have
    no Gauss rule, and Sobol points in its place, four times as many."""
    is_part = hasattr(place, "sample")
    dimension = len(getattr(place, "shape", place).axes) - is_part
    n = n or POINTS.get(max(dimension, 1), 8000)
    draw = place.sample if is_part else place.sample_interior
    try:
        return draw(n, key=0, sampler="gauss"), is_part
    except ValueError:
        return draw(4 * n, key=0, sampler="sobol"), is_part


def _unbounded(lower, upper, z, finite) -> tuple[sympy.Expr, sympy.Expr]:
    """Points and derivative of a map of (0, 1) to an interval without bounds."""
    if not lower.is_infinite:
        return finite(lower) + z / (1 - z), 1 / (1 - z) ** 2
    if not upper.is_infinite:
        return finite(upper) - (1 - z) / z, 1 / z**2
    y = 2 * z - 1
    return y / (1 - y**2), 2 * (1 + y**2) / (1 - y**2) ** 2


def _sum(depth: int, integrand: sympy.Expr) -> sympy.Expr:
    if integrand == 0:
        return integrand
    return sympy.Function(AXIS_SUM)(sympy.Integer(depth), integrand)


def number(value: sympy.Expr) -> complex | float | int:
    """A SymPy number as Python's."""
    found = complex(value)
    if found.imag:
        return found
    return int(found.real) if value.is_Integer else found.real


def expand(expression: Any) -> sympy.Expr:
    """A scalar expression with its divergences and derivatives carried out; integrals stay."""
    expression = expanded(as_expression(expression, "expressions"), integrals=False)
    if not isinstance(expression, sympy.Expr) or isinstance(expression, sympy.MatrixBase):
        raise TypeError(f"a scalar expression is needed; got {expression!r}.")
    return expression


def jet_atoms(expression: sympy.Expr) -> list[sympy.Expr]:
    """Fields and derivatives of fields at the point, outermost first (a derivative hides its
    field)."""
    found: dict[sympy.Expr, None] = {}
    walk = sympy.preorder_traversal(expression)
    for node in walk:
        if isinstance(node, sympy.Derivative | AppliedUndef):
            found[node] = None
            walk.skip()
        elif isinstance(node, NONLOCAL):
            walk.skip()
        elif isinstance(node, sympy.Subs):
            raise ValueError(f"a derivative taken at a point, {node}, has no value in a residual.")
    return sorted(found, key=_order_of_atom)


@lru_cache(maxsize=4096)  # of a field in a hundred dimensions the text is long
def _order_of_atom(atom: sympy.Expr) -> tuple[int, str]:
    return (atom.derivative_count if isinstance(atom, sympy.Derivative) else 0, str(atom))


def field_and_orders(atom: sympy.Expr) -> tuple[AppliedUndef, Orders]:
    """The field of a jet atom and its derivative orders, in the order of the field's arguments.

    Raises:
        ValueError for derivatives of anything but a field, and fields taken elsewhere.
    """
    if isinstance(atom, AppliedUndef):
        f, counts = atom, {}
    else:
        f, counts = atom.expr, dict(atom.variable_count)
        if not isinstance(f, AppliedUndef):
            raise ValueError(f"{atom} is no derivative of a field; expand it by `.doit()`.")
    for argument in f.args:
        if not isinstance(argument, sympy.Symbol):
            raise ValueError(
                f"{f}: a field is made with its coordinates, by `field(...)`; nothing says which "
                f"of them {argument} stands for."
            )
    return f, tuple(int(counts.get(a, 0)) for a in f.args)


def derivative(f: AppliedUndef, orders: Orders) -> sympy.Expr:
    """The derivative of a field by orders in the order of its arguments."""
    pairs = [(a, n) for a, n in zip(f.args, orders, strict=True) if n]
    return sympy.Derivative(f, *pairs) if pairs else f


def known_symbols(expressions: Iterable[sympy.Expr]) -> tuple[tuple, tuple]:
    """The parameters and the components of the normal in expressions, by name."""
    free = set().union(*(e.free_symbols for e in expressions))
    kinds = (Parameter, NormalComponent)
    found = [sorted((s for s in free if isinstance(s, k)), key=lambda s: s.name) for k in kinds]
    return tuple(found[0]), tuple(found[1])
