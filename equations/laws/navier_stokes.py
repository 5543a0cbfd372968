"""Incompressible flow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from ..equation import Eq
from ..operators import advect, as_vector, diff, div, dot, grad, is_vector
from ..symbols import TIME, normal, spatial
from .law import check_values, checked_coordinates


@dataclass(frozen=True)
class NavierStokes:
    """Incompressible Navier-Stokes equations in 2-D or 3-D, unsteady where `t` is a coordinate.

    rho (du/dt + (u · grad) u) = -grad p + div(rho nu grad u) + f,   div u = 0.
    A viscosity that varies in space takes the stress form div(rho nu (grad u + grad u^T)).

    Arguments:
        coordinates: as `(x, y)` or `(x, y, z, t)`.
        viscosity: kinematic, nu in m²/s, a number or an expression.
        density: rho in kg/m³.
        force: f in N/m³, a vector or 0.

    Notes:
        Unknowns: `velocity` (u, v, w) in m/s, `pressure` p in Pa (determined up to a constant
        unless a condition fixes it). Derived: `speed`, `vorticity`, `stress`, `traction`.

    Source:
        Batchelor, An Introduction to Fluid Dynamics, 1967, equations 3.3.13 and 2.2.4.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> NavierStokes((x, y), viscosity=0.01).equations[0]
        Derivative(u(x, y), x) + Derivative(v(x, y), y) = 0
    """

    coordinates: Any
    viscosity: Any
    density: Any = 1
    force: Any = 0

    def __post_init__(self):
        symbols = checked_coordinates("NavierStokes", self.coordinates)
        object.__setattr__(self, "coordinates", symbols)
        if len(self.space) not in (2, 3):
            raise ValueError(f"`NavierStokes` needs 2 or 3 space coordinates; got {symbols}.")
        check_values(self, "force", positive=("viscosity", "density"))

    @property
    def space(self) -> tuple[sympy.Symbol, ...]:
        """The spatial coordinates."""
        return spatial(self.coordinates)

    @cached_property
    def velocity(self) -> sympy.Matrix:
        """The unknown velocity (u, v) or (u, v, w) in m/s."""
        names = "uvw"[: len(self.space)]
        return as_vector([sympy.Function(n, real=True)(*self.coordinates) for n in names])

    @cached_property
    def pressure(self) -> sympy.Expr:
        """The unknown pressure in Pa."""
        return sympy.Function("p", real=True)(*self.coordinates)

    @property
    def speed(self) -> sympy.Expr:
        """The magnitude of the velocity in m/s."""
        return sympy.sqrt(dot(self.velocity, self.velocity))

    @property
    def vorticity(self) -> Any:
        """The curl of the velocity in 1/s: a scalar in 2-D, a vector in 3-D."""
        u, s = self.velocity, self.space
        if len(s) == 2:
            return diff(u[1], s[0]) - diff(u[0], s[1])
        pairs = ((1, 2), (2, 0), (0, 1))
        return as_vector([diff(u[j], s[i]) - diff(u[i], s[j]) for i, j in pairs])

    @property
    def stress(self) -> sympy.Matrix:
        """The stress -p I + rho nu (grad u + grad u^T) in Pa."""
        gradient = grad(self.velocity, self.space)
        viscous = self.density * self.viscosity * (gradient + gradient.T)
        return sympy.ImmutableMatrix(viscous - self.pressure * sympy.eye(len(self.space)))

    @property
    def traction(self) -> sympy.Matrix:
        """The force per area, in Pa, that the fluid exerts on the boundary: -stress · n with n the
        outward normal of the fluid's domain. Its integral over a body is the drag and the lift."""
        return sympy.ImmutableMatrix(-self.stress * normal(self.space))

    @property
    def equations(self) -> tuple[Eq, ...]:
        u = self.velocity
        continuity = Eq(sum(diff(c, s) for c, s in zip(u, self.space, strict=True)), 0)
        return (continuity, *(self._momentum(i) for i in range(len(u))))

    def _momentum(self, i: int) -> Eq:
        u, rho, component = self.velocity, self.density, self.velocity[i]
        force = self.force[i] if is_vector(self.force) else self.force
        inertia = advect(u, component)
        if len(self.space) < len(self.coordinates):
            time = next(s for s in self.coordinates if s.name == TIME)
            inertia += diff(component, time)
        return Eq(rho * inertia + diff(self.pressure, self.space[i]) - self._viscous(i), force)

    def _viscous(self, i: int) -> sympy.Expr:
        flux = grad(self.velocity[i], self.space)
        if sympy.sympify(self.viscosity).free_symbols & set(self.coordinates):
            flux = flux + grad(self.velocity, self.space)[:, i]
        return div(sympy.sympify(self.density * self.viscosity) * flux, self.space)

    def no_slip(self) -> Eq:
        """The fluid sticks to a wall at rest: u = 0."""
        return Eq(self.velocity, 0)

    def traction_free(self) -> Eq:
        """The natural condition of an open boundary: rho nu du/dn - p n = 0.

        Source:
            Heywood, Rannacher & Turek, Int. J. Numer. Meth. Fluids 22 (1996) 325-352.
        """
        n = normal(self.space)
        viscous = grad(self.velocity, self.space) * n * self.density * self.viscosity
        return Eq(sympy.ImmutableMatrix(viscous - self.pressure * n), 0)
