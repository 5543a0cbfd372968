"""Parts of a boundary of facets that bears no names: pieces between sharp edges."""

from __future__ import annotations

import numpy as np
import scipy

from geometry.meshes.facets import Facets

_ALIKE = 1e-6


def pieces(pairs: np.ndarray, normals: np.ndarray, angle: float) -> np.ndarray:
    """Returns the number of the piece of each facet: neighbors whose normals `(m, d)` differ by no
    more than an angle in radians are in one piece.

    Arguments:
        pairs: neighbors `(k, 2)`.
    """
    a, b = normals[pairs[:, 0]], normals[pairs[:, 1]]
    # the chord has no rounding trouble at small angles
    smooth = pairs[np.linalg.norm(a - b, axis=-1) <= 2 * np.sin(min(angle, np.pi) / 2) + 1e-12]
    graph = scipy.sparse.coo_array((np.ones(len(smooth)), smooth.T), shape=(len(normals),) * 2)
    return scipy.sparse.csgraph.connected_components(graph, directed=False)[1]


def named_pieces(
    facets: Facets, piece: np.ndarray, sides: tuple[tuple[str, str], ...], word: str
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Returns the number of the part of each facet, and the names of the parts.

    A single piece is "surface" (in the plane "rim"). Flat pieces that lie in a side of the
    bounding box, alone there, have the name of that side; others are numbered after a `word`, the
    largest first.
    """
    count = int(piece.max()) + 1
    if count == 1:
        return piece, ("surface" if facets.dimension == 3 else "rim",)
    names = _sides(facets, piece, count, sides)
    areas = np.bincount(piece, facets.measures, minlength=count)
    middles = np.stack(
        [np.bincount(piece, column, minlength=count) for column in facets.corners.mean(axis=1).T]
    ) / np.bincount(piece, minlength=count)
    order = np.lexsort([*middles[::-1].round(9), -areas.round(9)])
    for number, i in enumerate((i for i in order if names[i] is None), 1):
        names[i] = f"{word}{number}"
    ranked = sorted(range(count), key=lambda i: _rank(names[i], sides))
    place = np.argsort(ranked)
    return place[piece], tuple(str(names[i]) for i in ranked)


def _rank(name: str | None, sides: tuple[tuple[str, str], ...]) -> tuple[int, int]:
    flat = [side for pair in sides for side in pair]
    if name in flat:
        return 0, flat.index(name)
    return 1, int("".join(filter(str.isdigit, str(name))))


def _sides(
    facets: Facets, piece: np.ndarray, count: int, sides: tuple[tuple[str, str], ...]
) -> list[str | None]:
    corners = facets.corners
    lower, upper = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    size = float(np.linalg.norm(upper - lower))
    names: list[str | None] = [None] * count
    for axis, pair in enumerate(sides):
        for word, end, sign in zip(pair, (lower, upper), (-1, 1), strict=True):
            off = np.abs(corners[:, :, axis] - end[axis]).max(axis=1)
            on = (off <= _ALIKE * size) & (sign * facets.normals[:, axis] > 1 - _ALIKE)
            there = np.unique(piece[on])
            if len(there) == 1 and on[piece == there[0]].all():
                names[there[0]] = word
    return names
