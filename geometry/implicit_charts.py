"""Charts of the surface where a function vanishes: rings in the plane, patches in space, shells."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy

from geometry._arrays import namespace, norm
from geometry.chart import Chart
from geometry.level_set import Contour, Level, mapped, normals, onto, slopes
from geometry.sequences import cube
from geometry.simplices import barycentric
from geometry.warp import curved_chart

_SHELL = 0.01  # of the size


@dataclass(frozen=True, eq=False)
class Rule:
    """Nodes of a chart `(n, k)`, with the points, outward normals and weights that belong there."""

    nodes: np.ndarray
    points: np.ndarray
    normals: np.ndarray
    weights: np.ndarray

    @property
    def measure(self) -> float:
        """Length or area."""
        return float(self.weights.sum())

    @property
    def relative(self) -> tuple[np.ndarray, np.ndarray]:
        """The nodes, and the weights in units of the measure."""
        return self.nodes, self.weights / self.measure

    def enclosed(self, about: np.ndarray) -> float:
        """Returns the measure of what is enclosed, by the divergence theorem."""
        heights = np.sum((self.points - about) * self.normals, axis=-1)
        return float(self.weights @ heights) / len(about)


def _panels(knots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gauss nodes and weights `(n, 5)` on the intervals between knots."""
    x, w = scipy.special.roots_legendre(5)
    lengths = np.diff(knots)[:, None]
    return knots[:-1, None] + lengths * (x + 1) / 2, lengths * w / 2


