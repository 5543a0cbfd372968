"""Smooth pieces of curves in any dimension: by formulas, by splines, or straight."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
import scipy

from geometry._arrays import compiled, namespace, nearest_index, norm, number, vector
from geometry.chart import Chart
from geometry.warp import curved_chart

NODES = 128  # of each piece, where the search for the nearest point starts
_STEPS = 6

Limits = tuple[Any, float, float]


@dataclass(frozen=True, eq=False)
class Piece:
    """A smooth piece of a curve: its point, first and second derivative for s in [start, stop].

    In the plane `side` is 1 where the outside lies to the right of the direction of s, else -1;
    elsewhere there is no outside and normals are zero. `closes` says that the piece ends where it
    starts, in the same direction.
    """

    name: str
    values: tuple[Callable[[Any], Any], ...]
    start: float
    stop: float
    side: float = 1.0
    closes: bool = False
    nodes: int = NODES

    def at(self, s: Any) -> tuple[Any, Any, Any]:
        """Returns the point, the derivative and the outward unit normal at s `(...)`."""
        xp = namespace(s)
        point, slope = (value(s[..., None]) for value in self.values[:2])
        if point.shape[-1] != 2:
            return point, slope, xp.zeros_like(point)
        across = xp.stack([slope[..., 1], -slope[..., 0]], axis=-1) * self.side
        return point, slope, across / norm(across)[..., None]

    def nearest(self, points: Any) -> Any:
        """Returns the s of the nearest point `(...)`, by Newton's method from the nearest node."""
        xp = namespace(points)
        still = points if xp is np else jax.lax.stop_gradient(points)
        s = self._nearest_node(still)
        for _ in range(_STEPS):
            s = self._newton(still, s)
        for _ in range(2):  # carry derivatives
            s = self._newton(points, s)
        return s

    @functools.cached_property
    def _placed(self) -> tuple[np.ndarray, np.ndarray, scipy.spatial.cKDTree]:
        s = np.linspace(self.start, self.stop, self.nodes + 1)
        placed = self.values[0](s[:, None])
        return s, placed, scipy.spatial.cKDTree(placed)

    def _nearest_node(self, points: Any) -> Any:
        xp = namespace(points)
        s, placed, tree = self._placed
        if xp is np:
            return s[nearest_index(tree, points)].astype(points.dtype)
        squared = xp.sum((points[..., None, :] - xp.asarray(placed, points.dtype)) ** 2, axis=-1)
        return xp.asarray(s, points.dtype)[xp.argmin(squared, axis=-1)]

    def _newton(self, points: Any, s: Any) -> Any:
        xp = namespace(points)
        place, slope, bend = (value(s[..., None]) for value in self.values)
        offset = place - points
        speed2 = xp.sum(slope * slope, axis=-1)
        rate = xp.maximum(speed2 + xp.sum(offset * bend, axis=-1), 0.1 * speed2)
        moved = s - xp.sum(offset * slope, axis=-1) / rate
        if self.closes:
            return self.start + (moved - self.start) % (self.stop - self.start)
        return xp.clip(moved, self.start, self.stop)

    def chart(self) -> Chart:
        """Returns the chart of the piece, with its normals."""
        span = self.stop - self.start

        def cover(u: Any) -> tuple[Any, Any, None]:
            point, _, normal = self.at(self.start + span * u[..., 0])
            return point, normal, None

        return curved_chart(
            cover, lambda u: span * norm(self.at(self.start + span * u[..., 0])[1]), 1
        )

    def height(self, points: Any) -> Any:
        """Returns the distance above the tangent at the nearest point, positive outside."""
        place, _, normal = self.at(self.nearest(points))
        return namespace(points).sum((points - place) * normal, axis=-1)

    def overshoot(self, points: Any) -> Any:
        """Returns how far points lie before the start or beyond the stop, else minus the share."""
        xp = namespace(points)
        s = self.nearest(points)
        place, slope, _ = self.at(s)
        along = xp.abs(xp.sum((points - place) * slope, axis=-1)) / norm(slope)
        return along - (s - self.start) * (self.stop - s) / (self.stop - self.start)


def formula_piece(name: str, formula: tuple[Any, ...], limits: Limits) -> Piece:
    """Returns the piece that SymPy formulas of one symbol draw."""
    import sympy

    s, start, stop = limits
    orders = (tuple(sympy.diff(e, s, k) for e in formula) for k in range(3))
    values = tuple(compiled(order, (str(s),)) for order in orders)
    return Piece(name, values, start, stop, closes=_closes(values, start, stop))


