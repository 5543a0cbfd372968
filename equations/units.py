"""Units of measurement: numbers that carry one, and the check that terms which are added agree.

`quantity(1, "mm")` is the SI number 0.001 that remembers being a length, and
`Problem(units={x: "m", T: "K"})` says what the numbers of the statement count. Nothing is converted
behind one's back; the doctor finds what does not fit. Units are read by `pint`, an optional package
(`pip install "sciml-toolkit[units]"`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from .expressions import as_expression
from .operators import Divergence
from .symbols import NormalComponent


class Quantity(sympy.NumberSymbol):
    """A number in SI units that remembers its unit; made by `quantity`."""

    value: float
    unit: str
    is_real = True
    is_finite = True

    def __new__(cls, value, unit):
        self = sympy.Expr.__new__(cls)
        self.value, self.unit = float(value), str(unit)
        return self

    def __getnewargs__(self):
        return (self.value, self.unit)

    def _hashable_content(self):
        return (self.value, self.unit)

    def __eq__(self, other):
        if not isinstance(other, Quantity):
            return False
        return (self.value, self.unit) == (other.value, other.unit)

    def __hash__(self):
        return hash((type(self).__name__, self.value, self.unit))

    def _eval_is_positive(self):
        return self.value > 0

    def _eval_is_negative(self):
        return self.value < 0

    def _eval_is_zero(self):
        return self.value == 0

    def _as_mpf_val(self, precision):
        return sympy.Float(self.value)._as_mpf_val(precision)

    def _code(self, printer):
        return repr(self.value)

    _pythoncode = _numpycode = _scipycode = _jaxcode = _code

    def _sympystr(self, printer):
        return f"[{self.value:.6g} {self.unit}]" if self.unit else f"{self.value:.6g}"

    def _latex(self, printer):
        return rf"{self.value:.6g}\,\mathrm{{{self.unit.replace(' ', chr(92) + ',')}}}"


def quantity(value: float, unit: str) -> Quantity:
    """The number in SI base units of `value` in `unit`, as a coefficient that remembers its unit.

    Raises:
        ValueError for what is no unit, TypeError for what is no number, ImportError without `pint`.

    Example:
        >>> quantity(20, "degC"), float(quantity(1.8, "mPa s"))
        ([293.15 K], 0.0018)
    """
    number = as_expression(value, "quantity")
    if not getattr(number, "is_number", False):
        raise TypeError(f"`quantity(value, unit)` takes a number; got {value!r}.")
    registry = _registry()
    measured = registry.Quantity(float(number), _parsed(unit)).to_base_units()
    return Quantity(float(f"{measured.magnitude:.15g}"), _written(measured.units))


def checked_units(value: Any) -> tuple[tuple[sympy.Expr, str], ...]:
    """`{symbol or field: unit}` as pairs, each unit known to `pint`.

    Raises:
        TypeError for what is no mapping, ValueError for what is no unit.
    """
    pairs = value.items() if isinstance(value, Mapping) else value
    try:
        given = [(k, u) for k, u in pairs]
    except (TypeError, ValueError):
        raise TypeError(f'`units` takes `{{x: "m", u: "m/s"}}`; got {value!r}.') from None
    found = []
    for key, unit in given:
        for symbol in key if isinstance(key, sympy.MatrixBase | tuple) else (key,):
            expression = as_expression(symbol, "units")
            if not isinstance(expression, sympy.Symbol | AppliedUndef):
                raise TypeError(f"a key of `units` is a coordinate, field or parameter; got {key}.")
            _parsed(unit)
            found.append((expression, unit))
    return tuple(found)


@functools.cache
def _registry() -> Any:
    try:
        import pint
    except ImportError as error:
        raise ImportError(
            'units need the package pint: pip install "sciml-toolkit[units]".'
        ) from error
    return pint.UnitRegistry(autoconvert_offset_to_baseunit=True)


def _parsed(unit: Any) -> Any:
    registry = _registry()
    try:
        return registry.Unit(unit)
    except Exception:
        raise ValueError(f"{unit!r} is no unit; write it as 'm/s', 'Pa s' or 'W/m/K'.") from None


def _written(unit: Any) -> str:
    return f"{unit:~C}".replace("**", "^").replace("*", " ") if str(unit) != "dimensionless" else ""


@dataclass(frozen=True)
class Measure:
    """A unit as a factor times powers of SI base units."""

    factor: float
    powers: tuple[tuple[str, float], ...]

    @classmethod
    def of(cls, unit: str) -> Measure:
        """The measure of a unit by its name."""
        registry = _registry()
        base = registry.Quantity(1.0, _parsed(unit)) - registry.Quantity(0.0, _parsed(unit))
        base = base.to_base_units()
        return cls(float(base.magnitude), tuple(sorted(dict(base.unit_items()).items())))

    def times(self, other: Measure, power: float = 1.0) -> Measure:
        """The product with a power of another measure."""
        powers = dict(self.powers)
        for name, n in other.powers:
            powers[name] = powers.get(name, 0.0) + power * n
        kept = tuple(sorted((name, float(n)) for name, n in powers.items() if abs(n) > 1e-9))
        return Measure(self.factor * other.factor**power, kept)

    def agrees(self, other: Measure) -> bool:
        """Whether numbers in both may be added."""
        same = dict(self.powers) == dict(other.powers)
        return same and abs(self.factor - other.factor) <= 1e-9 * abs(self.factor)

    def __str__(self) -> str:
        registry = _registry()
        unit = registry.Unit(registry.UnitsContainer(dict(self.powers)))
        text = _written(unit) or "a pure number"
        return text if abs(self.factor - 1) < 1e-9 else f"{self.factor:.4g} {text}"


PURE = Measure(1.0, ())


class UnitConflict(ValueError):
    """Terms that are added have different units; `terms` holds pairs (expression, measure)."""

    def __init__(self, terms: tuple[tuple[Any, Measure], ...]):
        self.terms = terms
        super().__init__(", but ".join(f"{e} is in {m}" for e, m in terms))


def measure(expression: sympy.Expr, units: Mapping[Any, str]) -> Measure | None:
    """The unit of an expression; None where something in it has none that is known.

    Raises:
        UnitConflict where terms that are added differ, or an exponent or the argument of a function
        is no pure number.

    Example:
        >>> from equations import coordinates, diff, field
        >>> x, t = coordinates("x t")
        >>> T = field("T", x, t)
        >>> units = {x: "m", t: "s", T: "K"}
        >>> print(measure(quantity(1e-5, "m^2/s") * diff(T, x, 2), units))
        K/s
    """
    return _Reader(units).read(sympy.sympify(expression))


_SAME = (sympy.Abs, sympy.conjugate, sympy.re, sympy.im)
_ALIKE = (sympy.Max, sympy.Min)


class _Reader:
    def __init__(self, units: Mapping[Any, str]):
        self.known = {k: Measure.of(u) for k, u in units.items()}

    def read(self, e: Any) -> Measure | None:
        if isinstance(e, Quantity):
            return Measure.of(e.unit.replace("^", "**")) if e.unit else PURE
        if e in self.known:
            return self.known[e]
        if isinstance(e, NormalComponent) or (e.is_number and not e.has(Quantity)):
            return PURE
        if isinstance(e, sympy.Add | Divergence) or isinstance(e, _ALIKE):
            return self.common(e)
        if isinstance(e, sympy.Mul):
            return self.product((a, 1.0) for a in e.args)
        if isinstance(e, sympy.Pow):
            return self.power(e)
        if isinstance(e, sympy.Derivative):
            return self.product([(e.expr, 1.0), *((v, -float(n)) for v, n in e.variable_count)])
        if isinstance(e, _SAME):
            return self.read(e.args[0])
        if isinstance(e, sympy.Function) and not isinstance(e, AppliedUndef):
            for argument in e.args:
                self.require_pure(argument, e)
            return PURE
        return None

    def product(self, factors: Iterable[tuple[Any, float]]) -> Measure | None:
        whole = PURE
        for factor, power in factors:
            found = self.read(factor)
            if found is None:
                return None
            whole = whole.times(found, power)
        return whole

    def power(self, e: sympy.Pow) -> Measure | None:
        if not e.exp.is_number:
            self.require_pure(e.exp, e)
            self.require_pure(e.base, e)
            return PURE
        base = self.read(e.base)
        return None if base is None else PURE.times(base, float(sympy.re(e.exp)))

    def common(self, e: sympy.Expr) -> Measure | None:
        """The unit that all terms with a unit share. Known functions of the coordinates alone, as
        profiles and numbers, have that of the others."""
        is_divergence = isinstance(e, Divergence)
        terms = zip(e.flux, e.space, strict=True) if is_divergence else ((a, 1) for a in e.args)
        first: tuple[Any, Measure] | None = None
        for term, per in terms:
            known = not term.has(AppliedUndef, Quantity)
            found = None if known else self.product([(term, 1.0), (sympy.sympify(per), -1.0)])
            if found is None:
                continue
            if first is None:
                first = term, found
            elif not first[1].agrees(found):
                raise UnitConflict((first, (term, found)))
        return None if first is None else first[1]

    def require_pure(self, argument: Any, whole: Any) -> None:
        found = self.read(argument) if argument.has(AppliedUndef, Quantity) else None
        if found is not None and not found.agrees(PURE):
            raise UnitConflict(((argument, found), (f"what {whole} is taken of", PURE)))
