"""Methods that turn a problem into a solution."""

from .choose import choose
from .finite_elements import FiniteElements
from .monitor import Monitor, Progress, Silent, Target
from .pinn import PINN, Phase, balance
from .random_features import RandomFeatures
from .runge_kutta import RungeKutta
from .solution import Solution
from .solve import solve
from .spectral import Spectral
from .status import Status, UnsupportedProblem
from .verify import Misfit

__all__ = [
    "FiniteElements",
    "Misfit",
    "Monitor",
    "PINN",
    "Phase",
    "Progress",
    "RandomFeatures",
    "RungeKutta",
    "Silent",
    "Solution",
    "Spectral",
    "Status",
    "Target",
    "UnsupportedProblem",
    "balance",
    "choose",
    "solve",
]
