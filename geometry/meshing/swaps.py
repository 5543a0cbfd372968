"""Local changes of meshes of tetrahedra that make the worst cells better.

An edge is removed by filling the ring of vertices around it with triangles, each joined to both
ends; on a smooth piece of boundary the ring is open and the two facets at the edge are turned. A
face is removed by joining the two vertices opposite to it. An edge collapses into one of its ends.

Source: L. Freitag and C. Ollivier-Gooch, Tetrahedral mesh improvement using swapping and smoothing
(1997).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np

from geometry.meshing.tets import EDGES, FACES, find, keys, quality, unique_edges

_MOST_AROUND = 6
_SLIVER = 0.2  # quality below which a cell may be taken off the boundary
_STRAIGHT = 0.9  # cosine of the largest turn of a facet


@dataclass(frozen=True, eq=False)
class Walls:
    """Facets `(f, 3)` that the mesh must keep, each with a tag `(f,)`; those that bound the mesh
    are `outer`, the rest lie between regions."""

    facets: np.ndarray
    tags: np.ndarray
    outer: np.ndarray


@dataclass(frozen=True, eq=False)
class Tetrahedra:
    """Points, cells and the walls between and around them."""

    points: np.ndarray
    cells: np.ndarray
    walls: Walls

    @functools.cached_property
    def quality(self) -> np.ndarray:
        return quality(self.points[self.cells])

    @functools.cached_property
    def facet_normals(self) -> np.ndarray:
        """Unit normals of the walls, in the sense in which their vertices are written."""
        return _unit_normals(self.points[self.walls.facets])


def _unit_normals(corners: np.ndarray) -> np.ndarray:
    normals = np.cross(
        corners[..., 1, :] - corners[..., 0, :], corners[..., 2, :] - corners[..., 0, :]
    )
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    return np.asarray(normals / np.where(length > 0, length, 1))


def independent(owner: np.ndarray, item: np.ndarray, gain: np.ndarray, n_items: int) -> np.ndarray:
    """Returns which changes to make so that no two touch an item: the best of each neighborhood.

    Change `owner[i]` touches `item[i]`; changes with no gain are left out.
    """
    rank = np.empty(len(gain), int)
    rank[np.argsort(gain, kind="stable")] = np.arange(len(gain))
    rank[gain <= 0] = -1
    best = np.full(n_items, -1)
    np.maximum.at(best, item, rank[owner])
    beaten = np.zeros(len(gain), bool)
    beaten[owner[best[item] != rank[owner]]] = True
    return ~beaten & (rank >= 0)


# Faces


def remove_faces(mesh: Tetrahedra) -> Tetrahedra:
    """Returns the mesh with two cells at a face turned into three around a new edge."""
    cells, count = mesh.cells, len(mesh.points)
    bad = mesh.quality < 0.35
    faces = cells[:, FACES]  # (cells, 4, 3)
    code = keys(faces, count).ravel()
    order = np.argsort(code, kind="stable")
    twin = np.flatnonzero(code[order][1:] == code[order][:-1])
    first, second = order[twin], order[twin + 1]
    wall = np.sort(keys(mesh.walls.facets, count))
    wanted = (find(wall, code[first]) < 0) & (bad[first // 4] | bad[second // 4])
    first, second = first[wanted], second[wanted]
    if not len(first):
        return mesh
    a, b, c = faces.reshape(-1, 3)[first].T
    d, e = cells.ravel()[first], cells.ravel()[second]  # face i is opposite to corner i
    new = np.stack([np.stack([d, x, y, e], -1) for x, y in ((a, b), (b, c), (c, a))], axis=1)
    pair = np.stack([first // 4, second // 4], axis=-1)
    gain = quality(mesh.points[new]).min(axis=1) - mesh.quality[pair].min(axis=1)
    owner = np.repeat(np.arange(len(pair)), 2)
    chosen = independent(owner, pair.ravel(), np.where(gain > 1e-3, gain, 0), len(cells))
    kept = np.delete(cells, pair[chosen].ravel(), axis=0)
    return replace(mesh, cells=np.concatenate([kept, new[chosen].reshape(-1, 4)]))


# Edges


@functools.cache
def _fillings(n: int) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    """All ways to fill a polygon of n vertices with triangles."""

    def fill(vertices: tuple[int, ...]) -> list[tuple[tuple[int, int, int], ...]]:
        if len(vertices) < 3:
            return [()]
        ways = []
        for k in range(1, len(vertices) - 1):  # the triangle on the side from last to first
            triangle = (vertices[0], vertices[k], vertices[-1])
            for left in fill(vertices[: k + 1]):
                for right in fill(vertices[k:]):
                    ways.append((*left, triangle, *right))
        return ways

    return tuple(fill(tuple(range(n))))


def remove_edges(mesh: Tetrahedra) -> Tetrahedra:
    """Returns the mesh without edges whose removal makes the worst cell around them better."""
    for size in range(1, _MOST_AROUND + 1):
        mesh = _remove_edges(mesh, size)
    return mesh


def _remove_edges(mesh: Tetrahedra, size: int) -> Tetrahedra:
    """Removes edges that `size` cells share."""
    cells, points, count = mesh.cells, mesh.points, len(mesh.points)
    edges, of_cell = unique_edges(cells, count)
    owners = np.bincount(of_cell.ravel(), minlength=len(edges))
    worst = np.full(len(edges), np.inf)
    np.minimum.at(worst, of_cell.ravel(), np.repeat(mesh.quality, 6))
    at_wall, facets = _facets_at(mesh, edges)
    open_ring = (at_wall == 2) & _turnable(mesh, facets)
    wanted = np.flatnonzero(
        (owners == size) & (worst < 0.35) & (((at_wall == 0) & (size > 2)) | open_ring)
    )
    if not len(wanted):
        return mesh
    place = np.full(len(edges), -1)
    place[wanted] = np.arange(len(wanted))
    slot = place[of_cell].ravel()
    order = np.argsort(slot, kind="stable")
    order = order[slot[order] >= 0].reshape(-1, size)  # (wanted, size), numbers 6 * cell + edge
    ring, closes = _rings(cells, order, open_ring[wanted])
    wanted, order, ring = wanted[closes], order[closes], ring[closes]
    done = np.zeros(len(cells), bool)
    added, walls = [], mesh.walls
    for is_open in (False, True):
        mine = open_ring[wanted] == is_open
        if not mine.any():
            continue
        n = size + is_open
        p, q = edges[wanted[mine]].T
        around, own = ring[mine][:, :n], order[mine] // 6
        new, gain = _best_filling(points, p, q, around, mesh.quality[own].min(axis=1))
        if is_open:
            turned, straight = _turned(mesh, facets[wanted[mine]], p, q, around)
            gain = np.where(straight, gain, 0)
        gain = np.where(done[own].any(axis=1), 0, gain)
        owner = np.repeat(np.arange(len(own)), size)
        chosen = independent(owner, own.ravel(), gain, len(cells))
        if is_open:
            walls, chosen = _with_turned(walls, facets[wanted[mine]], turned, chosen)
        done[own[chosen].ravel()] = True
        added.append(new[chosen].reshape(-1, 4))
    return replace(mesh, cells=np.concatenate([cells[~done], *added]), walls=walls)


def _facets_at(mesh: Tetrahedra, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many wall facets each edge has, and the numbers of two of them."""
    count = len(mesh.points)
    sides = mesh.walls.facets[:, [(1, 2), (2, 0), (0, 1)]].reshape(-1, 2)
    place = find(keys(edges, count), keys(sides, count))
    times = np.bincount(place, minlength=len(edges))
    facets = np.zeros((len(edges), 2), int)
    facets[place, 1] = np.arange(len(sides)) // 3
    facets[place[::-1], 0] = np.arange(len(sides))[::-1] // 3
    return times, facets


