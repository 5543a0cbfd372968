"""Derivatives of any order, networks, optimizers and numerics on JAX."""

from diffcore import checkpoint, fft, quadrature
from diffcore.compile import compile, eager, enable_compilation_cache
from diffcore.complex import is_holomorphic, wirtinger
from diffcore.explain import explain
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
from diffcore.nonfinite import find_nan
from diffcore.precision import default_dtype, precision
from diffcore.taylor import operator, operators, partials
from diffcore.vector import biharmonic, curl, divergence, laplacian

__all__ = [
    "as_key",
    "biharmonic",
    "checkpoint",
    "compile",
    "curl",
    "default_dtype",
    "directional",
    "divergence",
    "eager",
    "enable_compilation_cache",
    "explain",
    "fft",
    "find_nan",
    "grad",
    "hessian",
    "hvp",
    "is_holomorphic",
    "jacobian",
    "jvp",
    "laplacian",
    "linearize",
    "operator",
    "operators",
    "partials",
    "precision",
    "quadrature",
    "value_and_grad",
    "vjp",
    "wirtinger",
]
