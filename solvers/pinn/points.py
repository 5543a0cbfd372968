"""Where the equations are asked to hold: new points, denser where the residual is large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from geometry import choose

from .ansatz import Trial
from .terms import Batch, Term, evaluate

CANDIDATES = 4  # times the number of points
SWAPPED = 10  # one in so many points is exchanged by a refinement


def draw(terms: Sequence[Term], key: Any) -> tuple[Batch, ...]:
    """A batch for each term, spread evenly."""
    return tuple(t.draw(t.count, jax.random.fold_in(key, i)) for i, t in enumerate(terms))


def renew(
    sampling: str, terms: Sequence[Term], trial: Trial, weights: Any, key: Any, before: Any
) -> tuple[Batch, ...]:
    """A batch for each term after those `before`; those of the equations by `SAMPLINGS[sampling]`.
    `weights` are those of the rows."""
    choose_points, batches = SAMPLINGS[sampling], []
    for i, term in enumerate(terms):
        own, weight = jax.random.fold_in(key, i), jnp.asarray(weights[i])
        if term.kind == "equation":
            batches.append(choose_points(partial(_size, term, trial, weight), term, own, before[i]))
        else:
            batches.append(term.draw(term.count, own))
    return tuple(batches)


def _uniform(size: Callable[[Batch], jax.Array], term: Term, key: Any, before: Batch) -> Batch:
    return term.draw(term.count, key)


def _by_odds(size: Callable[[Batch], jax.Array], term: Term, key: Any, before: Batch) -> Batch:
    """From a larger set, with probability proportional to 1 + |residual| / mean |residual|.

    Source: Wu, Zhu, Tan, Kartha & Lu, Comput. Methods Appl. Mech. Eng. 403 (2023) 115671,
    equation 2 with k = 1, c = 1 (RAD).
    """
    candidates = term.draw(CANDIDATES * term.count, key)
    sizes = size(candidates)
    odds = 1 + sizes / jnp.mean(sizes)
    return _rows(candidates, choose(odds, term.count, key=jax.random.fold_in(key, 1)))


def _refined(size: Callable[[Batch], jax.Array], term: Term, key: Any, before: Batch) -> Batch:
    """One in `SWAPPED` points, those of the least residual, gives its place to one of the largest
    of a larger set: refinement (RAR) that keeps the number of points.

    Source: Lu, Meng, Mao & Karniadakis, SIAM Rev. 63 (2021) 208-228, where points are added.
    """
    count = -(-term.count // SWAPPED)
    candidates = term.draw(CANDIDATES * term.count, key)
    largest = jnp.argsort(-size(candidates))[:count]
    kept = jnp.argsort(-size(before))[: term.count - count]
    return _joined(_rows(before, kept), _rows(candidates, largest))


def _released(size: Callable[[Batch], jax.Array], term: Term, key: Any, before: Batch) -> Batch:
    """Points with a residual above the mean stay, the others are drawn anew.

    Source: Daw, Bu, Wang, Perdikaris & Karpatne, ICML 2023, algorithm 1 (R3).
    """
    sizes = size(before)
    stays = sizes > jnp.mean(sizes)
    fresh = term.draw(term.count, key)
    return jax.tree.map(
        lambda old, new: jnp.where(jnp.reshape(stays, (-1, *(1,) * (old.ndim - 1))), old, new),
        before,
        fresh,
    )


SAMPLINGS = {"uniform": _uniform, "RAD": _by_odds, "RAR": _refined, "R3": _released}


def _rows(batch: Batch, rows: jax.Array) -> Batch:
    return jax.tree.map(lambda leaf: leaf[rows], batch)


def _joined(first: Batch, second: Batch) -> Batch:
    return jax.tree.map(lambda a, b: jnp.concatenate([a, b]), first, second)


@eqx.filter_jit
def _size(term: Term, trial: Trial, weight: jax.Array, batch: Batch) -> jax.Array:
    return jnp.sqrt(jnp.sum(weight * evaluate([term], trial, [batch])[0] ** 2, axis=-1))
