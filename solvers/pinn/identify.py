"""Numbers to identify, from fields that are known already: where training on the equations starts.

When the fields have been fitted to the data, the equations are a small least-squares problem for
the numbers in them, in most cases a linear one. Starting from its answer, training does not first
bend the fields to a wrong guess, which can end at a coefficient of zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from .ansatz import Trial
from .terms import Batch, Term

STEPS = 30
# The noise of data biases coefficients of high derivatives towards zero, from where a positive
# number, the exponential of what is trained, does not come back: it changes by this factor at most.
FACTOR = 50.0


def identify(
    terms: Sequence[Term], trial: Trial, batches: Sequence[Batch], weights: Sequence[Any]
) -> Trial:
    """The trial functions with the numbers for which the equations hold best, by damped
    Gauss-Newton steps with the fields as they are."""
    held = [i for i, t in enumerate(terms) if t.kind != "data"]
    if not trial.raw or not held:
        return trial
    own, at = tuple(terms[i] for i in held), [batches[i] for i in held]
    scales = [jnp.sqrt(jnp.asarray(weights[i]) / len(batches[i].points)) for i in held]
    return _best(own, trial, at, scales)


@eqx.filter_jit
def _best(terms: Sequence[Term], trial: Trial, batches: Any, scales: Any) -> Trial:
    names = tuple(u.name for u in trial.unknowns)
    start = trial.parameters()
    values = [t.values(trial.jets, start, b) for t, b in zip(terms, batches, strict=True)]

    def with_numbers(raw: jax.Array) -> Trial:
        numbers = dict(zip(names, raw, strict=True))
        return eqx.tree_at(lambda t: t.raw, trial, numbers)

    def residuals(raw: jax.Array) -> jax.Array:
        parameters = with_numbers(raw).parameters()
        rows = (
            (t.residuals(v, parameters, b) * s).reshape(-1)
            for t, v, b, s in zip(terms, values, batches, scales, strict=True)
        )
        return jnp.concatenate(list(rows))

    def loss(raw: jax.Array) -> jax.Array:
        return jnp.sum(residuals(raw) ** 2)

    def step(_: int, state: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        raw, damping = state
        slopes = jax.jacfwd(residuals)(raw)
        normal = slopes.T @ slopes
        shift = jnp.diag(damping * jnp.diag(normal) + jnp.finfo(raw.dtype).tiny)
        change = -jnp.linalg.solve(normal + shift, slopes.T @ residuals(raw))
        new = jnp.clip(raw + change, -farthest, farthest)
        better = loss(new) < loss(raw)  # False where it is not finite
        return jnp.where(better, new, raw), damping * jnp.where(better, 0.3, 10.0)

    positive = jnp.array([u.positive for u in trial.unknowns])
    farthest = jnp.where(positive, jnp.log(FACTOR), jnp.inf)
    raw = jnp.stack([trial.raw[name] for name in names])
    return with_numbers(jax.lax.fori_loop(0, STEPS, step, (raw, jnp.asarray(1e-3)))[0])
