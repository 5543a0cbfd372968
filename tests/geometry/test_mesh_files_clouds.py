"""Clouds of points as regions and as boundaries."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from geometry import Ball, Disk, PointCloud, Rectangle

SQUARE = np.stack(np.meshgrid(*[(np.arange(40) + 0.5) / 40] * 2), axis=-1).reshape(-1, 2)


def circle(n):
    angle = 2 * np.pi * np.arange(n) / n
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def test_a_region_is_all_within_the_radius_of_a_point():
    cloud = PointCloud(SQUARE)
    points = np.random.default_rng(0).uniform(-0.2, 1.2, (2000, 2))
    distance = np.min(np.linalg.norm(points[:, None] - SQUARE, axis=-1), axis=1)
    assert cloud.radius == pytest.approx(1 / 40)
    assert (cloud.contains(points) == (distance <= cloud.radius)).all()
    assert cloud.signed_distance(points) == pytest.approx(distance - cloud.radius)


def test_the_measure_is_estimated_with_its_error_or_given_by_weights():
    cloud = PointCloud(SQUARE, radius=0.02)  # covers the cells of the grid: 0.0177 to their corners
    overlap = Rectangle((0, 0), (1, 1)).measure + 4 * 0.0075  # and some 0.0075 beyond them
    assert abs(cloud.measure - overlap) < 4 * cloud.measure_error + 0.005
    assert 0 < cloud.measure_error < 0.01
    weighted = PointCloud(SQUARE, weights=np.full(1600, 1 / 1600))
    assert (weighted.measure, weighted.measure_error) == (pytest.approx(1), 0)


def test_samples_are_points_of_the_cloud_in_proportion_to_their_weights():
    weights = np.where(SQUARE[:, 0] < 0.5, 3.0, 1.0)
    cloud = PointCloud(SQUARE, weights=weights)
    sample = cloud.sample_interior(512, key=0)
    known = {tuple(p) for p in SQUARE.tolist()}
    assert {tuple(p) for p in sample.points.tolist()} <= known
    assert sample.weights.sum() == pytest.approx(cloud.measure)
    assert np.mean(sample.points[:, 0] < 0.5) == pytest.approx(0.75, abs=0.01)  # Sobol: 1 / 512
    traced = jax.jit(lambda key: cloud.sample_interior(512, key=key).points)(jax.random.key(0))
    assert np.asarray(traced) == pytest.approx(sample.points)


def test_every_point_comes_once_on_a_grid():
    sample = PointCloud(SQUARE).sample_interior(1600, key=0, sampler="grid")
    assert len(np.unique(sample.points, axis=0)) == 1600


def test_points_with_normals_are_a_boundary():
    rim = circle(400)
    cloud = PointCloud(rim, rim, name="rim")
    disk = Disk((0, 0), 1)
    points = np.random.default_rng(1).uniform(-1.2, 1.2, (2000, 2))
    clear = np.abs(disk.signed_distance(points)) > 1e-3
    assert cloud.parts == ("rim",)
    assert (cloud.contains(points) == disk.contains(points))[clear].all()
    # evenly spread points of a curve: their neighbors tell the chord for the arc
    assert cloud["rim"].measure == pytest.approx(2 * np.pi, rel=1e-3)
    assert abs(cloud.measure - np.pi) < 4 * cloud.measure_error + 1e-3
    sample = cloud.sample_boundary(100, key=0)
    assert sample.normals == pytest.approx(sample.points)


def test_areas_told_by_neighbors_are_right_in_the_mean():
    points = Ball((0, 0, 0), 1).sample_boundary(4000, key=0, sampler="random").points
    cloud = PointCloud(points, points)
    # 4000 estimates of 8 neighbors each scatter by 8**-0.5 / 4000**0.5, and share neighbors
    assert cloud.boundary.measure == pytest.approx(4 * np.pi, rel=0.03)


def test_inside_a_trace_the_distance_is_the_same():
    cloud = PointCloud(SQUARE)
    points = np.random.default_rng(2).uniform(-0.2, 1.2, (100, 2))
    traced = jax.jit(cloud.signed_distance)(jnp.asarray(points))
    assert np.asarray(traced) == pytest.approx(cloud.signed_distance(points), abs=1e-14)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((np.zeros((5, 2)),), "3 points at different places or more"),
        (([(0, 0), (1, 1)],), "3 points at different places or more"),
        (([(0, 0), (1, np.nan), (1, 0)],), "finite coordinates; vertex 1"),
        ((SQUARE, np.zeros((1600, 2))), "1600 of them zero"),
        ((SQUARE, SQUARE[:3]), "each of 1600 points; got 3"),
        ((SQUARE, None, -np.ones(1600)), "above zero for each"),
        ((SQUARE, None, None, 0), "above zero"),
    ],
)
def test_wrong_clouds_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        PointCloud(*arguments)


def test_a_cloud_of_a_region_has_no_boundary():
    with pytest.raises(ValueError, match="no boundary to sample"):
        PointCloud(SQUARE).sample_boundary(10, key=0)
