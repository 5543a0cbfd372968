"""Where the equations are asked to hold: new points, denser where the residual is large."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from geometry import choose

from .ansatz import Trial
from .terms import Batch, Term, evaluate

CANDIDATES = 4  # times the number of points


def draw(terms: Sequence[Term], key: Any) -> tuple[Batch, ...]:
    """A batch for each term, spread evenly."""
    return tuple(t.draw(t.count, jax.random.fold_in(key, i)) for i, t in enumerate(terms))


def renew(
    terms: Sequence[Term], trial: Trial, weights: Any, key: Any, *, adaptive: bool
) -> tuple[Batch, ...]:
    """A batch for each term; where `adaptive`, interior points come from a larger set, with
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
        odds = 1 + size / jnp.mean(size)
        chosen = choose(odds, term.count, key=jax.random.fold_in(own, 1))
        batches.append(jax.tree.map(lambda leaf, rows=chosen: leaf[rows], candidates))
    return tuple(batches)


@eqx.filter_jit
def _size(term: Term, trial: Trial, batch: Batch, weight: jax.Array) -> jax.Array:
    return jnp.sqrt(jnp.sum(weight * evaluate([term], trial, [batch])[0] ** 2, axis=-1))