@dataclass(frozen=True, eq=False)
class Ring:
    """A closed curve where a function vanishes, from points of it in order.

    Cubic Hermite arcs join the points along the tangents of the curve, and are moved onto it across
    their own direction. The parameter s in [0, length] is the length along the curve, nearly.
    """

    level: Level
    polygon: np.ndarray
    spacing: float

    @functools.cached_property
    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The points and the unit tangents there, the first ones again at the end."""
        along = np.roll(self.polygon, -1, axis=0) - np.roll(self.polygon, 1, axis=0)
        tangents = _turned(mapped(normals, self.level, self.polygon))
        ahead = np.sum(tangents * along, axis=-1)[:, None]
        # Where the function has no slope, as at a cusp, the chord stands for the tangent.
        tangents = np.where(ahead == 0, along / norm(along)[:, None], tangents * np.sign(ahead))
        closed = (np.concatenate([v, v[:1]]) for v in (self.polygon, tangents))
        return next(closed), next(closed)

    @functools.cached_property
    def _knots(self) -> np.ndarray:
        """The s of the points and of the end: chords first, then the arcs on them measured."""
        chords = norm(np.roll(self.polygon, -1, axis=0) - self.polygon)
        knots = np.append(0.0, np.cumsum(chords))
        s, weights = _panels(knots)
        arcs = self._at(s, knots)[2] * weights
        return np.append(0.0, np.cumsum(arcs.sum(axis=1)))

    def _at(self, s: Any, knots: np.ndarray) -> tuple[Any, Any, Any]:
        """The points, the outward normals and the speeds at s `(...)`."""
        xp = namespace(s)
        table, points, tangents = (xp.asarray(v, s.dtype) for v in (knots, *self._ends))
        i = xp.clip(xp.searchsorted(table, s, side="right") - 1, 0, len(knots) - 2)
        h = (table[i + 1] - table[i])[..., None]
        x = (s - table[i])[..., None] / h
        place, slope, bend = _hermite(x, h, points[i], tangents[i], points[i + 1], tangents[i + 1])
        reach = xp.full_like(x, self.spacing)
        return mapped(_moved_arc, self.level, place, slope, bend, reach)

    @functools.cached_property
    def rule(self) -> Rule:
        """Gauss rules on every arc, at u in [0, 1]."""
        s, weights = _panels(self._knots)
        points, outward, speed = self._at(s.ravel(), self._knots)
        nodes = s.reshape(-1, 1) / self._knots[-1]
        return Rule(nodes, points, outward, weights.ravel() * speed)

    def chart(self) -> Chart:
        """Returns the chart of the ring, with its normals."""
        length = float(self._knots[-1])

        def cover(u: Any) -> tuple[Any, Any, None]:
            points, outward, _ = self._at(length * u[..., 0], self._knots)
            return points, outward, None

        def element(u: Any) -> Any:
            return length * self._at(length * u[..., 0], self._knots)[2]

        chart = curved_chart(cover, element, 1, (True,))
        return replace(chart, measure=self.rule.measure, rule=self.rule.relative)


def _moved_arc(level: Level, place: Any, slope: Any, bend: Any, reach: Any) -> Any:
    """Points of arcs moved across them onto the surface, with normals and speeds."""
    across, turn = _turned(slope), _turned(bend)
    r = onto(level, place, across, reach[:, 0])[:, None]
    found = place + r * across
    outward = normals(level, found)
    change = slope + r * turn
    rise = -jnp.sum(outward * change, axis=-1) / jnp.sum(outward * across, axis=-1)
    return found, outward, norm(change + rise[:, None] * across)


def _turned(vectors: Any) -> Any:
    """Vectors of the plane, a quarter turn on."""
    return namespace(vectors).stack([vectors[..., 1], -vectors[..., 0]], axis=-1)


def _hermite(x: Any, h: Any, p: Any, t: Any, q: Any, v: Any) -> tuple[Any, Any, Any]:
    """Value, first and second derivative in s = h x of the cubic from p, slope t, to q, slope v."""
    a = 2 * (p - q) + h * (t + v)
    b = 3 * (q - p) - h * (2 * t + v)
    value = p + x * (h * t + x * (b + x * a))
    return value, t + x * (2 * b + x * 3 * a) / h, (2 * b + 6 * a * x) / h**2


@dataclass(frozen=True, eq=False)
class Patch:
    """The surface in space where a function vanishes, from triangles with corners on it.

    Points of a triangle are moved onto the surface along the normals at its corners, interpolated.
    """

    level: Level
    found: Contour

    @functools.cached_property
    def _corners(self) -> tuple[np.ndarray, np.ndarray]:
        """The corners and the normals there, `(triangles, 3, d)` each."""
        outward = mapped(normals, self.level, self.found.vertices)
        return self.found.vertices[self.found.cells], outward[self.found.cells]

    @functools.cached_property
    def _areas(self) -> tuple[np.ndarray, ...]:
        """Nodes of every triangle `(triangles, 9, 2)` in the square, their points, normals and
        weights: Gauss rules in the root of the first coordinate, by which `barycentric` makes
        triangles of squares, and in the second."""
        corners, outward = self._corners
        x, w = scipy.special.roots_legendre(3)
        x, w = (x + 1) / 2, w / 2
        root, across = (v.ravel() for v in np.meshgrid(x, x, indexing="ij"))
        inside = np.stack([root**2, across], axis=-1)
        columns = [barycentric(inside) @ values for values in (corners, outward)]
        for i in (1, 2):
            for values in (corners, outward):
                edge = (values[:, i] - values[:, 0])[:, None]
                columns.append(np.broadcast_to(edge, columns[0].shape))
        columns.append(np.full((*columns[0].shape[:-1], 1), self.found.spacing))
        points, outward, elements = mapped(_moved_triangle, self.level, *columns)
        weights = elements * (root * np.outer(w, w).ravel())
        return np.broadcast_to(inside, (*weights.shape, 2)), points, outward, weights

    @functools.cached_property
    def _steps(self) -> np.ndarray:
        """The first coordinates at which one triangle follows another."""
        areas = self._areas[-1].sum(axis=1)
        steps = np.append(0.0, np.cumsum(areas / areas.sum()))
        return np.asarray(steps / steps[-1])

    @functools.cached_property
    def rule(self) -> Rule:
        """Gauss rules on every triangle."""
        inside, points, outward, weights = self._areas
        first = self._steps[:-1, None] + np.diff(self._steps)[:, None] * inside[..., 0]
        nodes = np.stack([first, inside[..., 1]], axis=-1)
        return Rule(
            nodes.reshape(-1, 2), points.reshape(-1, 3), outward.reshape(-1, 3), weights.ravel()
        )

    def chart(self) -> Chart:
        """Returns a chart that preserves measure from triangle to triangle."""
        corners, tilted = self._corners

        def cover(u: Any) -> tuple[Any, Any, None]:
            xp = namespace(u)
            edges = xp.asarray(self._steps, u.dtype)
            index = xp.searchsorted(edges, u[..., 0], side="right") - 1
            index = xp.clip(index, 0, len(corners) - 1)
            width = edges[index + 1] - edges[index]
            first = xp.clip((u[..., 0] - edges[index]) / xp.where(width > 0, width, 1), 0, 1)
            shares = barycentric(xp.stack([first, u[..., 1]], axis=-1))[..., None]
            places, directions = (
                xp.sum(shares * xp.asarray(values, u.dtype)[index], axis=-2)
                for values in (corners, tilted)
            )
            reach = xp.full_like(places[..., :1], self.found.spacing)
            return *mapped(_moved, self.level, places, directions, reach), None

        return Chart(cover, 2, self.rule.measure, rule=self.rule.relative, is_smooth=False)


def _moved(level: Level, places: Any, directions: Any, reach: Any) -> tuple[Any, Any]:
    """Points moved along directions onto the surface, with normals."""
    points = places + onto(level, places, directions, reach[:, 0])[:, None] * directions
    return points, normals(level, points)


def _moved_triangle(
    level: Level, places: Any, directions: Any, a: Any, da: Any, b: Any, db: Any, reach: Any
) -> tuple[Any, Any, Any]:
    """Points moved along directions onto the surface, with normals and area elements.

    Places change by a and b, directions by da and db, in the two coordinates of a triangle.
    """
    r = onto(level, places, directions, reach[:, 0])[:, None]
    points = places + r * directions
    outward = normals(level, points)
    sides = jnp.sum(outward * directions, axis=-1, keepdims=True)
    sweeps = []
    for change in (a + r * da, b + r * db):
        rise = -jnp.sum(outward * change, axis=-1, keepdims=True) / sides
        sweeps.append(change + rise * directions)
    return points, outward, norm(jnp.cross(*sweeps))


def shell_chart(level: Level, lower: np.ndarray, upper: np.ndarray, size: float) -> Chart:
    """Returns a chart of the surface in any dimension: points near it, moved onto it.

    Those within a distance on both sides are uniform on the surface, up to its curvature squared.
    """
    d, reach = len(lower), _SHELL * size

    def cover(u: Any) -> tuple[Any, Any, Any]:
        xp = namespace(u)
        points = xp.asarray(lower, u.dtype) + xp.asarray(upper - lower, u.dtype) * u
        p, outward, miss = mapped(_dropped, level, points, xp.full_like(u[..., :1], size))
        near = norm(points - p) < reach
        return p, outward, near & (miss <= 1e-6 * size)

    shares = [cover(cube(2**14, d, key=k, sampler="sobol")[0])[2].mean() for k in range(8)]
    volume = float(np.prod(upper - lower))
    fraction = float(np.mean(shares))
    if fraction == 0:
        raise ValueError("`Implicit` found no surface of the level in its bounds; tighten these.")
    times = volume / (2 * reach)
    error = float(np.std(shares, ddof=1) / np.sqrt(8)) * times
    return Chart(cover, d, fraction * times, fraction=min(fraction, 1 - 1e-15), error=error)


def _dropped(level: Level, points: Any, size: Any) -> tuple[Any, Any, Any]:
    """Zeros near points, normals there, and how far from zeros they may still be."""
    p = approached(level, points, size[0, 0] / 10)
    value, slope = slopes(level, p)
    steep = norm(slope)
    return p, slope / steep[:, None], jnp.abs(value) / steep


def approached(level: Level, points: Any, reach: Any) -> Any:
    """Returns zeros of the function near points `(n, d)`, down its gradient."""

    def step(_: int, p: Any) -> Any:
        value, slope = slopes(level, p)
        squared = jnp.sum(slope * slope, axis=-1)
        change = (value / jnp.where(squared > 0, squared, jnp.inf))[:, None] * slope
        return p - change * jnp.minimum(1, reach / jnp.maximum(norm(change)[:, None], reach))

    return jax.lax.fori_loop(0, 12, step, points)
