"""Sizes of terms: each equation and condition as a row of monomials in its fields.

A term is a coefficient times powers of fields and of their derivatives. Its size is that of the
coefficient times the units of the fields, divided by a length for each derivative: the side of the
domain along that axis, or the wave length of what drives the equation where that is shorter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from .. import structure
from ..doctor.case import evaluate
from ..operators import Divergence
from ..weak import outermost

POINTS = 64
FEW = 6  # coordinates along which wave numbers are looked for
WIDEST = 200  # operations in an expression that is multiplied out
Waves = tuple[float, ...]  # one over a length, for each coordinate


@dataclass(frozen=True)
class Term:
    """`size` times powers of fields, with so many derivatives along each coordinate."""

    size: float
    powers: tuple[tuple[AppliedUndef, float], ...]
    orders: tuple[float, ...]

    def magnitude(self, units: Mapping[Any, float], waves: Waves) -> float:
        """Its size for given units of the fields in it; fields without a unit count as one."""
        size = self.size * np.prod([w**n for w, n in zip(waves, self.orders, strict=True)])
        return float(size * np.prod([units.get(f, 1.0) ** p for f, p in self.powers]))


@dataclass(frozen=True)
class Row:
    """An equation or condition: its terms with fields, and what drives it, a known function of a
    size and of wave numbers."""

    terms: tuple[Term, ...]
    drive: float
    waves: Waves
    lengths: Waves

    def largest(self, units: Mapping[Any, float]) -> float:
        """The size of its largest term."""
        return max([self.drive, *(t.magnitude(units, self.lengths) for t in self.terms)])


class Reader:
    """Reads the rows of one problem, with `offsets` taken out of its fields."""

    def __init__(self, problem: Any, offsets: Mapping[AppliedUndef, float] | None = None):
        self.problem = problem
        self.offsets = dict(offsets or {})
        self.coordinates = problem.coordinates
        self.lower, self.upper = (np.asarray(b, float) for b in problem.domain.bounds)
        self.extents = self.upper - self.lower
        self.interior = np.asarray(problem.domain.sample_interior(POINTS, key=0).points)
        self._samples: dict[Any, Any] = {}

    @cached_property
    def equations(self) -> list[Row | None]:
        """A row for each scalar equation; None for one that is no sum of monomials."""
        return [self.row(r) for e in self.problem.equations for r in e.residuals]

    @cached_property
    def conditions(self) -> list[Row | None]:
        """A row for each component of each condition."""
        return [self.row(r, c.part) for c in self.problem.conditions for r in c.equation.residuals]

    def sample(self, part: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """Points of a part, or of the interior, and normals."""
        if not hasattr(part, "sample"):
            return self.interior, None
        if part not in self._samples:
            found = part.sample(POINTS, key=2)
            self._samples[part] = (np.asarray(found.points), np.asarray(found.normals))
        return self._samples[part]

    def row(self, residual: sympy.Expr, part: Any = None) -> Row | None:
        """The terms of a residual on a part or in the interior; a divergence counts by the terms of
        its flux, over the lengths of the domain."""
        points, normals = self.sample(part)
        known: list[sympy.Expr] = []
        terms: list[Term] = []
        try:
            for piece, axis in _pieces(residual):
                held = self._shifted(structure.jet_expression(piece))
                jets = {symbol: jet for jet, symbol in held.symbols.items()}
                for summand in _summands(held.expression):
                    if not summand.free_symbols & set(jets):
                        known.append(sympy.diff(summand, axis) if axis else summand)
                        continue
                    coefficient, powers = _monomial(summand, jets) or (sympy.S.Zero, {})
                    size = self.size(coefficient, points, normals)
                    if size:
                        terms.append(self._term(size, powers, jets, axis))
        except (ValueError, TypeError):
            return None
        size, waves = self._waves(sympy.Add(*known), points, normals)
        return Row(tuple(terms), size, waves, tuple(1 / self.extents))

    def _shifted(self, held: structure.JetExpression) -> structure.JetExpression:
        """The expression with the offsets added to its fields."""
        shift = {
            symbol: symbol + self.offsets[jet.field]
            for jet, symbol in held.symbols.items()
            if jet.is_value and jet.field in self.offsets
        }
        if not shift:
            return held
        return structure.JetExpression(held.expression.xreplace(shift), held.symbols)

    def _term(self, size: float, powers: Mapping, jets: Any, axis: Any) -> Term:
        fields: dict[AppliedUndef, float] = {}
        orders = np.array([float(c == axis) for c in self.coordinates])
        for symbol, power in powers.items():
            jet = jets[symbol]
            fields[jet.field] = fields.get(jet.field, 0.0) + power
            orders += [power * jet.order(c) for c in self.coordinates]
        return Term(size, tuple(fields.items()), tuple(orders))

    def size(self, expression: sympy.Expr, points: np.ndarray, normals: Any = None) -> float | None:
        """The largest magnitude of a known function at points; None where it has no numbers."""
        values = self.values(expression, points, normals)
        if values is None or not np.isfinite(values).all():
            return None
        return float(np.max(np.abs(values), initial=0.0))

    def values(self, expression: Any, points: np.ndarray, normals: Any = None) -> Any:
        """A known function at points; None where it has no numbers."""
        expression = sympy.sympify(expression)
        if expression.is_number:
            return np.full(len(points), abs(complex(expression)))
        try:
            held = structure.JetExpression(expression, {})
            return evaluate(held, self.coordinates, points, normals)
        except Exception:  # whatever it holds, its size is not known
            return None

    def slope(self, held: structure.JetExpression, jet: structure.Jet) -> np.ndarray | None:
        """The factor of a jet at interior points, for made-up values of the others."""
        slope = sympy.diff(held.expression, held.symbols[jet])
        try:
            part = structure.JetExpression(slope, held.symbols)
            return evaluate(part, self.coordinates, self.interior)
        except Exception:  # it has no numbers
            return None

    def _waves(self, drive: sympy.Expr, points, normals) -> tuple[float, Waves]:
        """The size of what drives a row, and its wave number along each coordinate: the root mean
        square of its slope over that of itself."""
        size, lengths = self.size(drive, points, normals), 1 / self.extents
        if not size or len(lengths) > FEW:
            return size or 0.0, tuple(lengths)
        waves = []
        for i, (c, length) in enumerate(zip(self.coordinates, lengths, strict=True)):
            waves.append(length)
            if c in drive.free_symbols:
                step = np.zeros(len(self.coordinates))
                step[i] = 1e-4 * self.extents[i]
                ends = [self.values(drive, points + s * step, normals) for s in (-1, 1)]
                slope = np.linalg.norm(ends[1] - ends[0]) / (2 * step[i])
                number = slope / np.linalg.norm(self.values(drive, points, normals))
                waves[i] = max(length, float(number)) if np.isfinite(number) else length
        return size, tuple(waves)


def _pieces(residual: sympy.Expr) -> Iterator[tuple[sympy.Expr, sympy.Symbol | None]]:
    """A residual without its divergences, and each component of their fluxes with its axis."""
    nodes = {node: sympy.Dummy() for node in outermost(residual, Divergence)}
    rest = residual.xreplace(nodes)
    for node, dummy in nodes.items():
        factor = sympy.diff(rest, dummy)
        if dummy in factor.free_symbols:
            yield residual, None
            return
        yield from ((factor * f, s) for f, s in zip(node.flux, node.space, strict=True))
    yield rest.subs(dict.fromkeys(nodes.values(), 0)), None


def _summands(expression: sympy.Expr) -> tuple[sympy.Expr, ...]:
    if sympy.count_ops(expression) < WIDEST:
        expression = sympy.expand(expression)
    return sympy.Add.make_args(expression)


Monomial = tuple[sympy.Expr, dict[sympy.Symbol, float]]


def _monomial(term: sympy.Expr, jets: Mapping[sympy.Symbol, Any]) -> Monomial | None:
    """A coefficient and powers of jets, if the term is such a product; a sum under a power counts
    by its first term."""
    coefficient, powers = sympy.S.One, dict[sympy.Symbol, float]()
    for base, exponent in _factors(term):
        if not base.free_symbols & set(jets):
            coefficient *= base**exponent
        elif not exponent.is_number or not exponent.is_real:
            return None
        elif base in jets:
            powers[base] = powers.get(base, 0.0) + float(exponent)
        elif isinstance(base, sympy.Add):
            inner = next(filter(None, (_monomial(a, jets) for a in base.args)), None)
            if inner is None:
                return None
            coefficient *= inner[0] ** exponent
            for symbol, power in inner[1].items():
                powers[symbol] = powers.get(symbol, 0.0) + power * float(exponent)
        else:
            return None
    return coefficient, powers


_SAME_SIZE = (sympy.Abs, sympy.conjugate, sympy.re, sympy.im)


def _factors(term: sympy.Expr) -> Iterator[tuple[sympy.Expr, sympy.Expr]]:
    for factor in sympy.Mul.make_args(term):
        base, exponent = factor.as_base_exp()
        while isinstance(base, _SAME_SIZE):
            base = base.args[0]
        if isinstance(base, sympy.Mul | sympy.Pow):
            yield from ((b, e * exponent) for b, e in _factors(base))
        else:
            yield base, exponent
