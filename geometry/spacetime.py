"""Space-time domains: the product of a shape with an interval of time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from geometry.product import Product, set_span
from geometry.shape import Shape


@dataclass(frozen=True, repr=False)
class SpaceTime(Product):
    """The shape `space` for times from `start` to `end`; written `space.over(t, start, end)`.

    Its parts are those of `space`, "initial" and "final". The last coordinate is time, and points
    are distinct in space and time.
    """

    space: Shape
    axis: str
    start: float
    end: float

    def __post_init__(self) -> None:
        set_span(self, "`over(t, a, b)`")
        if self.axis in self.space.axes:
            raise ValueError(
                f"`over(t, a, b)` needs a new name for time; {self.axis!r} is already among the "
                f"axes {self.space.axes}."
            )
        object.__setattr__(self, "axes", (*self.space.axes, self.axis))

    @property
    def base(self) -> Shape:
        """The shape in space."""
        return self.space

    @property
    def _n_sliced(self) -> int:
        return self.space._n_sliced + 1

    @property
    def cap_names(self) -> tuple[str, str]:
        """Names of the parts at the start and at the end."""
        return "initial", "final"

    def _of(self, base: Shape) -> Shape:
        return replace(self, space=base)

    @property
    def time(self) -> tuple[str, float, float]:
        """Name, start and end of the time axis."""
        return self.axis, float(self.start), float(self.end)

    @property
    def periods(self) -> Mapping[str, float]:
        """Length of the period for each periodic axis of `space`."""
        return self.space.periods

    def __repr__(self) -> str:
        return f"{self._base_text}.over({self.axis!r}, {self.start!r}, {self.end!r})"
