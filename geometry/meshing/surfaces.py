"""Moving points onto one or several surfaces at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from geometry.face import Surface

_STEPS = 12


def project(points: np.ndarray, on: np.ndarray, surfaces: Sequence[Surface]) -> np.ndarray:
    """Returns points moved onto all surfaces that `on` (points, surfaces) marks for each.

    By Newton's method with the smallest steps; where surfaces do not meet it ends between them.
    """
    points = points.copy()
    patterns, group = np.unique(on, axis=0, return_inverse=True)
    for g, pattern in enumerate(patterns):
        chosen = [s for s, is_on in zip(surfaces, pattern, strict=True) if is_on]
        rows = np.flatnonzero(group.ravel() == g)
        if chosen:
            points[rows] = _onto(chosen, points[rows])
    return points


def _onto(surfaces: list[Surface], points: np.ndarray) -> np.ndarray:
    reach = None  # no step may be longer than a few times the first distance
    for _ in range(_STEPS):
        heights = np.stack([s.inner(points) for s in surfaces], axis=-1)  # fall along the normal
        normals = np.stack([s.normal(points) for s in surfaces], axis=-2)
        if len(surfaces) == 1:
            step = heights * normals[:, 0]
        else:
            inverse = np.linalg.pinv(np.nan_to_num(normals), rcond=1e-3)
            step = (inverse @ heights[..., None])[..., 0]
        step = np.nan_to_num(step)
        if reach is None:
            reach = 3 * np.abs(heights).max(axis=-1, keepdims=True)
        length = np.linalg.norm(step, axis=-1, keepdims=True)
        step = step * (reach / np.maximum(np.maximum(length, reach), 1e-300))
        points = points + step
        if np.abs(step).max(initial=0) < 1e-15 * np.abs(points).max(initial=1):
            break
    return points


def misfit(points: np.ndarray, on: np.ndarray, surfaces: Sequence[Surface]) -> np.ndarray:
    """Returns how far each point is from the farthest of the surfaces that `on` marks for it."""
    heights = np.stack([np.abs(s.inner(points)) for s in surfaces], axis=-1)
    return np.asarray(np.where(on, np.nan_to_num(heights, nan=np.inf), 0).max(axis=1))


def root(
    function: Callable[[np.ndarray], Any], a: np.ndarray, b: np.ndarray, fa: Any, fb: Any
) -> np.ndarray:
    """Returns where, from 0 to 1, a function vanishes between points at which its sign differs.

    By regula falsi with the Illinois correction.
    """
    low, high, fa, fb = np.zeros(len(a)), np.ones(len(a)), fa.copy(), fb.copy()
    middle, was_low = low, None
    for _ in range(10):
        middle = low - fa * (high - low) / np.where(fa == fb, 1, fb - fa)
        value = function(a + middle[:, None] * (b - a))
        is_low = value * fa > 0
        again = np.zeros(len(a), bool) if was_low is None else is_low == was_low
        fa, fb = (
            np.where(is_low, value, np.where(again, fa / 2, fa)),
            np.where(is_low, np.where(again, fb / 2, fb), value),
        )
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
        was_low = is_low
    return np.clip(middle, 1e-4, 1 - 1e-4)


def are_transversal(points: np.ndarray, on: np.ndarray, surfaces: Sequence[Surface]) -> np.ndarray:
    """Returns whether the surfaces that `on` marks for each point cross at an angle there."""
    normals = np.stack([np.nan_to_num(s.normal(points)) for s in surfaces], axis=-2)
    normals = normals * on[..., None]
    singular = np.linalg.svd(normals, compute_uv=False)  # (points, at most 3), falling
    count = np.minimum(on.sum(axis=1), singular.shape[1])
    least = singular[np.arange(len(points)), np.maximum(count - 1, 0)]
    return (count == 0) | (least > 0.05)
