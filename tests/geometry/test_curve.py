"""Regions inside curves, and wing sections."""

import jax
import numpy as np
import pytest
import sympy
from scipy.special import ellipe

import geometry as geo
from geometry import NACA, Curve, Ellipse, Rectangle, Wire

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
        (lambda: Curve((s, s**2), (s, 1, 1)), "needs start < stop"),
        (lambda: Curve((s, s**2), s), "a symbol with two limits"),
        (lambda: Curve((s, sympy.Symbol("a") * s), (s, 0, 1)), "formulas of s alone"),
        (lambda: Curve((1 / s, s), (s, 0, 1)), "needs finite points"),
        (lambda: Curve((s**3, s**3), (s, -1, 1)), "stands still at s = 0"),
        (lambda: Curve([(0, 0), (1, 0)]), "needs 3 points or more"),
        (lambda: Curve([(0, 0, 0), (1, 0, 0), (0, 1, 0)]), "points of the plane"),
        (lambda: Curve([(0, 0), (1, 1), (1, 0), (0, 1)]), "meet at their ends"),
        (lambda: Wire([(0, 0)]), "needs 2 points or more"),
        (lambda: Wire([(0, 0), (0, 0)]), "comes twice"),
        (lambda: Wire([(0, 0), (1, 0, 0)]), "the same two or more coordinates"),
        (lambda: Wire([(0, 0), (1, np.nan)]), "finite number"),
        (
            lambda: Curve((sympy.sin(s), sympy.sin(2 * s)), (s, 0, 2 * sympy.pi)),
            "meet at their ends",
        ),
    ],
)
def test_wrong_curves_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


HELIX = Wire((sympy.cos(s), sympy.sin(s), s / 2), (s, 0, 4 * sympy.pi))
ARC = Wire((sympy.cos(s), sympy.sin(s)), (s, 0, sympy.pi / 2), name="crack")
BENT = Wire([(0, 0), (1, 0), (1, 1)], smooth=False)
RING = Wire([(1, 0), (0, 1), (-1, 0), (0, -1)], closed=True)


@pytest.mark.parametrize(
    ("wire", "length"),
    [
        (HELIX, 4 * np.pi * np.sqrt(1.25)),
        (ARC, np.pi / 2),
        (BENT, 2),
        (Wire([(0, 0), (3, 4)]), 5),
        (Wire([(0, 0, 0, 0), (1, 1, 1, 1)]), 2),
        (ARC.over("t", 1, 3), np.pi),
    ],
    ids=["helix", "arc", "bent", "segment", "four dimensions", "in time"],
)
def test_a_wire_has_its_length_and_points_on_it(wire, length):
    assert wire.measure == pytest.approx(length, rel=1e-12)
    sample = wire.sample(200, key=0)
    assert sample.points.shape == (200, wire.dimension)
    assert sample.weights.sum() == pytest.approx(length)
    assert wire.contains(sample.points).all()
    assert np.abs(wire.distance(sample.points)).max() < 1e-16
    off = sample.points + 1e-3 * np.arange(1, wire.dimension + 1)
    assert not wire.contains(off).any()


def test_points_of_a_wire_are_uniform_in_length():
    """The mean of x over the arc is 2 / pi, of x y on an L of two unit segments 1 / 4."""
    arc, bent = ARC.sample(512, key=0), BENT.sample(512, key=0)
    assert arc.weights @ arc.points[:, 0] == pytest.approx(1, abs=1e-3)
    assert bent.weights @ bent.points.prod(axis=-1) == pytest.approx(0.5, abs=1e-3)
    gauss = ARC.sample(20, key=0, sampler="gauss")
    assert gauss.weights @ gauss.points[:, 0] ** 4 == pytest.approx(3 * np.pi / 16, rel=1e-12)


def test_normals_of_a_plane_wire_point_to_its_right_and_in_space_there_are_none():
    sample = ARC.sample(20, key=0)
    np.testing.assert_allclose(sample.normals, sample.points, atol=1e-12)
    assert not HELIX.sample(5, key=0).normals.any()


def test_distance_from_a_wire_is_the_square_of_that_to_the_nearest_point():
    np.testing.assert_allclose(ARC.distance([[2, 0], [0, 2], [1, -3], [0, -1]]), [1, 1, 9, 2])
    points = np.random.default_rng(0).uniform(-1.5, 1.5, (100, 3)) + [0, 0, np.pi]
    cloud = HELIX.sample(20_000, key=0, sampler="grid").points
    brute = np.linalg.norm(points[:, None] - cloud, axis=-1).min(axis=1)
    np.testing.assert_allclose(HELIX.distance(points), brute**2, atol=1e-5)


def test_a_wire_is_sampled_and_measured_inside_a_trace():
    traced = jax.jit(lambda key: HELIX.sample(16, key=key).points)(jax.random.key(2))
    np.testing.assert_allclose(traced, HELIX.sample(16, key=2).points, atol=1e-12)
    slope = jax.grad(lambda p: ARC.distance(p))(jax.numpy.array([1.2, 1.6]))
    np.testing.assert_allclose(slope, [2 * 0.6, 2 * 0.8], rtol=1e-9)  # 2 (p - nearest point)


def test_a_curve_that_encloses_nothing_is_a_wire():
    assert Curve((s, s**2), (s, 0, 1)) == Wire((s, s**2), (s, 0, 1))
    assert isinstance(Curve((sympy.cos(s), sympy.sin(s), s), (s, 0, 1), name="coil"), Wire)
    with pytest.raises(TypeError):
        Rectangle((0, 0), (1, 1)) - ARC


def test_a_ring_through_points_is_a_spline_of_fourth_order():
    def error(n):
        angles = 2 * np.pi * np.arange(n) / n
        ring = Curve(np.stack([np.cos(angles), np.sin(angles)], axis=-1))
        return abs(ring.measure - np.pi)

    assert np.log2(error(16) / error(32)) == pytest.approx(4, abs=0.2)
    assert RING.measure == pytest.approx(2 * np.pi, rel=0.02)


@pytest.mark.parametrize("wire", [HELIX, ARC, BENT, RING, Curve([(0, 0), (1, 0), (0.4, 1)])])
def test_the_text_of_a_wire_makes_an_equal_one(wire):
    again = eval(repr(wire), {**vars(sympy), **vars(geo), "s": s})
    assert again == wire and hash(again) == hash(wire)
