"""Derivatives of any order, networks, optimizers and numerics on JAX."""

from diffcore import (
    checkpoint,
    data,
    devices,
    fft,
    interpolate,
    linalg,
    nn,
    optim,
    quadrature,
    special,
)
from diffcore.chunked import chunk_size, map_points, sum_value_and_grad
from diffcore.compile import compile, eager, enable_compilation_cache
from diffcore.complex import is_holomorphic, wirtinger
from diffcore.deploy import Exportable, ExportError, Loaded, OutsideDomain, Variable, export, load
from diffcore.devices import distributed
from diffcore.estimators import (
    estimate_biharmonic,
    estimate_diagonal,
    estimate_laplacian,
    estimate_trace,
)
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
from diffcore.separable import separable_partials
from diffcore.taylor import operator, operators, partials
from diffcore.vector import biharmonic, curl, divergence, laplacian

__all__ = [
    "as_key",
    "biharmonic",
    "checkpoint",
    "chunk_size",
    "compile",
    "curl",
    "data",
    "default_dtype",
    "devices",
    "directional",
    "distributed",
    "divergence",
    "eager",
    "enable_compilation_cache",
    "estimate_biharmonic",
    "estimate_diagonal",
    "estimate_laplacian",
    "estimate_trace",
    "explain",
    "export",
    "Exportable",
    "ExportError",
    "fft",
    "find_nan",
    "grad",
    "hessian",
    "hvp",
    "interpolate",
    "is_holomorphic",
    "jacobian",
    "jvp",
    "laplacian",
    "linalg",
    "linearize",
    "load",
    "Loaded",
    "map_points",
    "nn",
    "operator",
    "operators",
    "optim",
    "OutsideDomain",
    "partials",
    "precision",
    "quadrature",
    "separable_partials",
    "special",
    "sum_value_and_grad",
    "value_and_grad",
    "Variable",
    "vjp",
    "wirtinger",
]
