"""Derivatives of any order, networks, optimizers and numerics on JAX."""

from diffcore import checkpoint
from diffcore.complex import is_holomorphic, wirtinger
from diffcore.functional import (
    directional,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)
from diffcore.keys import as_key
from diffcore.precision import default_dtype, precision

__all__ = [
    "as_key",
    "checkpoint",
    "default_dtype",
    "directional",
    "grad",
    "hessian",
    "hvp",
    "is_holomorphic",
    "jacobian",
    "jvp",
    "linearize",
    "precision",
    "value_and_grad",
    "vjp",
    "wirtinger",
]
