"""Phase separation with conserved mass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..equation import Eq
from ..operators import div, grad, laplacian, normal_derivative
from ..symbols import spatial
from .law import check_values, checked_coordinates, new_field, rate


@dataclass(frozen=True)
class CahnHilliard:
    """The Cahn-Hilliard equation du/dt = div(M grad mu), mu = u³ - u - kappa lap u.

    Arguments:
        coordinates: as `(x, y, t)`; steady where `t` is not among them.
        mobility: M, an expression or a function of u.
        gradient_energy: kappa in m²; the width of an interface is sqrt(2 kappa).
        mixed: whether mu is an unknown of its own, so that no derivative is above the second; else
            u alone, in one equation of fourth order.

    Notes:
        Unknowns: `concentration` u, between -1 and 1, and `potential` mu.

    Source:
        Elliott, in Mathematical Models for Phase Change Problems, 1989, equations 1.1 and 1.2;
        Cahn & Hilliard, J. Chem. Phys. 28 (1958) 258-267.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> CahnHilliard((x, t), gradient_energy=0.01).equations[0]
        Derivative(u(x, t), t) - laplacian(mu(x, t)) = 0
    """

    coordinates: Any
    mobility: Any = 1
    gradient_energy: Any = 1
    mixed: bool = True

    def __post_init__(self):
        symbols = checked_coordinates("CahnHilliard", self.coordinates)
        object.__setattr__(self, "coordinates", symbols)
        positive = ("mobility", "gradient_energy")
        check_values(self, positive=positive, of=(self.concentration,))

    @property
    def concentration(self) -> sympy.Expr:
        """The unknown u, from -1 to 1."""
        return new_field("u", self.coordinates)

    @property
    def potential(self) -> sympy.Expr:
        """The chemical potential mu: an unknown, or its expression in u."""
        return new_field("mu", self.coordinates) if self.mixed else self._stated_potential()

    def _stated_potential(self) -> sympy.Expr:
        u = self.concentration
        return u**3 - u - self.gradient_energy * laplacian(u, spatial(self.coordinates))

    @property
    def energy_density(self) -> sympy.Expr:
        """(1 - u²)² / 4 + kappa |grad u|² / 2, whose integral falls in time."""
        u = self.concentration
        gradient = grad(u, spatial(self.coordinates))
        return (1 - u**2) ** 2 / 4 + self.gradient_energy * sum(g**2 for g in gradient) / 2

    @property
    def equations(self) -> tuple[Eq, ...]:
        space = spatial(self.coordinates)
        flux = self.mobility * grad(self.potential.doit(), space)
        balance = Eq(rate(self.concentration, self.coordinates) - div(flux, space), 0)
        if not self.mixed:
            return (balance,)
        return (balance, Eq(self.potential - self._stated_potential(), 0))

    def no_flux(self) -> Eq:
        """No flux of mass, and interfaces that meet the boundary at right angles:
        dmu/dn = 0, du/dn = 0."""
        slopes = map(normal_derivative, (self.potential.doit(), self.concentration))
        return Eq(tuple(slopes), 0)
