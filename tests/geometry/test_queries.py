"""Normals, closest points, curvature, pieces of parts, regions and interfaces."""

import jax.numpy as jnp
import numpy as np
import pytest
import sympy

from geometry import (
    Ball,
    Box,
    Capsule,
    Cone,
    Disk,
    Ellipse,
    Polygon,
    Rectangle,
    Regions,
    Sector,
    Tetrahedron,
    Torus,
)

x, y = sympy.symbols("x y")
EXACT = [
    Rectangle((0, 0), (2, 1)),
    Ellipse((0, 0), (2, 1)),
    Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]),
    Sector((0, 0), 1, 0.2, 4.5),
    Capsule((0, 0), (1, 1), 0.5),
    Box((0, 0, 0), (1, 2, 3)),
    Torus((0, 0, 0), 2, 0.5),
    Cone((0, 0, 0), (0, 1, 2), 1),
    Tetrahedron((0, 0, 0), (1, 0, 0), (0.2, 1, 0), (0, 0, 1)),
]


def points_around(shape, n=60):
    lower, upper = shape.bounds
    margin = 0.3 * (upper - lower)
    return np.random.default_rng(1).uniform(lower - margin, upper + margin, (n, len(lower)))


@pytest.mark.parametrize("shape", EXACT, ids=lambda s: type(s).__name__)
def test_distance_has_unit_slope_and_leads_to_the_closest_point(shape):
    points = points_around(shape)
    closest = shape.closest_point(points)
    assert np.abs(shape.signed_distance(closest)).max() < 1e-9
    gap = np.linalg.norm(points - closest, axis=-1)
    np.testing.assert_allclose(gap, np.abs(shape.signed_distance(points)), atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(shape.normals(points), axis=-1), 1, atol=1e-12)


@pytest.mark.parametrize("shape", EXACT, ids=lambda s: type(s).__name__)
def test_normals_at_boundary_samples_are_those_of_the_samples(shape):
    sample = shape.sample_boundary(60, key=0)
    outside = sample.points + 1e-7 * sample.normals
    np.testing.assert_allclose(shape.normals(outside), sample.normals, atol=1e-5)


def test_closest_point_of_csg_lies_on_its_boundary():
    shape = Rectangle((0, 0), (2, 1)) - Disk((1, 0), 0.5)
    closest = shape.closest_point(points_around(shape))
    assert np.abs(shape.signed_distance(closest)).max() < 1e-6


def test_curvature_of_round_shapes_is_known():
    on_disk = Disk((0, 0), 2).sample_boundary(5, key=0).points
    np.testing.assert_allclose(Disk((0, 0), 2).curvature(on_disk), 0.5)
    on_ball = Ball((0, 0, 0), 2).sample_boundary(5, key=0).points
    np.testing.assert_allclose(Ball((0, 0, 0), 2).curvature(on_ball), 1)
    ellipse = Ellipse((0, 0), (2, 1))  # a / b^2 and b / a^2 at the vertices
    np.testing.assert_allclose(ellipse.curvature([[2 + 1e-9, 0.001], [0.001, 1]]), [2, 0.25], 1e-4)


def test_faces_that_coincide_with_nothing_behind_them_are_outside():
    ell = Rectangle((-1, -1), (1, 1)) - Rectangle((0, -1), (1, 0))
    points = [[1, -0.5], [0.5, -1], [0.5, 0], [0, 0], [-1, -1], [1, 1]]
    assert ell.contains(points).tolist() == [False, False, True, True, True, True]


def test_many_points_are_tested_as_few_are():
    shape = Rectangle((0, 0), (2, 1)) - Disk((1, 0), 0.5)
    points = np.random.default_rng(0).uniform(-1, 2, (150_000, 2))
    expected = np.concatenate([shape.contains(part) for part in np.split(points, 3)])
    np.testing.assert_array_equal(shape.contains(points), expected)


def test_where_cuts_a_part_exactly():
    square = Rectangle((0, 0), (1, 1))
    upper = square["left", "top"].where(y > 0.3)
    assert upper.measure == pytest.approx(1.7, rel=1e-12)
    assert upper.contains([[0, 0.31], [0, 0.29], [0.5, 1], [1, 0.5]]).tolist() == [
        True, False, True, False,
    ]  # fmt: skip
    sample = upper.sample(50, key=0)
    assert (sample.points[:, 1] > 0.3).all()
    assert sample.weights.sum() == pytest.approx(1.7)
    assert repr(upper).endswith("['left', 'top'].where(y > 0.3)")


