"""Regions where a function is negative, against shapes and formulas that are exact."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy
from scipy.special import ellipe, gamma

from geometry import Box, Disk, Ellipse, Implicit, Rectangle, Torus

x, y, z, a = sympy.symbols("x y z a")
ELLIPSE = Implicit(x**2 / 4 + y**2 - 1, (-3, -3), (3, 3))
SQUIRCLE = Implicit(lambda p: p[0] ** 4 + p[1] ** 4 - 1, (-1.5, -1.5), (1.5, 1.5))
TORUS = Implicit(
    (sympy.sqrt(x**2 + y**2) - 1) ** 2 + z**2 - 0.16, (-1.6, -1.6, -0.6), (1.6, 1.6, 0.6)
)
RINGS = Implicit((x**2 + y**2 - 1) * (x**2 + y**2 - sympy.Rational(1, 4)), (-2, -2), (2, 2))
BALL5 = Implicit(lambda p: jnp.sum(p * p) - 1, (-1.1,) * 5, (1.1,) * 5)


@pytest.mark.parametrize(
    ("shape", "measure", "boundary", "tolerance"),
    [
        (ELLIPSE, 2 * np.pi, 8 * ellipe(0.75), 1e-12),
        (SQUIRCLE, 4 * gamma(1.25) ** 2 / gamma(1.5), 7.017697943564, 1e-12),  # series of the arc
        (RINGS, 0.75 * np.pi, 3 * np.pi, 1e-12),
        (TORUS, 0.32 * np.pi**2, 1.6 * np.pi**2, 1e-7),
    ],
    ids=["ellipse", "squircle", "rings", "torus"],
)
def test_measures_are_those_of_the_surface_and_not_of_the_grid(shape, measure, boundary, tolerance):
    """Gauss rules on arcs of 1/50 and triangles of 1/12 of the size, moved onto the surface."""
    assert shape.measure == pytest.approx(measure, rel=tolerance)
    assert shape.boundary.measure == pytest.approx(boundary, rel=tolerance)
    assert abs(shape.measure - measure) <= 1e-13 + shape.measure_error


def test_the_measure_converges_at_high_order_with_the_resolution():
    def error(cells):
        ball = Implicit(x**2 + y**2 + z**2 - 1, (-1.3,) * 3, (1.3,) * 3, resolution=cells)
        return abs(ball.measure - 4 / 3 * np.pi)

    assert np.log2(error(10) / error(20)) > 4.5  # flat triangles would give 2


@pytest.mark.parametrize(
    ("shape", "exact"),
    [(ELLIPSE, Ellipse((0, 0), (2, 1))), (TORUS, Torus((0, 0, 0), 1, 0.4))],
    ids=["ellipse", "torus"],
)
def test_the_signed_distance_is_exact(shape, exact):
    lower, upper = shape.bounds
    points = np.random.default_rng(0).uniform(lower - 0.5, upper + 0.5, (1000, len(lower)))
    expected = exact.signed_distance(points)
    np.testing.assert_allclose(shape.signed_distance(points), expected, atol=1e-11)
    traced = jax.jit(shape.signed_distance)(jnp.asarray(points))
    np.testing.assert_allclose(traced, expected, atol=1e-11)


def test_the_distance_has_derivatives_to_the_second_order():
    points = np.array([[2.2, 0.3], [0.5, 1.4], [-1.5, -0.3]])
    exact = Ellipse((0, 0), (2, 1))
    np.testing.assert_allclose(ELLIPSE.normals(points), exact.normals(points), atol=1e-9)
    np.testing.assert_allclose(ELLIPSE.curvature(points), exact.curvature(points), atol=1e-8)


def test_single_precision_and_empty_batches_work():
    points = np.random.default_rng(0).uniform(-3, 3, (50, 2)).astype("float32")
    distance = ELLIPSE.signed_distance(points)
    assert distance.dtype == np.float32
    np.testing.assert_allclose(distance, ELLIPSE.signed_distance(points.astype(float)), atol=1e-5)
    assert ELLIPSE.signed_distance(np.zeros((0, 2))).shape == (0,)
    assert ELLIPSE.contains(np.zeros((2, 3, 2))).all()


def test_a_cut_level_set_keeps_its_accuracy():
    half = Rectangle((-3, -3), (0, 3)) & ELLIPSE
    assert half.parts == ("right", "surface")
    assert half.measure == pytest.approx(np.pi, rel=1e-7)
    assert half["surface"].measure == pytest.approx(4 * ellipe(0.75), rel=1e-7)
    assert half["right"].measure == pytest.approx(2, rel=1e-9)


def test_a_cut_level_set_in_space_is_within_its_error():
    ball = Implicit(x**2 + y**2 + z**2 - 1, (-1.3,) * 3, (1.3,) * 3, resolution=20)
    half = Box((-2, -2, -2), (0, 2, 2)) & ball
    assert abs(half.measure - 2 / 3 * np.pi) <= half.measure_error
    assert half["surface"].measure == pytest.approx(2 * np.pi, rel=1e-3)


def test_a_level_set_is_meshed_and_moved():
    mesh = ELLIPSE.mesh(0.1)
    assert mesh.measure == pytest.approx(2 * np.pi, rel=2e-3)
    assert np.abs(ELLIPSE.signed_distance(mesh.points[mesh.facets["surface"]])).max() < 1e-12
    turned = ELLIPSE.rotate(1).scale(2).over("t", 0, 1)
    assert turned.measure == pytest.approx(8 * np.pi)
    assert turned.parts == ("surface", "initial", "final")


def test_a_maximum_of_two_levels_is_right_within_its_error():
    square = Implicit(
        lambda p: jnp.maximum(jnp.abs(p[0]), jnp.abs(p[1])) - 1, (-1.5, -1.5), (1.5, 1.5)
    )
    assert square.measure == pytest.approx(4, rel=1e-3)
    assert square.contains([[0.999, 0.999], [1.001, 0], [0, 0]]).tolist() == [True, False, True]


def test_many_dimensions_are_sampled():
    assert abs(BALL5.measure - 8 * np.pi**2 / 15) < 4 * BALL5.measure_error
    sample = BALL5.sample_boundary(200, key=0)
    np.testing.assert_allclose(np.linalg.norm(sample.points, axis=-1), 1, rtol=1e-9)
    np.testing.assert_allclose(sample.normals, sample.points, atol=1e-9)
    assert BALL5.boundary.measure == pytest.approx(8 * np.pi**2 / 3, rel=0.05)
    points = np.random.default_rng(0).uniform(-1, 1, (20, 5))
    exact = np.linalg.norm(points, axis=-1) - 1
    np.testing.assert_allclose(BALL5.signed_distance(points), exact, atol=1e-9)


BOX = ((-2, -2), (2, 2))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Implicit(x**2 + y**2 + 1, *BOX), ValueError, "negative somewhere; the least of"),
        (lambda: Implicit(x**2 + y**2 - 9, *BOX), ValueError, "not positive at.*Enlarge the box"),
        (lambda: Implicit(1 - x**2 - y**2, *BOX), ValueError, "not positive at"),
        (lambda: Implicit(sympy.log(x) + y**2, *BOX), ValueError, "finite in the box; it is not"),
        (lambda: Implicit(lambda p: p[0] / 0.0, *BOX), ValueError, "finite in the box; it is not"),
        (lambda: Implicit(a * x - y, *BOX), ValueError, r"coordinates \('x', 'y'\).* has a"),
        (lambda: Implicit(lambda p: p, *BOX), ValueError, r"one number for a point; .*\(2,\)"),
        (lambda: Implicit(lambda p: p[:, 0], *BOX), TypeError, "takes one point, an array of 2"),
        (lambda: Implicit(lambda x, y: x + y, *BOX), TypeError, "takes one point.*missing 1"),
        (lambda: Implicit(lambda p: np.sin(p[0]), *BOX), TypeError, "in `jax.numpy`, not NumPy"),
        (lambda: Implicit(3, *BOX), TypeError, "an expression of the coordinates or a function"),
        (lambda: Implicit(x**2, (2, 2), (-2, -2)), ValueError, "needs lower < upper in two or"),
        (lambda: Implicit(x**2, (0,), (1,)), ValueError, "two or more dimensions"),
        (lambda: Implicit(x**2, (0, 0), (1, 1, 1)), ValueError, "needs 2 numbers; got 3"),
        (lambda: Implicit(x**2, (0, 0), (np.inf, 1)), ValueError, "finite number; got inf"),
        (lambda: Implicit(x**2 + y**2 - 1, *BOX, resolution=2), ValueError, "from 8 to 4096"),
    ],
)
def test_a_level_that_makes_no_region_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_level_set_is_subtracted_by_name():
    plate = Rectangle((-3, -3), (3, 3)) - Implicit(
        x**2 + y**2 - 1, (-2, -2), (2, 2), name="hole", resolution=32
    )
    assert plate.parts == ("left", "right", "bottom", "top", "hole")
    exact = Rectangle((-3, -3), (3, 3)) - Disk((0, 0), 1)
    points = np.random.default_rng(0).uniform(-3, 3, (500, 2))
    np.testing.assert_array_equal(plate.contains(points), exact.contains(points))


def test_a_curve_with_points_without_slope_has_a_measure_within_its_error():
    heart = Implicit((x**2 + y**2 - 1) ** 3 - x**2 * y**3, (-2, -2), (2, 2))
    # 1e8 random points gave 3.6622, with a standard error of 4e-4
    assert abs(heart.measure - 3.6622) < 1.5 * heart.measure_error
    sample = heart.sample_boundary(200, key=0)
    assert np.isfinite(sample.points).all() and np.isfinite(sample.normals).all()
