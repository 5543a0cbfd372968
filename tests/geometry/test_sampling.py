"""Sequences in the cube, counts, tensor rules, and sampling inside compiled functions."""

import jax
import numpy as np
import pytest

import geometry as g
from geometry.sequences import cube

POINTS_OF_KEY_0 = [
    [0.9389899283414707, 0.4874165478395298],
    [0.3376587884267792, 0.8639553895918652],
    [0.15892993018496782, 0.10428046656306833],
]
CHANNEL = g.Rectangle((0, 0), (2.2, 0.41)) - g.Disk((0.2, 0.2), 0.05, name="cylinder")


@pytest.mark.parametrize("sampler", ["sobol", "random", "halton", "latin"])
def test_one_key_gives_one_set_of_points(sampler):
    first = CHANNEL.sample_interior(100, key=1, sampler=sampler).points
    np.testing.assert_array_equal(
        first, CHANNEL.sample_interior(100, key=jax.random.key(1), sampler=sampler).points
    )
    assert not np.allclose(first, CHANNEL.sample_interior(100, key=2, sampler=sampler).points)


def test_points_of_a_key_are_those_written_down_here():
    """The same on every machine: values computed once, to the last bit."""
    points, _ = cube(3, 2, key=0, sampler="sobol")
    np.testing.assert_array_equal(points, POINTS_OF_KEY_0)


@pytest.mark.parametrize(("sampler", "bound"), [("sobol", 2e-4), ("halton", 4e-3), ("latin", 2e-2)])
def test_sequences_integrate_better_than_random_points(sampler, bound):
    """Mean of the product of (1 + (u - 1/2) / 2) over five axes, exactly 1; random points of this
    number are off by 0.3 / sqrt(4096) = 5e-3, and Latin hypercubes by the interactions alone."""
    points, weights = cube(4096, 5, key=3, sampler=sampler)
    value = weights @ np.prod(1 + (points - 0.5) / 2, axis=-1)
    assert abs(value - 1) < bound


def test_latin_hypercube_has_one_point_in_each_layer():
    points, _ = cube(50, 3, key=0, sampler="latin")
    for axis in range(3):
        assert sorted(np.floor(points[:, axis] * 50)) == list(range(50))


def test_sobol_points_are_balanced_in_elementary_boxes():
    points, _ = cube(256, 2, key=7, sampler="sobol")
    for a, b in ((256, 1), (16, 16), (1, 256), (64, 4)):
        cells = np.floor(points[:, 0] * a) * b + np.floor(points[:, 1] * b)
        assert len(np.unique(cells)) == 256


def test_gauss_rule_is_exact_for_polynomials_on_boxes_disks_and_balls():
    box = g.Rectangle((0, 0), (2, 1)).sample_interior(16, key=0, sampler="gauss")
    assert box.weights @ (box.points[:, 0] ** 7 * box.points[:, 1] ** 6) == pytest.approx(32 / 7)
    disk = g.Disk((0, 0), 1).sample_interior(100, key=0, sampler="gauss")
    assert disk.weights @ disk.points[:, 0] ** 4 == pytest.approx(np.pi / 8)
    ball = g.Ball((0, 0, 0), 1).sample_boundary(100, key=0, sampler="gauss")
    assert ball.weights @ ball.points[:, 2] ** 4 == pytest.approx(4 * np.pi / 5)


@pytest.mark.parametrize("sampler", ["grid", "gauss"])
def test_tensor_rules_return_the_largest_rule_with_at_most_n_points(sampler):
    sample = g.Rectangle((0, 0), (1, 1)).sample_interior(30, key=0, sampler=sampler)
    assert len(sample.points) == 25
    assert sample.weights.sum() == pytest.approx(1)


def test_gauss_on_a_cut_region_is_refused():
    with pytest.raises(ValueError, match="needs a region that one smooth map covers"):
        CHANNEL.sample_interior(100, key=0, sampler="gauss")


def test_gauss_on_the_pieces_of_a_plane_boundary_is_exact():
    lens = g.Disk((0, 0), 1) & g.Disk((1, 0), 1)
    sample = lens.sample_boundary(40, key=0, sampler="gauss")
    assert sample.weights @ sample.points[:, 0] == pytest.approx(2 * np.pi / 3, rel=1e-12)


def test_every_part_gets_a_point_when_there_are_enough():
    n_parts = len(CHANNEL.parts)
    for n in (n_parts, 7, 100):
        sample = CHANNEL.sample_boundary(n, key=0)
        assert len(sample.points) == n
        assert len(np.unique(sample.parts)) == n_parts
        assert sample.weights.sum() == pytest.approx(CHANNEL.boundary.measure)
    few = CHANNEL.sample_boundary(2, key=0)
    assert len(few.points) == 2
    assert few.weights.sum() == pytest.approx(CHANNEL.boundary.measure)


@pytest.mark.parametrize("sampler", ["sobol", "random", "halton", "latin"])
def test_sampling_runs_inside_a_compiled_function(sampler):
    inside = jax.jit(lambda key: CHANNEL.sample_interior(64, key=key, sampler=sampler))
    around = jax.jit(lambda key: CHANNEL.sample_boundary(64, key=key, sampler=sampler))
    key = jax.random.key(4)
    expected = CHANNEL.sample_interior(64, key=key, sampler=sampler)
    np.testing.assert_allclose(inside(key).points, expected.points, atol=1e-14)
    boundary = CHANNEL.sample_boundary(64, key=key, sampler=sampler)
    for name in ("points", "normals", "weights", "parts"):
        np.testing.assert_allclose(getattr(around(key), name), getattr(boundary, name), atol=1e-13)


def test_compiled_sampling_works_in_single_precision():
    cube_without_corner = g.Box((0, 0, 0), (1, 1, 1)) - g.Ball((0, 0, 0), 0.5)
    with jax.enable_x64(False):
        sample = jax.jit(lambda key: cube_without_corner.sample_boundary(200, key=key))(
            jax.random.key(0)
        )
        points, normals = np.asarray(sample.points), np.asarray(sample.normals)
    assert points.dtype == np.float32
    assert np.abs(cube_without_corner.signed_distance(points)).max() < 1e-6
    assert not cube_without_corner.contains(points + np.float32(1e-3) * normals).any()


def test_space_time_points_are_distinct_in_space_and_in_time():
    points = CHANNEL.over("t", 0, 1).sample_interior(500, key=0).points
    for axis in range(3):
        assert len(np.unique(points[:, axis])) == 500


def test_a_hundred_dimensions_are_sampled():
    box = g.Box([0] * 100, [1] * 100)
    assert box.sample_interior(50, key=0).points.shape == (50, 100)
    assert box.sample_boundary(400, key=0).points.shape == (400, 100)


def test_a_shape_far_from_the_origin_has_its_measure_and_points():
    for far in (1e5, 1e6, 1e7):
        shape = g.Rectangle((far, far), (far + 1, far + 1)) - g.Disk((far + 0.5, far + 0.5), 0.25)
        assert shape.measure == pytest.approx(1 - np.pi / 16, abs=1e-9)
        points = shape.sample_interior(64, key=0).points - far
        assert np.all(np.linalg.norm(points - 0.5, axis=-1) > 0.25 - 1e-8)


def test_a_shape_below_the_rounding_of_its_coordinates_is_refused():
    far = 1e15
    with pytest.raises(ValueError, match="Move it near the origin|leaves nothing"):
        (
            g.Rectangle((far, far), (far + 1, far + 1)) - g.Disk((far + 0.5, far + 0.5), 0.25)
        ).sample_interior(8, key=0)
