"""The phases of training: an optimizer and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diffcore import optim


@dataclass(frozen=True)
class Phase:
    """`steps` steps of an optimizer; every `redraw` steps a `fraction` of the points in the
    interior is drawn anew."""

    name: str
    optimizer: Any
    steps: int
    redraw: int = 250
    fraction: float = 1.0

    def __post_init__(self):
        if self.steps < 0 or self.redraw < 1:
            raise ValueError(
                f"`Phase` needs steps >= 0 and redraw >= 1; got {self.steps} and {self.redraw}."
            )
        if not 0 < self.fraction <= 1:
            raise ValueError(f"`fraction` must lie in (0, 1]; got {self.fraction}.")


def default_phases(steps: int) -> tuple[Phase, ...]:
    """Adam to find the basin, then self-scaled Broyden, which wins the digits."""
    first = max(steps // 5, 1)
    rate = optim.cosine_decay_schedule(5e-3, first, alpha=0.1)
    return (
        Phase("Adam", optim.adam(rate), first),
        Phase("self-scaled Broyden", optim.self_scaled_broyden(), steps - first, 200, 0.25),
    )
