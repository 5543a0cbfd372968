"""The symbols of a statement: coordinates, unknown fields and parameters.

All of them are SymPy objects, so that SymPy's own tools work on every statement. Coordinates are
real symbols; a field is an undefined function applied to its coordinates; a parameter is a symbol
that knows whether it is to be identified (`initial`) or whether the solution depends on it
(`between`). The coordinate named `t` is time, all others are space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from .expressions import as_expression

TIME = "t"


def coordinates(names: str) -> Any:
    """Real symbols for the named coordinates, as `x, y, t = coordinates("x y t")`.

    Arguments:
        names: names separated by blanks or commas. `t` is time, the others are space.

    Returns:
        one symbol for one name, else a tuple of symbols.

    Example:
        >>> x, t = coordinates("x t")
        >>> x.is_real
        True
    """
    if not isinstance(names, str) or not names.strip(" ,"):
        raise TypeError(f'`coordinates("x y t")` takes names in one text; got {names!r}.')
    symbols = sympy.symbols(names, real=True)
    for symbol in symbols if isinstance(symbols, tuple) else (symbols,):
        identifier(symbol.name, "a coordinate")
    return symbols


def identifier(name: Any, what: str) -> str:
    """The name, if it is one: a letter or underscore, then letters, digits and underscores.

    Names become names in compiled functions, so no other text may be one.
    """
    if not isinstance(name, str):
        raise TypeError(f"`name` of {what} is text; got {name!r}.")
    if not name.isidentifier():
        close = re.sub(r"\W+", "_", name.replace("'", "_prime")).strip("_")
        hint = f"; write {close!r}" if close.isidentifier() else ""
        raise ValueError(
            f"`name` of {what} is a letter, then letters, digits and underscores, as 'u_x' or "
            f"'rho'; got {name!r}{hint}."
        )
    return name


def field(
    name: str, *arguments: sympy.Symbol, complex: bool = False, positive: bool = False
) -> AppliedUndef:
    """An unknown scalar field `name(*arguments)`: an undefined SymPy function of its coordinates.

    Arguments:
        arguments: the coordinates (and ranged parameters) that it depends on.
        complex: the values are complex.
        positive: the values are positive, which methods build in.

    Example:
        >>> x, t = coordinates("x t")
        >>> field("u", x, t)
        u(x, t)
    """
    identifier(name, "a field")
    if not arguments:
        raise ValueError(
            f"`field({name!r})` got no coordinates: a field depends on at least one; write "
            f"`field({name!r}, x)`, or `parameter({name!r})` for an unknown number."
        )
    for argument in arguments:
        if not isinstance(argument, sympy.Symbol):
            raise TypeError(
                f"`arguments` of field {name!r} must be coordinates; got {argument!r} of type "
                f"{type(argument).__name__}. Make them by `x, y = coordinates('x y')`."
            )
    if len(set(arguments)) != len(arguments):
        raise ValueError(f"`arguments` of field {name!r} repeat a coordinate: {arguments}.")
    if complex and positive:
        raise ValueError(f"field {name!r} cannot be both `complex` and `positive`.")
    assumptions = (
        {"complex": True} if complex else {"positive": True} if positive else {"real": True}
    )
    return sympy.Function(name, **assumptions)(*arguments)


def fields(names: str, *arguments: sympy.Symbol, **options: bool) -> tuple[AppliedUndef, ...]:
    """Several scalar fields of the same coordinates, as `X, Y, Z = fields("X Y Z", t)`."""
    if not isinstance(names, str):
        raise TypeError(f"`fields('u v', x)` takes names in one text; got {names!r}.")
    return tuple(field(name, *arguments, **options) for name in names.replace(",", " ").split())


def vector_field(name: str, *arguments: sympy.Symbol, size: int | None = None) -> sympy.Matrix:
    """An unknown vector field: a column of scalar fields `name_x, name_y, ...`, one for each
    spatial coordinate among `arguments` (or `size` numbered components)."""
    identifier(name, "a vector field")
    space = spatial(arguments)
    suffixes = [s.name for s in space] if size is None else [str(i + 1) for i in range(size)]
    if not suffixes:
        raise ValueError(
            f"`vector_field({name!r})` needs a spatial coordinate or `size=`; got {arguments}."
        )
    return sympy.ImmutableMatrix([field(f"{name}_{suffix}", *arguments) for suffix in suffixes])


class Parameter(sympy.Symbol):
    """A number in a statement: to be identified from `initial`, or ranging `between` two values.

    Made by `parameter`. A SymPy symbol, real, positive if so declared."""

    initial: float | None
    between: tuple[float, float] | None

    def __new__(cls, name, initial=None, between=None, positive=False):
        self = sympy.Symbol.__xnew__(
            cls, name, **({"positive": True} if positive else {"real": True})
        )
        self.initial = initial
        self.between = between
        return self

    def __getnewargs_ex__(self):
        return (self.name, self.initial, self.between, bool(self.is_positive)), {}

    def _hashable_content(self):
        return (*super()._hashable_content(), str(self.initial), str(self.between))


def parameter(
    name: str,
    *,
    initial: float | None = None,
    between: tuple[float, float] | None = None,
    positive: bool = False,
) -> Parameter:
    """A parameter of the problem: `parameter("nu", initial=0.1, positive=True)` is a number to be
    identified together with the fields, from a first guess.

    Arguments:
        initial: first guess of a number to identify.
        between: the range over which the solution is wanted, `(low, high)`.
        positive: kept positive by construction.

    Raises:
        ValueError if both or neither of `initial` and `between` are given, if a number is not
        finite, or if a positive parameter starts at or below zero.
    """
    identifier(name, "a parameter")
    if (initial is None) == (between is None):
        raise ValueError(
            f"`parameter({name!r})` needs either `initial=` (a number to identify) or `between=` "
            f"(the solution depends on it); got initial={initial}, between={between}."
        )
    if between is not None:
        if isinstance(between, str) or not hasattr(between, "__len__") or len(between) != 2:
            raise ValueError(f"`between` of {name!r} needs `(low, high)`; got {between!r}.")
        low, high = (_finite("between", name, end) for end in between)
        if not low < high:
            raise ValueError(f"`between` of {name!r} needs low < high; got {between}.")
        between = (low, high)
    if initial is not None:
        initial = _finite("initial", name, initial)
    lowest = initial if initial is not None else between[0]  # type: ignore[index]
    if positive and not lowest > 0:
        raise ValueError(f"`parameter({name!r}, positive=True)` must start above 0; got {lowest}.")
    return Parameter(name, initial, between, positive)


def _finite(what: str, name: str, value: Any) -> float:
    """A number of a parameter as a float."""
    number = as_expression(value, f"{what} of {name}")
    if not getattr(number, "is_number", False) or not number.is_finite or not number.is_real:
        raise ValueError(f"`{what}` of {name!r} must be finite and real; got {value!r}.")
    return float(number)


class NormalComponent(sympy.Symbol):
    """A component of the outward unit normal of the boundary; `n_x` belongs to axis `x`."""

    def __new__(cls, name):
        return sympy.Symbol.__xnew__(cls, name, real=True)

    def __getnewargs_ex__(self):
        return (self.name,), {}

    @property
    def axis(self) -> str:
        return self.name.removeprefix("n_")


def normal(space: Iterable[sympy.Symbol]) -> sympy.Matrix:
    """The outward unit normal of the boundary as a column of symbols `n_x, n_y, ...`; it has
    values only in conditions and in integrals over parts of the boundary."""
    return sympy.ImmutableMatrix([NormalComponent(f"n_{s.name}") for s in space])


def is_time(symbol: sympy.Symbol) -> bool:
    """Whether a coordinate is time: its name is `t`."""
    return symbol.name == TIME


def spatial(symbols: Iterable[sympy.Symbol]) -> tuple[sympy.Symbol, ...]:
    """The spatial coordinates among `symbols`, in order: neither time nor parameters."""
    return tuple(
        s
        for s in symbols
        if isinstance(s, sympy.Symbol)
        and not is_time(s)
        and not isinstance(s, Parameter | NormalComponent)
    )


def fields_in(expression: Any) -> tuple[AppliedUndef, ...]:
    """The unknown fields in an expression, vector or equation, in order of first appearance."""
    found: dict[AppliedUndef, None] = {}
    for node in sympy.preorder_traversal(expression):
        if isinstance(node, AppliedUndef):
            found[node] = None
    return tuple(found)


def space_of(*expressions: Any) -> tuple[sympy.Symbol, ...]:
    """The spatial coordinates that expressions live in: those of their fields, longest argument
    list first, else their free symbols by name."""
    unknown = [f for e in expressions for f in fields_in(e)]
    ordered: dict[sympy.Symbol, None] = {}
    for f in sorted(unknown, key=lambda f: -len(f.args)):
        ordered.update(dict.fromkeys(spatial(f.args)))
    if not unknown:
        free = set().union(*(e.free_symbols for e in expressions))
        ordered.update(dict.fromkeys(spatial(sorted(free, key=lambda s: s.name))))
    return tuple(ordered)
