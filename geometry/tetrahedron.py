"""Tetrahedra."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from geometry._arrays import namespace, norm, vector
from geometry.chart import Chart
from geometry.face import Face, Surface
from geometry.shape import Shape, set_axes, set_name
from geometry.simplices import simplex_chart, simplex_measures


@dataclass(frozen=True, repr=False)
class Tetrahedron(Shape):
    """The tetrahedron with the given corners; "face1" lies opposite to a, "face2" to b, and so on.

    Example:
        >>> round(Tetrahedron((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)).measure, 6)
        0.166667
    """

    a: tuple[float, float, float]
    b: tuple[float, float, float]
    c: tuple[float, float, float]
    d: tuple[float, float, float]
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        for corner in ("a", "b", "c", "d"):
            value = vector(getattr(self, corner), "`Tetrahedron(a, b, c, d)`", 3)
            object.__setattr__(self, corner, value)
        set_axes(self, self.axes, 3)
        set_name(self)
        if simplex_measures(self._corners[None])[0] <= 1e-12 * np.ptp(self._corners) ** 3:
            raise ValueError(
                "`Tetrahedron(a, b, c, d)` needs corners that do not lie in one plane; got "
                f"{self.a}, {self.b}, {self.c}, {self.d}."
            )

    @functools.cached_property
    def _corners(self) -> np.ndarray:
        return np.array([self.a, self.b, self.c, self.d], float)

    @functools.cached_property
    def _sides(self) -> tuple[np.ndarray, np.ndarray]:
        """The corners `(4, 3, 3)` and the outward normals `(4, 3)` of the faces."""
        triangles, normals = [], []
        for i in range(4):
            triangle = np.delete(self._corners, i, axis=0)
            normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
            normal /= np.linalg.norm(normal)
            outward = -np.sign((self._corners[i] - triangle[0]) @ normal)
            triangles.append(triangle)
            normals.append(outward * normal)
        return np.stack(triangles), np.stack(normals)

    def _heights(self, points: Any) -> Any:
        """Distances above the planes of the faces `(..., 4)`."""
        xp = namespace(points)
        triangles, normals = (xp.asarray(v, points.dtype) for v in self._sides)
        return xp.sum((points[..., None, :] - triangles[:, 0]) * normals, axis=-1)

    def _bounds(self) -> tuple[Any, Any]:
        return self._corners.min(axis=0), self._corners.max(axis=0)

    def _sdf(self, points: Any) -> Any:
        """The height above the nearest plane inside and over a face, else from the edges."""
        xp = namespace(points)
        heights = self._heights(points)
        highest = xp.max(heights, axis=-1)
        foot = points[..., None, :] - heights[..., None] * xp.asarray(self._sides[1], points.dtype)
        over_face = xp.max(self._heights(foot), axis=-1) <= 1e-7 * self.size
        facing = xp.any(over_face & (heights > 0), axis=-1)
        return xp.where((highest <= 0) | facing, highest, self._edge_distance(points))

    def _edge_distance(self, points: Any) -> Any:
        xp = namespace(points)
        i, j = np.triu_indices(4, 1)
        start = xp.asarray(self._corners[i], points.dtype)
        along = xp.asarray(self._corners[j] - self._corners[i], points.dtype)
        offset = points[..., None, :] - start
        share = xp.sum(offset * along, axis=-1) / xp.sum(along * along, axis=-1)
        rest = offset - xp.clip(share, 0, 1)[..., None] * along
        return xp.min(norm(rest), axis=-1)

    def _level(self, points: Any) -> Any:
        return -self._sdf(points)

    def _solid(self) -> Chart:
        return simplex_chart(self._corners[None])

    def _faces(self) -> tuple[Face, ...]:
        return tuple(
            Face(
                f"face{i + 1}",
                "tetrahedron",
                self.name,
                simplex_chart(triangle[None], normal[None]),
                self._plane(i),
            )
            for i, (triangle, normal) in enumerate(zip(*self._sides, strict=True))
        )

    def _plane(self, i: int) -> Surface:
        def outer(points: Any) -> Any:
            return self._heights(points)[..., i]

        def trim(points: Any) -> Any:
            """Positive within the other three planes, taken at the foot of the point."""
            xp = namespace(points)
            normal = xp.asarray(self._sides[1][i], points.dtype)
            foot = points - outer(points)[..., None] * normal
            return xp.min(-xp.delete(self._heights(foot), i, axis=-1), axis=-1)

        def normal(points: Any) -> Any:
            xp = namespace(points)
            return xp.broadcast_to(xp.asarray(self._sides[1][i], points.dtype), points.shape)

        return Surface(lambda p: -outer(p), outer, normal, trim, is_supporting=True)
