"""Reading STL, OBJ, PLY and OFF: surfaces of triangles."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from geometry.meshes.files.content import MeshFileError
from geometry.meshes.files.reading import Group, RawMesh

_TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
    "float": "f4", "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2",
    "int32": "i4", "uint32": "u4", "float32": "f4", "float64": "f8",
}  # fmt: skip


def read_triangles(path: Path, kind: str) -> RawMesh:
    """Returns the surface in a file of kind "stl", "obj", "ply" or "off"; polygons become fans."""
    data = _utf8(path.read_bytes())
    return {"stl": _stl, "obj": _obj, "ply": _ply, "off": _off}[kind](data, str(path))


def _fail(path: str, place: str, what: str) -> NoReturn:
    raise MeshFileError(f"{path!r}, {place}: {what}. Export it again.")


def _utf8(data: bytes) -> bytes:
    """The bytes of a file without a mark of their order; text of two bytes a letter in UTF-8."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") and data[2:4].count(0) == 1:
        return data.decode("utf-16", errors="replace").encode()
    return data.removeprefix(b"\xef\xbb\xbf")


def _text(data: bytes) -> list[str]:
    return data.decode("utf-8", errors="replace").splitlines()


def _numbers(words: list[str], path: str, line: int) -> list[float]:
    try:
        return [float(word) for word in words]
    except ValueError:
        _fail(path, f"line {line}", f"needs numbers, and reads {' '.join(words)!r}")


def _fan(polygon: list[int]) -> list[tuple[int, int, int]]:
    return [(polygon[0], polygon[i], polygon[i + 1]) for i in range(1, len(polygon) - 1)]


def _raw(
    points: Any, named: dict[str | None, Any], path: str, notes: tuple[str, ...] = ()
) -> RawMesh:
    vertices = np.asarray(points, float).reshape(-1, 3)
    groups = tuple(
        Group(name, np.asarray(rows, int).reshape(-1, 3))
        for name, rows in named.items()
        if len(rows)
    )
    return RawMesh(vertices, {2: groups}, notes=notes)


# STL


def _stl(data: bytes, path: str) -> RawMesh:
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else 0
    is_text = data[:256].lstrip()[:5].lower() in (b"solid", b"facet") and b"\0" not in data[:1024]
    over = len(data) - 84 - 50 * count
    if len(data) >= 84 and (over == 0 or (count and 0 < over < 50 and not is_text)):
        notes = (f"{over} bytes after the last triangle were left out",) if over else ()
        return _stl_binary(data, count, path, notes)
    if is_text:
        return _stl_text(data, path)
    if len(data) < 84:
        _fail(path, f"{len(data)} bytes", "is too short for an STL file")
    raise MeshFileError(
        f"{path!r}: the header tells of {count} triangles, which are {84 + 50 * count} bytes, and "
        f"the file has {len(data)}, enough for {(len(data) - 84) // 50}. It was cut short or its "
        "header is wrong: export it again."
    )


def _stl_binary(data: bytes, count: int, path: str, notes: tuple[str, ...]) -> RawMesh:
    rows = np.frombuffer(
        data, [("normal", "<f4", 3), ("corners", "<f4", 9), ("more", "<u2")], count, 84
    )
    corners = rows["corners"].astype(float).reshape(-1, 3, 3)
    return _from_corners(corners, rows["normal"], {None: np.arange(count)}, path, notes)


def _stl_text(data: bytes, path: str) -> RawMesh:
    corners: list[list[float]] = []
    normals: list[list[float]] = []
    solids: dict[str | None, list[int]] = {}
    name: str | None = None
    is_open = False
    number = 0
    for number, line in enumerate(_text(data), 1):
        words = line.split()
        if not words:
            continue
        first = words[0].lower()
        if first == "solid":
            name, is_open = " ".join(words[1:]) or None, True
        elif first == "facet":
            _check_facet(len(corners), len(normals), path, number)
            normals.append(_numbers(words[2:5], path, number))
            solids.setdefault(name, []).append(len(normals) - 1)
        elif first == "vertex":
            if len(words) != 4:
                _fail(
                    path, f"line {number}", f"needs three coordinates, and reads {line.strip()!r}"
                )
            corners.append(_numbers(words[1:], path, number))
        elif first == "endsolid":
            is_open = False
    _check_facet(len(corners), len(normals), path, number)
    if is_open:
        _fail(path, f"line {number}", "ends before `endsolid`: the file was cut short")
    if not corners:
        _fail(path, f"line {number}", "has no facets")
    places = np.array(corners).reshape(-1, 3, 3)
    return _from_corners(places, np.array(normals), solids, path)


