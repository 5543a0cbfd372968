"""`as_expression`: the one door through which users' values become SymPy expressions."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
import sympy


def as_expression(value: Any, what: str) -> Any:
    """`value` as a SymPy expression, or several of them; strings are never evaluated.

    Arguments:
        value: an expression, a number, a 0-d array of NumPy or JAX, a NumPy vector or matrix.
        what: the argument that is read, for the message.

    Raises:
        TypeError for strings, truth values and None, alone or inside a sequence.

    Example:
        >>> as_expression(2, "value")
        2
    """
    if isinstance(value, sympy.Basic | sympy.MatrixBase):
        return value
    if isinstance(value, tuple | list):
        return sympy.Tuple(*(as_expression(item, what) for item in value))
    if hasattr(value, "__array__"):
        array = np.asarray(value)
        if array.ndim == 0:
            return as_expression(array.item(), what)
        if array.ndim <= 2:
            flat = [as_expression(item, what) for item in array.ravel().tolist()]
            return sympy.ImmutableMatrix(len(array), len(flat) // max(len(array), 1), flat)
    elif isinstance(value, Number) and not isinstance(value, bool):
        return sympy.sympify(value)
    rule = "strings are not evaluated: build" if isinstance(value, str) else "build"
    raise TypeError(
        f"`{what}` needs an expression or a number; got {value!r} ({type(value).__name__}); "
        f"{rule} it from `coordinates`, `field`, `parameter` and numbers."
    )
