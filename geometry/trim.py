"""Cutting the faces of primitives down to the boundary of a CSG tree.

A point of a face belongs to the boundary of the tree if and only if a small step along the normal
changes whether it is inside the tree. That one test decides membership and the outward direction
for every operation and any nesting, and drops faces that two solids share. Where faces of two
leaves coincide, the first leaf in the tree keeps the point.

Curves are cut exactly: distances are 1-Lipschitz, so an interval of a curve that is shorter than
twice the distance from its middle to another leaf cannot cross it; what is left is subdivided and
the ends found by bisection. Surfaces are integrated along lines, each cut in the same manner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from geometry._arrays import namespace
from geometry.chart import Chart
from geometry.sequences import cube
from geometry.shape import rounding
from geometry.warp import curved_chart

if TYPE_CHECKING:
    from geometry.shape import Shape

Status = Callable[[Any, Any], tuple[Any, Any]]

_FEWEST_INTERVALS, _MOST_INTERVALS = 64, 4096
_SLIVER = 1e-5  # of a curve
_LINES, _SAMPLES_A_LINE, _NODES_A_PIECE = 512, 96, 16


def boundary_status(tree: Shape, earlier: tuple[Shape, ...] = ()) -> Status:
    """Returns the test `(points, normals) -> (kept, sign)` for the faces of one leaf of a tree.

    `sign` is -1 where the outward normal of the tree is opposite to that of the leaf. Points on
    `earlier` leaves are dropped.
    """

    def status(points: Any, normals: Any) -> tuple[Any, Any]:
        xp = namespace(points)
        step = rounding(tree, points)
        behind = tree._membership(points - step * normals) < 0
        ahead = tree._membership(points + step * normals) < 0
        kept = behind != ahead
        for leaf in earlier:
            kept = kept & (xp.abs(leaf._sdf(points)) > step)
        return kept, xp.where(ahead, -1, 1)

    return status


def cut(
    chart: Chart, status: Status, others: tuple[Shape, ...], alone: Status | None = None
) -> tuple[Chart, ...]:
    """Returns the charts of what is kept of a face: none, one, or the intervals of a curve.

    `others` are the leaves that may end it, `alone` is the test were there no earlier ones.
    """
    if chart.dimension == 0:
        return _cut_point(chart, status)
    if chart.dimension == 1 and not chart.is_cut:
        return _cut_curve(chart, status, others, alone or status)
    return _cut_surface(chart, status)


def _cut_map(chart: Chart, status: Status) -> Callable[[Any], tuple[Any, Any, Any]]:
    def cut_map(u: Any) -> tuple[Any, Any, Any]:
        points, normals, kept_before = chart.map(u)
        kept, sign = status(points, normals)
        kept = kept if kept_before is None else kept & kept_before
        return points, namespace(points).asarray(sign, points.dtype)[..., None] * normals, kept

    return cut_map


def _cut_point(chart: Chart, status: Status) -> tuple[Chart, ...]:
    points, normals, _ = chart.map(np.zeros(0))
    kept, sign = status(points, normals)
    if not kept:
        return ()

    def signed(u: Any) -> tuple[Any, Any, Any]:
        points, normals, _ = chart.map(u)
        return points, float(sign) * normals, None

    return (replace(chart, map=signed),)


def _cut_curve(
    chart: Chart, status: Status, others: tuple[Shape, ...], alone: Status
) -> tuple[Chart, ...]:
    code = _codes(chart, status)
    middles = _sorted_middles(chart, others)
    breaks = _transitions(code, middles)
    if len(breaks) and alone is not status:
        breaks = _snapped(breaks, _transitions(_codes(chart, alone), middles))
    breaks = _polished(chart, others, breaks)
    edges, codes = _without_slivers(np.concatenate([[0.0], breaks, [1.0]]), code)
    if len(codes) == 1:
        return (_uncut(chart, codes[0]),) if codes[0] else ()
    return tuple(
        _interval_of(chart, a, b, float(c))
        for a, b, c in zip(edges[:-1], edges[1:], codes, strict=True)
        if c != 0
    )


def _interval_of(chart: Chart, start: float, stop: float, sign: float) -> Chart:
    """Returns the part `start <= u <= stop` of a curve, its normals multiplied by `sign`."""

    def stretch(u: Any) -> Any:
        return start + (stop - start) * u

    def sub_map(u: Any) -> tuple[Any, Any, Any]:
        points, normals, kept = chart.map(stretch(u))
        return points, sign * normals, kept

    density = chart.density
    if density is None:
        return Chart(sub_map, 1, chart.measure * (stop - start))
    length = chart.measure * (stop - start)
    return curved_chart(sub_map, lambda u: length * density(stretch(u)), 1)


def _without_slivers(
    edges: np.ndarray, code: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the intervals and their codes, without those that a mere contact made.

    Where a curve touches another leaf, the boundary test is off within about the root of its step.
    """
    codes = code(edges[:-1] + 0.618 * np.diff(edges))
    real = np.diff(edges) > _SLIVER
    codes, starts = codes[real], edges[:-1][real]
    new = np.append(True, codes[1:] != codes[:-1])
    starts = np.where(np.arange(len(starts)) == 0, 0.0, starts)
    return np.append(starts[new], 1.0), codes[new]


