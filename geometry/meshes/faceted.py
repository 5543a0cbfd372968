"""Shapes whose boundary is made of facets: all queries from the nearest facet and the winding."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from geometry._arrays import namespace, safe_sqrt
from geometry.chart import Chart
from geometry.distance import part_distance
from geometry.face import Face, Surface
from geometry.meshes.facets import Facets
from geometry.meshes.winding import Winding
from geometry.shape import Shape, contact
from geometry.simplices import simplex_chart

_BAND = 256  # contact tolerances, within which membership is told by the distance
_FLAT = 1e-6  # of the size: a part all of whose corners are this close to a plane lies in it


class Faceted(Shape, abc.ABC):
    """All that surface, plane and volume meshes have in common."""

    name: str | None
    _is_faceted = True

    @property
    @abc.abstractmethod
    def _boundary(self) -> Facets:
        """The facets of the boundary, with normals outward."""

    @property
    @abc.abstractmethod
    def _winding(self) -> Winding:
        """The winding number of the boundary."""

    @property
    @abc.abstractmethod
    def _tags(self) -> tuple[np.ndarray, tuple[str, ...]]:
        """The number of the part of each facet, and the names of the parts."""

    @property
    def _kind(self) -> str:
        return type(self).__name__.lower()

    def _bounds(self) -> tuple[Any, Any]:
        flat = self._boundary.corners.reshape(-1, self.dimension)
        return flat.min(axis=0), flat.max(axis=0)

    def _side(self, points: Any) -> tuple[Any, Any, Any, Any]:
        """Vectors from the nearest facet, heights over it, whether the points lie over its inside,
        and the sign of the distance; for those over a facet the sign that its height takes.

        The sign is that of the winding number, and on the facet itself that of the height, which
        has a derivative there."""
        xp = namespace(points)
        index = self._boundary.nearest(points)
        foot, height, over = self._boundary.foot(points, index)
        sign = xp.where(self._winding(points) > 0.5, -1, 1)
        rounding = 64 * float(np.finfo(points.dtype).eps) * self.size
        facing = xp.where(xp.abs(height) <= rounding, 1, sign * xp.where(height < 0, -1, 1))
        sign = xp.where(over, facing, sign).astype(points.dtype)
        normal = xp.asarray(self._boundary.normals, points.dtype)[index]
        return xp.where(over[..., None], normal, points - foot), height, over, sign

    def _sdf(self, points: Any) -> Any:
        xp = namespace(points)
        away, height, over, sign = self._side(points)
        return sign * xp.where(over, height, safe_sqrt(xp.sum(away * away, axis=-1)))

    def _slope(self, points: Any) -> Any:
        away, _, _, sign = self._side(points)
        length = safe_sqrt(namespace(points).sum(away * away, axis=-1))[..., None]
        return sign[..., None] * away / namespace(points).where(length > 0, length, 1)

    def _level(self, points: Any) -> Any:
        return -self._sdf(points)

    def _membership(self, points: Any) -> Any:
        """Outside a trace the distance close to the boundary alone, elsewhere its sign."""
        if namespace(points) is not np:
            return self._sdf(points)
        flat = points.reshape(-1, self.dimension)
        result = np.where(self._winding(flat) > 0.5, -self.size, self.size).astype(points.dtype)
        close = self._boundary.near(flat, _BAND * contact(self, points))
        result[close] = self._sdf(flat[close])
        return result.reshape(points.shape[:-1])

    @functools.cached_property
    def _part_facets(self) -> dict[tuple[str, ...], Facets]:
        return {}

    def _facets_of(self, names: tuple[str, ...]) -> Facets:
        """The facets of the named parts."""
        if names not in self._part_facets:
            tags, words = self._tags
            chosen = np.isin(tags, [words.index(name) for name in names])
            self._part_facets[names] = Facets(self._boundary.corners[chosen])
        return self._part_facets[names]

    def _faces(self) -> tuple[Face, ...]:
        return tuple(
            Face(name, self._kind, self.name, chart, self._surface(name))
            for name in self._tags[1]
            for chart in self._charts(self._facets_of((name,)))
        )

    def _charts(self, facets: Facets) -> tuple[Chart, ...]:
        return (simplex_chart(facets.corners, facets.normals),)

    def _surface(self, name: str) -> Surface:
        """What carries a part: the plane of a flat one, else the boundary; trimmed where other
        parts are nearer."""
        own = self._facets_of((name,))
        others = tuple(word for word in self._tags[1] if word != name)

        def trim(points: Any) -> Any:
            # twice, so that beyond a rim that two parts share neither has the point
            return self._facets_of(others).distance(points) - 2 * own.distance(points)

        return carrier(own, self.size, self._sdf, trim if others else None)


def carrier(
    facets: Facets,
    size: float,
    outer: Callable[[Any], Any],
    trim: Callable[[Any], Any] | None = None,
) -> Surface:
    """Returns the implicit description of facets: their plane where they lie in one, else `outer`,
    which is positive ahead of them."""
    plane = _plane(facets, size)

    def height(points: Any) -> Any:
        xp = namespace(points)
        place, normal = (xp.asarray(v, points.dtype) for v in plane or ())
        return xp.sum((points - place) * normal, axis=-1)

    def normal(points: Any) -> Any:
        xp = namespace(points)
        return xp.asarray(facets.normals, points.dtype)[facets.nearest(points)]

    ahead = outer if plane is None else height
    return Surface(lambda points: -ahead(points), ahead, normal, trim)


def _plane(facets: Facets, size: float) -> tuple[np.ndarray, np.ndarray] | None:
    """A place and the normal of the plane of facets that lie in one, with all normals alike."""
    normal = facets.measures @ facets.normals
    length = float(np.linalg.norm(normal))
    if length < (1 - 1e-9) * facets.measures.sum():
        return None
    normal = normal / length
    flat = facets.corners.reshape(-1, facets.dimension)
    heights = (flat - flat[0]) @ normal
    middle = flat[0] + (heights.min() + heights.max()) / 2 * normal
    return (middle, normal) if np.ptp(heights) <= _FLAT * size else None


@part_distance.register
def _(shape: Faceted, names: tuple[str, ...], points: Any, join: str) -> Any:
    return shape._facets_of(tuple(names)).distance(points)
