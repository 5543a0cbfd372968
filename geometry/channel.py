"""Channels: boxes that something flows through."""

from __future__ import annotations

from dataclasses import dataclass

from geometry.box import Orthotope, set_corners


@dataclass(frozen=True, repr=False)
class Channel(Orthotope):
    """The box between two opposite corners, with parts "inlet", "outlet" and "walls".

    Arguments:
        lower, upper: corners, in two or more dimensions.
        along: name of the axis of the flow, from the inlet at the lower end to the outlet. The
            first axis if not given.

    Example:
        >>> Channel((0, 0), (2.2, 0.41)).parts
        ('inlet', 'outlet', 'walls')
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    along: str | None = None
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        set_corners(self, None)
        if self.dimension < 2:
            raise ValueError(
                f"`Channel(lower, upper)` needs two or more dimensions; got lower={self.lower}. "
                "Use `Interval` for one."
            )
        if self.along is not None:
            object.__setattr__(self, "along", str(self.along))
            if self.along not in self.axes:
                raise ValueError(
                    f"`Channel(along=)` needs one of the axes {self.axes}; got {self.along!r}."
                )

    @property
    def _side_names(self) -> tuple[tuple[str, str], ...]:
        flow = self.along or self.axes[0]
        return tuple(
            ("inlet", "outlet") if axis == flow else ("walls", "walls") for axis in self.axes
        )
