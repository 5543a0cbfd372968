"""Vector calculus in orthogonal coordinates, from scale factors h and physical components.

Source: Batchelor, An Introduction to Fluid Dynamics, 1967, appendix 2; with h = 1 all formulas are
those of Cartesian coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy

from .symbols import normal
from .systems import Coordinate, System


@dataclass(frozen=True)
class Metric:
    """Scale factors of all coordinates of a system; `places`: where those in use stand."""

    symbols: tuple[sympy.Symbol, ...]
    scales: tuple[sympy.Expr, ...]
    spans: tuple[sympy.Expr, ...]
    places: tuple[int, ...]

    @property
    def volume(self) -> sympy.Expr:
        """The product of all scale factors."""
        return sympy.Mul(*self.scales)

    def along(self, expression: sympy.Expr, i: int) -> sympy.Expr:
        """The derivative by coordinate i, per length; zero for one that is left out."""
        if i not in self.places:
            return sympy.S.Zero
        return sympy.diff(expression, self.symbols[i]) / self.scales[i]

    def slope(self, i: int, j: int) -> sympy.Expr:
        """How h_i changes along j, per length, over h_i: the turning of unit vectors."""
        h, q = self.scales, self.symbols
        return sympy.diff(h[i], q[j]).xreplace(self._fixed) / (h[i] * h[j]).xreplace(self._fixed)

    @property
    def _fixed(self) -> dict[sympy.Symbol, sympy.Expr]:
        hidden = [q for i, q in enumerate(self.symbols) if i not in self.places]
        return dict.fromkeys(hidden, sympy.pi / 2)  # the equator, by symmetry

    def fill(self, components: Sequence[sympy.Expr]) -> list[sympy.Expr]:
        """A vector with zeros along the coordinates that are left out."""
        full = [sympy.S.Zero] * len(self.symbols)
        for place, component in zip(self.places, components, strict=True):
            full[place] = component
        return full


def metric(space: Sequence[sympy.Symbol]) -> Metric | None:
    """The metric of the coordinates' system; None where they are Cartesian.

    Raises:
        ValueError for coordinates of different systems.
    """
    systems: list[System] = list(
        dict.fromkeys(s.system for s in space if isinstance(s, Coordinate))
    )
    if not systems:
        return None
    if len(systems) > 1 or not all(isinstance(s, Coordinate) for s in space):
        raise ValueError(
            f"{', '.join(map(str, space))} are of different coordinate systems; make them in one "
            "call of `coordinates`."
        )
    (system,) = systems
    own = {s.name: s for s in space}
    symbols = tuple(own.get(a, sympy.Symbol(a, real=True)) for a in system.axes)
    plain = {sympy.Symbol(a, real=True): s for a, s in zip(system.axes, symbols, strict=True)}
    scales = tuple(h.xreplace(plain) for h in system.scales)
    places = tuple(system.axes.index(s.name) for s in space)
    return Metric(symbols, scales, system.spans, places)


def scale_factors(space: Sequence[sympy.Symbol]) -> tuple[sympy.Expr, ...]:
    """The scale factors of the coordinates in use; ones where they are Cartesian."""
    g = metric(space)
    return (sympy.S.One,) * len(space) if g is None else tuple(g.scales[i] for i in g.places)


def volume_factor(space: Sequence[sympy.Symbol]) -> sympy.Expr:
    """The volume of a unit cell of the coordinates, all around where one is left out."""
    g = metric(space)
    if g is None:
        return sympy.S.One
    spans = (s for i, s in enumerate(g.spans) if i not in g.places)
    return sympy.Mul(g.volume.xreplace(g._fixed), *spans)


def area_factor(space: Sequence[sympy.Symbol]) -> sympy.Expr:
    """The area, on a boundary, of a unit of area among the coordinates."""
    if metric(space) is None:
        return sympy.S.One
    pairs = zip(normal(space), scale_factors(space), strict=True)
    return volume_factor(space) * sympy.sqrt(sympy.Add(*((n / h) ** 2 for n, h in pairs)))


def unit_normal(space: Sequence[sympy.Symbol]) -> sympy.Matrix:
    """The physical components of the outward unit normal."""
    if metric(space) is None:
        return normal(space)
    pairs = zip(normal(space), scale_factors(space), strict=True)
    components = [n / h for n, h in pairs]
    length = sympy.sqrt(sympy.Add(*(c**2 for c in components)))
    return sympy.ImmutableMatrix([c / length for c in components])


def fluxes(g: Metric, components: Sequence[sympy.Expr]) -> tuple[list[sympy.Expr], sympy.Expr]:
    """(H F_i / h_i, H): div F is the plain divergence of the first, divided by the second. H is
    that part of the volume which varies."""
    fixed = g._fixed
    volume = g.volume.xreplace(fixed)
    scales = [g.scales[i].xreplace(fixed) for i in g.places]
    return [volume * f / h for f, h in zip(components, scales, strict=True)], volume


def jacobian(g: Metric, vector: Sequence[sympy.Expr]) -> sympy.Matrix:
    """The gradient of a vector, all components: row i, column j is e_i · (e_j · grad) v."""
    v, n = g.fill(vector), range(len(g.symbols))

    def entry(i: int, j: int) -> sympy.Expr:
        if i == j:
            turning = sympy.Add(*(v[k] * g.slope(i, k) for k in n if k != i))
        else:
            turning = -v[j] * g.slope(j, i)
        return g.along(v[i], j) + turning

    return sympy.ImmutableMatrix(len(n), len(n), entry)


def turning(g: Metric, tensor: sympy.Matrix, i: int) -> sympy.Expr:
    """What the turning of unit vectors adds to component i of the divergence of a tensor."""
    others = [k for k in range(len(g.symbols)) if k != i]
    return sympy.Add(
        *(tensor[k, i] * g.slope(i, k) for k in others),
        *(-tensor[k, k] * g.slope(k, i) for k in others),
    )
