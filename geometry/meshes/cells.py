"""Triangles in the plane and tetrahedra in space as data: what a mesh of cells keeps of a file."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from geometry.box import SIDES
from geometry.meshes.facets import Facets
from geometry.meshes.features import named_pieces, pieces
from geometry.meshes.files import MeshFileError
from geometry.meshes.triangulation import digest
from geometry.meshing.tets import FACES, find, keys

LOCAL_FACETS = {2: np.array([(1, 2), (2, 0), (0, 1)]), 3: FACES}  # opposite to each corner, outward
UNNAMED = "unnamed"
_FLAT = 1e-12  # measure of a cell against that of the cube of its longest edge


@dataclass(frozen=True, eq=False)
class Cells:
    """Points `(n, d)`, cells `(m, d + 1)` of positive orientation with the number of the region of
    each, facets `(k, d)` with the number of the part of each: first those of the boundary, outward,
    then those inside, of interfaces. `data` are values at the points or in the cells."""

    points: np.ndarray
    cells: np.ndarray
    regions: np.ndarray
    region_names: tuple[str, ...]
    facets: np.ndarray
    parts: np.ndarray
    part_names: tuple[str, ...]
    inner: np.ndarray
    interfaces: np.ndarray
    interface_names: tuple[str, ...]
    point_data: Mapping[str, np.ndarray] = field(default_factory=dict)
    cell_data: Mapping[str, np.ndarray] = field(default_factory=dict)
    path: str | None = None
    notes: tuple[str, ...] = field(default=(), metadata={"stored": False})

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return self.points.shape[1]

    @property
    def corners(self) -> np.ndarray:
        """The corners of the cells `(m, d + 1, d)`."""
        return self.points[self.cells]

    def named_facets(self) -> dict[str, np.ndarray]:
        """The facets `(k, d)` of each part and each interface."""
        parts = {w: self.facets[self.parts == i] for i, w in enumerate(self.part_names)}
        inner = {w: self.inner[self.interfaces == i] for i, w in enumerate(self.interface_names)}
        return parts | inner

    def region(self, number: int) -> Cells:
        """The cells of one region; where it meets others, its parts have the interface's name."""
        chosen = self.regions == number
        used, index = np.unique(self.cells[chosen], return_inverse=True)
        cells = index.reshape(-1, self.dimension + 1)
        place = np.full(len(self.points), -1)
        place[used] = np.arange(len(used))
        named = [(w, place[rows]) for w, rows in self.named_facets().items()]
        named = [(w, rows[(rows >= 0).all(axis=1)]) for w, rows in named]
        return assembled(
            self.points[used],
            cells,
            np.zeros(len(cells), int),
            (self.region_names[number],),
            named,
            point_data={k: v[used] for k, v in self.point_data.items()},
            cell_data={k: v[chosen] for k, v in self.cell_data.items()},
            path=self.path,
        )

    def in_units(self, length: float) -> Cells:
        """The same cells with coordinates divided by a length."""
        return replace(self, points=self.points / length, path=None)

    @functools.cached_property
    def _digest(self) -> str:
        data = [*self.point_data.items(), *self.cell_data.items()]
        arrays = (self.points, self.cells, self.regions, self.facets, self.parts, self.inner)
        words = (self.region_names, self.part_names, self.interface_names)
        return digest(*arrays, self.interfaces, *words, *(v for pair in data for v in pair))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cells) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        if self.path is not None:
            return repr(self.path)
        return f"(<{len(self.points)} points>, <{len(self.cells)} cells>)"


