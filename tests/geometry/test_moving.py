"""Bodies that move through space-time."""

import jax
import numpy as np
import pytest
import sympy

from equations import parameter
from geometry import Ball, Box, Disk, Family, Interval, Rectangle

t, s = sympy.symbols("t s")
TANK = Rectangle((0, 0), (4, 1)).over(t, 0, 1) - Disk((1 + t, 0.5), 0.1, name="body").over(t, 0, 1)


def test_a_moving_body_is_cut_out_where_it_is():
    assert TANK.parts == ("left", "right", "bottom", "top", "initial", "final", "body")
    points = [[1, 0.5, 0], [2, 0.5, 0], [1, 0.5, 1], [2, 0.5, 1], [1.5, 0.5, 0.5]]
    assert TANK.contains(points).tolist() == [False, True, True, False, False]
    assert TANK.time == ("t", 0, 1)
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
    with pytest.raises(ValueError, match="a shape that depends on t alone"):
        Ball((s, t, 0), 1).over(t, 0, 1)


w = parameter("w", between=(1, 2))
GROWING = Disk((0, 0), 1 + t).over(t, 0, 1)
WIDE = Rectangle((0, 0), (w, 1)).over(w)
PLATE = (Rectangle((0, 0), (w, 1)) - Disk((w / 2, 0.5), w / 8, name="hole")).over(w)


def test_a_shape_that_grows_has_its_measure_at_each_time():
    """Of the disk of radius 1 + t: areas are pi (1 + t)^2, circles 2 pi (1 + t)."""
    assert GROWING.measure == pytest.approx(7 / 3 * np.pi, rel=1e-12)
    measures = [GROWING[name].measure / np.pi for name in GROWING.parts]
    assert GROWING.parts == ("circle", "initial", "final")
    np.testing.assert_allclose(measures, [3, 1, 4], rtol=1e-12)
    sample = GROWING["circle"].sample(1000, key=0)
    radius = 1 + sample.points[:, 2]
    np.testing.assert_allclose(np.linalg.norm(sample.points[:, :2], axis=-1), radius)
    assert np.mean(sample.points[:, 2]) == pytest.approx(5 / 9, abs=1e-3)  # denser when larger


def test_a_width_that_is_a_parameter_makes_a_family_without_ends():
    assert WIDE.axes == ("x", "y", "w")
    assert WIDE.parts == ("left", "right", "bottom", "top")
    assert WIDE.time is None
    assert WIDE.measure == pytest.approx(1.5)
    np.testing.assert_allclose([WIDE[name].measure for name in WIDE.parts], [1, 1, 1.5, 1.5])
    sample = WIDE.sample_interior(2048, key=0)
    assert WIDE.contains(sample.points).all()
    assert sample.weights @ sample.points[:, 0] == pytest.approx(7 / 6, abs=1e-3)
    assert not WIDE.contains([[0.5, 0.5, 0.9], [1.5, 0.5, 1.4]]).any()
    right = WIDE["right"].sample(100, key=0)
    np.testing.assert_allclose(right.points[:, 0], right.points[:, 2])
    np.testing.assert_array_equal(right.normals, np.tile([1, 0, 0], (100, 1)))
    np.testing.assert_allclose(WIDE["right"].distance([[0.5, 0.5, 1.5]]), 1)


def test_a_combination_with_parameters_is_cut_for_each_value():
    assert PLATE.parts == ("left", "right", "bottom", "top", "hole")
    assert PLATE.measure == pytest.approx(1.5 - np.pi / 64 * 7 / 3, rel=1e-9)
    assert PLATE["hole"].measure == pytest.approx(np.pi / 4 * 1.5, rel=1e-9)
    sample = PLATE["hole"].sample(200, key=0)
    x, y, width = sample.points.T
    np.testing.assert_allclose(np.hypot(x - width / 2, y - 0.5), width / 8)
    step = 1e-6 * sample.normals
    assert PLATE.contains(sample.points - step).all()
    assert not PLATE.contains(sample.points + step).any()


@pytest.mark.parametrize(
    ("shape", "measure", "parts"),
    [
        (Disk((0, 0), 1).over(w), np.pi, ("circle",)),
        (Interval(0, w).over(w), 1.5, ("left", "right")),
        (Box((0, 0, 0), (1, w, w)).over(w), 7 / 3, ("left", "right", "bottom", "top", "back",
                                                    "front")),
        (Ball((0, 0, w), w).over(w), np.pi * 5, ("sphere",)),
        (Disk((1, 0), 1).scale(w).translate((0, w)).over(w), 7 / 3 * np.pi, ("circle",)),
        (Rectangle((1, 0), (2, 1)).scale(w).rotate(0.3).mirror((1, 1), point=(0, 1)).over(w),
         7 / 3, ("left", "right", "bottom", "top")),
        (Interval(0, w).over("t", 0, 3).over(w), 4.5, ("left", "right", "initial", "final")),
        (Interval(0, w).over(w).over("t", 0, 3), 4.5, ("left", "right", "initial", "final")),
        (Disk((t, 0), 1).over(t, 0, 1).over(w), np.pi, ("circle", "initial", "final")),
    ],
    ids=repr,
)  # fmt: skip
def test_families_of_every_kind_have_their_measure_and_parts(shape, measure, parts):
    assert shape.measure == pytest.approx(measure, rel=1e-9)
    assert shape.parts == parts
    sample = shape.sample_boundary(200, key=0)
    assert np.abs(shape.signed_distance(sample.points)).max() < 1e-12
    assert shape.contains(sample.points).all()
    assert shape.boundary.measure == pytest.approx(sample.weights.sum())
    traced = jax.jit(lambda key: shape.sample_interior(16, key=key).points)(jax.random.key(1))
    np.testing.assert_allclose(traced, shape.sample_interior(16, key=1).points, atol=1e-12)
    if "w" in shape.axes and shape.time:
        assert shape.time[0] == "t"


def test_the_range_of_a_family_is_that_of_its_parameter_unless_given():
    assert Interval(0, w).over(w, 1, 1.5).bounds[1].tolist() == [1.5, 1.5]
    assert Interval(0, w).over("w", 1, 1.5) == Interval(0, w).over(w, 1, 1.5)
    assert isinstance(Disk((0, 0), 1).over(w), Family)
    assert repr(WIDE) == "Rectangle((0, 0), (w, 1)).over(w, 1.0, 2.0)"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Disk((0, 0), 1 - t).over(t, 0, 2), ValueError, "has lost one at t = 2"),
        (lambda: Rectangle((0, 0), (w - 1, 1)).over(w), ValueError, "has lost one at w = 1"),
        (lambda: Disk((1 / t, 0), 1).over(t, 0, 1), ValueError, "finite from 0 to 1"),
        (lambda: Rectangle((0, 0), (w, 1)).rotate(1).over(w), ValueError, "grows alike along all"),
        (lambda: Disk((t, w), 1).over(w), ValueError, "depends on w alone.*has t too"),
        (lambda: Rectangle((0, 0), (1, 1)).over(t), TypeError, "needs both ends; got None"),
        (lambda: Disk((0, 0), w).measure, ValueError, "depends on symbols.*`.over"),
        (lambda: Rectangle((0, 0), (w, 1)).sample_boundary(4, key=0), ValueError, "depends on sym"),
        (lambda: (Disk((0, 0), 1) - Disk((w, 0), 1)).bounds and Disk((w, 0), 1).contains([0, 0]),
         ValueError, "depends on symbols"),
    ],
)  # fmt: skip
def test_families_that_are_none_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()
