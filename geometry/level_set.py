"""Level sets as point sets: where a function is zero on a grid, and the nearest zero to a point."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from diffcore.precision import precision
from geometry._arrays import namespace, norm

_SMALL, _LARGE, _MOST_SMALL = 512, 16384, 4096  # few distinct shapes, so few compilations
_BISECTIONS = 52
_LEAST = 0.01  # curvature of the squared distance along the surface, zero at centers of curvature
_STEPS, _CARRIED = 8, 2  # Newton steps to the nearest point; those that carry derivatives


Level = Callable[[Any], Any]  # of a point (d,), in JAX


def mapped(function: Callable[..., Any], level: Level, *columns: Any) -> Any:
    """Returns `function(level, *columns)`, a JAX function of arrays `(n, k)`, for `(..., k)`.

    NumPy columns are padded to one of two lengths and give NumPy arrays. Compilations are kept by
    function and level, so pass functions of modules.
    """
    leading = columns[0].shape[:-1]
    flat = [column.reshape(-1, column.shape[-1]) for column in columns]
    if namespace(*columns) is np:
        result = _eagerly(function, level, flat)
    else:
        result = _compiled(function, level, *flat)
    return jax.tree.map(lambda leaf: leaf.reshape((*leading, *leaf.shape[1:])), result)


def _eagerly(function: Callable[..., Any], level: Level, columns: list[np.ndarray]) -> Any:
    n = len(columns[0])
    batch = _SMALL if n <= _MOST_SMALL else _LARGE
    padded = max(1, -(-n // batch)) * batch
    rows = [np.resize(c, (padded, c.shape[1])).reshape(-1, batch, c.shape[1]) for c in columns]
    with precision(columns[0].dtype.name), jax.ensure_compile_time_eval():
        parts = [_compiled(function, level, *chunk) for chunk in zip(*rows, strict=True)]
    return jax.tree.map(lambda *leaves: np.concatenate([np.asarray(v) for v in leaves])[:n], *parts)


@functools.partial(jax.jit, static_argnums=(0, 1))
def _compiled(function: Callable[..., Any], level: Level, *columns: Any) -> Any:
    return function(level, *columns)


def values(level: Level, points: Any) -> Any:
    """Returns the values `(n,)` of a function of a point at points."""
    return jax.vmap(level)(points)


def slopes(level: Level, points: Any) -> tuple[Any, Any]:
    """Returns the values `(n,)` and gradients `(n, d)` of a function of a point at points."""
    return jax.vmap(jax.value_and_grad(level))(points)


def normals(level: Level, points: Any) -> Any:
    """Returns the unit normals `(n, d)` that point to where the function grows, or zeros."""
    slope = slopes(level, points)[1]
    steep = norm(slope)[..., None]
    return slope / jnp.where(steep > 0, steep, 1)


@dataclass(frozen=True, eq=False)
class Contour:
    """Zeros of a function on the edges of a grid, `vertices` `(k, d)`, and the simplices between
    them, `cells` `(m, d)`: segments in the plane, triangles in space. `spacing` is the grid's."""

    vertices: np.ndarray
    cells: np.ndarray
    spacing: float


def grid_nodes(lower: np.ndarray, upper: np.ndarray, cells: int) -> np.ndarray:
    """Returns the nodes `(n1, ..., nd, d)` of a grid with `cells` on the longest side."""
    lengths = upper - lower
    counts = np.maximum(np.ceil(cells * lengths / lengths.max() - 1e-9).astype(int), 8)
    ticks = [np.linspace(a, b, n + 1) for a, b, n in zip(lower, upper, counts, strict=True)]
    return np.stack(np.meshgrid(*ticks, indexing="ij"), axis=-1)


