"""The terms of the loss: equations in the interior, conditions on parts, data at points.

A term knows how to draw its points and how to evaluate its residuals, (points, rows) real numbers,
for trial functions; complex residuals count as two real rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from diffcore import nn
from equations import Compiled, Problem

from .ansatz import Trial
from .build import Plan


class Batch(NamedTuple):
    """Points (n, d), normals (n, d) or zeros (n, 0), targets (n, rows) of one term."""

    points: jax.Array
    normals: jax.Array
    targets: jax.Array


@dataclass(frozen=True, eq=False)
class Term:
    """One term: `rows` are the statements of its residuals; `draw(n, key)` gives points."""

    kind: str
    label: str
    rows: tuple[str, ...]
    compiled: Compiled
    count: int
    draw: Callable[[int, Any], Batch]

    def residuals(self, trial: Trial, batch: Batch) -> jax.Array:
        """(n, rows), real; complex rows are split into real and imaginary parts."""
        values = trial.jets(self.compiled.functionals, batch.points)
        normals = batch.normals if batch.normals.shape[-1] else None
        results = self.compiled(batch.points, values, trial.parameters(), normals)
        stacked = jnp.stack(results, axis=-1)
        if batch.targets.shape[-1]:
            stacked = stacked - batch.targets
        if jnp.iscomplexobj(stacked):
            stacked = jnp.concatenate([stacked.real, stacked.imag], axis=-1)
        return stacked

    def jacobian(self, trial: Trial, batch: Batch) -> tuple[jax.Array, jax.Array]:
        """Residuals (n, rows) and their derivatives (n, rows, parameters), point by point."""
        vector, unflatten = nn.flatten_parameters(trial)

        def at_point(vector, row):
            one = jax.tree.map(lambda leaf: leaf[None], row)
            return self.residuals(unflatten(vector), one)[0]

        residuals = self.residuals(trial, batch)
        return residuals, jax.vmap(jax.jacrev(at_point), (None, 0))(vector, batch)


def terms(problem: Problem, plan: Plan, points: int, boundary_points: int) -> tuple[Term, ...]:
    """The terms that remain to be trained after what the plan has built in."""
    return (
        *_equations(problem, plan, points),
        *_conditions(problem, plan, boundary_points),
        *_data(problem),
    )


def _equations(problem: Problem, plan: Plan, points: int) -> Sequence[Term]:
    rows = [(str(e), r) for e in problem.equations for r in e.residuals]
    open_rows = [row for i, row in enumerate(rows) if i not in plan.satisfied_equations]
    if not open_rows:
        return ()
    labels, residuals = zip(*open_rows, strict=True)
    draw = partial(_draw_interior, problem.domain)
    return (Term("equation", "interior", labels, problem.compile(residuals), points, draw),)


def _conditions(problem: Problem, plan: Plan, points: int) -> Sequence[Term]:
    open_terms = []
    for i, condition in enumerate(problem.conditions):
        residuals = [
            r
            for j, r in enumerate(condition.equation.residuals)
            if (i, j) not in plan.satisfied_conditions
        ]
        if not residuals:
            continue
        compiled = problem.compile(residuals)
        draw = partial(_draw_part, condition.part, bool(compiled.normals))
        count = len(np.asarray(draw(points, 0).points))
        rows = tuple(f"{r} = 0" for r in residuals)
        open_terms.append(Term("condition", condition.label, rows, compiled, count, draw))
    return open_terms


def _data(problem: Problem) -> Sequence[Term]:
    measured = []
    for data in problem.data:
        compiled = problem.compile(list(data.values))
        targets = np.stack(list(data.values.values()), axis=-1)
        batch = Batch(jnp.asarray(data.points), _none(len(data.points)), jnp.asarray(targets))
        rows = tuple(map(str, data.values))
        draw = partial(_given, batch)
        measured.append(Term("data", "data", rows, compiled, len(data.points), draw))
    return measured


def _draw_interior(domain: Any, n: int, key: Any) -> Batch:
    points = jnp.asarray(domain.sample_interior(n, key=key).points)
    return Batch(points, _none(n), _none(n))


def _draw_part(part: Any, with_normals: bool, n: int, key: Any) -> Batch:
    sample = part.sample(n, key=key)
    points = jnp.asarray(sample.points)
    normals = jnp.asarray(sample.normals) if with_normals else _none(len(points))
    return Batch(points, normals, _none(len(points)))


def _given(batch: Batch, n: int, key: Any) -> Batch:
    return batch


def _none(n: int) -> jax.Array:
    return jnp.zeros((n, 0))
