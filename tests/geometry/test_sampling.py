"""Sequences in the cube, counts, tensor rules, and sampling inside compiled functions."""

import jax
import numpy as np
import pytest
from scipy.spatial import cKDTree

import geometry as g
from geometry import choose
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


@pytest.mark.parametrize("sampler", ["sobol", "random", "halton", "latin", "poisson"])
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


def test_poisson_points_are_no_closer_than_the_candidates_are_to_them():
    """A maximal Poisson-disk sample; and random points of that number come 20 times closer."""
    points = CHANNEL.sample_interior(400, key=0, sampler="poisson").points
    gaps, _ = cKDTree(points).query(points, k=2)
    candidates = CHANNEL.sample_interior(3200, key=0).points
    reach, _ = cKDTree(points).query(candidates)
    assert gaps[:, 1].min() >= reach.max()
    random = CHANNEL.sample_interior(400, key=0, sampler="random").points
    assert gaps[:, 1].min() > 20 * cKDTree(random).query(random, k=2)[0][:, 1].min()


def test_poisson_weights_integrate_though_points_crowd_at_the_rim():
    """The mean of |x|^2 over the unit disk is 1 / 2; without weights it comes out too large."""
    sample = g.Disk((0, 0), 1).sample_interior(300, key=0, sampler="poisson")
    squares = np.sum(sample.points**2, axis=-1)
    assert sample.weights @ squares / np.pi == pytest.approx(0.5, abs=5e-3)
    assert squares.mean() > 0.52


def test_density_gives_points_for_each_unit_of_measure():
    assert len(CHANNEL.sample_interior(density=100, key=0).points) == round(100 * CHANNEL.measure)
    assert len(CHANNEL["left"].sample(density=100, key=0).points) == 41
    assert len(CHANNEL.sample_boundary(density=10, key=0).points) == round(
        10 * CHANNEL.boundary.measure
    )
    assert len(CHANNEL["left"].sample(density=1e-9, key=0).points) == 1


def test_counts_for_each_part_are_kept_and_other_parts_left_out():
    sample = CHANNEL.sample_boundary({"left": 5, ("top", "bottom"): 20, "cylinder": 7}, key=0)
    counts = dict(zip(CHANNEL.parts, np.bincount(sample.parts, minlength=5), strict=True))
    assert counts == {"left": 5, "right": 0, "bottom": 10, "top": 10, "cylinder": 7}
    measure = CHANNEL["left", "top", "bottom", "cylinder"].measure
    assert sample.weights.sum() == pytest.approx(measure)
    assert CHANNEL["cylinder"].contains(sample.points[sample.parts == 4]).all()


def test_choice_follows_the_odds_without_repetition():
    """Of one index, 4000 times: frequencies within four standard errors; of all, every one."""
    times = 4000
    odds = np.array([0.0, 1, 2, 5])
    keys = jax.random.split(jax.random.key(0), times)
    chosen = jax.vmap(lambda key: choose(odds, 1, key=key)[0])(keys)
    share = np.bincount(chosen, minlength=4) / times
    assert (np.abs(share - odds / 8) <= 4 * np.sqrt(odds / 8 * (1 - odds / 8) / times)).all()
    assert sorted(choose(np.ones(50), 50, key=1)) == list(range(50))
    traced = jax.jit(lambda key: choose(odds, 2, key=key))(jax.random.key(5))
    np.testing.assert_array_equal(traced, choose(odds, 2, key=5))


@pytest.mark.parametrize(
    ("odds", "n", "message"),
    [
        ([1.0, 2.0], 3, "with `n`=3 numbers or more"),
        ([[1.0, 2.0]], 1, "needs one axis"),
        ([1.0, np.nan], 1, "finite numbers of zero or more"),
        ([1.0, -1.0], 1, "finite numbers of zero or more"),
    ],
)
def test_wrong_odds_are_refused(odds, n, message):
    with pytest.raises(ValueError, match=message):
        choose(odds, n, key=0)
