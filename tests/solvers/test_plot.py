"""Pictures: what is drawn is where the domain is, with the solution's values."""

import jax.numpy as jnp
import numpy as np
import pytest
from matplotlib.collections import LineCollection, TriMesh
from matplotlib.colors import CenteredNorm
from matplotlib.figure import Figure

import geometry as geo
from equations import Eq, Problem, coordinates, diff, field, parameter
from solvers import cut, labels
from solvers.plot import plot, plot_history
from tests.exact import history, on, solution_of

x, y, z, t = coordinates("x y z t")
w, v, s = field("w", x, y), field("v", x, y), field("s", x)
b, h = field("b", x, t), field("h", x, t, complex=True)
g, q = field("g", x, y, t), field("q", x, y, z)
hole = geo.Rectangle((0, 0), (2, 1)) - geo.Disk((1, 0.5), 0.25, name="hole")
N = 60  # grid lines


def shades(figure):
    """The colored triangles of each panel."""
    return [c for ax in figure.axes for c in ax.collections if isinstance(c, TriMesh)]


def areas(points, triangles):
    a, b, c = (points[triangles[:, i]] for i in range(3))
    (px, py), (qx, qy) = (b - a).T, (c - a).T
    return np.abs(px * qy - py * qx) / 2


@pytest.mark.parametrize(
    "shape, area, error",
    [
        (geo.Rectangle((-1, 2), (1, 3)), 2, 1e-12),
        (geo.Disk((0, 0), 1), np.pi, 1e-3),
        (hole, 2 - np.pi / 16, 1e-3),
        (geo.Rectangle((-1, -1), (1, 1)) - geo.Rectangle((0, -1), (1, 0), name="cut"), 3, 1e-3),
    ],
    ids=["rectangle", "disk", "hole", "L"],
)
def test_the_triangles_of_a_cut_cover_the_shape(shape, area, error):
    piece = cut.plane(shape, (0, 1), {}, N)
    assert np.sum(areas(piece.points, piece.triangles)) == pytest.approx(area, rel=error)
    assert np.all(shape.contains(piece.points))


def test_the_outline_of_a_cut_lies_on_the_boundary():
    piece = cut.plane(hole, (0, 1), {}, N)
    ends = piece.points[piece.outline.ravel()]
    assert np.all(np.abs(hole.signed_distance(ends)) < 1e-7)  # bisection to contains' tolerance
    lengths = np.linalg.norm(np.diff(piece.points[piece.outline], axis=1), axis=-1)
    assert lengths.sum() == pytest.approx(6 + np.pi / 2, rel=2e-3)  # chords


def test_a_slice_of_a_ball_is_the_disk_of_its_height():
    piece = cut.plane(geo.Ball((0, 0, 0), 1), (0, 1), {2: 0.6}, N)
    assert np.all(piece.points[:, 2] == 0.6)
    assert np.sum(areas(piece.points[:, :2], piece.triangles)) == pytest.approx(
        np.pi * 0.64, rel=1e-3
    )


def test_a_line_is_interrupted_by_the_hole():
    points = cut.line(hole, 0, {1: 0.5}, 101)
    (gap,) = np.flatnonzero(np.isnan(points[:, 0]))
    np.testing.assert_allclose(points[[gap - 1, gap + 1], 0], [0.75, 1.25], atol=1e-7)
    np.testing.assert_allclose(points[[0, -1], 0], [0, 2])


def test_a_plane_field_is_drawn_with_its_values_and_equal_axes():
    figure = plot(on(hole, {w: lambda p: p[0] * p[1]}), w, n=N)
    (mesh,) = shades(figure)
    piece = cut.plane(hole, (0, 1), {}, N)
    np.testing.assert_allclose(mesh.get_array(), piece.points.prod(axis=1))
    ax = figure.axes[0]
    assert ax.get_aspect() == 1 and (ax.get_xlabel(), ax.get_ylabel()) == ("$x$", "$y$")
    assert any(isinstance(c, LineCollection) for c in ax.collections)


def test_all_fields_are_drawn_where_none_is_named():
    solution = on(hole, {w: lambda p: p[0], v: lambda p: p[1]})
    assert len(shades(plot(solution, n=N))) == 2


def test_a_vector_is_drawn_as_magnitude_with_streamlines_outside_the_hole():
    solution = on(hole, {w: lambda p: 3.0 + 0 * p[0], v: lambda p: 4.0 + 0 * p[0]})
    figure = plot(solution, (w, v), n=N)
    (mesh,) = shades(figure)
    np.testing.assert_allclose(mesh.get_array(), 5)
    lines = [c for c in figure.axes[0].collections if isinstance(c, LineCollection)]
    stream = max(lines, key=lambda c: len(c.get_segments()) and c.get_linewidth()[0] == 0.6)
    middles = np.array([np.mean(segment, axis=0) for segment in stream.get_segments()])
    assert np.all(hole.signed_distance(middles) < 0.05)  # up to the spacing of their grid


