"""Burgers' equation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..equation import Eq
from ..operators import advect, as_vector, diff, laplacian
from ..symbols import TIME, spatial
from .law import check_values, checked_coordinates


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
        symbols = checked_coordinates("Burgers", self.coordinates, time=True)
        object.__setattr__(self, "coordinates", symbols)
        if len(spatial(symbols)) > 3:
            raise ValueError(f"`Burgers` is stated in at most 3 space dimensions; got {symbols}.")
        check_values(self, positive=("viscosity",))

    @property
    def velocity(self) -> Any:
        """The unknown u, or (u, v, w), in m/s."""
        components = self._components()
        return components[0] if len(components) == 1 else as_vector(components)

    def _components(self):
        names = "uvw"[: len(spatial(self.coordinates))]
        return [sympy.Function(n, real=True)(*self.coordinates) for n in names]

    @property
    def equations(self) -> tuple[Eq, ...]:
        space = spatial(self.coordinates)
        time = next(s for s in self.coordinates if s.name == TIME)
        u = self._components()
        return tuple(
            Eq(diff(c, time) + advect(u, c), self.viscosity * laplacian(c, space)) for c in u
        )
