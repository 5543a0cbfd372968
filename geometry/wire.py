"""Curves as sets of points in the plane, in space, or above: cracks, wires, sensor lines."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from geometry._arrays import namespace, query, without_caches
from geometry.chart import Chart, draw, product
from geometry.curve_piece import (
    Piece,
    check_formula,
    check_points,
    formula_piece,
    spline_piece,
    straight_pieces,
)
from geometry.product import set_span
from geometry.samples import BoundarySample
from geometry.sequences import check_count, point_count, subkey
from geometry.shape import (
    constructor_text,
    contact_tolerance,
    largest_remainders,
    set_axes,
    set_name,
)


@dataclass(frozen=True, repr=False)
class Wire:
    """A curve, open or closed, as a place: `Wire((cos(s), sin(s), s), (s, 0, 2 * pi))`.

    Conditions hold on it and integrals run over it, as on a part of a boundary, though it may lie
    anywhere in a domain.

    Arguments:
        curve: formulas of one symbol, one for each coordinate; or points that the curve joins.
        limits: the symbol with its limits, `(s, start, stop)`, for formulas.
        closed: whether points are joined in a ring.
        smooth: whether a cubic spline joins points (natural, or periodic where `closed`), else
            straight segments do.

    Example:
        >>> Wire([(0, 0), (3, 4)]).measure
        5.0
    """

    curve: tuple[Any, ...]
    limits: tuple[Any, float, float] | None = None
    closed: bool = False
    smooth: bool = True
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.limits is not None:
            call = "`Wire((x, y, ...), (s, start, stop))`"
            curve, limits = check_formula(self.curve, self.limits, call)
            object.__setattr__(self, "limits", limits)
            if self.closed or not self.smooth:
                raise ValueError(f"{call} takes `closed` and `smooth` for points, not formulas.")
            dimension = len(curve)
        else:
            call = "`Wire(points)`"
            least = 3 if self.closed else 2
            curve = check_points(self.curve, call, least=least)
            if self.closed and curve[0] == curve[-1]:
                curve = check_points(curve[:-1], call, least=least)
            dimension = len(curve[0])
        object.__setattr__(self, "curve", curve)
        set_axes(self, self.axes, dimension)
        set_name(self)

    @functools.cached_property
    def _pieces(self) -> tuple[Piece, ...]:
        name = self.names[0]
        if self.limits is not None:
            return (formula_piece(name, self.curve, self.limits),)
        points = np.asarray(self.curve, float)
        if self.smooth:
            return (spline_piece(name, points, self.closed),)
        return straight_pieces(name, points, self.closed)

    @property
    def _is_closed(self) -> bool:
        """Whether it ends where it starts."""
        first, last = self._pieces[0], self._pieces[-1]
        gap = first._placed[1][0] - last._placed[1][-1]
        return bool(np.linalg.norm(gap) <= 1e-9 * self.size)

    @functools.cached_property
    def _charts(self) -> tuple[Chart, ...]:
        return tuple(piece.chart() for piece in self._pieces)

    @property
    def names(self) -> tuple[str]:
        """Its name, "wire" if it was given none."""
        return (self.name or "wire",)

    @property
    def dimension(self) -> int:
        """Number of coordinates of its points."""
        return len(self.axes)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper corner of a box that encloses the curve, up to its sampling."""
        placed = np.concatenate([piece._placed[1] for piece in self._pieces])
        return placed.min(axis=0), placed.max(axis=0)

    @functools.cached_property
    def size(self) -> float:
        """Length of the diagonal of `bounds`, to which tolerances are relative."""
        lower, upper = self.bounds
        return float(np.linalg.norm(upper - lower))

    @property
    def measure(self) -> float:
        """Length of the curve."""
        return float(sum(chart.measure for chart in self._charts))

    def sample(
        self,
        n: int | None = None,
        *,
        key: Any,
        sampler: str = "sobol",
        density: float | None = None,
    ) -> BoundarySample:
        """Returns `n` points of the curve, uniform in length, with weights that sum to that.

        In the plane the normals point to the right of the direction of the curve; elsewhere a curve
        has no one normal, and they are zero. Arguments are those of `Shape.sample_interior`.
        """
        return _sample(self._charts, point_count(n, density, self.measure), key, sampler)

    def over(self, t: Any, start: float, end: float) -> WireInTime:
        """Returns the place of the curve in space-time, for times from `start` to `end`."""
        return WireInTime(self, str(t), start, end)

    def _squared(self, points: Any) -> Any:
        xp = namespace(points)
        offsets = [points - piece.at(piece.nearest(points))[0] for piece in self._pieces]
        return functools.reduce(xp.minimum, [xp.sum(o * o, axis=-1) for o in offsets])

    @query
    def contains(self, points: Any) -> Any:
        """Returns whether each point `(..., dimension)` lies on the curve, up to rounding.

        The tolerance is 1.5e-8 of its size in float64, 3e-4 in float32.
        """
        return self._squared(points) <= (contact_tolerance(points) * self.size) ** 2

    @query
    def distance(self, points: Any) -> Any:
        """Returns the squared distance `(...)`, which is smooth at the curve itself too.

        Notes: the nearest point is found by Newton's method from the nearest of 128 nodes or more,
        and the distance is smooth where that point is unique.
        """
        return self._squared(points)

    def __getstate__(self) -> dict[str, Any]:
        return without_caches(self)

    def __repr__(self) -> str:
        return constructor_text(self)


