"""Expressions as people label axes and columns: fields without arguments, short derivatives."""

from __future__ import annotations

from typing import Any

import sympy
from sympy.core.function import AppliedUndef
from sympy.printing.latex import LatexPrinter
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from equations import Divergence, Eq, fields_in


def text(expression: Any) -> str:
    """The expression in one line of plain text.

    Example:
        >>> from equations import coordinates, diff, field
        >>> x, t = coordinates("x t")
        >>> u = field("u", x, t)
        >>> text(u), text(diff(u, x, 2) * u)
        ('u', 'u*d2u/dx2')
    """
    if _is_vector(expression):
        return f"({', '.join(map(text, expression))})"
    if isinstance(expression, Eq):
        return f"{text(expression.lhs)} = {text(expression.rhs)}"
    return _Text().doprint(sympy.sympify(expression))


def latex(expression: Any) -> str:
    """The expression in LaTeX that Matplotlib can draw too (no environments); equations as well."""
    if _is_vector(expression):
        return rf"\left({', '.join(map(latex, expression))}\right)"
    if isinstance(expression, Eq):
        return f"{latex(expression.lhs)} = {latex(expression.rhs)}"
    return _Latex({"mul_symbol": r"\,"}).doprint(sympy.sympify(expression))


def drawable(expression: Any, limit: int = 70) -> str:
    """The label for a picture: `$latex$`, or plain text where that is too long to read."""
    math = latex(expression)
    if len(math) <= limit:
        return f"${math}$"
    plain = text(expression)
    return plain if len(plain) <= limit else plain[: limit - 3] + "..."


def _is_vector(expression: Any) -> bool:
    return isinstance(expression, sympy.MatrixBase | sympy.Tuple | tuple | list)


def _orders(e: sympy.Derivative) -> list[tuple[str, int]]:
    return [(str(variable), int(count)) for variable, count in e.variable_count]


class _Text(StrPrinter):
    """`u` for u(x, t), `d2u/dx2` for its derivative."""

    def parenthesize(self, item, level, strict=False):
        inner = super().parenthesize(item, level, strict)
        is_base = isinstance(item, sympy.Derivative) and level >= PRECEDENCE["Pow"]
        return f"({inner})" if is_base else inner

    def _print_Function(self, e):
        return e.func.__name__ if isinstance(e, AppliedUndef) else super()._print_Function(e)

    def _print_Derivative(self, e):
        order, inner = e.derivative_count, self._print(e.expr)
        inner = inner if isinstance(e.expr, AppliedUndef) else f"({inner})"
        below = "".join(f"d{name}{count if count > 1 else ''}" for name, count in _orders(e))
        return f"d{order if order > 1 else ''}{inner}/{below}"


class _Latex(LatexPrinter):
    """Fields without arguments, derivatives as subscripted partials, no matrix environments."""

    def _print(self, expr, **options):
        if isinstance(expr, Divergence):  # whose own LaTeX has matrices
            return self._print_Divergence(expr)
        return super()._print(expr, **options)

    def _print_Function(self, e, exp=None):
        if not isinstance(e, AppliedUndef):
            return super()._print_Function(e, exp)
        name = self._deal_with_super_sub(e.func.__name__)
        return name if exp is None else f"{name}^{{{exp}}}"

    def _print_Derivative(self, e):
        below = "".join(rf"\partial_{{{' '.join([name] * count)}}} " for name, count in _orders(e))
        inner = self._print(e.expr)
        return below + (inner if isinstance(e.expr, AppliedUndef) else rf"\left({inner}\right)")

    def _needs_mul_brackets(self, expr, first=False, last=False):
        return not isinstance(expr, Divergence) and super()._needs_mul_brackets(expr, first, last)

    def _print_Divergence(self, e: Divergence) -> str:
        found = _diffusion(e)
        if found is None:
            return rf"\nabla\cdot\left({', '.join(map(self._print, e.flux))}\right)"
        coefficient, potential = found
        inner = self.parenthesize(potential, PRECEDENCE["Pow"])
        if coefficient == 1:
            return rf"\Delta {inner}"
        outer = self.parenthesize(coefficient, PRECEDENCE["Mul"])
        if coefficient.is_number:
            return rf"{outer}\,\Delta {inner}"
        return rf"\nabla\cdot\left({outer}\,\nabla {inner}\right)"


def _diffusion(e: Divergence) -> tuple[sympy.Expr, sympy.Expr] | None:
    """(k, u) where the flux is k grad u for a field u."""
    for u in fields_in(e):
        gradient = [sympy.diff(u, s) for s in e.space]
        if 0 not in gradient:
            ratios = {f / g for f, g in zip(e.flux, gradient, strict=True)}
            if len(ratios) == 1 and not next(iter(ratios)).has(sympy.Derivative):
                return ratios.pop(), u
    return None
