"""Charts: maps of the unit cube onto a piece of a boundary, or onto a region.

Everything that is sampled is sampled through a chart. A face of a primitive is a chart that
preserves measure (equal areas of the cube go to equal areas of the face); a piece that CSG has cut
is the same chart with a mask of what is kept; a product with time is a product of charts.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geometry._arrays import namespace
from geometry.poisson import CANDIDATES, check_spread, spread
from geometry.sequences import cube

_MOST_CANDIDATES = 2**24


@dataclass(frozen=True, eq=False)
class Chart:
    """A map `u -> (points, normals, kept)` from the cube `[0, 1]^dimension`.

    `normals` is None for regions, `kept` a mask, or None when all points are. `measure` is that of
    what is kept, which is the `fraction` of the whole chart. `density(u)`, where the map is not
    measure-preserving, is its area element divided by the mean one; `warp` then maps the cube to
    itself so that `map(warp(u))` preserves measure. Axes in `periodic` close on themselves. `rule`
    holds nodes u and weights, in units of the whole chart, that integrate over what is kept of a
    cut chart. `is_smooth` is False where the map is made of pieces; `breaks` are the first
    coordinates at which one triangle follows another. `error` is the estimated error of the
    measure, zero where that is exact up to rounding.
    """

    map: Callable[[Any], tuple[Any, Any, Any]]
    dimension: int
    measure: float
    periodic: tuple[bool, ...] = ()
    fraction: float = 1.0
    density: Callable[[Any], Any] | None = None
    warp: Callable[[Any], Any] | None = None
    rule: tuple[np.ndarray, np.ndarray] | None = None
    is_smooth: bool = True
    error: float = 0.0
    breaks: np.ndarray | None = None

    @property
    def is_cut(self) -> bool:
        return self.fraction < 1.0


def draw(chart: Chart, n: int, *, key: Any, sampler: str) -> tuple[Any, Any, Any]:
    """Returns points, normals (or None) and weights of `n` points of a chart.

    Cut charts are sampled by rejection from a number of candidates that the known fraction fixes
    in advance, so shapes are static and nothing loops. The tensor rules may return fewer points.
    """
    if chart.dimension == 0:
        n, sampler = 1, "grid"
    if sampler == "poisson":
        return _draw_spread(chart, n, key)
    if sampler == "gauss" and (chart.is_cut or not chart.is_smooth):
        raise ValueError(
            "`sampler='gauss'` needs a region that one smooth map covers, and this one is cut or "
            "made of pieces; use 'sobol', or the cells of `shape.mesh(size)`."
        )
    if chart.is_cut:
        return _draw_cut(chart, n, key, sampler)
    u, weights = cube(n, chart.dimension, key=key, sampler=sampler, periodic=chart.periodic)
    if sampler == "gauss" and chart.density is not None:
        weights = weights * chart.density(u)
    elif chart.warp is not None:
        u = chart.warp(u)
    points, normals, _ = chart.map(u)
    return points, normals, chart.measure * weights


def _draw_spread(chart: Chart, n: int, key: Any) -> tuple[Any, Any, Any]:
    """Poisson-disk points of a chart, each with the weight of the candidates nearest to it."""
    check_spread(n)
    points, normals, _ = draw(chart, CANDIDATES * n, key=key, sampler="sobol")
    index, share = spread(points, n)
    return points[index], None if normals is None else normals[index], chart.measure * share


def _draw_cut(chart: Chart, n: int, key: Any, sampler: str) -> tuple[Any, Any, Any]:
    if not chart.fraction > 0:
        raise ValueError(
            "sampling found nothing of the shape: its details are below the rounding of its "
            "coordinates. Move it near the origin, or choose a unit in which it is about 1 long."
        )
    candidates = int(np.ceil((n + 6 * np.sqrt(n) + 16) / chart.fraction))
    if candidates > _MOST_CANDIDATES:
        raise ValueError(
            f"sampling `n`={n} points needs {candidates} candidates, because only "
            f"{chart.fraction:.1e} of the enclosing region belongs to the shape; the limit is "
            f"{_MOST_CANDIDATES}. Ask for fewer points or describe the shape more tightly."
        )
    u, _ = cube(candidates, chart.dimension, key=key, sampler=sampler)
    if chart.warp is not None:
        u = chart.warp(u)
    points, normals, kept = chart.map(u)
    index = _first(kept, n)
    normals = None if normals is None else normals[index]
    xp = namespace(points)
    weights = xp.full(n, chart.measure / n, points.dtype)
    return points[index], normals, weights


def _first(kept: Any, n: int) -> Any:
    """Returns the indices of the first `n` kept candidates, again from the start if too few."""
    xp = namespace(kept)
    if xp is np:
        index = np.flatnonzero(kept)
        return np.resize(index if len(index) else np.zeros(1, int), n)
    (index,) = xp.nonzero(kept, size=n, fill_value=0)
    return index[xp.arange(n) % xp.clip(xp.sum(kept), 1, n)]


def product(chart: Chart, lower: float, upper: float) -> Chart:
    """Returns the product of a chart with an interval, which becomes the last coordinate."""

    def product_map(u: Any) -> tuple[Any, Any, Any]:
        points, normals, kept = chart.map(u[..., :-1])
        last = lower + (upper - lower) * u[..., -1:]
        return (
            append(points, last),
            None if normals is None else append(normals, 0 * abs(last)),
            kept,
        )

    def lift(function: Callable[[Any], Any] | None, keep_last: bool) -> Callable[[Any], Any] | None:
        if function is None:
            return None
        if keep_last:
            return lambda u: append(function(u[..., :-1]), u[..., -1:])
        return lambda u: function(u[..., :-1])

    return replace(
        chart,
        map=product_map,
        dimension=chart.dimension + 1,
        measure=chart.measure * (upper - lower),
        error=chart.error * (upper - lower),
        rule=None,
        breaks=None,
        periodic=((chart.periodic or (False,) * chart.dimension) + (False,)),
        density=lift(chart.density, False),
        warp=lift(chart.warp, True),
    )


def append(points: Any, last: Any) -> Any:
    """Returns `points` with one more coordinate, broadcast over the leading axes."""
    xp = namespace(points, last)
    leading = np.broadcast_shapes(points.shape[:-1], last.shape[:-1])
    return xp.concatenate(
        [
            xp.broadcast_to(points, leading + points.shape[-1:]),
            xp.broadcast_to(last, leading + last.shape[-1:]),
        ],
        axis=-1,
    )
