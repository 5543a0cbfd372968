"""One-sided values on an interface: `jump` and `average` of what is not continuous across it."""

from __future__ import annotations

from typing import Any

import sympy

from .expressions import as_expression

STEP = 1e-7  # relative to the size of the domain: the offset from the interface


class Trace(sympy.Expr):
    """An expression next to an interface: on the side that the normal points to (`side` 1), or on
    the other (-1)."""

    is_commutative = True

    def __new__(cls, expression, side):
        return sympy.Expr.__new__(cls, sympy.sympify(expression), sympy.Integer(side))

    def _eval_derivative(self, symbol):
        return Trace(sympy.diff(self.args[0], symbol), self.args[1])

    def rewritten(self, rewriting):
        """The same in other units."""
        return Trace(rewriting(self.args[0]), self.args[1])

    def _sympystr(self, printer) -> str:
        return f"{'plus' if self.args[1] > 0 else 'minus'}({printer.doprint(self.args[0])})"

    def _latex(self, printer) -> str:
        sign = "+" if self.args[1] > 0 else "-"
        return rf"\left.{printer.doprint(self.args[0])}\right|_{{{sign}}}"


def jump(expression: Any) -> Any:
    """The jump of an expression, scalar or vector, across an interface: its value on the side that
    the normal points to, minus that on the other side.

    Notes:
        The values are taken a distance of 1e-7 of the domain's size off the interface, so that
        piecewise coefficients have their own on each side. A field of one network is continuous;
        where it must jump, give each region a field of its own.

    Example:
        >>> from equations import coordinates, field, normal_derivative
        >>> x, y = coordinates("x y")
        >>> u = field("u", x, y)
        >>> jump(sympy.sign(x) * u)
        -minus(u(x, y)*sign(x)) + plus(u(x, y)*sign(x))
    """
    return _sides(expression, "jump", lambda plus, minus: plus - minus)


def average(expression: Any) -> Any:
    """The mean of an expression's values on both sides of an interface; see `jump`."""
    return _sides(expression, "average", lambda plus, minus: (plus + minus) / 2)


def _sides(expression: Any, what: str, combine: Any) -> Any:
    expression = as_expression(expression, what)
    if isinstance(expression, sympy.MatrixBase | sympy.Tuple):
        components = [_sides(e, what, combine) for e in expression]
        shape = getattr(expression, "shape", (len(components), 1))
        return sympy.ImmutableMatrix(*shape, components)
    return combine(Trace(expression, 1), Trace(expression, -1))
