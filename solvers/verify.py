"""Trust: residuals and condition errors on points that the method was not fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import diffcore

FRESH_POINTS = 2000
FRESH_KEY = 987_654_321  # the keys of methods are folded from the user's and never meet this one


@dataclass(frozen=True)
class Misfit:
    """How far an equation or condition is from holding: root mean square and largest residual, in
    the units of the statement, and the point `at` which it is largest."""

    where: str
    statement: str
    rms: float
    largest: float
    at: tuple[float, ...]


def equation_misfits(problem: Any, jets: Any, parameters: Any) -> tuple[Misfit, ...]:
    """One `Misfit` a scalar equation, on fresh interior points."""
    with diffcore.precision("float64"):
        rows = []
        for equation in problem.equations:
            shape = problem.domain.regions.get(equation.region, problem.domain)
            sample = shape.sample_interior(FRESH_POINTS, key=jax.random.key(FRESH_KEY))
            for (left, right), residual in zip(
                equation.components, equation.residuals, strict=True
            ):
                values = _evaluate(problem, [residual], jets, sample.points, parameters)[0]
                where = equation.region or "interior"
                rows.append(_misfit(where, f"{left} = {right}", values[None], sample.points))
        return tuple(rows)


def condition_misfits(problem: Any, jets: Any, parameters: Any) -> tuple[Misfit, ...]:
    """One `Misfit` a condition, on fresh points of its part."""
    with diffcore.precision("float64"):
        rows = []
        for condition in problem.conditions:
            sample = condition.part.sample(FRESH_POINTS // 4, key=jax.random.key(FRESH_KEY))
            values = _evaluate(
                problem,
                condition.equation.residuals,
                jets,
                sample.points,
                parameters,
                sample.normals,
            )
            statement = str(condition.equation)
            rows.append(_misfit(condition.label, statement, np.stack(values), sample.points))
        return tuple(rows)


def _evaluate(problem, expressions, jets, points, parameters, normals=None):
    compiled = problem.compile(expressions)
    points = jnp.asarray(points)
    normals = None if normals is None else jnp.asarray(normals)
    values = compiled.values(jets, points, parameters, normals)
    return [np.asarray(r) for r in compiled(points, values, parameters, normals)]


def _misfit(where: str, statement: str, values: np.ndarray, points: Any) -> Misfit:
    magnitude = np.abs(values)  # (rows, points)
    worst = int(np.argmax(magnitude.max(axis=0)))
    at = tuple(float(c) for c in np.asarray(points)[worst])
    rms = float(np.sqrt(np.mean(magnitude**2)))
    return Misfit(where, statement, rms, float(magnitude.max()), at)