def spline_piece(name: str, points: np.ndarray, closed: bool) -> Piece:
    """Returns the cubic spline through points `(n, d)`, natural or periodic, by chord length."""
    from scipy.interpolate import CubicSpline

    points = np.concatenate([points, points[:1]]) if closed else points
    s = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=-1)))
    spline = CubicSpline(s, points, bc_type="periodic" if closed else "natural")
    values = tuple(_polynomials(spline.derivative(k) if k else spline) for k in range(3))
    return Piece(
        name, values, 0.0, float(s[-1]), closes=closed, nodes=max(NODES, 8 * (len(points) - 1))
    )


def _polynomials(spline: Any) -> Callable[[Any], Any]:
    """Returns a piecewise polynomial of SciPy as a function of s `(..., 1)`."""
    breaks, coefficients = spline.x, spline.c  # (pieces + 1,), (degree + 1, pieces, d)

    def value(s: Any) -> Any:
        xp = namespace(s)
        at, rows = xp.asarray(breaks, s.dtype), xp.asarray(coefficients, s.dtype)
        index = xp.clip(xp.searchsorted(at, s[..., 0], side="right") - 1, 0, len(breaks) - 2)
        local = s - at[index][..., None]
        result = rows[0][index]
        for row in rows[1:]:
            result = result * local + row[index]
        return result

    return value


def straight_pieces(name: str, points: np.ndarray, closed: bool) -> tuple[Piece, ...]:
    """Returns the segments between consecutive points `(n, d)`."""
    stops = np.roll(points, -1, axis=0)
    pairs = list(zip(points, stops, strict=True))
    return tuple(
        spline_piece(name, np.stack(pair), False) for pair in pairs[: None if closed else -1]
    )


def _closes(values: tuple[Callable[[Any], Any], ...], start: float, stop: float) -> bool:
    ends = np.array([[start], [stop]])
    (a, b), (before, after) = values[0](ends), values[1](ends)
    scale = np.abs(values[0](np.linspace(start, stop, 17)[:, None]) - a).max()
    turn = np.linalg.norm(before / np.linalg.norm(before) - after / np.linalg.norm(after))
    return bool(np.linalg.norm(a - b) <= 1e-9 * scale and turn < 1e-6)


def check_formula(formula: Any, limits: Any, call: str) -> tuple[tuple[Any, ...], Limits]:
    """Returns the formulas and limits of a curve after checks."""
    if not hasattr(limits, "__len__") or len(limits) != 3:
        raise ValueError(f"{call} needs a symbol with two limits, as (s, 0, 1); got {limits!r}.")
    symbol, start, stop = limits
    if not getattr(symbol, "is_Symbol", False):
        raise TypeError(f"{call} needs a symbol that runs along the curve; got {symbol!r}.")
    formula = tuple(formula)
    strange = {str(t) for e in formula for t in getattr(e, "free_symbols", ())} - {str(symbol)}
    if len(formula) < 2 or strange:
        raise ValueError(
            f"{call} needs formulas of {symbol} alone, one for each of two or more coordinates; "
            f"got {formula}."
        )
    a, b = float(number(start, call)), float(number(stop, call))
    if not a < b:
        raise ValueError(f"{call} needs start < stop; got {a} and {b}.")
    s = np.linspace(a, b, NODES + 1)[:, None]
    with np.errstate(all="ignore"):
        values = formula_piece("", formula, (symbol, a, b)).values
        placed, speed = values[0](s), norm(values[1](s))
    if not (np.isfinite(placed).all() and np.isfinite(speed).all()):
        raise ValueError(f"{call} needs finite points with finite derivatives; got {formula}.")
    if not speed.min() > 1e-9 * max(float(speed.max()), 1e-300):
        raise ValueError(
            f"{call} needs a curve that moves on everywhere; {formula} stands still at "
            f"{symbol} = {s[speed.argmin(), 0]:.6g}."
        )
    return formula, (symbol, a, b)


def check_points(points: Any, call: str, *, least: int) -> tuple[tuple[float, ...], ...]:
    """Returns the points of a curve as tuples of numbers, after checks."""
    rows = tuple(vector(row, call) for row in points)
    if len(rows) < least:
        raise ValueError(f"{call} needs {least} points or more; got {len(rows)}.")
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        raise ValueError(f"{call} needs points with the same two or more coordinates.")
    array = np.asarray(rows, float)
    gaps = np.linalg.norm(np.diff(array, axis=0), axis=-1)
    if gaps.min() <= 1e-12 * np.ptp(array, axis=0).max():
        raise ValueError(f"{call} needs distinct points; {rows[int(gaps.argmin())]} comes twice.")
    return rows
