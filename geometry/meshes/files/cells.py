"""Reading meshes of cells by meshio, and cutting their cells into simplices.

Quadrilaterals, hexahedra, prisms and pyramids are cut from their vertex of the lowest number, each
face from its own; so neighbors cut a common face alike.

Source: J. Dompierre, P. Labbé, M.-G. Vallet, R. Camarero, How to subdivide pyramids, prisms and
hexahedra into tetrahedra (1999), whose rule for diagonals this is.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np

from geometry.meshes.files.content import MeshFileError
from geometry.meshes.files.reading import Group, RawMesh

# corners, and faces as corners; nodes beyond the corners lie in the middle of edges and faces
_LINE, _TRIANGLE, _QUAD = (2, ()), (3, ()), (4, ())
_SOLIDS = {
    "tetra": (4, ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))),
    "pyramid": (5, ((0, 1, 2, 3), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4))),
    "wedge": (6, ((0, 1, 2), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))),
    "hexahedron": (
        8,
        ((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
    ),
}
_FAMILIES = {"line": (1, 2), "triangle": (2, 3), "quad": (2, 4)}
_FAMILIES |= {name: (3, corners) for name, (corners, _) in _SOLIDS.items()}
_REFERENCES = ("gmsh:physical", "cell_tags", "medit:ref", "nastran:ref", "su2:tag", "flac3d:group")


def read_cells(path: Path, kind: str, regions: str | None = None) -> RawMesh:
    """Returns the simplices of a mesh file that meshio reads, in groups by name."""
    mesh = _read(path, kind)
    notes = []
    blocks: dict[int, list[tuple[np.ndarray, np.ndarray, int]]] = {}
    middle: dict[str, int] = {}
    bend = 0.0
    for number, block in enumerate(mesh.cells):
        if block.type == "vertex":
            continue
        family = re.sub(r"\d+$", "", block.type)
        if family not in _FAMILIES:
            raise MeshFileError(
                f"{str(path)!r} has cells of type {block.type!r}, which cannot be cut into "
                f"simplices; known are {', '.join(_FAMILIES)}. Convert them."
            )
        dimension, corners = _FAMILIES[family]
        cells = np.asarray(block.data, np.int64)
        if cells.shape[1] > corners:
            middle[block.type] = middle.get(block.type, 0) + len(cells)
            bend = max(bend, _bend(np.asarray(mesh.points, float), cells, corners))
        simplices, parent = simplices_of(family, cells[:, :corners])
        blocks.setdefault(dimension, []).append((simplices, parent, number))
        if len(simplices) > len(cells):
            word = "triangles" if dimension == 2 else "tetrahedra"
            notes.append(f"{len(cells)} cells of type {block.type!r} were cut into {word}")
    if middle:
        words = ", ".join(f"{n} {name!r}" for name, n in middle.items())
        size = float(np.linalg.norm(np.ptp(mesh.points, axis=0)))
        lost = (
            f"and with them a bend of up to {bend:.3g} ({bend / size:.2g} of the size)"
            if bend > 1e-9 * size
            else "which lie on straight edges"
        )
        notes.append(f"the middle nodes of {words} were dropped, {lost}")
    names = _names(mesh, regions, path, kind, notes)
    groups = {
        d: tuple(g for cells, parent, i in found for g in _grouped(cells, names[i][parent]))
        for d, found in blocks.items()
    }
    return RawMesh(
        np.asarray(mesh.points, float),
        groups,
        {name: np.asarray(values) for name, values in mesh.point_data.items()},
        _cell_data(mesh, blocks, names),
        tuple(notes),
    )


def _read(path: Path, kind: str) -> Any:
    try:
        import meshio
        from meshio._helpers import reader_map
    except ImportError as error:  # pragma: no cover
        raise MeshFileError(f"{str(path)!r} needs the package meshio to be read.") from error
    name = {"gmsh": "gmsh"}.get(kind, kind)
    if name not in reader_map:
        raise MeshFileError(f"{str(path)!r}: files of kind {kind!r} cannot be read by meshio.")
    if kind == "gmsh":
        _check_sections(path)
    try:
        with np.errstate(all="ignore"):
            return reader_map[name](str(path))
    except FileNotFoundError as error:
        raise MeshFileError(
            f"{str(path)!r} refers to a file of data that is not there: {error}. Keep both in one "
            "folder."
        ) from error
    except ImportError as error:
        raise MeshFileError(
            f"{str(path)!r}: reading files of kind {kind!r} needs the package {error.name!r}; "
            f"install it (`pip install {error.name}`), or save as VTU."
        ) from error
    except (Exception, SystemExit) as error:
        said = str(error) or type(error).__name__
        raise MeshFileError(
            f"{str(path)!r} cannot be read as {kind}: {type(error).__name__}: {said[:200]}. It is "
            f"damaged or was cut short; {meshio.__name__} reads it. Export it again."
        ) from error


def _check_sections(path: Path) -> None:
    """Raises where a section of a gmsh file does not end."""
    data = path.read_bytes()
    for match in re.finditer(rb"^\$(?!End)([A-Z][A-Za-z]+)\s", data, re.MULTILINE):
        section = match.group(1)
        if data.find(b"$End" + section, match.end()) < 0:
            line = data[: match.start()].count(b"\n") + 1
            word = section.decode()
            raise MeshFileError(
                f"{str(path)!r}: the section ${word} that starts in line {line} does not end by "
                f"$End{word}: the file was cut short. Export it again."
            )
    for word in (b"Nodes", b"Elements"):
        if b"$" + word not in data:
            raise MeshFileError(
                f"{str(path)!r} has no section ${word.decode()}: the file was cut short, or holds "
                "a geometry without a mesh. Mesh it and save it again."
            )


def simplices_of(family: str, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the simplices that cells `(m, corners)` of one kind are cut into, and the number of
    the cell of each."""
    m = np.arange(len(cells))
    if family in ("line", "triangle", "tetra") or not len(cells):
        dimension = _FAMILIES[family][0]
        return cells.reshape(-1, dimension + 1) if not len(cells) else cells, m
    if family == "quad":
        return _fans(cells).reshape(-1, 3), np.repeat(m, 2)
    _, faces = _SOLIDS[family]
    lowest = np.argmin(cells, axis=1)
    found, parents = [], []
    for face in faces:
        rows = np.flatnonzero((lowest[:, None] != np.array(face)).all(axis=1))
        polygons = cells[rows][:, face]
        triangles = _fans(polygons) if len(face) == 4 else polygons[:, None]
        count = triangles.shape[1]
        apex = np.repeat(cells[rows, lowest[rows]], count)
        found.append(np.concatenate([apex[:, None], triangles.reshape(-1, 3)], axis=1))
        parents.append(np.repeat(rows, count))
    order = np.argsort(np.concatenate(parents), kind="stable")
    return np.concatenate(found)[order], np.concatenate(parents)[order]


