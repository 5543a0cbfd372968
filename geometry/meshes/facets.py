"""Segments in the plane and triangles in space: the nearest one to a point, exactly.

NumPy points go down a tree of boxes, all points together, level by level, under a bound that a
nearby facet gives. Inside a trace there is no tree: all facets are compared, a block at a time.
The derivative of a distance is that to the facet found.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy

from geometry._arrays import namespace, safe_sqrt
from geometry.simplices import simplex_measures

_CHUNK = 1024  # points that go down the tree together
_BLOCK = 128  # facets compared at a time inside a trace
_FAR = 1e100  # squares of this are finite
_SLACK = 1e-12  # of a facet, by which a foot may miss it and still lie on it


@dataclass(frozen=True, eq=False)
class Facets:
    """Facets with corners `(m, d, d)` in d = 2 or 3 dimensions, oriented: outward normals lie to
    the right of segments and follow the right-hand rule on triangles."""

    corners: np.ndarray

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return self.corners.shape[-1]

    @functools.cached_property
    def center(self) -> np.ndarray:
        """The middle of the facets: places are taken from here, so that an offset costs nothing."""
        flat = self.corners.reshape(-1, self.dimension)
        return (flat.min(axis=0) + flat.max(axis=0)) / 2

    @functools.cached_property
    def measures(self) -> np.ndarray:
        """Lengths or areas `(m,)`."""
        return simplex_measures(self.corners)

    @functools.cached_property
    def normals(self) -> np.ndarray:
        """Unit normals `(m, d)`."""
        edges = self.corners[:, 1:] - self.corners[:, :1]
        if self.dimension == 2:
            across = np.stack([edges[:, 0, 1], -edges[:, 0, 0]], axis=-1)
        else:
            across = np.cross(edges[:, 0], edges[:, 1])
        return across / np.linalg.norm(across, axis=-1, keepdims=True)

    @functools.cached_property
    def _table(self) -> np.ndarray:
        """What distances need, `(rows, d, m)`: first corner, edges, dual vectors, normal."""
        a = self.corners[:, 0] - self.center
        edges = self.corners[:, 1:] - self.corners[:, :1]  # (m, d - 1, d)
        gram = np.einsum("mid,mjd->mij", edges, edges)
        scale = np.sqrt(np.einsum("mii->mi", gram))
        scaled = gram / scale[:, :, None] / scale[:, None, :]
        duals = np.linalg.solve(scaled, edges / scale[:, :, None]) / scale[:, :, None]
        rows = [a, *np.moveaxis(edges, 1, 0), *np.moveaxis(duals, 1, 0), self.normals]
        return np.ascontiguousarray(np.stack(rows).transpose(0, 2, 1))

    @functools.cached_property
    def _tree(self) -> _Boxes:
        return _boxes(self.corners - self.center)

    @functools.cached_property
    def _seeds(self) -> tuple[scipy.spatial.cKDTree, np.ndarray]:
        """The corners, each once, and a facet of each."""
        flat = (self.corners - self.center).reshape(-1, self.dimension)
        places, first = np.unique(flat, axis=0, return_index=True)
        return scipy.spatial.cKDTree(places), first // self.dimension

    def nearest(self, points: Any) -> Any:
        """Returns the number of the facet nearest to each point `(..., d)`."""
        xp = namespace(points)
        local = points - xp.asarray(self.center, points.dtype)
        flat = local.reshape(-1, self.dimension)
        if xp is np:
            near = np.nan_to_num(np.clip(np.asarray(flat, float), -_FAR, _FAR))
            found = in_chunks(self._nearest_by_tree, near)
        else:
            found = self._nearest_of_all(jax.lax.stop_gradient(flat))
        return found.reshape(points.shape[:-1])

    def near(self, points: np.ndarray, reach: float) -> np.ndarray:
        """Returns whether a facet lies within `reach` of each point `(n, d)`."""
        local = np.asarray(points, float) - self.center
        inside = np.flatnonzero(
            np.all(np.abs(local) <= np.ptp(self.corners, axis=(0, 1)) / 2 + reach, axis=-1)
        )
        result = np.zeros(len(points), bool)
        if len(inside):
            bound = np.full(len(inside), reach**2)
            own, facet = self._tree.descend(local[inside], bound)
            close = self._squared(local[inside][own].T, facet) <= reach**2
            result[inside[own[close]]] = True
        return result

    def foot(self, points: Any, index: Any) -> tuple[Any, Any, Any]:
        """Returns the nearest points `(..., d)` of the given facets, the heights `(...)` of the
        points above the facets, and whether they lie over the facets' inside."""
        xp = namespace(points)
        local = points - xp.asarray(self.center, points.dtype)
        rows = xp.asarray(self._table, points.dtype)[:, :, index]
        offset, over, height = _foot(xp.moveaxis(local, -1, 0), rows)
        return points - xp.moveaxis(offset, 0, -1), height, over

    def distance(self, points: Any) -> Any:
        """Returns the distance `(...)` to the nearest facet."""
        foot, height, over = self.foot(points, self.nearest(points))
        xp = namespace(points)
        offset = points - foot
        return xp.where(over, xp.abs(height), safe_sqrt(xp.sum(offset * offset, axis=-1)))

    def height(self, points: Any) -> Any:
        """Returns the distance `(...)` to the nearest facet, negative behind it."""
        foot, height, over = self.foot(points, self.nearest(points))
        xp = namespace(points)
        offset = points - foot
        away = safe_sqrt(xp.sum(offset * offset, axis=-1))
        return xp.where(over, height, xp.where(height < 0, -away, away))

    def _squared(self, places: np.ndarray, facet: np.ndarray) -> np.ndarray:
        """Squared distances `(k,)` of places `(d, k)` from the facets numbered `(k,)`."""
        offset, over, height = _foot(places, np.take(self._table, facet, axis=2))
        return np.where(over, height**2, np.sum(offset**2, axis=0))

    def _nearest_by_tree(self, local: np.ndarray) -> np.ndarray:
        seeds, owner = self._seeds
        start = owner[seeds.query(local, eps=0.2)[1]]  # near enough for a bound
        bound = self._squared(local.T, start)
        own, facet = self._tree.descend(local, bound * (1 + _SLACK))
        result = start
        if len(own):
            squared = self._squared(local[own].T, facet)
            first = np.flatnonzero(np.append(True, own[1:] != own[:-1]))
            least = np.minimum.reduceat(squared, first)
            counts = np.diff(np.append(first, len(own)))
            is_least = squared == np.repeat(least, counts)
            places = np.flatnonzero(is_least)
            chosen = places[np.searchsorted(own[places], own[first])]
            better = least < bound[own[first]]
            result[own[first][better]] = facet[chosen[better]]
        return result

    def _nearest_of_all(self, local: Any) -> Any:
        """The same by comparing all facets, inside a trace: `(n, d)` to `(n,)`."""
        m = self._table.shape[-1]
        blocks = -(-m // _BLOCK)
        numbers = np.minimum(np.arange(blocks * _BLOCK), m - 1).reshape(blocks, _BLOCK)
        table = jnp.asarray(self._table, local.dtype)
        places = local.T[:, :, None]

        def step(best: Any, block: Any) -> tuple[Any, None]:
            squared, index = best
            offset, over, height = _foot(places, table[:, :, block][:, :, None, :])
            here = jnp.where(over, height**2, jnp.sum(offset**2, axis=0))  # (n, block)
            least = jnp.min(here, axis=1)
            own = block[jnp.argmin(here, axis=1)]
            closer = least < squared
            return (jnp.where(closer, least, squared), jnp.where(closer, own, index)), None

        start = (jnp.full(len(local), jnp.inf, local.dtype), jnp.zeros(len(local), numbers.dtype))
        (_, index), _ = jax.lax.scan(step, start, jnp.asarray(numbers))
        return index


def _foot(places: Any, rows: Any) -> tuple[Any, Any, Any]:
    """Vectors `(d, ...)` from the nearest points of facets to places `(d, ...)`, whether those lie
    over the inside of the facets, and heights `(...)`; `rows` are those of a table."""
    xp = namespace(places, rows)
    d = rows.shape[1]
    v = places - rows[0]

    def dot(a: Any, b: Any) -> Any:
        return sum(a[i] * b[i] for i in range(d))

    def from_segment(w: Any, edge: Any) -> Any:
        share = xp.clip(dot(w, edge) / dot(edge, edge), 0, 1)
        return xp.stack([w[i] - share * edge[i] for i in range(d)])

    height = dot(v, rows[-1])
    shares = [dot(v, rows[d + i]) for i in range(d - 1)]
    slack = max(_SLACK, 8 * float(np.finfo(v.dtype).eps))
    over = sum(shares) <= 1 + slack
    for share in shares:
        over = over & (share >= -slack)
    if d == 2:
        return from_segment(v, rows[1]), over, height
    e, f = rows[1], rows[2]
    offset = from_segment(v, e)
    least = dot(offset, offset)
    for other in (from_segment(v, f), from_segment(v - e, f - e)):
        squared = dot(other, other)
        offset = xp.where(squared < least, other, offset)
        least = xp.minimum(least, squared)
    plain = xp.stack([height * rows[-1][i] for i in range(d)])
    return xp.where(over, plain, offset), over, height


def in_chunks(function: Any, points: np.ndarray) -> np.ndarray:
    """Returns a function of points `(n, d)` by chunks, so that what it needs stays in the cache."""
    if len(points) <= _CHUNK:
        return np.asarray(function(points))
    pieces = [points[i : i + _CHUNK] for i in range(0, len(points), _CHUNK)]
    return np.concatenate([function(piece) for piece in pieces])


# A tree of boxes


@dataclass(frozen=True, eq=False)
class _Boxes:
    """Corners of boxes, `(2^l, d)` at level l, and the facet in each box of the last level."""

    lower: list[np.ndarray]
    upper: list[np.ndarray]
    order: np.ndarray

    def descend(self, points: np.ndarray, bound: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns pairs of a point and a facet whose boxes are no farther than the squared bound,
        in the order of the points."""
        point, node = np.arange(len(points)), np.zeros(len(points), int)
        for level in range(len(self.lower)):
            if level:
                point = np.repeat(point, 2)
                node = np.repeat(2 * node, 2)
                node[1::2] += 1
            squared = np.zeros(len(point))
            for axis in range(points.shape[1]):
                x = points[:, axis][point]
                gap = self.lower[level][:, axis][node] - x
                np.maximum(gap, x - self.upper[level][:, axis][node], out=gap)
                np.maximum(gap, 0, out=gap)
                gap *= gap
                squared += gap
            kept = np.flatnonzero(squared <= bound[point])
            point, node = point[kept], node[kept]
        return point, self.order[node]

    def meeting(self, lower: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns pairs of a box `(n, d)` and a facet whose box it meets."""
        own, node = np.arange(len(lower)), np.zeros(len(lower), int)
        for level in range(len(self.lower)):
            if level:
                own = np.repeat(own, 2)
                node = np.repeat(2 * node, 2)
                node[1::2] += 1
            meets = np.all(lower[own] <= self.upper[level][node], axis=1)
            meets &= np.all(upper[own] >= self.lower[level][node], axis=1)
            own, node = own[meets], node[meets]
        return own, self.order[node]


def _boxes(corners: np.ndarray) -> _Boxes:
    """Splits facets in halves at the median of their middles, along the widest axis of each box."""
    m, _, d = corners.shape
    levels = max(m - 1, 0).bit_length()
    slots = 2**levels
    order = np.concatenate([np.arange(m), np.full(slots - m, -1)])
    middles = np.concatenate([corners.mean(axis=1), np.full((1, d), np.inf)])  # -1 is the last
    for level in range(levels):
        groups = order.reshape(2**level, -1)
        places = middles[groups]
        there = groups[..., None] >= 0
        width = np.max(places, axis=1, where=there, initial=-np.inf)
        width = width - np.min(places, axis=1, where=there, initial=np.inf)
        axis = np.argmax(width, axis=-1)
        along = np.take_along_axis(places, axis[:, None, None], axis=2)[..., 0]
        order = np.take_along_axis(groups, np.argsort(along, axis=1, kind="stable"), axis=1)
    order = order.reshape(-1)
    empty = np.full((1, d), np.inf)
    lower = [np.concatenate([corners.min(axis=1), empty])[order]]
    upper = [np.concatenate([corners.max(axis=1), -empty])[order]]
    for _ in range(levels):
        lower.append(lower[-1].reshape(-1, 2, d).min(axis=1))
        upper.append(upper[-1].reshape(-1, 2, d).max(axis=1))
    return _Boxes(lower[::-1], upper[::-1], order)
