"""The kind of a problem, elliptic, parabolic or hyperbolic, from the symbol of its highest part.

The highest derivatives are replaced by powers of a wave vector, d/dx -> i xi. In a steady problem
the matrix that results is invertible for every real vector where the equations are elliptic. Solved
for the time derivatives it has eigenvalues of negative real part where they are parabolic, and
imaginary ones, with a full set of eigenvectors, where they are hyperbolic.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import sympy

from . import structure
from .operators import Divergence
from .symbols import Parameter, is_time, spatial
from .weak import outermost

DIRECTIONS = 64
ROUNDING = 1e-9


def kind(problem: Any) -> str | None:
    """Returns "elliptic", "parabolic" or "hyperbolic"; "mixed" where that changes over the domain;
    None where it is none of them, or where the notion does not apply.

    Notes:
        Coefficients are taken at points of the domain, and at made-up positive values of the fields
        where they depend on these. A single first-order equation is hyperbolic. None is the answer
        for dispersive equations, for systems with constraints such as incompressible flow, and for
        ordinary differential equations.

    Source:
        Renardy & Rogers, An Introduction to Partial Differential Equations, 2004, chapter 2.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x, t = eq.coordinates("x t")
        >>> line = geo.Interval(0, 1).over(t, 0, 1)
        >>> kind(eq.Problem(line, eq.Burgers((x, t), viscosity=1)))
        'parabolic'
        >>> kind(eq.Problem(line, eq.Burgers((x, t), viscosity=0)))
        'hyperbolic'
    """
    if len(problem.residuals) != len(problem.fields) or not spatial(problem.coordinates):
        return None
    try:
        symbol = _Symbol(problem)
    except (TypeError, ValueError):
        return None
    found = {symbol.kind_at(i) for i in range(symbol.n_points)}
    if len(found) == 1:
        return found.pop()
    return "mixed" if len(found - {None}) > 1 else None


class _Symbol:
    """The highest parts of the equations at some points."""

    def __init__(self, problem: Any):
        from .doctor.case import Case, evaluate

        case = Case(problem)
        points = case.interior[:32]
        held = [structure.jet_expression(r) for r in problem.residuals]
        axes = problem.coordinates
        self.axes = [i for i, c in enumerate(axes) if not isinstance(c, Parameter)]
        self.fields, self.n_points = problem.fields, len(points)
        self.space = [i for i in self.axes if not is_time(axes[i])]
        self.terms: list[tuple[int, int, tuple[int, ...], np.ndarray]] = []
        for i, h in enumerate(held):
            for jet in h.symbols:
                orders = tuple(jet.order(c) if c in jet.field.args else 0 for c in axes)
                slope = structure.JetExpression(h.slope(jet), h.symbols)
                column = self.fields.index(jet.field)
                values = np.asarray(evaluate(slope, axes, points), complex)
                if not np.isfinite(values).all():
                    raise ValueError("coefficients without values")
                self.terms.append((i, column, orders, values))
        self.order = max(self._along(o) for _, _, o, _ in self.terms)
        self.rate = max(sum(o) - self._along(o) for _, _, o, _ in self.terms)
        self.waves = _directions(len(self.space))

    def _along(self, orders: tuple[int, ...]) -> int:
        return sum(orders[i] for i in self.space)

    def kind_at(self, point: int) -> str | None:
        """The kind at one point."""
        single = len(self.fields) == 1
        if single and max(self.order, self.rate) == 2 and self.rate != 1:
            return self._of_form(point)
        if single and max(self.order, self.rate) == 1:
            return "hyperbolic"
        if self.rate == 0:
            return self._steady(point)
        return self._evolving(point)

    def _of_form(self, point: int) -> str | None:
        """The signs of the quadratic form of a single equation of second order, time included."""
        n = len(self.terms[0][2])
        form = np.zeros((n, n), complex)
        for _, _, orders, values in self.terms:
            if sum(orders) == 2:
                i, j = [k for k, order in enumerate(orders) for _ in range(order)]
                form[i, j] += values[point] / 2
                form[j, i] += values[point] / 2
        form = form[np.ix_(self.axes, self.axes)]
        n = len(self.axes)
        if np.abs(form.imag).max() > 0:
            return None
        signs = np.sign(_chopped(np.linalg.eigvalsh(form.real)))
        plus, minus = int(np.sum(signs > 0)), int(np.sum(signs < 0))
        if plus + minus == n:
            return {0: "elliptic", 1: "hyperbolic"}.get(min(plus, minus))
        return "parabolic" if min(plus, minus) == 0 and plus + minus == n - 1 else None

    def _steady(self, point: int) -> str | None:
        sizes = [abs(np.linalg.det(self._matrix(point, wave))) for wave in self.waves]
        return "elliptic" if min(sizes) > ROUNDING * max(1.0, *sizes) else None

    def _evolving(self, point: int) -> str | None:
        """From the eigenvalues of the symbol, solved for the highest time derivatives."""
        n = len(self.fields)
        storage = np.zeros((n, n), complex)
        for row, column, orders, values in self.terms:
            if sum(orders) - self._along(orders) == self.rate and not self._along(orders):
                storage[row, column] += values[point]
        if np.linalg.matrix_rank(storage) < n:
            return None
        matrices = (np.linalg.solve(storage, -self._matrix(point, w)) for w in self.waves)
        growths = [np.linalg.eig(m) for m in matrices]
        if (self.rate, self.order % 2) == (1, 0):
            return "parabolic" if _all_below(growths) else None
        if (self.rate, self.order) == (1, 1):
            return "hyperbolic" if all(_oscillates(1j * v, w) for v, w in growths) else None
        if (self.rate, self.order) == (2, 2):
            return "hyperbolic" if _all_below(growths) else None
        return None

    def _matrix(self, point: int, wave: np.ndarray) -> np.ndarray:
        n = len(self.fields)
        matrix = np.zeros((n, n), complex)
        for row, column, orders, values in self.terms:
            if self._along(orders) == sum(orders) == self.order:
                powers = [(1j * k) ** orders[i] for i, k in zip(self.space, wave, strict=True)]
                matrix[row, column] += values[point] * np.prod(powers)
        return matrix


def _all_below(growths: Iterable[Any]) -> bool:
    """Whether all eigenvalues have a negative real part, larger than their imaginary one."""
    return all(np.all(v.real < -np.abs(v.imag) - ROUNDING) for v, _ in growths)


def _oscillates(values: np.ndarray, vectors: np.ndarray) -> bool:
    """Whether eigenvalues are real and have a full set of eigenvectors."""
    scale = max(1.0, float(np.abs(values).max()))
    is_real = np.abs(values.imag).max() < 1e-6 * scale
    return bool(is_real and np.linalg.cond(vectors) < 1e6)


def _chopped(values: np.ndarray) -> np.ndarray:
    return np.where(np.abs(values) > ROUNDING * np.abs(values).max(initial=0.0), values, 0.0)


def _directions(dimension: int) -> np.ndarray:
    """Unit vectors all round: the axes, and random ones that are the same in every run."""
    random = np.random.default_rng(0).normal(size=(DIRECTIONS, dimension))
    unit = random / np.linalg.norm(random, axis=1, keepdims=True)
    return np.concatenate([np.eye(dimension), unit])


def is_divergence_form(problem: Any) -> bool:
    """Whether every equation reads s = div F, with s free of derivatives in space: what a finite
    volume or a weak form keeps in balance. First derivatives with constant factors count.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x, y = eq.coordinates("x y")
        >>> square = geo.Rectangle((0, 0), (1, 1))
        >>> is_divergence_form(eq.Problem(square, eq.Poisson((x, y), source=1)))
        True
        >>> is_divergence_form(eq.Problem(square, eq.NavierStokes((x, y), viscosity=1)))
        False
    """
    return all(_is_balance(r, spatial(problem.coordinates)) for r in problem.residuals)


def _is_balance(residual: sympy.Expr, space: tuple[sympy.Symbol, ...]) -> bool:
    nodes = {node: sympy.Dummy() for node in outermost(residual, Divergence)}
    inner = residual.xreplace(nodes)
    factors = [sympy.diff(inner, dummy) for dummy in nodes.values()]
    held = structure.jet_expression(inner.subs(dict.fromkeys(nodes.values(), 0)))
    factors += [held.slope(jet) for jet in held.symbols if jet.order(*space)]
    return all(isinstance(s, Parameter) for f in factors for s in f.free_symbols)
