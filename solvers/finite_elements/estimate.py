"""The error of a discrete solution, from solutions on coarser meshes.

With differences d1 = |u_4h - u_2h| and d2 = |u_2h - u_h| the observed order is q = log2(d1 / d2),
and the error of u_h is about d2 / (2^q - 1) (Richardson). Where q falls short of the order of the
polynomials, because the solution is not smooth or the mesh not yet fine enough, no more is counted
than the order 4/3 of a reentrant right angle (Grisvard, Elliptic Problems in Nonsmooth Domains,
1985): the estimate errs on the safe side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equations import Functional

LOWEST_ORDER = 0.5
ROUGH_ORDER = 4 / 3
SHORTFALL = 0.25  # of the observed order that is put down to scatter
NEGLIGIBLE = 1e-12  # against the largest unknown: one that is zero holds rounding alone
TIMES = 16  # moments for the norm over space and time


@dataclass(frozen=True)
class Estimate:
    """The estimated relative errors in L2 of the unknowns, the part of them that time steps make,
    and how they came."""

    errors: np.ndarray
    in_time: Any
    explanation: str

    @property
    def worst(self) -> float:
        """The largest of them."""
        return float(self.errors.max())


def estimate(differences: list[np.ndarray], degrees: Any, in_time: Any = 0.0) -> Estimate:
    """The errors on the last of some meshes, each half as coarse as the one before.

    Arguments:
        differences: relative L2 distances of the unknowns between successive meshes.
        degrees: of the polynomials of each unknown.
    """
    if not differences:
        return Estimate(np.array([np.inf]), in_time, "no error estimate: there is no second mesh")
    best, last = np.asarray(degrees) + 1, differences[-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = np.log2(differences[0] / last) if differences[1:] else 0 * last
    seen = np.where(np.isfinite(seen), seen, 0.0)
    counted = np.where(seen > best - SHORTFALL, best, np.clip(seen, LOWEST_ORDER, ROUGH_ORDER))
    text = (
        "error estimated from meshes of twice and four times the size: observed order "
        f"{_listed(seen)}, counted {_listed(counted)}"
    )
    return Estimate(last / (2**counted - 1) + in_time, in_time, text)


def _listed(orders: np.ndarray) -> str:
    return ", ".join(f"{order:.1f}" for order in np.ravel(orders))


def distance(
    other: Any, reference: Any, space: Any, domain: Any, vector: Sequence[int] = ()
) -> np.ndarray:
    """The relative L2 distances of the unknowns of two discrete functions, on the space of the
    second one; those of the components of a vector are relative to all of it."""
    points = space.interior.points.reshape(-1, space.dimension)
    weights = space.interior.weights.ravel()
    functionals = [Functional(u, (((0,) * len(u.args), 1),)) for u in reference.unknowns]
    squares = np.zeros((2, len(functionals)))
    for t, factor in _moments(domain):
        at = points if t is None else np.concatenate([points, np.full((len(points), 1), t)], axis=1)
        a, b = np.array(other(functionals, at)), np.array(reference(functionals, at))
        squares += factor * np.stack([(a - b) ** 2 @ weights, b**2 @ weights])
    sizes = np.maximum(squares[1], NEGLIGIBLE**2 * squares[1].max())
    sizes[list(vector)] = squares[1, list(vector)].sum()
    return np.sqrt(squares[0] / np.where(sizes > 0, sizes, 1))


def _moments(domain: Any) -> list[tuple[float | None, float]]:
    """Times and weights of a Gauss rule in s, t = start + duration * s^4, which resolves a first
    layer; one moment without time in a steady problem."""
    if domain.time is None:
        return [(None, 1.0)]
    _, start, end = domain.time
    nodes, weights = np.polynomial.legendre.leggauss(TIMES)
    s = (nodes + 1) / 2
    return list(zip(start + (end - start) * s**4, weights * s**3, strict=True))
