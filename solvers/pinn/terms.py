"""The terms of the loss: equations in the interior, conditions on parts, data at points.

A term knows how to draw its points and how to evaluate its residuals, (points, rows) real numbers,
for trial functions; complex residuals count as two real rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from diffcore import nn
from equations import Compiled, Functional, Problem

from . import many, singular
from .ansatz import Trial
from .build import Plan
from .ranges import as_distributed, random_columns
from .singular import contradictions, damping

MOST_FUNCTIONALS = 60  # of a term whose points are all differentiated at once
GRADED = 8  # one in so many points of an ordinary equation is moved towards the start
SLOPE_POINTS = 16  # of a term with quadrature that are differentiated at a time: bounds memory


class Batch(NamedTuple):
    """Points (n, d), normals (n, d) or zeros (n, 0), targets (n, rows) or zeros (n, 0), and factors
    (n,) of the residuals of one term."""

    points: jax.Array
    normals: jax.Array
    targets: jax.Array
    factors: jax.Array


@dataclass(frozen=True)
class Term:
    """One term: `rows` are the statements of its residuals; `draw(n, key)` gives points. Terms that
    differ only in where they draw points are equal: they share what is compiled."""

    kind: str
    label: str
    rows: tuple[str, ...]
    compiled: Compiled
    count: int
    draw: Callable[[int, Any], Batch] = field(compare=False)

    def values(self, jets: Callable, parameters: Any, batch: Batch, local: Any = None) -> list:
        """The values of the functionals at the points; `local` are those known already."""
        normals = batch.normals if batch.normals.shape[-1] else None
        return self.compiled.values(jets, batch.points, parameters, normals, local=local)

    def residuals(self, values: Sequence[jax.Array], parameters: Any, batch: Batch) -> jax.Array:
        """(n, rows), real, from the values of the functionals at the points; complex rows are split
        into real and imaginary parts."""
        normals = batch.normals if batch.normals.shape[-1] else None
        results = self.compiled(batch.points, values, parameters, normals)
        stacked = jnp.stack(results, axis=-1)
        if batch.targets.shape[-1]:
            stacked = stacked - batch.targets
        return real_rows(stacked * batch.factors[:, None])


def real_rows(values: jax.Array) -> jax.Array:
    """Complex columns as their real parts, then their imaginary parts."""
    if jnp.iscomplexobj(values):
        return jnp.concatenate([values.real, values.imag], axis=-1)
    return values


def bundles(terms: Sequence[Term]) -> list[list[int]]:
    """Indices of terms whose points go through the trial functions in one pass: the equations by
    themselves, all others together."""
    equations = [i for i, t in enumerate(terms) if t.kind == "equation"]
    others = [i for i, t in enumerate(terms) if t.kind != "equation"]
    return [bundle for bundle in (equations, others) if bundle]


def functionals_of(terms: Sequence[Term]) -> tuple[Functional, ...]:
    """All functionals that the terms need, each once."""
    return tuple(dict.fromkeys(f for t in terms for f in t.compiled.local))


def evaluate(terms: Sequence[Term], trial: Trial, batches: Sequence[Batch]) -> list[jax.Array]:
    """The residuals (n, rows) of terms: in one pass through the trial functions at the terms' own
    points, and in one more for each place elsewhere at which a term takes a field."""
    functionals = functionals_of(terms)
    values = trial.jets(functionals, jnp.concatenate([b.points for b in batches]))
    parameters, results, start = trial.parameters(), [], 0
    for term, batch in zip(terms, batches, strict=True):
        stop = start + len(batch.points)
        local = [values[functionals.index(f)][start:stop] for f in term.compiled.local]
        own = term.values(trial.jets, parameters, batch, local)
        results.append(term.residuals(own, parameters, batch))
        start = stop
    return results


def slopes(
    terms: Sequence[Term], trial: Trial, batches: Sequence[Batch]
) -> list[tuple[jax.Array, jax.Array]]:
    """The residuals (n, rows) of terms and their derivatives (n, rows, parameters), point by point.

    The trial functions are differentiated once for all terms; the chain rule does the rest. Terms
    that take fields elsewhere are differentiated as a whole."""
    local = [i for i, t in enumerate(terms) if t.compiled.is_local and not _has_many(t)]
    found = iter(_local_slopes([terms[i] for i in local], trial, [batches[i] for i in local]))
    return [
        next(found) if i in local else _whole_slopes(term, trial, batch)
        for i, (term, batch) in enumerate(zip(terms, batches, strict=True))
    ]


def _has_many(term: Term) -> bool:
    """Whether derivatives by each value of a functional would fill the memory."""
    return len(term.compiled.local) > MOST_FUNCTIONALS


def _whole_slopes(term: Term, trial: Trial, batch: Batch) -> tuple[jax.Array, jax.Array]:
    vector, unflatten = nn.flatten_parameters(trial)

    def rows(vector, piece):
        model, one = unflatten(vector), jax.tree.map(lambda leaf: leaf[None], piece)
        parameters = model.parameters()
        return term.residuals(term.values(model.jets, parameters, one), parameters, one)[0]

    def both(piece):
        return rows(vector, piece), jax.jacrev(rows)(vector, piece)

    return jax.lax.map(both, batch, batch_size=SLOPE_POINTS)


def _local_slopes(
    terms: Sequence[Term], trial: Trial, batches: Sequence[Batch]
) -> list[tuple[jax.Array, jax.Array]]:
    if not terms:
        return []
    functionals = functionals_of(terms)
    vector, unflatten = nn.flatten_parameters(trial)
    is_complex: list[bool] = []

    def numbers(vector, point):
        """Values of the functionals, real and imaginary parts, and then the parameters."""
        model = unflatten(vector)
        values = model.jets(functionals, point[None])
        is_complex[:] = [jnp.iscomplexobj(v) for v in values]
        parts = [p for v in values for p in ((v[0].real, v[0].imag) if jnp.iscomplexobj(v) else v)]
        return jnp.stack([*parts, *model.parameters().values()])

    points = jnp.concatenate([b.points for b in batches])
    values = jax.vmap(numbers, (None, 0))(vector, points)  # (n, numbers)
    inner = jax.vmap(jax.jacrev(numbers), (None, 0))(vector, points)  # (n, numbers, parameters)

    def row(term, numbers, batch):
        places = iter(numbers)
        jets = [
            jax.lax.complex(next(places), next(places))[None] if c else next(places)[None]
            for c in is_complex
        ]
        own = [jets[functionals.index(f)] for f in term.compiled.local]
        parameters = dict(zip(trial.parameters(), places, strict=True))
        return term.residuals(own, parameters, jax.tree.map(lambda leaf: leaf[None], batch))[0]

    results, start = [], 0
    for term, batch in zip(terms, batches, strict=True):
        at = slice(start, start + len(batch.points))
        of_row = partial(row, term)
        residuals = jax.vmap(of_row)(values[at], batch)
        outer = jax.vmap(jax.jacfwd(of_row))(values[at], batch)  # (n, rows, numbers)
        results.append((residuals, jnp.einsum("nrk,nkp->nrp", outer, inner[at])))
        start = at.stop
    return results


def terms(problem: Problem, plan: Plan, points: int, boundary_points: int) -> tuple[Term, ...]:
    """The terms that remain to be trained after what the plan has built in."""
    drawn = (*_equations(problem, plan, points), *_conditions(problem, plan, boundary_points))
    if many.is_wide(problem):
        drawn = tuple(replace(t, draw=partial(_draw_inward, problem, t.draw)) for t in drawn)
    random = random_columns(problem)
    if random:
        drawn = tuple(replace(t, draw=partial(_draw_random, t.draw, random)) for t in drawn)
    return (*drawn, *_data(problem))


def _equations(problem: Problem, plan: Plan, points: int) -> Sequence[Term]:
    """One term for the equations that hold everywhere, and one for those of each region."""
    rows: dict[str | None, list[tuple[str, Any]]] = {}
    numbered = [(e, r) for e in problem.equations for r in e.residuals]
    for i, (equation, residual) in enumerate(numbered):
        if i not in plan.satisfied_equations:
            rows.setdefault(equation.region, []).append((str(equation), residual))
    corners, found = contradictions(problem), []
    for region, open_rows in rows.items():
        labels, residuals = zip(*open_rows, strict=True)
        domain = problem.domain.regions.get(region, problem.domain)
        draw, compiled = partial(_draw_interior, domain, corners), problem.compile(residuals)
        found.append(Term("equation", region or "interior", labels, compiled, points, draw))
    return found


def _conditions(problem: Problem, plan: Plan, points: int) -> Sequence[Term]:
    open_terms, corners = [], contradictions(problem)
    for i, condition in enumerate(problem.conditions):
        residuals = [
            r
            for j, r in enumerate(condition.equation.residuals)
            if (i, j) not in plan.satisfied_conditions
        ]
        if not residuals:
            continue
        compiled = problem.compile(residuals)
        draw = partial(_draw_part, problem.domain, condition.part, corners, bool(compiled.normals))
        known = _is_everywhere_the_same(compiled)
        count = 1 if known else len(np.asarray(draw(points, 0).points))
        rows = tuple(f"{r} = 0" for r in residuals)
        open_terms.append(Term("condition", condition.label, rows, compiled, count, draw))
    return open_terms


def _is_everywhere_the_same(compiled: Compiled) -> bool:
    """Whether a condition says one thing at all points, as an integral over the domain does."""
    free = set().union(*(e.free_symbols for e in compiled.expressions))
    return not (free & set(compiled.coordinates) or compiled.normals)


def _data(problem: Problem) -> Sequence[Term]:
    measured = []
    for data in problem.data:
        compiled = problem.compile(list(data.values))
        targets = np.stack(list(data.values.values()), axis=-1)
        n = len(data.points)
        batch = Batch(jnp.asarray(data.points), _none(n), jnp.asarray(targets), jnp.ones(n))
        rows = tuple(map(str, data.values))
        draw = partial(_given, batch)
        measured.append(Term("data", "data", rows, compiled, len(data.points), draw))
    return measured


def _draw_interior(domain: Any, corners: np.ndarray, n: int, key: Any) -> Batch:
    points = jnp.asarray(domain.sample_interior(n, key=key).points)
    if domain.dimension == 1 and domain.time:
        points = _graded(points, domain.time[1])
    factors = damping(points, corners, domain.size, singular.EQUATION)
    return Batch(points, _none(n), _none(n), factors)


def _graded(times: jax.Array, start: float) -> jax.Array:
    """Times of which one in `GRADED` is moved towards the start, as far as 1e-4 of the way, so that
    a jump there, by which a trial function could leave its initial value, costs something."""
    count = len(times) // GRADED
    shares = 10.0 ** (-4 * (jnp.arange(count) + 0.5) / max(count, 1))
    moved = start + shares[:, None] * (times[:count] - start)
    return times.at[:count].set(moved)


def _draw_part(
    domain: Any, part: Any, corners: np.ndarray, with_normals: bool, n: int, key: Any
) -> Batch:
    sample = part.sample(n, key=key)
    points = jnp.asarray(sample.points)
    normals = jnp.asarray(sample.normals) if with_normals else _none(len(points))
    factors = damping(points, corners, domain.size, singular.CONDITION)
    return Batch(points, normals, _none(len(points)), factors)


def _draw_random(draw: Callable, columns: Any, n: int, key: Any) -> Batch:
    batch = draw(n, key)
    return batch._replace(points=as_distributed(batch.points, columns))


def _draw_inward(problem: Problem, draw: Callable, n: int, key: Any) -> Batch:
    batch = draw(n, key)
    return batch._replace(points=many.inward(problem, batch.points, key))


def _given(batch: Batch, n: int, key: Any) -> Batch:
    return batch


def _none(n: int) -> jax.Array:
    return jnp.zeros((n, 0))
