"""Clouds of points: a region, or its boundary, known by measured points only."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy

from geometry._arrays import namespace, nearest_index, safe_sqrt
from geometry.chart import Chart
from geometry.face import Face, Surface
from geometry.meshes.surface_mesh import check_points
from geometry.meshes.triangulation import digest
from geometry.sequences import cube
from geometry.shape import Shape, positive, set_axes, set_name

_BLOCK = 256  # points of the cloud compared at a time inside a trace
_NEIGHBORS = 8  # that tell the area which a point of a boundary stands for
_RUNS = 8  # of the estimate of the measure


@dataclass(frozen=True, repr=False, eq=False)
class PointCloud(Shape):
    """The region around points, or, with `outward` normals, the region whose boundary they sample.

    Without normals the points fill the region, which is all that lies within `radius` of one; it
    has no parts. With `outward` normals they lie on its boundary, the one part of which has the
    cloud's `name`, or "surface"; a point is inside where it lies behind the nearest of them.

    Samples of the region without normals, and of the boundary with them, are points of the cloud,
    drawn in proportion to their weights.

    Arguments:
        points: `(n, d)`.
        outward: normals `(n, d)`, of any length but zero.
        weights: `(n,)`, the measure that each point stands for. By default the same for all points
            of a region, and for those of a boundary what their nearest neighbors tell.
        radius: by default the largest distance between a point and the one nearest to it.

    Raises:
        ValueError: arrays of a wrong shape, not finite, fewer than d + 1 points, all at one place.

    Notes: the measure is the sum of the weights of points of a region, else it is estimated, with
    its standard error in `measure_error`; that does not count what the cloud leaves open. Weights
    told by neighbors are right within some 10 % in the mean where the points are evenly spread.

    Example:
        >>> import numpy as np
        >>> grid = np.stack(np.meshgrid(np.arange(10.0), np.arange(10.0)), axis=-1).reshape(-1, 2)
        >>> cloud = PointCloud(grid)
        >>> cloud.radius, cloud.contains([(4.5, 4.5), (20, 0)]).tolist()
        (1.0, [True, False])
    """

    points: Any
    outward: Any = None
    weights: Any = None
    radius: float | None = None
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]
    _is_faceted = True  # no smooth distance, and a search in NumPy

    def __post_init__(self) -> None:
        points = np.asarray(self.points)
        check_points(points, tuple(range(1, 17)), "`PointCloud(points)`")
        n, d = points.shape
        if n < d + 1 or not np.ptp(points, axis=0).any():
            raise ValueError(
                f"`PointCloud(points)` needs {d + 1} points at different places or more."
            )
        object.__setattr__(self, "points", points.astype(float))
        self._set_normals(d)
        self._set_weights()
        set_axes(self, self.axes, d)
        set_name(self)
        if self.radius is None:
            places = np.unique(self.points, axis=0)
            gaps = scipy.spatial.cKDTree(places).query(places, k=2)[0][:, 1]
            object.__setattr__(self, "radius", float(gaps.max()))
        positive(self.radius, "`PointCloud(radius=)`")

    def _set_normals(self, d: int) -> None:
        if self.outward is None:
            return
        normals = np.asarray(self.outward)
        check_points(normals, (d,), "`PointCloud(outward=)`")
        lengths = np.linalg.norm(normals, axis=-1, keepdims=True)
        if len(normals) != len(self.points) or not lengths.all():
            raise ValueError(
                f"`PointCloud(outward=)` needs a direction for each of {len(self.points)} "
                f"points; got {len(normals)}, {int((lengths == 0).sum())} of them zero."
            )
        object.__setattr__(self, "outward", normals / lengths)

    def _set_weights(self) -> None:
        if self.weights is None:
            return
        weights = np.asarray(self.weights, float)
        if weights.shape != self.points.shape[:1] or not (weights > 0).all():
            raise ValueError(
                f"`PointCloud(weights=)` needs a number above zero for each of "
                f"{len(self.points)} points; got an array of shape {weights.shape}."
            )
        object.__setattr__(self, "weights", weights)

    @functools.cached_property
    def _tree(self) -> scipy.spatial.cKDTree:
        return scipy.spatial.cKDTree(self.points)

    @property
    def _has_boundary(self) -> bool:
        return self.outward is not None

    def _bounds(self) -> tuple[Any, Any]:
        reach = 0.0 if self.outward is not None else self.radius or 0.0
        return self.points.min(axis=0) - reach, self.points.max(axis=0) + reach

    def _nearest(self, points: Any) -> Any:
        """The number of the point of the cloud nearest to each point."""
        if namespace(points) is np:
            return nearest_index(self._tree, points)
        flat = jax.lax.stop_gradient(points.reshape(-1, self.dimension))
        n = len(self.points)
        numbers = np.minimum(np.arange(-(-n // _BLOCK) * _BLOCK), n - 1).reshape(-1, _BLOCK)
        places = jnp.asarray(self.points, points.dtype)

        def step(best: Any, block: Any) -> tuple[Any, None]:
            offset = flat[:, None, :] - places[block]
            squared = jnp.sum(offset * offset, axis=-1)
            least, own = jnp.min(squared, axis=1), block[jnp.argmin(squared, axis=1)]
            closer = least < best[0]
            return (jnp.where(closer, least, best[0]), jnp.where(closer, own, best[1])), None

        start = (jnp.full(len(flat), jnp.inf, points.dtype), jnp.zeros(len(flat), numbers.dtype))
        return jax.lax.scan(step, start, jnp.asarray(numbers))[0][1].reshape(points.shape[:-1])

    def _sdf(self, points: Any) -> Any:
        xp = namespace(points)
        index = self._nearest(points)
        offset = points - xp.asarray(self.points, points.dtype)[index]
        if self.outward is None:
            return safe_sqrt(xp.sum(offset * offset, axis=-1)) - self.radius
        normals = xp.asarray(self.outward, points.dtype)[index]
        return xp.sum(offset * normals, axis=-1)

    def _level(self, points: Any) -> Any:
        return -self._sdf(points)

    def _solid(self) -> Chart:
        lower, upper = self._bounds()
        box = float(np.prod(upper - lower))
        shares = []
        for key in range(_RUNS):
            u, _ = cube(2**12, self.dimension, key=key, sampler="sobol")
            shares.append(np.mean(self._sdf(lower + (upper - lower) * u) < 0))
        fraction = float(np.mean(shares))
        error = box * float(np.std(shares, ddof=1)) / math.sqrt(_RUNS)
        if self.outward is None:
            known = self.weights is not None
            weights = self.weights if known else np.full(len(self.points), 1.0)
            measure = float(weights.sum()) if known else box * fraction
            return self._chart(weights, None, measure, 0.0 if known else error)
        if not fraction:
            raise ValueError(f"`{self!r}` has no inside: do its normals point outward?")

        def fill(u: Any) -> tuple[Any, None, Any]:
            xp = namespace(u)
            points = xp.asarray(lower, u.dtype) + xp.asarray(upper - lower, u.dtype) * u
            return points, None, self._sdf(points) < 0

        share = min(fraction, 1 - 1e-15)
        return Chart(fill, self.dimension, box * fraction, fraction=share, error=error)

    def _chart(
        self, weights: np.ndarray, normals: np.ndarray | None, measure: float, error: float = 0.0
    ) -> Chart:
        """Points of the cloud, in proportion to their weights."""
        steps = np.cumsum(weights) / weights.sum()

        def pick(u: Any) -> tuple[Any, Any, None]:
            xp = namespace(u)
            index = xp.searchsorted(xp.asarray(steps, u.dtype), u[..., 0], side="right")
            index = xp.clip(index, 0, len(steps) - 1)
            points = xp.asarray(self.points, u.dtype)[index]
            return points, None if normals is None else xp.asarray(normals, u.dtype)[index], None

        return Chart(pick, 1, measure, is_smooth=False, error=error)

    def _faces(self) -> tuple[Face, ...]:
        if self.outward is None:
            return ()
        weights = self.weights if self.weights is not None else self._areas()
        chart = self._chart(weights, self.outward, float(weights.sum()))

        def normal(points: Any) -> Any:
            xp = namespace(points)
            return xp.asarray(self.outward, points.dtype)[self._nearest(points)]

        surface = Surface(lambda points: -self._sdf(points), self._sdf, normal)
        return (Face(self.name or "surface", "pointcloud", self.name, chart, surface),)

    def _areas(self) -> np.ndarray:
        """The measure of the boundary that each point stands for: a disk (in the plane a segment)
        that reaches to the k-th neighbor of a point holds k others in the mean.

        Source: D. Loftsgaarden, C. Quesenberry, A nonparametric estimate of a multivariate density
        function (1965).
        """
        d = self.dimension
        k = min(_NEIGHBORS, len(self.points) - 1)
        reach = self._tree.query(self.points, k=k + 1)[0][:, -1]
        unit = math.pi ** ((d - 1) / 2) / math.gamma((d + 1) / 2)
        return unit * reach ** (d - 1) / k

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PointCloud) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    @functools.cached_property
    def _digest(self) -> str:
        arrays = (self.points, self.outward, self.weights)
        return digest(*arrays, self.radius, self.name, self.axes)

    def __repr__(self) -> str:
        normals = "" if self.outward is None else ", <normals>"
        return f"PointCloud(<{len(self.points)} points>{normals}, radius={self.radius!r})"
