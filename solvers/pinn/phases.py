"""The phases of training: an optimizer and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diffcore import optim


@dataclass(frozen=True)
class Phase:
    """`steps` steps of an optimizer; every `redraw` steps the points are drawn anew.

    `only`: the kinds of terms that count, of "equation", "condition", "data"; all where empty.
    After a phase without equations, numbers to identify become those for which the equations hold
    best.
    """

    name: str
    optimizer: Any
    steps: int
    redraw: int = 250
    only: tuple[str, ...] = ()

    def __post_init__(self):
        unknown = set(self.only) - {"equation", "condition", "data"}
        if unknown:
            raise ValueError(
                f'`only` of Phase holds kinds of terms, "equation", "condition" or "data"; got '
                f"{sorted(unknown)}."
            )
        if self.steps < 0 or self.redraw < 1:
            raise ValueError(
                f"`Phase` needs steps >= 0 and redraw >= 1; got {self.steps} and {self.redraw}."
            )


def default_phases(steps: int, *, data: bool = False, basin: bool = True) -> tuple[Phase, ...]:
    """Adam to find the basin, then self-scaled Broyden, which wins the digits. Where there are
    `data`, the basin is found by fitting the fields to these alone. Without `basin`, the start is
    in it."""
    first, broyden = max(steps // 6, 1), optim.self_scaled_broyden()
    if not basin:
        return (Phase("self-scaled Broyden", broyden, steps),)
    if data:
        found = Phase("fit of the data", broyden, first, only=("condition", "data"))
    else:
        rate = optim.cosine_decay_schedule(5e-3, first, alpha=0.1)
        found = Phase("Adam", optim.adam(rate), first)
    return found, Phase("self-scaled Broyden", broyden, steps - first)


def phases_of_many(steps: int) -> tuple[Phase, ...]:
    """Adam on ever new points: in many dimensions no set of points is dense, and derivatives may be
    estimates."""
    rate = optim.cosine_decay_schedule(5e-3, max(steps, 1), alpha=1e-3)
    return (Phase("Adam", optim.adam(rate), steps, redraw=25),)
