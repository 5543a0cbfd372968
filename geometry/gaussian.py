"""The whole space with a Gaussian measure, for problems without walls in many dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from geometry._arrays import namespace, number, vector
from geometry.ball import inverse_normal
from geometry.chart import Chart
from geometry.face import Face
from geometry.shape import Shape, set_axes

_REACH = 5.0


@dataclass(frozen=True, repr=False, init=False)
class Gaussian(Shape):
    """All of space, where points are drawn from independent normal distributions.

    Its measure is the probability, 1, and it has no boundary. `bounds` are five deviations from
    the mean, and hold all but 6e-7 of each coordinate.

    Arguments:
        mean: a number, or one for each coordinate.
        deviation: a number above zero, or one for each coordinate.
        size: number of coordinates.

    Example:
        >>> Gaussian(mean=0, deviation=1, size=100).over("t", 0, 1).dimension
        101
    """

    mean: tuple[float, ...]
    deviation: tuple[float, ...]

    def __init__(self, mean: Any, deviation: Any, size: int, *, axes: Any = None):
        call = "`Gaussian(mean, deviation, size)`"
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ValueError(f"{call} needs a size of one or more coordinates; got {size!r}.")
        object.__setattr__(self, "mean", _repeated(mean, size, call))
        object.__setattr__(self, "deviation", _repeated(deviation, size, call))
        if min(self.deviation) <= 0:
            raise ValueError(f"{call} needs a deviation above zero; got {deviation!r}.")
        set_axes(self, axes, size)

    @property
    def constructor_arguments(self) -> dict[str, Any]:
        """What makes the same shape again, as it is stored."""
        return {
            "mean": self.mean, "deviation": self.deviation, "size": len(self.mean),
            "axes": self.axes,
        }  # fmt: skip

    def _bounds(self) -> tuple[Any, Any]:
        mean, reach = np.asarray(self.mean, float), _REACH * np.asarray(self.deviation, float)
        return mean - reach, mean + reach

    def _sdf(self, points: Any) -> Any:
        """No boundary: every point lies as deep as can be."""
        return 0 * points[..., 0] - np.inf

    def _level(self, points: Any) -> Any:
        return 0 * points[..., 0] + self.size

    def _solid(self) -> Chart:
        def fill(u: Any) -> tuple[Any, None, None]:
            xp = namespace(u)
            mean, deviation = (xp.asarray(v, u.dtype) for v in (self.mean, self.deviation))
            return mean + deviation * inverse_normal(u), None, None

        return Chart(fill, self.dimension, 1.0)

    def _faces(self) -> tuple[Face, ...]:
        return ()

    def __repr__(self) -> str:
        mean, deviation = (v[0] if len(set(v)) == 1 else v for v in (self.mean, self.deviation))
        size = self.dimension
        return f"Gaussian(mean={mean!r}, deviation={deviation!r}, size={size})"


def _repeated(value: Any, size: int, call: str) -> tuple[float | int, ...]:
    if hasattr(value, "__iter__"):
        return vector(value, call, size)
    return (number(value, call),) * size
