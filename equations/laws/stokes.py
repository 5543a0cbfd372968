"""Creeping flow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..equation import Eq
from .incompressible import IncompressibleFlow
from .law import check_values, checked_coordinates, rate


@dataclass(frozen=True)
class Stokes(IncompressibleFlow):
    """Stokes' equations of creeping flow: rho du/dt = -grad p + div(mu grad u) + f, div u = 0.

    A viscosity that varies takes the stress form div(mu (grad u + grad u^T)).

    Arguments:
        coordinates: as `(x, y)` or `(x, y, z, t)`; steady where `t` is not among them.
        viscosity: dynamic, mu in Pa s: an expression, a field, or a function of the shear rate.
        density: rho in kg/m³, of an unsteady flow.
        force: f in N/m³, a vector or 0.
        stress_form: whether friction is written as the divergence of the stress; by default where
            the viscosity varies.

    Notes:
        Unknowns and derived quantities are those of `NavierStokes`.

    Source:
        Batchelor, An Introduction to Fluid Dynamics, 1967, section 4.8.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> Stokes((x, y)).equations[1]
        Derivative(p(x, y), x) - laplacian(u(x, y)) = 0
    """

    coordinates: Any
    viscosity: Any = 1
    density: Any = 1
    force: Any = 0
    stress_form: bool | None = None

    def __post_init__(self):
        symbols = checked_coordinates("Stokes", self.coordinates, dimensions=(2, 3))
        object.__setattr__(self, "coordinates", symbols)
        positive = ("viscosity", "density")
        check_values(self, "force", positive=positive, of=(self.shear_rate,))

    @property
    def dynamic_viscosity(self) -> sympy.Expr:
        return self.viscosity

    @property
    def is_stress_form(self) -> bool:
        if self.stress_form is None:
            return bool(self.viscosity.free_symbols & set(self.coordinates))
        return self.stress_form

    @property
    def equations(self) -> tuple[Eq, ...]:
        inertia = self.density * rate(self.velocity, self.coordinates)
        return (self.continuity, *self.momentum(inertia, self.force))
