"""The error of a discrete solution, from solutions on coarser meshes.

With differences d1 = |u_4h - u_2h| and d2 = |u_2h - u_h| the observed order is q = log2(d1 / d2),
and the error of u_h is about d2 / (2^q - 1) (Richardson). The order is not trusted above that of
the polynomials, nor below a half.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

LOWEST_ORDER = 0.5
TIMES = 12  # Gauss points in time for the norm over space and time


@dataclass(frozen=True)
class Estimate:
    """The estimated relative error in L2, the part of it that time steps make, and how it came."""

    error: float
    in_time: float
    explanation: str


def estimate(discretes: list[Any], domain: Any, degree: int, in_time: float = 0.0) -> Estimate:
    """The error of the last of some discrete solutions, each on a mesh half as coarse."""
    if len(discretes) < 2:
        return Estimate(np.inf, in_time, "no error estimate: there is no second mesh")
    differences = [
        distance(coarse, fine, domain) for coarse, fine in zip(discretes[-3:-1], discretes[-2:], strict=True)
    ]
    order, best = LOWEST_ORDER, degree + 1
    if len(differences) == 2 and differences[1] > 0:
        order = float(np.clip(np.log2(differences[0] / differences[1]), LOWEST_ORDER, best))
    in_space = differences[-1] / (2**order - 1)
    text = (
        f"error estimated from meshes of twice and four times the size: observed order {order:.1f}, "
        f"at most {best} counted"
    )
    return Estimate(in_space + in_time, in_time, text)


def distance(other: Any, reference: Any, domain: Any) -> float:
    """The relative L2 distance of two discrete functions, on the mesh of the second one."""
    cells = reference.space.interior
    points = cells.points.reshape(-1, cells.points.shape[-1])
    weights = cells.weights.ravel()
    functionals = [_Value(u) for u in reference.unknowns]
    square = norm = 0.0
    for t, factor in _moments(domain):
        at = points if t is None else np.concatenate([points, np.full((len(points), 1), t)], axis=1)
        for a, b in zip(other(functionals, at), reference(functionals, at), strict=True):
            square += factor * float(weights @ (a - b) ** 2)
            norm += factor * float(weights @ b**2)
    return float(np.sqrt(square / norm)) if norm > 0 else float(square > 0)


@dataclass(frozen=True)
class _Value:
    """The functional that is the field itself."""

    field: Any

    @property
    def terms(self):
        return (((0,) * len(self.field.args), 1),)


def _moments(domain: Any) -> list[tuple[float | None, float]]:
    """Times and weights of a Gauss rule; one moment without time in a steady problem."""
    if domain.time is None:
        return [(None, 1.0)]
    _, start, end = domain.time
    nodes, weights = np.polynomial.legendre.leggauss(TIMES)
    return [(start + (end - start) * (s + 1) / 2, w) for s, w in zip(nodes, weights, strict=True)]
