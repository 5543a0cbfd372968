"""Integrals in equations and conditions: SymPy's `Integral`, and integrals over shapes and parts.

They stay as they are written; the compiler evaluates them by quadrature, which asks the fields for
their values at the quadrature points.
"""

from __future__ import annotations

from typing import Any

import sympy

from .elsewhere import At
from .expressions import as_expression
from .symbols import TIME, Parameter

NODES = 24  # of SymPy's `Integral`: exact for polynomials of degree 47


class GaussIntegral(sympy.Expr):
    """The integral of f(s) (s - a)^p (b - s)^q over (a, b), by a Gauss rule for that weight:
    `GaussIntegral(f, (s, a, b), (p, q), n)`; p and q are numbers above -1."""

    is_commutative = True

    def __new__(cls, integrand, limits, powers=(0, 0), n=NODES):
        variable, lower, upper = sympy.Tuple(*limits)
        if lower == upper or integrand == 0:
            return sympy.S.Zero
        powers = sympy.Tuple(*powers)
        if not all(p.is_number and p > -1 for p in powers):
            raise ValueError(f"`GaussIntegral` needs powers above -1; got {tuple(powers)}.")
        limits = sympy.Tuple(variable, lower, upper)
        return sympy.Expr.__new__(cls, sympy.sympify(integrand), limits, powers, sympy.Integer(n))

    @property
    def free_symbols(self) -> set:
        variable, lower, upper = self.args[1]
        inner = self.args[0].free_symbols - {variable}
        return inner | lower.free_symbols | upper.free_symbols

    def _eval_derivative(self, symbol):
        integrand, (variable, lower, upper), powers, n = self.args
        if symbol == variable:
            return sympy.S.Zero
        z = sympy.Symbol(f"{variable.name}_unit", real=True)  # limits fixed at 0 and 1
        length = upper - lower
        scaled = At(integrand, (variable,), (lower + length * z,)) * length ** (1 + sum(powers))
        return GaussIntegral(sympy.diff(scaled, symbol), (z, 0, 1), powers, n)

    def _eval_subs(self, old, new):
        variable, lower, upper = self.args[1]
        if old != variable:
            return None
        limits = (variable, lower.subs(old, new), upper.subs(old, new))
        return GaussIntegral(self.args[0], limits, *self.args[2:])

    def rewritten(self, rewriting):
        """The same in other units."""
        integrand, (s, *ends), powers, n = self.args
        unit = rewriting.length(s, integrand)
        inner = rewriting.knowing(s, unit)(integrand, float(unit ** (1 + sum(powers))))
        return GaussIntegral(inner, (s, *(rewriting(e, 1 / unit) for e in ends)), powers, n)

    def _written(self) -> sympy.Expr:
        integrand, (s, lower, upper), (p, q), _ = self.args
        weight = (s - lower) ** p * (upper - s) ** q
        return sympy.Integral(integrand * weight, (s, lower, upper))

    def _sympystr(self, printer) -> str:
        return printer.doprint(self._written())

    def _latex(self, printer) -> str:
        return printer.doprint(self._written())


class Region(sympy.Atom):
    """A place to integrate over, in a SymPy tree: names of parts of the problem's domain, a part,
    or a shape; no names stand for the whole domain."""

    place: Any

    def __new__(cls, place: Any = ()):
        self = sympy.Atom.__new__(cls)
        self.place = place
        return self

    def __getnewargs__(self):
        return (self.place,)

    def _hashable_content(self):
        return (self.place,)

    def resolve(self, domain: Any) -> Any:
        """The shape or part, with names looked up in the domain at one time."""
        if not isinstance(self.place, tuple):
            return self.place
        if domain is None:
            raise ValueError(f"the integral over {self} needs the domain of a problem.")
        space = getattr(domain, "space", None) or domain
        return space[self.place] if self.place else space

    def _sympystr(self, printer) -> str:
        if isinstance(self.place, tuple):
            return ", ".join(self.place) or "domain"
        return str(self.place)

    def _latex(self, printer) -> str:
        return rf"\text{{{self._sympystr(printer)}}}"


