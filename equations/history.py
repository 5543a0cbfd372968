"""Memory and long range: delays, Caputo's derivative, the fractional Laplacian.

Each stays as it is written; `.doit()` gives it as integrals with algebraic weights, for which there
are Gauss rules.
"""

from __future__ import annotations

import math
from typing import Any

import sympy

from .elsewhere import At
from .expressions import as_expression
from .integrals import GaussIntegral
from .symbols import Parameter, fields_in

NODES = 32


class CaputoDerivative(sympy.Expr):
    """Caputo's derivative of an expression: `CaputoDerivative(u, t, order, start)`."""

    is_commutative = True

    def _eval_is_real(self):
        return self.args[0].is_real

    def rewritten(self, rewriting):
        """The same in other units: T^-α times the derivative in the unit T."""
        u, t, order, start = self.args
        unit = rewriting.unit(t)
        inner = CaputoDerivative(rewriting(u), t, order, rewriting(start, 1 / unit))
        return sympy.Float(unit) ** -order * inner

    def doit(self, **hints):
        """1 / Γ(n - α) ∫ u⁽ⁿ⁾(s) (t - s)^(n - α - 1) ds over (start, t), n = ⌈α⌉."""
        u, t, order, start = self.args
        n = int(sympy.ceiling(order)) if order.is_number else 1
        slope = sympy.diff(u.doit(**hints), t, n)
        power = n - order
        s = sympy.Symbol(f"{t.name}_", real=True)
        if order.is_number:
            memory = GaussIntegral(At(slope, (t,), (s,)), (s, start, t), (0, power - 1), NODES)
        else:  # t - s = (t - start) z^(1 / power): nodes may not depend on the order
            past = t - (t - start) * s ** (1 / power)
            unit = GaussIntegral(At(slope, (t,), (past,)), (s, 0, 1), (0, 0), NODES)
            memory = (t - start) ** power / power * unit
        return memory / sympy.gamma(power)

    def _sympystr(self, printer) -> str:
        return f"Caputo({', '.join(map(printer.doprint, self.args[:3]))})"

    def _latex(self, printer) -> str:
        u, t, order, start = map(printer.doprint, self.args)
        return rf"{{}}^C_{{{start}}}D_{{{t}}}^{{{order}}} {u}"


def Caputo(u: Any, t: sympy.Symbol, order: Any, *, start: Any = 0) -> sympy.Expr:
    """Caputo's fractional derivative of order α along a coordinate, for n - 1 < α < n:
    1 / Γ(n - α) ∫ (t - s)^(n - α - 1) dⁿu/dsⁿ ds over (start, t).

    Arguments:
        order: a number above 0, or a parameter between 0 and 1 to be identified.

    Notes:
        Gauss-Jacobi quadrature of 32 points, spectrally accurate for smooth u; where dⁿu/dsⁿ is
        singular at the start, as s^(α - 1), about three digits. A whole order is the derivative
        itself.

    Source:
        Caputo, Geophys. J. R. Astr. Soc. 13 (1967) 529-539, equation 5.

    Example:
        >>> from equations import coordinates, field
        >>> t = coordinates("t")
        >>> Caputo(field("u", t), t, 0.5)
        Caputo(u(t), t, 0.5)
    """
    u, order = as_expression(u, "Caputo"), as_expression(order, "order")
    _coordinate("Caputo", t)
    if order.is_number and not (order.is_real and order > 0):
        raise ValueError(f"`order` of `Caputo` is above 0; got {order}.")
    if not order.is_number and not isinstance(order, Parameter):
        raise TypeError(f"`order` of `Caputo` is a number or a parameter; got {order}.")
    if order.is_number and order == int(order):
        return sympy.diff(u, t, int(order))
    return CaputoDerivative(u, t, order, as_expression(start, "start"))


