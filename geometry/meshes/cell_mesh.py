"""Shapes given by a mesh of triangles in the plane, or of tetrahedra in space."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from geometry._arrays import namespace, query
from geometry.chart import Chart
from geometry.face import Face
from geometry.mesh import SimplexMesh
from geometry.meshes.cells import Cells, assembled, refined
from geometry.meshes.faceted import Faceted, carrier
from geometry.meshes.facets import Facets
from geometry.meshes.files import MeshFileError, RawMesh, read_mesh
from geometry.meshes.locate import Locator, MeshField
from geometry.meshes.surface_mesh import SurfaceMesh, check_cells, check_points, tell
from geometry.meshes.winding import Winding
from geometry.meshing.shapes import mesh_shape, oriented
from geometry.meshing.sizes import length
from geometry.rescale import rescaled
from geometry.segment import Segment
from geometry.shape import Shape, positive, set_axes, set_name
from geometry.simplices import simplex_chart
from geometry.transforms import Similarity

if TYPE_CHECKING:
    from geometry.part import Part

_MOST_CELLS = 2**23
_WORDS = {2: "triangles", 3: "tetrahedra"}


class CellMesh(Faceted):
    """All that plane and volume meshes have in common."""

    source: Any
    feature_angle: float

    @property
    def notes(self) -> tuple[str, ...]:
        """What was mended in the mesh and what is doubtful, in words."""
        return self.source.notes

    @property
    def longest_edge(self) -> float:
        """The length of the longest edge of the mesh."""
        return _longest_edge(self.source.points, self.source.cells)

    @functools.cached_property
    def data(self) -> Mapping[str, MeshField]:
        """The data of the file as functions of points, by name; see `MeshField`.

        A vector with a third component of zero in the plane has two.
        """
        cells = self.source
        fields = {name: (values, False) for name, values in cells.cell_data.items()}
        fields |= {name: (values, True) for name, values in cells.point_data.items()}
        return MappingProxyType(
            {
                name: MeshField(self._locator, cells.cells, _plane_vectors(v, self.dimension), at)
                for name, (v, at) in fields.items()
            }
        )

    @functools.cached_property
    def _locator(self) -> Locator:
        return Locator(self.source.corners)

    # Regions

    @functools.cached_property
    def regions(self) -> Mapping[str, Shape]:
        """The groups of cells as shapes of their own, by name; empty if there is only one."""
        names = self.source.region_names
        if len(names) == 1:
            return MappingProxyType({})
        kind: Any = type(self)
        own = self.name or "mesh"  # so that a part of several regions that are cut stays one part
        return MappingProxyType(
            {
                name: kind(self.source.region(i), self.feature_angle, name=own, axes=self.axes)
                for i, name in enumerate(names)
            }
        )

    @query
    def region_of(self, points: Any) -> Any:
        """Returns the index, in the order of `regions`, of the region of each point, or -1."""
        xp = namespace(points)
        index, weights = self._locator(points)
        inside = (
            xp.min(weights, axis=-1) >= -1e-9 if xp is np else xp.min(weights, axis=-1) >= -1e-5
        )
        return xp.where(inside, xp.asarray(self.source.regions)[index], -1)

    def interface(self, first: str, second: str) -> Part:
        """Returns the part between two regions; its normals point from the first to the second, in
        the order of `regions`."""
        names = self.source.region_names
        for name in (first, second):
            if name not in names:
                raise KeyError(f"no region is called {name!r}; there are: {', '.join(names)}")
        low, high = sorted((first, second), key=names.index)
        if f"{low}|{high}" not in self.interfaces:
            raise ValueError(f"the regions {first!r} and {second!r} do not meet without a name.")
        return self[f"{low}|{high}"]

    def _inner_faces(self) -> tuple[Face, ...]:
        cells = self.source
        faces = []
        for name in cells.interface_names:
            facets = self._facets_of((name,))
            surface = carrier(facets, self.size, facets.height, _rim(facets))
            faces += [Face(name, self._kind, self.name, c, surface) for c in self._charts(facets)]
        return tuple(faces)

    def _facets_of(self, names: tuple[str, ...]) -> Facets:
        """The facets of the named parts and interfaces."""
        cells = self.source
        inner = [i for i, name in enumerate(cells.interface_names) if name in names]
        if not inner:
            return super()._facets_of(names)
        outer = [i for i, name in enumerate(cells.part_names) if name in names]
        own = cells.facets[np.isin(cells.parts, outer)]
        between = cells.inner[np.isin(cells.interfaces, inner)]
        return Facets(cells.points[np.concatenate([own, between])])

    # What the shape is

    @functools.cached_property
    def _boundary(self) -> Facets:
        return Facets(self.source.points[self.source.facets])

    @functools.cached_property
    def _winding(self) -> Winding:
        return Winding(self.source.points, self.source.facets)

    @property
    def _tags(self) -> tuple[np.ndarray, tuple[str, ...]]:
        return self.source.parts, self.source.part_names

    def _solid(self) -> Chart:
        return simplex_chart(self.source.corners)


@dataclass(frozen=True, repr=False)
class PlaneMesh(CellMesh):
    """The plane region that triangles cover, from a file or arrays: `PlaneMesh("plate.msh")`.

    Its parts are the named groups of lines of the file. Facets of the boundary in no group are the
    part "unnamed"; where no group has any, the boundary is split at sharp edges, into parts named
    as those of `SurfaceMesh` ("left", ..., "edge1", ...). Groups of triangles are its `regions`.
    Quadrilaterals are cut in two; curved edges become straight, and a warning says by how much.

    Arguments:
        source: the path of a file (what meshio reads: MSH 2.2 and 4.1, VTU, VTK, XDMF, INP, BDF,
            MED, ...), `(points, triangles)`, arrays `(n, 2)` and `(m, 3)`, or a `SimplexMesh`.
        feature_angle: in radians, between neighbors at a sharp corner.
        regions_from: the name of cell data of whole numbers which tell the regions, in place of
            the groups of the file: "material" gives "material1", "material2", ...

    Raises:
        MeshFileError: a file that cannot be read, with the place in it and the remedy.
        ValueError: arrays of a wrong shape, or not finite.

    Warns: of what was mended or is doubtful; the sentences are in `notes`.

    Notes: `data["T"]` is the data of that name as a function of points. `mesh(size=None)` is the
    file's own mesh, or one with all its edges halved until they are no longer than `size`.

    Example:
        >>> import numpy as np
        >>> square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
        >>> plate = PlaneMesh((square, [(0, 1, 2), (0, 2, 3)]))
        >>> plate.parts, round(plate.measure, 6)
        (('left', 'right', 'bottom', 'top'), 1.0)
    """

    source: Any
    feature_angle: float = 0.7
    regions_from: str | None = None
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        _set_cells(self, 2)

    def _charts(self, facets: Facets) -> tuple[Chart, ...]:
        """A chart for each straight piece: segments that follow one another in line are one."""
        return tuple(segment.chart() for segment in _straightened(facets))


@dataclass(frozen=True, repr=False)
class VolumeMesh(CellMesh):
    """The solid that tetrahedra fill, from a file or arrays: `VolumeMesh("bracket.msh")`.

    Its parts are the named groups of triangles of the file, its `regions` those of tetrahedra.
    Hexahedra, prisms and pyramids are cut into tetrahedra. All else is as for `PlaneMesh`.

    Example:
        >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        >>> solid = VolumeMesh((corners, [(0, 1, 2, 3)]))
        >>> solid.parts, round(solid.measure, 6)
        (('left', 'bottom', 'back', 'face1'), 0.166667)
    """

    source: Any
    feature_angle: float = 0.7
    regions_from: str | None = None
    name: str | None = None
    axes: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        _set_cells(self, 3)


def _rim(facets: Facets) -> Callable[[Any], Any]:
    return lambda points: -facets.distance(points)


def Mesh(path: Any, **options: Any) -> Faceted:
    """Returns the shape in a mesh file of any known kind, told by its content.

    A `VolumeMesh` where it holds tetrahedra or other solid cells, a `PlaneMesh` for triangles in a
    plane z = constant, and a `SurfaceMesh` for others; `options` are theirs.

    Raises:
        MeshFileError: a file that cannot be read, with the place in it and the remedy.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(
            f"`Mesh(path)` needs the path of a file; got {type(path).__name__}. Arrays go to "
            "`SurfaceMesh`, `PlaneMesh` or `VolumeMesh`."
        )
    raw = read_mesh(path)
    if raw.top == 3:
        return VolumeMesh(path, **options)
    if raw.top == 2 and _is_plane(raw):
        return PlaneMesh(path, **options)
    return SurfaceMesh(path, **options)


