"""First- and second-order optimizers behind one interface, in compiled chunks of steps."""

from optax import (
    cosine_decay_schedule,
    exponential_decay,
    piecewise_constant_schedule,
    warmup_cosine_decay_schedule,
    warmup_exponential_decay_schedule,
)

from diffcore.optim.by_path import scale_by_path
from diffcore.optim.first_order import adam, adamw, first_order, muon, sgd
from diffcore.optim.gauss_newton import levenberg_marquardt
from diffcore.optim.least_squares import LeastSquares
from diffcore.optim.line_search import WolfeSearch
from diffcore.optim.quasi_newton import bfgs, lbfgs, self_scaled_bfgs, self_scaled_broyden
from diffcore.optim.run import Run, run
from diffcore.optim.soap import soap

__all__ = [
    "adam",
    "adamw",
    "bfgs",
    "cosine_decay_schedule",
    "exponential_decay",
    "first_order",
    "lbfgs",
    "LeastSquares",
    "levenberg_marquardt",
    "muon",
    "piecewise_constant_schedule",
    "Run",
    "run",
    "scale_by_path",
    "self_scaled_bfgs",
    "self_scaled_broyden",
    "sgd",
    "soap",
    "warmup_cosine_decay_schedule",
    "warmup_exponential_decay_schedule",
    "WolfeSearch",
]
