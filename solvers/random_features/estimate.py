"""The error of a solution, from solutions with fewer features that were drawn anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import jax
import numpy as np

from equations import Functional, Problem, structure

from .expansion import Expansion

SLOWEST = 0.75  # largest ratio of successive differences that is counted
SAFETY = 1.5
ROUNDING = 3e-12  # what the condition of the least-squares problems leaves of 1e-16

Group = tuple


@dataclass(frozen=True)
class Estimate:
    """The estimated relative L2 error of each group of fields, and how it came."""

    errors: dict[Group, float]
    explanation: str

    @property
    def worst(self) -> float:
        """The largest of them."""
        return max(self.errors.values(), default=np.inf)


def differences(
    problem: Problem, first: Expansion, second: Expansion, points: jax.Array
) -> dict[Group, float]:
    """The relative distance in L2 between two solutions, for each group of fields."""
    found = {}
    for group in structure.groups(problem):
        functionals = tuple(Functional(f, (((0,) * len(f.args), 1),)) for f in group)
        a, b = (np.stack(e.jets(functionals, points)) for e in (first, second))
        size = np.linalg.norm(b)
        found[tuple(group)] = float(np.linalg.norm(a - b) / size) if size else np.inf
    return found


def estimate(gaps: Sequence[Mapping[Group, float]], shrinking: float = 1.0) -> Estimate:
    """The errors of the last of some solutions, from the relative distances of each to the one
    before: what is still to come, were they to go on shrinking by the last ratio, or by the one of
    the residuals, `shrinking`, if that is closer to one: solutions that agree may be wrong alike.
    """
    if not gaps:
        return Estimate({}, "No error estimate: there is no second solution.")
    errors, ratios = {}, []
    for group, gap in gaps[-1].items():
        before = gaps[-2][group] if gaps[1:] else gap
        ratio = gap / before if before else 1.0
        ratio = min(max(ratio, shrinking), SLOWEST)
        ratios.append(ratio)
        errors[group] = SAFETY * max(gap * ratio / (1 - ratio), ROUNDING)
    told = ", ".join(f"{ratio:.2g}" for ratio in ratios)
    return Estimate(
        errors,
        "The error was estimated from solutions with fewer features: twice as many changed the "
        f"difference by a factor of {told}.",
    )
