"""Meshes: exact vertices, tagged facets, quality, convergence."""

import numpy as np
import pytest

from geometry import Ball, Box, Disk, Interval, Rectangle

L = Rectangle((-1, -1), (1, 1)) - Rectangle((0, -1), (1, 0), name="cut")
CHANNEL = Rectangle((0, 0), (2.2, 0.41)) - Disk((0.2, 0.2), 0.05, name="cylinder")
PLANE = {
    "disk": (Disk((0, 0), 1), 0.15),
    "L": (L, 0.15),
    "channel": (CHANNEL, 0.06),
    "lune": (Disk((0, 0), 1) - Disk((0.5, 0), 1), 0.1),
    "union with hole": (
        Rectangle((0, 0), (1, 1)) + Disk((1, 0.5), 0.3) - Disk((1.15, 0.5), 0.1, name="pin"),
        0.08,
    ),
    "two pieces": (Disk((0, 0), 1) + Disk((3, 0), 0.5), 0.2),
    "turned": (L.rotate(0.4).scale(2), 0.3),
    "space-time": (Interval(-1, 1).over("t", 0, 1), 0.1),
}


@pytest.fixture(params=PLANE, ids=list(PLANE))
def meshed(request):
    shape, size = PLANE[request.param]
    return shape, size, shape.mesh(size)


def test_vertices_lie_in_the_shape_and_facets_on_their_parts(meshed):
    shape, _, mesh = meshed
    assert shape.signed_distance(mesh.points).max() < 1e-12
    assert set(mesh.facets) == set(shape.parts)
    for name, facets in mesh.facets.items():
        assert shape[name].contains(mesh.points[facets].reshape(-1, 2)).all()


def test_cells_are_positive_and_of_good_shape(meshed):
    shape, size, mesh = meshed
    assert (mesh.cell_measures > 0).all()
    angles = mesh.angles.min(axis=1)
    assert angles.min() > 15
    assert np.median(angles) > 45
    edges = np.linalg.norm(mesh.points[mesh.cells] - mesh.points[np.roll(mesh.cells, 1, 1)], axis=2)
    assert edges.max() < 1.8 * size


def test_facets_are_exactly_the_edges_with_one_triangle(meshed):
    _, _, mesh = meshed
    edges = np.sort(np.concatenate([mesh.cells[:, [i, (i + 1) % 3]] for i in range(3)]), axis=1)
    unique, counts = np.unique(edges, axis=0, return_counts=True)
    assert counts.max() == 2
    facets = np.sort(np.concatenate(list(mesh.facets.values())), axis=1)
    np.testing.assert_array_equal(unique[counts == 1], np.unique(facets, axis=0))
    assert len(np.unique(facets, axis=0)) == len(facets)


def test_area_converges_at_second_order():
    shape = Disk((0, 0), 1)
    errors = [abs(shape.mesh(h).measure - shape.measure) for h in (np.pi / 20, np.pi / 40)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.05)


def test_narrow_gaps_are_meshed_without_points_inside():
    shape = Disk((0, 0), 1) - Disk((0, 0), 0.95)
    mesh = shape.mesh(0.1)
    assert abs(mesh.measure / shape.measure - 1) < 0.01
    assert mesh.angles.min() > 20


def test_polygonal_areas_are_exact():
    assert L.mesh(0.2).measure == pytest.approx(3, rel=1e-14)


def test_size_may_be_a_function_of_the_point():
    mesh = L.mesh(lambda points: 0.02 + 0.2 * np.hypot(*points.T))
    middle = mesh.points[mesh.cells].mean(axis=1)
    lengths = np.sqrt(mesh.cell_measures * 4 / np.sqrt(3))
    ratio = lengths / (0.02 + 0.2 * np.hypot(*middle.T))
    assert 0.5 < np.median(ratio) < 1.2
    assert ratio.max() < 2
    assert mesh.angles.min() > 15


def test_a_mesh_is_the_same_each_time():
    np.testing.assert_array_equal(CHANNEL.mesh(0.1).points, CHANNEL.mesh(0.1).points)


@pytest.mark.parametrize(
    "shape",
    [Interval(0, 1), Rectangle((0, 0), (1, 2)), Box((0, 0, 0), (1, 2, 0.5)), Box([0] * 4, [1] * 4)],
)
def test_boxes_are_cut_into_equal_cells(shape):
    mesh = shape.mesh(0.5)
    assert mesh.measure == pytest.approx(shape.measure)
    np.testing.assert_allclose(mesh.cell_measures, mesh.cell_measures[0])
    for name in shape.parts:
        corners = mesh.points[mesh.facets[name]]  # (facets, d, d)
        assert shape[name].contains(corners.reshape(-1, shape.dimension)).all()
        edges = corners[:, 1:] - corners[:, :1]
        gram = np.linalg.det(edges @ edges.transpose(0, 2, 1)) if shape.dimension > 1 else 1
        area = np.sqrt(gram).sum() / max(1, np.prod(range(1, shape.dimension)))
        assert area == pytest.approx(shape[name].measure)


def test_intervals_are_meshed_piece_by_piece():
    mesh = (Interval(0, 2) - Interval(0.5, 1)).mesh(0.25)
    assert mesh.measure == pytest.approx(1.5)
    assert mesh.points[mesh.facets["interval2.left"]].ravel() == [0.5]


def test_meshes_above_three_dimensions_other_than_of_boxes_are_refused():
    with pytest.raises(NotImplementedError, match="covers up to three dimensions, and boxes"):
        Ball((0, 0, 0, 0), 1).mesh(0.5)
