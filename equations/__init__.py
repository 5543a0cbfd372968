"""Problems as immutable SymPy data, and the compiler that turns them into numbers."""

from . import laws
from .check import Finding, Findings, StatementError
from .compile import Compiled, Functional, compile_expressions
from .equation import Eq
from .evaluate import function_jets
from .expressions import as_expression
from .laws import *  # noqa: F403
from .operators import (
    Divergence,
    advect,
    diff,
    div,
    dot,
    grad,
    laplacian,
    normal_derivative,
)
from .problem import Condition, Data, Problem
from .scaling import NotScalable, Scaling
from .symbols import (
    NormalComponent,
    Parameter,
    coordinates,
    field,
    fields,
    fields_in,
    is_time,
    normal,
    parameter,
    spatial,
    vector_field,
)
from .weak import BoundaryValue, NoWeakForm, WeakForm, weak_form

__all__ = [
    "BoundaryValue",
    "Compiled",
    "Condition",
    "Data",
    "Divergence",
    "Eq",
    "Finding",
    "Findings",
    "Functional",
    "NoWeakForm",
    "NotScalable",
    "NormalComponent",
    "Parameter",
    "Problem",
    "Scaling",
    "StatementError",
    "WeakForm",
    "advect",
    "as_expression",
    "compile_expressions",
    "coordinates",
    "diff",
    "div",
    "dot",
    "field",
    "fields",
    "fields_in",
    "function_jets",
    "grad",
    "is_time",
    "laplacian",
    "normal",
    "normal_derivative",
    "parameter",
    "spatial",
    "vector_field",
    "weak_form",
]

__all__ += laws.__all__
