"""How wrong trial functions are, and how certain what they identify: measured on points that no
training step sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from equations import Problem

from . import estimate, points
from .ansatz import Trial
from .terms import Term, evaluate


class Gauge:
    """The error estimate of a run: `gauge(trial)` is the relative error of the first group of
    fields, `gauge.errors(trial)` that of each."""

    def __init__(self, problem: Problem, terms: Sequence[Term], weights: Any, key: Any):
        self.problem, self.terms, self.weights = problem, terms, weights
        own, other = jax.random.split(key)
        self.batches = points.draw(terms, own)
        self.points = jnp.asarray(problem.domain.sample_interior(2000, key=other).points)

    def __call__(self, trial: Trial) -> float:
        return next(iter(self.errors(trial).values()))

    def errors(self, trial: Trial) -> dict[tuple, float]:
        """The relative L2 error of each group of fields: the larger of two dampings."""
        linear = estimate.linearize(self.terms, trial, self.batches, self.weights)
        found = [
            estimate.relative_errors(self.problem, trial, linear.correction(d), self.points)
            for d in estimate.DAMPINGS
        ]
        return {group: max(errors[group] for errors in found) for group in found[0]}


def deviations_from_noise(problem: Problem, terms: Sequence[Term], trial: Trial) -> Callable:
    """Standard deviations that the noise of the data leaves. Rows of data count in units of their
    noise (of their misfit where that is unknown), all others in units of their misfit."""
    noises = iter(d.noise for d in problem.data)
    batches, weights = points.draw(terms, jax.random.key(0)), []
    for term, batch in zip(terms, batches, strict=True):
        misfit = np.sqrt(np.mean(np.asarray(evaluate([term], trial, [batch])[0]) ** 2, axis=0))
        noise = next(noises) if term.kind == "data" else None
        unit = np.full_like(misfit, noise) if noise else np.maximum(misfit, 1e-12)
        weights.append(len(batch.points) / unit**2)
    linear = estimate.linearize(terms, trial, batches, weights)
    covariance = linear.solve(jnp.eye(len(linear.gradient)), estimate.ROUNDING)
    return estimate.deviations(problem, trial, np.asarray(covariance))
