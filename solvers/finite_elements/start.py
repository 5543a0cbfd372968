"""The state at the first time: values, rates and accelerations that fit the equations.

Initial data are projected in L2 onto the functions that take the boundary values and meet the
equations of multipliers (a velocity becomes free of divergence); unknowns without a time derivative
follow from their own equations, and the highest time derivatives, together with the multipliers,
from all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from .newton import MAX_STEPS, factorize
from .system import Motion

ROUNDING = 1e-10  # of a correction, at which Newton's method ends


def initial_motion(system: Any, start: float) -> Motion:
    """The motion at the first time. Where data and boundary values disagree it keeps the moments
    of the data that count later."""
    motion = list(system.given(start))
    for n, data in enumerate(system.densities.initial):
        for boundary, evaluate in data:
            _project(system, motion[n], boundary, evaluate, start)
    free = system.free
    if system.multiplying.any():
        motion[0] = motion[0] + _onto_constraints(system, motion, start)
    settled = free[~system.moving[free] & ~system.multiplying[free]]
    if settled.size:
        motion[0] = _settled(system, motion, start, settled)
    return _with_highest(system, motion, start)


def _project(system: Any, values: np.ndarray, boundary: Any, evaluate: Any, start: float) -> None:
    """The L2 projection of initial data of one unknown, written into `values`."""
    row = system.weak.unknowns.index(boundary.unknown)
    space, own = system.space.spaces[row], system.space.slice(row)
    cells = space.interior
    data = evaluate(cells.points.reshape(-1, space.dimension), start)[0]
    density = np.zeros((*cells.weights.shape, 1 + space.dimension))
    density[..., 0] = data.reshape(cells.weights.shape)
    free = system.free_of(row)
    misfit = cells.load(density) - space.mass @ values[own]
    values[own.start + free] = factorize(space.mass, free)(misfit[free])


def _onto_constraints(system: Any, motion: Any, start: float) -> np.ndarray:
    """The least change of the values with which the equations of multipliers hold."""
    masses = scipy.sparse.block_diag([space.mass for space in system.space.spaces], format="csr")
    moving, multiplying = _numbers(system)
    slopes = system.tangent(tuple(motion), start, _first(system))
    constraint = slopes[multiplying][:, moving]
    matrix = scipy.sparse.bmat([[masses[moving][:, moving], constraint.T], [constraint, None]])
    residual = system.residual(tuple(motion), start)[multiplying]
    right = np.concatenate([np.zeros(moving.size), -residual])
    change = factorize(matrix.tocsr(), np.arange(len(right)))(right)
    result = np.zeros(system.space.size)
    result[moving] = change[: moving.size]
    return result


def _settled(system: Any, motion: Any, start: float, rows: np.ndarray) -> np.ndarray:
    """The values with those at `rows` such that their equations hold."""
    values = motion[0].copy()
    for _ in range(MAX_STEPS):
        state = (values, *motion[1:])
        residual = system.residual(state, start)[rows]
        change = factorize(system.tangent(state, start, _first(system)), rows)(residual)
        values = values.copy()
        values[rows] -= change
        small = np.linalg.norm(change) <= ROUNDING * np.linalg.norm(values[rows])
        if system.densities.is_linear or small or not np.isfinite(change).all():
            break
    return values


def _with_highest(system: Any, motion: Any, start: float) -> Motion:
    """The highest time derivatives, and the multipliers, with which all equations hold."""
    moving, multiplying = _numbers(system)
    orders = np.repeat(system.weak.time_orders, np.diff(system.space.offsets))
    storage = scipy.sparse.csr_matrix((system.space.size, moving.size))
    for n in range(1, system.order + 1):
        slopes = system.tangent(tuple(motion), start, np.eye(system.order + 1)[n])
        storage = storage + slopes[:, moving].multiply(orders[moving] == n).tocsr()
    slopes = system.tangent(tuple(motion), start, _first(system))
    residual = system.residual(tuple(motion), start)
    forces, constraint = slopes[moving][:, multiplying], slopes[multiplying]
    matrix = scipy.sparse.bmat(
        [[storage[moving], forces], [constraint[:, moving], None]] if multiplying.size else
        [[storage[moving]]]
    )  # fmt: skip
    rates = motion[1]
    right = np.concatenate([-residual[moving], -(constraint @ rates)])
    found = factorize(matrix.tocsr(), np.arange(len(right)))(right)
    for n in range(1, system.order + 1):
        own = orders[moving] == n
        motion[n][moving[own]] = found[: moving.size][own]
    motion[0] = motion[0].copy()
    motion[0][multiplying] = found[moving.size :]
    return tuple(motion)


def _numbers(system: Any) -> tuple[np.ndarray, np.ndarray]:
    """The free degrees of freedom that move, and those of multipliers."""
    free = system.free
    return free[system.moving[free]], free[system.multiplying[free]]


def _first(system: Any) -> np.ndarray:
    return np.eye(system.order + 1)[0]
