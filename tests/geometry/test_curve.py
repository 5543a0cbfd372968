"""Regions inside curves, and wing sections."""

import numpy as np
import pytest
import sympy
from scipy.special import ellipe

from geometry import NACA, Curve, Ellipse

s = sympy.Symbol("s")
OVAL = Curve((2 * sympy.cos(s), sympy.sin(s)), (s, 0, 2 * sympy.pi))


def test_a_curve_agrees_with_the_ellipse_that_it_draws():
    assert OVAL.measure == pytest.approx(2 * np.pi)
    assert OVAL.boundary.measure == pytest.approx(8 * ellipe(0.75))
    points = np.random.default_rng(0).uniform(-2.5, 2.5, (200, 2))
    points = points[
        np.abs(points[:, 1]) > 0.2
    ]  # off the medial axis, where Newton may be one node off
    exact = Ellipse((0, 0), (2, 1)).signed_distance(points)
    np.testing.assert_allclose(OVAL.signed_distance(points), exact, atol=1e-6)
    assert OVAL.contains(OVAL.sample_interior(200, key=0).points).all()


def test_the_area_of_a_symmetric_section_is_that_of_its_polynomial():
    terms = 0.2969 * 2 / 3 - 0.1260 / 2 - 0.3516 / 3 + 0.2843 / 4 - 0.1036 / 5
    assert NACA("0012").measure == pytest.approx(10 * 0.12 * terms, rel=1e-9)
    assert NACA("0012", chord=2).measure == pytest.approx(40 * 0.12 * terms, rel=1e-9)


def test_a_cambered_section_has_named_sides_with_outward_normals():
    wing = NACA("2412", leading_edge=(1, 0))
    assert wing.parts == ("upper", "lower")
    sample = wing.sample_boundary(200, key=0)
    step = 1e-6 * sample.normals
    assert wing.contains(sample.points - step).all()
    assert not wing.contains(sample.points + step).any()
    rear = sample.points[:, 0] > 1.2
    assert (sample.normals[rear & (sample.parts == 0), 1] > 0.8).all()
    assert np.abs(wing.signed_distance(sample.points)).max() < 1e-12
    np.testing.assert_allclose(wing.boundary.measure, 2.041678698, rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NACA("12"), "needs four digits"),
        (lambda: NACA("0400"), "thickness above zero"),
        (lambda: NACA("2012"), "both zero or both not"),
        (lambda: Curve((s, s**2), (s, 0, 1)), "ends where it starts"),
        (
            lambda: Curve((sympy.sin(s), sympy.sin(2 * s)), (s, 0, 2 * sympy.pi)),
            "meet at their ends",
        ),
    ],
)
def test_wrong_curves_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
