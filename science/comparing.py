"""How far two solutions are apart, or a solution from the exact one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np
import sympy

import diffcore
from equations import compile_expressions
from solvers import Solution, labels


@dataclass(frozen=True)
class Difference:
    """How far one expression is off: relative L2 and largest difference, the latter in its unit."""

    expression: Any
    relative: float
    largest: float


@dataclass(frozen=True)
class Comparison:
    """Differences, one for each expression; prints as a table."""

    differences: tuple[Difference, ...]

    def __getitem__(self, expression: Any) -> Difference:
        """The difference of an expression."""
        for difference in self.differences:
            if difference.expression == expression:
                return difference
        compared = ", ".join(labels.text(d.expression) for d in self.differences)
        raise KeyError(f"{expression} was not compared, only {compared}.")

    @property
    def largest(self) -> float:
        """The largest relative L2 difference."""
        return max(d.relative for d in self.differences)

    def __str__(self) -> str:
        rows = [("", "relative L2", "largest")]
        for d in self.differences:
            rows.append((labels.text(d.expression), f"{d.relative:.3g}", f"{d.largest:.3g}"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in rows]
        return "\n".join(map("  ".join, lines))


def compare(
    solution: Solution,
    other: Solution | Mapping[Any, Any],
    expression: Any = None,
    *,
    n: int = 10_000,
) -> Comparison:
    """The difference of a solution from another one, or from an exact one, on sampled points.

    Arguments:
        other: a `Solution` of the same fields, or `{expression: exact value}` with exact values as
            SymPy expressions in the coordinates or functions of points (n, d).
        expression: what to compare; each field that both have if not given.
        n: number of points, uniform in the domain.

    Returns:
        a `Comparison`: it prints as a table; `[u].relative` is the L2 norm of the difference over
        that of `other`.

    Raises:
        ValueError where nothing is common to both.
    """
    sample = solution.problem.domain.sample_interior(n, key=0)
    points, weights = np.asarray(sample.points), np.asarray(sample.weights)
    values = _values_of(solution, other, points)
    chosen = [expression] if expression is not None else _common(solution, other)
    rows = []
    for e in chosen:
        exact = values(e)
        difference = np.abs(solution(e, points) - exact)
        per_point = difference.reshape(len(points), -1), np.abs(exact).reshape(len(points), -1)
        wrong, size = (float(np.sqrt(weights @ np.sum(v**2, axis=1))) for v in per_point)
        relative = wrong / size if size else (np.inf if wrong else 0.0)
        rows.append(Difference(e, relative, float(difference.max())))
    return Comparison(tuple(rows))


def _values_of(solution: Solution, other: Any, points: np.ndarray) -> Callable[[Any], np.ndarray]:
    if isinstance(other, Solution):
        return lambda e: other(e, points)
    if not isinstance(other, Mapping):
        raise TypeError(f"`other` is a Solution or {{u: exact}}; got {type(other).__name__}.")

    def exact(expression: Any) -> np.ndarray:
        if expression not in other:
            raise ValueError(f"`other` has no exact value of {expression}.")
        value = other[expression]
        if callable(value) and not isinstance(value, sympy.Basic):
            return np.asarray(value(points))
        compiled = compile_expressions([value], solution.problem.coordinates)
        with diffcore.precision("float64"):
            return np.asarray(compiled(jnp.asarray(points), [])[0])

    return exact


def _common(solution: Solution, other: Any) -> list[Any]:
    if not isinstance(other, Solution):
        return list(other)
    common = [f for f in solution.problem.fields if f in other.problem.fields]
    if not common:
        mine, theirs = solution.problem.fields, other.problem.fields
        raise ValueError(f"`compare`: {mine} and {theirs} have no field in common.")
    return common
