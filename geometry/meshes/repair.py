"""Surfaces of triangles made fit for use: joined, without doubles, turned outward, closed.

What was done is said in words, with counts. Nothing is moved but vertices that are joined.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from geometry.meshes.facets import Facets
from geometry.meshes.triangulation import Triangulation
from geometry.meshes.winding import Winding, open_edges

_JOIN = 1e-6  # of the size: vertices this close are one where the surface is open otherwise
_FLAT = 1e-9  # height of a triangle against its longest edge, below which it has no area
_LONGEST_HOLE = 200  # edges around a hole that can be closed
_MOST_CROSSED = 100_000  # triangles that are searched for crossings


def repaired(surface: Triangulation, close: bool) -> Triangulation:
    """Returns a surface in a state that all queries can rely on.

    Arguments:
        close: whether to close holes.

    Raises:
        ValueError: nothing with an area; a hole that is too long to close.
    """
    surface = _compact(_without_flat(_without_doubles(_joined(surface))))
    surface = _oriented(surface)
    if close:
        surface = _closed(surface)
    surface = _outward(surface)
    return _with_warnings(surface)


def _noted(surface: Triangulation, note: str, **changes: Any) -> Triangulation:
    return replace(surface, notes=(*surface.notes, note), **changes)


def count(n: int, word: str) -> str:
    """Returns "1 edge" or "3 edges"."""
    plural = word.removesuffix("ex") + "ices" if word.endswith("ex") else word + "s"
    return f"{n} {word if n == 1 else plural}"


# Joining and dropping


def _joined(surface: Triangulation) -> Triangulation:
    """Equal vertices are one, and close ones too where that leaves fewer open edges."""
    used, index = np.unique(surface.triangles, return_inverse=True)
    places, place = np.unique(surface.vertices[used], axis=0, return_inverse=True)
    surface = replace(surface, vertices=places, triangles=place.ravel()[index].reshape(-1, 3))
    before = len(open_edges(_proper(surface.triangles)))
    if not before:
        return surface
    size = float(np.linalg.norm(np.ptp(places, axis=0)))
    pairs = scipy.spatial.cKDTree(places - places.mean(axis=0)).query_pairs(
        _JOIN * size, output_type="ndarray"
    )
    if not len(pairs):
        return surface
    graph = scipy.sparse.coo_array((np.ones(len(pairs)), pairs.T), shape=(len(places),) * 2)
    n, label = scipy.sparse.csgraph.connected_components(graph, directed=False)
    first = np.zeros(n, int)
    first[label[::-1]] = np.arange(len(places))[::-1]
    joined = label[surface.triangles]
    if len(open_edges(_proper(joined))) >= before:
        return surface
    words = f"{count(len(places) - n, 'vertex')} closer than {_JOIN:g} of the size joined to others"
    return _noted(surface, words, vertices=places[first], triangles=joined)


def _proper(triangles: np.ndarray) -> np.ndarray:
    """The triangles with three distinct vertices."""
    a, b, c = triangles.T
    return triangles[(a != b) & (b != c) & (c != a)]


def _without_doubles(surface: Triangulation) -> Triangulation:
    _, first = np.unique(np.sort(surface.triangles, axis=1), axis=0, return_index=True)
    doubled = len(surface.triangles) - len(first)
    if not doubled:
        return surface
    first = np.sort(first)
    words = f"{count(doubled, 'duplicate triangle')} dropped"
    return _noted(surface, words, triangles=surface.triangles[first], groups=surface.groups[first])


def _without_flat(surface: Triangulation) -> Triangulation:
    corners = surface.corners
    edges = np.roll(corners, -1, axis=1) - corners
    longest = np.linalg.norm(edges, axis=-1).max(axis=1)
    area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=-1)
    flat = area <= _FLAT * longest**2
    if not flat.any():
        return surface
    if flat.all():
        raise ValueError(
            "a surface needs triangles with an area; all of these have their corners on a line or "
            "at a point. Coordinates in single precision (as STL has them) far from the origin "
            "fall together: move the shape to the origin and export it again."
        )
    rest = surface.triangles[~flat]
    thin = _proper(surface.triangles[flat])
    needed = len(open_edges(np.concatenate([rest, thin]))) < len(open_edges(rest))
    words = f"{count(int(flat.sum()), 'triangle')} without area dropped"
    return _noted(
        surface,
        words,
        triangles=rest,
        groups=surface.groups[~flat],
        flat=thin if needed else surface.flat,
    )


def _compact(surface: Triangulation) -> Triangulation:
    used, index = np.unique(surface.chain, return_inverse=True)
    chain = index.reshape(-1, 3)
    m = len(surface.triangles)
    return replace(surface, vertices=surface.vertices[used], triangles=chain[:m], flat=chain[m:])


# Orientation


def neighbors(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Returns pairs of triangles with an edge that no third one has, whether both run along it in
    opposite senses, as they should, and the number of edges of three triangles or more."""
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    owner = np.tile(np.arange(len(triangles)), 3)
    forward = ends[:, 0] < ends[:, 1]
    _, edge, times = np.unique(
        np.sort(ends, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    edge = edge.ravel()
    order = np.argsort(edge, kind="stable")
    order = order[times[edge[order]] == 2].reshape(-1, 2)
    return owner[order], forward[order[:, 0]] != forward[order[:, 1]], int((times > 2).sum())


def _oriented(surface: Triangulation) -> Triangulation:
    """Turns triangles so that neighbors agree, as few as possible in each piece.

    Each triangle is two nodes, as it is and turned; neighbors link the two that agree. Where both
    are linked, the piece has one side only.
    """
    triangles = surface.chain
    m = len(triangles)
    pairs, agree, _ = neighbors(triangles)
    if agree.all():
        return surface
    a, b = pairs.T
    other = np.where(agree, b, b + m)
    turned = np.where(agree, b + m, b)
    links = np.concatenate([[a, other], [a + m, turned]], axis=1)
    graph = scipy.sparse.coo_array((np.ones(links.shape[1]), links), shape=(2 * m, 2 * m))
    _, label = scipy.sparse.csgraph.connected_components(graph, directed=False)
    kept, flipped = label[:m], label[m:]
    one_sided = kept == flipped
    votes = np.bincount(label[:m], minlength=label.max() + 1)
    turn = ~one_sided & (
        (votes[flipped] > votes[kept]) | ((votes[flipped] == votes[kept]) & (flipped < kept))
    )
    surface = _turned(surface, turn)
    if turn.any():
        words = f"{count(int(turn.sum()), 'triangle')} turned to agree with their neighbors"
        surface = _noted(surface, words)
    if one_sided.any():
        words = f"{int(one_sided.sum())} triangles form a surface with one side only (Möbius)"
        surface = _noted(surface, words)
    return surface


def _turned(surface: Triangulation, turn: np.ndarray) -> Triangulation:
    chain = surface.chain
    chain[turn] = chain[turn][:, ::-1]
    m = len(surface.triangles)
    return replace(surface, triangles=chain[:m], flat=chain[m:])


def _outward(surface: Triangulation) -> Triangulation:
    """Turns the pieces: outward, or inward where a piece lies in an odd number of others."""
    chain = surface.chain
    pairs, _, _ = neighbors(chain)
    graph = scipy.sparse.coo_array((np.ones(len(pairs)), pairs.T), shape=(len(chain),) * 2)
    n, label = scipy.sparse.csgraph.connected_components(graph, directed=False)
    order = np.argsort(label, kind="stable")
    pieces = np.split(order, np.cumsum(np.bincount(label, minlength=n))[:-1])
    volumes = np.array([signed_volume(surface.vertices, chain[piece]) for piece in pieces])
    depth = _depths(surface.vertices, [chain[piece] for piece in pieces])
    wrong = np.flatnonzero(np.where(depth % 2 == 0, volumes < 0, volumes > 0))
    if not len(wrong):
        return surface
    turn = np.isin(label, wrong)
    outer = int(np.sum(depth[wrong] % 2 == 0))
    inner = len(wrong) - outer
    surface = _turned(surface, turn)
    if outer:
        words = f"the normals of {count(outer, 'closed piece')} pointed inward (negative volume)"
        surface = _noted(surface, f"{words} and were turned")
    if inner:
        words = f"{count(inner, 'piece')} inside another taken for a cavity, with normals turned"
        surface = _noted(surface, words)
    return surface


def signed_volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Returns the volume that triangles enclose, positive if their normals point outward; where
    they leave a hole, it is closed by triangles to one place."""
    ends = open_edges(triangles)
    center = (
        vertices[ends].mean(axis=(0, 1)) if len(ends) else vertices[triangles].mean(axis=(0, 1))
    )
    a, b, c = np.moveaxis(vertices[triangles] - center, 1, 0)
    return float(np.sum(a * np.cross(b, c)) / 6)


def _depths(vertices: np.ndarray, pieces: list[np.ndarray]) -> np.ndarray:
    """How many of the other pieces each one lies in, told from the middle of its first triangle."""
    boxes = [(vertices[p].min(axis=(0, 1)), vertices[p].max(axis=(0, 1))) for p in pieces]
    lower, upper = (np.array(side) for side in zip(*boxes, strict=True))
    depth = np.zeros(len(pieces), int)
    for i, piece in enumerate(pieces):
        within = (lower[i] <= lower).all(axis=1) & (upper[i] >= upper).all(axis=1)
        within[i] = False
        others = np.flatnonzero(within)
        if len(others):
            places = np.stack([vertices[pieces[j][0]].mean(axis=0) for j in others])
            depth[others] += np.abs(Winding(vertices, piece)(places)) > 0.5
    return depth


# Holes


def _closed(surface: Triangulation) -> Triangulation:
    loops = list(_loops(open_edges(surface.chain)[:, ::-1]))
    if not loops:
        return surface
    added = []
    for loop in loops:
        if len(loop) > _LONGEST_HOLE:
            where = surface.vertices[loop].mean(axis=0).round(6).tolist()
            raise ValueError(
                f"`repair=True` closes holes of up to {_LONGEST_HOLE} edges; there is one of "
                f"{len(loop)} around {where}. Close it in a mesh editor."
            )
        added.append(loop[_smallest_fill(surface.vertices[loop])])
    patch = np.concatenate(added)
    corners = surface.vertices[patch]
    area = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=-1
    )
    proper = area > 0
    words = (
        f"{count(len(loops), 'hole')} closed by {count(int(proper.sum()), 'triangle')} of area "
        f"{area.sum() / 2:.3g}"
    )
    return _noted(
        surface,
        words,
        triangles=np.concatenate([surface.triangles, patch[proper]]),
        groups=np.concatenate([surface.groups, _nearby_groups(surface, patch[proper])]),
        flat=np.concatenate([surface.flat, patch[~proper]]),
    )


def _nearby_groups(surface: Triangulation, patch: np.ndarray) -> np.ndarray:
    middles = surface.vertices[patch].mean(axis=1)
    return surface.groups[Facets(surface.corners).nearest(middles)]


def _loops(edges: np.ndarray) -> Iterable[np.ndarray]:
    """The closed ways along oriented edges `(k, 2)`, none through a vertex twice."""
    following: dict[int, list[int]] = {}
    for start, end in edges.tolist():
        following.setdefault(start, []).append(end)
    while following:
        way = [next(iter(following))]
        place = {way[0]: 0}
        while True:
            step = following[way[-1]].pop()
            if not following[way[-1]]:
                del following[way[-1]]
            if step in place:
                yield np.array(way[place[step] :])
                for vertex in way[place[step] + 1 :]:
                    del place[vertex]
                way = way[: place[step] + 1]
                if step not in following:
                    break
            else:
                place[step] = len(way)
                way.append(step)


def _smallest_fill(loop: np.ndarray) -> np.ndarray:
    """The triangles `(n - 2, 3)` of least area between the vertices `(n, 3)` of a loop.

    Source: G. Barequet, M. Sharir, Filling gaps in the boundary of a polyhedron (1995).
    """
    n = len(loop)
    cost = np.zeros((n, n))
    middle = np.zeros((n, n), int)
    for length in range(2, n):
        for i in range(n - length):
            j = i + length
            k = np.arange(i + 1, j)
            across = np.cross(loop[k] - loop[i], loop[j] - loop[i])
            total = cost[i, k] + cost[k, j] + np.linalg.norm(across, axis=-1)
            best = int(np.argmin(total))
            cost[i, j], middle[i, j] = total[best], k[best]
    found, todo = [], [(0, n - 1)]
    while todo:
        i, j = todo.pop()
        if j - i > 1:
            k = middle[i, j]
            found.append((i, k, j))
            todo += [(i, k), (k, j)]
    return np.array(found)


# What stays doubtful


def _with_warnings(surface: Triangulation) -> Triangulation:
    gaps = len(open_edges(surface.chain))
    if gaps:
        surface = _noted(
            surface,
            f"not watertight, {count(gaps, 'open edge')}: inside is where the surface winds around "
            "by more than half; `repair=True` closes holes",
        )
    shared = neighbors(surface.chain)[2]
    if shared:
        words = f"{count(shared, 'edge')} belong to three triangles or more"
        surface = _noted(surface, words if shared > 1 else words.replace("belong", "belongs"))
    crossed = crossings(surface)
    if crossed:
        words = f"the surface crosses itself, in {count(crossed, 'pair')} of triangles or more"
        surface = _noted(surface, words)
    return surface


def crossings(surface: Triangulation) -> int:
    """Returns the number of pairs of triangles without a common vertex of which an edge of one
    passes through the other; 0 without search above 100 000 triangles."""
    corners = surface.corners - surface.vertices.mean(axis=0)
    if len(corners) > _MOST_CROSSED:
        return 0
    first, second = Facets(corners)._tree.meeting(corners.min(axis=1), corners.max(axis=1))
    later = first < second
    first, second = first[later], second[later]
    a, b = surface.triangles[first], surface.triangles[second]
    apart = (a[:, :, None] != b[:, None, :]).all(axis=(1, 2))
    first, second = first[apart], second[apart]
    size = float(np.ptp(corners))
    hit = np.zeros(len(first), bool)
    for one, two in ((first, second), (second, first)):
        for i in range(3):
            start, end = corners[one, i], corners[one, (i + 1) % 3]
            hit |= _passes(start, end, corners[two], 1e-9 * size)
    return int(hit.sum())


def _passes(start: np.ndarray, end: np.ndarray, corners: np.ndarray, least: float) -> np.ndarray:
    """Whether segments pass through triangles, by more than `least` on both sides."""
    a, b, c = np.moveaxis(corners, 1, 0)
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    above, below = (np.sum((p - a) * normal, axis=-1) for p in (start, end))
    through = (np.minimum(np.abs(above), np.abs(below)) > least) & (above * below < 0)
    share = above / np.where(above == below, 1, above - below)
    place = start + share[:, None] * (end - start)
    inside = through
    for p, q in ((a, b), (b, c), (c, a)):
        inside = inside & (np.sum(np.cross(q - p, place - p) * normal, axis=-1) > 0)
    return inside
