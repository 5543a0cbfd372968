"""Physics-informed neural networks."""

from .method import PINN
from .phases import Phase