@dataclass(frozen=True, repr=False)
class WireInTime:
    """The place of a wire at rest in space-time; written `wire.over(t, start, end)`.

    Weights are length times duration, and normals are those of the wire, without a part in time.
    """

    wire: Wire
    axis: str
    start: float
    end: float

    def __post_init__(self) -> None:
        set_span(self, "`over(t, a, b)`")
        if self.axis in self.wire.axes:
            raise ValueError(f"`over(t, a, b)` needs a new name for time; got {self.axis!r}.")
        object.__setattr__(self, "axes", (*self.wire.axes, self.axis))

    @property
    def names(self) -> tuple[str]:
        """The name of the wire."""
        return self.wire.names

    @property
    def dimension(self) -> int:
        """Number of coordinates of its points, with time."""
        return self.wire.dimension + 1

    @property
    def measure(self) -> float:
        """Length times duration."""
        return self.wire.measure * (self.end - self.start)

    def sample(
        self,
        n: int | None = None,
        *,
        key: Any,
        sampler: str = "sobol",
        density: float | None = None,
    ) -> BoundarySample:
        """Returns `n` points, distinct in space and time; see `Wire.sample`."""
        charts = tuple(product(chart, self.start, self.end) for chart in self.wire._charts)
        return _sample(charts, point_count(n, density, self.measure), key, sampler)

    @query
    def contains(self, points: Any) -> Any:
        """Returns whether each point lies on the wire at a time from start to end."""
        near = contact_tolerance(points) * (self.end - self.start)
        t = points[..., -1]
        on_wire = self.wire.contains(points[..., :-1])
        return on_wire & (t >= self.start - near) & (t <= self.end + near)

    @query
    def distance(self, points: Any) -> Any:
        """Returns the squared distance in space `(...)` from the wire."""
        return self.wire.distance(points[..., :-1])

    def __repr__(self) -> str:
        return f"{self.wire!r}.over({self.axis!r}, {self.start!r}, {self.end!r})"


def _sample(charts: tuple[Chart, ...], n: int, key: Any, sampler: str) -> BoundarySample:
    """About `n` points of charts by measure; with fewer than there are charts, of the longest."""
    check_count(n)
    measures = np.array([chart.measure for chart in charts])
    columns = [
        draw(chart, count, key=subkey(key, index), sampler=sampler)
        for index, (chart, count) in enumerate(
            zip(charts, largest_remainders(measures, n), strict=True)
        )
        if count
    ]
    xp = namespace(columns[0][0])
    points, normals, weights = (xp.concatenate(c) for c in zip(*columns, strict=True))
    weights = weights * (float(measures.sum()) / xp.sum(weights))
    return BoundarySample(points, normals, weights, xp.zeros(len(points), int))
