"""The law library: one class a physical law."""

from .advection_diffusion import AdvectionDiffusion
from .biharmonic import Biharmonic
from .boussinesq import Boussinesq
from .burgers import Burgers
from .cahn_hilliard import CahnHilliard
from .heat import Heat
from .helmholtz import Helmholtz, MatchedLayer
from .kirchhoff_plate import KirchhoffPlate
from .laplace import Laplace
from .law import Law
from .navier_stokes import NavierStokes
from .poisson import Poisson
from .rans import RANS, KEpsilon, KOmega, MixingLength
from .reaction_diffusion import AllenCahn, Fisher, FitzHughNagumo, GrayScott, ReactionDiffusion
from .stokes import Stokes
from .vorticity_streamfunction import VorticityStreamfunction
from .wave import KleinGordon, SineGordon, Wave

__all__ = [
    "AdvectionDiffusion",
    "AllenCahn",
    "Biharmonic",
    "Boussinesq",
    "Burgers",
    "CahnHilliard",
    "Fisher",
    "FitzHughNagumo",
    "GrayScott",
    "Heat",
    "Helmholtz",
    "KEpsilon",
    "KOmega",
    "KirchhoffPlate",
    "KleinGordon",
    "Laplace",
    "Law",
    "MatchedLayer",
    "MixingLength",
    "NavierStokes",
    "Poisson",
    "RANS",
    "ReactionDiffusion",
    "SineGordon",
    "Stokes",
    "VorticityStreamfunction",
    "Wave",
]