def _is_plane(raw: RawMesh) -> bool:
    if raw.points.shape[1] == 2:
        return True
    used = raw.points[np.unique(raw.all_of(2))]
    return bool(np.ptp(used[:, 2]) <= 1e-9 * np.ptp(used, axis=0).max())


def _set_cells(shape: Any, dimension: int) -> None:
    """Checks and stores what a mesh of cells is made from."""
    set_axes(shape, shape.axes, dimension)
    set_name(shape)
    call = type(shape).__name__
    positive(shape.feature_angle, f"`{call}(feature_angle=)`")
    if isinstance(shape.source, Cells):
        return
    source, options = shape.source, {"feature_angle": shape.feature_angle}
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        raw = read_mesh(path, shape.regions_from)
        try:
            cells = _from_raw(raw, path, dimension, options)
        except MeshFileError as error:
            raise MeshFileError(
                str(error) if path in str(error) else f"{path!r}: {error}"
            ) from error
    elif shape.regions_from is not None:
        raise ValueError(f"`{call}(regions_from=)` needs a file with cell data of that name.")
    else:
        cells = _from_arrays(source, dimension, f"`{call}((points, cells))`", options)
    object.__setattr__(shape, "source", cells)
    tell(cells.path, cells.notes, "the mesh")


def _from_raw(raw: RawMesh, path: str, dimension: int, options: Any) -> Cells:
    if raw.top != dimension:
        found = {1: "lines", **_WORDS}.get(raw.top, "points")
        remedy = {2: "`PlaneMesh` or `SurfaceMesh`", 3: "`VolumeMesh`"}.get(raw.top, "another file")
        raise MeshFileError(
            f"it holds {found}, not {_WORDS[dimension]}: use {remedy}, or `Mesh`, which finds out."
        )
    points = raw.points
    if dimension == 2 and not _is_plane(raw):
        raise MeshFileError(
            "its triangles do not lie in a plane z = constant: read it by `SurfaceMesh` if they "
            "enclose a solid, or turn it into that plane."
        )
    groups = raw.groups[dimension]
    words = list(dict.fromkeys(group.name for group in groups))
    regions = np.concatenate([np.full(len(g.simplices), words.index(g.name)) for g in groups])
    lower = raw.groups.get(dimension - 1, ())
    return assembled(
        points[:, :dimension],
        raw.all_of(dimension),
        regions,
        tuple("rest" if word is None else str(word) for word in words),
        [(str(g.name), g.simplices) for g in lower if g.name is not None],
        point_data=_usable(raw.point_data),
        cell_data=_usable(raw.cell_data),
        path=path,
        notes=raw.notes,
        **options,
    )