class FractionalLaplacian(sympy.Expr):
    """(-d²/dx²)^(α/2) of an expression that vanishes outside an interval:
    `FractionalLaplacian(u, order, (x, a, b))`."""

    is_commutative = True

    def _eval_is_real(self):
        return self.args[0].is_real

    def rewritten(self, rewriting):
        """The same in other units: L^-α times the operator in the unit L."""
        u, order, (x, *ends) = self.args
        unit = rewriting.unit(x)
        limits = sympy.Tuple(x, *(rewriting(e, 1 / unit) for e in ends))
        return sympy.Float(unit) ** -order * FractionalLaplacian(rewriting(u), order, limits)

    def doit(self, **hints):
        """C ∫ (2 u(x) - u(x + r) - u(x - r)) r^(-1 - α) dr over (0, ∞), u = 0 outside (a, b)."""
        u, order, (x, a, b) = self.args
        u = u.doit(**hints)
        r = sympy.Symbol(f"{x.name}_", real=True)
        near, far = sympy.Min(x - a, b - x), sympy.Max(x - a, b - x)
        right, left = At(u, (x,), (x + r,)), At(u, (x,), (x - r,))
        inner = GaussIntegral((2 * u - right - left) / r**2, (r, 0, near), (1 - order, 0), NODES)
        # From near to far one of both points is left inside. r = near (far / near)^z.
        z, ratio = sympy.Symbol(f"{x.name}_log", real=True), far / near
        side = sympy.Piecewise((1, x - a > b - x), (-1, True))
        distance = near * ratio**z
        single = At(u, (x,), (x - side * distance,)) * distance ** (-order)
        outer = GaussIntegral(single, (z, 0, 1), (0, 0), NODES) * sympy.log(ratio)
        tail = 2 * u * near ** (-order) / order  # 2 u(x) r^(-1 - α) over (near, ∞)
        return _constant(order) * (inner + tail - outer)

    def _sympystr(self, printer) -> str:
        return f"fractional_laplacian({', '.join(map(printer.doprint, self.args[:2]))})"

    def _latex(self, printer) -> str:
        u, order, _ = map(printer.doprint, self.args)
        return rf"\left(-\Delta\right)^{{{order}/2}} {u}"


def _constant(order: sympy.Expr) -> sympy.Expr:
    """2^α Γ((1 + α) / 2) / (√π |Γ(-α / 2)|)."""
    alpha = float(order)
    numbers = math.gamma((1 + alpha) / 2), math.sqrt(math.pi) * abs(math.gamma(-alpha / 2))
    return sympy.Float(2**alpha * numbers[0] / numbers[1])


def fractional_laplacian(u: Any, order: Any, over: tuple[Any, Any, Any]) -> sympy.Expr:
    """The fractional Laplacian (-d²/dx²)^(α/2) u on an interval, for u = 0 outside: the integral

    C ∫ (u(x) - u(y)) / |x - y|^(1 + α) dy over the line, C = 2^α Γ((1 + α)/2) / (√π |Γ(-α/2)|).

    Arguments:
        order: α, a number between 0 and 2.
        over: `(x, a, b)`, outside of which u is zero.

    Notes:
        A Gauss-Jacobi rule up to the nearer end, a logarithmic one from there to the other, 32
        points each. A solution that behaves as the distance to the end to the power α/2 leaves
        about four digits. The difference of values close to each other needs float64.

    Source:
        Kwaśnicki, Fract. Calc. Appl. Anal. 20 (2017) 7-51, definition 2.6.

    Example:
        >>> from equations import coordinates, field
        >>> x = coordinates("x")
        >>> fractional_laplacian(field("u", x), 1.5, (x, -1, 1))
        fractional_laplacian(u(x), 1.5)
    """
    u, order = as_expression(u, "fractional_laplacian"), as_expression(order, "order")
    if not (order.is_number and 0 < order < 2):
        raise ValueError(f"`order` of `fractional_laplacian` is between 0 and 2; got {order}.")
    if not isinstance(over, tuple) or len(over) != 3:
        raise TypeError(f"`over` of `fractional_laplacian` is `(x, a, b)`; got {over!r}.")
    x, a, b = (as_expression(item, "over") for item in over)
    _coordinate("fractional_laplacian", x)
    return FractionalLaplacian(u, order, sympy.Tuple(x, a, b))


def delayed(u: Any, t: sympy.Symbol, delay: Any, *, history: Any) -> sympy.Expr:
    """The expression at the time t - delay; before the time 0 the given history.

    Arguments:
        delay: above 0; a number, a parameter, or an expression in coordinates.
        history: what u was before, an expression in t.

    Example:
        >>> from equations import coordinates, field
        >>> t = coordinates("t")
        >>> delayed(field("u", t), t, 1, history=sympy.cos(t))
        Piecewise((u(t - 1), t >= 1), (cos(t - 1), True))
    """
    u, history = as_expression(u, "delayed"), as_expression(history, "history")
    delay = as_expression(delay, "delay")
    _coordinate("delayed", t)
    if delay.is_number and not delay > 0:
        raise ValueError(f"`delay` is above 0; got {delay}.")
    if fields_in(delay):
        raise ValueError(f"`delay` may depend on coordinates and parameters, not on {delay}.")
    past = t - delay
    return sympy.Piecewise((At(u, (t,), (past,)), past >= 0), (history.subs(t, past), True))


def _coordinate(what: str, value: Any) -> None:
    if not isinstance(value, sympy.Symbol):
        raise TypeError(f"`{what}` needs a coordinate; got {value!r}.")
