"""A scoped policy for floating-point precision.

JAX decides between 32 and 64 bits by one mode that is local to the thread. `precision` sets it for
a block or a function, checks that it took, and puts back what was there. Arrays keep the data type
they were made with, but a float64 array that meets an operation outside the scope is rounded to
float32 by JAX: convert results to NumPy before leaving the scope if they must keep their digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import jax
import numpy as np

if TYPE_CHECKING:
    from contextlib import _GeneratorContextManager

_NAMES = ("float64", "float32")


def precision(dtype: str) -> _GeneratorContextManager[None]:
    """Scope in which floating-point arrays are made as `dtype`; also a decorator.

    Arguments:
        dtype: "float64" or "float32" (a NumPy data type is accepted too).

    Raises:
        ValueError: another data type.
        RuntimeError: JAX did not follow, on entry to the scope.

    Example:
        >>> import jax.numpy as jnp
        >>> with precision("float64"):
        ...     print(jnp.zeros(2).dtype, default_dtype())
        float64 float64
        >>> @precision("float32")
        ... def thirds():
        ...     return jnp.ones(2) / 3
        >>> thirds().dtype
        dtype('float32')
    """
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = dtype
    if dtype is None or name not in _NAMES:
        raise ValueError(f"`dtype` needs to be one of {_NAMES}; got {dtype!r}.")
    return _scope(name)


@contextmanager
def _scope(name: str) -> Iterator[None]:
    with jax.enable_x64(name == "float64"):
        if default_dtype() != name:
            raise RuntimeError(
                f'`precision("{name}")` was entered but JAX makes {default_dtype()} arrays: '
                "look for code that changes `jax_enable_x64` meanwhile."
            )
        yield


def default_dtype() -> np.dtype:
    """The data type of a floating-point array made here and now: float64 or float32."""
    return np.dtype(jax.dtypes.canonicalize_dtype(np.float64))
