"""Expressions in other units: every symbol replaced by its unit times the symbol.

Derivatives, divergences and integrals keep their form; their factors are taken out, and numbers
that are whole up to rounding become whole.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from geometry import Shape
from geometry.rescale import rescaled, rescaled_place

from ..elsewhere import At
from ..operators import Divergence
from ..symbols import Parameter, is_time
from ..systems import Coordinate
from ..units import Quantity

ROUNDING = 1e-13
DIMENSIONS = {"polar": 2, "cylindrical": 3, "spherical": 3}


class NotScalable(ValueError):
    """A problem has no dimensionless form."""


class Rewriting:
    """The substitution x -> L x, u -> u0 + U u, p -> P p in any expression.

    Arguments:
        coordinates, fields, parameters: as in `Scaling`.
    """

    def __init__(self, coordinates: Any, fields: Any, parameters: Any = ()):
        self.symbols: dict[sympy.Symbol, tuple[float, sympy.Symbol]] = {
            symbol: (unit, symbol) for symbol, unit in coordinates
        }
        self.symbols |= {p: (unit, _in_unit(p, unit)) for p, unit in parameters}
        self.fields = {f.func: (f.args, unit, offset) for f, unit, offset in fields}

    def __call__(self, expression: Any, factor: float = 1.0) -> Any:
        """The expression in dimensionless symbols, times a number.

        Raises:
            NotScalable for a kind of term that is not known here.
        """
        return _distributed(self._replaced(expression), factor)

    def _replaced(self, e: Any) -> Any:
        if isinstance(e, sympy.Symbol):
            unit, symbol = self.symbols.get(e, (1.0, e))
            return _times(unit, symbol)
        if isinstance(e, Quantity):
            return _number(e.value)
        if isinstance(e, AppliedUndef):
            return self._field(e)
        if isinstance(e, sympy.Derivative):
            return self._derivative(e)
        if isinstance(e, Divergence):
            return self._divergence(e)
        if isinstance(e, sympy.Integral):
            return self._integral(e)
        if isinstance(e, sympy.Subs):
            raise NotScalable(f"{e}: a derivative at a point.")
        if not getattr(e, "args", ()):
            return e
        if type(e).__module__.startswith("equations"):
            if not hasattr(e, "rewritten"):
                raise NotScalable(f"{type(e).__name__} has no form in other units.")
            return e.rewritten(self)
        return e.func(*map(self._replaced, e.args))

    def unit(self, symbol: sympy.Symbol) -> float:
        """The unit of a coordinate or parameter; 1 for other symbols."""
        return self.symbols.get(symbol, (1.0, symbol))[0]

    def _field(self, f: AppliedUndef) -> sympy.Expr:
        arguments, unit, offset = self.fields.get(f.func, (f.args, 1.0, 0.0))
        places = [
            a if a == own else _times(1 / self.unit(own), self._replaced(a))
            for a, own in zip(f.args, arguments, strict=True)
        ]
        own = [self.symbols.get(a, (1.0, a))[1] if isinstance(a, Parameter) else a for a in places]
        return _number(offset) + _times(unit, f.func(*own))

    def _derivative(self, e: sympy.Derivative) -> sympy.Expr:
        """d/dx = (1 / L) d/dx, of the replaced expression."""
        unit, counts = 1.0, []
        for variable, n in e.variable_count:
            if not isinstance(variable, sympy.Symbol):
                raise NotScalable(f"{e}: a derivative by {variable}.")
            length, symbol = self.symbols.get(variable, (1.0, variable))
            unit *= length ** int(n)
            counts.append((symbol, n))
        return _times(1 / unit, sympy.diff(self._replaced(e.expr), *counts))

    def _divergence(self, e: Divergence) -> sympy.Expr:
        lengths = map(self.unit, e.space)
        flux = (_times(1 / u, self._replaced(f)) for f, u in zip(e.flux, lengths, strict=True))
        return Divergence(list(flux), e.space)

    def region(self, place: Any) -> tuple[Any, float]:
        """A place to integrate over in other units, and the unit of its measure."""
        units = {c.name: unit for c, (unit, _) in self.symbols.items()}
        space = [c for c in self.symbols if not is_time(c) and not isinstance(c, Parameter)]
        length = next((self.unit(c) for c in space if not is_angle(c)), 1.0)
        system = next((c.system.name for c in space if isinstance(c, Coordinate)), "")
        dimension = DIMENSIONS.get(system, len(space))
        if isinstance(place, tuple):
            return place, length ** (dimension - bool(place))
        if isinstance(place, Shape):
            return rescaled(place, units), length**dimension
        owner: Any = getattr(place, "shape", None)
        domain: Any = None if owner is None else rescaled(owner, units)
        return rescaled_place(place, domain, units), length ** (dimension - 1)

    def _integral(self, e: sympy.Integral) -> sympy.Expr:
        """An integral over a variable of a coordinate's unit."""
        inner, limits, unit = self, [], 1.0
        for variable, *ends in e.limits:
            length = self.length(variable, e.function)
            limits.append((variable, *(_times(1 / length, self._replaced(end)) for end in ends)))
            inner = inner.knowing(variable, length)
            unit *= length
        return sympy.Integral(_distributed(inner._replaced(e.function), unit), *limits)

    def length(self, variable: sympy.Symbol, function: Any) -> float:
        """The unit of an integration variable: its own if it is a coordinate, else that of the
        coordinate in whose place it stands."""
        if variable in self.symbols:
            return self.symbols[variable][0]
        for node in function.atoms(At):
            for own, place in node.moves.items():
                if variable in place.free_symbols:
                    return self.unit(own)
        return 1.0

    def knowing(self, variable: sympy.Symbol, length: float) -> Rewriting:
        """The same, with the unit of an integration variable."""
        other = object.__new__(Rewriting)
        other.fields = self.fields
        other.symbols = self.symbols | {variable: (length, variable)}
        return other