def contour(evaluate: Callable[[np.ndarray], np.ndarray], nodes: np.ndarray) -> Contour:
    """Returns the zeros of a function between nodes of a grid, by marching simplices.

    Each cube is cut into d! simplices along its diagonal, in each of which the function is taken to
    vanish on one flat piece; so the pieces always close.

    Source: A. Doi, A. Koide, An efficient method of triangulating equi-valued surfaces by using
    tetrahedral cells, IEICE Transactions E74 (1991).
    """
    d = nodes.shape[-1]
    points = nodes.reshape(-1, d)
    inside = evaluate(points) < 0
    simplices = _mixed_simplices(nodes.shape[:-1], inside)
    order = np.argsort(~inside[simplices], axis=1, kind="stable")
    simplices = np.take_along_axis(simplices, order, axis=1)  # those inside come first
    counts = inside[simplices].sum(axis=1)
    pieces = [_crossed(simplices[counts == n], n, d) for n in range(1, d + 1)]
    edges = np.concatenate(pieces)  # (cells, d, 2): each corner lies on an edge, inside to outside
    unique, index = np.unique(edges.reshape(-1, 2), axis=0, return_inverse=True)
    low, high = points[unique[:, 0]], points[unique[:, 1]]
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        within = (evaluate(middle) < 0)[:, None]
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    cells = index.reshape(-1, d)
    spacing = float(np.max(np.ptp(points, axis=0) / (np.array(nodes.shape[:-1]) - 1)))
    vertices = (low + high) / 2
    return Contour(vertices, cells[_along_a_curve(vertices[cells].mean(axis=1))], spacing)


def _along_a_curve(points: np.ndarray) -> np.ndarray:
    """The order of points along Morton's curve, in which neighbors are near one another."""
    d, bits = points.shape[1], 10
    low, side = points.min(axis=0), np.ptp(points, axis=0).max()
    steps = np.minimum((points - low) / side * 2**bits, 2**bits - 1).astype(np.int64)
    code = np.zeros(len(points), np.int64)
    for bit in range(bits):
        for axis in range(d):
            code |= ((steps[:, axis] >> bit) & 1) << (bit * d + axis)
    return np.argsort(code, kind="stable")


def _mixed_simplices(shape: tuple[int, ...], inside: np.ndarray) -> np.ndarray:
    """Node numbers `(m, d + 1)` of the simplices with nodes both inside and outside."""
    d = len(shape)
    index = np.arange(len(inside)).reshape(shape)
    corners = np.stack(
        [
            index[tuple(slice(c, n - 1 + c) for c, n in zip(corner, shape, strict=True))].ravel()
            for corner in itertools.product((0, 1), repeat=d)
        ],
        axis=-1,
    )
    signs = inside[corners]
    corners = corners[signs.any(axis=1) & ~signs.all(axis=1)]
    found = []
    for axes in itertools.permutations(range(d)):
        path = np.cumsum([0, *(1 << (d - 1 - axis) for axis in axes)])
        found.append(corners[:, path])
    simplices = np.concatenate(found)
    signs = inside[simplices]
    return simplices[signs.any(axis=1) & ~signs.all(axis=1)]


def _crossed(simplices: np.ndarray, inner: int, d: int) -> np.ndarray:
    """The edges that carry the corners of the pieces in simplices whose first nodes are inside."""
    pairs = [(i, j) for i in range(inner) for j in range(inner, d + 1)]
    if len(pairs) == d:
        cells = [pairs]
    else:  # two inside, two outside: a quadrilateral
        ac, ad, bc, bd = pairs
        cells = [[ac, ad, bd], [ac, bd, bc]]
    return np.concatenate([simplices[:, cell] for cell in np.array(cells)])


def loops(found: Contour) -> list[np.ndarray]:
    """Returns the vertices `(k, 2)` of each closed polygon of a plane contour, in order.

    Vertices much closer than the grid, or than a loop is wide, are dropped: the others lie on the
    curve as well.
    """
    ends = np.argsort(found.cells.ravel(), kind="stable").reshape(-1, 2) // 2  # cells at vertices
    polygons, used = [], np.zeros(len(found.cells), bool)
    for start in range(len(found.cells)):
        cell, order = start, []
        vertex = found.cells[start, 0]
        while not used[cell]:
            used[cell] = True
            order.append(vertex)
            a, b = found.cells[cell]
            vertex = b if vertex == a else a
            first, second = ends[vertex]
            cell = second if first == cell else first
        if order:
            polygon = found.vertices[order]
            extent = float(np.ptp(polygon, axis=0).max())
            polygon = _thinned(polygon, 0.2 * min(found.spacing, extent / 2))
            if len(polygon) >= 4:
                polygons.append(polygon)
    return polygons


def _thinned(polygon: np.ndarray, gap: float) -> np.ndarray:
    kept = [0]
    for i in range(1, len(polygon)):
        if np.linalg.norm(polygon[i] - polygon[kept[-1]]) > gap:
            kept.append(i)
    while len(kept) > 1 and np.linalg.norm(polygon[kept[-1]] - polygon[kept[0]]) <= gap:
        kept.pop()
    return polygon[kept]


