"""Where the equations are asked to hold: new points, denser where the residual is large."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from .ansatz import Trial
from .terms import Batch, Term, evaluate

CANDIDATES = 4  # times the number of points


def draw(terms: Sequence[Term], key: Any) -> tuple[Batch, ...]:
    """A batch for each term, spread evenly."""
    return tuple(t.draw(t.count, jax.random.fold_in(key, i)) for i, t in enumerate(terms))


def renew(
    terms: Sequence[Term],
    trial: Trial,
    weights: Any,
    batches: Sequence[Batch],
    key: Any,
    *,
    fraction: float,
    adaptive: bool,
) -> tuple[Batch, ...]:
    """The batches with a fraction of their points drawn anew.

    Where `adaptive`, new interior points come from a larger set, with probability proportional to
    1 + |residual| / mean |residual|.

    Source: Wu, Zhu, Tan, Kartha & Lu, Comput. Methods Appl. Mech. Eng. 403 (2023) 115671,
    equation 2 with k = 1, c = 1 (RAD).
    """
    renewed = []
    for i, (term, batch) in enumerate(zip(terms, batches, strict=True)):
        own = jax.random.fold_in(key, i)
        count = round(fraction * term.count) if term.kind == "equation" else term.count
        if not adaptive or term.kind != "equation":
            new = term.draw(count, own)
        else:
            candidates = term.draw(CANDIDATES * term.count, own)
            size = _size(term, trial, candidates, jnp.asarray(weights[i]))
            new = _take(candidates, _choose(size, count, jax.random.fold_in(own, 1)))
        kept = jax.random.permutation(jax.random.fold_in(own, 2), term.count)[count:]
        renewed.append(
            jax.tree.map(lambda a, b: jnp.concatenate([a, b]), _take(batch, kept), new)
            if count < term.count
            else new
        )
    return tuple(renewed)


def _choose(size: jax.Array, count: int, key: Any) -> jax.Array:
    """Indices drawn without replacement, with odds 1 + size / mean size (Gumbel's trick)."""
    odds = jnp.log(1 + size / jnp.mean(size))
    noise = jax.random.gumbel(key, odds.shape, odds.dtype)
    return jnp.argsort(-(odds + noise))[:count]


def _take(batch: Batch, rows: jax.Array) -> Batch:
    return jax.tree.map(lambda leaf: leaf[rows], batch)


@eqx.filter_jit
def _size(term: Term, trial: Trial, batch: Batch, weight: jax.Array) -> jax.Array:
    return jnp.sqrt(jnp.sum(weight * evaluate([term], trial, [batch])[0] ** 2, axis=-1))
