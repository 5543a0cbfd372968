"""Plane regions inside closed curves given by formulas, and wing sections."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from scipy.spatial import cKDTree

from geometry._arrays import compiled, namespace, norm, number, vector
from geometry.chart import Chart
from geometry.face import Face, Surface
from geometry.polygon import refuse_crossings, signed_area
from geometry.shape import Shape, positive, set_axes, set_name
from geometry.trim import flux, masked_box
from geometry.warp import curved_chart

_NODES = 128  # of each piece, where the search for the nearest point starts
_STEPS = 6


@dataclass(frozen=True, eq=False)
class Piece:
    """A smooth piece of a curve: its point, first and second derivative for s in [start, stop].

    `side` is 1 where the outside lies to the right of the direction of s, else -1.
    """

    name: str
    values: tuple[Callable[[Any], Any], ...]
    start: float
    stop: float
    side: float = 1.0

    def at(self, s: Any) -> tuple[Any, Any, Any]:
        """Returns the point, the derivative and the outward unit normal at s `(...)`."""
        xp = namespace(s)
        point, slope = (value(s[..., None]) for value in self.values[:2])
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
    def _nodes(self) -> tuple[np.ndarray, np.ndarray, cKDTree]:
        nodes = np.linspace(self.start, self.stop, _NODES + 1)
        placed = self.values[0](nodes[:, None])
        return nodes, placed, cKDTree(placed)

    def _nearest_node(self, points: Any) -> Any:
        xp = namespace(points)
        nodes, placed, tree = self._nodes
        if xp is np:
            return nodes[tree.query(points)[1]].astype(points.dtype)
        squared = xp.sum((points[..., None, :] - xp.asarray(placed, points.dtype)) ** 2, axis=-1)
        return xp.asarray(nodes, points.dtype)[xp.argmin(squared, axis=-1)]

    def _newton(self, points: Any, s: Any) -> Any:
        xp = namespace(points)
        place, slope, bend = (value(s[..., None]) for value in self.values)
        offset = place - points
        speed2 = xp.sum(slope * slope, axis=-1)
        rate = xp.maximum(speed2 + xp.sum(offset * bend, axis=-1), 0.1 * speed2)
        return xp.clip(s - xp.sum(offset * slope, axis=-1) / rate, self.start, self.stop)

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


class Outline(Shape, abc.ABC):
    """All that regions inside closed curves have in common."""

    name: str | None

    @abc.abstractmethod
    def _formulas(self) -> tuple[tuple[str, Any, tuple[Any, float, float]], ...]:
        """Names, SymPy formulas and limits of the pieces, each starting where the last stops."""

    @functools.cached_property
    def _pieces(self) -> tuple[Piece, ...]:
        import sympy

        pieces = []
        for name, formula, (s, start, stop) in self._formulas():
            orders = (tuple(sympy.diff(e, s, k) for e in formula) for k in range(3))
            values = tuple(compiled(order, (str(s),)) for order in orders)
            pieces.append(Piece(name, values, start, stop))
        side = 1.0 if signed_area(_polygon(pieces)) > 0 else -1.0
        return tuple(Piece(p.name, p.values, p.start, p.stop, side) for p in pieces)

    @functools.cached_property
    def _loop(self) -> np.ndarray:
        return _polygon(self._pieces)

    def _bounds(self) -> tuple[Any, Any]:
        margin = 1e-3 * np.ptp(self._loop, axis=0)
        return self._loop.min(axis=0) - margin, self._loop.max(axis=0) + margin

    def _sdf(self, points: Any) -> Any:
        """From the nearest piece: its height, or at a corner the distance with the sign of the
        polygon of nodes, which is off by less than a thousandth of a node's spacing there."""
        xp = namespace(points)
        distances, heights = [], []
        for piece in self._pieces:
            place, _, normal = piece.at(piece.nearest(points))
            distances.append(norm(points - place))
            heights.append(xp.sum((points - place) * normal, axis=-1))
        distance, height = xp.stack(distances, axis=-1), xp.stack(heights, axis=-1)
        best = xp.argmin(distance, axis=-1)[..., None]
        distance, height = (
            xp.take_along_axis(v, best, axis=-1)[..., 0] for v in (distance, height)
        )
        smooth = xp.abs(xp.abs(height) - distance) <= 1e-6 * distance + 1e-9 * float(
            np.ptp(self._loop)
        )
        return xp.where(smooth, height, xp.where(self._inside(points), -distance, distance))

    def _inside(self, points: Any) -> Any:
        xp = namespace(points)
        a = xp.asarray(self._loop, points.dtype)
        b = xp.roll(a, -1, axis=0)
        x, y = points[..., :1], points[..., 1:]
        straddles = (a[:, 1] > y) != (b[:, 1] > y)
        rise = xp.where(straddles, b[:, 1] - a[:, 1], 1)
        crossing = a[:, 0] + (y - a[:, 1]) * (b[:, 0] - a[:, 0]) / rise
        return xp.sum(straddles & (x < crossing), axis=-1) % 2 == 1

    def _level(self, points: Any) -> Any:
        return -self._sdf(points)

    def _solid(self) -> Chart:
        center = self._loop.mean(axis=0)
        area = sum(flux(face.chart, center) for face in self._boundary_faces) / 2
        return masked_box(self, float(area))

    def _faces(self) -> tuple[Face, ...]:
        kind = type(self).__name__.lower()
        alone = len(self._pieces) == 1
        return tuple(
            Face(piece.name, kind, self.name, piece.chart(), self._surface(piece, alone))
            for piece in self._pieces
        )

    def _surface(self, piece: Piece, alone: bool) -> Surface:
        outer = self._sdf if alone else piece.height

        def normal(points: Any) -> Any:
            return piece.at(piece.nearest(points))[2]

        def trim(points: Any) -> Any:
            return -piece.overshoot(points)

        return Surface(lambda p: -outer(p), outer, normal, None if alone else trim)


