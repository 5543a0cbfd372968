"""Charts of regions and surfaces made of simplices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geometry._arrays import namespace
from geometry.chart import Chart


def simplex_measures(corners: np.ndarray) -> np.ndarray:
    """Returns the measures of simplices given by their corners `(n, k + 1, d)`."""
    edges = corners[:, 1:] - corners[:, :1]
    gram = np.einsum("nid,njd->nij", edges, edges)
    root = np.sqrt(np.maximum(np.linalg.det(gram), 0))
    return np.asarray(root / math.factorial(edges.shape[1]))


def simplex_chart(corners: np.ndarray, normals: np.ndarray | None = None) -> Chart:
    """Returns a measure-preserving chart of simplices with corners `(n, k + 1, d)`.

    The first coordinate picks the simplex and then, stretched, serves as a coordinate in it; so
    the points keep their low discrepancy. `normals` `(n, d)` belong to the simplices of a surface.
    """
    measures = simplex_measures(corners)
    total = float(measures.sum())
    steps = np.concatenate([[0.0], np.cumsum(measures / total)])
    k = corners.shape[1] - 1

    def place(u: Any) -> tuple[Any, Any, None]:
        xp = namespace(u)
        edges = xp.asarray(steps, u.dtype)
        index = xp.clip(xp.searchsorted(edges, u[..., 0], side="right") - 1, 0, len(measures) - 1)
        first = (u[..., 0] - edges[index]) / (edges[index + 1] - edges[index])
        inside = xp.concatenate([xp.clip(first, 0, 1)[..., None], u[..., 1:]], axis=-1)
        weights = barycentric(inside)
        chosen = xp.asarray(corners, u.dtype)[index]
        points = xp.sum(weights[..., None] * chosen, axis=-2)
        return points, None if normals is None else xp.asarray(normals, u.dtype)[index], None

    if k != 2 or len(measures) == 1:
        return Chart(place, k, total, is_smooth=len(measures) == 1)
    middles = np.stack([steps[:-1] + 4 / 9 * np.diff(steps), np.full(len(measures), 0.5)], axis=-1)
    rule = middles, np.diff(steps)  # exact for fields that are linear in each triangle
    return Chart(place, k, total, rule=rule, is_smooth=False, breaks=steps)


def barycentric(u: Any) -> Any:
    """Maps the cube `[0, 1]^k` to barycentric coordinates `(..., k + 1)`, preserving measure."""
    xp = namespace(u)
    k = u.shape[-1]
    remaining, weights = xp.ones_like(u[..., 0]), []
    for i in range(k):
        root = u[..., i] ** (1 / (k - i))
        weights.append(remaining * (1 - root))
        remaining = remaining * root
    return xp.stack([*weights, remaining], axis=-1)