def test_space_and_time_make_an_image_with_time_to_the_right():
    domain = geo.Interval(-1, 1).over(t, 0, 2)
    figure = plot(on(domain, {b: lambda p: p[0] * p[1]}), n=N)
    ax = figure.axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$t$", "$x$")
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 2), (-1, 1))
    assert isinstance(shades(figure)[0].norm, CenteredNorm)  # of both signs: white at zero


def test_a_complex_field_is_drawn_as_magnitude_or_as_two_curves():
    domain = geo.Interval(-1, 1).over(t, 0, 2)
    solution = on(domain, {h: lambda p: p[0] * jnp.exp(1j * p[1])})
    figure = plot(solution, n=N)
    np.testing.assert_allclose(shades(figure)[0].get_array().max(), 1)
    curves = plot(solution, at={t: 0.5}, n=N).axes[0].lines
    for line, part in zip(curves, (np.cos, np.sin), strict=True):
        np.testing.assert_allclose(line.get_ydata(), line.get_xdata() * part(0.5), atol=1e-12)


def test_several_times_are_several_curves_or_panels_in_common_colors():
    domain = geo.Interval(-1, 1).over(t, 0, 2)
    solution = on(domain, {b: lambda p: p[0] * p[1]})
    lines = plot(solution, b, at={"t": (0, 1, 2)}, n=N).axes[0].lines
    assert [line.get_label() for line in lines] == ["$t = 0$", "$t = 1$", "$t = 2$"]
    moving = on(hole.over(t, 0, 2), {g: lambda p: p[0] * p[2]})
    panels = shades(plot(moving, n=N))
    assert len(panels) == 3 and {(m.norm.vmin, m.norm.vmax) for m in panels} == {(0, 4)}
    (single,) = shades(plot(moving, at={t: 1}, n=N))
    assert single.get_array().max() == pytest.approx(2)


def test_three_dimensions_are_shown_in_the_middle_of_the_last():
    figure = plot(on(geo.Ball((0, 0, 0), 1), {q: lambda p: p[2]}), n=N)
    assert "z = 0" in figure.axes[0].get_title() and np.all(shades(figure)[0].get_array() == 0)
    curve = plot(on(geo.Ball((0, 0, 0), 1), {q: lambda p: p[2]}), at={x: 0, y: 0}, n=N)
    np.testing.assert_allclose(curve.axes[0].lines[0].get_ydata()[[0, -1]], [-1, 1])


def test_peaks_at_a_corner_do_not_take_all_colors():
    square = geo.Rectangle((0, 0), (1, 1))
    solution = on(square, {w: lambda p: 1 / (1e-4 + p[0] ** 2 + p[1] ** 2) + p[0]})
    assert shades(plot(solution, n=N))[0].norm.vmax < 1000


def test_a_ranged_parameter_is_fixed_like_a_coordinate():
    a = parameter("a", between=(1, 3))
    problem = Problem(geo.Interval(0, 1), Eq(diff(s, x), a))
    figure = plot(solution_of(problem, {s: lambda p: p[0]}), a * s, at={a: (1, 2)}, n=N)
    assert [line.get_ydata()[-1] for line in figure.axes[0].lines] == [1, 2]


def test_given_axes_are_drawn_into_and_take_one_panel():
    ax = Figure().add_subplot()
    solution = on(hole, {w: lambda p: p[0], v: lambda p: p[1]})
    assert plot(solution, w, ax=ax, n=N) is ax.figure
    with pytest.raises(ValueError, match="`ax` takes one panel, and there are 2"):
        plot(solution, ax=ax)


@pytest.mark.parametrize(
    "at, message",
    [
        ({z: 1}, "`at` has 'z'; the problem has x, y"),
        ({x: 0, y: 0}, "fixes every coordinate"),
        ({x: 9}, "the cut misses the domain"),
    ],
)
def test_a_cut_that_makes_no_sense_is_refused(at, message):
    with pytest.raises(ValueError, match=message):
        plot(on(hole, {w: lambda p: p[0]}), at=at, n=N)


def test_the_history_is_drawn_on_a_logarithmic_scale():
    solution = on(geo.Interval(0, 1), {s: lambda p: p[0]}, history=history())
    ax = plot_history(solution).axes[0]
    assert ax.get_yscale() == "log"
    assert [line.get_label() for line in ax.lines] == ["loss", "error estimate"]
    with pytest.raises(ValueError, match="Exact recorded no history"):
        plot_history(on(geo.Interval(0, 1), {s: lambda p: p[0]}))


def test_a_notebook_shows_the_figure_without_pyplot():
    figure = plot(on(geo.Interval(0, 1), {s: lambda p: p[0]}), n=N)
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_labels_are_short_and_can_be_drawn():
    assert labels.text(diff(w, x, 2) ** 2 / 3) == "(d2w/dx2)**2/3"
    assert labels.drawable((w, v)) == r"$\left(w, v\right)$"
    assert not labels.drawable(sum(diff(w, x, k) * 10**9 for k in range(9))).startswith("$")
