"""Eigenvalues of a pair of sparse matrices, K x = lambda M x.

Lanczos' method (Arnoldi's where the matrices are not symmetric) on the inverse of K - s M finds
the eigenvalues next to s. Where both are symmetric and M has no negative ones, Sylvester's law of
inertia counts the eigenvalues below a number by the signs of the pivots: it puts s below all of
them, and shows afterwards that none was left out, not even of a multiple one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from .newton import PIVOT

ALIKE = 1e-10  # asymmetry relative to the largest entry, which is rounding
SPARE = 4  # eigenvalues sought beyond those asked for, as a guard of multiple ones
MORE = 3  # times that the search is repeated with more of them
REACH = 60  # quadruplings of a shift on its way below the spectrum
OFF = 1e-7  # relative, between a target and the shift, which must be no eigenvalue
GAP = 1e-6  # relative, between an eigenvalue and the number up to which all are counted


@dataclass(frozen=True)
class Eigenpairs:
    """Eigenvalues in ascending order, their vectors as columns, and whether the count of pivots
    shows that they are the lowest ones: None where it cannot tell."""

    values: np.ndarray
    vectors: np.ndarray
    complete: bool | None


class NotReal(ValueError):
    """Eigenvalues that were asked for are not real."""


def lowest(stiffness: Any, mass: Any, count: int, dimension: int) -> Eigenpairs:
    """The lowest `count` eigenvalues of matrices of an operator of second order in so many
    dimensions.

    Raises:
        NotReal naming those that are complex, where the matrices are not symmetric.
    """
    n = stiffness.shape[0]
    size = _scale(stiffness, mass) / n ** (2 / dimension)  # the highest grow with this power
    shift, factors = -size, None
    if _is_symmetric(stiffness) and _is_symmetric(mass):
        shift, factors = _below_all(stiffness, mass, shift)
    if factors is None:
        return nearest(stiffness, mass, count, shift)
    for spare in (SPARE * (i + 1) for i in range(MORE)):
        wanted = min(count + spare, n - 1)
        values, vectors = scipy.sparse.linalg.eigsh(
            stiffness, wanted, mass, sigma=shift, OPinv=_operator(factors, n), v0=_start(n)
        )
        order = np.argsort(values)
        values, vectors = values[order], vectors[:, order]
        complete = _is_complete(stiffness, mass, values, count)
        if complete:
            break
    return Eigenpairs(values[:count], vectors[:, :count], complete)


def nearest(stiffness: Any, mass: Any, count: int, target: float) -> Eigenpairs:
    """The `count` eigenvalues next to a number, in ascending order; see `lowest`."""
    n = stiffness.shape[0]
    shift = target * (1 + OFF) or OFF * _scale(stiffness, mass)  # no eigenvalue itself
    options: dict[str, Any] = {"sigma": shift, "v0": _start(n)}
    options["OPinv"] = _operator(_factors(stiffness - shift * mass, PIVOT), n)
    if _is_symmetric(stiffness) and _is_symmetric(mass):
        values, vectors = scipy.sparse.linalg.eigsh(stiffness, count, mass, **options)
    else:
        values, vectors = scipy.sparse.linalg.eigs(stiffness, count + SPARE, mass, **options)
        order = np.argsort(np.abs(values - shift))[:count]
        values, vectors = values[order], vectors[:, order]
        size = np.abs(values).max()
        if np.abs(values.imag).max() > np.sqrt(ALIKE) * size:
            listed = ", ".join(f"{v:.6g}" for v in values)
            raise NotReal(f"eigenvalues of this problem are complex, and fields are real: {listed}")
        values, vectors = values.real, _real(vectors)
    order = np.argsort(values)
    return Eigenpairs(values[order], vectors[:, order], None)


def _below_all(stiffness: Any, mass: Any, start: float) -> tuple[float, Any]:
    """A number below all eigenvalues, and the factors of K - s M; None where M has negative ones
    or pivots had to leave the diagonal, as those of a saddle point."""
    shift = start
    for _ in range(REACH):
        factors = _factors(stiffness - shift * mass)
        below = _count(factors)
        if below is None:
            return start, None
        if below == 0:
            return shift, factors
        shift *= 4
    return start, None


def _is_complete(stiffness: Any, mass: Any, values: np.ndarray, count: int) -> bool | None:
    """Whether as many eigenvalues lie below the largest of those found as were found below it."""
    if len(values) <= count:
        return None
    apart = np.diff(values[count - 1 :]) > GAP * np.abs(values[-1])
    if not apart.any():
        return False
    last = count - 1 + int(np.argmax(apart))
    number = (values[last] + values[last + 1]) / 2
    below = _count(_factors(stiffness - number * mass))
    return None if below is None else below == last + 1


def _count(factors: Any) -> int | None:
    """The number of negative pivots; None where rows were exchanged."""
    if not np.array_equal(factors.perm_r, factors.perm_c):
        return None
    return int(np.sum(factors.U.diagonal() < 0))


def _factors(matrix: Any, pivot: float = 0.0) -> Any:
    options = {"SymmetricMode": True}
    return scipy.sparse.linalg.splu(
        matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=pivot, options=options
    )


def _operator(factors: Any, n: int) -> Any:
    return scipy.sparse.linalg.LinearOperator((n, n), factors.solve, dtype=float)


def _start(n: int) -> np.ndarray:
    """A first vector, the same in every run and without symmetries that modes could hide in."""
    return np.random.default_rng(0).normal(size=n)


def _is_symmetric(matrix: Any) -> bool:
    largest = np.abs(matrix.data).max(initial=0.0)
    return bool(np.abs((matrix - matrix.T).data).max(initial=0.0) <= ALIKE * largest)


def _scale(stiffness: Any, mass: Any) -> float:
    """About the size of the highest eigenvalues."""
    largest, size = (np.abs(a.diagonal()).sum() for a in (stiffness, mass))
    return float(largest / size) if largest and size else 1.0


def _real(vectors: np.ndarray) -> np.ndarray:
    """Eigenvectors of real eigenvalues, turned in the complex plane until they are real."""
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return (vectors * np.abs(largest) / largest).real