def _check_facet(corners: int, facets: int, path: str, number: int) -> None:
    if corners != 3 * facets:
        _fail(
            path,
            f"line {number}",
            f"facet {facets} has {corners - 3 * (facets - 1)} vertices in place of 3: the file was "
            "cut short or is damaged",
        )


def _from_corners(
    corners: np.ndarray, normals: np.ndarray, named: Any, path: str, notes: tuple[str, ...] = ()
) -> RawMesh:
    """Joins equal corners; stored normals are only compared."""
    vertices, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    triangles = index.reshape(-1, 3)
    with np.errstate(invalid="ignore", over="ignore"):
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        lies = int(np.sum(np.sum(across * normals, axis=-1) < 0))
    if lies and lies < len(corners):
        notes += (f"{lies} stored normals contradict the order of the vertices, which is trusted",)
    return _raw(vertices, {name: triangles[rows] for name, rows in named.items()}, path, notes)


# OBJ


def _obj(data: bytes, path: str) -> RawMesh:
    points: list[list[float]] = []
    groups: dict[str | None, list[tuple[int, int, int]]] = {}
    name: str | None = None
    begun: list[str] = []  # of a statement that goes on in the next line
    for number, line in enumerate(_text(data), 1):
        words = begun + line.split()
        begun = words[:-1] if words[-1:] == ["\\"] else []
        if not words or begun:
            continue
        if words[0] == "v":
            if len(words) < 4:
                _fail(
                    path, f"line {number}", f"needs three coordinates, and reads {line.strip()!r}"
                )
            points.append(_numbers(words[1:4], path, number))
        elif words[0] in ("g", "o", "usemtl"):
            name = " ".join(words[1:]) or None
        elif words[0] == "f":
            groups.setdefault(name, []).extend(
                _fan(_obj_face(words[1:], len(points), path, number))
            )
    return _raw(points, groups, path)


def _obj_face(words: list[str], count: int, path: str, number: int) -> list[int]:
    face = []
    for word in words:
        try:
            index = int(word.split("/")[0])
        except ValueError:
            _fail(path, f"line {number}", f"needs vertex numbers, and reads {word!r}")
        if index == 0:
            _fail(path, f"line {number}", "vertices are counted from 1, and a face refers to 0")
        face.append(index - 1 if index > 0 else count + index)
    if len(face) < 3:
        _fail(path, f"line {number}", f"needs faces of three vertices or more, and has {len(face)}")
    return face


# OFF


def _off(data: bytes, path: str) -> RawMesh:
    lines = [(i, line.split("#")[0].split()) for i, line in enumerate(_text(data), 1)]
    lines = [(i, words) for i, words in lines if words]
    if lines[0][1][0].upper().endswith("OFF"):
        lines[0][1].pop(0)
        lines = [(i, words) for i, words in lines if words]
    if not lines or len(lines[0][1]) < 2:
        _fail(path, "line 2", "needs the numbers of vertices and faces")
    n, m = (int(v) for v in _numbers(lines[0][1][:2], path, lines[0][0]))
    if len(lines) < 1 + n + m:
        _fail(
            path,
            f"line {lines[-1][0]}",
            f"the header tells of {n} vertices and {m} faces, and {len(lines) - 1} lines follow",
        )
    points = [_numbers(words[:3], path, i) for i, words in lines[1 : 1 + n]]
    triangles: list[tuple[int, int, int]] = []
    for i, words in lines[1 + n : 1 + n + m]:
        row = [int(v) for v in _numbers(words, path, i)]
        if len(row) < 1 + row[0] or row[0] < 3:
            _fail(path, f"line {i}", f"needs a count and as many vertices, and reads {words}")
        triangles += _fan(row[1 : 1 + row[0]])
    return _raw(points, {None: triangles}, path)


# PLY


def _ply(data: bytes, path: str) -> RawMesh:
    end = data.find(b"end_header")
    if end < 0:
        _fail(path, "header", "has no `end_header`")
    body = data.find(b"\n", end) + 1
    header = data[:end].decode("ascii", errors="replace").splitlines()
    form, elements = _ply_header(header, path)
    vertices = next((e for e in elements if e[0] == "vertex"), None)
    if vertices is None or not {"x", "y", "z"} <= {p[0] for p in vertices[2]}:
        _fail(path, "header", "has no element `vertex` with x, y and z")
    if form == "ascii":
        found = _ply_text(data[body:], header, elements, path)
    else:
        found = _ply_binary(data[body:], "<" if "little" in form else ">", elements, path)
    points, polygons = found
    if isinstance(polygons, np.ndarray):
        return _raw(points, {None: polygons}, path)
    triangles = [t for polygon in polygons if len(polygon) >= 3 for t in _fan(list(polygon))]
    return _raw(points, {None: triangles}, path)


