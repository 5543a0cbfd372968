"""A shape for every value of a parameter: the parameter is one more coordinate, without ends."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from geometry.distance import part_distance
from geometry.product import Product, set_span
from geometry.shape import Shape


@dataclass(frozen=True, repr=False)
class Family(Product):
    """The shape `space` for values of a parameter from `start` to `end`; written
    `space.over(w, start, end)`.

    Its parts are those of `space`: the ends of the range are no boundary, for nothing is known
    there. The last coordinate is the parameter.
    """

    space: Shape
    axis: str
    start: float
    end: float

    def __post_init__(self) -> None:
        set_span(self, "`over(parameter, a, b)`")
        if self.axis in self.space.axes:
            raise ValueError(
                f"`over(parameter, a, b)` needs a parameter of another name than the axes "
                f"{self.space.axes}; got {self.axis!r}."
            )
        object.__setattr__(self, "axes", (*self.space.axes, self.axis))

    @property
    def base(self) -> Shape:
        """The shape for one value of the parameter."""
        return self.space

    def _of(self, base: Shape) -> Shape:
        return replace(self, space=base)

    @property
    def _n_sliced(self) -> int:
        return self.space._n_sliced + 1

    @functools.cached_property
    def size(self) -> float:
        """That of `space`: lengths do not compare with values of a parameter."""
        return self.space.size

    @property
    def cap_names(self) -> tuple[str, ...]:
        """None: the ends of the range are no parts."""
        return ()

    @property
    def time(self) -> tuple[str, float, float] | None:
        """Name, start and end of the time axis of `space`, if it has one."""
        return self.space.time

    @property
    def periods(self) -> Mapping[str, float]:
        """Length of the period for each periodic axis of `space`."""
        return self.space.periods

    def __repr__(self) -> str:
        return f"{self._base_text}.over({self.axis}, {self.start!r}, {self.end!r})"


@part_distance.register
def _(shape: Family, names: tuple[str, ...], points: Any, join: str) -> Any:
    return part_distance(shape.space, names, points[..., :-1], join)
