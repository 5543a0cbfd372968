"""Degenerate and mistaken numbers: every primitive refuses them, naming the call and the rule."""

import numpy as np
import pytest

import geometry as g

nan, inf = np.nan, np.inf
CASES = {
    "Interval": [
        lambda: g.Interval(1, 1),
        lambda: g.Interval(2, 1),
        lambda: g.Interval(nan, 1),
        lambda: g.Interval(0, inf),
        lambda: g.Interval((0,), 1),
        lambda: g.Interval(0, None),
        lambda: g.Interval(0, 1j),
    ],
    "Time": [lambda: g.Time(1, 1), lambda: g.Time(0, nan)],
    "Rectangle": [
        lambda: g.Rectangle((0, 0), (0, 1)),
        lambda: g.Rectangle((0, 0), (1, nan)),
        lambda: g.Rectangle((0, 0, 0), (1, 1, 1)),
        lambda: g.Rectangle((0, 0), 1),
        lambda: g.Rectangle("ab", "cd"),
        lambda: g.Rectangle([[0, 0]], [[1, 1]]),
    ],
    "Box": [
        lambda: g.Box((0, 0, 0), (1, 1, 0)),
        lambda: g.Box((0, 0, 0), (1, 1)),
        lambda: g.Box((), ()),
        lambda: g.Box((0, 0, 0), (1, 1, inf)),
    ],
    "Channel": [
        lambda: g.Channel((0, 0), (1, 0)),
        lambda: g.Channel((0,), (1,)),
        lambda: g.Channel((0, 0), (1, 1), along="z"),
    ],
    "Disk": [
        lambda: g.Disk((0, 0), 0),
        lambda: g.Disk((0, 0), -1),
        lambda: g.Disk((0, nan), 1),
        lambda: g.Disk((0, 0, 0), 1),
        lambda: g.Disk((0, 0), nan),
        lambda: g.Disk(0, 1),
        lambda: g.Disk((0, 0), "1"),
        lambda: g.Disk((0, 0), (1, 2)),
        lambda: g.Disk((0, 0), None),
        lambda: g.Disk((0, 0), True),
    ],
    "Ball": [lambda: g.Ball((0,), 1), lambda: g.Ball((0, 0, 0), 0), lambda: g.Ball((), 1)],
    "Ellipse": [
        lambda: g.Ellipse((0, 0), (0, 1)),
        lambda: g.Ellipse((0, 0), (1, -1)),
        lambda: g.Ellipse((0, 0), (1, 1, 1)),
        lambda: g.Ellipse((0, 0), 1),
        lambda: g.Ellipse((nan, 0), (1, 1)),
    ],
    "Ellipsoid": [
        lambda: g.Ellipsoid((0, 0, 0), (1, 1, 0)),
        lambda: g.Ellipsoid((0, 0), (1, 1)),
        lambda: g.Ellipsoid((0, 0, 0), (1, inf, 1)),
    ],
    "Annulus": [
        lambda: g.Annulus((0, 0), 0, 1),
        lambda: g.Annulus((0, 0), 1, 1),
        lambda: g.Annulus((0, 0), 2, 1),
        lambda: g.Annulus((0, 0), 1, nan),
        lambda: g.Annulus((0,), 1, 2),
    ],
    "Sector": [
        lambda: g.Sector((0, 0), 0, 0, 1),
        lambda: g.Sector((0, 0), 1, 1, 1),
        lambda: g.Sector((0, 0), 1, 0, 7),
        lambda: g.Sector((0, 0), 1, 2, 1),
        lambda: g.Sector((0, 0), 1, nan, 1),
        lambda: g.Sector((0, 0), 1, 0, 2 * np.pi),
    ],
    "Capsule": [
        lambda: g.Capsule((0, 0), (0, 0), 1),
        lambda: g.Capsule((0, 0), (1, 0), 0),
        lambda: g.Capsule((0, 0), (1, 0, 0), 1),
        lambda: g.Capsule((0, 0), (nan, 0), 1),
    ],
    "Cylinder": [
        lambda: g.Cylinder((0, 0, 0), (0, 0, 0), 1),
        lambda: g.Cylinder((0, 0, 0), (0, 0, 1), 0),
        lambda: g.Cylinder((0, 0), (0, 1), 1),
        lambda: g.Cylinder((0, 0, 0), (0, 0, nan), 1),
    ],
    "Cone": [
        lambda: g.Cone((0, 0, 0), (0, 0, 0), 1),
        lambda: g.Cone((0, 0, 0), (0, 0, 1), 0),
        lambda: g.Cone((0, 0, 0), (0, 0, 1), 1, -1),
        lambda: g.Cone((0, 0, 0), (0, 0, 1), 1, nan),
    ],
    "Torus": [
        lambda: g.Torus((0, 0, 0), 1, 1),
        lambda: g.Torus((0, 0, 0), 1, 2),
        lambda: g.Torus((0, 0, 0), 0, 1),
        lambda: g.Torus((0, 0, 0), 2, 0),
        lambda: g.Torus((0, 0, 0), 2, 1, (0, 0, 0)),
        lambda: g.Torus((0, 0), 2, 1),
    ],
    "Prism": [
        lambda: g.Prism([(0, 0), (1, 0)], 0, 1),
        lambda: g.Prism([(0, 0), (1, 0), (0, 1)], 1, 0),
        lambda: g.Prism([(0, 0), (1, 1), (1, 0), (0, 1)], 0, 1),
        lambda: g.Prism([(0, 0), (1, 0), (2, 0)], 0, 1),
    ],
    "Triangle": [
        lambda: g.Triangle((0, 0), (1, 1), (2, 2)),
        lambda: g.Triangle((0, 0), (0, 0), (1, 0)),
        lambda: g.Triangle((0, 0), (1, 0), (0, nan)),
        lambda: g.Triangle((0, 0, 0), (1, 0, 0), (0, 1, 0)),
    ],
    "Tetrahedron": [
        lambda: g.Tetrahedron((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)),
        lambda: g.Tetrahedron((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, nan)),
        lambda: g.Tetrahedron((0, 0), (1, 0), (0, 1), (1, 1)),
        lambda: g.Tetrahedron((0, 0, 0), (0, 0, 0), (0, 1, 0), (0, 0, 1)),
    ],
    "Polygon": [
        lambda: g.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)]),
        lambda: g.Polygon([(0, 0), (1, 0)]),
        lambda: g.Polygon([(0, 0), (1, 0), (2, 0)]),
        lambda: g.Polygon([(0, 0), (1, 0), (1, 0), (0, 1)]),
        lambda: g.Polygon([(0, 0), (1, 0), (nan, 1)]),
        lambda: g.Polygon([]),
        lambda: g.Polygon([(0, 0, 0), (1, 0, 0), (0, 1, 0)]),
        lambda: g.Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], holes=[[(5, 5), (6, 5), (6, 6)]]),
        lambda: g.Polygon(
            [(0, 0), (4, 0), (4, 4), (0, 4)],
            holes=[[(1, 1), (2, 1), (2, 2)], [(1.5, 1.2), (3, 1), (3, 3)]],
        ),
        lambda: g.Polygon(
            [(0, 0), (4, 0), (4, 4), (0, 4)],
            holes=[[(1, 1), (3, 1), (3, 3), (1, 3)], [(1.5, 1.5), (2, 1.5), (2, 2)]],
        ),
        lambda: g.Polygon([(0, 0), (1, 0), (0, 1)], edges=("a",)),
        lambda: g.Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], holes=[(1, 1), (2, 1), (2, 2)]),
    ],
    "RegularPolygon": [
        lambda: g.RegularPolygon((0, 0), 0, 3),
        lambda: g.RegularPolygon((0, 0), 1, 2),
        lambda: g.RegularPolygon((0, 0), 1, 3.5),
        lambda: g.RegularPolygon((0, 0), 1, 3, angle=nan),
        lambda: g.RegularPolygon((0, 0, 0), 1, 3),
    ],
    "NACA": [
        lambda: g.NACA("0000"),
        lambda: g.NACA(12),
        lambda: g.NACA("0012", chord=0),
        lambda: g.NACA("0012", chord=nan),
        lambda: g.NACA("00120"),
    ],
    "Gaussian": [
        lambda: g.Gaussian(0, 0, 2),
        lambda: g.Gaussian(0, -1, 2),
        lambda: g.Gaussian(0, 1, 0),
        lambda: g.Gaussian(nan, 1, 2),
        lambda: g.Gaussian((0, 0), 1, 3),
    ],
    "Extruded": [
        lambda: g.Disk((0, 0), 1).extrude(1, 1),
        lambda: g.Disk((0, 0), 1).extrude(0, nan),
        lambda: g.Disk((0, 0), 1).extrude(0, 1, axis="x"),
    ],
    "Revolved": [
        lambda: g.Disk((0, 0), 1).revolve(),
        lambda: g.Interval(0, 1).revolve(),
        lambda: g.Ball((0, 0, 0), 1).revolve(),
    ],
    "Point": [lambda: g.Point(), lambda: g.Point(nan), lambda: g.Point("a")],
    "Regions": [
        lambda: g.Regions(a=g.Disk((0, 0), 1)),
        lambda: g.Regions(a=g.Disk((0, 0), 1), b=g.Disk((0, 0), 2)),
        lambda: g.Regions(a=1, b=2),
    ],
    "moves": [
        lambda: g.Disk((0, 0), 1).translate((nan, 0)),
        lambda: g.Disk((0, 0), 1).translate(1),
        lambda: g.Disk((0, 0), 1).rotate(nan),
        lambda: g.Disk((0, 0), 1).rotate("a"),
        lambda: g.Ball((0, 0, 0), 1).rotate(1),
        lambda: g.Ball((0, 0, 0), 1).rotate(1, axis=(0, 0, 0)),
        lambda: g.Disk((0, 0), 1).scale(-1),
        lambda: g.Disk((0, 0), 1).scale(nan),
        lambda: g.Disk((0, 0), 1).mirror((0, nan)),
        lambda: g.Disk((0, 0), 1).over("t", 0, inf),
        lambda: g.Disk((0, 0), 1).over("t", nan, 1),
    ],
    "names": [
        lambda: g.Disk((0, 0), 1, name=""),
        lambda: g.Disk((0, 0), 1, name="boundary"),
        lambda: g.Disk((0, 0), 1, axes=("x", "x")),
        lambda: g.Disk((0, 0), 1, axes=("x",)),
    ],
    "sample": [
        lambda: g.Disk((0, 0), 1).sample_interior(-1, key=0),
        lambda: g.Disk((0, 0), 1).sample_interior(key=0),
        lambda: g.Disk((0, 0), 1).sample_interior(3, key=0, density=3),
        lambda: g.Disk((0, 0), 1).sample_interior(key=0, density=0),
        lambda: g.Disk((0, 0), 1).sample_interior(key=0, density=nan),
        lambda: g.Disk((0, 0), 1).sample_interior(3, key="a"),
        lambda: g.Disk((0, 0), 1).sample_boundary({"x": 3}, key=0),
        lambda: g.Disk((0, 0), 1).sample_boundary({}, key=0),
        lambda: g.Disk((0, 0), 1).sample_boundary({"circle": 0}, key=0),
        lambda: g.Rectangle((0, 0), (1, 1)).sample_boundary({"left": 3, ("left", "top"): 3}, key=0),
        lambda: g.Disk((0, 0), 1).sample_interior(30000, key=0, sampler="poisson"),
    ],
}


@pytest.mark.parametrize(
    "make",
    [make for group in CASES.values() for make in group],
    ids=[f"{name}-{i}" for name, group in CASES.items() for i in range(len(group))],
)
def test_degenerate_input_is_refused_with_a_text_that_names_the_call(make):
    with pytest.raises((ValueError, TypeError, KeyError), match=r"`|no part of the boundary"):
        make()
