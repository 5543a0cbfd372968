"""What incompressible flows share: velocity, pressure, stress, and the conditions on walls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import sympy

from ..curvilinear import unit_normal
from ..equation import Eq
from ..operators import advect, as_vector, curl, div, dot, grad
from ..symbols import spatial
from ..tensors import strain
from .law import as_components, new_field, new_vector, rate, through


class IncompressibleFlow(ABC):
    """A flow of constant density in 2-D or 3-D; the laws of flow derive from it."""

    coordinates: Any

    @property
    @abstractmethod
    def dynamic_viscosity(self) -> sympy.Expr:
        """mu in Pa s."""

    @property
    @abstractmethod
    def is_stress_form(self) -> bool:
        """Whether friction is written div(mu (grad u + grad u^T)) instead of div(mu grad u)."""

    @property
    def space(self) -> tuple[sympy.Symbol, ...]:
        """The spatial coordinates."""
        return spatial(self.coordinates)

    @cached_property
    def velocity(self) -> sympy.Matrix:
        """The unknown velocity (u, v) or (u, v, w) in m/s."""
        return new_vector("uvw", self.coordinates)

    @cached_property
    def pressure(self) -> sympy.Expr:
        """The unknown pressure in Pa."""
        return new_field("p", self.coordinates)

    @property
    def speed(self) -> sympy.Expr:
        """The magnitude of the velocity in m/s."""
        return sympy.sqrt(dot(self.velocity, self.velocity))

    @property
    def strain_rate(self) -> sympy.Matrix:
        """The rate of strain (grad u + grad u^T) / 2 in 1/s."""
        return strain(self.velocity, self.space)

    @property
    def shear_rate(self) -> sympy.Expr:
        """The magnitude sqrt(2 D : D) of the rate of strain D in 1/s; not smooth where D = 0."""
        return sympy.sqrt(2 * sum(d**2 for d in self.strain_rate))

    @property
    def vorticity(self) -> Any:
        """The curl of the velocity in 1/s: a scalar in 2-D, a vector in 3-D."""
        return curl(self.velocity, self.space)

    @property
    def stress(self) -> sympy.Matrix:
        """The stress -p I + mu (grad u + grad u^T) in Pa."""
        viscous = 2 * self.dynamic_viscosity * self.strain_rate
        return sympy.ImmutableMatrix(viscous - self.pressure * sympy.eye(viscous.shape[0]))

    @property
    def traction(self) -> sympy.Matrix:
        """The force per area, in Pa, that the fluid exerts on the boundary: -stress · n with n the
        outward normal of the fluid's domain. Its integral over a body is the drag and the lift."""
        return as_vector(-through(self.stress, self.space))

    @property
    def continuity(self) -> Eq:
        """div u = 0."""
        return Eq(div(self.velocity, self.space), 0)

    @property
    def acceleration(self) -> sympy.Matrix:
        """du/dt + (u · grad) u in m/s²."""
        u = self.velocity
        return as_vector(rate(u, self.coordinates) + advect(u, u))

    def momentum(self, inertia: Any, force: Any) -> tuple[Eq, ...]:
        """The equations inertia + grad p - div(friction) = force, one for each direction."""
        force = as_components(force, self.space, f"{type(self).__name__}(force=)")
        gradient, friction = grad(self.pressure, self.space), div(self._friction(), self.space)
        sides = zip(inertia, gradient, friction, force, strict=True)
        return tuple(Eq(m + p - s, f) for m, p, s, f in sides)

    def _friction(self) -> sympy.Matrix:
        gradient = grad(self.velocity, self.space)
        if self.is_stress_form:
            gradient = gradient + gradient.T
        return sympy.ImmutableMatrix(self.dynamic_viscosity * gradient)

    def no_slip(self) -> Eq:
        """The fluid sticks to a wall at rest: u = 0."""
        return Eq(self.velocity, 0)

    def traction_free(self) -> Eq:
        """The natural condition of an open boundary: mu du/dn - p n = 0, in stress form
        stress · n = 0.

        Source:
            Heywood, Rannacher & Turek, Int. J. Numer. Meth. Fluids 22 (1996) 325-352.
        """
        pressure = self.pressure * unit_normal(self.space)
        return Eq(as_vector(through(self._friction(), self.space) - pressure), 0)
