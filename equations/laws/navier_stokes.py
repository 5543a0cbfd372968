"""Incompressible flow with inertia."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..equation import Eq
from .incompressible import IncompressibleFlow
from .law import check_values, checked_coordinates


@dataclass(frozen=True)
class NavierStokes(IncompressibleFlow):
    """Incompressible Navier-Stokes equations in 2-D or 3-D, unsteady where `t` is a coordinate.

    rho (du/dt + (u · grad) u) = -grad p + div(rho nu grad u) + f,   div u = 0.
    A viscosity that varies takes the stress form div(rho nu (grad u + grad u^T)).

    Arguments:
        coordinates: as `(x, y)` or `(x, y, z, t)`.
        viscosity: kinematic, nu in m²/s: an expression, a field, or a function of the shear rate
            sqrt(2 D : D), as `lambda rate: 0.1 * rate ** -0.3`.
        density: rho in kg/m³.
        force: f in N/m³, a vector or 0.
        stress_form: whether friction is written as the divergence of the stress; by default where
            the viscosity varies.

    Notes:
        Unknowns: `velocity` (u, v, w) in m/s, `pressure` p in Pa (determined up to a constant
        unless a condition fixes it). Derived: `speed`, `vorticity`, `strain_rate`, `shear_rate`,
        `stress`, `traction`.

    Source:
        Batchelor, An Introduction to Fluid Dynamics, 1967, equations 3.3.13 and 2.2.4.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> NavierStokes((x, y), viscosity=0.01).equations[0]
        div(u(x, y), v(x, y)) = 0
    """

    coordinates: Any
    viscosity: Any
    density: Any = 1
    force: Any = 0
    stress_form: bool | None = None

    def __post_init__(self):
        symbols = checked_coordinates("NavierStokes", self.coordinates, dimensions=(2, 3))
        object.__setattr__(self, "coordinates", symbols)
        positive = ("viscosity", "density")
        check_values(self, "force", positive=positive, of=(self.shear_rate,))

    @property
    def dynamic_viscosity(self) -> sympy.Expr:
        return self.density * self.viscosity

    @property
    def is_stress_form(self) -> bool:
        if self.stress_form is None:
            return bool(self.viscosity.free_symbols & set(self.coordinates))
        return self.stress_form

    @property
    def equations(self) -> tuple[Eq, ...]:
        return (self.continuity, *self.momentum(self.density * self.acceleration, self.force))
