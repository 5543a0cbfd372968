"""Physics-informed neural networks."""

from . import balance
from .method import PINN
from .phases import Phase

__all__ = ["PINN", "Phase", "balance"]