def test_where_takes_functions_and_chains():
    disk = Disk((0, 0), 1)
    quarter = disk.boundary.where(lambda p: p[..., 0] > 0).where(y > 0)
    assert quarter.measure == pytest.approx(np.pi / 2, rel=1e-12)


def test_where_on_a_surface_has_the_measure_of_the_piece():
    cap = Ball((0, 0, 0), 1).boundary.where(sympy.Symbol("z") > 0.5)
    assert cap.measure == pytest.approx(np.pi, rel=1e-5)
    assert (cap.sample(40, key=0).points[:, 2] > 0.5).all()


def test_distance_to_a_piece_vanishes_on_the_piece_only():
    piece = Rectangle((0, 0), (1, 1))["left"].where(y > 0.5)
    assert piece.distance([[0, 0.75]]) == pytest.approx(0)
    assert (piece.distance([[0, 0.25], [0.5, 0.5]]) > 0.05).all()


def test_wrong_conditions_are_refused():
    square = Rectangle((0, 0), (1, 1))
    with pytest.raises(ValueError, match="knows the coordinates.*has z"):
        square.boundary.where(sympy.Symbol("z") > 0)
    with pytest.raises(ValueError, match="leaves nothing"):
        square["left"].where(x > 0.5)
    with pytest.raises(TypeError, match="needs a relation between coordinates"):
        square["left"].where("y > 0.5")


CORE = Disk((0, 0), 0.5, name="core")
TWO = Regions(core=CORE, shell=Disk((0, 0), 1, name="rim") - CORE)


def test_regions_have_an_outer_boundary_and_interfaces():
    assert TWO.parts == ("rim",)
    assert TWO.interfaces == ("core|shell",)
    assert TWO.measure == pytest.approx(np.pi)
    interface = TWO.interface("core", "shell")
    assert interface == TWO["core|shell"]
    assert interface.measure == pytest.approx(np.pi)
    sample = interface.sample(20, key=0)
    np.testing.assert_allclose(sample.normals, 2 * sample.points, atol=1e-12)
    with pytest.raises(KeyError, match="is called 'core|shell', in that order"):
        TWO.interface("shell", "core")


def test_regions_are_meshed_along_their_interfaces():
    mesh = TWO.mesh(0.1)
    assert set(mesh.facets) == {"rim", "core|shell"}
    core = TWO.region_of(mesh.points[mesh.cells].mean(axis=1)) == 0
    assert mesh.cell_measures[core].sum() == pytest.approx(
        np.pi / 4, rel=7e-3
    )  # a polygon of 32 sides
    radii = np.hypot(*mesh.points[mesh.cells].transpose(2, 0, 1))
    assert not ((radii.min(axis=1) < 0.5 - 1e-9) & (radii.max(axis=1) > 0.5 + 1e-9)).any()
    assert mesh.angles.min() > 15


def test_regions_tell_where_a_point_lies():
    points = [[0, 0.2], [0.7, 0], [2, 0]]
    assert TWO.region_of(points).tolist() == [0, 1, -1]
    assert TWO.region_of(jnp.asarray(points)).tolist() == [0, 1, -1]
    assert TWO.contains(points).tolist() == [True, True, False]


def test_regions_that_share_part_of_a_side_meet_there():
    halves = Regions(a=Rectangle((0, 0), (1, 1)), b=Rectangle((1, 0.5), (2, 1.5)))
    assert halves.interface("a", "b").measure == pytest.approx(0.5)
    assert halves.boundary.measure == pytest.approx(7)


def test_wrong_regions_are_refused():
    with pytest.raises(ValueError, match="'core' and 'shell' share the point"):
        Regions(core=CORE, shell=Disk((0, 0), 1))
    apart = Regions(a=Disk((0, 0), 1), b=Disk((3, 0), 1))
    assert apart.interfaces == ()
    with pytest.raises(ValueError, match="do not meet"):
        apart.interface("a", "b")
    with pytest.raises(KeyError, match="no region is called 'c'; there are: a, b"):
        apart.interface("a", "c")
