"""Physics-informed neural networks."""

from .method import PINN
from .phases import Phase

__all__ = ["PINN", "Phase"]
