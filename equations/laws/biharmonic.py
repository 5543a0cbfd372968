"""The biharmonic equation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..equation import Eq
from ..operators import laplacian, normal_derivative
from ..symbols import spatial
from .law import check_values, checked_coordinates, checked_unknown


@dataclass(frozen=True)
class Biharmonic:
    """The biharmonic equation lap lap u = f in any dimension.

    Arguments:
        coordinates: the spatial coordinates, as `(x, y)`.
        source: f.
        unknown: the field u, made if not given.

    Notes:
        For a plate with its moments and edges see `KirchhoffPlate`.

    Source:
        Gazzola, Grunau & Sweers, Polyharmonic Boundary Value Problems, 2010, section 1.1.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> plate = Biharmonic((x, y), source=1)
        >>> plate.supported()
        u(x, y) = 0, laplacian(u(x, y)) = 0
    """

    coordinates: Any
    source: Any = 0
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("Biharmonic", self.coordinates, time=False)
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("Biharmonic", self.unknown, symbols, "u")
        object.__setattr__(self, "unknown", unknown)
        check_values(self, "source", of=(unknown,))

    @property
    def equations(self) -> tuple[Eq, ...]:
        space = spatial(self.coordinates)
        return (Eq(laplacian(laplacian(self.unknown, space), space), self.source),)

    def clamped(self) -> Eq:
        """u = 0 and du/dn = 0."""
        return Eq((self.unknown, normal_derivative(self.unknown)), 0)

    def supported(self) -> Eq:
        """Navier's conditions u = 0 and lap u = 0."""
        return Eq((self.unknown, laplacian(self.unknown, spatial(self.coordinates))), 0)
