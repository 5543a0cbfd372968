"""Cuts through a domain: points and triangles on a plane, points along a line, true to its shape.

A regular grid is laid over the cut. Where a grid line leaves the domain, the crossing is found by
bisection with `contains`, so that holes and curved boundaries are sharp for any shape in any
dimension, without a mesh.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Plane:
    """Points (n, d) of the domain on a plane of two coordinates, `triangles` (m, 3) between them,
    and `outline` (k, 2), the edges of only one triangle."""

    points: np.ndarray
    triangles: np.ndarray
    outline: np.ndarray


def plane(domain: Any, axes: tuple[int, ...], fixed: Mapping[int, float], n: int) -> Plane:
    """The cut along two columns of the points, the other columns `fixed`.

    Arguments:
        n: grid lines along the longer side; along both, if one column is time.

    Raises:
        ValueError where the plane misses the domain.
    """
    ticks = _ticks(domain, axes, n)
    points = np.stack(np.meshgrid(*ticks, indexing="ij"), axis=-1)
    inside = _contains(domain, axes, fixed, points)
    if not inside.any():
        raise ValueError(f"`at`: the cut misses the domain {domain}.")
    crossings = [
        _crossings(domain, axes, fixed, start[here & ~there], end[here & ~there])
        for i in (0, 1)
        for start, end, here, there in _neighbors(points, inside, i)
    ]
    flat = np.concatenate([points[inside], *crossings])
    triangles = _triangles(domain, axes, fixed, ticks, inside, flat)
    return Plane(_embedded(domain, axes, fixed, flat), triangles, _outline(triangles))


def line(domain: Any, axis: int, fixed: Mapping[int, float], n: int) -> np.ndarray:
    """Points (k, d) along one column, the others `fixed`; a row of NaN separates pieces.

    Raises:
        ValueError where the line misses the domain.
    """
    lower, upper = (bound[axis] for bound in domain.bounds)
    grid = np.linspace(lower, upper, n)[:, None]
    inside = _contains(domain, (axis,), fixed, grid)
    if not inside.any():
        raise ValueError(f"`at`: the cut misses the domain {domain}.")
    leaves = _crossings(domain, (axis,), fixed, grid[:-1], grid[1:])  # used where inside turns off
    enters = _crossings(domain, (axis,), fixed, grid[1:], grid[:-1])
    rows = []
    for i in range(n):
        if inside[i]:
            if i and not inside[i - 1]:
                rows += [[np.nan], enters[i - 1]]
            rows.append(grid[i])
            if i < n - 1 and not inside[i + 1]:
                rows.append(leaves[i])
    return _embedded(domain, (axis,), fixed, np.array(rows, dtype=float))


def grid(domain: Any, axes: tuple[int, ...], fixed: Mapping[int, float], n: int) -> Any:
    """Ticks of both axes, points (a, b, d) of the full grid, and whether each is inside."""
    ticks = _ticks(domain, axes, n)
    flat = np.stack(np.meshgrid(*ticks, indexing="ij"), axis=-1)
    inside = _contains(domain, axes, fixed, flat)
    return ticks, _embedded(domain, axes, fixed, flat), inside


def _ticks(domain: Any, axes: tuple[int, ...], n: int) -> list[np.ndarray]:
    lower, upper = (bound[list(axes)] for bound in domain.bounds)
    lengths = upper - lower
    if domain.time is not None and domain.axes.index(domain.time[0]) in axes:
        lengths = np.ones(2)
    counts = [max(2, round(n * length / lengths.max())) for length in lengths]
    return [np.linspace(*ends) for ends in zip(lower, upper, counts, strict=True)]


def _neighbors(points: np.ndarray, inside: np.ndarray, axis: int) -> Iterator[tuple]:
    """Pairs of neighbors along an axis of the grid, in both orders, with who is inside."""
    p, m = np.moveaxis(points, axis, 0), np.moveaxis(inside, axis, 0)
    yield p[:-1], p[1:], m[:-1], m[1:]
    yield p[1:], p[:-1], m[1:], m[:-1]


def _embedded(domain: Any, axes: tuple, fixed: Mapping[int, float], flat: np.ndarray) -> np.ndarray:
    points = np.empty((*flat.shape[:-1], domain.dimension))
    for column, value in fixed.items():
        points[..., column] = value
    points[..., list(axes)] = flat
    return points


def _contains(domain, axes, fixed, flat) -> np.ndarray:
    return np.asarray(domain.contains(_embedded(domain, axes, fixed, flat)))


def _crossings(domain, axes, fixed, inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """The last points inside on the way from `inner` to `outer`, to rounding."""
    for _ in range(40):
        middle = (inner + outer) / 2
        inside = _contains(domain, axes, fixed, middle)[..., None]
        inner, outer = np.where(inside, middle, inner), np.where(inside, outer, middle)
    return inner


def _triangles(domain, axes, fixed, ticks, inside: np.ndarray, flat: np.ndarray) -> np.ndarray:
    """Halves of the cells that lie inside, and a Delaunay triangulation of the cut ones."""
    from matplotlib.tri import Triangulation

    number = np.full(inside.shape, -1)
    number[inside] = np.arange(inside.sum())
    a, b, c, d = (number[i, j] for i, j in itertools.product((_LOW, _HIGH), repeat=2))
    whole = (a >= 0) & (b >= 0) & (c >= 0) & (d >= 0)
    halves = [np.stack(t, axis=-1)[whole] for t in ((a, c, d), (a, d, b))]
    near = np.zeros_like(inside)  # corners of cells that are cut
    for i, j in itertools.product((_LOW, _HIGH), repeat=2):
        near[i, j] |= ~whole
    rim = np.concatenate([number[inside & near], np.arange(inside.sum(), len(flat))])
    if len(rim) < 3:
        return np.concatenate(halves)
    spacing = np.array([t[1] - t[0] for t in ticks])
    band = rim[Triangulation(*(flat[rim] / spacing).T).triangles]
    centers = flat[band].mean(axis=1)
    cell = np.floor((centers - [t[0] for t in ticks]) / spacing).astype(int)
    outside_whole = ~whole[tuple(np.minimum(cell, np.array(whole.shape) - 1).T)]
    kept = outside_whole & _contains(domain, axes, fixed, centers)
    return np.concatenate([*halves, band[kept]])


_LOW, _HIGH = slice(None, -1), slice(1, None)  # the two ends of each cell along an axis


def _outline(triangles: np.ndarray) -> np.ndarray:
    edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    unique, count = np.unique(edges, axis=0, return_counts=True)
    return unique[count == 1]
