"""Waves of one frequency, with damping and absorbing layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..curvilinear import unit_normal
from ..equation import Eq
from ..expressions import as_expression
from ..operators import as_vector, div, dot, grad, normal_derivative
from ..symbols import spatial
from .law import check_values, checked_coordinates, checked_unknown


@dataclass(frozen=True)
class MatchedLayer:
    """A perfectly matched layer: outside the box `lower` to `upper` each coordinate s is continued
    to s + i sigma(s), where outgoing waves die out and nothing is reflected.

    d(sigma)/ds = strength (depth / thickness)^power. A layer that ends on u = 0 reflects
    exp(-2 k strength thickness / (power + 1)) of a wave that meets it head on.

    Arguments:
        lower, upper: corners of the box, numbers in 1-D.
        thickness: of the layer, in m.
        strength: of the absorption at its end; 5 to 20 is usual.
        power: of its growth.

    Source:
        Collino & Monk, SIAM J. Sci. Comput. 19 (1998) 2061-2090, section 2.

    Example:
        >>> from equations import coordinates
        >>> MatchedLayer(-1, 1, thickness=0.5, strength=3, power=0).stretch(coordinates("x y")[:1])
        (Piecewise((1 + 3*I, (x > 1) | (x < -1)), (1, True)),)
    """

    lower: Any
    upper: Any
    thickness: Any
    strength: Any = 10
    power: int = 2

    def stretch(self, space: tuple[sympy.Symbol, ...]) -> tuple[sympy.Expr, ...]:
        """1 + i d(sigma)/ds for each coordinate."""
        ends = [_each(e, len(space)) for e in (self.lower, self.upper)]
        return tuple(map(self._along, space, *ends))

    def _along(self, s, low, high) -> sympy.Expr:
        depth = sympy.Piecewise((s - high, s > high), (low - s, s < low), (0, True))
        growth = sympy.S(self.strength) * (depth / self.thickness) ** self.power
        outside = sympy.Or(s > high, s < low)
        return sympy.Piecewise((1 + sympy.I * growth, outside), (1, True))


def _each(end: Any, n: int) -> tuple[sympy.Expr, ...]:
    values = tuple(end) if hasattr(end, "__len__") else (end,)
    if len(values) != n:
        raise ValueError(f"`MatchedLayer` needs corners with {n} coordinates; got {end}.")
    return tuple(as_expression(v, "MatchedLayer") for v in values)


@dataclass(frozen=True)
class Helmholtz:
    """The Helmholtz equation -lap u - k² (1 + i eta) u = f of waves u exp(-i omega t).

    Arguments:
        coordinates: the spatial coordinates, as `(x, y)`.
        wavenumber: k in 1/m, constant or varying in space.
        source: f.
        damping: eta, the loss factor.
        layer: a `MatchedLayer` that absorbs outgoing waves.
        unknown: the field u, made if not given: complex with damping or a layer, else real. For
            radiation conditions give `field("u", x, y, complex=True)`.

    Source:
        Ihlenburg, Finite Element Analysis of Acoustic Scattering, 1998, section 1.2.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> Helmholtz((x, y), wavenumber=3).equations
        (-9*u(x, y) - laplacian(u(x, y)) = 0,)
    """

    coordinates: Any
    wavenumber: Any
    source: Any = 0
    damping: Any = 0
    layer: MatchedLayer | None = None
    unknown: Any = None

    def __post_init__(self):
        is_layered = self.layer is not None
        symbols = checked_coordinates(
            "Helmholtz", self.coordinates, time=False, cartesian=is_layered
        )
        object.__setattr__(self, "coordinates", symbols)
        check_values(self, "source", "wavenumber", positive=("damping",))
        has_loss = is_layered or self.damping != 0
        unknown = checked_unknown("Helmholtz", self.unknown, symbols, "u", complex=has_loss)
        if has_loss and unknown.is_real:
            raise ValueError(
                f"`Helmholtz(unknown=)` must be complex with damping or a layer; got the real "
                f"{unknown}. Make it by `field(..., complex=True)`."
            )
        object.__setattr__(self, "unknown", unknown)

    @property
    def equations(self) -> tuple[Eq, ...]:
        space = spatial(self.coordinates)
        flux, volume = grad(self.unknown, space), sympy.S.One
        if self.layer is not None:
            stretch = self.layer.stretch(space)
            volume = sympy.Mul(*stretch)
            flux = as_vector([volume / a**2 * c for a, c in zip(stretch, flux, strict=True)])
        squared = self.wavenumber**2 * (1 + sympy.I * self.damping)
        return (Eq(-div(flux, space) - squared * volume * self.unknown, volume * self.source),)

    def sound_soft(self, incident: Any = 0) -> Eq:
        """The total field vanishes: u = -incident."""
        return Eq(self.unknown, -as_expression(incident, "incident"))

    def sound_hard(self, incident: Any = 0) -> Eq:
        """The total field has no normal derivative: du/dn = -d(incident)/dn."""
        return Eq(normal_derivative(self.unknown), -self._along_normal(incident))

    def radiating(self, incident: Any = 0) -> Eq:
        """What is scattered leaves, to first order: d(u - incident)/dn = i k (u - incident).

        Notes:
            Exact in 1-D, and for plane waves that meet the boundary head on.
        """
        if self.unknown.is_real:
            raise ValueError(
                f"`radiating()` needs a complex unknown; got the real {self.unknown}. Give "
                '`unknown=field("u", ..., complex=True)`.'
            )
        ik = sympy.I * self.wavenumber
        slope = normal_derivative(self.unknown) - self._along_normal(incident)
        return Eq(slope, ik * (self.unknown - as_expression(incident, "incident")))

    def _along_normal(self, u: Any) -> sympy.Expr:
        space = spatial(self.coordinates)
        return dot(unit_normal(space), grad(as_expression(u, "incident"), space))