def _uncut(chart: Chart, sign: float) -> Chart:
    if sign > 0:
        return chart

    def flipped(u: Any) -> tuple[Any, Any, Any]:
        points, normals, kept = chart.map(u)
        return points, -normals, kept

    return replace(chart, map=flipped)


def _codes(chart: Chart, status: Status) -> Callable[[np.ndarray], np.ndarray]:
    """Returns a function of u (n,): 0 where the point is dropped, else the sign of its normal."""

    def code(u: np.ndarray) -> np.ndarray:
        points, normals, _ = chart.map(u[:, None])
        kept, sign = status(points, normals)
        return np.where(kept, sign, 0)

    return code


def _sorted_middles(chart: Chart, others: tuple[Shape, ...]) -> np.ndarray:
    """Returns coordinates so dense that between neighbors nothing crosses, or that is tiny."""
    length = chart.measure * _top_speed(chart)
    pending = (np.arange(_FEWEST_INTERVALS) + 0.5) / _FEWEST_INTERVALS
    width = 1 / _FEWEST_INTERVALS
    done: list[np.ndarray] = []
    while pending.size and width > 1e-7:  # ends: the width halves
        distances = [np.abs(leaf._sdf(chart.map(pending[:, None])[0])) for leaf in others]
        near = np.zeros(pending.size, bool)
        for distance in distances:
            coincident = distance < 1e-11 * length
            near |= (distance < 0.5 * width * length) & ~coincident
        done.append(pending)
        if sum(map(len, done)) > _MOST_INTERVALS:
            break
        width /= 2
        pending = pending[near]
        pending = np.concatenate([pending - width / 2, pending + width / 2])
    return np.unique(np.concatenate(done))


def _top_speed(chart: Chart) -> float:
    """Returns the largest speed along a curve in units of its length."""
    if chart.density is None:
        return 1.0
    return 1.1 * float(np.max(chart.density(np.linspace(0, 1, 257)[:, None])))


def _transitions(code: Callable[[np.ndarray], np.ndarray], middles: np.ndarray) -> np.ndarray:
    """Returns where `code` changes between neighbors, by sixteenths of all changes at once."""
    grid = np.concatenate([[1e-13], middles, [1 - 1e-13]])
    values = code(grid)
    change = np.flatnonzero(values[1:] != values[:-1])
    low, high, left = grid[change], grid[change + 1], values[change]
    if not len(low):
        return low
    row = np.arange(len(low))
    for _ in range(9):  # from 1/64 to 2e-13
        steps = np.linspace(low, high, 17, axis=-1)
        same = code(steps[:, 1:-1].ravel()).reshape(len(low), -1) == left[:, None]
        ahead = np.cumprod(same, axis=1).sum(axis=1)  # how far it goes on unchanged
        low, high = steps[row, ahead], steps[row, ahead + 1]
    return np.asarray((low + high) / 2)


