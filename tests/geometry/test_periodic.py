"""Periodic shapes."""

import numpy as np
import pytest

from geometry import Disk, Interval, Rectangle


def test_periodic_ends_are_no_parts():
    shape = Interval(-5, 5).periodic("x").over("t", 0, 1)
    assert shape.parts == ("initial", "final")
    assert dict(shape.periods) == {"x": 10.0}
    assert Rectangle((0, 0), (1, 2)).periodic("y").parts == ("left", "right")
    assert Interval(0, 1).over("t", 0, 1).periodic("x").parts == ("initial", "final")
    assert Rectangle((0, 0), (1, 2)).periodic("x").periodic("y").parts == ()


def test_periodic_shapes_contain_all_images_of_their_points():
    shape = (Rectangle((0, 0), (2, 1)) - Disk((0.3, 0.5), 0.2)).periodic("x")
    points = shape.sample_interior(100, key=0).points
    assert shape.contains(points + [4, 0]).all()
    assert not shape.contains([[0.3, 0.5], [2.3, 0.5], [1, 1.1]]).any()


def test_distance_of_a_periodic_shape_sees_the_images():
    shape = (Rectangle((0, 0), (2, 1)) - Disk((0.3, 0.5), 0.2)).periodic("x")
    np.testing.assert_allclose(shape.signed_distance([[0, 0.5], [1.95, 0.5]]), [-0.1, -0.15])


def test_axes_without_walls_have_no_end():
    assert Rectangle((0, 0), (1, 1)).periodic("x", "y").contains([[7.3, -2.1]]).all()


RING = Rectangle((0, 0), (1, 1)).periodic("x")


@pytest.mark.parametrize(
    "operation",
    [
        lambda: RING - Disk((0, 0.5), 0.25),
        lambda: Disk((0.5, 0.5), 0.1) + RING,
        lambda: RING.over("t", 0, 1) & Rectangle((0, 0), (1, 0.5)).over("t", 0, 1),
        lambda: RING.translate((1, 0)),
        lambda: RING.rotate(1),
        lambda: RING.scale(2),
        lambda: RING.mirror((0, 1)),
        lambda: RING.extrude(0, 1),
        lambda: RING.revolve(),
    ],
)
def test_operations_that_would_not_see_the_images_are_refused(operation):
    with pytest.raises(ValueError, match=r"not periodic; got .*at the end, by `.periodic\('x'\)`"):
        operation()


def test_a_hole_on_the_seam_is_given_at_both_ends():
    hole = Disk((0, 0.5), 0.25)
    shape = (Rectangle((0, 0), (1, 1)) - hole - hole.translate((1, 0))).periodic("x")
    assert np.isclose(shape.measure, 1 - np.pi / 16)
    assert not shape.contains([[0.1, 0.5], [0.9, 0.5], [1.1, 0.5]]).any()
