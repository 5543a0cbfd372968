"""Buoyant flow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from ..curvilinear import metric
from ..equation import Eq
from ..operators import advect, as_vector, div, grad, normal_derivative
from .incompressible import IncompressibleFlow
from .law import as_components, check_values, checked_coordinates, new_field, rate


@dataclass(frozen=True)
class Boussinesq(IncompressibleFlow):
    """Flow driven by small differences of temperature (Oberbeck-Boussinesq).

    rho (du/dt + (u · grad) u) = -grad p + div(rho nu grad u) - rho beta (T - T0) g,   div u = 0,
    dT/dt + u · grad T = div(a grad T) + q.

    Arguments:
        coordinates: as `(x, y)` or `(x, y, z, t)`.
        viscosity: nu in m²/s.
        diffusivity: of heat, a in m²/s.
        expansion: beta in 1/K.
        gravity: the vector g in m/s²; by default (0, -9.81) or (0, 0, -9.81), in Cartesian
            coordinates.
        reference: the temperature T0 in K.
        density: rho in kg/m³ at T0.
        heating: q in K/s.

    Notes:
        Unknowns: those of `NavierStokes`, and `temperature`. The pressure is the one above the
        hydrostatic pressure at T0.

    Source:
        Tritton, Physical Fluid Dynamics, 1988, equations 14.6 to 14.8.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> Boussinesq((x, y), viscosity=1, diffusivity=2, expansion=1).equations[-1].rhs
        0
    """

    coordinates: Any
    viscosity: Any
    diffusivity: Any
    expansion: Any
    gravity: Any = None
    reference: Any = 0
    density: Any = 1
    heating: Any = 0

    def __post_init__(self):
        symbols = checked_coordinates("Boussinesq", self.coordinates, dimensions=(2, 3))
        object.__setattr__(self, "coordinates", symbols)
        if self.gravity is None and metric(self.space) is not None:
            raise ValueError(f"`Boussinesq(gravity=)` is needed in the coordinates {symbols}.")
        if self.gravity is None:
            down = (0,) * (len(self.space) - 1) + (-9.81,)
            object.__setattr__(self, "gravity", down)
        names = ("expansion", "gravity", "reference", "heating")
        positive = ("viscosity", "diffusivity", "density")
        check_values(self, *names, positive=positive, of=(self.temperature,))

    @cached_property
    def temperature(self) -> sympy.Expr:
        """The unknown temperature in K."""
        return new_field("T", self.coordinates)

    @property
    def dynamic_viscosity(self) -> sympy.Expr:
        return self.density * self.viscosity

    @property
    def is_stress_form(self) -> bool:
        return bool(self.viscosity.free_symbols & set(self.coordinates))

    @property
    def buoyancy(self) -> sympy.Matrix:
        """The force -rho beta (T - T0) g in N/m³."""
        gravity = as_components(self.gravity, self.space, "Boussinesq(gravity=)")
        excess = self.density * self.expansion * (self.temperature - self.reference)
        return as_vector(-excess * gravity)

    @property
    def equations(self) -> tuple[Eq, ...]:
        T, space = self.temperature, self.space
        flow = self.momentum(self.density * self.acceleration, self.buoyancy)
        change = rate(T, self.coordinates) + advect(self.velocity, T)
        heat = Eq(change - div(self.diffusivity * grad(T, space), space), self.heating)
        return (self.continuity, *flow, heat)

    def insulated(self) -> Eq:
        """No heat flux through the boundary: a dT/dn = 0."""
        return Eq(self.diffusivity * normal_derivative(self.temperature), 0)