def is_angle(c: sympy.Symbol) -> bool:
    """Whether a coordinate is no length: its scale factor is not one."""
    if not isinstance(c, Coordinate):
        return False
    return c.system.name == "user" or c.system.scales[c.system.axes.index(c.name)] != 1


def _in_unit(parameter: Parameter, unit: float) -> Parameter:
    initial = None if parameter.initial is None else parameter.initial / unit
    between = parameter.between and tuple(end / unit for end in parameter.between)
    return Parameter(parameter.name, initial, between, bool(parameter.is_positive), parameter.role)


def _times(factor: float, expression: Any) -> Any:
    """A number times an expression, without a trace of a factor of one."""
    number = _number(factor)
    return expression if number == 1 else _cleaned(number * expression)


def _number(value: float) -> sympy.Expr:
    """A number, whole where it is up to rounding."""
    whole = round(value) if abs(value) < 1e6 else None
    if whole is not None and abs(value - whole) <= ROUNDING * abs(value):
        return sympy.Integer(whole)
    return sympy.Float(value)


def _distributed(expression: sympy.Expr, factor: float) -> sympy.Expr:
    """A number times a sum, term by term, and into the flux of a divergence."""
    terms = sympy.Add.make_args(expression)
    return sympy.Add(*(_term(term, factor) for term in terms))


def _term(term: sympy.Expr, factor: float) -> sympy.Expr:
    number, rest = term.as_coeff_Mul()
    whole = _cleaned(sympy.Float(factor) * number)
    if whole in (1, -1):
        return _cleaned(whole * rest)
    if isinstance(rest, Divergence):
        sign = -1 if whole.is_negative else 1
        return sign * Divergence([_distributed(f, sign * whole) for f in rest.flux], rest.space)
    if isinstance(rest, sympy.Add):
        return _distributed(rest, whole)
    return _cleaned(whole * rest)


def _cleaned(expression: Any) -> Any:
    """The expression with numbers that are whole up to rounding made whole."""
    floats = {n: _number(float(n)) for n in expression.atoms(sympy.Float)}
    changed = {n: m for n, m in floats.items() if m.is_Integer}
    return expression.xreplace(changed) if changed else expression
