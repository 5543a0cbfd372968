"""A function with given values on given parts of the boundary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
import sympy

from equations import Parameter, Problem, compile_expressions

SAMPLES = 512
CLOSE = 0.02  # of the size of the domain: points of a part this close to another are at a corner
AGREE = 1e-6  # relative to the size of the data


def boundary_lift(
    problem: Problem, parts: Sequence[Any], values: Sequence[sympy.Expr]
) -> tuple[Callable | None, str]:
    """A smooth function of a point that equals `values[i]` on `parts[i]`, and why not if not.

    One expression that fits on all parts is taken as it is, extended into the domain; otherwise the
    values are blended with inverse distances. None stands for zero.

    Returns: (function of (..., d) or None, reason); a non-empty reason says why building these
    values in would spoil the solution.

    Source: Rvachev, Sheiko, Shapiro & Tsukanov, Comput. Mech. 27 (2001) 189-202 (transfinite
    interpolation).
    """
    if any(value.atoms(Parameter) - set(problem.coordinates) for value in values):
        return None, "they depend on parameters"
    for value in values:
        reason = _periodic_kink(problem, value)
        if reason:
            return None, reason
    distinct = list(dict.fromkeys(values))
    functions = {v: compile_expressions([v], problem.coordinates) for v in distinct}
    samples = [np.asarray(part.sample(SAMPLES, key=7).points) for part in parts]
    given = [_at(functions[v], s) for v, s in zip(values, samples, strict=True)]
    size = max(float(np.max(np.abs(g))) for g in given)
    if size == 0:
        return None, ""
    for candidate in sorted(distinct, key=sympy.count_ops):
        fits = all(
            np.max(np.abs(_at(functions[candidate], s) - g)) < AGREE * size
            for s, g in zip(samples, given, strict=True)
        )
        if fits:
            return partial(_value, functions[candidate]), ""
    return _blend(problem, parts, [functions[v] for v in values], samples, given, size)


def _blend(problem, parts, functions, samples, given, size):
    for i, (points, own) in enumerate(zip(samples, given, strict=True)):
        for j, other in enumerate(parts):
            gap = np.asarray(other.distance(points))
            near = gap < CLOSE * problem.domain.size
            if i != j and near.any():
                closest = np.argsort(np.where(near, gap, np.inf))[:4]
                jump = np.abs(own - _at(functions[j], points))[closest]
                if np.min(jump) > 0.1 * size:
                    return None, "values on adjoining parts contradict each other"

    def lift(x):
        away = [part.distance(x) for part in parts]
        weights = []
        for i in range(len(parts)):
            weight = jnp.ones_like(away[0])
            for j, distance in enumerate(away):
                weight = weight * distance if i != j else weight
            weights.append(weight)
        tiny = 1e-12 * max(problem.domain.size, 1e-300) ** (len(parts) - 1)
        total = sum(weights) + tiny
        return sum(w * f(x, [])[0] for w, f in zip(weights, functions, strict=True)) / total

    return lift, ""


def _value(compiled: Any, x: Any) -> Any:
    return compiled(x, [])[0]


def _at(compiled: Any, points: np.ndarray) -> np.ndarray:
    return np.asarray(_value(compiled, jnp.asarray(points)))


def _periodic_kink(problem: Problem, value: sympy.Expr) -> str:
    """Why a value is not smooth across a periodic end, if it is not."""
    symbols = {c.name: c for c in problem.coordinates}
    for axis in problem.domain.periods:
        x = symbols[axis]
        if x not in value.free_symbols:
            continue
        column = problem.domain.axes.index(axis)
        low, high = (sympy.nsimplify(b[column], rational=True) for b in problem.domain.bounds)
        for order in range(5):
            slope = sympy.diff(value, x, order)
            jump = sympy.N(slope.subs(x, high) - slope.subs(x, low))
            free = sorted(jump.free_symbols, key=lambda s: s.name)
            number = complex(jump.subs(dict.fromkeys(free, 0.37)))
            scale = 1 + abs(complex(sympy.N(slope.subs(x, low)).subs(dict.fromkeys(free, 0.37))))
            if abs(number) > 1e-9 * scale:
                return f"their derivative of order {order} jumps where the domain closes in {axis}"
    return ""
