"""Plane flow by its vorticity and stream function."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from ..equation import Eq
from ..operators import advect, as_vector, diff, div, dot, grad, laplacian, normal_derivative
from ..symbols import spatial
from .law import check_values, checked_coordinates, new_field, rate


@dataclass(frozen=True)
class VorticityStreamfunction:
    """Plane incompressible flow without a pressure: for u = (dpsi/dy, -dpsi/dx),

    domega/dt + u · grad omega = div(nu grad omega) + s,   -lap psi = omega.

    Arguments:
        coordinates: two of space, as `(x, y)` or `(x, y, t)`.
        viscosity: nu in m²/s, constant in space for the momentum to balance too.
        source: s, the curl of the force per mass, in 1/s².

    Notes:
        Unknowns: `vorticity` omega in 1/s and `streamfunction` psi in m²/s, constant along walls.

    Source:
        Batchelor, An Introduction to Fluid Dynamics, 1967, equations 2.2.7 and 5.2.3.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> VorticityStreamfunction((x, y), viscosity=1).equations[1]
        -omega(x, y) - laplacian(psi(x, y)) = 0
    """

    coordinates: Any
    viscosity: Any
    source: Any = 0

    def __post_init__(self):
        symbols = checked_coordinates(
            "VorticityStreamfunction", self.coordinates, dimensions=(2,), cartesian=True
        )
        object.__setattr__(self, "coordinates", symbols)
        check_values(self, "source", positive=("viscosity",))

    @cached_property
    def vorticity(self) -> sympy.Expr:
        """The unknown vorticity dv/dx - du/dy in 1/s."""
        return new_field("omega", self.coordinates)

    @cached_property
    def streamfunction(self) -> sympy.Expr:
        """The unknown stream function in m²/s."""
        return new_field("psi", self.coordinates)

    @property
    def velocity(self) -> sympy.Matrix:
        """(dpsi/dy, -dpsi/dx) in m/s."""
        x, y = spatial(self.coordinates)
        return as_vector([diff(self.streamfunction, y), -diff(self.streamfunction, x)])

    @property
    def speed(self) -> sympy.Expr:
        """The magnitude of the velocity in m/s."""
        return sympy.sqrt(dot(self.velocity, self.velocity))

    @property
    def equations(self) -> tuple[Eq, ...]:
        omega, space = self.vorticity, spatial(self.coordinates)
        change = rate(omega, self.coordinates) + advect(self.velocity, omega)
        return (
            Eq(change - div(self.viscosity * grad(omega, space), space), self.source),
            Eq(-laplacian(self.streamfunction, space) - omega, 0),
        )

    def no_slip(self) -> Eq:
        """A wall at rest, along which psi = 0: psi = 0 and dpsi/dn = 0."""
        return Eq((self.streamfunction, normal_derivative(self.streamfunction)), 0)
