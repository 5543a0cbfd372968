"""Periodic shapes."""

import numpy as np

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
