"""Derivatives of any order, networks, optimizers and numerics on JAX."""

from diffcore import checkpoint
from diffcore.keys import as_key
from diffcore.precision import default_dtype, precision

__all__ = ["as_key", "checkpoint", "default_dtype", "precision"]