def assembled(
    points: np.ndarray,
    cells: np.ndarray,
    regions: np.ndarray,
    region_names: tuple[str, ...],
    named: Sequence[tuple[str, np.ndarray]],
    *,
    point_data: Mapping[str, np.ndarray],
    cell_data: Mapping[str, np.ndarray],
    feature_angle: float = 0.7,
    path: str | None = None,
    notes: tuple[str, ...] = (),
) -> Cells:
    """Returns cells with their boundary and interfaces, each facet in exactly one part.

    Arguments:
        named: facets `(k, d)` of parts by name, of which the first that has a facet keeps it; those
            inside become interfaces. Facets of the boundary that none has are the part "unnamed",
            or, where none is named, pieces between sharp edges.
    """
    said = list(notes)
    points, cells, point_data = _joined(points, cells, point_data, said)
    cells, kept = _upright(points, cells, said)
    regions = regions[kept]
    cell_data = {key: values[kept] for key, values in cell_data.items()}
    d = points.shape[1]
    flat = cells[:, LOCAL_FACETS[d]].reshape(-1, d)
    owner = np.repeat(np.arange(len(cells)), d + 1)
    key = keys(flat, len(points))
    found, first, place, times = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    if (times > 2).any():
        said.append(f"{int((times > 2).sum())} facets belong to three cells or more, which overlap")
    words: list[str] = []
    tag = np.full(len(found), -1)
    stray = 0
    for word, rows in named:
        where = find(found, keys(rows, len(points))) if len(rows) else np.zeros(0, int)
        stray += int((where < 0).sum())
        where = where[where >= 0]
        if word not in words:
            words.append(word)
        tag[where[tag[where] < 0]] = words.index(word)
    if stray:
        said.append(f"{stray} facets of groups belong to no cell, and were dropped")
    outer = times == 1
    facets, parts = flat[first[outer]], tag[outer]
    boundary = Facets(points[facets])
    if (parts < 0).all():
        parts, part_names = _split(facets, boundary, feature_angle)
        if len(part_names) > 1:
            listed = ", ".join(part_names[:8]) + (", ..." if len(part_names) > 8 else "")
            said.append(
                f"no part of the boundary has a name: it was split at sharp edges into {listed}; "
                "`boundary.where(condition)` picks other pieces"
            )
    else:
        bare = parts < 0
        if bare.any():
            said.append(
                f"{int(bare.sum())} of {len(parts)} facets of the boundary are in no group: they "
                f"are the part {UNNAMED!r}"
            )
            words.append(UNNAMED)
            parts = np.where(bare, words.index(UNNAMED), parts)
        parts, part_names = _numbered(parts, words)
    inner, interfaces, interface_names = _interfaces(
        flat, owner, place, times, tag, words, regions, region_names
    )
    return Cells(
        points, cells, regions, region_names, facets, parts, part_names, inner, interfaces,
        interface_names, point_data, cell_data, path, tuple(said),
    )  # fmt: skip