def onto(level: Level, points: Any, directions: Any, reach: Any) -> Any:
    """Returns the r `(n,)` near zero for which the function vanishes at points + r directions.

    Newton's method; r stays within `reach`.
    """

    def step(_: int, r: Any) -> Any:
        value, slope = slopes(level, points + r[..., None] * directions)
        rate = jnp.sum(slope * directions, axis=-1)
        return jnp.clip(r - value / jnp.where(rate == 0, jnp.inf, rate), -reach, reach)

    return jax.lax.fori_loop(0, _STEPS, step, jnp.zeros(points.shape[:-1], points.dtype))


def nearest(level: Level, points: Any, start: Any, reach: Any) -> Any:
    """Returns the zeros nearest to points `(n, d)`, from zeros near to those.

    Newton's method for the stationary points of |x - p|^2 / 2 + l f(p): a step along the normal
    onto f = 0, and one along the tangents with the curvature that the Lagrangian has there, made
    positive where it is not. Two last steps carry derivatives up to the third.
    """
    still = jax.lax.stop_gradient(points)
    p = jax.lax.fori_loop(0, _STEPS, lambda _, p: _nearer(level, still, p, reach), start)
    for _ in range(_CARRIED):
        p = _nearer(level, points, p, reach)
    return p


def _nearer(level: Level, points: Any, p: Any, reach: Any) -> Any:
    value, slope = slopes(level, p)
    bend = jax.vmap(jax.hessian(level))(p)
    squared = jnp.sum(slope * slope, axis=-1)
    steep = jnp.sqrt(jnp.where(squared > 0, squared, 1))
    normal = slope / steep[..., None]
    offset = points - p
    multiplier = jnp.sum(offset * normal, axis=-1) / steep
    reach = jnp.broadcast_to(reach, (len(p), 1))
    down = jnp.clip(-value / steep, -reach[:, 0], reach[:, 0])
    tangents = _tangents(normal)  # (n, d, d - 1)
    curved = multiplier[..., None, None] * jnp.einsum("nij,njk->nik", bend, tangents)
    matrix = jnp.einsum("nij,nik->njk", tangents, curved) + jnp.eye(
        tangents.shape[-1], dtype=p.dtype
    )
    matrix = matrix + _lift(jax.lax.stop_gradient(matrix))
    pull = jnp.einsum("nij,ni->nj", tangents, offset)
    pull = pull - down[..., None] * jnp.einsum("nij,ni->nj", curved, normal)
    along = _solved(matrix, pull)
    size = jnp.sqrt(jnp.sum(jax.lax.stop_gradient(along) ** 2, axis=-1, keepdims=True))
    along = along * jnp.minimum(1, reach / jnp.maximum(size, reach))
    return p + down[..., None] * normal + jnp.einsum("nij,nj->ni", tangents, along)


def _lift(matrix: Any) -> Any:
    """What makes the eigenvalues of symmetric matrices `_LEAST` or more."""
    k = matrix.shape[-1]
    if k == 1:
        least = matrix[..., 0, 0]
    elif k == 2:
        half = (matrix[..., 0, 0] + matrix[..., 1, 1]) / 2
        gap = jnp.hypot((matrix[..., 0, 0] - matrix[..., 1, 1]) / 2, matrix[..., 0, 1])
        least = half - gap
    else:
        least = jnp.linalg.eigvalsh(matrix)[..., 0]
    return jnp.maximum(_LEAST - least, 0)[..., None, None] * jnp.eye(k, dtype=matrix.dtype)


def _solved(matrix: Any, right: Any) -> Any:
    """Solutions `(n, k)` of small systems, by formula where LAPACK calls would cost more."""
    k = matrix.shape[-1]
    if k == 1:
        return right / matrix[..., 0]
    if k > 2:
        return jnp.linalg.solve(matrix, right[..., None])[..., 0]
    a, b, c, d = (matrix[..., i, j] for i in (0, 1) for j in (0, 1))
    x, y = right[..., 0], right[..., 1]
    return jnp.stack([d * x - b * y, a * y - c * x], axis=-1) / (a * d - b * c)[..., None]


def _tangents(normal: Any) -> Any:
    """Orthonormal tangents `(n, d, d - 1)` to unit normals, by a Householder reflection."""
    d = normal.shape[-1]
    sign = jnp.where(normal[..., -1] < 0, -1, 1).astype(normal.dtype)
    v = normal.at[..., -1].add(sign)
    reflection = (
        jnp.eye(d)
        - 2 * v[..., :, None] * v[..., None, :] / jnp.sum(v * v, axis=-1)[..., None, None]
    )
    return reflection[..., :-1]
