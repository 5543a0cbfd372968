"""Pictures of shapes and meshes: parts in colors with their names and normals.

Imported only when something is drawn, because Matplotlib is slow to import.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LightSource
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

if TYPE_CHECKING:
    from geometry.mesh import SimplexMesh
    from geometry.shape import Shape

_ARROW = 0.06  # length of a normal, of the size
_ARROWS = 40  # in one picture
_CELLS_ACROSS = 22  # of the triangles of a solid
_LIGHT = LightSource(azdeg=140, altdeg=50)  # from behind the viewer
_PALE = ("#e8e8e8", "#d5e3f0", "#f0e3d0", "#ddeed6", "#ecd9ea", "#f2efc9")


class Picture(Figure):
    """A figure that notebooks show although pyplot does not know it, and that is saved whole."""

    def savefig(self, *args: Any, **options: Any) -> None:
        super().savefig(*args, **{"bbox_inches": "tight", **options})

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


def draw_shape(shape: Shape, ax: Any, path: Any) -> Figure:
    """Returns the picture of a shape; see `Shape.plot`."""
    columns = _columns(shape)
    bounds = [corner[list(columns)] for corner in shape.bounds]
    names = tuple(shape.axes[i] for i in columns)
    ax = _axes(shape.dimension, ax, bounds, names, shape.time is None)
    colors = _colors((*shape.parts, *shape.interfaces))
    draw = {1: _draw_line, 2: _draw_plane, 3: _draw_solid}[shape.dimension]
    draw(shape, ax, colors)
    _draw_normals(shape, ax, colors)
    return _finished(ax, path)


def draw_mesh(mesh: SimplexMesh, ax: Any, path: Any) -> Figure:
    """Returns the picture of a mesh; see `SimplexMesh.plot`."""
    d = mesh.dimension
    bounds = mesh.points.min(axis=0), mesh.points.max(axis=0)
    ax = _axes(d, ax, bounds, ("x", "y", "z")[:d], True)
    colors = _colors(tuple(mesh.facets))
    if d == 1:
        ax.plot(mesh.points[:, 0], np.zeros(len(mesh.points)), "|-", color="0.6")
        for name, rows in mesh.facets.items():
            ax.plot(mesh.points[rows[:, 0], 0], 0 * rows[:, 0], "o", color=colors[name], label=name)
    elif d == 2:
        ax.triplot(*mesh.points.T, mesh.cells, color="0.65", linewidth=0.4)
        for name, rows in mesh.facets.items():
            _add_curves(ax, mesh.points[rows], colors[name], name)
    else:
        _add_triangles(ax, mesh, colors, edges=True)
    return _finished(ax, path)


def _colors(names: tuple[str, ...]) -> dict[str, Any]:
    table = colormaps["tab10" if len(names) <= 10 else "tab20"].colors  # type: ignore[attr-defined]
    return {name: table[i % len(table)] for i, name in enumerate(names)}


# One dimension


def _draw_line(shape: Shape, ax: Axes, colors: dict[str, Any]) -> None:
    lower, upper = (float(end[0]) for end in shape.bounds)
    grid = np.linspace(lower, upper, 2001)
    inside = np.where(shape._membership(grid[:, None]) <= 0, 0.0, np.nan)
    ax.plot(grid, inside, color="0.8", linewidth=6, solid_capstyle="butt")
    for name in (*shape.parts, *shape.interfaces):
        points = shape[name].sample(1, key=0).points[:, 0]
        ax.plot(points, np.zeros(len(points)), "o", color=colors[name], label=name)


# The plane


def _draw_plane(shape: Shape, ax: Axes, colors: dict[str, Any]) -> None:
    across, up = _columns(shape)
    lower, upper = shape.bounds
    ticks = [np.linspace(lower[i], upper[i], 401) for i in (across, up)]
    grid = np.empty((401, 401, 2))
    grid[..., across], grid[..., up] = np.meshgrid(*ticks)
    for i, (name, region) in enumerate(_regions(shape)):
        pale = _PALE[i % len(_PALE)] if name else _PALE[0]
        depth = region._membership(grid.reshape(-1, 2)).reshape(401, 401)
        ax.contourf(*ticks, depth, levels=[-np.inf, 0], colors=[pale])
        if name:
            ax.plot([], [], "s", color=pale, markersize=9, label=name)
    for face in (*shape._boundary_faces, *shape._interface_faces):
        u = np.linspace(0, 1, 257)[:, None]
        points = face.chart.map(u if face.chart.warp is None else face.chart.warp(u))[0]
        curve = points[:, [across, up]]
        style = "-" if face.name in shape.parts else "--"
        _add_curves(ax, curve[None], colors[face.name], face.name, style)


def _regions(shape: Shape) -> list[tuple[str, Shape]]:
    return list(shape.regions.items()) or [("", shape)]


def _columns(shape: Shape) -> tuple[int, ...]:
    """The coordinates in the order of the axes: in the plane, time runs to the right."""
    is_last = shape.time is not None and shape.time[0] == shape.axes[-1]
    return (1, 0) if is_last and shape.dimension == 2 else tuple(range(shape.dimension))


def _add_curves(ax: Axes, curves: np.ndarray, color: Any, name: str, style: str = "-") -> None:
    lines = LineCollection(list(curves), colors=[color], linewidths=2, linestyles=style)
    lines.set_label(name)
    ax.add_collection(lines)


# Space


def _draw_solid(shape: Shape, ax: Any, colors: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # details below the size of a picture's triangles
        mesh = _base(shape).mesh(shape.size / _CELLS_ACROSS)
    _add_triangles(ax, mesh, colors, edges=False)


def _base(shape: Shape) -> Any:
    """The shape that a periodic one is made of, or of which it is the space-time."""
    if not shape.periods:
        return shape
    if shape.time is not None:
        return shape.space.base.over(*shape.time)  # type: ignore[attr-defined]
    return shape.base  # type: ignore[attr-defined]


def _add_triangles(ax: Any, mesh: SimplexMesh, colors: dict[str, Any], edges: bool) -> None:
    """The facets of each part, and dark lines where two parts meet."""
    for name, rows in mesh.facets.items():
        if name not in colors or not len(rows):
            continue
        look: dict[str, Any] = {"linewidths": 0, "shade": True, "lightsource": _LIGHT}
        if edges:
            look = {"linewidths": 0.3, "edgecolors": "0.25"}
        triangles = Poly3DCollection(
            mesh.points[rows], facecolors=[colors[name]], alpha=0.6, **look
        )
        ax.add_collection3d(triangles)
        ax.plot([], [], [], "s", color=colors[name], label=name)
    rims = mesh.points[_rims(mesh)]
    if len(rims):
        ax.add_collection3d(Line3DCollection(rims, colors="0.2", linewidths=0.7, alpha=0.8))


def _rims(mesh: SimplexMesh) -> np.ndarray:
    """The edges at which facets of two parts meet `(k, 2)`."""
    sides, tags = [], []
    for tag, rows in enumerate(mesh.facets.values()):
        edges = np.unique(np.sort(rows[:, [(0, 1), (1, 2), (2, 0)]].reshape(-1, 2), axis=1), axis=0)
        sides.append(edges)
        tags.append(np.full(len(edges), tag))
    edges, times = np.unique(np.concatenate(sides), axis=0, return_counts=True)
    return np.asarray(edges[times > 1])


# Normals, axes, legend


def _draw_normals(shape: Shape, ax: Any, colors: dict[str, Any]) -> None:
    names = (*shape.parts, *shape.interfaces)
    total = sum(shape[name].measure for name in names)
    for name in names:
        count = max(3, round(_ARROWS * shape[name].measure / total))
        sample = shape[name].sample(
            count, key=0, sampler="grid" if shape.dimension < 3 else "sobol"
        )
        extent = np.linalg.norm(np.ptp(sample.points, axis=0)) if len(sample.points) > 2 else np.inf
        length = min(_ARROW * shape.size, 0.35 * extent)
        start, arrow = sample.points, length * sample.normals
        if shape.dimension == 1:
            start, arrow = (np.pad(v, ((0, 0), (0, 1))) for v in (start, arrow))
        if shape.dimension == 2:
            start, arrow = (v[:, list(_columns(shape))] for v in (start, arrow))
        options: dict[str, Any] = {"color": colors[name]}
        if shape.dimension < 3:
            options |= {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.004}
        ax.quiver(*start.T, *arrow.T, **options)


def _axes(dimension: int, ax: Any, bounds: Any, names: tuple[str, ...], is_equal: bool) -> Any:
    """Axes with limits, names and, unless time is among the coordinates, equal scales."""
    if dimension > 3:
        raise ValueError(
            f"`plot()` draws up to three dimensions; got {dimension}. Draw samples of two or three "
            "of the coordinates instead."
        )
    if ax is not None and (getattr(ax, "name", "") == "3d") != (dimension == 3):
        kind = "3-D axes (`figure.add_subplot(projection='3d')`)" if dimension == 3 else "flat axes"
        raise ValueError(f"`ax` needs {kind} for {dimension} dimensions.")
    lower, upper = (np.asarray(corner, float) for corner in bounds)
    if ax is None:
        figure = Picture(figsize=_figure_size(upper - lower, is_equal), dpi=150)
        figure.set_layout_engine("constrained")
        ax = figure.add_subplot(projection="3d" if dimension == 3 else None)
    margin = 1.3 * _ARROW * np.linalg.norm(upper - lower)
    for word, name, low, high in zip("xyz", names, lower, upper, strict=False):
        getattr(ax, f"set_{word}lim")(low - margin, high + margin)
        getattr(ax, f"set_{word}label")(f"${name}$")
    if dimension == 1:
        ax.set_yticks([])
        ax.set_ylim(-1, 1)
        ax.spines[["left", "right", "top"]].set_visible(False)
    elif dimension == 2:
        ax.spines[["right", "top"]].set_visible(False)
    if dimension == 3:
        for axis, length in zip((ax.xaxis, ax.yaxis, ax.zaxis), upper - lower, strict=True):
            axis.set_major_locator(MaxNLocator(2 if length < np.max(upper - lower) / 2 else 5))
    if is_equal and dimension > 1:
        ax.set_aspect("equal")
    return ax


def _figure_size(lengths: np.ndarray, is_equal: bool) -> tuple[float, float]:
    if len(lengths) == 1:
        return 6, 1.6
    if len(lengths) == 2 and is_equal:
        return 6, float(np.clip(1 + 4.2 * lengths[1] / lengths[0], 2, 8))
    return 6, 5


def _finished(ax: Any, path: Any) -> Figure:
    """The figure with its legend, saved where a path is given."""
    handles, labels = ax.get_legend_handles_labels()
    by_name = dict(zip(labels, handles, strict=True))
    columns = -(-len(by_name) // 24)
    ax.legend(
        by_name.values(),
        by_name.keys(),
        loc="center left",
        bbox_to_anchor=(1.15 if ax.name == "3d" else 1.02, 0.5),
        frameon=False,
        fontsize="small",
        ncols=columns,
    )
    figure = ax.figure
    if path is not None:
        figure.savefig(Path(path))
    return figure
