"""Meshing of shapes: structured on intervals and boxes, by Delaunay in the plane."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from geometry._arrays import number
from geometry.box import Orthotope
from geometry.mesh import SimplexMesh
from geometry.planar_mesher import mesh_plane
from geometry.shape import Shape


@functools.singledispatch
def mesh_shape(shape: Shape, size: float | Callable[[np.ndarray], np.ndarray]) -> SimplexMesh:
    """Returns a mesh of any shape in one and two dimensions; see `Shape.mesh`."""
    if shape.dimension == 1:
        return _mesh_line(shape, _length(size))
    if shape.dimension == 2:
        return mesh_plane(shape, size if callable(size) else _length(size))
    raise NotImplementedError(
        f"`mesh(size)` covers lines, plane regions and boxes; `{shape!r}` has {shape.dimension} "
        "dimensions and is no box. Mesh it with another program and read the file."
    )


@mesh_shape.register
def _(shape: Orthotope, size: Any) -> SimplexMesh:
    """Cuts a box into equal cells, and each cell into d! simplices along its diagonal (Kuhn)."""
    if shape.dimension <= 2 and callable(size):
        return mesh_plane(shape, size)
    size = _length(size)
    lower, upper = shape.bounds
    counts = [max(1, math.ceil(length / size - 1e-9)) for length in upper - lower]
    ticks = [np.linspace(a, b, n + 1) for a, b, n in zip(lower, upper, counts, strict=True)]
    points = np.stack(np.meshgrid(*ticks, indexing="ij"), axis=-1).reshape(-1, shape.dimension)
    index = np.arange(len(points)).reshape([n + 1 for n in counts])
    cells = _kuhn_cells(index)
    facets: dict[str, list[np.ndarray]] = {}
    for axis, names in enumerate(shape._side_names):
        for name, end in zip(names, (0, counts[axis]), strict=True):
            facets.setdefault(name, []).append(_kuhn_cells(np.take(index, end, axis=axis)))
    tagged = {name: np.concatenate(rows) for name, rows in facets.items()}
    return SimplexMesh(points, oriented(points, cells), tagged)


def _kuhn_cells(index: np.ndarray) -> np.ndarray:
    """Simplices of a grid of vertex numbers: for each order of the axes, a path along the cell."""
    d = index.ndim
    if d == 0:
        return index.reshape(1, 1)
    cells = []
    for order in itertools.permutations(range(d)):
        corner = np.zeros(d, int)
        path = []
        for axis in (None, *order):
            if axis is not None:
                corner[axis] = 1
            path.append(
                index[tuple(slice(c, n - 1 + c) for c, n in zip(corner, index.shape, strict=True))]
            )
        cells.append(np.stack(path, axis=-1).reshape(-1, d + 1))
    return np.concatenate(cells)


def oriented(points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Returns the cells with two vertices swapped in those of negative volume."""
    edges = points[cells[:, 1:]] - points[cells[:, :1]]
    negative = np.linalg.det(edges) < 0
    cells = cells.copy()
    cells[negative, -2:] = cells[negative, -2:][:, ::-1]
    return cells


def _mesh_line(shape: Shape, size: float) -> SimplexMesh:
    """Meshes the intervals between the ends, in order."""
    ends = [(float(f.chart.map(np.zeros(0))[0][0]), f.name) for f in shape._boundary_faces]
    ends.sort(key=lambda end: end[0])
    points: list[np.ndarray] = []
    facets: dict[str, list[list[int]]] = {}
    cells, start = [], 0
    for (a, first), (b, last) in zip(ends[::2], ends[1::2], strict=True):
        count = max(1, math.ceil((b - a) / size - 1e-9))
        points.append(np.linspace(a, b, count + 1))
        cells.append(start + np.stack([np.arange(count), np.arange(count) + 1], axis=-1))
        facets.setdefault(first, []).append([start])
        facets.setdefault(last, []).append([start + count])
        start += count + 1
    tagged = {name: np.array(vertices) for name, vertices in facets.items()}
    return SimplexMesh(np.concatenate(points)[:, None], np.concatenate(cells), tagged)


def _length(size: Any) -> float:
    if callable(size):
        raise ValueError("`mesh(size)` takes a function only for plane regions; pass a number.")
    length = number(size, "`mesh(size)`")
    if length <= 0:
        raise ValueError(f"`mesh(size)` needs a length above zero; got {size!r}.")
    return float(length)
