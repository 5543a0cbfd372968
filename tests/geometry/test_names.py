"""Names of parts, before and after CSG."""

import numpy as np
import pytest
import sympy

from geometry import Ball, Box, Disk, Interval, Point, Rectangle, Regions, Time


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


REGIONS = Regions(
    core=Disk((0, 0), 0.5, name="core"),
    shell=Disk((0, 0), 1, name="rim") - Disk((0, 0), 0.5),
)


@pytest.mark.parametrize(
    ("shape", "length", "point"),
    [
        (REGIONS.translate((1, 0)), np.pi, (1, 0)),
        (REGIONS.rotate(0.3), np.pi, (0, 0)),
        (REGIONS.scale(2), 2 * np.pi, (0, 0)),
        (REGIONS.mirror((1, 0)), np.pi, (0, 0)),
        (REGIONS.extrude(0, 2), 2 * np.pi, (0, 0, 1)),
        (REGIONS.over("t", 0, 3), 3 * np.pi, (0, 0, 1)),
    ],
    ids=repr,
)
def test_regions_and_their_interfaces_are_kept_by_motions_and_products(shape, length, point):
    assert shape.interfaces == ("core|shell",)
    assert shape["core|shell"].measure == pytest.approx(length)
    assert tuple(shape.regions) == ("core", "shell")
    assert shape.region_of(point) == 0
    sample = shape["core|shell"].sample(20, key=0)
    step = 1e-3 * sample.normals
    assert (shape.region_of(sample.points - step) == 0).all()
    assert (shape.region_of(sample.points + step) == 1).all()


def test_a_single_region_has_no_numbers_of_regions():
    assert Disk((0, 0), 1).regions == {}
    with pytest.raises(ValueError, match=r"needs a domain made by `Regions\(name=shape\)`"):
        Disk((0, 0), 1).region_of((0, 0))


TRANSFORMED = {
    "itself": lambda shape: shape,
    "translated": lambda shape: shape.translate((3,) * shape.dimension),
    "scaled": lambda shape: shape.scale(2),
    "mirrored": lambda shape: shape.mirror((1,) + (0,) * (shape.dimension - 1)),
    "repeated": lambda shape: shape.repeat(2, (9,) + (0,) * (shape.dimension - 1)),
    "over time": lambda shape: shape.over("t", 0, 1),
}


@pytest.mark.parametrize("change", TRANSFORMED.values(), ids=list(TRANSFORMED))
@pytest.mark.parametrize(
    "shape",
    [
        Interval(0, 2) - Interval(0.5, 1, name="cut"),
        Rectangle((0, 0), (2, 2)) - Rectangle((1, 1), (3, 3), name="cut"),
        Box((0, 0, 0), (2, 2, 2)) - Box((1, 1, 1), (3, 3, 3), name="cut"),
    ],
    ids=["line", "plane", "space"],
)
def test_names_survive_every_change_and_cover_the_boundary_once(shape, change):
    changed = change(shape)
    assert changed.parts[: len(shape.parts)] == shape.parts
    assert set(changed["cut"].names) == {n for n in shape.parts if n.startswith("cut.")}
    rest = changed.boundary - changed["cut"]
    assert set(rest.names) | set(changed["cut"].names) == set(changed.parts)
    assert rest.measure + changed["cut"].measure == pytest.approx(changed.boundary.measure)
    sample = changed.sample_boundary(300, key=0)
    for i, name in enumerate(changed.parts):
        assert changed[name].contains(sample.points[sample.parts == i]).all()


def test_pieces_of_the_boundary_are_picked_by_a_condition_in_every_dimension():
    x, y = sympy.symbols("x y")
    square = Rectangle((0, 0), (1, 1)) - Disk((0, 0), 0.5, name="notch")
    assert square.boundary.where(y > 0.5).measure == pytest.approx(2)
    assert square["notch"].where(y > 0.25).measure == pytest.approx(np.pi / 6)
    assert Interval(0, 1).boundary.where(x > 0.5).measure == 1
    cube = Box((0, 0, 0), (1, 1, 1))
    assert cube.boundary.where(y > 0.5).measure == pytest.approx(1 + 4 * 0.5)
    during = square.over("t", 0, 2)["notch"].where(lambda points: 1 - points[..., -1])
    assert during.measure == pytest.approx(np.pi / 4, rel=1e-4)