def _numbered(tags: np.ndarray, words: Sequence[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """The tags counted anew, without words that none has."""
    used = np.unique(tags)
    return np.searchsorted(used, tags), tuple(words[i] for i in used)


def _joined(points: Any, cells: Any, point_data: Any, said: list[str]) -> tuple[Any, Any, Any]:
    """One point for those at the same place; points without a cell stay, so that numbers do."""
    used = np.zeros(len(points), bool)
    used[cells] = True
    places, first, place = np.unique(points[used], axis=0, return_index=True, return_inverse=True)
    doubles = int(used.sum()) - len(places)
    if not doubles:
        return points, cells, point_data
    said.append(f"{doubles} points at the place of others were joined to them")
    partner = np.arange(len(points))
    numbers = np.flatnonzero(used)
    partner[numbers] = numbers[first][place.ravel()]
    return points, partner[cells], point_data


def _upright(points: np.ndarray, cells: np.ndarray, said: list[str]) -> tuple[Any, np.ndarray]:
    """The cells turned to positive orientation, and which of them have a volume."""
    corners = points[cells]
    edges = corners[:, 1:] - corners[:, :1]
    d = points.shape[1]
    volume = np.linalg.det(edges)
    longest = np.linalg.norm(corners[:, :, None] - corners[:, None], axis=-1).max(axis=(1, 2))
    flat = np.abs(volume) <= _FLAT * longest**d
    if flat.all():
        raise MeshFileError("the mesh has no cell with a volume; all are flat.")
    if flat.any():
        said.append(f"{_listed(flat)} without a volume dropped")
    inverted = (volume < 0) & ~flat
    cells = cells.copy()
    cells[inverted, -2:] = cells[inverted, -2:][:, ::-1]
    if inverted.any() and not inverted[~flat].all():
        said.append(f"{_listed(inverted)} inside out turned")
    return cells[~flat], ~flat


def _listed(mask: np.ndarray) -> str:
    numbers = np.flatnonzero(mask)
    shown = ", ".join(map(str, numbers[:5])) + (", ..." if len(numbers) > 5 else "")
    return f"{len(numbers)} {'cell' if len(numbers) == 1 else 'cells'} ({shown})"


def _split(
    facets: np.ndarray, boundary: Facets, angle: float
) -> tuple[np.ndarray, tuple[str, ...]]:
    d = facets.shape[1]
    sides = LOCAL_FACETS[2] if d == 3 else np.array([[0], [1]])
    rims = facets[:, sides].reshape(-1, d - 1)
    owner = np.repeat(np.arange(len(facets)), len(sides))
    key = keys(rims, int(facets.max()) + 1) if d == 3 else rims[:, 0]
    order = np.argsort(key, kind="stable")
    twins = np.flatnonzero(key[order][1:] == key[order][:-1])
    pairs = np.stack([owner[order[twins]], owner[order[twins + 1]]], axis=-1)
    piece = pieces(pairs, boundary.normals, angle)
    return named_pieces(boundary, piece, SIDES[d], "face" if d == 3 else "edge")


def _interfaces(
    flat: Any, owner: Any, place: Any, times: Any, tag: Any, words: Any, regions: Any, names: Any
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Facets between two cells that a group has, or that lie between two regions, as seen from the
    region that comes first."""
    order = np.argsort(place.ravel(), kind="stable")
    order = order[times[place.ravel()[order]] == 2].reshape(-1, 2)
    sides = regions[owner[order]]
    tags = tag[place.ravel()[order[:, 0]]]
    inner = (tags >= 0) | (sides[:, 0] != sides[:, 1])
    order, sides, tags = order[inner], sides[inner], tags[inner]
    first = np.argmin(sides, axis=1)
    facets = flat[order[np.arange(len(order)), first]]
    low, high = sides.min(axis=1, initial=len(names)), sides.max(axis=1, initial=0)
    found: dict[str, int] = {}
    numbers = np.zeros(len(facets), int)
    for i, (t, a, b) in enumerate(zip(tags.tolist(), low.tolist(), high.tolist(), strict=True)):
        word = words[t] if t >= 0 else f"{names[a]}|{names[b]}"
        numbers[i] = found.setdefault(word, len(found))
    return facets, numbers, tuple(found)


def refined(points: np.ndarray, cells: np.ndarray, rows: dict[str, np.ndarray]) -> Any:
    """Returns points, cells and named facets with every edge halved: each triangle is cut in four,
    each tetrahedron in eight, the octahedron in its middle along its shortest diagonal.

    Source: J. Bey, Tetrahedral grid refinement, Computing 55 (1995), for the eight.
    """
    n, d = len(points), points.shape[1]
    pairs = np.array([(i, j) for i in range(d + 1) for j in range(i + 1, d + 1)])
    code, place = np.unique(keys(cells[:, pairs], n), return_inverse=True)
    ends = np.stack([code // n, code % n], axis=-1)
    middles = points[ends].mean(axis=1)
    new = n + place.reshape(len(cells), len(pairs))
    finer = _cut_triangles(cells, new) if d == 2 else _cut_tetrahedra(points, cells, new, middles)
    facets = {}
    for word, facet in rows.items():
        if d == 2:
            middle = n + find(code, keys(facet, n))
            a, b = facet.T
            facets[word] = np.concatenate([np.stack([a, middle], 1), np.stack([middle, b], 1)])
        else:
            sides = np.array([(0, 1), (0, 2), (1, 2)])
            facets[word] = _cut_triangles(facet, n + find(code, keys(facet[:, sides], n)))
    return np.concatenate([points, middles]), finer, facets


def _cut_triangles(cells: np.ndarray, new: np.ndarray) -> np.ndarray:
    (a, b, c), (ab, ac, bc) = cells.T, new.T
    parts = [(a, ab, ac), (ab, b, bc), (ac, bc, c), (ab, bc, ac)]
    return np.concatenate([np.stack(part, axis=-1) for part in parts])


def _cut_tetrahedra(points: Any, cells: Any, new: Any, middles: Any) -> np.ndarray:
    a, b, c, d = cells.T
    ab, ac, ad, bc, bd, cd = new.T
    corners = [(a, ab, ac, ad), (ab, b, bc, bd), (ac, bc, c, cd), (ad, bd, cd, d)]
    everything = np.concatenate([points, middles])
    # three diagonals of the octahedron, each with the other four vertices in turn around it
    around = [
        (ab, cd, (ac, bc, bd, ad)),
        (ac, bd, (ab, ad, cd, bc)),
        (ad, bc, (ab, bd, cd, ac)),
    ]
    lengths = [np.linalg.norm(everything[p] - everything[q], axis=-1) for p, q, _ in around]
    shortest = np.argmin(lengths, axis=0)
    found = [np.stack(part, axis=-1) for part in corners]
    for i, (p, q, ring) in enumerate(around):
        own = shortest == i
        for j in range(4):
            part = (p, q, ring[j], ring[(j + 1) % 4])
            found.append(np.stack(part, axis=-1)[own])
    return np.concatenate(found)
