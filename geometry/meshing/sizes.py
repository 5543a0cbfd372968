"""Sizes of cells, as people give them: a number, or a function of points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from geometry._arrays import number

SizeField = Callable[[np.ndarray], np.ndarray]

_MOST_CELLS = 4_000_000


def length(size: Any) -> float:
    """Returns a size that is one number above zero."""
    if callable(size):
        raise ValueError(
            "`mesh(size)` takes a function in two and three dimensions; pass a number."
        )
    if number(size, "`mesh(size)`") <= 0:
        raise ValueError(f"`mesh(size)` needs a length above zero; got {size!r}.")
    return float(size)


def size_field(size: Any) -> SizeField:
    """Returns a function from points `(n, d)` to sizes `(n,)`, which are checked."""
    if not callable(size):
        constant = length(size)
        return lambda points: np.full(len(points), constant)

    def field(points: np.ndarray) -> np.ndarray:
        sizes = np.asarray(size(points), float)
        if sizes.shape not in ((), (len(points),)):
            raise ValueError(
                f"`mesh(size)` needs a function from points {points.shape} to as many lengths; it "
                f"returns an array of shape {sizes.shape}."
            )
        sizes = np.broadcast_to(sizes, len(points))
        wrong = np.flatnonzero(~(np.isfinite(sizes) & (sizes > 0)))
        if len(wrong):
            raise ValueError(
                f"`mesh(size)` needs sizes above zero; got {float(sizes[wrong[0]])!r} at "
                f"{tuple(points[wrong[0]].tolist())}."
            )
        return sizes

    return field


def refuse_many(cells: float, size: float) -> None:
    """Raises where a mesh would have more cells than can be handled."""
    if cells > _MOST_CELLS:
        raise ValueError(
            f"`mesh(size)` would need {cells:.3g} cells at size {size:.3g}; the limit is "
            f"{_MOST_CELLS}. Ask for a larger size."
        )


def cells_along(lengths: Any, size: float) -> np.ndarray:
    """Returns how many cells of at most `size` lengths hold, one or more each, as whole floats."""
    with np.errstate(over="ignore"):
        return np.maximum(1.0, np.ceil(np.asarray(lengths, float) / size - 1e-9))
