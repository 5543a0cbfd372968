"""Where the equations are asked to hold: new points, denser where the residual is large."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from .ansatz import Trial
from .terms import Batch, Term

CANDIDATES = 4  # times the number of points


def draw(
    terms: Sequence[Term], trial: Trial, weights: Any, key: Any, *, adaptive: bool
) -> tuple[Batch, ...]:
    """A new batch for each term; where `adaptive`, interior points are drawn from a larger set with
    probability proportional to 1 + |residual| / mean |residual|.

    Source: Wu, Zhu, Tan, Kartha & Lu, Comput. Methods Appl. Mech. Eng. 403 (2023) 115671,
    equation 2 with k = 1, c = 1 (RAD).
    """
    batches = []
    for i, term in enumerate(terms):
        own = jax.random.fold_in(key, i)
        if not adaptive or term.kind != "equation":
            batches.append(term.draw(term.count, own))
            continue
        candidates = term.draw(CANDIDATES * term.count, own)
        size = _size(term, trial, candidates, jnp.asarray(weights[i]))
        chance = jnp.log(1 + size / jnp.mean(size))
        noise = jax.random.gumbel(jax.random.fold_in(own, 1), chance.shape, chance.dtype)
        chosen = jnp.argsort(-(chance + noise))[: term.count]  # sampling without replacement
        batches.append(jax.tree.map(lambda leaf, chosen=chosen: leaf[chosen], candidates))
    return tuple(batches)


@eqx.filter_jit
def _size(term: Term, trial: Trial, batch: Batch, weight: jax.Array) -> jax.Array:
    return jnp.sqrt(jnp.sum(weight * term.residuals(trial, batch) ** 2, axis=-1))
