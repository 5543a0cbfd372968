"""How often facets wind around a point: above one half is inside.

A line upwards from the point crosses a closed surface as often outwards as the surface winds around
the point. Ties are broken by moving the point by (ε, ε²) across the line, and all facets see the
same edge in the same sense, so that no crossing is lost or counted twice between neighbors.

A surface with holes is closed first by triangles from its open edges to one place, and what these
add is taken away again: their solid angle over 4π. That gives the generalized winding number.

Source: A. Jacobson, L. Kavan, O. Sorkine-Hornung, Robust inside-outside segmentation using
generalized winding numbers, ACM Trans. Graph. 32 (2013); A. van Oosterom, J. Strackee, The solid
angle of a plane triangle (1983), eq. 8. The closing by a cone is ours: it leaves as many solid
angles as there are open edges.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from geometry._arrays import namespace
from geometry.meshes.facets import in_chunks

_BLOCK = 128  # facets at a time inside a trace
_FULL = 24  # facets that a column of the grid may hold on average


@dataclass(frozen=True, eq=False)
class Winding:
    """The winding number of oriented facets: `vertices (n, d)`, `cells (m, d)`, d = 2 or 3."""

    vertices: np.ndarray
    cells: np.ndarray

    @functools.cached_property
    def open_edges(self) -> np.ndarray:
        """The ends `(k, d - 1)` of the oriented edges that have no partner, as often as they lack
        one."""
        return open_edges(self.cells)

    def __call__(self, points: Any) -> Any:
        """Returns the winding number `(...)` of points `(..., d)`: whole for closed facets."""
        xp = namespace(points)
        local = points - xp.asarray(self._center, points.dtype)
        flat = local.reshape(-1, local.shape[-1])
        if xp is np:
            count = in_chunks(self._crossings, np.asarray(flat, float))
        else:
            count = self._all_crossings(jax.lax.stop_gradient(flat))
        if len(self.open_edges):
            caps = self._places[self._caps]
            count = count - solid_angles(caps, jax.lax.stop_gradient(flat) if xp is jnp else flat)
        return count.reshape(points.shape[:-1])

    @functools.cached_property
    def _center(self) -> np.ndarray:
        used = self.vertices[np.unique(self.cells)]
        return (used.min(axis=0) + used.max(axis=0)) / 2

    @functools.cached_property
    def _places(self) -> np.ndarray:
        """The vertices from the center, and last the place that closes open edges."""
        local = self.vertices - self._center
        d = local.shape[1]
        ends = local[self.open_edges].reshape(-1, d)
        return np.concatenate([local, ends.mean(axis=0, keepdims=True) if len(ends) else ends])

    @functools.cached_property
    def _caps(self) -> np.ndarray:
        """The facets that close open edges."""
        ends = self.open_edges
        apex = np.full((len(ends), 1), len(self.vertices))
        return np.concatenate([ends[:, ::-1], apex], axis=1)

    @functools.cached_property
    def _closed(self) -> np.ndarray:
        return np.concatenate([self.cells, self._caps])

    @functools.cached_property
    def _columns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """A grid across the line: its corner and spacing, its counts, and the facets by column."""
        corners = self._places[self._closed][..., :-1]  # (m, d, d - 1)
        lower, upper = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        across = lower.size
        count = int(np.clip(len(corners) ** (1 / across), 1, 2048 if across == 1 else 512))
        while True:
            width = np.maximum(upper - lower, 1e-300) / count
            low = np.clip(((corners.min(axis=1) - lower) / width).astype(int), 0, count - 1)
            high = np.clip(((corners.max(axis=1) - lower) / width).astype(int), 0, count - 1)
            size = high - low + 1
            if count == 1 or size.prod(axis=1).sum() <= _FULL * max(len(corners), count**across):
                break
            count = max(1, count // 2)
        facet = np.repeat(np.arange(len(corners)), size.prod(axis=1))
        rank = np.arange(len(facet)) - np.repeat(
            np.cumsum(size.prod(axis=1)) - size.prod(axis=1), size.prod(axis=1)
        )
        column = np.zeros(len(facet), int)
        for axis in range(across):
            place = rank % size[facet, axis]
            rank = rank // size[facet, axis]
            column = column * count + low[facet, axis] + place
        order = np.argsort(column, kind="stable")
        starts = np.searchsorted(column[order], np.arange(count**across + 1))
        return lower, width, np.array(count), starts, facet[order]

    def _crossings(self, local: np.ndarray) -> np.ndarray:
        lower, width, count, starts, facets = self._columns
        cell = np.floor((local[:, :-1] - lower) / width)
        within = np.flatnonzero(np.all((cell >= -1) & (cell <= count), axis=1))
        result = np.zeros(len(local))
        if not len(within):
            return result
        cell = np.clip(cell[within].astype(int), 0, count - 1)
        column = cell[:, 0]
        for axis in range(1, cell.shape[1]):
            column = column * count + cell[:, axis]
        many = starts[column + 1] - starts[column]
        point = np.repeat(within, many)
        first = np.repeat(starts[column] - (np.cumsum(many) - many), many)
        facet = facets[first + np.arange(len(point))]
        signs = crossing(self._places, self._closed[facet], local[point])
        np.add.at(result, point, signs)
        return result

    def _all_crossings(self, local: Any) -> Any:
        """The same with all facets, a block at a time, inside a trace."""
        places = jnp.asarray(self._places, local.dtype)
        m = len(self._closed)
        blocks = -(-m // _BLOCK)
        padded = np.resize(self._closed, (blocks * _BLOCK, self._closed.shape[1]))
        weights = (np.arange(blocks * _BLOCK) < m).reshape(blocks, _BLOCK)
        padded = padded.reshape(blocks, _BLOCK, -1)

        def step(total: Any, block: Any) -> tuple[Any, None]:
            cells, weight = block
            signs = crossing(places, cells, local[:, None, :])
            return total + jnp.sum(signs * weight, axis=1), None

        start = jnp.zeros(len(local), local.dtype)
        blocks_of = (jnp.asarray(padded), jnp.asarray(weights, local.dtype))
        return jax.lax.scan(step, start, blocks_of)[0]


def crossing(places: Any, cells: Any, points: Any) -> Any:
    """Returns +1 where a line upwards from a point leaves through a facet, -1 where it enters.

    `cells (..., d)` are numbers of `places (n, d)`, and the last coordinate points upwards.
    """
    xp = namespace(places, points)
    corners = [places[cells[..., i]] for i in range(cells.shape[-1])]
    if len(corners) == 2:
        a, b = corners
        right_a, right_b = (c[..., 0] > points[..., 0] for c in (a, b))
        turn = _turn(a, b, points)
        above = xp.where(right_b, turn < 0, turn > 0)  # the segment lies above the point
        sign = xp.where(right_a, 1, -1)
        return xp.where((right_a != right_b) & above, sign, 0).astype(points.dtype)
    sides = []
    for i in range(3):
        j, k = cells[..., i], cells[..., (i + 1) % 3]
        forward = j < k
        low = xp.where(forward[..., None], corners[i], corners[(i + 1) % 3])
        high = xp.where(forward[..., None], corners[(i + 1) % 3], corners[i])
        sides.append(_left(low, high, points) == forward)
    a, b, c = corners
    normal = xp.cross(b - a, c - a)
    height = xp.sum((points - a) * normal, axis=-1)
    inside = (sides[0] == sides[1]) & (sides[1] == sides[2])
    up = sides[0]  # the triangle runs counterclockwise seen from above
    above = xp.where(up, height < 0, height > 0)
    return xp.where(inside & above, xp.where(up, 1, -1), 0).astype(points.dtype)


def _turn(a: Any, b: Any, points: Any) -> Any:
    """Twice the area of the triangles a, b, point, zero exactly where the point is a or b."""
    a, b = a - points, b - points
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _left(a: Any, b: Any, points: Any) -> Any:
    """Whether points lie to the left of a to b, seen from above; for those on
    the line, whether (ε, ε²) from there does."""
    xp = namespace(a, points)
    turn = _turn(a, b, points)
    along = b - a
    moved = xp.where(along[..., 1] != 0, -along[..., 1], along[..., 0])
    return xp.where(turn != 0, turn, moved) > 0


def solid_angles(corners: np.ndarray, points: Any) -> Any:
    """Returns the sum of the solid angles (angles in the plane) of oriented facets `(k, d, d)` as
    seen from points `(n, d)`, as a share of the whole: `(n,)`."""
    xp = namespace(points)
    total = xp.zeros(len(points), points.dtype)
    for facet in corners:
        rays = [xp.asarray(corner, points.dtype) - points for corner in facet]
        if len(rays) == 2:
            a, b = rays
            cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
            total = total + xp.arctan2(cross, xp.sum(a * b, axis=-1)) / (2 * np.pi)
            continue
        a, b, c = rays
        la, lb, lc = (xp.sqrt(xp.sum(r * r, axis=-1)) for r in rays)
        volume = xp.sum(a * xp.cross(b, c), axis=-1)
        below = (
            la * lb * lc
            + xp.sum(a * b, axis=-1) * lc
            + xp.sum(b * c, axis=-1) * la
            + xp.sum(c * a, axis=-1) * lb
        )
        total = total + 2 * xp.arctan2(volume, below) / (4 * np.pi)
    return total


def open_edges(cells: np.ndarray) -> np.ndarray:
    """Returns the oriented edges `(k, d - 1)` of facets `(m, d)` that have no partner of the other
    sense, each as often as it lacks one."""
    d = cells.shape[1]
    if d == 2:
        ends, sign = cells.T.reshape(-1, 1), np.repeat([-1, 1], len(cells))
    else:
        ends = np.concatenate([cells[:, [0, 1]], cells[:, [1, 2]], cells[:, [2, 0]]])
        sign = np.where(ends[:, 0] < ends[:, 1], 1, -1)
    unique, place = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)
    net = np.bincount(place.ravel(), sign, minlength=len(unique)).astype(int)
    directed = np.where(net[:, None] > 0, unique, unique[:, ::-1])
    return np.repeat(directed, np.abs(net), axis=0)
