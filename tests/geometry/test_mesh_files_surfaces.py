"""Solids from triangles answer as other shapes do."""

import itertools
import pickle
import warnings
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import science as sci
from geometry import Ball, Box, SurfaceMesh, VolumeMesh

DATA = Path(__file__).parent / "data"
BOX = Box((0, 0, 0), (2, 1, 0.5))
POINTS = np.random.default_rng(0).uniform((-0.3, -0.3, -0.3), (2.3, 1.3, 0.8), (3000, 3))
ROUNDING = 1e-14  # a few units in the last place of coordinates of size 2


@pytest.fixture(scope="module")
def box():
    return SurfaceMesh(DATA / "box_bin.stl")


@pytest.fixture(scope="module")
def sphere():
    return SurfaceMesh(DATA / "sphere.obj")


def cube(lower=(0, 0, 0), size=1.0, turned=False):
    """Vertices and triangles of a cube."""
    mesh = VolumeMesh(Box((0, 0, 0), (1, 1, 1)).mesh(1)).source
    triangles = mesh.facets[:, ::-1] if turned else mesh.facets
    return np.asarray(lower) + size * mesh.points, triangles


def together(*bodies):
    """Several surfaces in one pair of arrays."""
    starts = np.cumsum([0, *(len(v) for v, _ in bodies)])
    vertices = np.concatenate([v for v, _ in bodies])
    return vertices, np.concatenate([t + s for (_, t), s in zip(bodies, starts[:-1], strict=True)])


