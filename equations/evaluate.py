"""Expressions evaluated for fields that are given as JAX functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from sympy.core.function import AppliedUndef

import diffcore

from .compile import Compiled, Functional


def function_jets(
    functions: Mapping[AppliedUndef, Callable], coordinates
) -> Callable[[tuple[Functional, ...], jax.Array], list[jax.Array]]:
    """The jets of fields given as functions of a point: `jets(functionals, points)`.

    Arguments:
        functions: `{u: point (d_u,) -> scalar}` with the coordinates in the order of the field's
            arguments.
        coordinates: the columns of the points.

    Raises:
        ValueError for a field that has no function.
    """
    columns = {c: i for i, c in enumerate(coordinates)}

    def jets(functionals, points):
        values: list[Any] = [None] * len(functionals)
        for f in dict.fromkeys(functional.field for functional in functionals):
            if f not in functions:
                raise ValueError(f"`fields` has no function for {f}; it has {list(functions)}.")
            own = [i for i, functional in enumerate(functionals) if functional.field == f]
            terms = [dict(functionals[i].terms) for i in own]
            local = points[..., jnp.array([columns[a] for a in f.args])]
            evaluate = diffcore.operators(functions[f], terms)
            for i, value in zip(own, jax.vmap(evaluate)(local), strict=True):
                values[i] = value
        return values

    return jets


def evaluate_functions(
    compiled: Compiled, functions, points: Any, parameters: Mapping[str, float]
) -> np.ndarray:
    """Compiled expressions for given functions at points, (points, expressions), in float64."""
    with diffcore.precision("float64"):
        points = jnp.asarray(np.asarray(points, dtype=float))
        if points.ndim != 2 or points.shape[1] != len(compiled.coordinates):
            raise ValueError(
                f"`points` must have shape (n, {len(compiled.coordinates)}), the coordinates "
                f"{compiled.coordinates}; got {points.shape}."
            )
        jets = function_jets(functions, compiled.coordinates)
        values = compiled.values(jets, points, parameters)
        return np.stack([np.asarray(v) for v in compiled(points, values, parameters)], axis=-1)