def _fans(quads: np.ndarray) -> np.ndarray:
    """The two triangles `(m, 2, 3)` of quadrilaterals, cut from the vertex of the lowest number."""
    start = np.argmin(quads, axis=1)[:, None]
    turned = np.take_along_axis(quads, (start + np.arange(4)) % 4, axis=1)
    return turned[:, [[0, 1, 2], [0, 2, 3]]]


def _bend(points: np.ndarray, cells: np.ndarray, corners: int) -> float:
    """How far nodes beyond the corners of cells lie off the places that they have in straight
    cells: in the middle of two corners, or of all."""
    places = points[cells]  # (cells, nodes, d)
    pairs = [
        (places[:, i] + places[:, j]) / 2 for i, j in itertools.combinations(range(corners), 2)
    ]
    straight = np.stack([*pairs, places[:, :corners].mean(axis=1)], axis=1)
    gaps = [
        np.linalg.norm(straight - places[:, [node]], axis=-1).min(axis=1)
        for node in range(corners, cells.shape[1])
    ]
    return float(np.max(gaps, initial=0.0))


def _names(
    mesh: Any, regions: str | None, path: Path, kind: str, notes: list[str]
) -> list[np.ndarray]:
    """For each block an array of names of its cells, None where there is none."""
    names = [np.full(len(block.data), None, object) for block in mesh.cells]
    if regions is not None:
        if regions not in mesh.cell_data:
            there = ", ".join(mesh.cell_data) or "none"
            raise MeshFileError(f"{str(path)!r} has no cell data {regions!r}; there are: {there}.")
        top = max(_dimension(block) for block in mesh.cells)
        for i, values in enumerate(mesh.cell_data[regions]):
            if _dimension(mesh.cells[i]) == top:
                names[i][:] = [f"{regions}{v:g}" for v in np.asarray(values).ravel()]
    words = _words(mesh) | (_physical_names(path) if kind == "gmsh" else {})
    for key in _REFERENCES:
        for i, values in enumerate(mesh.cell_data.get(key, ())):
            values = np.asarray(values).ravel()
            several = len(np.unique(np.concatenate(mesh.cell_data[key]))) > 1
            for value in np.unique(values):
                word = words.get(
                    (_dimension(mesh.cells[i]), int(value)), words.get((-1, int(value)))
                )
                if word is None and value != 0 and several:
                    word = f"group{int(value)}"
                free = (values == value) & (names[i] == None)  # noqa: E711
                names[i][free] = word
    twice = 0
    for word, rows in mesh.cell_sets.items():
        if word.startswith("gmsh:"):
            continue
        for i, chosen in enumerate(rows):
            if chosen is None or not len(chosen):
                continue
            chosen = np.asarray(chosen, int)
            free = chosen[names[i][chosen] == None]  # noqa: E711
            other = chosen[(names[i][chosen] != word) & (names[i][chosen] != None)]  # noqa: E711
            twice += len(other)
            names[i][free] = word
    if twice:
        notes.append(f"{twice} cells are in several groups, and belong to the first of them")
    return names


