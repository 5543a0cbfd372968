"""Checks of arguments that the functions of this package share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def data_type(leaf: Any) -> Any:
    """The data type of an array or Python number."""
    return leaf.dtype if hasattr(leaf, "dtype") else np.result_type(leaf)


def is_complex(leaf: Any) -> bool:
    """Whether an array or number is complex."""
    return bool(jnp.issubdtype(data_type(leaf), jnp.complexfloating))


def is_traced(*trees: Any) -> bool:
    """Whether any leaf is a tracer, so that there are no values to look at."""
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(trees))


def check_floating(function: str, name: str, tree: Any) -> None:
    """Refuse leaves that have no derivative: integers, booleans, things that are no numbers."""
    for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]:
        where = f"{name}{jax.tree_util.keystr(path)}"
        if not isinstance(leaf, (jax.Array, np.ndarray, np.generic, bool, int, float, complex)):
            raise TypeError(
                f"`{function}` needs numbers; {where} is a {type(leaf).__name__}: split it off "
                "(for modules, keep the arrays with `equinox.partition`)."
            )
        if not jnp.issubdtype(data_type(leaf), jnp.inexact):
            raise TypeError(
                f"`{function}` differentiates with respect to real or complex numbers; {where} has "
                f"data type {data_type(leaf)}: pass 1.0 instead of 1, or x.astype(float)."
            )


def check_complex(function: str, tree: Any) -> None:
    """Refuse leaves that are not complex, for functions that need a complex derivative."""
    for leaf in jax.tree.leaves(tree):
        if not is_complex(leaf):
            raise TypeError(
                f"`{function}` of a holomorphic function needs complex arguments; got "
                f"{data_type(leaf)}: pass z + 0j."
            )


def as_point(function: str, x: Any, dimensions: tuple[int, ...] = ()) -> jax.Array:
    """`x` as one real point of shape (d,), d among `dimensions` if these are given."""
    check_floating(function, "x", x)
    x = jnp.asarray(x)
    if is_complex(x):
        raise TypeError(f"`{function}` needs a real point; `x` has data type {x.dtype}.")
    if x.ndim != 1:
        raise ValueError(
            f"`{function}` takes one point of shape (d,); `x` has shape {x.shape}: map a batch of "
            "points with jax.vmap."
        )
    if dimensions and x.shape[0] not in dimensions:
        allowed = " or ".join(map(str, dimensions))
        raise ValueError(f"`{function}` needs a point of dimension {allowed}; got {x.shape[0]}.")
    return x


def as_count(function: str, name: str, n: Any, at_least: int = 1) -> int:
    """`n` as an int that is not below `at_least`."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise TypeError(f"`{function}` needs an int as `{name}`; got {type(n).__name__} {n!r}.")
    if n < at_least:
        raise ValueError(f"`{function}` needs `{name}` >= {at_least}; got {n}.")
    return int(n)


_CONTROL_FLOW = (
    "`f` chooses its way in Python by a number that is not known while JAX records the function: "
    "write `if` and masks x[x > 0] as `jax.numpy.where` (or `jax.lax.cond`), loops as "
    "`jax.lax.fori_loop` or `scan`, float(x) and NumPy calls as `jax.numpy`. "
    "`diffcore.eager()` runs without recording, to look at the numbers."
)


@contextmanager
def control_flow_explained() -> Iterator[None]:
    """Say instead of JAX's errors about Python control flow what to do."""
    try:
        yield
    except (
        jax.errors.ConcretizationTypeError,
        jax.errors.NonConcreteBooleanIndexError,
        jax.errors.TracerArrayConversionError,
        jax.errors.TracerIntegerConversionError,
    ) as error:
        raise TypeError(_CONTROL_FLOW) from error
    except TypeError as error:
        if "scalar index" not in str(error):  # range(x) and sequence[x] of a number that is no int
            raise
        raise TypeError(_CONTROL_FLOW) from error
