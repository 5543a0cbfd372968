"""`Eq`: an equation between scalars or between vectors.

It differs from SymPy's relation on purpose: vectors are broadcast against numbers and tuples,
shapes that do not match are refused, and it never collapses to True or False.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy
from sympy.core.relational import Relational
from sympy.core.symbol import Str
from sympy.logic.boolalg import BooleanAtom

from .expressions import as_expression
from .operators import as_vector, is_vector


class Eq(sympy.Basic):
    """The equation `lhs = rhs`; both sides scalars, or vectors of one length.

    Arguments:
        lhs, rhs: expressions, matrices, tuples or numbers. A number or scalar against a vector
            stands for each component.
        region: the name of the region of the domain in which it holds; without it, everywhere.
            `Problem(equations={"fluid": ..., "solid": ...})` gives it.

    Raises:
        ValueError where the shapes do not match, TypeError for what is no expression.

    Example:
        >>> from equations import coordinates, vector_field
        >>> x, y = coordinates("x y")
        >>> Eq(vector_field("u", x, y), (1, 0)).residuals
        (u_x(x, y) - 1, u_y(x, y))
    """

    def __new__(cls, lhs: Any, rhs: Any = 0, region: Any = None):
        if isinstance(lhs, bool | Relational | BooleanAtom):  # a Symbol is a Boolean too
            raise TypeError(
                f"`Eq` takes two expressions; got {lhs!r}, which is a comparison. Write "
                "`Eq(u, 0)` in place of `u == 0`."
            )
        lhs, rhs = as_expression(lhs, "Eq"), as_expression(rhs, "Eq")
        if is_vector(lhs) or is_vector(rhs):
            lhs, rhs = _broadcast(lhs, rhs)
        else:
            lhs, rhs = _scalar(lhs), _scalar(rhs)
        place = () if region is None else (Str(str(region)),)
        return sympy.Basic.__new__(cls, lhs, rhs, *place)

    @property
    def lhs(self) -> Any:
        """Left side: an expression or a column."""
        return self.args[0]

    @property
    def rhs(self) -> Any:
        """Right side: an expression or a column."""
        return self.args[1]

    @property
    def region(self) -> str | None:
        """The name of the region in which it holds; None where it holds everywhere."""
        return self.args[2].name if len(self.args) > 2 else None

    def within(self, region: str | None) -> Eq:
        """The same equation, in a region alone."""
        return Eq(self.lhs, self.rhs, region)

    def with_components(self, pairs: Iterable[tuple[Any, Any]]) -> Eq:
        """An equation of this shape and region between other sides, a pair for each component."""
        left, right = zip(*pairs, strict=True)
        if is_vector(self.lhs):
            return Eq(as_vector(left), as_vector(right), self.region)
        return Eq(left[0], right[0], self.region)

    @property
    def components(self) -> tuple[tuple[sympy.Expr, sympy.Expr], ...]:
        """The scalar equations, as pairs (left, right)."""
        if is_vector(self.lhs):
            return tuple(zip(self.lhs, self.rhs, strict=True))
        return ((self.lhs, self.rhs),)

    @property
    def residuals(self) -> tuple[sympy.Expr, ...]:
        """Left minus right, one expression for each component."""
        return tuple(left - right for left, right in self.components)

    def __bool__(self) -> bool:
        raise TypeError(
            "`Eq` is a statement and has no truth value; to compare expressions use `==` or "
            "`sympy.simplify(a - b) == 0`."
        )

    def _sympystr(self, printer) -> str:
        pairs = [f"{printer.doprint(a)} = {printer.doprint(b)}" for a, b in self.components]
        return ", ".join(pairs) + (f" in {self.region}" if self.region else "")

    def _latex(self, printer) -> str:
        return f"{printer.doprint(self.lhs)} = {printer.doprint(self.rhs)}"


def _scalar(value: Any) -> sympy.Expr:
    expression = as_expression(value, "Eq")
    if not isinstance(expression, sympy.Expr):
        raise TypeError(f"`Eq` takes expressions or numbers; got {value!r}.")
    return expression


def _broadcast(lhs: Any, rhs: Any) -> tuple[sympy.Matrix, sympy.Matrix]:
    n = len(lhs) if is_vector(lhs) else len(rhs)
    left, right = ([*v] if is_vector(v) else [v] * n for v in (lhs, rhs))
    if len(left) != len(right):
        raise ValueError(
            f"`Eq` needs sides of one shape; got {len(left)} components on the left and "
            f"{len(right)} on the right: {lhs} = {rhs}."
        )
    return as_vector(map(_scalar, left)), as_vector(map(_scalar, right))
