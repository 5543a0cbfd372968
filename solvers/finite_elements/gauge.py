"""The constants up to which unknowns are determined, as a pressure between walls.

The solver counts such an unknown from one of its values; here it gets the constant that a condition
gives, its value at a point or its mean, and the mean zero where none does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import numpy as np
from sympy.core.function import AppliedUndef

from equations import Problem, WeakForm, fields_in

from .jets import Discrete
from .space import Product


def anchored(discrete: Discrete, space: Product, problem: Problem, weak: WeakForm) -> Discrete:
    """The function with its floating unknowns shifted to where their gauges hold."""
    for u in weak.floating:
        row = weak.unknowns.index(u)
        gauge = next((c for c in weak.gauges if u in fields_in(c.equation)), None)
        if gauge is None:
            discrete = _shifted(discrete, row, -_means(discrete, space, row))
        else:
            discrete = _shifted(discrete, row, _constants(discrete, problem, gauge, u))
    return discrete


def _shifted(discrete: Discrete, row: int, shift: np.ndarray) -> Discrete:
    """The function with a constant added to one unknown, at each time."""
    own, moving = slice(*discrete.offsets[row : row + 2]), discrete.trajectory
    if moving is None:
        values = discrete.values.copy()  # type: ignore[union-attr]
        values[own] += shift
        return replace(discrete, values=values)
    values, rates = moving.values.copy(), moving.rates.copy()
    values[:, own] += shift[:, None]
    rates[:, own] += np.gradient(shift, moving.times)[:, None]
    return replace(discrete, trajectory=replace(moving, values=values, rates=rates))


def _means(discrete: Discrete, space: Product, row: int) -> np.ndarray:
    cells = space.spaces[row].interior
    one = np.zeros((*cells.weights.shape, 1 + space.main.dimension))
    one[..., 0] = 1.0
    weights = cells.load(one)
    return discrete.nodal(row, None) @ weights / weights.sum()


def _constants(discrete: Discrete, problem: Problem, gauge: Any, u: AppliedUndef) -> np.ndarray:
    """The constants that, added to u, make the residual of its gauge vanish at each time."""
    point = np.asarray(gauge.part.sample(1, key=0).points)[:1]
    compiled = problem.compile(gauge.equation.residuals[:1])

    def raised(functionals: Any, points: Any) -> list[np.ndarray]:
        ones = [sum(c for o, c in f.terms if not any(o)) * (f.field == u) for f in functionals]
        return [v + one for v, one in zip(discrete(functionals, points), ones, strict=True)]

    def residual(jets: Any, places: np.ndarray) -> float:
        at = jnp.asarray(places)
        return float(compiled(at, compiled.values(jets, at))[0][0])

    if discrete.trajectory is None:
        places = [point]
    else:
        places = [np.concatenate([point[:, :-1], [[t]]], axis=1) for t in discrete.trajectory.times]
    now = np.array([residual(discrete, at) for at in places])
    slope = residual(raised, places[0]) - now[0]  # the residual is affine in the constant
    return -now / slope
