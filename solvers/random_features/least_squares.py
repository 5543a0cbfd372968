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
    """The result: the expansion, the weighted norm of the residuals after each step, and whether
    more steps would not lower it."""

    expansion: Expansion
    losses: tuple[float, ...]
    converged: bool

    @property
    def loss(self) -> float:
        """The weighted norm of the residuals; infinite where no step was possible."""
        return self.losses[-1] if self.losses else math.inf


def fit(
    rows: Sequence[Rows],
    expansion: Expansion,
    *,
    is_linear: bool,
    is_late: Callable[[], bool] = lambda: False,
) -> Fit:
    """The expansion that satisfies the rows best, from a first one."""
    losses: list[float] = []
    for _ in range(1 if is_linear else STEPS):
        system, scales = _system(rows, expansion)
        size = float(np.linalg.norm(system[:, :-1] @ np.asarray(expansion.vector)))
        before = float(np.linalg.norm(system[:, -1]))
        step, left = least_squares(system)
        if not np.isfinite(step).all():
            return Fit(expansion, tuple(losses), False)
        expansion, loss = _descend(rows, scales, expansion, step[:, 0], before)
        losses.append(loss)
        at_rounding = loss > STALLED * before or loss < ROUNDING * size
        if not is_linear and (at_rounding or loss < AS_PREDICTED * left):
            return Fit(expansion, tuple(losses), loss <= before)
        if is_late():
            break
    return Fit(expansion, tuple(losses), is_linear)


def _system(rows: Sequence[Rows], expansion: Expansion) -> tuple[np.ndarray, list[np.ndarray]]:
    """The weighted derivatives with minus the residuals as last column, and the weights."""
    pieces, scales = [], []
    for own in rows:
        slopes, residuals = own.slopes(expansion), own.residuals(expansion)
        norms = np.sqrt(np.einsum("rnp,rnp->r", slopes, slopes))
        scales.append(1 / np.where(norms > 0, norms, 1.0))  # a row that nothing can change
        for r, scale in enumerate(scales[-1]):
            pieces.append(np.column_stack([scale * slopes[r], -scale * residuals[r]]))
    return np.concatenate(pieces), scales


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


def _descend(rows, scales, expansion, step, before) -> tuple[Expansion, float]:
    """The step, halved until it lowers the weighted residuals."""
    start, best = expansion.vector, (expansion, math.inf)
    for i in range(HALVINGS):
        moved = expansion.with_vector(start + 0.5**i * jnp.asarray(step))
        loss = _loss(rows, scales, moved)
        if loss < best[1]:
            best = moved, loss
        if loss < before:
            break
    return best


def _loss(rows: Sequence[Rows], scales: Sequence[np.ndarray], expansion: Expansion) -> float:
    found = (s[:, None] * r.residuals(expansion) for r, s in zip(rows, scales, strict=True))
    return float(np.sqrt(sum(float(np.sum(f**2)) for f in found)))


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
