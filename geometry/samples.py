"""Sampled points with quadrature weights, for interiors and boundaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from diffcore.keys import as_key
from geometry._arrays import namespace
from geometry.sequences import check_count


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Sample:
    """Points `(n, d)` of a region with weights `(n,)` that sum to its measure."""

    points: Any
    weights: Any


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class BoundarySample:
    """Points `(n, d)` of a boundary, outward unit normals `(n, d)`, weights `(n,)` that sum to the
    measure, and `parts` `(n,)`, the index of each point's part in `shape.parts`."""

    points: Any
    normals: Any
    weights: Any
    parts: Any


def choose(odds: Any, n: int, *, key: Any) -> Any:
    """Returns `n` distinct indices `(n,)`, each drawn with probability proportional to its odds.

    Adaptive refinement picks rows of a sample by them: `sample.points[choose(residual, n, key=0)]`.

    Arguments:
        odds: numbers `(m,)`, zero or more, with m >= n. Where fewer than `n` are above zero, the
            others fill up.
        n: number of indices.
        key: int seed or JAX key. With a traced key, or traced odds, this runs inside a trace.

    Source: P. Efraimidis, P. Spirakis, Weighted random sampling with a reservoir, Information
    Processing Letters 97 (2006), by the logarithm of its keys (Gumbel's trick).

    Example:
        >>> sorted(choose([0.0, 1.0, 5.0, 0.0, 2.0], 3, key=0).tolist())
        [1, 2, 4]
    """
    check_count(n)
    is_eager = namespace(odds, key) is np and not isinstance(odds, jax.core.Tracer)
    odds = jnp.asarray(odds)
    if odds.ndim != 1 or len(odds) < n:
        raise ValueError(f"`odds` needs one axis with `n`={n} numbers or more; got {odds.shape}.")
    if is_eager and not (np.isfinite(odds).all() and (np.asarray(odds) >= 0).all()):
        raise ValueError("`odds` needs finite numbers of zero or more.")
    odds = odds.astype(jnp.promote_types(odds.dtype, "float32"))
    noise = jax.random.gumbel(as_key(key), odds.shape, odds.dtype)
    rank = jnp.where(odds > 0, jnp.log(jnp.where(odds > 0, odds, 1)) + noise, -jnp.inf)
    index = jnp.argsort(-rank)[:n]
    return np.asarray(index) if is_eager else index
