"""Pictures of solutions as Matplotlib figures, without pyplot and its global state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import CenteredNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.tri import Triangulation

from geometry.picture import Picture

from . import cut, labels
from .solution import Solution

At = Mapping[Any, Any]


def plot(
    solution: Solution,
    expression: Any = None,
    *,
    at: At | None = None,
    ax: Axes | None = None,
    n: int = 200,
) -> Figure:
    """A picture of an expression over the domain: curves, a field, or slices of one.

    Arguments:
        expression: a scalar, or a vector, whose magnitude is shown with streamlines in the plane;
            all unknown fields if not given.
        at: `{coordinate or parameter: value}` fixes a coordinate; several values of one give
            several curves or panels. Without it, time stands at its start, middle and end and other
            surplus coordinates in the middle.
        ax: axes to draw one panel into.
        n: grid lines.

    Returns:
        the figure; nothing is shown on a screen.

    Raises:
        ValueError for names in `at` that the problem does not have, values outside the domain, and
        `ax` where there are several panels.

    Example:
        solution.plot(flow.velocity)
        solution.plot(u, at={t: (0, 1)})
    """
    expressions = list(solution.problem.fields) if expression is None else [expression]
    views = _views(solution, at or {})
    is_curve = len(views[0].axes) == 1
    axes = _axes(solution, views[0], len(expressions) * (1 if is_curve else len(views)), ax)
    for i, e in enumerate(expressions):
        if is_curve:
            _curves(axes[i], solution, e, views, n)
        else:
            _fields(axes[i * len(views) : (i + 1) * len(views)], solution, e, views, n)
    return axes[0].figure  # type: ignore[return-value]


def plot_history(solution: Solution, *, ax: Axes | None = None) -> Figure:
    """What the run recorded, on a logarithmic scale: loss and error estimate over the steps, the
    residual of Newton's iteration, or the length of the time steps over time."""
    history = solution.history
    known = (
        ("step", "loss", "-"),
        ("step", "residual", "o-"),
        ("t", "length", "-"),
        ("estimate_step", "error_estimate", "o-"),
    )
    curves = [(history[s], history[v], v, f) for s, v, f in known if len(history.get(v, ()))]
    if not curves:
        raise ValueError(f"{type(solution.method).__name__} recorded no history to plot.")
    ax = ax or _figure((6, 3.4)).add_subplot()
    for steps, values, name, style in curves:
        ax.semilogy(steps, values, style, lw=1.2, ms=4, label=name.replace("_", " "))
    ax.set_xlabel("t" if any(name == "length" for *_, name, _ in curves) else "step")
    ax.legend(frameon=False)
    _tidy(ax)
    return ax.figure  # type: ignore[return-value]


class _View:
    """What one panel or curve shows: free columns, fixed columns and values of parameters."""

    def __init__(self, solution: Solution, fixed: Mapping[str, float]):
        names = [str(c) for c in solution.problem.coordinates]
        self.axes = tuple(i for i, name in enumerate(names) if name not in fixed)
        self.fixed = {i: fixed[name] for i, name in enumerate(names) if name in fixed}
        self.parameters = {k: v for k, v in fixed.items() if k not in names}
        self.names = [names[i] for i in self.axes]
        self.all_fixed = dict(fixed)

    def title(self) -> str:
        return ", ".join(f"${name} = {value:.3g}$" for name, value in self.all_fixed.items())


