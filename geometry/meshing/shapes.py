"""Meshing of shapes: structured on intervals and boxes, by Delaunay in the plane, in layers on what
is drawn out from it, fitted to the boundary in space."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from geometry.box import Orthotope
from geometry.mesh import SimplexMesh
from geometry.meshing.lattice import kuhn_cells, oriented
from geometry.meshing.planar import mesh_plane
from geometry.meshing.sizes import cells_along, length, refuse_many, size_field
from geometry.meshing.spatial import mesh_solid
from geometry.modeled import Modeled
from geometry.product import Product
from geometry.shape import Shape


@functools.singledispatch
def mesh_shape(
    shape: Shape, size: float | Callable[[np.ndarray], np.ndarray] | None
) -> SimplexMesh:
    """Returns a mesh of any shape in one, two and three dimensions; see `Shape.mesh`."""
    if shape.dimension == 1:
        return _mesh_line(shape, length(size))
    if shape.dimension <= 3:
        if not callable(size):
            edge = length(size)
            refuse_many(2 * shape.measure / edge**shape.dimension, edge)
        mesher = mesh_plane if shape.dimension == 2 else mesh_solid
        return mesher(shape, size_field(size))
    raise NotImplementedError(
        f"`mesh(size)` covers up to three dimensions, and boxes; `{shape!r}` has "
        f"{shape.dimension}. Use a method that needs no mesh."
    )


@mesh_shape.register
def _(shape: Orthotope, size: Any) -> SimplexMesh:
    """Cuts a box into equal cells, and each cell into d! simplices along its diagonal (Kuhn)."""
    if callable(size) and shape.dimension in (2, 3):
        return mesh_shape.dispatch(Shape)(shape, size)
    size = length(size)
    lower, upper = shape.bounds
    along = cells_along(upper - lower, size)
    refuse_many(math.factorial(shape.dimension) * float(np.prod(along)), size)
    counts = along.astype(int).tolist()
    ticks = [np.linspace(a, b, n + 1) for a, b, n in zip(lower, upper, counts, strict=True)]
    points = np.stack(np.meshgrid(*ticks, indexing="ij"), axis=-1).reshape(-1, shape.dimension)
    index = np.arange(len(points)).reshape([n + 1 for n in counts])
    cells = kuhn_cells(index)
    facets: dict[str, list[np.ndarray]] = {}
    for axis, names in enumerate(shape._side_names):
        for name, end in zip(names, (0, counts[axis]), strict=True):
            facets.setdefault(name, []).append(kuhn_cells(np.take(index, end, axis=axis)))
    tagged = {name: np.concatenate(rows) for name, rows in facets.items()}
    return SimplexMesh(points, oriented(points, cells), tagged)


@mesh_shape.register
def _(shape: Modeled, size: Any) -> SimplexMesh:
    return mesh_shape(shape._model, size)


@mesh_shape.register
def _(shape: Product, size: Any) -> SimplexMesh:
    """Draws a plane mesh out into layers of prisms, each cut into three tetrahedra."""
    if shape.dimension != 3:
        return mesh_shape.dispatch(Shape)(shape, size)
    if callable(size):
        return mesh_shape.dispatch(Shape)(shape, size)
    size = length(size)
    flat = mesh_shape(shape.base, size)
    along = float(cells_along(shape.end - shape.start, size))
    refuse_many(3 * len(flat.cells) * along, size)
    layers = int(along)
    n = len(flat.points)
    heights = np.repeat(np.linspace(shape.start, shape.end, layers + 1), n)
    points = np.concatenate([np.tile(flat.points, (layers + 1, 1)), heights[:, None]], axis=-1)
    facets = {name: [_drawn_out(rows, layers, n)] for name, rows in flat.facets.items()}
    for name, level in zip(shape.cap_names, (0, layers), strict=True):
        facets.setdefault(name, []).append(flat.cells + level * n)
    tagged = {name: np.concatenate(rows) for name, rows in facets.items()}
    return SimplexMesh(points, oriented(points, _drawn_out(flat.cells, layers, n)), tagged)


def _drawn_out(simplices: np.ndarray, layers: int, count: int) -> np.ndarray:
    """The simplices of the prisms over simplices: paths that go up at one of the vertices.

    The vertices are taken in the order of their numbers, so that neighbors agree.
    """
    low = np.sort(simplices, axis=1)
    k = low.shape[1]
    paths = [np.concatenate([low[:, : i + 1], low[:, i:] + count], axis=1) for i in range(k)]
    column = np.concatenate(paths)
    return np.concatenate([column + layer * count for layer in range(layers)])


def _mesh_line(shape: Shape, size: float) -> SimplexMesh:
    """Meshes the intervals between the ends, in order, with vertices at interfaces."""
    ends, inner = (
        sorted((float(f.chart.map(np.zeros(0))[0][0]), f.name) for f in faces)
        for faces in (shape._boundary_faces, shape._interface_faces)
    )
    points: list[np.ndarray] = []
    facets: dict[str, list[list[int]]] = {}
    cells, start = [], 0
    for (a, first), (b, last) in zip(ends[::2], ends[1::2], strict=True):
        stops = [(a, first), *(stop for stop in inner if a < stop[0] < b), (b, last)]
        at = start
        facets.setdefault(first, []).append([at])
        for (low, _), (high, name) in itertools.pairwise(stops):
            along = float(cells_along(high - low, size))
            refuse_many(along, size)
            count = int(along)
            points.append(np.linspace(low, high, count + 1)[:-1])
            at += count
            facets.setdefault(name, []).append([at])
        points.append(np.array([b]))
        cells.append(np.stack([np.arange(start, at), np.arange(start, at) + 1], axis=-1))
        start = at + 1
    tagged = {name: np.array(vertices) for name, vertices in facets.items()}
    return SimplexMesh(np.concatenate(points)[:, None], np.concatenate(cells), tagged)