def quietly(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SurfaceMesh(*arguments, **options)


def test_queries_are_those_of_the_box_that_was_triangulated(box):
    assert box.signed_distance(POINTS) == pytest.approx(BOX.signed_distance(POINTS), abs=ROUNDING)
    assert box.normals(POINTS) == pytest.approx(BOX.normals(POINTS), abs=1e-12)
    assert box.closest_point(POINTS) == pytest.approx(BOX.closest_point(POINTS), abs=ROUNDING)
    assert (box.contains(POINTS) == BOX.contains(POINTS)).all()
    assert (box.parts, box.measure) == (BOX.parts, pytest.approx(1))
    for name in box.parts:
        assert box[name].measure == pytest.approx(BOX[name].measure)


def test_the_distance_is_the_least_to_any_triangle(sphere):
    points = np.random.default_rng(1).uniform(-1.3, 1.3, (200, 3))
    a, b, c = np.moveaxis(sphere.source.corners, 1, 0)
    # brute force: the nearest of a fine lattice on every triangle, from above within its spacing
    n = 24
    shares = np.array([(i, j) for i in range(n + 1) for j in range(n + 1 - i)]) / n
    lattice = a[:, None] + shares[:, :1] * (b - a)[:, None] + shares[:, 1:] * (c - a)[:, None]
    lattice = lattice.reshape(-1, 3)
    least = np.array([np.min(np.linalg.norm(lattice - p, axis=-1)) for p in points])
    distance = np.abs(sphere.signed_distance(points))
    spacing = 0.33 / n  # of the longest edge
    assert (distance <= least + ROUNDING).all()
    assert (least**2 <= distance**2 + spacing**2).all()


def test_inside_a_trace_the_same_numbers_come_with_their_gradient(box):
    points = jnp.asarray(POINTS[:200])
    value = jax.jit(box.signed_distance)(points)
    assert np.asarray(value) == pytest.approx(BOX.signed_distance(POINTS[:200]), abs=ROUNDING)
    slope = jax.jit(jax.vmap(jax.grad(box.signed_distance)))(points)
    assert np.asarray(slope) == pytest.approx(BOX.normals(POINTS[:200]), abs=1e-12)
    drawn = jax.jit(lambda key: box.sample_interior(64, key=key).points)(jax.random.key(0))
    assert np.asarray(drawn) == pytest.approx(box.sample_interior(64, key=0).points)


def test_single_precision_and_any_leading_shape_work(box):
    single = POINTS[:60].astype(np.float32)
    assert box.signed_distance(single).dtype == np.float32
    # 3e-7: a few units in the last place of single precision
    assert box.signed_distance(single) == pytest.approx(BOX.signed_distance(single), abs=3e-7)
    assert box.signed_distance(POINTS[:60].reshape(3, 4, 5, 3)).shape == (3, 4, 5)
    assert box.contains(np.zeros((0, 3))).shape == (0,)
    assert box.signed_distance([0.5, 0.5, 0.25]) == pytest.approx(-0.25)


def test_boundary_samples_obey_the_divergence_theorem(sphere):
    # one point of each triangle in turn would be exact for linear fields: Sobol is nearly so
    sample = sphere.sample_boundary(2**13, key=0)
    flux = np.sum(sample.weights * np.sum(sample.points * sample.normals, axis=-1))
    assert flux == pytest.approx(3 * sphere.measure, rel=1e-3)
    field = np.stack([sample.points[:, 1], sample.points[:, 2], sample.points[:, 0]], axis=-1)
    assert abs(np.sum(sample.weights * np.sum(field * sample.normals, axis=-1))) < 0.02


def test_interior_samples_are_uniform(box):
    sample = box.sample_interior(2**12, key=0)
    cells = (sample.points / [0.5, 0.25, 0.125]).astype(int)
    counts = np.bincount(cells @ [16, 4, 1], minlength=64)
    assert sample.weights.sum() == pytest.approx(1)
    assert np.sum((counts - 64) ** 2 / 64) < 103  # chi-square of 63 degrees, one in a thousand


@pytest.mark.parametrize("angle, parts", [(0.1, 320), (1.0, 1), (0.7, 1)])
def test_parts_lie_between_edges_sharper_than_the_angle(angle, parts):
    # triangles of the icosphere meet at 0.15 to 0.21 radians
    assert len(SurfaceMesh(DATA / "sphere.obj", feature_angle=angle).parts) == parts


def test_algebra_with_analytic_shapes(box):
    hollow = box - Ball((1, 0.5, 0.25), 0.2, name="cavity")
    assert hollow.parts == (*box.parts, "cavity")
    assert hollow.measure == pytest.approx(1 - 4 / 3 * np.pi * 0.2**3, rel=1e-6)
    exact = BOX - Ball((1, 0.5, 0.25), 0.2, name="cavity")
    assert (hollow.contains(POINTS) == exact.contains(POINTS)).all()
    sample = hollow.sample_boundary(300, key=0)
    assert set(sample.parts.tolist()) == set(range(7))


def test_a_cut_through_many_triangles_is_measured(sphere):
    half = sphere & Box((0, -2, -2), (2, 2, 2))
    # by symmetry; 1e-4: 48 lines and more across every face, as for analytic shapes
    assert half["surface"].measure == pytest.approx(sphere.boundary.measure / 2, rel=1e-9)
    assert half.measure == pytest.approx(sphere.measure / 2, rel=1e-4)
    assert abs(half.measure - sphere.measure / 2) < half.measure_error


def test_motions_and_time(box):
    moved = box.translate((1, 0, 0)).rotate(0.4, axis=(0, 0, 1)).scale(2)
    exact = BOX.translate((1, 0, 0)).rotate(0.4, axis=(0, 0, 1)).scale(2)
    assert moved.measure == pytest.approx(8)
    assert moved.signed_distance(POINTS) == pytest.approx(exact.signed_distance(POINTS), abs=1e-13)
    cylinder = box.over("t", 0, 3)
    assert (cylinder.parts, cylinder.measure) == (
        (*box.parts, "initial", "final"),
        pytest.approx(3),
    )


def test_a_part_tells_its_points_and_its_distance(box):
    sample = box.sample_boundary(120, key=0)
    for i, name in enumerate(box.parts):
        assert (box[name].contains(sample.points) == (sample.parts == i)).all()
    assert box["left"].distance(sample.points) == pytest.approx(
        np.hypot(sample.points[:, 0], 0), abs=ROUNDING
    )
    assert not box["left"].is_smooth and BOX["left"].is_smooth


def test_two_bodies_a_cavity_and_an_overlap():
    apart = quietly(together(cube(), cube((3, 0, 0))))
    assert apart.measure == pytest.approx(2)
    assert apart.contains([(0.5, 0.5, 0.5), (2, 0.5, 0.5), (3.5, 0.5, 0.5)]).tolist() == [1, 0, 1]
    hollow = SurfaceMesh(together(cube(), cube((0.25, 0.25, 0.25), 0.5, turned=True)))
    assert hollow.measure == pytest.approx(1 - 1 / 8)
    assert hollow.contains([(0.5, 0.5, 0.5), (0.1, 0.5, 0.5)]).tolist() == [False, True]
    with pytest.warns(UserWarning, match="1 piece inside another taken for a cavity"):
        same = SurfaceMesh(together(cube(), cube((0.25, 0.25, 0.25), 0.5)))
    assert same.measure == pytest.approx(1 - 1 / 8)
    with pytest.warns(UserWarning, match="crosses itself"):
        crossed = SurfaceMesh(together(cube(), cube((0.5, 0.3, 0.2))))
    either = Box((0, 0, 0), (1, 1, 1)) + Box((0.5, 0.3, 0.2), (1.5, 1.3, 1.2))
    assert (crossed.contains(POINTS) == either.contains(POINTS)).all()


def test_edges_of_four_triangles_are_said_and_inside_is_right():
    with pytest.warns(UserWarning, match="1 edge belongs to three triangles or more"):
        pair = SurfaceMesh(together(cube(), cube((1, 1, 0))))
    assert pair.measure == pytest.approx(2)
    assert pair.contains([(0.5, 0.5, 0.5), (1.5, 1.5, 0.5), (1.5, 0.5, 0.5)]).tolist() == [1, 1, 0]


@pytest.mark.parametrize("offset, size", [(0, 1e-9), (0, 1e9), (1e6, 1.0), (1e9, 1000.0)])
def test_neither_scale_nor_offset_matters(offset, size):
    body = SurfaceMesh(cube((offset, offset, offset), size))
    where = np.random.default_rng(2).uniform(-0.5, 1.5, (500, 3))
    points = offset + size * where
    unit = Box((0, 0, 0), (1, 1, 1))
    rounding = 4e-16 * (1 + abs(offset) / size) * 4
    distance = body.signed_distance(points) / size
    assert distance == pytest.approx(unit.signed_distance(where), abs=rounding)
    assert body.measure == pytest.approx(size**3, rel=1e-6)
    assert body.parts == unit.parts


def test_winding_of_a_surface_with_a_hole_is_the_sum_of_its_solid_angles():
    from geometry.meshes.winding import Winding, solid_angles

    vertices, triangles = cube()
    pierced = Winding(vertices, triangles[3:])
    points = np.random.default_rng(3).uniform(-0.5, 1.5, (300, 3))
    exact = solid_angles(vertices[triangles[3:]], points)
    assert len(pierced.open_edges) > 0
    assert pierced(points) == pytest.approx(exact, abs=1e-12)
    assert np.asarray(jax.jit(pierced)(jnp.asarray(points))) == pytest.approx(exact, abs=1e-12)


def test_inside_is_right_for_points_below_vertices_and_edges(sphere):
    ends = sphere.source.vertices[sphere.source.triangles]
    across = np.concatenate([ends[:, 0], (ends[:, 0] + ends[:, 1]) / 2])[:, :2]
    for height in (0.0, -0.2, 0.5, -3.0, 3.0):
        points = np.concatenate([across, np.full((len(across), 1), height)], axis=1)
        radius = np.linalg.norm(points, axis=-1)
        clear = (radius < 0.97) | (radius > 1.001)  # between the ball within and the ball around
        assert (sphere.contains(points) == (radius < 0.97))[clear].all()


def test_vertices_that_nearly_meet_are_joined():
    corners = SurfaceMesh(cube()).source.corners
    loose = corners + np.random.default_rng(4).uniform(-1e-8, 1e-8, corners.shape)
    arrays = loose.reshape(-1, 3), np.arange(3 * len(loose)).reshape(-1, 3)
    with pytest.warns(UserWarning, match="joined to others"):
        body = SurfaceMesh(arrays)
    assert body.is_watertight
    assert body.measure == pytest.approx(1, abs=1e-7)


def test_unused_vertices_are_counted_and_whole_numbers_taken():
    vertices, triangles = cube()
    more = np.concatenate([np.array([[9, 9, 9]]), vertices]).astype(int)
    with pytest.warns(UserWarning, match="1 vertices belong to no triangle|1 vertex"):
        body = SurfaceMesh((more, triangles + 1))
    assert body.bounds[1].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "source, error, message",
    [
        (3, TypeError, "a path or two arrays; got int"),
        ((np.zeros((4, 2)), [[0, 1, 2]]), ValueError, r"numbers \(n, 3\); got .* \(4, 2\)"),
        ((np.zeros((4, 3)), [[0, 1]]), ValueError, r"\(m, 3\), one row or more"),
        ((np.zeros((4, 3)), [[0.5, 1, 2]]), ValueError, "whole numbers"),
        ((np.zeros((4, 3)), np.zeros((0, 3), int)), ValueError, "one row or more"),
        ((np.eye(3), [[0, 1, 7]]), ValueError, r"from 0 to 2; row 0 is \[0, 1, 7\]"),
        ((np.eye(3), [[0, 1, -1]]), ValueError, "from 0 to 2"),
        ((np.full((3, 3), np.nan), [[0, 1, 2]]), ValueError, "finite coordinates; vertex 0"),
        ((np.zeros((3, 3)), [[0, 1, 2]]), ValueError, "triangles with an area"),
        ((np.array([["a"] * 3] * 3), [[0, 1, 2]]), ValueError, "numbers"),
    ],
)
def test_wrong_arrays_are_refused(source, error, message):
    with pytest.raises(error, match=message):
        SurfaceMesh(source)


