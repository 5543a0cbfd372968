"""Shapes and places in other units have the same points, normals and names."""

import numpy as np
import pytest
import sympy

import geometry as geo
from equations import parameter
from geometry.rescale import rescaled, rescaled_place

y, t, s = sympy.symbols("y t s", real=True)
w = parameter("w", between=(0.1, 0.3))
plate = geo.Rectangle((0.2, -0.1), (1.2, 0.7))
disk = geo.Disk((0.5, 0.3), 0.2, name="hole")
core = geo.Disk((0, 0), 0.5, name="core")
materials = geo.Regions(core=core, shell=geo.Disk((0, 0), 1, name="rim") - core)
room = geo.Rectangle((0, 0), (4, 1)).over(t, 0, 1)

SHAPES = {
    "an interval": geo.Interval(-0.3, 0.9),
    "a box in 4-D": geo.Box((0,) * 4, (1, 2, 3, 4)),
    "a time": geo.Time(0, 4),
    "a channel": geo.Channel((0, 0), (2, 1)),
    "an ellipse": geo.Ellipse((0, 0), (1, 0.5)),
    "a polygon": geo.Polygon(((0, 0), (1, 0), (0.4, 0.8))),
    "a sector": geo.Sector((0, 0), 1, 0, 1.2),
    "a difference": plate - disk,
    "a sum of intersections": (plate & disk) + geo.Disk((3, 0), 0.3),
    "a turned hole": plate.rotate(0.3) - disk.translate((0.1, 0)),
    "an extrusion": (plate - disk).extrude(0, 0.5),
    "a body of revolution": geo.Rectangle((0.5, 0), (1, 1)).revolve(),
    "a periodic one in time": plate.periodic("x").over(t, 1, 5),
    "a moving disk": room - geo.Disk((1 + t, 0.5), 0.1, name="body").over(t, 0, 1),
    "a moving box": room - geo.Rectangle((0, 0.2), (0.3, 0.4)).translate((t, 0)).over(t, 0, 1),
    "a growing disk": geo.Disk((0, 0), 1 + t / 2).over(t, 0, 1),
    "a family": geo.Rectangle((0, 0), (1, 0.5)).over(w, 0.1, 0.3),
    "a family of other shapes": geo.Rectangle((0, 0), (1, w)).over(w, 0.1, 0.3),
    "a growing box": geo.Rectangle((-1, -1), (1, 0)).scale(1 + t, center=(1, 0)).over(t, 0, 1),
    "regions": materials,
    "regions in time": materials.over(t, 0, 2),
    "all of space": geo.Gaussian(mean=0, deviation=2, size=5).over(t, 0, 2),
}
ROUNDING = 1e-14  # a few operations in float64


def units_of(shape):
    return {axis: 7.0 if axis == "t" else 1e-3 for axis in shape.axes}


def close(points, others):
    return np.abs(points - others).max() <= ROUNDING * (1 + np.abs(others).max())


@pytest.mark.parametrize("name", SHAPES)
def test_the_rescaled_shape_has_the_points_normals_and_parts_divided_by_the_units(name):
    shape = SHAPES[name]
    new, lengths = rescaled(shape, units_of(shape)), np.array(list(units_of(shape).values()))
    assert new.parts == shape.parts and new.interfaces == shape.interfaces
    old = shape.sample_interior(40, key=0).points
    assert close(new.sample_interior(40, key=0).points, old / lengths)
    for part in (*shape.parts, *shape.interfaces):
        before, after = shape[part].sample(20, key=1), new[part].sample(20, key=1)
        assert close(after.points, before.points / lengths)
        assert close(after.normals, before.normals)


@pytest.mark.parametrize("condition", [y > 0.3, lambda p: p[..., 1] - 0.3])
def test_a_piece_of_a_part_keeps_its_condition(condition):
    part, units = plate["left"].where(condition), units_of(plate)
    new = rescaled_place(part, rescaled(plate, units), units)
    assert close(new.sample(20, key=0).points * 1e-3, part.sample(20, key=0).points)


@pytest.mark.parametrize(
    "wire",
    [
        geo.Wire((0.5 + 0.1 * sympy.cos(s), 0.2 * sympy.sin(s)), (s, 0, 3)),
        geo.Wire([(0.3, 0), (0.4, 0.2), (0.6, 0.1)]),
        geo.Wire([(0.3, 0), (0.4, 0.2)]).over(t, 0, 2),
    ],
)
def test_a_wire_is_a_place_in_other_units_too(wire):
    domain = plate if wire.dimension == 2 else plate.over(t, 0, 2)
    units = units_of(domain)
    new = rescaled_place(wire, rescaled(domain, units), units)
    lengths = np.array(list(units.values()))
    assert close(new.sample(20, key=0).points * lengths, wire.sample(20, key=0).points)


def test_a_point_and_the_domain_are_places():
    units = {"x": 0.1, "y": 0.2}
    domain = rescaled(plate, units)
    assert rescaled_place(geo.Point(0.5, 0.5), domain, units) == geo.Point(5, 2.5)
    assert rescaled_place(plate, domain, units) == domain
    with pytest.raises(TypeError, match="no part, point or wire"):
        rescaled_place("left", domain, units)


def test_only_boxes_are_stretched():
    assert rescaled(plate, {"x": 0.1, "y": 0.2}).bounds[1] == pytest.approx([12, 3.5])
    with pytest.raises(ValueError, match="needs one unit for all axes"):
        rescaled(disk, {"x": 0.1, "y": 0.2})
