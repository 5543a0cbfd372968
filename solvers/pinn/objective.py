"""The loss: a weighted mean of squared residuals, its gradient, and the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from diffcore import nn

from .ansatz import Trial
from .terms import Batch, Term

BALANCE_POINTS = 128
WEIGHT_RANGE = (1e-4, 1e5)


@dataclass(frozen=True, eq=False)
class Objective:
    """`objective(trial, batches, weights)`: the loss and its gradient.

    `batches`: one `Batch` a term; `weights`: one array (rows,) a term."""

    terms: tuple[Term, ...]
    chunk: int | None = None

    def loss(self, trial: Trial, batches: tuple[Batch, ...], weights: Any) -> jax.Array:
        """The sum over terms and rows of weight times mean squared residual."""
        total = jnp.zeros(())
        for term, batch, weight in zip(self.terms, batches, weights, strict=True):
            residuals = term.residuals(trial, batch)
            total = total + jnp.sum(weight * jnp.mean(residuals**2, axis=0))
        return total

    def __call__(self, trial: Trial, batches: Any, weights: Any) -> tuple[jax.Array, Any]:
        """Loss and gradient; the largest term goes through in chunks that fit the cache."""
        value, gradient = jnp.zeros(()), None
        for term, batch, weight in zip(self.terms, batches, weights, strict=True):
            parameters, rest = nn.split(trial)
            n = len(batch.points)

            def total(parameters, piece, mask, term=term, weight=weight, n=n, rest=rest):
                residuals = term.residuals(nn.merge(parameters, rest), piece)
                return jnp.sum(mask[:, None] * weight * residuals**2) / n

            v, g = _chunked(total, parameters, batch, self.chunk)
            value = value + v
            gradient = g if gradient is None else jax.tree.map(jnp.add, gradient, g)
        return value, gradient


def _chunked(total, parameters, batch, chunk):
    """Value and gradient of a sum over points, accumulated over chunks by a scan."""
    n = len(batch.points)
    if chunk is None or n <= chunk:
        return jax.value_and_grad(total)(parameters, batch, jnp.ones(n))
    pieces = -(-n // chunk)
    pad = pieces * chunk - n

    def cut(leaf):  # the padding repeats the first rows, masked out
        padded = jnp.concatenate([leaf, leaf[:pad]]) if pad else leaf
        return padded.reshape(pieces, chunk, *leaf.shape[1:])

    mask = (jnp.arange(pieces * chunk) < n).astype(batch.points.dtype).reshape(pieces, chunk)
    zero = (jnp.zeros(()), jax.tree.map(jnp.zeros_like, parameters))

    def add(carry, piece):
        v, g = jax.value_and_grad(total)(parameters, *piece)
        return (carry[0] + v, jax.tree.map(jnp.add, carry[1], g)), None

    return jax.lax.scan(add, zero, (jax.tree.map(cut, batch), mask))[0]


@eqx.filter_jit
def stiffness(term: Term, trial: Trial, batch: Batch) -> jax.Array:
    """The mean over points of the squared gradient of each row: (rows,), the trace of the neural
    tangent kernel of the row divided by the number of points."""
    _, jacobian = term.jacobian(trial, batch)
    return jnp.mean(jnp.sum(jacobian**2, axis=-1), axis=0)


def balanced_weights(terms: tuple[Term, ...], trial: Trial, key: Any) -> list[np.ndarray]:
    """Weights that let all rows of equations and conditions learn at the same rate; data keep 1.

    Each row gets the trace of the first equation's tangent kernel divided by its own.

    Source: Wang, Yu & Perdikaris, J. Comput. Phys. 449 (2022) 110768, equation 6.5; there each row
    gets the sum of all traces divided by its own, the same up to a common factor.
    """
    traces = [
        np.asarray(stiffness(t, trial, t.draw(min(t.count, BALANCE_POINTS), key))) for t in terms
    ]
    reference = float(traces[0][0]) or 1.0
    weights = []
    for term, trace in zip(terms, traces, strict=True):
        if term.kind == "data":
            weights.append(np.ones_like(trace))
        else:
            weights.append(np.clip(reference / np.maximum(trace, 1e-300), *WEIGHT_RANGE))
    return weights
