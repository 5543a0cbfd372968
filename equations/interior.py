"""`Interior`: the place of a condition that holds inside a domain or in a region of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from geometry import BoundarySample


@dataclass(frozen=True)
class Interior:
    """The inside of a shape as the place of a condition: an obstacle that the solution stays above,
    an equation of one region, an integral over the domain. It has no normal."""

    domain: Any

    def sample(self, n: int, *, key: Any, sampler: str = "sobol") -> BoundarySample:
        """Returns points inside, with weights; normals and parts are zero."""
        inner = self.domain.sample_interior(n, key=key, sampler=sampler)
        points = np.asarray(inner.points)
        parts = np.zeros(len(points), int)
        return BoundarySample(points, np.zeros_like(points), np.asarray(inner.weights), parts)

    def contains(self, points: Any) -> Any:
        """Returns whether each point is inside."""
        return self.domain.contains(points)

    def __str__(self) -> str:
        return str(self.domain)