def test_a_sheet_has_no_volume():
    with pytest.warns(UserWarning, match="not watertight, 4 open edges"):
        sheet = SurfaceMesh(([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)]))
    with pytest.raises(ValueError, match="not watertight"):
        _ = sheet.measure
    assert sheet.boundary.measure == pytest.approx(1)


def test_a_strip_with_one_side_is_said():
    turn = np.linspace(0, np.pi, 13)[:-1]
    middle = np.stack([np.cos(2 * turn), np.sin(2 * turn), 0 * turn], axis=-1)
    across = np.stack(
        [np.cos(turn) * np.cos(2 * turn), np.cos(turn) * np.sin(2 * turn), np.sin(turn)], axis=-1
    )
    vertices = np.concatenate([middle + 0.3 * across, middle - 0.3 * across])
    triangles = []
    for i, j in itertools.pairwise([*range(12), 12]):
        a, b = i, i + 12
        c, d = (j, j + 12) if j < 12 else (12, 0)
        triangles += [(a, b, c), (c, b, d)]
    with pytest.warns(UserWarning, match=r"one side only \(Möbius\)"):
        SurfaceMesh((vertices, triangles))


def test_a_long_hole_is_not_closed():
    angle = 2 * np.pi * np.arange(300) / 300
    rim = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    vertices = np.concatenate([rim, [[0, 0, 1]]])
    triangles = np.stack([np.arange(300), (np.arange(300) + 1) % 300, np.full(300, 300)], axis=-1)
    with pytest.raises(ValueError, match="holes of up to 200 edges; there is one of 300 around"):
        SurfaceMesh((vertices, triangles), repair=True)


def test_equal_surfaces_are_equal_and_travel(box):
    again = SurfaceMesh(DATA / "box_bin.stl")
    assert (again == box, hash(again) == hash(box)) == (True, True)
    assert pickle.loads(pickle.dumps(box)) == box
    assert SurfaceMesh(cube()) != box
    assert repr(box).startswith("SurfaceMesh('") and repr(box).endswith("box_bin.stl')")


def test_a_statement_on_a_surface_keeps_values_as_soft_conditions(box):
    from solvers.pinn.build import plan

    x, y, z = sci.coordinates("x y z")
    u = sci.field("u", x, y, z)
    problem = sci.Problem(box, sci.Eq(sci.laplacian(u), 0), {"boundary": sci.Eq(u, x)})
    assert "not smooth" in " ".join(plan(problem, hard=None, solenoidal=None).sentences)
