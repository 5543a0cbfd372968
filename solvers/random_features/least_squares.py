"""Gauss-Newton on the weights of an expansion: one step where the statement is linear.

Each row of a statement counts relative to the size of its derivatives, so that equations and
conditions weigh alike whatever their units. A step is a least-squares solution of low rank:
directions of the weights that hardly change the residuals are left alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import scipy

from equations import Functional, Problem

from .expansion import Expansion
from .rows import Rows

RANK = 1e-14  # size of what counts as no change, relative to the largest
STEPS = 25
HALVINGS = 8  # of a step that does not bring the residuals down
ROUNDING = 1e-13  # of the residuals relative to the values that make them
AS_PREDICTED = 1.1  # times what the linear model predicts: the statement is linear enough there
STALLED = 0.7  # of the loss before: what a step at rounding leaves


@dataclass(frozen=True)
class Fit:
    """The result: the expansion, the weighted norm of the residuals after each step, whether more
    steps would not lower it, and of each row the weight and the root mean square of the residuals.
    """

    expansion: Expansion
    losses: tuple[float, ...]
    converged: bool
    weights: np.ndarray
    residuals: np.ndarray

    def loss(self, weights: np.ndarray) -> float:
        """The norm of the residuals in other weights; infinite where no step was possible."""
        return float(np.linalg.norm(weights * self.residuals)) if self.losses else math.inf

    def shrinking(self, before: Fit) -> float:
        """The loss relative to that of another fit, in the same weights; one if that has none."""
        other = before.loss(self.weights)
        return self.loss(self.weights) / other if 0 < other < math.inf else 1.0


def fit(
    rows: Sequence[Rows],
    expansion: Expansion,
    *,
    is_linear: bool,
    is_late: Callable[[], bool] = lambda: False,
) -> Fit:
    """The expansion that satisfies the rows best, from a first one."""
    losses: list[float] = []
    converged, residuals = False, np.array(np.nan)
    for _ in range(1 if is_linear else STEPS):
        system, weights = _system(rows, expansion)
        size = float(np.linalg.norm(system[:, :-1] @ np.asarray(expansion.vector)))
        before = float(np.linalg.norm(system[:, -1]))
        step, left = least_squares(system)
        if not np.isfinite(step).all():
            break
        expansion, residuals = _descend(rows, weights, expansion, step[:, 0], before)
        losses.append(float(np.linalg.norm(weights * residuals)))
        at_rounding = losses[-1] > STALLED * before or losses[-1] < ROUNDING * size
        if is_linear or at_rounding or losses[-1] < AS_PREDICTED * left:
            converged = is_linear or losses[-1] <= before
            break
        if is_late():
            break
    return Fit(expansion, tuple(losses), converged, weights, residuals)


def _system(rows: Sequence[Rows], expansion: Expansion) -> tuple[np.ndarray, np.ndarray]:
    """The weighted derivatives with minus the residuals as last column, and the weights."""
    pieces, weights = [], []
    for own in rows:
        for slopes, residuals in zip(own.slopes(expansion), own.residuals(expansion), strict=True):
            share = 1 / math.sqrt(len(residuals))
            size = share * np.linalg.norm(slopes)
            weights.append(1 / size if size > 0 else 1.0)  # of a row that nothing can change
            pieces.append(weights[-1] * share * np.column_stack([slopes, -residuals]))
    return np.concatenate(pieces), np.array(weights)


def least_squares(system: np.ndarray, right: int = 1) -> tuple[np.ndarray, float]:
    """The least-squares solutions (unknowns, right) and the norm of what is left; `system`, which
    is overwritten, has the right-hand sides as its last columns.

    By a triangular factor, of which a pivoted factorization finds the rank."""
    n = system.shape[1] - right
    units = np.linalg.norm(system[:, :n], axis=0)
    units = np.where(units > 0, units, 1.0)
    system[:, :n] /= units
    factor = scipy.linalg.qr(system, mode="r", overwrite_a=True, check_finite=False)[0]
    found = scipy.linalg.lstsq(
        factor[:n, :n], factor[:n, n:], cond=RANK, lapack_driver="gelsy", check_finite=False
    )
    return found[0] / units[:, None], float(np.linalg.norm(factor[n : n + right, n:]))


def _descend(rows, weights, expansion, step, before) -> tuple[Expansion, np.ndarray]:
    """The step, halved until it lowers the weighted residuals, and their sizes by row."""
    start, best, lowest = expansion.vector, (expansion, _sizes(rows, expansion)), math.inf
    for i in range(HALVINGS):
        moved = expansion.with_vector(start + 0.5**i * jnp.asarray(step))
        sizes = _sizes(rows, moved)
        loss = float(np.linalg.norm(weights * sizes))
        if loss < lowest:
            best, lowest = (moved, sizes), loss
        if loss < before:
            break
    return best


def _sizes(rows: Sequence[Rows], expansion: Expansion) -> np.ndarray:
    """The root mean square of the residuals of each row."""
    squares = [np.mean(r.residuals(expansion) ** 2, axis=1) for r in rows]
    return np.sqrt(np.concatenate(squares))


def project(given: Expansion, onto: Expansion, problem: Problem, key: jax.Array) -> Expansion:
    """The expansion with the features of `onto` that is closest to `given` at interior points."""
    most = max(b.features.size for b in onto.branches)
    points = jnp.asarray(problem.domain.sample_interior(2 * most, key=key).points)
    pieces = []
    for branch in onto.branches:
        plain = [Functional(f, (((0,) * len(f.args), 1),)) for f in branch.fields]
        values = given.jets(plain, points)
        columns = [p for v in values for p in ((v.real, v.imag) if jnp.iscomplexobj(v) else (v,))]
        system = np.column_stack([branch.basis(plain[0], points), *columns])
        pieces.append(least_squares(system, len(columns))[0].T.reshape(-1))
    return onto.with_vector(jnp.concatenate([*map(jnp.asarray, pieces), given.raw]))
