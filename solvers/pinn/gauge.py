"""How wrong trial functions are, and how certain what they identify: measured on points that no
training step sees."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import sympy

from equations import Compiled, Functional, Problem

from . import estimate, points
from .ansatz import Trial
from .ranges import as_distributed, random_columns
from .terms import Term, evaluate

DOUBTFUL, FAILED = 0.03, 0.3  # imbalance of an equation that hardly holds, and of one that does not
SMALLEST = 0.1  # of the largest equation: below that the terms of an equation are taken as zero


class Gauge:
    """The error estimate of a run: `gauge(trial)` is the relative error of the first group of
    fields, `gauge.errors(trial)` that of each.

    Where an equation hardly holds, it is not less than the `imbalance`: a network that has not
    come near the solution has little to say about its own error."""

    def __init__(self, problem: Problem, terms: Sequence[Term], weights: Any, key: Any):
        self.problem, self.terms, self.weights = problem, terms, weights
        self.key, other = jax.random.split(key)
        self.batches = points.draw(terms, self.key)
        expanded = [sympy.expand_mul(r.doit(), deep=False) for r in problem.residuals]
        summands = [sympy.Add.make_args(r) for r in expanded]
        self.counts = tuple(map(len, summands))
        self.summands = problem.compile([s for row in summands for s in row])
        fresh = problem.domain.sample_interior(2000, key=other).points
        self.points = as_distributed(fresh, random_columns(problem))

    def with_terms(self, terms: Sequence[Term], weights: Any) -> Gauge:
        """The same for terms that draw other points."""
        other = copy.copy(self)
        other.terms, other.weights = terms, weights
        other.batches = points.draw(terms, self.key)
        return other

    def __call__(self, trial: Trial) -> float:
        return next(iter(self.errors(trial).values()))

    def errors(self, trial: Trial) -> dict[tuple, float]:
        """The relative L2 error of each group of fields: the larger of two dampings."""
        trial = trial.exact()
        linear = estimate.linearize(self.terms, trial, self.batches, self.weights)
        found = [
            estimate.relative_errors(self.problem, trial, linear.correction(d), self.points)
            for d in estimate.DAMPINGS
        ]
        imbalance = self.imbalance(trial)
        least = imbalance if imbalance > DOUBTFUL else 0.0
        return {group: max(least, *(errors[group] for errors in found)) for group in found[0]}

    def imbalance(self, trial: Trial) -> float:
        """The largest, over the equations, of the root mean square of the residual divided by that
        of its largest summand: far below one where the equation holds.

        An equation whose terms all vanish in the solution, as that of a velocity component that is
        zero, is measured by the largest equation instead."""
        inner = [i for i, t in enumerate(self.terms) if t.kind == "equation"]
        if not inner:
            return 0.0
        sizes = np.asarray(_summands(self.summands, trial.exact(), self.batches[inner[0]]))
        rows = np.split(sizes, np.cumsum(self.counts)[:-1], axis=1)
        scales = [_root_mean_square(row).max() for row in rows]
        residuals = [_root_mean_square(row.sum(axis=1)) for row in rows]
        floor = max(SMALLEST * max(scales), np.finfo(float).tiny)
        return float(max(r / max(s, floor) for r, s in zip(residuals, scales, strict=True)))


def _root_mean_square(values: np.ndarray) -> np.ndarray:
    return np.sqrt(np.mean(np.abs(values) ** 2, axis=0))


@eqx.filter_jit
def _summands(compiled: Compiled, trial: Trial, batch: Any) -> jax.Array:
    """The damped summands of all equations at the points, (points, summands)."""
    parameters = trial.parameters()
    values = compiled.values(trial.jets, batch.points, parameters)
    found = compiled(batch.points, values, parameters)
    return jnp.stack(found, axis=-1) * batch.factors[:, None]


def with_noise(
    errors: dict[tuple, float], trial: Trial, deviations: Callable, points: jax.Array
) -> dict[tuple, float]:
    """Relative errors of an inverse problem: what the training left and what the noise leaves."""
    total = {}
    for group, error in errors.items():
        spread = deviations(group, np.asarray(points))
        functionals = tuple(Functional(f, (((0,) * len(f.args), 1),)) for f in group)
        size = np.abs(np.stack(trial.jets(functionals, points)))
        total[group] = float(np.hypot(error, np.linalg.norm(spread) / np.linalg.norm(size)))
    return total


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
