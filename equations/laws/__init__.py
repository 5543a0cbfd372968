"""The law library: one class a physical law.

A law takes its coordinates, which say its dimension and whether it is steady, then coefficients:
numbers, expressions, parameters, fields, or functions of the unknown. Its unknowns and derived
quantities are attributes, its natural conditions methods. Laws that are written in vector calculus
alone hold in curvilinear coordinates too, in physical components; the others refuse them.
"""

from .advection_diffusion import AdvectionDiffusion
from .beams import EulerBernoulliBeam, TimoshenkoBeam
from .biharmonic import Biharmonic
from .boussinesq import Boussinesq
from .burgers import Burgers
from .cahn_hilliard import CahnHilliard
from .compressible import CompressibleNavierStokes, Euler
from .dispersive import KdV, KuramotoSivashinsky
from .elasticity import LinearElasticity, NeoHookean
from .hamilton_jacobi import Eikonal, HamiltonJacobiBellman
from .heat import Heat
from .heat_transfer import ConjugateHeatTransfer, HeatExchanger
from .helmholtz import Helmholtz, MatchedLayer
from .kirchhoff_plate import KirchhoffPlate
from .laplace import Laplace
from .law import Law
from .maxwell import Maxwell, TimeHarmonicMaxwell
from .memory import FractionalPoisson, Volterra
from .navier_stokes import NavierStokes
from .ordinary import ODE, Vibration
from .poisson import Poisson
from .porous import BuckleyLeverett, Darcy
from .rans import RANS, KEpsilon, KOmega, MixingLength
from .reaction_diffusion import AllenCahn, Fisher, FitzHughNagumo, GrayScott, ReactionDiffusion
from .schrodinger import GinzburgLandau, Schrodinger
from .shallow_water import ShallowWater
from .stochastic import BlackScholes, FokkerPlanck
from .stokes import Stokes
from .vorticity_streamfunction import VorticityStreamfunction
from .wave import KleinGordon, SineGordon, Wave

__all__ = [
    "AdvectionDiffusion",
    "AllenCahn",
    "Biharmonic",
    "BlackScholes",
    "Boussinesq",
    "BuckleyLeverett",
    "Burgers",
    "CahnHilliard",
    "CompressibleNavierStokes",
    "ConjugateHeatTransfer",
    "Darcy",
    "Eikonal",
    "Euler",
    "EulerBernoulliBeam",
    "Fisher",
    "FitzHughNagumo",
    "FokkerPlanck",
    "FractionalPoisson",
    "GinzburgLandau",
    "GrayScott",
    "HamiltonJacobiBellman",
    "Heat",
    "HeatExchanger",
    "Helmholtz",
    "KEpsilon",
    "KOmega",
    "KdV",
    "KirchhoffPlate",
    "KleinGordon",
    "KuramotoSivashinsky",
    "Laplace",
    "Law",
    "LinearElasticity",
    "MatchedLayer",
    "Maxwell",
    "MixingLength",
    "NavierStokes",
    "NeoHookean",
    "ODE",
    "Poisson",
    "RANS",
    "ReactionDiffusion",
    "Schrodinger",
    "ShallowWater",
    "SineGordon",
    "Stokes",
    "TimeHarmonicMaxwell",
    "TimoshenkoBeam",
    "Vibration",
    "Volterra",
    "VorticityStreamfunction",
    "Wave",
]
