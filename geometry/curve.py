"""Plane regions inside closed curves given by formulas, and wing sections."""

from __future__ import annotations

import abc
import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geometry._arrays import namespace, norm, vector
from geometry.chart import Chart
from geometry.curve_piece import (
    Piece,
    check_formula,
    check_points,
    formula_piece,
    spline_piece,
)
from geometry.face import Face, Surface
from geometry.polygon import refuse_crossings, signed_area
from geometry.shape import Shape, positive, set_axes, set_name
from geometry.trim import flux, masked_box
from geometry.wire import Wire


class Outline(Shape, abc.ABC):
    """All that regions inside closed curves have in common."""

    name: str | None

    @abc.abstractmethod
    def _drawn(self) -> tuple[Piece, ...]:
        """The pieces, each starting where the last stops, in either sense."""

    @functools.cached_property
    def _pieces(self) -> tuple[Piece, ...]:
        pieces = self._drawn()
        side = 1.0 if signed_area(_polygon(pieces)) > 0 else -1.0
        return tuple(replace(piece, side=side) for piece in pieces)

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
        error = self.size * sum(face.chart.error for face in self._boundary_faces)
        return replace(masked_box(self, float(area)), error=float(error))

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
    nodes = [np.linspace(p.start, p.stop, p.nodes + 1)[:-1, None] for p in pieces]
    return np.concatenate([p.values[0](s) for p, s in zip(pieces, nodes, strict=True)])


@dataclass(frozen=True, repr=False)
class Curve(Outline):
    """The region inside a closed smooth curve, `Curve((x(s), y(s)), (s, start, stop))`.

    Its one part has its `name`, or "curve". An open curve, or one in space, encloses nothing: it is
    the `Wire` of the same arguments, and that is what this returns for it.

    Arguments:
        curve: two formulas of one symbol; or points that a periodic cubic spline joins in a ring.
        limits: the symbol with its limits, `(s, start, stop)`, for formulas.

    Example:
        >>> from sympy import cos, pi, sin, symbols
        >>> s = symbols("s")
        >>> bean = Curve((cos(s) * (2 + sin(s)), sin(s) * (2 + sin(s))), (s, 0, 2 * pi))
        >>> round(bean.measure, 6)
        14.137167
    """

    curve: tuple[Any, ...]
    limits: tuple[Any, float, float] | None = None
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __new__(cls, curve: Any = None, limits: Any = None, name: Any = None, axes: Any = None):
        wire = (
            None if curve is None or limits is None else Wire(curve, limits, name=name, axes=axes)
        )
        if wire is not None and not (wire.dimension == 2 and wire._is_closed):
            return wire
        return super().__new__(cls)

    def __post_init__(self) -> None:
        if self.limits is not None:
            call = "`Curve((x, y), (s, start, stop))`"
            curve, limits = check_formula(self.curve, self.limits, call)
            object.__setattr__(self, "limits", limits)
        else:
            curve = check_points(self.curve, "`Curve(points)`", least=3)
            curve = curve[:-1] if curve[0] == curve[-1] else curve
            if len(curve) < 3 or len(curve[0]) != 2:
                raise ValueError(
                    f"`Curve(points)` needs three or more points of the plane; got {self.curve!r}. "
                    "A curve in space is a `Wire`."
                )
        object.__setattr__(self, "curve", curve)
        set_axes(self, self.axes, 2)
        set_name(self)
        refuse_crossings((self._loop,))

    def _drawn(self) -> tuple[Piece, ...]:
        name = self.name or "curve"
        if self.limits is not None:
            return (formula_piece(name, self.curve, self.limits),)
        return (spline_piece(name, np.asarray(self.curve, float), True),)


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

    def _drawn(self) -> tuple[Piece, ...]:
        return tuple(formula_piece(*formula) for formula in self._formulas())

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
