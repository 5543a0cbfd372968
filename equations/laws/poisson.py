"""Poisson's equation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..equation import Eq
from ..operators import div, grad, normal_derivative
from ..symbols import spatial
from .law import check_values, checked_coordinates, checked_unknown


@dataclass(frozen=True)
class Poisson:
    """Poisson's equation -div(k grad u) = f in any dimension.

    Arguments:
        coordinates: the spatial coordinates, as `(x, y)`.
        source: f.
        conductivity: k > 0, an expression, a field, or a function of u.
        unknown: the field u, made if not given.

    Notes:
        `flux` is -k grad u; `insulated()` is the natural condition k du/dn = 0.

    Source:
        Evans, Partial Differential Equations, 2010, section 2.2.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> Poisson((x, y), source=1).equations
        (-laplacian(u(x, y)) = 1,)
    """

    coordinates: Any
    source: Any = 0
    conductivity: Any = 1
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("Poisson", self.coordinates, time=False)
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("Poisson", self.unknown, symbols, "u")
        object.__setattr__(self, "unknown", unknown)
        check_values(self, "source", positive=("conductivity",), of=(unknown,))

    @property
    def flux(self) -> sympy.Matrix:
        """The flux -k grad u."""
        return -self.conductivity * grad(self.unknown)

    @property
    def equations(self) -> tuple[Eq, ...]:
        space = spatial(self.coordinates)
        return (Eq(-div(self.conductivity * grad(self.unknown, space), space), self.source),)

    def insulated(self) -> Eq:
        """No flux through the boundary: k du/dn = 0."""
        return Eq(self.conductivity * normal_derivative(self.unknown), 0)
