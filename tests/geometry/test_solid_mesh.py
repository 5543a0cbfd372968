"""Meshes of solids: vertices on the surface, facets on one part each, quality, convergence."""

import numpy as np
import pytest

import geometry as g

CUBE = g.Box((-1, -1, -1), (1, 1, 1))
SOLIDS = {
    "ball": (g.Ball((0, 0, 0), 1), 0.3),
    "ellipsoid": (g.Ellipsoid((0, 0, 0), (1, 2, 1.5)), 0.5),
    "capsule": (g.Capsule((0, 0, 0), (1, 1, 0), 0.5), 0.2),
    "cone": (g.Cone((0, 0, 0), (0, 1, 2), 1), 0.3),
    "torus": (g.Torus((0, 0, 0), 2, 0.6, (1, 0, 1)), 0.4),
    "tetrahedron": (g.Tetrahedron((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), 0.2),
    "shell": (g.Annulus((0, 0, 0), 1, 2), 0.5),
    "cylinder": (g.Cylinder((0, 0, 0), (1, 1, 1), 0.5), 0.2),
    "extruded": (
        (g.Rectangle((0, 0), (2, 1)) - g.Disk((0.5, 0.5), 0.2, name="pin")).extrude(0, 0.5),
        0.2,
    ),
    "bored cylinder": (
        g.Cylinder((0, 0, 0), (0, 0, 2), 1) - g.Cylinder((0, 0, -1), (0, 0, 3), 0.5, name="bore"),
        0.3,
    ),
    "cube with void": (CUBE - g.Ball((0, 0, 0), 0.5, name="void"), 0.35),
    "oblique bore": (CUBE - g.Cylinder((-2, 0, 0), (2, 0.3, 0.2), 0.5, name="bore"), 0.4),
    "crossing pipes": (
        g.Cylinder((-1, 0, 0), (1, 0, 0), 0.4) + g.Cylinder((0, -1, 0), (0, 1, 0), 0.4),
        0.2,
    ),
    "lens": (g.Ball((0, 0, 0), 1) & g.Ball((1, 0, 0), 1), 0.2),
    "turned pole": (
        CUBE + g.Box((-0.4, -0.4, -1.5), (0.4, 0.4, 1.5), name="pole").rotate(0.3, axis=(1, 1, 1)),
        0.4,
    ),
    "one of two": (CUBE ^ g.Ball((0.8, 0.7, 0.5), 0.7), 0.35),
    "joined": (g.Box((0, 0, 0), (1, 1, 1)) + g.Box((1, 0, 0), (2, 1, 1)), 0.5),
    "regions": (
        g.Regions(
            core=g.Ball((0, 0, 0), 0.5, name="core"),
            shell=g.Ball((0, 0, 0), 1, name="rim") - g.Ball((0, 0, 0), 0.5),
        ),
        0.3,
    ),
    "copies": ((CUBE - g.Ball((0, 0, 0), 0.5, name="void")).repeat(2, (3, 0, 0)), 0.5),
}


@pytest.fixture(scope="module", params=SOLIDS, ids=list(SOLIDS))
def meshed(request):
    solid, size = SOLIDS[request.param]
    return solid, size, solid.mesh(size)


def faces_of(mesh):
    corners = np.array([(1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)])
    return np.unique(
        np.sort(mesh.cells[:, corners].reshape(-1, 3), axis=1), axis=0, return_counts=1
    )


def outer_facets(solid, mesh):
    return np.concatenate([mesh.facets[name] for name in solid.parts])


def test_outer_facets_are_the_faces_of_one_cell_and_belong_to_one_part(meshed):
    solid, _, mesh = meshed
    faces, times = faces_of(mesh)
    assert times.max() == 2
    facets = np.sort(outer_facets(solid, mesh), axis=1)
    np.testing.assert_array_equal(np.unique(facets, axis=0), faces[times == 1])
    assert len(np.unique(facets, axis=0)) == len(facets)
    assert set(mesh.facets) == {*solid.parts, *solid.interfaces}
    assert all(len(facets) for facets in mesh.facets.values())


def test_boundary_vertices_lie_on_the_surface_and_the_rest_inside(meshed):
    solid, _, mesh = meshed
    distance = solid.signed_distance(mesh.points)
    assert distance.max() < 1e-9 * solid.size
    on_boundary = np.unique(outer_facets(solid, mesh))
    assert np.abs(distance[on_boundary]).max() < 1e-9 * solid.size


def test_cells_are_positive_and_no_slivers(meshed):
    solid, _, mesh = meshed
    assert (mesh.cell_measures > 0).all()
    assert mesh.angles.min() > 8  # where surfaces meet at small angles; 16 to 30 elsewhere
    assert mesh.angles.max() < 160
    assert np.median(mesh.angles.min(axis=1)) > 35


def test_volume_and_areas_are_those_of_the_shape_up_to_the_chords(meshed):
    solid, size, mesh = meshed
    # a chord of length h leaves h^2 / (8 r) of the radius r; faces of a part sum up to it
    assert mesh.measure == pytest.approx(solid.measure, rel=0.09)
    for name in mesh.facets:
        assert mesh.facet_measure(name) == pytest.approx(solid[name].measure, rel=0.12)


@pytest.mark.parametrize("name", ["ball", "torus"])
def test_volume_converges_at_second_order(name):
    solid, size = SOLIDS[name]
    errors = [abs(solid.mesh(h).measure / solid.measure - 1) for h in (size, size / 2)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.5)  # the meshes are not nested


def test_polyhedra_have_their_exact_volume_and_edges():
    solid = g.Box((0, 0, 0), (1, 1, 1)) - g.Box((0.5, 0.5, 0.5), (2, 2, 2), name="corner").rotate(
        0.2, center=(0.5, 0.5, 0.5), axis=(1, 0, 1)
    )
    mesh = solid.mesh(0.4)
    # the measure of the shape itself is that of a numerical cut, good to about 1e-5
    assert mesh.measure == pytest.approx(solid.measure, rel=2e-5)
    assert np.linalg.norm(mesh.points - (0.5, 0.5, 0.5), axis=-1).min() < 1e-9


def test_size_may_be_a_function_of_the_point_in_space():
    def size(points):
        return 0.1 + 0.3 * np.linalg.norm(points - (1, 1, 1), axis=-1)

    for solid in (g.Box((0, 0, 0), (1, 1, 1)), g.Disk((0.5, 0.5), 0.5).extrude(0, 1)):
        mesh = solid.mesh(size)
        middle = mesh.points[mesh.cells].mean(axis=1)
        ratio = np.cbrt(6 * mesh.cell_measures) / size(middle)
        assert 0.6 < np.median(ratio) < 1.2
        assert np.quantile(ratio, 0.99) < 1.6


def test_small_details_are_meshed_finer():
    solid = g.Box((0, 0, 0), (1, 1, 1)) - g.Ball((0.5, 0.5, 0.5), 0.04, name="pore")
    mesh = solid.mesh(0.3)
    assert mesh.facet_measure("pore") == pytest.approx(solid["pore"].measure, rel=0.1)
    assert len(mesh.cells) < 10_000


def test_meshes_of_too_many_cells_or_of_no_size_are_refused():
    with pytest.raises(ValueError, match="would need .* cells at size"):
        g.Ball((0, 0, 0), 1).mesh(0.005)
    with pytest.raises(ValueError, match="needs a length above zero"):
        g.Ball((0, 0, 0), 1).mesh(0)
    with pytest.raises(ValueError, match="needs sizes above zero"):
        g.Ball((0, 0, 0), 1).mesh(lambda points: points[:, 0])


def test_solid_meshes_are_the_same_each_time():
    solid, size = SOLIDS["lens"]
    first, second = solid.mesh(size), solid.mesh(size)
    np.testing.assert_array_equal(first.points, second.points)
    np.testing.assert_array_equal(first.cells, second.cells)
