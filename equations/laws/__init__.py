"""The law library: one class a physical law."""

from .burgers import Burgers
from .heat import Heat
from .law import Law
from .navier_stokes import NavierStokes
from .poisson import Poisson

__all__ = [
    "Burgers",
    "Heat",
    "Law",
    "NavierStokes",
    "Poisson",
]
