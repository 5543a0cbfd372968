"""The phases of training: an optimizer and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diffcore import optim


@dataclass(frozen=True)
class Phase:
    """`steps` steps of an optimizer; every `redraw` steps the points are drawn anew."""

    name: str
    optimizer: Any
    steps: int
    redraw: int = 250

    def __post_init__(self):
        if self.steps < 0 or self.redraw < 1:
            raise ValueError(
                f"`Phase` needs steps >= 0 and redraw >= 1; got {self.steps} and {self.redraw}."
            )


def default_phases(steps: int) -> tuple[Phase, ...]:
    """Adam to find the basin, then self-scaled Broyden, which wins the digits."""
    first = max(steps // 6, 1)
    rate = optim.cosine_decay_schedule(5e-3, first, alpha=0.1)
    return (
        Phase("Adam", optim.adam(rate), first),
        Phase("self-scaled Broyden", optim.self_scaled_broyden(), steps - first),
    )
