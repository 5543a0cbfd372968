"""A solution as a function: shapes of values, warnings, and what it refuses."""

import jax
import numpy as np
import pytest
import sympy

import geometry as geo
from equations import Eq, Problem, coordinates, diff, field, grad, parameter
from tests.exact import on, solution_of

x, y = coordinates("x y")
u = field("u", x, y)
square = geo.Rectangle((0, 0), (1, 1))
solution = on(square, {u: lambda p: p[0] ** 2 * p[1] ** 3})
points = np.array([[0.5, 0.25], [0.75, 1.0], [0.1, 0.2]])


def test_a_matrix_has_rows_and_columns():
    hessian = solution(grad(grad(u)), points)
    px, py = points.T
    expected = [[2 * py**3, 6 * px * py**2], [6 * px * py**2, 6 * px**2 * py]]
    np.testing.assert_allclose(hessian, np.moveaxis(expected, -1, 0), rtol=1e-12)
    assert solution((u, x, y), points).shape == solution(sympy.Matrix([[u, x, y]]), points).shape
    assert solution((u,), points).shape == (3, 1)
    assert solution(u, [0.5, 1.0]) == 0.25 and solution((u, x), [0.5, 1.0]).shape == (2,)
    assert solution(u, np.empty((0, 2))).shape == (0,)


def test_an_integral_has_the_shape_of_its_expression():
    table = solution.integrate(sympy.Matrix([[1, 2], [3, x]]))
    np.testing.assert_allclose(table, [[1, 2], [3, 0.5]], rtol=1e-3)
    assert isinstance(solution.integrate(u), float)
    assert solution.integrate((u,)).shape == (1,)


def test_integrating_where_the_solution_is_not_warns():
    with pytest.warns(UserWarning, match="outside the domain"):
        solution.integrate(u, over=geo.Disk((0, 0), 1)["boundary"])


@pytest.mark.filterwarnings("error")
def test_integrating_over_parts_of_the_domain_does_not_warn():
    ring = geo.Disk((0, 0), 1) - geo.Disk((0.1, 0), 0.3, name="inner")
    one = on(ring, {u: lambda p: p[0]})
    assert one.integrate(1, over="boundary") == pytest.approx(2 * np.pi * 1.3)
    assert solution.integrate(1, over=("left", "top")) == pytest.approx(2)


REFUSED_POINTS = {
    "not a number": ([[0.5, np.nan]], ValueError, r"finite numbers; got \[0.5, nan\]"),
    "endless": ([[0.5, np.inf]], ValueError, "finite numbers"),
    "nothing": (None, TypeError, "array of numbers"),
    "text": ("left", TypeError, "array of numbers"),
    "ragged": ([[1], [1, 2]], TypeError, "array of numbers"),
}


@pytest.mark.parametrize("at, error, text", REFUSED_POINTS.values(), ids=REFUSED_POINTS)
def test_points_that_are_none_are_refused(at, error, text):
    with pytest.raises(error, match=text):
        solution(u, at)


def test_expressions_that_are_none_are_refused():
    with pytest.raises(ValueError, match="`expression` is empty"):
        solution([], points)
    for expression in (None, "__import__('os').getcwd()", ("u", u)):
        with pytest.raises(TypeError, match="expression"):
            solution(expression, points)
        with pytest.raises(TypeError, match="expression"):
            solution.integrate(expression)


@pytest.mark.parametrize("over", [(), 3, square, ("left", 3)], ids=repr)
def test_places_that_are_no_part_are_refused(over):
    with pytest.raises(TypeError, match="`over` is a part, its name"):
        solution.integrate(u, over=over)


def test_tracing_is_refused_with_what_to_do():
    with pytest.raises(TypeError, match=r"outside `jax.jit`.*`solution\(diff\(u, x\), points\)`"):
        jax.jit(lambda at: solution(u, at))(points)
    with pytest.raises(TypeError, match="traced"):
        jax.grad(lambda at: solution(u, at))(points[0])


def test_values_that_are_not_finite_warn():
    with pytest.warns(UserWarning, match="not finite at 2 of 3 points"):
        solution(sympy.log(x - 0.6), points)


def test_only_parameters_that_there_are_can_be_given():
    k = parameter("k", between=(1, 2))
    known = solution_of(
        Problem(square, Eq(diff(u, x), k)), {u: lambda p: p[0]}, parameters={"k": 1.0}
    )
    assert known(k * u, points, k=2) == pytest.approx(2 * points[:, 0])
    with pytest.raises(ValueError, match="`foo` is no parameter of the problem; those are: k"):
        known(u, points, foo=3)
    with pytest.raises(ValueError, match="are: none"):
        solution(u, points, foo=3)


def test_it_shows_itself_in_one_line():
    assert repr(solution) == "Solution(Exact, SOLVED, no estimate, 1 s)"
    named = solution_of(
        Problem(square, Eq(diff(u, x), 0), name="plate"),
        {u: lambda p: p[0]},
        errors={(u,): 1.234e-5},
    )
    assert repr(named) == "Solution('plate', Exact, SOLVED, estimate 1.2e-05, 1 s)"
