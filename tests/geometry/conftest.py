"""The shapes that every property is tested on."""

import numpy as np
import pytest
import sympy
from scipy.special import ellipe

import geometry as g

x, y, z = sympy.symbols("x y z")
SQUARE = g.Rectangle((0, 0), (1, 1))
CHANNEL = g.Rectangle((0, 0), (2.2, 0.41)) - g.Disk((0.2, 0.2), 0.05, name="cylinder")
ELL = g.Rectangle((-1, -1), (1, 1)) - g.Rectangle((0, -1), (1, 0), name="cut")
LENS = g.Disk((0, 0), 1) & g.Disk((1, 0), 1)
SPLINE = g.Curve([(0, 0), (2, -0.5), (3, 1), (1.5, 0.8), (0.5, 1.5)])  # no formula to compare with
MOVING = g.Disk((2, 0.5), 0.1, name="body").over("t", 0.25, 1)

# exact measures of the region and of its boundary, and the shape
PRIMITIVES = {
    "interval": (2, 2, g.Interval(-1, 1)),
    "time": (3, 2, g.Time(0, 3)),
    "rectangle": (3, 7, g.Rectangle((1, 2), (2.5, 4))),
    "box": (6, 22, g.Box((0, 0, 0), (1, 2, 3))),
    "box4": (0.5, 5, g.Box((0, 0, 0, 0), (1, 1, 1, 0.5))),
    "disk": (np.pi / 4, np.pi, g.Disk((0.2, -1), 0.5)),
    "ball": (4 / 3 * np.pi * 8, 16 * np.pi, g.Ball((1, 0, 0), 2)),
    "ball5": (8 * np.pi**2 / 15, 8 * np.pi**2 / 3, g.Ball((0, 0, 0, 0, 0), 1)),
    "interval over time": (2, 6, g.Interval(-1, 1).over("t", 0, 1)),
    "disk over time": (2 * np.pi, 6 * np.pi, g.Disk((0, 0), 1).over("t", 0, 2)),
    "turned": (3, 7, g.Rectangle((1, 2), (2.5, 4)).rotate(0.3).translate((1, 1))),
    "scaled": (1.5, 8, g.Box((0, 0, 0), (1, 1, 1.5)).rotate(1, axis=(1, 1, 0)).mirror((1, 0, 0))),
    "enlarged": (2.25 * np.pi, 3 * np.pi, g.Disk((0, 1), 0.5).scale(3, center=(1, 1))),
    "triangle": (0.5, 2 + np.sqrt(2), g.Triangle((0, 0), (0, 1), (1, 0))),
    "polygon": (
        3 - 0.25,
        8 + 2,
        g.Polygon(
            [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)],
            holes=[[(0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75)]],
        ),
    ),
    "hexagon": (1.5 * np.sqrt(3) * 4, 12, g.RegularPolygon((1, 1), 2, 6, angle=0.1)),
    "ellipse": (2 * np.pi, 8 * ellipe(0.75), g.Ellipse((1, 0), (2, 1))),
    "ellipsoid": (8 * np.pi, 48.882146302582, g.Ellipsoid((0, 0, 0), (1, 2, 3))),
    "annulus": (3 * np.pi, 6 * np.pi, g.Annulus((0, 1), 1, 2)),
    "shell": (28 / 3 * np.pi, 20 * np.pi, g.Annulus((0, 0, 0), 1, 2)),
    "sector": (3.2, 7.2, g.Sector((0, 0), 2, 0.3, 1.9)),
    "wide sector": (9.4, 13.4, g.Sector((0, 1), 2, 0.3, 5)),
    "capsule": (np.pi / 4 + np.sqrt(2), np.pi + 2 * np.sqrt(2), g.Capsule((0, 0), (1, 1), 0.5)),
    "capsule in space": (
        np.pi / 6 + np.pi / 4 * np.sqrt(2),
        np.pi + np.pi * np.sqrt(2),
        g.Capsule((0, 0, 0), (1, 1, 0), 0.5),
    ),
    "cylinder": (
        np.pi / 4 * np.sqrt(3),
        np.pi * (np.sqrt(3) + 0.5),
        g.Cylinder((0, 0, 0), (1, 1, 1), 0.5),
    ),
    "cone": (2 / 3 * np.pi, np.pi * (1 + np.sqrt(5)), g.Cone((0, 0, 0), (0, 0, 2), 1)),
    "frustum": (
        7 / 12 * np.pi * np.sqrt(5),
        np.pi * (1.25 + 1.5 * np.sqrt(5.25)),
        g.Cone((0, 0, 0), (1, 0, 2), 1, 0.5),
    ),
    "torus": (np.pi**2, 4 * np.pi**2, g.Torus((0, 0, 0), 2, 0.5, (1, 0, 0))),
    "prism": (1, 5 + 2 * np.sqrt(2), g.Prism([(0, 0), (1, 0), (0, 1)], 0, 2)),
    "tetrahedron": (
        1 / 6,
        1.5 + np.sqrt(3) / 2,
        g.Tetrahedron((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ),
    "channel": (6, 22, g.Channel((0, 0, 0), (1, 2, 3), along="y")),
    "pins": (
        1.5 * np.pi,
        6 * np.pi,
        g.Disk((0, 0), 0.5).repeat((3, 2), ((1.5, 0), (0, 2))),
    ),
    "intervals repeated": (3, 6, g.Interval(0, 1).repeat(3, 2)),
    "implicit": (2 * np.pi, 8 * ellipe(0.75), g.Implicit(x**2 / 4 + y**2 - 1, (-3, -3), (3, 3))),
    "implicit ball": (
        4 / 3 * np.pi,
        4 * np.pi,
        g.Implicit(x**2 + y**2 + z**2 - 1, (-1.3,) * 3, (1.3,) * 3, resolution=24),
    ),
    "spline": (SPLINE.measure, SPLINE.boundary.measure, SPLINE),
    "extruded": (2 * np.pi, 6 * np.pi, g.Disk((0, 0), 1).extrude(0, 2)),
    "revolved": (2 * np.pi, 6 * np.pi, g.Rectangle((0, 0), (1, 2)).revolve()),
}
COMBINATIONS = {
    "channel": (2.2 * 0.41 - np.pi / 400, 5.22 + np.pi / 10, CHANNEL),
    "L": (3, 8, ELL),
    "lens": (2 * np.pi / 3 - np.sqrt(3) / 2, 4 * np.pi / 3, LENS),
    "lune": (np.pi / 3 + np.sqrt(3) / 2, 2 * np.pi, g.Disk((0, 0), 1) - g.Disk((1, 0), 1)),
    "two moons": (2 * np.pi / 3 + np.sqrt(3), 4 * np.pi, g.Disk((0, 0), 1) ^ g.Disk((1, 0), 1)),
    "joined": (2, 6, SQUARE + g.Rectangle((1, 0), (2, 1))),
    "intervals": (2.5, 6, g.Interval(0, 2) - g.Interval(0.5, 1) + g.Interval(3, 4)),
    "cube without corner": (
        1 - np.pi / 48,
        6 - 3 * np.pi / 16 + np.pi / 8,
        g.Box((0, 0, 0), (1, 1, 1)) - g.Ball((0, 0, 0), 0.5),
    ),
    "hollow": (
        8 - np.pi / 6,
        24 + np.pi,
        g.Box((-1, -1, -1), (1, 1, 1)) - g.Ball((0, 0, 0), 0.5, name="void"),
    ),
    "cube with pole": (
        1 + 0.25,
        6 + 4 * 0.5 * 0.5 * 2,
        g.Box((0, 0, 0), (1, 1, 1)) + g.Box((0.25, 0.25, -0.5), (0.75, 0.75, 1.5), name="pole"),
    ),
    "flow around body": (
        4 - 0.75 * np.pi / 100,
        18 + 0.75 * np.pi / 5,
        g.Rectangle((0, 0), (4, 1)).over("t", 0, 1) - MOVING,
    ),
    "channel over time": (
        2 * (2.2 * 0.41 - np.pi / 400),
        2 * (5.22 + np.pi / 10) + 2 * (2.2 * 0.41 - np.pi / 400),
        CHANNEL.over("t", 0, 2),
    ),
    "plate with slot": (
        8 - 0.5 - np.pi / 16,
        12 + 2 + np.pi / 2,
        g.Rectangle((-2, -1), (2, 1)) - g.Capsule((-0.5, 0), (0.5, 0), 0.25, name="slot"),
    ),
    "bored cylinder": (
        0.75 * 2 * np.pi,
        2 * 2 * np.pi * 1.5 + 2 * 0.75 * np.pi,
        g.Cylinder((0, 0, 0), (0, 0, 2), 1) - g.Cylinder((0, 0, -1), (0, 0, 3), 0.5, name="bore"),
    ),
    "hollow ring": (
        3 * np.pi**2,
        12 * np.pi**2,
        (g.Disk((2, 0), 1) - g.Disk((2, 0), 0.5)).revolve(),
    ),
    "tube bank": (
        12 - 0.24 * np.pi,
        14 + 2.4 * np.pi,
        g.Rectangle((0, 0), (4, 3))
        - g.Disk((1, 1), 0.2, name="tube").repeat((3, 2), ((1, 0), (0, 1))),
    ),
    "cut implicit": (
        np.pi,
        4 * ellipe(0.75) + 2,
        g.Rectangle((0, -2), (3, 2)) & g.Implicit(x**2 / 4 + y**2 - 1, (-3, -3), (3, 3)),
    ),
    "turned L": (12, 16, ELL.rotate(0.7, center=(1, 0)).scale(2)),
}
SHAPES = PRIMITIVES | COMBINATIONS


@pytest.fixture(params=SHAPES, ids=list(SHAPES))
def known(request):
    """A shape with its measure and that of its boundary."""
    measure, boundary, shape = SHAPES[request.param]
    return measure, boundary, shape


@pytest.fixture
def shape(known):
    return known[2]
