"""What every law has: the coordinates it lives in, its unknowns and its equations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import sympy
from sympy.core.function import AppliedUndef

from ..curvilinear import metric, unit_normal
from ..equation import Eq
from ..expressions import as_expression
from ..operators import as_vector, diff, div, is_vector
from ..symbols import is_time, spatial


@runtime_checkable
class Law(Protocol):
    """A physical law: anything with `equations` (and, if it likes, unknowns as attributes)."""

    @property
    def equations(self) -> tuple[Eq, ...]:
        """The equations, in the order in which they are reported."""


def checked_coordinates(
    law: str,
    coordinates,
    *,
    time: bool | None = None,
    dimensions: Sequence[int] | None = None,
    cartesian: bool = False,
) -> tuple:
    """`coordinates` as a tuple of symbols with at least one of space; `time=True` demands `t`,
    `dimensions` are the numbers of space coordinates in which the law is stated, `cartesian` says
    that it is stated in no other system. A point `coordinates("x", size=100)` is taken apart.

    Raises:
        TypeError for what is no symbol, ValueError for a missing or forbidden coordinate.
    """
    given = (coordinates,) if isinstance(coordinates, sympy.Symbol) else tuple(coordinates)
    symbols = tuple(
        symbol for c in given for symbol in (c if isinstance(c, sympy.MatrixBase) else (c,))
    )
    for symbol in symbols:
        if not isinstance(symbol, sympy.Symbol):
            raise TypeError(
                f"`{law}(coordinates)` takes symbols made by `coordinates('x y')`; got {symbol!r}."
            )
    space = spatial(symbols)
    if not space:
        raise ValueError(f"`{law}` needs at least one spatial coordinate; got {symbols}.")
    has_time = len(space) < len(symbols)
    if time is not None and has_time != time:
        need = "needs the time `t`" if time else "is steady and takes no time `t`"
        raise ValueError(f"`{law}` {need} among its coordinates; got {symbols}.")
    if dimensions is not None and len(space) not in dimensions:
        allowed = " or ".join(map(str, dimensions))
        raise ValueError(f"`{law}` needs {allowed} space coordinates; got {symbols}.")
    if cartesian and metric(space) is not None:
        raise ValueError(f"`{law}` is stated in Cartesian coordinates; got {symbols} of another.")
    return symbols


def check_values(law: Any, *names: str, positive: tuple[str, ...] = (), of: Sequence = ()) -> None:
    """Makes expressions of attributes of a law; those in `positive` must be nowhere negative.

    A function, as `conductivity=lambda T: 1 + T**2`, is called with the fields `of` that the law
    says it depends on.

    Raises:
        TypeError for strings and other objects, ValueError for a negative number.
    """
    for name in (*names, *positive):
        value = getattr(law, name)
        if callable(value) and of and not isinstance(value, sympy.Basic):
            value = value(*of)
        value = as_expression(value, f"{type(law).__name__}({name}=)")
        object.__setattr__(law, name, value)
        if name in positive and getattr(value, "is_negative", False):
            raise ValueError(
                f"`{type(law).__name__}({name}=)` cannot be negative; got {value}. Change its sign."
            )


def checked_unknown(
    law: str, unknown, coordinates, default: str, *, complex: bool = False
) -> AppliedUndef:
    """The unknown given by the user, or a new field of the default name."""
    if unknown is None:
        return new_field(default, coordinates, complex=complex)
    if not isinstance(unknown, AppliedUndef):
        raise TypeError(f"`{law}(unknown=)` takes a field made by `field(...)`; got {unknown!r}.")
    return unknown


def new_field(
    name: str, coordinates: Sequence[sympy.Symbol], *, complex: bool = False, positive: bool = False
) -> AppliedUndef:
    """A field of the coordinates, real unless said otherwise."""
    kind = {"complex": True} if complex else {"positive": True} if positive else {"real": True}
    return sympy.Function(name, **kind)(*coordinates)


def new_vector(
    names: str, coordinates: Sequence[sympy.Symbol], *, complex: bool = False
) -> sympy.Matrix:
    """A column of fields, one for each space coordinate, called by the first letters of `names`."""
    n = len(spatial(coordinates))
    if n > len(names):
        raise ValueError(f"there are names for {len(names)} components only; got {coordinates}.")
    return as_vector([new_field(name, coordinates, complex=complex) for name in names[:n]])


def time_of(coordinates: Sequence[sympy.Symbol]) -> sympy.Symbol | None:
    """The time among the coordinates, None in a steady law."""
    return next((s for s in coordinates if is_time(s)), None)


def rate(u: Any, coordinates: Sequence[sympy.Symbol], order: int = 1) -> Any:
    """The time derivative of a scalar or vector; zero in a steady law."""
    time = time_of(coordinates)
    if time is not None:
        return diff(u, time, order)
    return as_vector([0] * len(u)) if is_vector(u) else sympy.S.Zero


def as_components(value: Any, space: Sequence[sympy.Symbol], what: str) -> sympy.Matrix:
    """A vector with one component for each space coordinate; 0 stands for the zero vector, and in
    one dimension an expression for its only component.

    Raises:
        ValueError for another number of components.
    """
    if not is_vector(value):
        value = (value,) * len(space) if value == 0 or len(space) == 1 else (value,)
    if len(value) != len(space):
        raise ValueError(
            f"`{what}` needs one component for each of {tuple(space)}; got {len(value)}."
        )
    return as_vector(value)


def through(tensor: sympy.Matrix, space: Sequence[sympy.Symbol]) -> sympy.Matrix:
    """tensor · n on the boundary, its components along the coordinates in use."""
    g = metric(space)
    places = list(range(len(space)) if g is None else g.places)
    return as_vector(tensor.extract(places, places) * unit_normal(space))


def tensor_divergence(tensor: sympy.Matrix, space: Sequence[sympy.Symbol]) -> sympy.Matrix:
    """div(tensor), row by row, also of one row and column."""
    found = div(tensor, space)
    return found if is_vector(found) else as_vector([found])
