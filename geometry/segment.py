"""Straight segments in the plane, as faces of shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from geometry._arrays import namespace
from geometry.chart import Chart
from geometry.face import Surface


@dataclass(frozen=True, eq=False)
class Segment:
    """The segment from `start` along the unit vector `direction`, with an outward unit `normal`."""

    start: np.ndarray
    direction: np.ndarray
    normal: np.ndarray
    length: float

    def chart(self) -> Chart:
        """Returns the chart of the segment."""

        def place(u: Any) -> tuple[Any, Any, None]:
            xp = namespace(u)
            along = xp.asarray(self.length * self.direction, u.dtype)
            points = xp.asarray(self.start, u.dtype) + u * along
            return points, self._normal(points), None

        return Chart(place, 1, self.length)

    def surface(self, *, is_supporting: bool) -> Surface:
        """Returns the line that carries the segment, trimmed to it by a parabola."""

        def outer(points: Any) -> Any:
            return self._component(self.normal, points)

        def trim(points: Any) -> Any:
            along = self._component(self.direction, points)
            return along * (self.length - along) / self.length

        return Surface(lambda p: -outer(p), outer, self._normal, trim, is_supporting)

    def _component(self, direction: np.ndarray, points: Any) -> Any:
        xp = namespace(points)
        offset = points - xp.asarray(self.start, points.dtype)
        return xp.sum(offset * xp.asarray(direction, points.dtype), axis=-1)

    def _normal(self, points: Any) -> Any:
        xp = namespace(points)
        return xp.broadcast_to(xp.asarray(self.normal, points.dtype), points.shape)