def _words(mesh: Any) -> dict[tuple[int, int], str]:
    """Names by dimension (-1 for any) and number."""
    words = {}
    for word, value in mesh.field_data.items():
        number, dimension = (int(v) for v in np.asarray(value).ravel()[:2])
        words[dimension, number] = str(word)
    for number, several in (getattr(mesh, "cell_tags", None) or {}).items():
        words[-1, int(number)] = str(several[0])
    return words


def _physical_names(path: Path) -> dict[tuple[int, int], str]:
    """Names by dimension and number in a gmsh file, where several numbers may have one name."""
    section = path.read_bytes().partition(b"$PhysicalNames")[2].partition(b"$EndPhysicalNames")[0]
    found = re.findall(r'^\s*(\d+)\s+(\d+)\s+"(.*)"\s*$', section.decode(errors="replace"), re.M)
    return {(int(dimension), int(number)): word for dimension, number, word in found}


def _dimension(block: Any) -> int:
    return _FAMILIES.get(re.sub(r"\d+$", "", block.type), (0,))[0]


def _grouped(cells: np.ndarray, names: np.ndarray) -> list[Group]:
    words = list(dict.fromkeys(names.tolist()))
    return [
        Group(w, cells[[n is w or n == w for n in names.tolist()]] if len(words) > 1 else cells)
        for w in words
    ]


def _cell_data(mesh: Any, blocks: Any, names: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Data of the simplices of highest dimension, in the order of their groups."""
    top = max(blocks, default=0)
    result = {}
    for key, values in mesh.cell_data.items():
        if key in _REFERENCES or key.startswith("gmsh:"):
            continue
        rows = []
        for _, parent, i in blocks.get(top, ()):
            own = np.asarray(values[i])[parent]
            words = names[i][parent].tolist()
            rows += [own[[n == w for n in words]] for w in dict.fromkeys(words)]
        if rows:
            result[key] = np.concatenate(rows)
    return result
