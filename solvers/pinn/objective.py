"""The loss: a weighted mean of squared residuals, its gradient, and the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import diffcore
from diffcore import devices, nn

from .ansatz import Trial
from .terms import Batch, Term, bundles, evaluate, slopes

BALANCE_POINTS = 128
WEIGHT_RANGE = (1e-4, 1e5)


@dataclass(frozen=True)
class Objective:
    """`objective(trial, batches, weights)`: the loss and its gradient.

    `batches`: one `Batch` a term; `weights`: one array (rows,) a term; `only`: the kinds of terms
    that count, all where empty; `mesh`: the devices that share the points, if several."""

    terms: tuple[Term, ...]
    only: tuple[str, ...] = ()
    mesh: Any = None

    def __call__(self, trial: Trial, batches: Any, weights: Any) -> tuple[jax.Array, Any]:
        """Loss and gradient: the sum over terms and rows of weight times mean squared residual."""
        parameters, rest = nn.split(trial)
        value, gradient = jnp.zeros(()), jax.tree.map(jnp.zeros_like, parameters)
        for whole in bundles(self.terms):
            bundle = [i for i in whole if not self.only or self.terms[i].kind in self.only]
            if not bundle:
                continue
            own = [self.terms[i] for i in bundle]
            scales = [weights[i] / len(batches[i].points) for i in bundle]

            def total(parameters, pieces, own=own, scales=scales):
                found = evaluate(own, nn.merge(parameters, rest), pieces)
                return sum(jnp.sum(s * r**2) for r, s in zip(found, scales, strict=True))

            in_chunks = len(bundle) == 1  # one set of points, and the largest
            step = diffcore.sum_value_and_grad(total) if in_chunks else jax.value_and_grad(total)
            pieces = [batches[i] for i in bundle]
            if self.mesh is not None:
                step = devices.sum_over_devices(step, self.mesh)
                pieces = [_padded(piece, self.mesh.size) for piece in pieces]
            v, g = step(parameters, pieces)
            value, gradient = value + v, jax.tree.map(jnp.add, gradient, g)
        return value, gradient


def _padded(batch: Batch, parts: int) -> Batch:
    """The batch with points that count nothing, so that the number of parts divides them."""
    missing = -len(batch.points) % parts
    filled = jax.tree.map(lambda a: jnp.concatenate([a, jnp.repeat(a[:1], missing, 0)]), batch)
    return filled._replace(factors=filled.factors.at[len(batch.points) :].set(0))


@eqx.filter_jit
def _stiffness(terms, trial: Trial, batches) -> list[jax.Array]:
    """For each term the mean over points of the squared gradient of each row, (rows,): the trace of
    the row's neural tangent kernel divided by the number of points."""
    return [jnp.mean(jnp.sum(j**2, axis=-1), axis=0) for _, j in slopes(terms, trial, batches)]


def balanced_weights(terms: tuple[Term, ...], trial: Trial, key: Any) -> list[np.ndarray]:
    """Weights that let all rows of equations and conditions learn at the same rate; data keep 1.

    Each row gets the trace of the first equation's tangent kernel divided by its own; rows that do
    not depend on the parameters keep 1.

    Source: Wang, Yu & Perdikaris, J. Comput. Phys. 449 (2022) 110768, equation 6.5; there each row
    gets the sum of all traces divided by its own, the same up to a common factor.
    """
    traces: dict[int, np.ndarray] = {}
    for bundle in bundles(terms):
        own = tuple(terms[i] for i in bundle)
        batches = [t.draw(min(t.count, BALANCE_POINTS), key) for t in own]
        found = map(np.asarray, _stiffness(own, trial, batches))
        traces.update(zip(bundle, found, strict=True))
    firsts = (float(traces[i][0]) for i in range(len(terms)))
    reference = next((first for first in firsts if first > 0), 1.0)
    weights = []
    for i, term in enumerate(terms):
        trace = traces[i]
        learns = (trace > 1e-12 * reference) & (term.kind != "data")
        ratio = reference / np.where(learns, trace, reference)
        weights.append(np.clip(ratio, *WEIGHT_RANGE))
    return weights
