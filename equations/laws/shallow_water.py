"""Water waves that are long against the depth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from ..equation import Eq
from ..operators import as_vector, div, dot, grad
from ..symbols import normal, spatial
from .law import check_values, checked_coordinates, new_field, new_vector, rate


@dataclass(frozen=True)
class ShallowWater:
    """The shallow water equations dh/dt + div(h u) = 0,
    d(h u)/dt + div(h u u + g h²/2 I) = -g h grad b - g n² |u| u / h^(1/3) - f h k × u.

    Arguments:
        coordinates: one or two of space, as `(x, t)` or `(x, y, t)`.
        gravity: g in m/s².
        bed: the height b of the ground in m, an expression.
        roughness: Manning's n in s/m^(1/3).
        rotation: the Coriolis parameter f in 1/s, in two dimensions.

    Notes:
        Unknowns: `depth` h in m, positive, and `velocity` in m/s. Derived: `surface` = h + b,
        `wave_speed` = sqrt(g h), `conserved` and `flux` for jumps: [flux] = s [conserved].

    Source:
        Vreugdenhil, Numerical Methods for Shallow-Water Flow, 1994, section 2.4.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> ShallowWater((x, t)).wave_speed.subs(ShallowWater((x, t)).depth, 1).evalf(4)
        3.132
    """

    coordinates: Any
    gravity: Any = 9.81
    bed: Any = 0
    roughness: Any = 0
    rotation: Any = 0

    def __post_init__(self):
        symbols = checked_coordinates(
            "ShallowWater", self.coordinates, dimensions=(1, 2), cartesian=True
        )
        object.__setattr__(self, "coordinates", symbols)
        check_values(self, "bed", "rotation", positive=("gravity", "roughness"))
        if self.rotation != 0 and len(self.space) == 1:
            raise ValueError("`ShallowWater(rotation=)` needs two space coordinates; got one.")

    @property
    def space(self) -> tuple[sympy.Symbol, ...]:
        """The spatial coordinates."""
        return spatial(self.coordinates)

    @cached_property
    def depth(self) -> sympy.Expr:
        """The unknown depth h in m, positive."""
        return new_field("h", self.coordinates, positive=True)

    @cached_property
    def velocity(self) -> sympy.Matrix:
        """The unknown velocity in m/s, a vector also in one dimension."""
        return new_vector("uv", self.coordinates)

    @property
    def surface(self) -> sympy.Expr:
        """The height h + b of the surface in m."""
        return self.depth + self.bed

    @property
    def wave_speed(self) -> sympy.Expr:
        """sqrt(g h) in m/s."""
        return sympy.sqrt(self.gravity * self.depth)

    @property
    def conserved(self) -> sympy.Matrix:
        """Depth and discharge (h, h u)."""
        return as_vector([self.depth, *(self.depth * self.velocity)])

    @property
    def flux(self) -> sympy.Matrix:
        """(h u, h u u + g h²/2 I), one row for each of `conserved`."""
        h, u = self.depth, self.velocity
        momentum = h * u * u.T + self.gravity * h**2 / 2 * sympy.eye(len(u))
        return sympy.ImmutableMatrix.vstack(h * u.T, momentum)

    @property
    def forces(self) -> sympy.Matrix:
        """Slope of the bed, friction and rotation in m²/s²."""
        h, u, g = self.depth, self.velocity, self.gravity
        forces = -g * h * grad(self.bed, self.space)
        if self.roughness != 0:
            speed = sympy.sqrt(dot(u, u))
            forces -= g * self.roughness**2 * speed / sympy.cbrt(h) * u
        if self.rotation != 0:
            forces += self.rotation * h * as_vector([u[1], -u[0]])
        return as_vector(forces)

    @property
    def equations(self) -> tuple[Eq, ...]:
        changes = rate(self.conserved, self.coordinates)
        sides = zip(changes, (0, *self.forces), strict=True)
        return tuple(
            Eq(change + div(tuple(self.flux[i, :]), self.space), force)
            for i, (change, force) in enumerate(sides)
        )

    def wall(self) -> Eq:
        """Nothing passes: u · n = 0."""
        return Eq(dot(self.velocity, normal(self.space)), 0)
