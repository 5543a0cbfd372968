"""Burgers' equation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..equation import Eq
from ..operators import advect, laplacian
from ..symbols import spatial
from .law import check_values, checked_coordinates, new_vector, rate


@dataclass(frozen=True)
class Burgers:
    """Viscous Burgers' equation du/dt + (u · grad) u = nu lap u; scalar in one dimension.

    Arguments:
        coordinates: as `(x, t)` or `(x, y, t)`.
        viscosity: nu in m²/s.

    Notes:
        The unknowns are u, v, w. `velocity` is the field itself in one dimension, else a vector.

    Source:
        Burgers, Advances in Applied Mechanics 1 (1948) 171-199.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> Burgers((x, t), viscosity=2).velocity
        u(x, t)
    """

    coordinates: Any
    viscosity: Any

    def __post_init__(self):
        symbols = checked_coordinates(
            "Burgers", self.coordinates, time=True, dimensions=(1, 2, 3), cartesian=True
        )
        object.__setattr__(self, "coordinates", symbols)
        check_values(self, positive=("viscosity",))

    @property
    def velocity(self) -> Any:
        """The unknown u, or (u, v, w), in m/s."""
        components = new_vector("uvw", self.coordinates)
        return components[0] if len(components) == 1 else components

    @property
    def equations(self) -> tuple[Eq, ...]:
        space = spatial(self.coordinates)
        u = new_vector("uvw", self.coordinates)
        return tuple(
            Eq(rate(c, self.coordinates) + advect(u, c), self.viscosity * laplacian(c, space))
            for c in u
        )