def _polygon(pieces: Any) -> np.ndarray:
    nodes = [np.linspace(p.start, p.stop, _NODES + 1)[:-1, None] for p in pieces]
    return np.concatenate([p.values[0](s) for p, s in zip(pieces, nodes, strict=True)])


@dataclass(frozen=True, repr=False)
class Curve(Outline):
    """The region inside a closed smooth curve, `Curve((x(s), y(s)), (s, start, stop))`.

    Its one part has its `name`, or "curve".

    Example:
        >>> from sympy import cos, pi, sin, symbols
        >>> s = symbols("s")
        >>> bean = Curve((cos(s) * (2 + sin(s)), sin(s) * (2 + sin(s))), (s, 0, 2 * pi))
        >>> round(bean.measure, 6)
        14.137167
    """

    formula: tuple[Any, Any]
    limits: tuple[Any, float, float]
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        call = "`Curve((x, y), (s, start, stop))`"
        if len(self.formula) != 2 or len(self.limits) != 3:
            raise ValueError(f"{call} needs two formulas and a symbol with two limits.")
        symbol, start, stop = self.limits
        strange = {str(t) for e in self.formula for t in getattr(e, "free_symbols", ())}
        if strange - {str(symbol)}:
            raise ValueError(f"{call} needs formulas of {symbol} alone; got {self.formula}.")
        limits = (symbol, float(number(start, call)), float(number(stop, call)))
        object.__setattr__(self, "formula", tuple(self.formula))
        object.__setattr__(self, "limits", limits)
        set_axes(self, self.axes, 2)
        set_name(self)
        ends = self._pieces[0].values[0](np.array([[limits[1]], [limits[2]]]))
        if not limits[1] < limits[2] or np.linalg.norm(ends[0] - ends[1]) > 1e-9 * self.size:
            raise ValueError(
                f"{call} needs a curve that ends where it starts; it runs from "
                f"{tuple(ends[0].tolist())} to {tuple(ends[1].tolist())}."
            )
        refuse_crossings((self._loop,))

    def _formulas(self) -> tuple[tuple[str, Any, tuple[Any, float, float]], ...]:
        return ((self.name or "curve", self.formula, self.limits),)


@dataclass(frozen=True, repr=False)
class NACA(Outline):
    """The four-digit wing section, with a sharp trailing edge.

    Its parts are "upper" and "lower", and its chord runs from `leading_edge` along x; rotate it for
    an angle of attack.

    Source: E. Jacobs, K. Ward, R. Pinkerton, The characteristics of 78 related airfoil sections,
    NACA report 460 (1933); the last coefficient is 0.1036 to close the trailing edge.

    Example:
        >>> NACA("0012").parts
        ('upper', 'lower')
    """

    digits: str
    chord: float = 1
    leading_edge: tuple[float, float] = (0, 0)
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        call = "`NACA(digits)`"
        if not (isinstance(self.digits, str) and len(self.digits) == 4 and self.digits.isdigit()):
            raise ValueError(
                f"{call} needs four digits as text, such as '2412'; got {self.digits!r}."
            )
        if int(self.digits[2:]) == 0:
            raise ValueError(f"{call} needs a thickness above zero; got {self.digits!r}.")
        if (self.digits[0] == "0") != (self.digits[1] == "0"):
            raise ValueError(
                f"{call} needs the height and the place of the camber both zero or both not; got "
                f"{self.digits!r}."
            )
        object.__setattr__(self, "chord", positive(self.chord, f"{call}: chord"))
        edge = vector(self.leading_edge, f"{call}: leading_edge", 2)
        object.__setattr__(self, "leading_edge", edge)
        set_axes(self, self.axes, 2)
        set_name(self)

    def _formulas(self) -> tuple[tuple[str, Any, tuple[Any, float, float]], ...]:
        """With x = s^2, so that the nose is smooth; split where the camber changes formula."""
        import sympy

        s = sympy.Symbol("s", real=True)
        height, place = int(self.digits[0]) / 100, int(self.digits[1]) / 10
        if height == 0:
            return (
                ("upper", self._side(s, sympy.S.Zero, 1), (s, 0.0, 1.0)),
                ("lower", self._side(-s, sympy.S.Zero, -1), (s, -1.0, 0.0)),
            )
        front = height / place**2 * (2 * place * s**2 - s**4)
        rear = height / (1 - place) ** 2 * (1 - 2 * place + 2 * place * s**2 - s**4)
        split = float(np.sqrt(place))
        return (
            ("upper", self._side(s, front, 1), (s, 0.0, split)),
            ("upper", self._side(s, rear, 1), (s, split, 1.0)),
            ("lower", self._side(-s, rear, -1), (s, -1.0, -split)),
            ("lower", self._side(-s, front, -1), (s, -split, 0.0)),
        )

    def _side(self, root: Any, camber: Any, sign: int) -> tuple[Any, Any]:
        """One side of the section, with `root` the square root of x in terms of s."""
        import sympy

        (s,) = root.free_symbols
        thickness = int(self.digits[2:]) / 100
        x = s**2
        half = (
            5
            * thickness
            * (0.2969 * root - 0.1260 * x - 0.3516 * x**2 + 0.2843 * x**3 - 0.1036 * x**4)
        )
        slope = sympy.cancel(sympy.diff(camber, s) / (2 * s)) if camber != 0 else sympy.S.Zero
        length = sympy.sqrt(1 + slope**2)
        x0, y0 = self.leading_edge
        return (
            x0 + self.chord * (x - sign * half * slope / length),
            y0 + self.chord * (camber + sign * half / length),
        )