def _views(solution: Solution, at: At) -> list[_View]:
    domain = solution.problem.domain
    names = [str(c) for c in solution.problem.coordinates]
    lower, upper = domain.bounds
    values = {str(k): tuple(np.atleast_1d(v).astype(float)) for k, v in at.items()}
    known = {*names, *(p.name for p in solution.problem.parameters)}
    for name in values:
        if name not in known:
            raise ValueError(f"`at` has {name!r}; the problem has {', '.join(sorted(known))}.")
    for p in getattr(solution.jets, "parameters", ()):  # of a solution over ranges: in the middle
        values.setdefault(p.name, ((p.between[0] + p.between[1]) / 2,))
    free = [name for name in names if name not in values]
    while len(free) > 2:  # time goes first, then the last coordinate
        name = domain.time[0] if domain.time and domain.time[0] in free else free[-1]
        i = names.index(name)
        is_time = domain.time is not None and name == domain.time[0]
        many = is_time and all(len(v) == 1 for v in values.values())
        values[name] = tuple(np.linspace(lower[i], upper[i], 3)[slice(None) if many else [1]])
        free.remove(name)
    if not free:
        raise ValueError("`at` fixes every coordinate: call `solution(expression, points)`.")
    several = [name for name, v in values.items() if len(v) > 1]
    if len(several) > 1:
        raise ValueError(f"`at` may give several values of one name; got {', '.join(several)}.")
    count = max((len(v) for v in values.values()), default=1)
    return [
        _View(solution, {k: v[i if len(v) > 1 else 0] for k, v in values.items()})
        for i in range(count)
    ]


# Curves


def _curves(ax: Axes, solution: Solution, expression: Any, views: list[_View], n: int) -> None:
    """All components of the expression along one coordinate, one color for each curve."""
    components = list(expression) if _is_vector(expression) else [expression]
    for view in views:
        points = cut.line(solution.problem.domain, view.axes[0], view.fixed, 2 * n + 1)
        for component in components:
            values = _along(solution, component, points, view)
            for prefix, part in _parts(values):
                name = labels.drawable(component) if len(components) > 1 else ""
                label = " ".join(filter(None, (prefix, name, view.title())))
                ax.plot(points[:, view.axes[0]], part, lw=1.6, label=label)
    ax.set_xlabel(f"${views[0].names[0]}$")
    ax.set_ylabel(labels.drawable(expression))
    if len(ax.lines) > 1:
        ax.legend(frameon=False)
    elif views[0].all_fixed:
        ax.set_title(views[0].title(), fontsize="medium")
    ax.margins(x=0)
    _tidy(ax)


def _along(solution: Solution, component: Any, points: np.ndarray, view: _View) -> np.ndarray:
    """Values at the points, NaN where those are."""
    real = ~np.isnan(points).any(axis=1)
    found = solution(component, points[real], **view.parameters)
    values = np.full(len(points), np.nan, dtype=found.dtype)
    values[real] = found
    return values


