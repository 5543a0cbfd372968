"""What every law has: the coordinates it lives in, its unknowns and its equations."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import sympy
from sympy.core.function import AppliedUndef

from ..equation import Eq
from ..expressions import as_expression
from ..symbols import spatial


@runtime_checkable
class Law(Protocol):
    """A physical law: anything with `equations` (and, if it likes, unknowns as attributes)."""

    @property
    def equations(self) -> tuple[Eq, ...]:
        """The equations, in the order in which they are reported."""


def checked_coordinates(law: str, coordinates, *, time: bool | None = None) -> tuple:
    """`coordinates` as a tuple of symbols with at least one of space; `time=True` demands `t`.

    Raises:
        TypeError for what is no symbol, ValueError for a missing or forbidden coordinate.
    """
    symbols = (coordinates,) if isinstance(coordinates, sympy.Symbol) else tuple(coordinates)
    for symbol in symbols:
        if not isinstance(symbol, sympy.Symbol):
            raise TypeError(
                f"`{law}(coordinates)` takes symbols made by `coordinates('x y')`; got {symbol!r}."
            )
    if not spatial(symbols):
        raise ValueError(f"`{law}` needs at least one spatial coordinate; got {symbols}.")
    has_time = len(spatial(symbols)) < len(symbols)
    if time is not None and has_time != time:
        need = "needs the time `t`" if time else "is steady and takes no time `t`"
        raise ValueError(f"`{law}` {need} among its coordinates; got {symbols}.")
    return symbols


def check_values(law: Any, *names: str, positive: tuple[str, ...] = ()) -> None:
    """Whether attributes of a law are expressions, and those in `positive` nowhere negative.

    Raises:
        TypeError for strings and other objects, ValueError for a negative number.
    """
    for name in (*names, *positive):
        value = as_expression(getattr(law, name), f"{type(law).__name__}({name}=)")
        if name in positive and getattr(value, "is_negative", False):
            raise ValueError(
                f"`{type(law).__name__}({name}=)` cannot be negative; got {value}. Change its sign."
            )


def checked_unknown(law: str, unknown, coordinates, default: str) -> AppliedUndef:
    """The unknown given by the user, or a new field of the default name."""
    if unknown is None:
        return sympy.Function(default, real=True)(*coordinates)
    if not isinstance(unknown, AppliedUndef):
        raise TypeError(f"`{law}(unknown=)` takes a field made by `field(...)`; got {unknown!r}.")
    return unknown
