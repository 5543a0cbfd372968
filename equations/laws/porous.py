"""Flow through porous ground: one fluid, and two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..curvilinear import unit_normal
from ..equation import Eq
from ..operators import as_vector, div, dot, grad, laplacian
from ..symbols import spatial
from .law import (
    as_components,
    check_values,
    checked_coordinates,
    checked_unknown,
    new_field,
    new_vector,
    rate,
)


@dataclass(frozen=True)
class Darcy:
    """Darcy flow S dp/dt + div u = q with u = -(K/mu) (grad p - rho g).

    Arguments:
        coordinates: as `(x, y)` or `(x, y, t)`; steady where `t` is not among them.
        permeability: K in m², an expression, a field or a matrix.
        viscosity: mu in Pa s.
        source: q in 1/s.
        weight: the vector rho g in N/m³, or 0.
        storage: S in 1/Pa.
        mixed: whether the velocity is an unknown of its own, in equations of first order; else p
            alone.

    Notes:
        Unknowns: `pressure` p in Pa and, if mixed, `velocity` u in m/s (per area of ground).

    Source:
        Bear, Dynamics of Fluids in Porous Media, 1972, equations 5.4.2 and 6.2.25.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> Darcy((x, y), permeability=2).equations
        (div(-2*Derivative(p(x, y), x), -2*Derivative(p(x, y), y)) = 0,)
    """

    coordinates: Any
    permeability: Any = 1
    viscosity: Any = 1
    source: Any = 0
    weight: Any = 0
    storage: Any = 0
    mixed: bool = False

    def __post_init__(self):
        symbols = checked_coordinates("Darcy", self.coordinates, dimensions=(1, 2, 3))
        object.__setattr__(self, "coordinates", symbols)
        check_values(self, "source", "weight", positive=("permeability", "viscosity", "storage"))

    @property
    def pressure(self) -> sympy.Expr:
        """The unknown pressure in Pa."""
        return new_field("p", self.coordinates)

    @property
    def velocity(self) -> sympy.Matrix:
        """The flow per area in m/s: an unknown if mixed, else -(K/mu) (grad p - rho g)."""
        return new_vector("uvw", self.coordinates) if self.mixed else self._driven()

    def _driven(self) -> sympy.Matrix:
        space = spatial(self.coordinates)
        weight = as_components(self.weight, space, "Darcy(weight=)")
        push = grad(self.pressure, space) - weight
        return as_vector(-self.permeability * push / self.viscosity)

    @property
    def equations(self) -> tuple[Eq, ...]:
        stored = self.storage * rate(self.pressure, self.coordinates)
        balance = Eq(stored + div(self.velocity, spatial(self.coordinates)), self.source)
        return (balance, Eq(self.velocity, self._driven())) if self.mixed else (balance,)

    def impermeable(self) -> Eq:
        """Nothing passes the boundary: u · n = 0."""
        return Eq(dot(self.velocity, unit_normal(spatial(self.coordinates))), 0)


@dataclass(frozen=True)
class BuckleyLeverett:
    """Displacement of oil by water, phi dS/dt + div(a f(S)) = eps lap S, with the fractional flow
    f = S² / (S² + M (1 - S)²) of quadratic relative permeabilities.

    Arguments:
        coordinates: with time, as `(x, t)`.
        velocity: the total flow a in m/s, a vector; by default 1 in one dimension.
        viscosity_ratio: M, of water to oil.
        porosity: phi.
        capillarity: eps in m²/s; 0 leaves shocks.
        unknown: the saturation S with water, made if not given.

    Source:
        Buckley & Leverett, Trans. AIME 146 (1942) 107-116; LeVeque, Finite Volume Methods for
        Hyperbolic Problems, 2002, section 16.1.1.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> law = BuckleyLeverett((x, t))
        >>> law.fractional_flow.subs(law.unknown, 1)
        1
    """

    coordinates: Any
    velocity: Any = None
    viscosity_ratio: Any = 1
    porosity: Any = 1
    capillarity: Any = 0
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("BuckleyLeverett", self.coordinates, time=True)
        object.__setattr__(self, "coordinates", symbols)
        space = spatial(symbols)
        if self.velocity is None:
            object.__setattr__(self, "velocity", (1,) if len(space) == 1 else ())
        positive = ("viscosity_ratio", "porosity", "capillarity")
        check_values(self, "velocity", positive=positive)
        velocity = as_components(self.velocity, space, "BuckleyLeverett(velocity=)")
        object.__setattr__(self, "velocity", velocity)
        unknown = checked_unknown("BuckleyLeverett", self.unknown, symbols, "S")
        object.__setattr__(self, "unknown", unknown)

    @property
    def fractional_flow(self) -> sympy.Expr:
        """The part f(S) of the flow that is water."""
        S = self.unknown
        return S**2 / (S**2 + self.viscosity_ratio * (1 - S) ** 2)

    @property
    def wave_speed(self) -> sympy.Expr:
        """f'(S), the speed of a saturation divided by that of the flow."""
        s = sympy.Dummy()
        return self.fractional_flow.subs(self.unknown, s).diff(s).subs(s, self.unknown)

    @property
    def equations(self) -> tuple[Eq, ...]:
        S, space = self.unknown, spatial(self.coordinates)
        carried = div(self.velocity * self.fractional_flow, space)
        change = self.porosity * rate(S, self.coordinates)
        return (Eq(change + carried - self.capillarity * laplacian(S, space), 0),)
