"""Poisson-disk points: a subset of candidates in which no two points are close."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from geometry._arrays import namespace

CANDIDATES = 8  # for each point
_MOST_POINTS = 20_000


def check_spread(n: int) -> None:
    """Raises where the work, which grows with the square of the number, is too much."""
    if n > _MOST_POINTS:
        raise ValueError(
            f"`sampler='poisson'` needs `n` of {_MOST_POINTS} or less, for its work grows with the "
            f"square of `n`; got {n}. Take 'sobol'."
        )


def spread(points: Any, n: int) -> tuple[Any, Any]:
    """Returns the indices `(n,)` of points far apart, and the share of candidates nearest to each.

    Each point is the candidate farthest from those before it. So the smallest distance between two
    of them is at least the largest from any candidate to its nearest one: a maximal Poisson-disk
    sample. The shares estimate the Voronoi cells, which are smaller at the rim.

    Notes: n steps of work proportional to the number of candidates.

    Source: T. Gonzalez, Clustering to minimize the maximum intercluster distance, Theoretical
    Computer Science 38 (1985).
    """
    if namespace(points) is np:
        index, owner = _spread_eagerly(points, n)
        return index, np.bincount(owner, minlength=n) / len(points)

    def step(i: Any, state: Any) -> Any:
        index, owner, nearest, current = state
        owner, nearest = _updated(points, current, i, owner, nearest)
        return index.at[i].set(current), owner, nearest, jnp.argmax(nearest)

    m = len(points)
    start = jnp.argmax(jnp.zeros(m))
    state = (
        jnp.zeros(n, start.dtype),
        jnp.zeros(m, start.dtype),
        jnp.full(m, jnp.inf, points.dtype),
        start,
    )
    index, owner, _, _ = jax.lax.fori_loop(0, n, step, state)
    return index, jnp.bincount(owner, length=n).astype(points.dtype) / m


def _spread_eagerly(points: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    index, owner = np.zeros(n, int), np.zeros(len(points), int)
    nearest = np.full(len(points), np.inf)
    for i in range(n):
        index[i] = np.argmax(nearest)
        owner, nearest = _updated(points, index[i], i, owner, nearest)
    return index, owner


def _updated(points: Any, current: Any, i: Any, owner: Any, nearest: Any) -> tuple[Any, Any]:
    """The nearest chosen point of each candidate and its squared distance, with one more chosen."""
    xp = namespace(points)
    squared = xp.sum((points - points[current]) ** 2, axis=-1)
    closer = squared < nearest
    return xp.where(closer, i, owner), xp.where(closer, squared, nearest)