def _parts(values: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    if np.iscomplexobj(values):
        yield "Re", values.real
        yield "Im", values.imag
    else:
        yield "", values


# Fields in a plane


def _fields(
    axes: Sequence[Axes], solution: Solution, expression: Any, views: list[_View], n: int
) -> None:
    """One panel for each view, with common colors."""
    domain = solution.problem.domain
    pieces = [cut.plane(domain, view.axes, view.fixed, n) for view in views]
    values = [
        solution(expression, piece.points, **view.parameters)
        for piece, view in zip(pieces, views, strict=True)
    ]
    label = labels.drawable(expression)
    if _is_vector(expression) or np.iscomplexobj(values[0]):
        label = rf"$|{labels.latex(expression)}|$"
        values = [np.linalg.norm(v.reshape(len(v), -1), axis=-1) for v in values]
    norm, extend = _norm(np.concatenate(values))
    for ax, view, piece, v in zip(axes, views, pieces, values, strict=True):
        shades = _shade(ax, solution, view, piece, v, norm)
        if _is_vector(expression) and len(expression) == 2 and not _has_time(domain, view):
            _streamlines(ax, solution, expression, view, n)
        bar = ax.inset_axes((1.03, 0, 0.035, 1))
        ax.figure.colorbar(shades, cax=bar, extend=extend)
        ax.set_title(" at ".join(filter(None, (label, view.title()))), fontsize="medium")


def _shade(
    ax: Axes, solution: Solution, view: _View, piece: cut.Plane, values: np.ndarray, norm: Normalize
) -> Any:
    """Colors over the cut, and its outline."""
    domain = solution.problem.domain
    across, up = _orientation(domain, view)
    x, y = piece.points[:, across], piece.points[:, up]
    shades = ax.tripcolor(
        Triangulation(x, y, piece.triangles),
        values,
        shading="gouraud",
        cmap="RdBu_r" if isinstance(norm, CenteredNorm) else "viridis",
        norm=norm,
        rasterized=True,
    )
    corners = np.stack([x, y], axis=-1)[piece.outline]
    ax.add_collection(LineCollection(list(corners), colors="black", linewidths=0.8))
    lower, upper = domain.bounds
    ax.set_xlim(lower[across], upper[across])
    ax.set_ylim(lower[up], upper[up])
    _decorate(ax, solution, view, (across, up))
    return shades


def _orientation(domain: Any, view: _View) -> tuple[int, int]:
    """Columns to the right and upward: time runs to the right."""
    first, second = view.axes
    if _has_time(domain, view) and domain.axes.index(domain.time[0]) == second:
        return second, first
    return first, second


def _has_time(domain: Any, view: _View) -> bool:
    return domain.time is not None and domain.time[0] in view.names


def _norm(values: np.ndarray) -> tuple[Normalize, str]:
    """Limits of the colors, and which end of the bar is open: peaks that dwarf the rest, as of a
    pressure at a corner, are cut off. Values of both signs get white at zero."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    most = np.nanpercentile(values, [0.5, 99.5])
    extend = "neither"
    if high - low > 3 * (most[1] - most[0]) > 0:
        open_ends = (low < most[0], high > most[1])
        extend = {(True, True): "both", (True, False): "min"}.get(open_ends, "max")
        low, high = most
    reach = max(abs(low), abs(high))
    if min(-low, high) > 0.1 * reach:
        return CenteredNorm(0, reach), extend
    return Normalize(low, high), extend


def _streamlines(ax: Axes, solution: Solution, expression: Any, view: _View, n: int) -> None:
    ticks, points, inside = cut.grid(solution.problem.domain, view.axes, view.fixed, n // 2)
    values = np.full((*inside.shape, 2), np.nan)
    values[inside] = solution(expression, points[inside], **view.parameters)
    u, v = (np.ma.masked_invalid(values[..., i].T) for i in (0, 1))
    x, y = ticks
    ax.streamplot(x, y, u, v, color=(1, 1, 1, 0.8), linewidth=0.6, arrowsize=0.7, density=1.3)


def _decorate(ax: Axes, solution: Solution, view: _View, columns: tuple[int, int]) -> None:
    names = [str(c) for c in solution.problem.coordinates]
    ax.set_xlabel(f"${names[columns[0]]}$")
    ax.set_ylabel(f"${names[columns[1]]}$")
    if not _has_time(solution.problem.domain, view):
        ax.set_aspect("equal")
        ax.spines[:].set_visible(False)


# Figures


def _figure(size: tuple[float, float]) -> Figure:
    return Picture(figsize=size, dpi=150, layout="constrained")


def _axes(solution: Solution, view: _View, count: int, ax: Axes | None) -> list[Axes]:
    """Axes for `count` panels: wide ones below each other, others up to three in a row."""
    if ax is not None:
        if count > 1:
            raise ValueError(
                f"`ax` takes one panel, and there are {count}: name one expression, and one value "
                "for each coordinate in `at`."
            )
        return [ax]
    width, height = _panel_size(solution, view)
    columns = 1 if width > 2.5 * height else min(count, 3)
    rows = -(-count // columns)
    figure = _figure((columns * width, rows * height))
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for unused in axes[count:]:
        unused.remove()
    return axes[:count]


def _panel_size(solution: Solution, view: _View) -> tuple[float, float]:
    domain = solution.problem.domain
    if len(view.axes) == 1 or _has_time(domain, view):
        return 5.2, 3.4
    across, up = (float(domain.bounds[1][i] - domain.bounds[0][i]) for i in view.axes)
    width = min(9.0, 4.2 * max(1.0, np.sqrt(across / up)))
    return width, max(1.4, (width - 1.4) * up / across + 0.7)


def _tidy(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25, lw=0.5)


def _is_vector(expression: Any) -> bool:
    return isinstance(expression, sympy.MatrixBase | tuple | list)
