"""Bodies that move through space-time."""

import jax
import numpy as np
import pytest
import sympy

from geometry import Ball, Disk, Rectangle

t, s = sympy.symbols("t s")
TANK = Rectangle((0, 0), (4, 1)).over(t, 0, 1) - Disk((1 + t, 0.5), 0.1, name="body").over(t, 0, 1)


def test_a_moving_body_is_cut_out_where_it_is():
    assert TANK.parts == ("left", "right", "bottom", "top", "initial", "final", "body")
    points = [[1, 0.5, 0], [2, 0.5, 0], [1, 0.5, 1], [2, 0.5, 1], [1.5, 0.5, 0.5]]
    assert TANK.contains(points).tolist() == [False, True, True, False, False]
    assert TANK.measure == pytest.approx(4 - np.pi / 100, rel=1e-4)
    assert TANK["body"].measure == pytest.approx(0.2 * np.pi, rel=1e-6)


def test_points_of_a_moving_body_lie_around_its_center():
    sample = TANK["body"].sample(60, key=0)
    center = np.stack([1 + sample.points[:, 2], np.full(60, 0.5)], axis=-1)
    np.testing.assert_allclose(sample.points[:, :2] - center, -0.1 * sample.normals[:, :2])
    assert (sample.normals[:, 2] == 0).all()
    inside = TANK.sample_interior(500, key=0).points
    assert (np.hypot(inside[:, 0] - 1 - inside[:, 2], inside[:, 1] - 0.5) > 0.1).all()


def test_distance_to_a_moving_body_vanishes_on_it_only():
    sample = TANK.sample_boundary(200, key=0)
    on_body = sample.parts == TANK.parts.index("body")
    distance = TANK["body"].distance(sample.points)
    assert np.abs(distance[on_body]).max() < 1e-12
    assert distance[~on_body].min() > 0


def test_moving_samples_are_traced():
    points = jax.jit(lambda key: TANK.sample_boundary(64, key=key).points)(jax.random.key(1))
    np.testing.assert_allclose(points, TANK.sample_boundary(64, key=1).points, atol=1e-12)


def test_any_shape_moves_by_translation():
    square = Rectangle((0, 0), (1, 1)).translate((sympy.sin(t), 0)).over(t, 0, 1)
    assert square.contains([[0.5, 0.5, 0], [1.5, 0.5, 1], [0.5, 0.5, 1]]).tolist() == [
        True, True, False,
    ]  # fmt: skip
    assert square.measure == pytest.approx(1)
    assert repr(square).endswith(".translate((sin(t), 0)).over('t', 0, 1)")


def test_a_path_depends_on_time_alone():
    with pytest.raises(ValueError, match="a path that depends on t alone"):
        Ball((s, t, 0), 1).over(t, 0, 1)