def _usable(data: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Data of numbers; what a program keeps for itself is left out."""
    return {
        name: np.asarray(values)
        for name, values in data.items()
        if np.asarray(values).dtype.kind in "biufc" and not name.startswith("gmsh:")
    }


def _from_arrays(source: Any, dimension: int, call: str, options: Any) -> Cells:
    named: list[tuple[str, np.ndarray]] = []
    if isinstance(source, SimplexMesh):
        named = [(name, np.asarray(rows)) for name, rows in source.facets.items()]
        source = (source.points, source.cells)
    try:
        points, cells = source
        points, cells = np.asarray(points), np.asarray(cells)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{call} needs a path, two arrays or a `SimplexMesh`; got {type(source).__name__}."
        ) from error
    check_points(points, (dimension,), call)
    check_cells(cells, dimension + 1, len(points), call)
    regions = np.zeros(len(cells), int)
    return assembled(
        points.astype(float), cells.astype(int), regions, ("all",), named,
        point_data={}, cell_data={}, **options,
    )  # fmt: skip


def _plane_vectors(values: np.ndarray, dimension: int) -> np.ndarray:
    if dimension == 2 and values.ndim == 2 and values.shape[1] == 3 and not values[:, 2].any():
        return values[:, :2]
    return values


def _straightened(facets: Facets) -> list[Segment]:
    """The straight pieces of boundary that oriented segments make, in order along them."""
    starts, ends = facets.corners[:, 0], facets.corners[:, 1]
    following = {tuple(p): i for i, p in enumerate(starts.tolist())}
    after = [following.get(tuple(p), -1) for p in ends.tolist()]
    size = float(np.ptp(facets.corners, axis=(0, 1)).max())
    turns = np.array(
        [
            j < 0 or np.linalg.norm(facets.normals[i] - facets.normals[j]) > 1e-9
            for i, j in enumerate(after)
        ]
    )
    before = np.full(len(after), -1)
    for i, j in enumerate(after):
        if j >= 0:
            before[j] = i
    pieces = []
    for i in range(len(after)):
        if before[i] >= 0 and not turns[before[i]]:
            continue
        j = i
        while not turns[j]:
            j = after[j]
        along = ends[j] - starts[i]
        length = float(np.linalg.norm(along))
        if length > 1e-14 * size:
            pieces.append(Segment(starts[i], along / length, facets.normals[i], length))
    return pieces


def _longest_edge(points: np.ndarray, cells: np.ndarray) -> float:
    corners = points[cells]
    return float(np.linalg.norm(corners[:, :, None] - corners[:, None], axis=-1).max())


@mesh_shape.register
def _(shape: CellMesh, size: Any) -> SimplexMesh:
    """The mesh of the file, with all edges halved until they are short enough."""
    cells = shape.source
    points, simplices, facets = cells.points, cells.cells, cells.named_facets()
    used, index = np.unique(simplices, return_inverse=True)
    place = np.zeros(len(points), int)
    place[used] = np.arange(len(used))
    points, simplices = points[used], index.reshape(simplices.shape)
    facets = {name: place[rows] for name, rows in facets.items()}
    if callable(size):
        raise ValueError(
            f"`mesh(size)` of `{shape!r}` needs a length or None: a mesh from a file is refined as "
            "a whole."
        )
    times = 0 if size is None else math.ceil(math.log2(shape.longest_edge / length(size)) - 1e-9)
    if len(simplices) * 2.0 ** (shape.dimension * times) > _MOST_CELLS:
        raise ValueError(
            f"`mesh(size={size!r})` of `{shape!r}` needs more than {_MOST_CELLS} cells; its "
            f"longest edge is {shape.longest_edge:.3g}. Ask for a larger size."
        )
    for _ in range(times):
        points, simplices, facets = refined(points, simplices, facets)
    return SimplexMesh(points, oriented(points, simplices), facets)


@functools.singledispatch
def longest_edge(shape: Any) -> float | None:
    """Returns the length of the longest edge of the mesh that a shape was read from, or None."""
    return None


@longest_edge.register
def _(shape: CellMesh) -> float:
    return shape.longest_edge


@longest_edge.register
def _(shape: Similarity) -> float | None:
    base = longest_edge(shape.base)
    return None if base is None else base * shape._map()[0]


@rescaled.register(CellMesh)
@rescaled.register(SurfaceMesh)
def _(shape: Any, units: Mapping[str, float]) -> Any:
    lengths = {units[axis] for axis in shape.axes}
    if len(lengths) > 1:
        raise ValueError(f"`rescaled` needs one unit for all axes of {shape!r}; got {units}.")
    return replace(shape, source=shape.source.in_units(lengths.pop()))