def _turnable(mesh: Tetrahedra, facets: np.ndarray) -> np.ndarray:
    """Whether two facets belong to one smooth piece of the outer boundary."""
    a, b = facets.T
    walls, normals = mesh.walls, mesh.facet_normals
    if not len(walls.tags):
        return np.zeros(len(facets), bool)
    cosine = np.sum(normals[a] * normals[b], axis=-1)
    return (walls.tags[a] == walls.tags[b]) & walls.outer[a] & walls.outer[b] & (cosine > _STRAIGHT)


def _rings(
    cells: np.ndarray, order: np.ndarray, is_open: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The vertices around edges in turn `(edges, size + 1)`, and whether they form one ring."""
    own, local = cells[order // 6], EDGES[order % 6]
    p, q = (np.take_along_axis(own, local[..., i : i + 1], -1) for i in (0, 1))
    others = np.array([[k for k in range(4) if k not in edge] for edge in EDGES])[order % 6]
    pair = np.take_along_axis(own, others, -1)  # (edges, size, 2)
    parity = np.array([1, -1, 1, 1, -1, 1])[order % 6] * np.where(p < q, 1, -1)[..., 0]
    pair = np.where(parity[..., None] > 0, pair, pair[..., ::-1])  # seen from the larger end
    start = np.zeros(len(pair), int)
    is_first = ~(pair[:, :, None, 0] == pair[:, None, :, 1]).any(axis=2)
    start = np.where(is_open, np.argmax(is_first, axis=1), 0)
    row = np.arange(len(pair))
    ring = [pair[row, start, 0], pair[row, start, 1]]
    good = is_first.sum(axis=1) == np.where(is_open, 1, 0)
    for _ in range(pair.shape[1] - 1):
        match = pair[..., 0] == ring[-1][:, None]
        good &= match.sum(axis=1) == 1
        ring.append(pair[row, np.argmax(match, axis=1), 1])
    around = np.stack(ring, axis=-1)
    ordered = np.sort(np.where(is_open[:, None], around, around[:, :1]), axis=1)
    good &= is_open | (around[:, 0] == around[:, -1])
    distinct = np.sort(around[:, :-1], axis=1)
    good &= (distinct[:, 1:] != distinct[:, :-1]).all(axis=1)
    good &= ~is_open | (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
    return around, good


def _best_filling(
    points: np.ndarray, p: np.ndarray, q: np.ndarray, around: np.ndarray, before: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The cells of the best filling of each ring, and by how much the worst one is better."""
    n = around.shape[1]
    if n == 2:  # a single cell with two facets on the boundary: taken off if it is a sliver
        return np.zeros((len(p), 0, 4), int), np.where(before < _SLIVER, 1.0, 0)
    ways = []
    for filling in _fillings(n):
        cells = []
        for i, j, k in filling:
            x, y, z = around[:, i], around[:, j], around[:, k]
            cells += [np.stack([x, y, z, q], -1), np.stack([x, z, y, p], -1)]
        ways.append(np.stack(cells, axis=1))
    every = np.stack(ways, axis=1)  # (edges, ways, cells, 4)
    worst = quality(points[every]).min(axis=2)
    best = np.argmax(worst, axis=1)
    row = np.arange(len(p))
    gain = worst[row, best] - before
    return every[row, best], np.where(gain > 1e-3, gain, 0)


def _turned(
    mesh: Tetrahedra, facets: np.ndarray, p: np.ndarray, q: np.ndarray, around: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The facets that replace two at an edge p q, and whether these are new and as straight."""
    first, last = around[:, 0], around[:, -1]
    new = np.stack([np.stack([first, last, q], -1), np.stack([last, first, p], -1)], axis=1)
    normals = _unit_normals(mesh.points[new])
    old = mesh.facet_normals[facets].mean(axis=1, keepdims=True)
    cosine = np.sum(normals * old, axis=-1)
    flipped = (cosine < 0).all(axis=1)
    new[flipped] = new[flipped][..., ::-1]
    count = len(mesh.points)
    is_wall = np.isin(keys(new, count), keys(mesh.walls.facets, count)).any(axis=1)
    straight = (np.abs(cosine) > _STRAIGHT).all(axis=1) & (np.prod(cosine, axis=1) > 0)
    return new, straight & ~is_wall


def _with_turned(
    walls: Walls, facets: np.ndarray, turned: np.ndarray, chosen: np.ndarray
) -> tuple[Walls, np.ndarray]:
    """The walls with the facets of the chosen changes turned; changes that share one are left."""
    owner = np.repeat(np.arange(len(facets)), 2)
    chosen = independent(owner, facets.ravel(), chosen.astype(float), len(walls.tags))
    new = walls.facets.copy()
    new[facets[chosen]] = turned[chosen]
    return replace(walls, facets=new), chosen


# Collapse


def collapse(mesh: Tetrahedra, level: np.ndarray, is_crease: np.ndarray) -> Tetrahedra:
    """Returns the mesh without edges whose collapse makes the worst cell at one end better.

    Arguments:
        level: 0 for inner vertices, 1 on a face, 2 on a crease, 3 where nothing may move.
        is_crease: whether each side `(f, 3)` of the walls lies on a crease; side i is opposite to
            corner i.
    """
    cells, points, count = mesh.cells, mesh.points, len(mesh.points)
    edges, _ = unique_edges(cells[mesh.quality < 0.35], count)
    pairs = np.concatenate([edges, edges[:, ::-1]])  # the first goes to the second
    pairs = pairs[_may_move(mesh, level, is_crease, pairs)]
    if not len(pairs):
        return mesh
    owner, cell = _stars(cells, pairs[:, 0], count)
    own = cells[cell]
    target = pairs[owner, 1:]
    dies = (own == target).any(axis=1)
    new = np.where(own == pairs[owner, :1], target, own)
    after = np.full(len(pairs), np.inf)
    np.minimum.at(after, owner[~dies], quality(points[new[~dies]]))
    before = np.full(len(pairs), np.inf)
    np.minimum.at(before, owner, mesh.quality[cell])
    gain = np.where(np.isfinite(after) & (after > before + 1e-3), after - before, 0)
    gain[_bends(mesh, pairs)] = 0
    chosen = independent(owner, cell, gain, len(cells))
    renamed = np.arange(count)
    renamed[pairs[chosen, 0]] = pairs[chosen, 1]
    cells, facets = renamed[cells], renamed[mesh.walls.facets]
    cells = cells[_distinct(cells)]
    kept = _distinct(facets)
    walls = Walls(facets[kept], mesh.walls.tags[kept], mesh.walls.outer[kept])
    return Tetrahedra(points, cells, walls)


def _distinct(rows: np.ndarray) -> np.ndarray:
    ordered = np.sort(rows, axis=1)
    return np.asarray((ordered[:, 1:] != ordered[:, :-1]).all(axis=1))


def _may_move(
    mesh: Tetrahedra, level: np.ndarray, is_crease: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """Whether the first vertex of each pair may go to the second without leaving its wall."""
    count = len(mesh.points)
    sides = mesh.walls.facets[:, [(1, 2), (2, 0), (0, 1)]].reshape(-1, 2)
    in_wall = np.isin(keys(pairs, count), keys(sides, count))
    in_crease = np.isin(keys(pairs, count), keys(sides[is_crease.ravel()], count))
    first = level[pairs[:, 0]]
    return (first == 0) | ((first == 1) & in_wall) | ((first == 2) & in_crease)


def _stars(rows: np.ndarray, vertices: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the rows at each vertex, as pairs (index of the vertex, row)."""
    order = np.argsort(rows.ravel(), kind="stable") // rows.shape[1]
    times = np.bincount(rows.ravel(), minlength=count)
    starts = np.cumsum(times) - times
    mine = times[vertices]
    owner = np.repeat(np.arange(len(vertices)), mine)
    inside = np.arange(mine.sum()) - np.repeat(np.cumsum(mine) - mine, mine)
    return owner, order[starts[vertices][owner] + inside]


def _bends(mesh: Tetrahedra, pairs: np.ndarray) -> np.ndarray:
    """Whether a collapse turns a facet of the walls, or puts it onto another one."""
    facets = mesh.walls.facets
    owner, row = _stars(facets, pairs[:, 0], len(mesh.points))
    new = np.where(facets[row] == pairs[owner, :1], pairs[owner, 1:], facets[row])
    stays = _distinct(new)
    normals = _unit_normals(mesh.points[new[stays]])
    turned = np.sum(normals * mesh.facet_normals[row[stays]], axis=-1) < _STRAIGHT
    bends = np.zeros(len(pairs), bool)
    bends[owner[stays][turned]] = True
    count = len(mesh.points)
    folded = np.isin(keys(new[stays], count), keys(facets, count))
    bends[owner[stays][folded]] = True
    return bends
