"""Laplace's equation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..equation import Eq
from ..operators import grad, laplacian, normal_derivative
from ..symbols import spatial
from .law import checked_coordinates, checked_unknown


@dataclass(frozen=True)
class Laplace:
    """Laplace's equation lap u = 0 in any dimension.

    Arguments:
        coordinates: the spatial coordinates, as `(x, y)`.
        unknown: the potential u, made if not given.

    Source:
        Evans, Partial Differential Equations, 2010, section 2.2.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> Laplace((x, y)).equations
        (laplacian(u(x, y)) = 0,)
    """

    coordinates: Any
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("Laplace", self.coordinates, time=False)
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("Laplace", self.unknown, symbols, "u")
        object.__setattr__(self, "unknown", unknown)

    @property
    def gradient(self) -> sympy.Matrix:
        """grad u, the velocity of a potential flow."""
        return grad(self.unknown, spatial(self.coordinates))

    @property
    def equations(self) -> tuple[Eq, ...]:
        return (Eq(laplacian(self.unknown, spatial(self.coordinates)), 0),)

    def insulated(self) -> Eq:
        """No flux through the boundary: du/dn = 0."""
        return Eq(normal_derivative(self.unknown), 0)