class RegionIntegral(sympy.Expr):
    """The integral, or the mean, of an expression over a region: `RegionIntegral(f, region, n,
    is_mean)`; n points of quadrature, 0 for a number that suits the dimension."""

    is_commutative = True

    def __new__(cls, integrand, region, n=0, is_mean=False):
        integrand, n = sympy.sympify(integrand), sympy.Integer(n)
        return sympy.Expr.__new__(cls, integrand, region, n, sympy.sympify(is_mean))

    @property
    def region(self) -> Region:
        """Where the integral is taken."""
        return self.args[1]

    def rewritten(self, rewriting):
        """The same in other units."""
        integrand, region, n, is_mean = self.args
        place, measure = rewriting.region(region.place)
        inner = rewriting(integrand, 1.0 if is_mean else measure)
        return RegionIntegral(inner, Region(place), n, is_mean)

    def _binds(self, symbol: sympy.Symbol) -> bool:
        """Whether a symbol is a coordinate of the region: all are but time where it is named."""
        place = self.region.place
        if isinstance(symbol, Parameter):
            return False
        if isinstance(place, tuple):
            return symbol.name != TIME
        return symbol.name in getattr(place, "shape", place).axes

    @property
    def free_symbols(self) -> set:
        return {s for s in self.args[0].free_symbols if not self._binds(s)}

    def _eval_derivative(self, symbol):
        if self._binds(symbol):
            return sympy.S.Zero
        return RegionIntegral(sympy.diff(self.args[0], symbol), *self.args[1:])

    def _sympystr(self, printer) -> str:
        word = "mean" if self.args[3] else "integral"
        return f"{word}({printer.doprint(self.args[0])}, over={printer.doprint(self.region)})"

    def _latex(self, printer) -> str:
        sign = r"⨍" if self.args[3] else r"\int"
        return rf"{sign}_{{{printer.doprint(self.region)}}} {printer.doprint(self.args[0])}"


def integral(expression: Any, over: Any = None, *, nodes: int | None = None) -> Any:
    """The integral of an expression, scalar or vector, in an equation or a condition.

    Arguments:
        over: the name of a part of the problem's domain or several, a part, a shape, None for the
            domain, or limits `(s, a, b)` that may depend on coordinates. In a problem in time an
            integral over a named part, or over the domain, is taken at the time of the point.
        nodes: the number of quadrature points.

    Notes:
        Over limits a Gauss rule of 24 points, spectrally accurate where the integrand is smooth
        between them: split the integral at kinks. Over shapes the "gauss" sampler of the shape,
        with 64 points on curves, 1024 on surfaces and in the plane, 8000 in space; on shapes that
        are cut or made of pieces four times as many Sobol points, good for three or four digits.

    Example:
        >>> from equations import coordinates, field
        >>> x, y = coordinates("x y")
        >>> integral(field("u", x, y) ** 2, over="left")
        integral(u(x, y)**2, over=left)
    """
    return _over(expression, over, nodes, is_mean=False)


def mean(expression: Any, over: Any = None, *, nodes: int | None = None) -> Any:
    """The mean of an expression over a part, a shape, or the domain; see `integral`."""
    return _over(expression, over, nodes, is_mean=True)


def _over(expression: Any, over: Any, nodes: int | None, *, is_mean: bool) -> Any:
    expression = as_expression(expression, "integral")
    if nodes is not None and (isinstance(nodes, bool) or not isinstance(nodes, int) or nodes < 1):
        raise ValueError(f"`nodes` is a whole number above 0; got {nodes!r}.")
    if isinstance(expression, sympy.MatrixBase | sympy.Tuple):
        components = [_over(e, over, nodes, is_mean=is_mean) for e in expression]
        shape = getattr(expression, "shape", (len(components), 1))
        return sympy.ImmutableMatrix(*shape, components)
    if isinstance(over, tuple) and over and isinstance(over[0], sympy.Symbol):
        if len(over) != 3:
            raise ValueError(f"`over` needs limits as `(s, a, b)`; got {over}.")
        s, a, b = (as_expression(item, "over") for item in over)
        whole = GaussIntegral(expression, (s, a, b), (0, 0), nodes or NODES)
        return whole / (b - a) if is_mean else whole
    return RegionIntegral(expression, Region(_place(over)), nodes or 0, is_mean)


def _place(over: Any) -> Any:
    if over is None or over == "domain":
        return ()
    names = (over,) if isinstance(over, str) else over
    if isinstance(names, tuple) and names and all(isinstance(n, str) for n in names):
        return names
    if hasattr(over, "sample") or (hasattr(over, "sample_interior") and not isinstance(over, type)):
        return over
    raise TypeError(
        "`over` is a part, its name, a tuple of names, a shape, or limits `(s, a, b)`; got "
        f"{over!r:.60}."
    )


def convolve(kernel: Any, u: Any, over: tuple[Any, Any, Any]) -> sympy.Expr:
    """The convolution ∫ k(x - s) u(s) ds over `(x, a, b)`: `convolve(exp(-x), u, (x, 0, x))` is a
    memory with a fading kernel.

    Example:
        >>> from equations import coordinates, field
        >>> x = coordinates("x")
        >>> convolve(sympy.exp(-x), field("u", x), (x, 0, 1))
        Integral(u(x_)*exp(-x + x_), (x_, 0, 1))
    """
    kernel, u = as_expression(kernel, "kernel"), as_expression(u, "convolve")
    if not isinstance(over, tuple) or len(over) != 3 or not isinstance(over[0], sympy.Symbol):
        raise TypeError(f"`over` of `convolve` is `(x, a, b)` with a coordinate x; got {over!r}.")
    x, a, b = (as_expression(item, "over") for item in over)
    s = sympy.Symbol(f"{x.name}_", real=True)
    return sympy.Integral(kernel.subs(x, x - s) * u.subs(x, s), (s, a, b))
