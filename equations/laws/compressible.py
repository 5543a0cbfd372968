"""Flow of a gas, without and with friction."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from ..equation import Eq
from ..operators import as_vector, div, dot, grad, normal_derivative
from ..symbols import normal, spatial
from .law import check_values, checked_coordinates, new_field, new_vector, rate


class GasFlow(ABC):
    """What flows of an ideal gas share: unknowns, conserved quantities and their fluxes."""

    coordinates: Any
    ratio: Any

    @property
    def space(self) -> tuple[sympy.Symbol, ...]:
        """The spatial coordinates."""
        return spatial(self.coordinates)

    @cached_property
    def density(self) -> sympy.Expr:
        """The unknown density rho in kg/m³, positive."""
        return new_field("rho", self.coordinates, positive=True)

    @cached_property
    def velocity(self) -> sympy.Matrix:
        """The unknown velocity in m/s, a vector also in one dimension."""
        return new_vector("uvw", self.coordinates)

    @cached_property
    def pressure(self) -> sympy.Expr:
        """The unknown pressure p in Pa, positive."""
        return new_field("p", self.coordinates, positive=True)

    @property
    def energy(self) -> sympy.Expr:
        """The energy per volume p / (gamma - 1) + rho |u|² / 2 in J/m³."""
        kinetic = self.density * dot(self.velocity, self.velocity) / 2
        return self.pressure / (self.ratio - 1) + kinetic

    @property
    def sound_speed(self) -> sympy.Expr:
        """sqrt(gamma p / rho) in m/s."""
        return sympy.sqrt(self.ratio * self.pressure / self.density)

    @property
    def mach(self) -> sympy.Expr:
        """The speed divided by the speed of sound."""
        return sympy.sqrt(dot(self.velocity, self.velocity)) / self.sound_speed

    @property
    def entropy(self) -> sympy.Expr:
        """log(p / rho^gamma), constant along the paths of an ideal flow without shocks."""
        return sympy.log(self.pressure) - self.ratio * sympy.log(self.density)

    @property
    def conserved(self) -> sympy.Matrix:
        """Mass, momentum and energy per volume: (rho, rho u, E)."""
        return as_vector([self.density, *(self.density * self.velocity), self.energy])

    @property
    def flux(self) -> sympy.Matrix:
        """What of them passes by convection and pressure, one row for each of `conserved`:
        (rho u, rho u u + p I, (E + p) u)."""
        rho, u, p = self.density, self.velocity, self.pressure
        momentum = rho * u * u.T + p * sympy.eye(len(u))
        return sympy.ImmutableMatrix.vstack(rho * u.T, momentum, (self.energy + p) * u.T)

    def _balance(self, flux: sympy.Matrix) -> tuple[Eq, ...]:
        """d(conserved)/dt + div(flux) = 0."""
        changes = rate(self.conserved, self.coordinates)
        rows = (tuple(flux[i, :]) for i in range(len(changes)))
        return tuple(Eq(c + div(row, self.space), 0) for c, row in zip(changes, rows, strict=True))

    def slip(self) -> Eq:
        """Nothing passes the wall: u · n = 0."""
        return Eq(dot(self.velocity, normal(self.space)), 0)


@dataclass(frozen=True)
class Euler(GasFlow):
    """The Euler equations of an ideal gas, d(rho)/dt + div(rho u) = 0,
    d(rho u)/dt + div(rho u u + p I) = 0, dE/dt + div((E + p) u) = 0.

    Arguments:
        coordinates: as `(x, t)` or `(x, y, z, t)`; steady where `t` is not among them.
        ratio: gamma of the specific heats.

    Notes:
        Unknowns: `density`, `velocity`, `pressure`. Derived: `energy`, `sound_speed`, `mach`,
        `entropy`; across a shock of speed s, [flux] = s [conserved].

    Source:
        Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, 2009, equations 1.7 and 3.8.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> Euler((x, t)).conserved[1]
        rho(x, t)*u(x, t)
    """

    coordinates: Any
    ratio: Any = 1.4

    def __post_init__(self):
        symbols = checked_coordinates(
            "Euler", self.coordinates, dimensions=(1, 2, 3), cartesian=True
        )
        object.__setattr__(self, "coordinates", symbols)
        check_values(self, positive=("ratio",))

    @property
    def equations(self) -> tuple[Eq, ...]:
        return self._balance(self.flux)


@dataclass(frozen=True)
class CompressibleNavierStokes(GasFlow):
    """The Navier-Stokes equations of an ideal gas: those of Euler with the viscous stress
    tau = mu (grad u + grad u^T - 2/3 div(u) I) in the momentum, and tau u + k grad T in the energy.

    Arguments:
        coordinates: as `(x, t)` or `(x, y, z, t)`; steady where `t` is not among them.
        viscosity: dynamic, mu in Pa s, an expression or a function of the temperature.
        conductivity: k in W/(m K), an expression or a function of the temperature.
        ratio: gamma of the specific heats.
        gas_constant: R in J/(kg K), 287 for air.

    Notes:
        Unknowns and derived quantities are those of `Euler`, and `temperature`, `viscous_stress`,
        `heat_flux`.

    Source:
        Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, 2009, section 1.4.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> CompressibleNavierStokes((x, t), viscosity=3, conductivity=1).viscous_stress
        Matrix([[4*Derivative(u(x, t), x)]])
    """

    coordinates: Any
    viscosity: Any
    conductivity: Any
    ratio: Any = 1.4
    gas_constant: Any = 1

    def __post_init__(self):
        name = "CompressibleNavierStokes"
        symbols = checked_coordinates(name, self.coordinates, dimensions=(1, 2, 3), cartesian=True)
        object.__setattr__(self, "coordinates", symbols)
        check_values(self, positive=("ratio", "gas_constant"))
        check_values(self, positive=("viscosity", "conductivity"), of=(self.temperature,))

    @property
    def temperature(self) -> sympy.Expr:
        """p / (rho R) in K."""
        return self.pressure / (self.density * self.gas_constant)

    @property
    def viscous_stress(self) -> sympy.Matrix:
        """mu (grad u + grad u^T - 2/3 div(u) I) in Pa."""
        gradient = grad(self.velocity, self.space)
        spherical = sympy.Rational(2, 3) * gradient.trace() * sympy.eye(len(self.space))
        return sympy.ImmutableMatrix(self.viscosity * (gradient + gradient.T - spherical))

    @property
    def heat_flux(self) -> sympy.Matrix:
        """-k grad T in W/m²."""
        return as_vector(-self.conductivity * grad(self.temperature, self.space))

    @property
    def equations(self) -> tuple[Eq, ...]:
        stress = self.viscous_stress
        work = self.velocity.T * stress - self.heat_flux.T
        friction = sympy.ImmutableMatrix.vstack(0 * self.velocity.T, stress, work)
        return self._balance(self.flux - friction)

    def no_slip(self) -> Eq:
        """The gas sticks to a wall at rest: u = 0."""
        return Eq(self.velocity, 0)

    def insulated(self) -> Eq:
        """No heat passes the wall: k dT/dn = 0."""
        return Eq(self.conductivity * normal_derivative(self.temperature), 0)
