"""Names of parts, before and after CSG."""

import pytest

from geometry import Ball, Box, Disk, Interval, Point, Rectangle, Time


def test_primitives_name_their_parts_in_the_order_of_the_axes():
    assert Interval(0, 1).parts == ("left", "right")
    assert Rectangle((0, 0), (1, 1)).parts == ("left", "right", "bottom", "top")
    sides = ("left", "right", "bottom", "top", "back", "front")
    assert Box((0, 0, 0), (1, 1, 1)).parts == sides
    assert Box([0] * 4, [1] * 4).parts[:3] == ("x1_lower", "x1_upper", "x2_lower")
    assert Disk((0, 0), 1).parts == ("circle",)
    assert Disk((0, 0), 1, name="rim").parts == ("rim",)
    assert Ball((0, 0, 0), 1).parts == ("sphere",)
    assert Time(0, 1).parts == ("initial", "final")


def test_axes_have_default_names_and_can_be_named():
    assert Rectangle((0, 0), (1, 1)).axes == ("x", "y")
    assert Box([0] * 5, [1] * 5).axes == ("x1", "x2", "x3", "x4", "x5")
    assert Rectangle((0, 0), (1, 1), axes=("r", "z")).axes == ("r", "z")
    assert Rectangle((0, 0), (1, 1)).over("t", 0, 1).axes == ("x", "y", "t")


def test_names_that_do_not_clash_stay():
    shape = Rectangle((0, 0), (2, 1)) - Disk((0.5, 0.5), 0.1, name="pin") - Disk((1.5, 0.5), 0.1)
    assert shape.parts == ("left", "right", "bottom", "top", "pin", "circle")


def test_names_that_clash_get_the_name_of_the_primitive_or_its_kind_and_number():
    named = Rectangle((0, 0), (2, 1)) - Rectangle((1, 0), (2, 0.5), name="step")
    assert named.parts == ("left", "right", "bottom", "top", "step.left", "step.top")
    unnamed = Rectangle((0, 0), (2, 1)) - Rectangle((1, 0), (2, 0.5))
    assert unnamed.parts == ("left", "right", "bottom", "top", "rectangle2.left", "rectangle2.top")


def test_primitives_of_one_name_make_one_part():
    shape = Rectangle((0, 0), (2, 1))
    for x in (0.5, 1, 1.5):
        shape = shape - Disk((x, 0.5), 0.1, name="holes")
    assert shape.parts[-1] == "holes"
    assert len(shape.parts) == 5


def test_the_name_of_a_primitive_stands_for_its_parts():
    shape = Rectangle((0, 0), (2, 1)) - Rectangle((1, 0), (2, 0.5), name="step")
    assert shape["step"].names == ("step.left", "step.top")
    assert shape["step"].measure == pytest.approx(1.5)


def test_parts_are_picked_joined_and_taken_away():
    shape = Rectangle((0, 0), (1, 2))
    assert shape["top", "left"].names == ("left", "top")
    assert shape["boundary"] == shape.boundary
    assert (shape.boundary - shape["left"]).names == ("right", "bottom", "top")
    assert (shape["left"] + shape["top"]).measure == 3
    with pytest.raises(ValueError, match="leaves nothing"):
        shape["left"] - shape.boundary
    with pytest.raises(ValueError, match="two parts of one shape"):
        shape["left"] - Rectangle((0, 0), (1, 1))["left"]


def test_an_unknown_name_is_refused_with_those_there_are_and_the_closest():
    shape = Rectangle((0, 0), (1, 1)) - Disk((0.5, 0.5), 0.1, name="cylinder")
    message = "'cilinder'; there are: left, right, bottom, top, cylinder. Did you mean 'cylinder'"
    with pytest.raises(KeyError, match=message):
        shape["cilinder"]


def test_a_primitive_is_not_called_boundary():
    with pytest.raises(ValueError, match="`name` needs a word other than 'boundary'"):
        Disk((0, 0), 1, name="boundary")


def test_faces_that_vanish_in_csg_are_no_parts():
    joined = Rectangle((0, 0), (1, 1)) + Rectangle((1, 0), (2, 1))
    assert joined.parts == ("left", "bottom", "top", "rectangle2.right", "rectangle2.bottom",
                            "rectangle2.top")  # fmt: skip


def test_a_point_is_a_part():
    point = Point(0.5, 0.25)
    assert point.contains([[0.5, 0.25], [0.5, 0.26]]).tolist() == [True, False]
    assert point.sample(10, key=0).points.tolist() == [[0.5, 0.25]]
    assert point.distance([0.5, 0.25]) == 0
    assert point == Point(0.5, 0.25)
    assert repr(point) == "Point(0.5, 0.25)"
