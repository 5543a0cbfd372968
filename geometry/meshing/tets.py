"""Arrays of tetrahedra: quality, edges, faces, and splitting at edges."""

from __future__ import annotations

import numpy as np

EDGES = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
FACES = np.array([(1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)])  # opposite to each corner, outward


def volumes(corners: np.ndarray) -> np.ndarray:
    """Returns the signed volumes of tetrahedra with corners `(..., 4, 3)`."""
    a, b, c = np.moveaxis(corners[..., 1:, :] - corners[..., :1, :], -2, 0)
    return np.asarray(np.sum(a * np.cross(b, c), axis=-1) / 6)


def quality(corners: np.ndarray) -> np.ndarray:
    """Returns 6 sqrt(2) V / l^3 with the root mean square l of the edges: 1 for regular ones.

    Negative for tetrahedra that are inside out.
    """
    i, j = EDGES.T
    squares = np.sum((corners[..., i, :] - corners[..., j, :]) ** 2, axis=-1)
    scale = np.mean(squares, axis=-1) ** 1.5
    return np.asarray(6 * np.sqrt(2) * volumes(corners) / np.where(scale > 0, scale, 1))


def dihedral_angles(corners: np.ndarray) -> np.ndarray:
    """Returns the angle between the faces that meet in each of the six edges, in degrees."""
    faces = corners[..., FACES, :]
    normals = np.cross(faces[..., 1, :] - faces[..., 0, :], faces[..., 2, :] - faces[..., 0, :])
    normals = normals / np.linalg.norm(normals, axis=-1, keepdims=True)
    i, j = EDGES[::-1].T  # faces i and j meet in the edge of the two other corners
    cosine = -np.sum(normals[..., i, :] * normals[..., j, :], axis=-1)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


def keys(vertices: np.ndarray, count: int) -> np.ndarray:
    """Returns a number for each set of two or three vertices `(..., k)` of `count`."""
    ordered = np.sort(vertices, axis=-1).astype(np.int64)
    result = ordered[..., 0]
    for i in range(1, ordered.shape[-1]):
        result = result * count + ordered[..., i]
    return result


def find(sorted_keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Returns the places of numbers in a sorted array, -1 for those that are not in it."""
    if not len(sorted_keys):
        return np.full(wanted.shape, -1)
    place = np.minimum(np.searchsorted(sorted_keys, wanted), len(sorted_keys) - 1)
    return np.where(sorted_keys[place] == wanted, place, -1)


def unique_edges(cells: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns the edges `(k, 2)` in the order of their keys, and those `(m, 6)` of each cell."""
    code, place = np.unique(keys(cells[:, EDGES], count), return_inverse=True)
    return np.stack([code // count, code % count], axis=-1), place.reshape(-1, 6)


def outer_faces(cells: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns the faces `(k, 3)`, outward, that one cell alone has, and which cell that is."""
    faces = cells[:, FACES].reshape(-1, 3)
    _, first, times = np.unique(keys(faces, count), return_index=True, return_counts=True)
    alone = np.sort(first[times == 1])
    return faces[alone], alone // 4


def split(cells: np.ndarray, edges: np.ndarray, middles: np.ndarray, count: int) -> np.ndarray:
    """Returns the cells bisected at all given edges `(k, 2)`, whose new vertices are `middles`.

    Edges split in the order given wherever a cell has several, so that cells stay face to face.
    """
    code = keys(edges, count)
    order = np.argsort(code)
    code, rank = code[order], order
    finished = []
    while len(cells):
        place = find(code, keys(cells[:, EDGES], count))
        cut = (place >= 0).any(axis=1)
        finished.append(cells[~cut])
        cells, place = cells[cut], place[cut]
        if not len(cells):
            break
        ranks = np.where(place >= 0, rank[place], len(rank))
        local = np.argmin(ranks, axis=1)
        chosen = ranks[np.arange(len(cells)), local]
        owners = np.bincount(ranks[ranks < len(rank)], minlength=len(rank))
        ready = (owners == np.bincount(chosen, minlength=len(rank)))[chosen]
        i, j = EDGES[local[ready]].T
        row = np.arange(ready.sum())
        first, second = cells[ready], cells[ready].copy()
        first[row, j] = middles[chosen[ready]]
        second[row, i] = middles[chosen[ready]]
        cells = np.concatenate([cells[~ready], first, second])
    return np.concatenate(finished)
