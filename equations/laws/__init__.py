"""The law library: one class a physical law."""

from .boussinesq import Boussinesq
from .burgers import Burgers
from .heat import Heat
from .law import Law
from .navier_stokes import NavierStokes
from .poisson import Poisson
from .rans import RANS, KEpsilon, KOmega, MixingLength
from .stokes import Stokes
from .vorticity_streamfunction import VorticityStreamfunction

__all__ = [
    "Boussinesq",
    "Burgers",
    "Heat",
    "KEpsilon",
    "KOmega",
    "Law",
    "MixingLength",
    "NavierStokes",
    "Poisson",
    "RANS",
    "Stokes",
    "VorticityStreamfunction",
]
