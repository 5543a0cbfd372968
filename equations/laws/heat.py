"""Heat conduction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..equation import Eq
from ..expressions import as_expression
from ..operators import div, grad, normal_derivative
from ..symbols import spatial
from .law import check_values, checked_coordinates, checked_unknown, rate


@dataclass(frozen=True)
class Heat:
    """Heat conduction c dT/dt = div(k grad T) + q; steady where `t` is not among the coordinates.

    Arguments:
        coordinates: as `(x, y, t)`.
        conductivity: k in W/(m K), an expression, a field, or a function of T.
        heat_capacity: c, density times specific heat, in J/(m³ K).
        source: q in W/m³.
        unknown: the field T in K, made if not given.

    Notes:
        With `heat_capacity=1` the conductivity is the diffusivity in m²/s.

    Source:
        Carslaw & Jaeger, Conduction of Heat in Solids, 1959, section 1.6.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> Heat((x, t), conductivity=2).equations
        (Derivative(T(x, t), t) - div(2*Derivative(T(x, t), x)) = 0,)
    """

    coordinates: Any
    conductivity: Any = 1
    heat_capacity: Any = 1
    source: Any = 0
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("Heat", self.coordinates)
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("Heat", self.unknown, symbols, "T")
        object.__setattr__(self, "unknown", unknown)
        positive = ("conductivity", "heat_capacity")
        check_values(self, "source", positive=positive, of=(unknown,))

    @property
    def temperature(self) -> sympy.Expr:
        """The unknown temperature in K."""
        return self.unknown

    @property
    def flux(self) -> sympy.Matrix:
        """The heat flux -k grad T in W/m²."""
        return -self.conductivity * grad(self.unknown, spatial(self.coordinates))

    @property
    def equations(self) -> tuple[Eq, ...]:
        space = spatial(self.coordinates)
        storage = self.heat_capacity * rate(self.unknown, self.coordinates)
        conduction = div(self.conductivity * grad(self.unknown, space), space)
        return (Eq(storage - conduction, self.source),)

    def insulated(self) -> Eq:
        """No heat flux through the boundary: k dT/dn = 0."""
        return Eq(self.conductivity * normal_derivative(self.unknown), 0)

    def convection(self, coefficient: Any, ambient: Any) -> Eq:
        """Newton's cooling k dT/dn = h (T_ambient - T), h in W/(m² K)."""
        k = self.conductivity
        coefficient = as_expression(coefficient, "coefficient")
        ambient = as_expression(ambient, "ambient")
        return Eq(k * normal_derivative(self.unknown), coefficient * (ambient - self.unknown))
