"""Solids given by the triangles of their surface."""

from __future__ import annotations

import functools
import os
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geometry._arrays import namespace
from geometry.box import SIDES
from geometry.chart import Chart
from geometry.meshes.faceted import Faceted
from geometry.meshes.facets import Facets
from geometry.meshes.features import named_pieces, pieces
from geometry.meshes.files import MeshFileError, RawMesh, read_mesh
from geometry.meshes.repair import neighbors, repaired, signed_volume
from geometry.meshes.triangulation import Triangulation
from geometry.meshes.winding import Winding
from geometry.shape import positive, set_axes, set_name


@dataclass(frozen=True, repr=False)
class SurfaceMesh(Faceted):
    """The solid inside triangles, from a file or arrays: `SurfaceMesh("bracket.stl")`.

    Its parts are the groups of the file (of OBJ, the solids of STL, physical groups) where it has
    two or more; else pieces between sharp edges: "surface" if there is one, the names of the sides
    ("left", "right", "bottom", "top", "back", "front") for flat pieces that make up a side of the
    bounding box, and "face1", "face2", ... for others, the largest first.

    Arguments:
        source: the path of a file (STL, OBJ, PLY, OFF, or what meshio reads), or `(vertices,
            triangles)`, arrays `(n, 3)` and `(m, 3)` of coordinates and of numbers of vertices.
        feature_angle: in radians, between the normals of neighbors at a sharp edge.
        repair: whether to close holes, each by the triangles of least area.

    Raises:
        MeshFileError: a file that cannot be read; with the place in it and the remedy.
        ValueError: arrays of a wrong shape, not finite, or with no area; asked for the measure or
            points of the interior of a surface with holes.

    Warns: of everything that was mended (joined, doubled, degenerate or turned triangles, closed
    holes) or is doubtful (open edges, edges of three triangles, a surface that crosses itself),
    with counts; the same sentences are in `notes`.

    Notes: signed distances and closest points are exact, by a tree of boxes; the sign is that of
    the winding number, right for cavities, for bodies that overlap and, but for the hole itself,
    for surfaces with holes. Inside a trace all triangles are compared, at a cost of points times
    triangles. Distances to parts are exact and have kinks, so that networks keep values on such
    parts as soft conditions. The interior is sampled from the bounding box.

    Source: A. Jacobson, L. Kavan, O. Sorkine-Hornung, Robust inside-outside segmentation using
    generalized winding numbers (2013).

    Example:
        >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        >>> solid = SurfaceMesh((corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]))
        >>> solid.parts, round(solid.measure, 6)
        (('left', 'bottom', 'back', 'face1'), 0.166667)
    """

    source: Any
    feature_angle: float = 0.7
    repair: bool = False
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        set_axes(self, self.axes, 3)
        set_name(self)
        positive(self.feature_angle, "`SurfaceMesh(feature_angle=)`")
        if not isinstance(self.source, Triangulation):
            object.__setattr__(self, "source", _read(self.source, self.repair))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was mended in the surface and what is doubtful, in words."""
        return self.source.notes

    @property
    def is_watertight(self) -> bool:
        """Whether every edge has a triangle on both sides."""
        return not len(self._winding.open_edges)

    @functools.cached_property
    def _boundary(self) -> Facets:
        return Facets(self.source.corners)

    @functools.cached_property
    def _winding(self) -> Winding:
        return Winding(self.source.vertices, self.source.chain)

    @functools.cached_property
    def _tags(self) -> tuple[np.ndarray, tuple[str, ...]]:
        if len(self.source.names) > 1:
            return self.source.groups, self.source.names
        pairs, _, _ = neighbors(self.source.triangles)
        piece = pieces(pairs, self._boundary.normals, self.feature_angle)
        return named_pieces(self._boundary, piece, SIDES[3], "face")

    def _solid(self) -> Chart:
        if not self.is_watertight:
            raise ValueError(
                f"`{self!r}` is not watertight ({len(self._winding.open_edges)} open edges), so "
                "that its volume and its interior are not defined. Close it in a mesh editor, or "
                "by `repair=True`."
            )
        lower, upper = self._bounds()
        box = float(np.prod(upper - lower))
        volume = signed_volume(self.source.vertices, self.source.chain)
        if volume <= 1e-12 * box:
            raise ValueError(f"`{self!r}` encloses no volume: its triangles lie in a plane.")

        def fill(u: Any) -> tuple[Any, None, Any]:
            xp = namespace(u)
            points = xp.asarray(lower, u.dtype) + xp.asarray(upper - lower, u.dtype) * u
            return points, None, self._winding(points) > 0.5

        return Chart(fill, 3, volume, fraction=min(volume / box, 1 - 1e-15))


def _read(source: Any, repair: bool) -> Triangulation:
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        return mended(from_raw(read_mesh(path), path), repair)
    return mended(_from_arrays(source), repair)


def from_raw(raw: RawMesh, path: str) -> Triangulation:
    """Returns the triangles of a file, and its groups.

    Raises:
        MeshFileError: there are none, or a mesh of a solid.
    """
    if raw.top == 3:
        raise MeshFileError(
            f"{path!r} is a mesh of a solid, with tetrahedra: read it by `VolumeMesh`, or by "
            "`Mesh`, which finds out."
        )
    groups = raw.groups.get(2, ())
    triangles = raw.all_of(2)
    if not len(triangles):
        raise MeshFileError(f"{path!r} holds no triangles.")
    words = list(dict.fromkeys(group.name for group in groups))
    names = tuple("rest" if word is None else str(word) for word in words)
    tags = np.concatenate([np.full(len(g.simplices), words.index(g.name)) for g in groups])
    points = raw.points
    if points.shape[1] == 2:
        points = np.concatenate([points, np.zeros((len(points), 1))], axis=1)
    return Triangulation(points, triangles, tags, names, path=path, notes=raw.notes)


def _from_arrays(source: Any) -> Triangulation:
    call = "`SurfaceMesh((vertices, triangles))`"
    try:
        vertices, triangles = source
        vertices, triangles = np.asarray(vertices), np.asarray(triangles)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{call} needs a path or two arrays; got {type(source).__name__}."
        ) from error
    check_points(vertices, (3,), call)
    check_cells(triangles, 3, len(vertices), call)
    vertices = vertices.astype(float)
    used = np.unique(triangles)
    notes: tuple[str, ...] = ()
    if len(used) < len(vertices):
        notes = (f"{len(vertices) - len(used)} vertices belong to no triangle",)
    tags = np.zeros(len(triangles), int)
    return Triangulation(vertices, triangles.astype(int), tags, notes=notes)


def check_points(points: np.ndarray, dimensions: tuple[int, ...], call: str) -> None:
    """Raises unless an array holds finite coordinates of points."""
    if points.ndim != 2 or points.shape[1] not in dimensions or points.dtype.kind not in "iuf":
        words = " or ".join(f"(n, {d})" for d in dimensions)
        raise ValueError(
            f"{call} needs coordinates as numbers {words}; got an array of shape {points.shape} "
            f"and type {points.dtype}."
        )
    bad = np.flatnonzero(~np.isfinite(points.astype(float)).all(axis=1))
    if len(bad):
        raise ValueError(
            f"{call} needs finite coordinates; vertex {bad[0]} is {points[bad[0]].tolist()}."
        )


def check_cells(cells: np.ndarray, corners: int, n: int, call: str) -> None:
    """Raises unless an array holds numbers of `n` points, so many in each row."""
    if (
        cells.ndim != 2
        or cells.shape[1] != corners
        or cells.dtype.kind not in "iu"
        or not len(cells)
    ):
        raise ValueError(
            f"{call} needs whole numbers of vertices (m, {corners}), one row or more; got an array "
            f"of shape {cells.shape} and type {cells.dtype}."
        )
    bad = np.flatnonzero(((cells < 0) | (cells >= n)).any(axis=1))
    if len(bad):
        raise ValueError(
            f"{call} needs numbers of vertices from 0 to {n - 1}; row {bad[0]} is "
            f"{cells[bad[0]].tolist()}."
        )


def mended(surface: Triangulation, repair: bool) -> Triangulation:
    """Returns a surface that queries can rely on, and warns of what was done to it."""
    try:
        surface = repaired(surface, repair)
    except ValueError as error:
        if surface.path is None:
            raise
        raise MeshFileError(f"{surface.path!r}: {error}") from error
    present = np.unique(surface.groups)
    if len(present) < len(surface.names):
        names = tuple(surface.names[i] for i in present)
        surface = replace(surface, groups=np.searchsorted(present, surface.groups), names=names)
    tell(surface.path, surface.notes, "the surface")
    return surface


def tell(path: str | None, notes: tuple[str, ...], what: str) -> None:
    """Warns of what was found in a mesh."""
    if notes:
        where = what if path is None else repr(path)
        warnings.warn(f"{where}: " + "; ".join(notes) + ".", stacklevel=6)
