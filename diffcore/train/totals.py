"""What adds up on the device while batches pass: means of the logs, metrics, steps not taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from diffcore.train.metrics import Metric
from diffcore.train.state import Outcome


class Totals(eqx.Module):
    """Sums over the batches so far.

    Attributes:
        count: of samples.
        means: of the logs, over the samples.
        metrics: states of the metrics.
        skipped: steps that were not taken because something was not finite.
        stuck: how many of them came last, without another step.
    """

    count: jax.Array
    means: dict[str, jax.Array]
    metrics: tuple[Any, ...]
    skipped: jax.Array
    stuck: jax.Array


def nothing(names: dict[str, str], metrics: Sequence[Metric]) -> Totals:
    """The totals of no batch, for logs with these names and data types.

    Each array is its own: programs take over their memory.
    """
    return Totals(
        count=jnp.zeros((), jnp.int32),
        means={name: jnp.zeros((), dtype) for name, dtype in names.items()},
        metrics=jax.tree.map(jnp.array, tuple(metric.start() for metric in metrics)),
        skipped=jnp.zeros((), jnp.int32),
        stuck=jnp.zeros((), jnp.int32),
    )


def log_types(outcome: Outcome) -> dict[str, str]:
    """Data types of the logs by name, in alphabetical order, those of means at least float32."""
    for name, log in outcome.logs.items():
        if log.shape != () or jnp.issubdtype(log.dtype, jnp.complexfloating):
            raise TypeError(
                f"the loss and other logs must be real numbers; {name!r} is {log.dtype}{log.shape}."
            )
    return {
        name: jnp.promote_types(outcome.logs[name].dtype, jnp.float32).name
        for name in sorted(outcome.logs)
    }


def add(totals: Totals, outcome: Outcome, batch: Any, metrics: Sequence[Metric]) -> Totals:
    """The totals after one more batch; of a step that was not finite only that it was skipped."""
    size = _size(batch)
    count = totals.count + size
    means = {
        name: mean + (outcome.logs[name].astype(mean.dtype) - mean) * size / count
        for name, mean in totals.means.items()
    }
    states = tuple(
        metric.add(state, outcome.prediction, outcome.target)
        for metric, state in zip(metrics, totals.metrics, strict=True)
    )
    finite = outcome.finite
    new = (count, {name: m.astype(totals.means[name].dtype) for name, m in means.items()}, states)
    old = (totals.count, totals.means, totals.metrics)
    kept = jax.tree.map(lambda a, b: jnp.where(finite, a, b), new, old)
    missed = jnp.where(finite, 0, 1).astype(jnp.int32)
    stuck = jnp.where(finite, 0, totals.stuck + 1).astype(jnp.int32)
    return Totals(kept[0], kept[1], kept[2], totals.skipped + missed, stuck)


def _size(batch: Any) -> int:
    shape = jnp.shape(jax.tree.leaves(batch)[0])
    return shape[0] if shape else 1


def figures(totals: Totals, metrics: Sequence[Metric]) -> dict[str, Any]:
    """The means and metrics by name: numbers, and arrays for those that are arrays."""
    count, means, skipped = jax.device_get((totals.count, totals.means, totals.skipped))
    found: dict[str, Any] = {}
    found |= {name: float(mean) if count else float("nan") for name, mean in means.items()}
    for metric, state in zip(metrics, totals.metrics, strict=True):
        value = np.asarray(metric.value(state))
        found[metric.name] = value if value.ndim else value.item()
    return found | ({"skipped": int(skipped)} if skipped else {})