def _ply_header(lines: list[str], path: str) -> tuple[str, list[tuple[str, int, list[Any]]]]:
    """The format, and each element with its count and its properties (name, type, count type)."""
    form = ""
    elements: list[tuple[str, int, list[Any]]] = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        try:
            if words[:1] == ["format"]:
                form = words[1]
            elif words[:1] == ["element"]:
                elements.append((words[1], int(words[2]), []))
            elif words[:1] == ["property"]:
                is_list = words[1] == "list"
                kinds = (
                    (_TYPES[words[3]], _TYPES[words[2]]) if is_list else (_TYPES[words[1]], None)
                )
                elements[-1][2].append((words[-1], *kinds))
        except (IndexError, KeyError, ValueError):
            _fail(path, f"line {number}", f"the header reads {line.strip()!r}")
    return form, elements


def _ply_text(data: bytes, header: list[str], elements: Any, path: str) -> Any:
    lines = [line.split() for line in data.decode("ascii", errors="replace").splitlines()]
    start, points, polygons = 0, [], []
    for name, count, properties in elements:
        rows = lines[start : start + count]
        if len(rows) < count:
            _fail(path, f"element `{name}`", f"tells of {count} rows, and {len(rows)} are there")
        first = len(header) + 2 + start
        start += count
        if name == "vertex":
            columns = [[p[0] for p in properties].index(axis) for axis in "xyz"]
            for i, row in enumerate(rows):
                if len(row) < len(properties):
                    _fail(
                        path,
                        f"line {first + i}",
                        f"has {len(row)} numbers, {len(properties)} needed",
                    )
                points.append(_numbers([row[c] for c in columns], path, first + i))
        elif name == "face":
            for i, row in enumerate(rows):
                numbers = [int(v) for v in _numbers(row, path, first + i)]
                if not numbers or len(numbers) < 1 + numbers[0]:
                    _fail(path, f"line {first + i}", "has fewer vertices than it tells")
                polygons.append(numbers[1 : 1 + numbers[0]])
    return points, polygons


def _ply_binary(data: bytes, order: str, elements: Any, path: str) -> Any:
    points: Any = None
    polygons: Any = np.zeros((0, 3), int)
    start = 0
    for name, count, properties in elements:
        # rows of a fixed length if all lists hold three, as those of triangles do
        fields: list[Any] = []
        for word, kind, counter in properties:
            fields += [(f"{word} count", order + counter)] if counter else []
            fields.append((word, order + kind, (3,)) if counter else (word, order + kind))
        dtype = np.dtype(fields)
        fits = start + count * dtype.itemsize <= len(data)
        rows = np.frombuffer(data, dtype, count, start) if fits else None
        lists = [f"{p[0]} count" for p in properties if p[2]]
        if rows is None or any((rows[word] != 3).any() for word in lists):
            if name != "face" or not lists:
                _fail(path, f"element `{name}`", f"tells of {count} rows, more than the file holds")
            polygons, start = _ply_polygons(data, order, count, properties, start, path)
            continue
        start += count * dtype.itemsize
        if name == "vertex":
            points = np.stack([rows[axis] for axis in "xyz"], axis=-1).astype(float)
        elif name == "face" and lists:
            polygons = rows[lists[0].removesuffix(" count")].astype(int)
    return points, polygons


def _ply_polygons(
    data: bytes, order: str, count: int, properties: Any, start: int, path: str
) -> tuple[list[list[int]], int]:
    """Faces of any number of vertices, one after the other."""
    polygons = []
    for i in range(count):
        for word, kind, counter in properties:
            times = 1
            try:
                if counter:
                    times = int(np.frombuffer(data, order + counter, 1, start)[0])
                    start += np.dtype(counter).itemsize
                values: Any = np.frombuffer(data, order + kind, times, start) if times else ()
            except ValueError:
                _fail(path, f"face {i} of {count}", "is not there: the file was cut short")
            start += times * np.dtype(kind).itemsize
            if counter and word.startswith("vert"):
                polygons.append([int(v) for v in values])
    return polygons, start
