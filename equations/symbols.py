"""The symbols of a statement: coordinates, unknown fields and parameters.

All of them are SymPy objects, so that SymPy's own tools work on every statement. Coordinates are
real symbols; a field is an undefined function applied to its coordinates; a parameter is a symbol
that knows whether it is to be identified (`initial`) or whether the solution depends on it
(`between`). The coordinate named `t` is time, all others are space.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np
import scipy
import sympy
from sympy.core.function import AppliedUndef

from geometry.shape import default_axes

from .expressions import as_expression
from .systems import Coordinate, known_system, user_system

TIME = "t"
REACH = 4  # standard deviations to each side that the range of a random parameter holds


def coordinates(
    names: str,
    *,
    size: int | None = None,
    system: str | None = None,
    scales: Callable[..., Any] | None = None,
) -> Any:
    """Real symbols for the named coordinates, as `x, y, t = coordinates("x y t")`.

    Arguments:
        names: names separated by blanks or commas. `t` is time, the others are space.
        size: one name stands for a point in so many dimensions: a column of symbols, named as the
            axes of shapes are, x1, x2, ... above three dimensions.
        system: "polar", "cylindrical" or "spherical" (r, polar angle, azimuth). Coordinates on
            which nothing depends may be left out: "r z" is axial symmetry, a single "r" that of a
            circle or a sphere.
        scales: for another orthogonal system the scale factors, a function of its coordinates.

    Returns:
        one symbol for one name, else a tuple of symbols; a column where `size` is given.

    Example:
        >>> x, t = coordinates("x t")
        >>> x.is_real
        True
        >>> from equations import field, laplacian
        >>> r, theta = coordinates("r theta", system="polar")
        >>> laplacian(field("u", r)).doit().expand()
        Derivative(u(r), (r, 2)) + Derivative(u(r), r)/r
    """
    if not isinstance(names, str) or not names.strip(" ,"):
        raise TypeError(f'`coordinates("x y t")` takes names in one text; got {names!r}.')
    symbols = sympy.symbols(names, real=True)
    listed = symbols if isinstance(symbols, tuple) else (symbols,)
    for symbol in listed:
        identifier(symbol.name, "a coordinate")
    if size is not None:
        return _point(listed, size, system or scales)
    if system is None and scales is None:
        return symbols
    if system is not None and scales is not None:
        raise ValueError("`coordinates` takes `system=` or `scales=`, not both.")
    space = tuple(s.name for s in listed if not is_time(s))
    found = known_system(system, space) if system is not None else user_system(scales, space)
    own = tuple(s if is_time(s) else Coordinate(s.name, found) for s in listed)
    return own if isinstance(symbols, tuple) else own[0]


def _point(listed: tuple[sympy.Symbol, ...], size: Any, system: Any) -> sympy.Matrix:
    if len(listed) != 1 or system:
        raise ValueError('`coordinates` with `size=` takes one name: `coordinates("x", size=100)`.')
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"`size` of `coordinates` is a whole number above 0; got {size!r}.")
    stem = listed[0].name
    axes = [stem + a[1:] if size > 3 else a for a in default_axes(size)]
    if stem != "x" and size <= 3:
        axes = [f"{stem}{i + 1}" for i in range(size)]
    return sympy.ImmutableMatrix([sympy.Symbol(a, real=True) for a in axes])


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
    name: str, *arguments: Any, complex: bool = False, positive: bool = False
) -> AppliedUndef:
    """An unknown scalar field `name(*arguments)`: an undefined SymPy function of its coordinates.

    Arguments:
        arguments: the coordinates (and ranged parameters) that it depends on; a column made by
            `coordinates("x", size=100)` stands for all its symbols.
        complex: the values are complex.
        positive: the values are positive, which methods build in.

    Example:
        >>> x, t = coordinates("x t")
        >>> field("u", x, t)
        u(x, t)
    """
    identifier(name, "a field")
    arguments = _flat(arguments)
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


def _flat(arguments: Iterable[Any]) -> tuple[Any, ...]:
    """Arguments with columns of coordinates taken apart."""
    return tuple(
        item for a in arguments for item in (a if isinstance(a, sympy.MatrixBase) else (a,))
    )


def fields(names: str, *arguments: Any, **options: bool) -> tuple[AppliedUndef, ...]:
    """Several scalar fields of the same coordinates, as `X, Y, Z = fields("X Y Z", t)`."""
    if not isinstance(names, str):
        raise TypeError(f"`fields('u v', x)` takes names in one text; got {names!r}.")
    return tuple(field(name, *arguments, **options) for name in names.replace(",", " ").split())


def vector_field(
    name: str, *arguments: Any, size: int | None = None, complex: bool = False
) -> sympy.Matrix:
    """An unknown vector field: a column of scalar fields `name_x, name_y, ...`, one for each
    spatial coordinate among `arguments` (or `size` numbered components)."""
    suffixes = _suffixes("vector_field", name, _flat(arguments), size)
    return sympy.ImmutableMatrix(
        [field(f"{name}_{suffix}", *arguments, complex=complex) for suffix in suffixes]
    )


def tensor_field(
    name: str,
    *arguments: Any,
    size: int | None = None,
    symmetric: bool = False,
    complex: bool = False,
) -> sympy.Matrix:
    """An unknown tensor field: a square matrix of scalar fields `name_xx, name_xy, ...`.

    Arguments:
        size: the number of rows, numbered, in place of one for each spatial coordinate.
        symmetric: the entries below the diagonal are those above it.

    Example:
        >>> x, y = coordinates("x y")
        >>> tensor_field("s", x, y, symmetric=True)
        Matrix([
        [s_xx(x, y), s_xy(x, y)],
        [s_xy(x, y), s_yy(x, y)]])
    """
    suffixes = _suffixes("tensor_field", name, _flat(arguments), size)

    def entry(i: int, j: int) -> AppliedUndef:
        i, j = sorted((i, j)) if symmetric else (i, j)
        return field(f"{name}_{suffixes[i]}{suffixes[j]}", *arguments, complex=complex)

    return sympy.ImmutableMatrix(len(suffixes), len(suffixes), entry)


def _suffixes(call: str, name: Any, arguments: tuple[Any, ...], size: int | None) -> list[str]:
    identifier(name, "a field of several components")
    space = spatial(arguments)
    suffixes = [s.name for s in space] if size is None else [str(i + 1) for i in range(size)]
    if not suffixes:
        raise ValueError(
            f"`{call}({name!r})` needs a spatial coordinate or `size=`; got {arguments}."
        )
    return suffixes


class Parameter(sympy.Symbol):
    """A number in a statement. A SymPy symbol, real, positive if so declared.

    Made by `parameter` and `eigenvalue`. `role` is "number" (to be identified, from `initial`),
    "eigenvalue", or the distribution over the range `between`: "uniform", "normal", "lognormal"."""

    initial: float | None
    between: tuple[float, float] | None
    role: str

    def __new__(cls, name, initial=None, between=None, positive=False, role=None):
        self = sympy.Symbol.__xnew__(
            cls, name, **({"positive": True} if positive else {"real": True})
        )
        self.initial = initial
        self.between = between
        self.role = role or ("number" if between is None else "uniform")
        return self

    def __getnewargs_ex__(self):
        return (self.name, self.initial, self.between, bool(self.is_positive), self.role), {}

    def _hashable_content(self):
        return (*super()._hashable_content(), str(self.initial), str(self.between), self.role)

    def quantile(self, probability: Any) -> np.ndarray:
        """The value of a ranged parameter below which it lies with that probability: uniform
        numbers in, samples of its distribution out."""
        if self.between is None:
            raise ValueError(f"`quantile` needs a parameter with a range; {self.name} has none.")
        p = np.clip(np.asarray(probability, dtype=float), 0, 1)
        low, high = (np.log(e) if self.role == "lognormal" else e for e in self.between)
        if self.role == "uniform":
            return low + (high - low) * p
        middle, deviation = (low + high) / 2, (high - low) / (2 * REACH)
        values = np.clip(middle + deviation * scipy.special.ndtri(p), low, high)
        return np.exp(values) if self.role == "lognormal" else values


def parameter(
    name: str,
    *,
    initial: float | None = None,
    between: tuple[float, float] | None = None,
    normal: tuple[float, float] | None = None,
    positive: bool = False,
) -> Parameter:
    """A parameter of the problem: `parameter("nu", initial=0.1, positive=True)` is a number to be
    identified together with the fields, from a first guess.

    Arguments:
        initial: first guess of a number to identify.
        between: the range over which the solution is wanted, `(low, high)`.
        normal: mean and standard deviation of a random number on which the solution depends; with
            `positive` its logarithm is normal, with this mean and deviation of the number itself.
            The range is four deviations to each side.
        positive: kept positive by construction.

    Raises:
        ValueError unless one of `initial`, `between` and `normal` is given, if a number is not
        finite, or if a positive parameter starts at or below zero.

    Example:
        >>> parameter("k", normal=(1.0, 0.1)).between
        (0.6, 1.4)
    """
    identifier(name, "a parameter")
    if sum(given is not None for given in (initial, between, normal)) != 1:
        raise ValueError(
            f"`parameter({name!r})` needs either `initial=` (a number to identify) or `between=` "
            f"or `normal=` (the solution depends on it); got initial={initial}, between={between}, "
            f"normal={normal}."
        )
    if initial is not None:
        first = _finite("initial", name, initial)
        _require_positive(name, positive, first)
        return Parameter(name, first, None, positive)
    if between is not None:
        low, high = _pair("between", name, between, "(low, high)")
        if not low < high:
            raise ValueError(f"`between` of {name!r} needs low < high; got {between}.")
        _require_positive(name, positive, low)
        return Parameter(name, None, (low, high), positive)
    mean, deviation = _pair("normal", name, normal, "(mean, deviation)")
    if not deviation > 0:
        raise ValueError(f"`normal` of {name!r} needs a deviation above 0; got {normal}.")
    _require_positive(name, positive, mean)
    if not positive:
        limits = (mean - REACH * deviation, mean + REACH * deviation)
        return Parameter(name, None, limits, False, "normal")
    spread = math.sqrt(math.log1p((deviation / mean) ** 2))  # of the logarithm
    middle = math.log(mean) - spread**2 / 2
    limits = (math.exp(middle - REACH * spread), math.exp(middle + REACH * spread))
    return Parameter(name, None, limits, True, "lognormal")


def eigenvalue(name: str, *, near: float = 1.0) -> Parameter:
    """An eigenvalue: a number for which homogeneous equations have a solution that is not zero.

    Arguments:
        near: where methods that find one eigenvalue at a time look first. Such methods need a
            condition that gives the size of the solution, as `Eq(integral(u**2), 1)`.

    Example:
        >>> eigenvalue("lambda", near=10).role
        'eigenvalue'
    """
    identifier(name, "an eigenvalue")
    return Parameter(name, _finite("near", name, near), None, False, "eigenvalue")


def _pair(what: str, name: str, value: Any, form: str) -> tuple[float, float]:
    if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != 2:
        raise ValueError(f"`{what}` of {name!r} needs `{form}`; got {value!r}.")
    first, second = (_finite(what, name, item) for item in value)
    return first, second


def _require_positive(name: str, positive: bool, lowest: float) -> None:
    if positive and not lowest > 0:
        raise ValueError(f"`parameter({name!r}, positive=True)` must start above 0; got {lowest}.")


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
    return _fields_in(expression) if isinstance(expression, sympy.Basic) else _found(expression)


def _found(expression: Any) -> tuple[AppliedUndef, ...]:
    found: dict[AppliedUndef, None] = {}
    for node in sympy.preorder_traversal(expression):
        if isinstance(node, AppliedUndef):
            found[node] = None
    return tuple(found)


_fields_in = lru_cache(maxsize=4096)(_found)


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
