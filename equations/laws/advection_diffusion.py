"""Transport by a flow and by diffusion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..curvilinear import unit_normal
from ..equation import Eq
from ..operators import as_vector, div, dot, grad
from ..symbols import spatial
from .law import as_components, check_values, checked_coordinates, checked_unknown, rate


@dataclass(frozen=True)
class AdvectionDiffusion:
    """Transport dc/dt + a · grad c = div(D grad c) + f; steady where `t` is not a coordinate.

    Arguments:
        coordinates: as `(x, y, t)`.
        velocity: a in m/s, a vector, as numbers, expressions or the velocity of a flow law.
        diffusivity: D in m²/s: an expression, a matrix, or a function of c; 0 for pure transport.
        source: f, an expression or a function of c.
        conservative: whether to state div(a c - D grad c), which differs where div a is not zero.
        unknown: the concentration c, made if not given.

    Source:
        Hundsdorfer & Verwer, Numerical Solution of Time-Dependent Advection-Diffusion-Reaction
        Equations, 2003, section I.1.

    Example:
        >>> from equations import coordinates
        >>> x = coordinates("x")
        >>> AdvectionDiffusion(x, velocity=3).equations
        (3*Derivative(c(x), x) - laplacian(c(x)) = 0,)
    """

    coordinates: Any
    velocity: Any
    diffusivity: Any = 1
    source: Any = 0
    conservative: bool = False
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("AdvectionDiffusion", self.coordinates)
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("AdvectionDiffusion", self.unknown, symbols, "c")
        object.__setattr__(self, "unknown", unknown)
        check_values(self, "source", "velocity", positive=("diffusivity",), of=(unknown,))
        velocity = as_components(self.velocity, spatial(symbols), "AdvectionDiffusion(velocity=)")
        object.__setattr__(self, "velocity", velocity)

    @property
    def diffusive_flux(self) -> sympy.Matrix:
        """-D grad c."""
        return as_vector(-self.diffusivity * grad(self.unknown, spatial(self.coordinates)))

    @property
    def flux(self) -> sympy.Matrix:
        """a c - D grad c."""
        return as_vector(self.velocity * self.unknown + self.diffusive_flux)

    @property
    def equations(self) -> tuple[Eq, ...]:
        c, space = self.unknown, spatial(self.coordinates)
        change = rate(c, self.coordinates)
        if self.conservative:
            return (Eq(change + div(self.flux, space), self.source),)
        carried = dot(self.velocity, grad(c, space))
        spread = div(as_vector(-self.diffusive_flux), space)
        return (Eq(change + carried - spread, self.source),)

    def outflow(self) -> Eq:
        """Nothing diffuses through the boundary, n · D grad c = 0: an outlet, or a wall that the
        flow does not cross."""
        n = unit_normal(spatial(self.coordinates))
        return Eq(-dot(n, self.diffusive_flux), 0)

    def impermeable(self) -> Eq:
        """Nothing passes the boundary: n · (a c - D grad c) = 0."""
        return Eq(dot(unit_normal(spatial(self.coordinates)), self.flux), 0)
