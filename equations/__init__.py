"""Problems as immutable SymPy data, and the compiler that turns them into numbers."""

from . import laws
from .call import call
from .check import Finding, Findings, StatementError
from .compile import Compiled, Functional, compile_expressions
from .constraints import absorbing, periodic, symmetry
from .equation import Eq
from .evaluate import function_jets
from .expressions import as_expression
from .history import Caputo, delayed, fractional_laplacian
from .integrals import convolve, integral, mean
from .interior import Interior
from .known import known
from .laws import *  # noqa: F403
from .operators import (
    Divergence,
    advect,
    curl,
    diff,
    div,
    dot,
    grad,
    laplacian,
    normal_derivative,
)
from .problem import Condition, Data, Problem
from .regions import piecewise
from .scaling import NotScalable, Scaling
from .symbols import (
    NormalComponent,
    Parameter,
    coordinates,
    eigenvalue,
    field,
    fields,
    fields_in,
    is_time,
    normal,
    parameter,
    spatial,
    tensor_field,
    vector_field,
)
from .tensors import cross, dev, outer, strain, sym, tangential, trace
from .traces import average, jump
from .units import Quantity, UnitConflict, measure, quantity
from .weak import BoundaryValue, NoWeakForm, WeakForm, weak_form

__all__ = [
    "BoundaryValue",
    "Caputo",
    "Compiled",
    "Condition",
    "Data",
    "Divergence",
    "Eq",
    "Finding",
    "Findings",
    "Functional",
    "Interior",
    "NoWeakForm",
    "NormalComponent",
    "NotScalable",
    "Parameter",
    "Problem",
    "Quantity",
    "Scaling",
    "StatementError",
    "UnitConflict",
    "WeakForm",
    "absorbing",
    "advect",
    "as_expression",
    "average",
    "call",
    "compile_expressions",
    "convolve",
    "coordinates",
    "cross",
    "curl",
    "delayed",
    "dev",
    "diff",
    "div",
    "dot",
    "eigenvalue",
    "field",
    "fields",
    "fields_in",
    "fractional_laplacian",
    "function_jets",
    "grad",
    "integral",
    "is_time",
    "jump",
    "known",
    "laplacian",
    "mean",
    "measure",
    "normal",
    "normal_derivative",
    "outer",
    "parameter",
    "periodic",
    "piecewise",
    "quantity",
    "spatial",
    "strain",
    "sym",
    "symmetry",
    "tangential",
    "tensor_field",
    "trace",
    "vector_field",
    "weak_form",
]

__all__ += laws.__all__
