"""Random parameters: points that follow their distribution."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from equations import Problem
from equations.symbols import Parameter
from geometry.family import Family


def random_columns(problem: Problem) -> dict[int, Parameter]:
    """The coordinates that are random parameters, by column; none on which the shape depends."""
    free, shape = set(), problem.domain
    while isinstance(shape, Family):
        free.add(shape.axis)
        shape = shape.space
    return {
        i: c
        for i, c in enumerate(problem.coordinates)
        if isinstance(c, Parameter) and c.name in free and c.role != "uniform"
    }


def as_distributed(points: Any, columns: dict[int, Parameter]) -> jax.Array:
    """Points (n, d) with their uniform values of random parameters made those of the
    distribution."""
    moved = np.array(points, dtype=float)
    for i, p in columns.items():
        low, high = p.between or (0, 1)
        moved[:, i] = p.quantile((moved[:, i] - low) / (high - low))
    return jnp.asarray(moved)
