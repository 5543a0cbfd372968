"""Regions where a function of the coordinates is negative."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy

from geometry import level_set
from geometry._arrays import compiled, is_symbolic, namespace, nearest_index, norm, vector
from geometry.box import box_distance
from geometry.chart import Chart
from geometry.face import Face, Surface
from geometry.implicit_charts import Patch, Ring, approached, shell_chart
from geometry.level_set import Contour, Level, mapped, slopes
from geometry.poisson import spread
from geometry.sequences import cube
from geometry.shape import Shape, set_axes, set_name

_CELLS = {2: 128, 3: 40}  # of the grid, on the longest side of the bounds
_SEEDS = 1024  # points of the surface from which the nearest one is sought
_CALL = "`Implicit(level, lower, upper)`"


@dataclass(frozen=True, repr=False)
class Implicit(Shape):
    """The region where `level` is negative, `Implicit(x**4 + y**4 - 1, (-2, -2), (2, 2))`.

    Its one part has its `name`, or "surface".

    Arguments:
        level: a SymPy expression of the coordinates, or a function of a point `(d,)` in
            `jax.numpy`. Smooth, with a gradient that does not vanish where it is zero.
        lower, upper: corners of a box around the region; `level` is positive on its walls.
        resolution: cells of a grid on the longest side of that box, in two dimensions (default 128)
            and three (default 40). Details need to be larger than a cell.

    Raises:
        ValueError: a level that is nowhere negative, negative at the box, or not finite.

    Notes: in two and three dimensions the zeros are found on the grid, and then everything is
    computed on the surface itself by Newton's method: points are exact up to rounding, measures up
    to `measure_error`. The signed distance is exact where the nearest of up to 1024 points of the
    surface leads to the nearest of all, and a little large right at centers of curvature. Corners
    and edges, as of a maximum, cost accuracy within a cell around them: write them as CSG of smooth
    levels. Above three dimensions measures are sampled, points of the surface are uniform up to its
    curvature within 1 % of the size, and the distance is that to the surface down the gradient,
    which may not be the least.

    Example:
        >>> from sympy import symbols
        >>> x, y = symbols("x y")
        >>> round(Implicit(x**2 + 4 * y**2 - 4, (-3, -3), (3, 3)).measure, 6)
        6.283185
    """

    level: Any
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    resolution: int | None = None
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        lower = vector(self.lower, _CALL)
        upper = vector(self.upper, _CALL, len(lower))
        if len(lower) < 2 or not all(a < b for a, b in zip(lower, upper, strict=True)):
            raise ValueError(
                f"{_CALL} needs lower < upper in two or more dimensions; got lower={lower}, "
                f"upper={upper}."
            )
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        set_axes(self, self.axes, len(lower))
        set_name(self)
        self._check_resolution()
        self._check_level()
        self._check_values()

    def _check_resolution(self) -> None:
        n = self.resolution
        if n is None:
            return
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 8 <= n <= 4096:
            raise ValueError(f"`resolution` needs a whole number from 8 to 4096; got {n!r}.")
        if self.dimension > 3:
            raise ValueError("`resolution` belongs to two and three dimensions; leave it out.")

    def _check_level(self) -> None:
        """Raises unless the level is an expression of the axes or a function of one point."""
        if is_symbolic(self.level):
            strange = {str(s) for s in self.level.free_symbols} - set(self.axes)
            if strange:
                raise ValueError(
                    f"{_CALL} needs a level in the coordinates {self.axes}; {self.level} has "
                    f"{', '.join(sorted(strange))}. A region moves or grows by `translate` or "
                    "`scale` with an expression, and `.over(t, a, b)`."
                )
            return
        if not callable(self.level):
            raise TypeError(
                f"{_CALL} needs a level that is an expression of the coordinates or a function of "
                f"a point; got {self.level!r}."
            )
        point = jax.ShapeDtypeStruct((self.dimension,), jnp.result_type(float))
        try:
            shape = jax.eval_shape(self.level, point).shape
        except jax.errors.TracerArrayConversionError as error:
            raise TypeError(f"{_CALL} needs a level in `jax.numpy`, not NumPy.") from error
        except (TypeError, IndexError, ValueError, AttributeError) as error:
            raise TypeError(
                f"{_CALL} needs a level that takes one point, an array of {self.dimension} "
                f"coordinates, and returns one number; it fails with: {error}"
            ) from error
        if shape != ():
            raise ValueError(
                f"{_CALL} needs a level that returns one number for a point; it returns an array "
                f"of shape {shape}."
            )

    def _check_values(self) -> None:
        points, walls = self._probes()
        values = self._values(points)
        if not np.isfinite(values).all():
            where = tuple(points[~np.isfinite(values)][0].tolist())
            raise ValueError(
                f"{_CALL} needs a level that is finite in the box; it is not at {where}."
            )
        if not (values < 0).any():
            raise ValueError(
                f"{_CALL} needs a level that is negative somewhere; the least of {len(values)} "
                f"values in the box is {values.min():.6g}. Change its sign, or the box."
            )
        if (values[walls] <= 0).any():
            where = tuple(points[walls & (values <= 0)][0].tolist())
            raise ValueError(
                f"{_CALL} needs a box around the whole region; the level is not positive at "
                f"{where} on its wall. Enlarge the box, or cut the region by `&` with a box."
            )

    def _probes(self) -> tuple[np.ndarray, np.ndarray]:
        """Points of the box at which the level is checked, and which of them lie on its walls."""
        lower, upper = np.asarray(self.lower, float), np.asarray(self.upper, float)
        if self.dimension <= 3:
            points = self._grid().reshape(-1, self.dimension)
            return points, ((points == lower) | (points == upper)).any(axis=-1)
        u, _ = cube(2**14, self.dimension, key=0, sampler="sobol")
        on_walls = np.arange(len(u)) % 2 == 0
        axis, end = (np.arange(len(u)) // 2) % self.dimension, u[:, 0] > 0.5
        u[on_walls, axis[on_walls]] = end[on_walls]
        return lower + (upper - lower) * u, on_walls

    # The level as functions of points

    @functools.cached_property
    def _point_level(self) -> Callable[[Any], Any]:
        """The level as a JAX function of a point `(d,)`."""
        return _expression(self.level, self.axes) if is_symbolic(self.level) else self.level

    def _values(self, points: Any) -> Any:
        if is_symbolic(self.level) and namespace(points) is np:
            with np.errstate(all="ignore"):
                return self._point_level(points)
        return mapped(level_set.values, self._point_level, points)

    def _grid(self, divisor: int = 1) -> np.ndarray:
        cells = (self.resolution or _CELLS[self.dimension]) // divisor
        lower, upper = np.asarray(self.lower, float), np.asarray(self.upper, float)
        return level_set.grid_nodes(lower, upper, cells)

    @functools.cached_property
    def _contour(self) -> Contour:
        return level_set.contour(self._values, self._grid())

    @functools.cached_property
    def _seeds(self) -> tuple[np.ndarray, scipy.spatial.cKDTree]:
        vertices = self._contour.vertices
        if len(vertices) > _SEEDS:
            vertices = vertices[spread(vertices, _SEEDS)[0]]
        return vertices, scipy.spatial.cKDTree(vertices)

    def _bounds(self) -> tuple[Any, Any]:
        lower, upper = np.asarray(self.lower, float), np.asarray(self.upper, float)
        if self.dimension > 3:
            return lower, upper
        vertices, margin = self._contour.vertices, 0.1 * self._contour.spacing
        return (
            np.maximum(vertices.min(axis=0) - margin, lower),
            np.minimum(vertices.max(axis=0) + margin, upper),
        )

    # Distances

    def _sdf(self, points: Any) -> Any:
        xp = namespace(points)
        still = points if xp is np else jax.lax.stop_gradient(points)
        size = xp.full_like(points[..., :1], self.size)
        if self.dimension > 3:
            start = mapped(_approached, self._point_level, still, size)
        else:
            start = self._nearest_seed(still)
        low, high = (xp.asarray(corner, points.dtype) for corner in (self.lower, self.upper))
        boxed = (box_distance(points, low, high) <= 0)[..., None].astype(points.dtype)
        return mapped(_signed_distance, self._point_level, points, start, boxed, size)

    def _membership(self, points: Any) -> Any:
        """The level in units of its slope, which costs no search for the nearest point; beyond the
        box, where the level may be anything, the distance to that."""
        xp = namespace(points)
        low, high = (xp.asarray(corner, points.dtype) for corner in (self.lower, self.upper))
        beyond = box_distance(points, low, high)
        return xp.where(beyond > 0, beyond, -self._level(points))

    def _nearest_seed(self, points: Any) -> Any:
        """The nearest of some points of the surface to each point."""
        seeds, tree = self._seeds
        xp = namespace(points)
        if xp is np:
            return seeds[nearest_index(tree, points)].astype(points.dtype)
        placed = xp.asarray(seeds, points.dtype)
        squares = xp.sum(placed * placed, axis=-1) - 2 * points @ placed.T
        return placed[xp.argmin(squares, axis=-1)]

    def _level(self, points: Any) -> Any:
        """-f / sqrt(|grad f|^2 + (f / l)^2), with l a quarter of the size."""
        reach = namespace(points).full_like(points[..., :1], self.size / 4)
        return mapped(_scaled, self._point_level, points, reach)

    # Charts

    def _pieces(self, found: Contour) -> tuple[Ring | Patch, ...]:
        level = self._point_level
        if self.dimension == 2:
            return tuple(Ring(level, polygon, found.spacing) for polygon in level_set.loops(found))
        return (Patch(level, found),)

    @functools.cached_property
    def _surface_pieces(self) -> tuple[Ring | Patch, ...]:
        return self._pieces(self._contour)

    @functools.cached_property
    def _rough_pieces(self) -> tuple[Ring | Patch, ...]:
        """Those from a grid twice as coarse, to estimate errors."""
        return self._pieces(level_set.contour(self._values, self._grid(2)))

    @functools.cached_property
    def _charts(self) -> tuple[Chart, ...]:
        if self.dimension <= 3:
            pieces = self._surface_pieces
            rough = sum(piece.rule.measure for piece in self._rough_pieces)
            error = abs(sum(piece.rule.measure for piece in pieces) - rough) / len(pieces)
            return tuple(replace(piece.chart(), error=error) for piece in pieces)
        lower, upper = self._bounds()
        return (shell_chart(self._point_level, lower, upper, self.size),)

    def _solid(self) -> Chart:
        lower, upper = self._bounds()
        volume = float(np.prod(upper - lower))
        measure, error = self._enclosed() if self.dimension <= 3 else self._counted(volume)

        def fill(u: Any) -> tuple[Any, None, Any]:
            xp = namespace(u)
            low, side = (xp.asarray(v, u.dtype) for v in (lower, upper - lower))
            points = low + side * u
            return points, None, self._values(points) < 0

        fraction = min(measure / volume, 1 - 1e-15)
        return Chart(fill, self.dimension, measure, fraction=fraction, error=error)

    def _enclosed(self) -> tuple[float, float]:
        """The measure by the divergence theorem, and its error: the change from a grid twice as
        coarse, or what points that are counted see beyond their own error."""
        about = np.mean([self.lower, self.upper], axis=0)
        measure, rough = (
            sum(piece.rule.enclosed(about) for piece in pieces)
            for pieces in (self._surface_pieces, self._rough_pieces)
        )
        lower, upper = self._bounds()
        counted, doubt = self._counted(float(np.prod(upper - lower)))
        gap = abs(measure - counted)
        return measure, max(abs(measure - rough), gap if gap > 4 * doubt else 0.0)

    def _counted(self, volume: float) -> tuple[float, float]:
        """The measure and its error by counting points of eight scrambled sequences."""
        lower, upper = self._bounds()
        shares = [
            np.mean(self._values(lower + (upper - lower) * u) < 0)
            for u, _ in (cube(2**13, self.dimension, key=k, sampler="sobol") for k in range(8))
        ]
        error = np.std(shares, ddof=1) / np.sqrt(8)
        return float(np.mean(shares)) * volume, float(error) * volume

    def _faces(self) -> tuple[Face, ...]:
        surface = Surface(
            self._level,
            lambda points: -self._level(points),
            lambda points: mapped(level_set.normals, self._point_level, points),
        )
        name = self.name or "surface"
        return tuple(Face(name, "implicit", self.name, c, surface) for c in self._charts)


@functools.lru_cache(maxsize=256)  # equal levels share what was compiled for them
def _expression(level: Any, axes: tuple[str, ...]) -> Callable[[Any], Any]:
    return compiled(level, axes)


def _scaled(level: Level, points: Any, reach: Any) -> Any:
    value, slope = slopes(level, points)
    return -value / jnp.sqrt(jnp.sum(slope * slope, axis=-1) + (value / reach[:, 0]) ** 2)


def _approached(level: Level, points: Any, size: Any) -> Any:
    return approached(level, points, size[0, 0] / 10)


def _signed_distance(level: Level, points: Any, start: Any, boxed: Any, size: Any) -> Any:
    """Signed distances `(n,)` of points, from zeros near to them.

    It is the height above the tangent of the nearest zero. At a corner, which has no tangent, it is
    the distance; and where Newton's method ends farther away than it started, that to the start.
    """
    near = float(np.finfo(points.dtype).eps ** 0.5)
    small = near * size[:, 0]
    p = level_set.nearest(level, points, start, size / 10)
    value, slope = slopes(level, p)
    steep = norm(slope)
    normal = slope / jnp.where(steep > 0, steep, 1)[:, None]
    height = jnp.sum((points - p) * normal, axis=-1)
    distance, fallback = norm(points - p), norm(points - start)
    reached = (jnp.abs(value) <= small * steep) & (distance <= fallback + small)
    smooth = jnp.abs(jnp.abs(height) - distance) <= 100 * near * distance + small
    inside = (boxed[:, 0] > 0) & (level_set.values(level, points) < 0)
    beyond = jnp.where(reached, distance, fallback)
    return jnp.where(reached & smooth, height, jnp.where(inside, -beyond, beyond))
