"""Warps of the cube that turn a chart with varying density into one that preserves measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from geometry._arrays import namespace
from geometry.chart import Chart

_CELLS = {1: 4096, 2: 256}


def curved_chart(
    map: Callable[[Any], tuple[Any, Any, Any]],
    element: Callable[[Any], Any],
    dimension: int,
    periodic: tuple[bool, ...] = (),
) -> Chart:
    """Returns the chart of a map with area element `element(u)`, for curves and surfaces.

    The warp inverts the cumulative density, tabulated on 4096 cells of a curve or 256 x 256 cells
    of a surface; points are then uniform up to the square of the cell.
    """
    measure, rough = (_integral(element, dimension, periodic, panels) for panels in (32, 16))
    cells = _CELLS[dimension]
    nodes = (np.arange(cells) + 0.5) / cells
    grid = np.stack(np.meshgrid(*[nodes] * dimension, indexing="ij"), axis=-1)
    masses = element(grid)
    warp = _curve_warp(masses) if dimension == 1 else _surface_warp(masses)
    return Chart(
        map,
        dimension,
        measure,
        periodic,
        density=lambda u: element(u) / measure,
        warp=warp,
        error=abs(measure - rough) if abs(measure - rough) > 1e-13 * measure else 0.0,
    )


def _integral(
    element: Callable[[Any], Any], dimension: int, periodic: tuple[bool, ...], panels: int
) -> float:
    """Gauss panels, or equal steps along periodic coordinates: spectrally accurate where smooth."""
    x, w = scipy.special.roots_legendre(16)
    gauss = ((np.arange(panels)[:, None] + (x + 1) / 2) / panels).ravel(), np.tile(w / 2, panels)
    count = 16 * panels
    steps = (np.arange(count) + 0.5) / count, np.ones(count)
    closed = periodic or (False,) * dimension
    rules = [steps if c else gauss for c in closed]
    grid = np.stack(np.meshgrid(*(r[0] for r in rules), indexing="ij"), axis=-1)
    values = element(grid)
    for _, weights in reversed(rules):
        values = values @ (weights / weights.sum())
    return float(values)


def _quantiles(masses: np.ndarray) -> np.ndarray:
    """Returns the inverse of the cumulative sum along the last axis, at equal levels."""
    cells = masses.shape[-1]
    edges = np.linspace(0, 1, cells + 1)
    rows = masses.reshape(-1, cells)
    cumulative = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(rows, axis=-1)], axis=-1)
    cumulative /= cumulative[:, -1:]
    table = [np.interp(edges, row, edges) for row in cumulative]
    return np.stack(table).reshape(*masses.shape[:-1], cells + 1)


def _curve_warp(masses: np.ndarray) -> Callable[[Any], Any]:
    table = _quantiles(masses)
    return lambda u: _interpolated(table, u)


def _surface_warp(masses: np.ndarray) -> Callable[[Any], Any]:
    """The quantiles of the first coordinate, then those of the second given the first."""
    first = _quantiles(masses.sum(axis=1))
    second = _quantiles(masses)  # (cells, cells + 1), rows at the middles of cells
    cells = len(second)

    def warp(u: Any) -> Any:
        xp = namespace(u)
        a = _interpolated(first, u[..., 0])
        rows = xp.asarray(second, u.dtype)
        place = xp.clip(a * cells - 0.5, 0, cells - 1)
        row = xp.clip(xp.floor(place), 0, cells - 2).astype(int)
        column = xp.clip(xp.floor(u[..., 1] * cells), 0, cells - 1).astype(int)
        s, t = place - row, u[..., 1] * cells - column
        b = (1 - s) * ((1 - t) * rows[row, column] + t * rows[row, column + 1])
        b = b + s * ((1 - t) * rows[row + 1, column] + t * rows[row + 1, column + 1])
        return xp.stack([a, b], axis=-1)

    return warp


def _interpolated(table: np.ndarray, u: Any) -> Any:
    xp = namespace(u)
    levels = np.linspace(0, 1, len(table))
    return xp.interp(u, xp.asarray(levels, u.dtype), xp.asarray(table, u.dtype)).astype(u.dtype)
