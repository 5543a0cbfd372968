"""A mesh as it is in a file: points, simplices of each dimension with their groups, and data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from geometry.meshes.files.content import TRIANGLES, MeshFileError, checked_path, kind_of


@dataclass(frozen=True, eq=False)
class Group:
    """Simplices `(k, dimension + 1)` of one name; None where the file gives none."""

    name: str | None
    simplices: np.ndarray


@dataclass(frozen=True, eq=False)
class RawMesh:
    """Points `(n, d)`; for each dimension of simplices their groups; data at points, and of the
    simplices of highest dimension, in the order of their groups; and what was made of the file on
    the way, in words."""

    points: np.ndarray
    groups: Mapping[int, tuple[Group, ...]]
    point_data: Mapping[str, np.ndarray] = field(default_factory=dict)
    cell_data: Mapping[str, np.ndarray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def top(self) -> int:
        """The highest dimension of its simplices."""
        return max(self.groups)

    def all_of(self, dimension: int) -> np.ndarray:
        """All simplices `(k, dimension + 1)` of a dimension."""
        found = [group.simplices for group in self.groups.get(dimension, ())]
        return np.concatenate(found) if found else np.zeros((0, dimension + 1), int)


def read_mesh(path: Any, regions: str | None = None) -> RawMesh:
    """Returns what is in a mesh file of any known kind.

    Arguments:
        regions: the name of data of whole numbers on the cells, which then tell the groups.

    Raises:
        MeshFileError: the file, the place and the remedy.
    """
    place = checked_path(path)
    kind = kind_of(place)
    if kind in TRIANGLES:
        from geometry.meshes.files.triangles import read_triangles

        raw = read_triangles(place, kind)
    else:
        from geometry.meshes.files.cells import read_cells

        raw = read_cells(place, kind, regions)
    _check(raw, str(place))
    return raw


def _check(raw: RawMesh, path: str) -> None:
    if not any(len(raw.all_of(d)) for d in raw.groups):
        raise MeshFileError(f"{path!r} holds no triangles or other cells, only points or nothing.")
    for dimension in raw.groups:
        cells = raw.all_of(dimension)
        bad = np.flatnonzero(((cells < 0) | (cells >= len(raw.points))).any(axis=1))
        if len(bad):
            wrong = next(v for v in cells[bad[0]] if not 0 <= v < len(raw.points))
            raise MeshFileError(
                f"{path!r}: cell {bad[0]} refers to vertex {wrong}, and there are "
                f"{len(raw.points)}. The file is damaged: export it again."
            )
    used = np.unique(np.concatenate([raw.all_of(d).ravel() for d in raw.groups]))
    lost = used[~np.isfinite(raw.points[used]).all(axis=1)]
    if len(lost):
        raise MeshFileError(
            f"{path!r}: vertex {lost[0]} has the coordinates {raw.points[lost[0]].tolist()}"
            + (f", and {len(lost) - 1} more are not finite" if len(lost) > 1 else "")
            + ". Coordinates need to be finite: correct or remove it."
        )
