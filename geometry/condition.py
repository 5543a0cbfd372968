"""Conditions on coordinates that pick a piece of a part: `shape.boundary.where(y > 0.5)`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from geometry._arrays import compiled, unknown_functions, without_caches


@dataclass(frozen=True, repr=False)
class Condition:
    """A SymPy relation between coordinates, or a function of points.

    A function returns truth values, or numbers that are positive where the condition holds. It sees
    the coordinates in `axes`, which come first where a domain has time besides.
    """

    statement: Any
    axes: tuple[str, ...]

    def __post_init__(self) -> None:
        if _is_symbolic(self.statement):
            known = self.statement.free_symbols | unknown_functions(self.statement)
            strange = {str(s) for s in known} - set(self.axes)
            if strange:
                raise ValueError(
                    f"`where(condition)` knows the coordinates {self.axes}; {self.statement} has "
                    f"{', '.join(sorted(strange))}."
                )
        elif not callable(self.statement):
            raise TypeError(
                "`where(condition)` needs a relation between coordinates, such as y > 0.5, or a "
                f"function of points; got {self.statement!r}. Chain `.where` for several relations."
            )

    @functools.cached_property
    def _function(self) -> Callable[[Any], Any]:
        if not _is_symbolic(self.statement):
            return self.statement
        return compiled(_positive_side(self.statement), self.axes)

    def _values(self, points: Any) -> Any:
        return self._function(points[..., : len(self.axes)])

    def holds(self, points: Any) -> Any:
        """Returns whether the condition holds at each point."""
        values = self._values(points)
        return values if values.dtype == bool else values > 0

    def level(self, points: Any) -> Any:
        """Returns numbers that are positive where the condition holds."""
        values = self._values(points)
        if values.dtype == bool:
            raise ValueError(
                f"`distance` needs a condition that is one relation, or a function with positive "
                f"numbers where it holds; {self!r} has truth values."
            )
        return values

    def __getstate__(self) -> dict[str, Any]:
        return without_caches(self)

    def __repr__(self) -> str:
        if _is_symbolic(self.statement):
            return str(self.statement)
        return getattr(self.statement, "__name__", repr(self.statement))


def _is_symbolic(statement: Any) -> bool:
    return hasattr(statement, "free_symbols") and hasattr(statement, "atoms")


def _positive_side(statement: Any) -> Any:
    """Returns the difference of the sides of an inequality; other statements stay."""
    if statement.is_Relational and statement.rel_op in (">", ">="):
        return statement.lhs - statement.rhs
    if statement.is_Relational and statement.rel_op in ("<", "<="):
        return statement.rhs - statement.lhs
    return statement