def _snapped(breaks: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Moves breaks to ends of the face that are near: where a curve touches an earlier leaf at its
    very end, it seems to be part of that."""
    if not len(ends):
        return breaks
    nearest = ends[np.argmin(np.abs(breaks[:, None] - ends), axis=1)]
    return np.where(np.abs(nearest - breaks) < _SLIVER, nearest, breaks)


def _polished(chart: Chart, others: tuple[Shape, ...], breaks: np.ndarray) -> np.ndarray:
    """Moves breaks, off by the step of the boundary test, to where another leaf's distance is 0."""
    result, best = breaks, np.full(breaks.shape, np.inf)
    for leaf in others:
        values = leaf._sdf(chart.map(breaks[:, None])[0])
        for step in (-1e-6, 1e-6):
            slope = (leaf._sdf(chart.map(breaks[:, None] + step)[0]) - values) / step
            moved = breaks - values / np.where(np.abs(slope) > 0.01 * chart.measure, slope, np.inf)
            left = np.abs(leaf._sdf(chart.map(moved[:, None])[0]))
            better = (np.abs(moved - breaks) < 1e-9) & (moved != breaks) & (left < best)
            result, best = np.where(better, moved, result), np.where(better, left, best)
    return np.clip(result, 0, 1)


def _cut_surface(chart: Chart, status: Status) -> tuple[Chart, ...]:
    cut_map = _cut_map(chart, status)
    total = chart.measure / chart.fraction
    u, _ = cube(2**12, chart.dimension, key=0, sampler="sobol")
    _, normals, kept = cut_map(u)
    if not chart.is_cut and kept.all():
        sign = np.sum(normals * chart.map(u)[1], axis=-1)
        if np.all(sign > 0) or np.all(sign < 0):
            return (_uncut(chart, sign[0]),)
    if chart.breaks is not None and chart.dimension == 2:
        rule = line_rule(cut_map, chart.density, chart.breaks)
    elif chart.rule is not None and not chart.is_smooth:  # lines would cross many pieces
        kept = cut_map(chart.rule[0])[2]
        rule = chart.rule[0][kept], chart.rule[1][kept]
    elif chart.dimension == 2:
        rule = line_rule(cut_map, chart.density)
    else:
        rule = _cloud_rule(chart, cut_map)
    fraction = float(np.sum(rule[1]))
    if fraction < 1e-9:
        return ()
    fraction = min(fraction, 1 - 1e-15)
    return (replace(chart, map=cut_map, measure=total * fraction, fraction=fraction, rule=rule),)


def line_rule(
    cut_map: Callable[[Any], tuple[Any, Any, Any]],
    density: Callable[[Any], Any] | None,
    breaks: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Returns nodes `(m, 2)` and weights of a rule for what is kept of a two-dimensional chart.

    Gauss panels across, and along each line Gauss rules on the intervals that are kept. Between
    the `breaks` of a chart of triangles, a panel is one in the root of the coordinate, of which
    places in the triangle are smooth functions.
    """
    if breaks is None:
        across, across_weights = _composite(_LINES // 4, 4)
    else:
        root, root_weights = _composite(max(1, _LINES // 4 // (len(breaks) - 1)), 4)
        across = (breaks[:-1, None] + np.diff(breaks)[:, None] * root**2).reshape(-1)
        across_weights = (np.diff(breaks)[:, None] * 2 * root * root_weights).reshape(-1)
    samples = int(np.clip(_LINES * _SAMPLES_A_LINE // len(across), 6, _SAMPLES_A_LINE))

    def kept(line: np.ndarray, along: np.ndarray) -> np.ndarray:
        return cut_map(np.stack([across[line], along], axis=-1))[2]

    grid = (np.arange(samples) + 0.5) / samples
    line = np.repeat(np.arange(len(across)), len(grid))
    inside = kept(line, np.tile(grid, len(across))).reshape(len(across), -1)
    at, cell = np.nonzero(inside[:, 1:] != inside[:, :-1])
    low, high, left = grid[cell], grid[cell + 1], inside[at, cell]
    for _ in range(36):
        middle = (low + high) / 2
        same = kept(at, middle) == left if middle.size else np.zeros(0, bool)
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    ends = (low + high) / 2
    # each line runs from 0 to 1 through its breaks; its pieces are kept in turn
    everything = np.arange(len(across))
    starts = np.concatenate([everything, at])
    begin = np.concatenate([np.zeros(len(across)), ends])
    order = np.lexsort([begin, starts])
    starts, begin = starts[order], begin[order]
    last = np.append(starts[1:] != starts[:-1], True)
    end = np.where(last, 1.0, np.append(begin[1:], 1.0))
    first = np.insert(starts[1:] != starts[:-1], 0, True)
    rank = np.arange(len(starts)) - np.maximum.accumulate(np.where(first, np.arange(len(first)), 0))
    keep = inside[starts, 0] ^ (rank % 2 == 1)
    starts, begin, end = starts[keep], begin[keep], end[keep]
    nodes, weights = _composite(1, _NODES_A_PIECE)
    along = begin[:, None] + (end - begin)[:, None] * nodes
    u = np.stack([np.broadcast_to(across[starts][:, None], along.shape), along], axis=-1)
    w = across_weights[starts][:, None] * (end - begin)[:, None] * weights
    u, w = u.reshape(-1, 2), w.reshape(-1)
    return u, w if density is None else w * density(u)


def _cloud_rule(chart: Chart, cut_map: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns Sobol nodes and weights for what is kept of a chart of three or more dimensions."""
    u, w = cube(2**16, chart.dimension, key=0, sampler="sobol")
    if chart.density is not None:
        w = w * chart.density(u)
    kept = cut_map(u)[2]
    return u[kept], w[kept]


def _composite(panels: int, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns Gauss-Legendre nodes and weights on equal panels of [0, 1]."""
    x, w = scipy.special.roots_legendre(nodes)
    x = (np.arange(panels)[:, None] + (x + 1) / 2) / panels
    return x.reshape(-1), np.tile(w / 2 / panels, panels)


def flux(chart: Chart, about: np.ndarray) -> float:
    """Returns the integral of `(x - about) . n` over what is kept of a face, in the coordinates
    that `about` has."""
    if chart.rule is not None:
        u, weights = chart.rule
        total = chart.measure / chart.fraction
    else:
        u, weights = _smooth_rule(chart)
        total = chart.measure
    points, normals, _ = chart.map(u)
    k = len(about)
    return total * float(weights @ np.sum((points[:, :k] - about) * normals[:, :k], axis=-1))


def _smooth_rule(chart: Chart) -> tuple[np.ndarray, np.ndarray]:
    count = {0: 1, 1: 256, 2: 64**2}[chart.dimension]
    u, weights = cube(count, chart.dimension, key=0, sampler="gauss", periodic=chart.periodic)
    return u, weights if chart.density is None else weights * chart.density(u)


def masked_box(shape: Shape, measure: float) -> Chart:
    """Returns the chart of a shape's interior by rejection from its bounds."""
    lower, upper = shape._bounds()

    def fill(u: Any) -> tuple[Any, None, Any]:
        xp = namespace(u)
        points = xp.asarray(lower, u.dtype) + xp.asarray(upper - lower, u.dtype) * u
        return points, None, shape._sdf(points) < 0

    fraction = min(measure / float(np.prod(upper - lower)), 1 - 1e-15)
    return Chart(fill, shape.dimension, measure, fraction=fraction)
