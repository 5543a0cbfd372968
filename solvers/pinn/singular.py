"""Where the statement contradicts itself: corners at which two conditions give a field different
values, such as those of a moving lid.

The solution has a jump there, and the residual of any smooth trial function grows without bound.
Residuals are damped towards such points, so that the mean square stays finite and the training
does not spend itself on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from equations import Parameter, Problem, compile_expressions, structure

SAMPLES = 400
# Radius, relative to the size of the domain, and power of the damping. A trial function that
# smooths a jump over a length e leaves a residual of a second-order equation of 1/e² in a region of
# size e: the fourth power makes its mean square vanish with e; the first does for a condition.
EQUATION = (0.1, 4)
CONDITION = (0.03, 1)
JUMP = 1e-3  # relative to the size of the data: smaller contradictions are rounding


def contradictions(problem: Problem) -> np.ndarray:
    """Points (m, d) at which conditions on adjoining parts give a field different values."""
    places: dict[Any, list[tuple[Any, Any]]] = {}
    for condition in problem.conditions:
        if set(getattr(condition.part, "names", ())) & set(problem.domain.parts):
            for f, value in structure.dirichlet(condition).items():
                if not value.atoms(Parameter) - set(problem.coordinates):
                    places.setdefault(f, []).append((condition.part, value))
    found = [
        points
        for stated in places.values()
        for first, second in combinations(stated, 2)
        for points in _meeting(problem, first, second)
    ]
    d = len(problem.coordinates)
    return np.unique(np.round(found, 12), axis=0) if found else np.zeros((0, d))


def _meeting(problem: Problem, first, second) -> Sequence[np.ndarray]:
    """Points of the first part that touch the second, where the values differ."""
    (part, value), (other, other_value) = first, second
    points = np.asarray(part.sample(SAMPLES, key=3).points)
    gap = np.asarray(other.distance(points))
    spacing = problem.domain.size / SAMPLES ** (1 / max(points.shape[1] - 1, 1))
    compiled = compile_expressions([value, other_value], problem.coordinates)
    ours, theirs = (np.asarray(v) for v in compiled(jnp.asarray(points), []))
    size = max(np.max(np.abs(ours)), np.max(np.abs(theirs)), 1e-300)
    return list(points[(gap < 2 * spacing) & (np.abs(ours - theirs) > JUMP * size)])


def damping(
    points: jax.Array, corners: np.ndarray, size: float, shape: tuple[float, int]
) -> jax.Array:
    """Factors (n,) of residuals: one, and a power of the distance near a contradiction; `shape` is
    the radius, relative to `size`, and the power."""
    if not len(corners):
        return jnp.ones(len(points))
    radius, power = shape
    gaps = jnp.linalg.norm(points[:, None, :] - jnp.asarray(corners)[None], axis=-1)
    return jnp.minimum(1.0, jnp.min(gaps, axis=1) / (radius * size)) ** power
