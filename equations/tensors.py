"""Products and parts of vectors and tensors: matrices of components along unit vectors."""

from __future__ import annotations

from typing import Any

import sympy

from .curvilinear import unit_normal
from .expressions import as_expression
from .operators import as_vector, grad, is_vector
from .symbols import space_of


def _square(value: Any, what: str) -> sympy.Matrix:
    tensor = as_expression(value, what)
    if not isinstance(tensor, sympy.MatrixBase) or tensor.shape[0] != tensor.shape[1]:
        raise TypeError(f"`{what}` needs a square matrix, as `{what}(grad(v))`; got {tensor}.")
    return sympy.ImmutableMatrix(tensor)


def _vector(value: Any, what: str, sizes: tuple[int, ...] = ()) -> sympy.Matrix:
    value = as_expression(value, what)
    if not is_vector(value) or (isinstance(value, sympy.MatrixBase) and 1 not in value.shape):
        raise TypeError(f"`{what}` needs vectors; got {value}.")
    if sizes and len(value) not in sizes:
        raise ValueError(f"`{what}` needs {' or '.join(map(str, sizes))} components; got {value}.")
    return as_vector(value)


def trace(tensor: Any) -> sympy.Expr:
    """The trace, T_ii.

    Example:
        >>> trace(sympy.Matrix([[1, 2], [3, 4]]))
        5
    """
    return sympy.Add(*_square(tensor, "trace").diagonal())


def sym(tensor: Any) -> sympy.Matrix:
    """The symmetric part, (T + Tᵀ) / 2."""
    tensor = _square(tensor, "sym")
    return sympy.ImmutableMatrix((tensor + tensor.T) / 2)


def dev(tensor: Any) -> sympy.Matrix:
    """The deviator, T - tr(T) / d I, with d the number of rows: for plane strain give the tensor in
    three dimensions."""
    tensor = _square(tensor, "dev")
    size = tensor.shape[0]
    return sympy.ImmutableMatrix(tensor - trace(tensor) / size * sympy.eye(size))


def strain(displacement: Any, space: Any = None) -> sympy.Matrix:
    """The small strain (or rate of strain) (grad v + grad vᵀ) / 2 of a vector.

    Example:
        >>> from equations import coordinates, vector_field
        >>> r, z = coordinates("r z", system="cylindrical")
        >>> strain(vector_field("u", r, z))[1, 1]
        u_r(r, z)/r
    """
    return sym(grad(_vector(displacement, "strain"), space))


def outer(a: Any, b: Any) -> sympy.Matrix:
    """The outer product a_i b_j of two vectors."""
    return sympy.ImmutableMatrix(_vector(a, "outer") * _vector(b, "outer").T)


def cross(a: Any, b: Any) -> Any:
    """The cross product of two vectors of three components; of two components, its third."""
    a, b = _vector(a, "cross", (2, 3)), _vector(b, "cross", (2, 3))
    if len(a) != len(b):
        raise ValueError(f"`cross` needs vectors of one length; got {len(a)} and {len(b)}.")
    if len(a) == 2:
        return a[0] * b[1] - a[1] * b[0]
    return sympy.ImmutableMatrix(a.cross(b))


def tangential(vector: Any) -> sympy.Matrix:
    """The part of a vector along the boundary, v - (v · n) n, in conditions and in integrals over
    the boundary."""
    v = _vector(vector, "tangential")
    n = unit_normal(space_of(*v))
    if len(n) != len(v):
        raise ValueError(f"`tangential` needs a vector of {len(n)} components; got {len(v)}.")
    through = sympy.Add(*(a * b for a, b in zip(v, n, strict=True)))
    return sympy.ImmutableMatrix(v - through * n)
