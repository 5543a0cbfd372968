"""What a mesh file is, told by its content; its suffix decides only where the content does not."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

TRIANGLES = ("stl", "obj", "ply", "off")
_HEAD = 4096
_STARTS = (
    (b"ply", "ply"),
    (b"$MeshFormat", "gmsh"),
    (b"# vtk DataFile", "vtk"),
    (b"MeshVersionFormatted", "medit"),
    (b"ISO-10303-21", "STEP"),
    (b"dolfin_mesh", "dolfin-xml"),
    (b"\x1f\x8b", "gzip"),
    (b"PK\x03\x04", "zip"),
    (b"\xfd7zXZ", "xz"),
    (b"BZh", "bzip2"),
)
_SUFFIXES = {
    ".inp": "abaqus",
    ".bdf": "nastran",
    ".fem": "nastran",
    ".nas": "nastran",
    ".med": "med",
    ".mesh": "medit",
    ".meshb": "medit",
    ".msh": "gmsh",
    ".vtu": "vtu",
    ".vtk": "vtk",
    ".xdmf": "xdmf",
    ".xmf": "xdmf",
    ".h5m": "h5m",
    ".cgns": "cgns",
    ".exo": "exodus",
    ".e": "exodus",
    ".mdpa": "mdpa",
    ".su2": "su2",
    ".ugrid": "ugrid",
    ".dat": "tecplot",
    ".avs": "avsucd",
    ".post": "permas",
    ".node": "tetgen",
    ".ele": "tetgen",
    ".vol": "netgen",
    ".obj": "obj",
    ".stl": "stl",
    ".ply": "ply",
    ".off": "off",
    ".step": "STEP",
    ".stp": "STEP",
    ".igs": "IGES",
    ".iges": "IGES",
    ".brep": "BREP",
}
_CAD = ("STEP", "IGES", "BREP")
_PACKED = ("gzip", "zip", "xz", "bzip2")


class MeshFileError(ValueError):
    """A mesh file that cannot be read, or does not hold a mesh that can be used."""


def checked_path(path: Any) -> Path:
    """Returns the path of a file that exists and holds something."""
    place = Path(os.fspath(path))
    if place.is_dir():
        raise MeshFileError(f"`path` needs a file; {str(place)!r} is a folder.")
    if not place.exists():
        raise FileNotFoundError(f"there is no file {str(place)!r}; the folder is {place.parent}.")
    if place.stat().st_size == 0:
        raise MeshFileError(f"{str(place)!r}: the file is empty. Export it again.")
    return place


def kind_of(path: Any) -> str:
    """Returns the kind of a mesh file, as "stl", "gmsh" or "vtu".

    Raises:
        MeshFileError: a file that is empty, holds a CAD model, or nothing that is known.
    """
    place = checked_path(path)
    with open(place, "rb") as file:
        head = file.read(_HEAD)
    kind = _by_content(head, place.stat().st_size) or _SUFFIXES.get(place.suffix.lower())
    if kind in _CAD:
        raise MeshFileError(
            f"{str(place)!r} is a CAD model ({kind}), which is not supported: export it as STL for "
            "its surface, or mesh it (gmsh reads it) and save it as MSH."
        )
    if kind in _PACKED:
        raise MeshFileError(f"{str(place)!r} is compressed ({kind}): unpack it first.")
    if kind is None:
        known = ", ".join(sorted(set(_SUFFIXES.values()) - set(_CAD)))
        raise MeshFileError(
            f"{str(place)!r} is no mesh file that is known, by its content or its suffix "
            f"{place.suffix!r}. Known are: {known}."
        )
    return kind


def _by_content(head: bytes, size: int) -> str | None:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    for words, kind in _STARTS:
        if start.startswith(words):
            return kind
    if len(head) >= 84 and size == 84 + 50 * int.from_bytes(head[80:84], "little"):
        return "stl"
    if start[:5].lower() == b"solid" and re.search(rb"facet|endsolid", head, re.IGNORECASE):
        return "stl"
    if re.match(rb"(ST|C|N|4|n)*OFF\b", start):
        return "off"
    if b"<VTKFile" in head:
        return "vtu" if b"UnstructuredGrid" in head else None
    if b"<Xdmf" in head:
        return "xdmf"
    if b"<dolfin" in head:
        return "dolfin-xml"
    if re.search(rb"^\*(HEADING|NODE|PART)\b", start, re.IGNORECASE | re.MULTILINE):
        return "abaqus"
    if re.search(rb"^(BEGIN BULK|GRID\*?[ ,])", start, re.MULTILINE):
        return "nastran"
    if re.search(rb"^v[ \t]+[-+.\d]", start, re.MULTILINE) and b"\0" not in head:
        return "obj"
    return None
