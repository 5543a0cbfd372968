"""Problems in SI units are solved in dimensionless form and answered in SI units."""

import jax
import numpy as np
import pytest
from sympy import exp, lambdify, pi, sin

import geometry as geo
from equations import (
    Eq,
    Heat,
    Problem,
    Scaling,
    coordinates,
    diff,
    div,
    field,
    grad,
    normal_derivative,
    parameter,
)
from solvers import PINN, FiniteElements, solve
from solvers.files import load
from solvers.monitor import Silent, Target
from solvers.scaled import restored
from tests.equations.sound_laws import LAWS, water
from tests.exact import solution_of

x, y, t = coordinates("x y t")
u, T = field("u", x), field("T", x)

# A steel wall of 1 mm that is heated inside and cooled to 293 K at its left
WALL, HEAT, CONDUCTIVITY = 1e-3, 1e8, 50
wall = Problem(
    geo.Interval(0, WALL),
    Eq(-div(CONDUCTIVITY * grad(T)), HEAT),
    {"left": Eq(T, 293), "right": Eq(CONDUCTIVITY * diff(T, x), 0)},
)
across = np.linspace(0, WALL, 101)
rise = HEAT / CONDUCTIVITY * (WALL * across - across**2 / 2)


def air(k=2e-5):
    """Air at rest between plates at 293 K, 0.1 m apart, in the first minute: its exact solution."""
    law = Heat((x, t), conductivity=k)
    exact = 293 + 80 * sin(10 * pi * x) * exp(-k * (10 * pi) ** 2 * t)
    conditions = {
        "initial": Eq(law.temperature, exact.subs(t, 0)),
        ("left", "right"): Eq(law.temperature, 293),
    }
    return Problem(geo.Interval(0, 0.1).over(t, 0, 60), law, conditions), law.temperature, exact


@pytest.fixture(scope="module")
def air_flow():
    problem, temperature, exact = air()
    return solve(problem, FiniteElements(size=0.002)), temperature, exact


def at(expression, points):
    return np.asarray(lambdify((x, t), expression, "numpy")(*points.T))


def test_values_and_derivatives_come_in_the_units_of_the_statement(air_flow):
    solution, temperature, exact = air_flow
    points = solution.problem.domain.sample_interior(200, key=1).points
    assert solution.scaling is not None and solution.problem == air()[0]
    assert solution(temperature, points) == pytest.approx(at(exact, points), rel=1e-5)
    for order, accuracy in ((x,), 1e-2), ((t,), 1e-2):  # derivatives of elements of degree 2
        expected = at(diff(exact, *order), points)
        found = solution(diff(temperature, *order), points)
        assert np.linalg.norm(found - expected) < accuracy * np.linalg.norm(expected)


def test_integrals_residuals_history_and_report_are_in_those_units_too(air_flow):
    solution, temperature, exact = air_flow
    k, length = 2e-5, 0.1
    heat = (1 - np.exp(-k * (10 * np.pi) ** 2 * 60)) / (k * (10 * np.pi) ** 2)
    whole = 293 * length * 60 + 80 * 2 * length / np.pi * heat
    assert solution.integrate(temperature) == pytest.approx(whole, rel=1e-4)
    assert solution.history["t"][-1] == pytest.approx(60)
    assert solution.condition_errors[0].at[0] <= length
    assert "in dimensionless form" in str(solution.report())
    points = solution.problem.domain.sample_interior(500, key=2).points
    error = np.linalg.norm(solution(temperature, points) / at(exact, points) - 1) / 500**0.5
    assert error < 5 * solution.error_estimate < 1e-4


def test_a_size_of_the_mesh_is_a_length_of_the_statement(air_flow):
    solution, *_ = air_flow
    assert solution.method == FiniteElements(size=0.002)
    assert any("50 cells" in choice for choice in solution.choices)  # 0.1 / 0.002
    graded = FiniteElements(size=lambda points: 0.002 + 0 * points[:, 0])
    scaling = solution.scaling
    assert graded.in_units(scaling).size(np.ones((3, 1))) == pytest.approx(0.002 / scaling[x])


def test_a_saved_solution_is_read_in_its_units(air_flow, tmp_path):
    solution, temperature, _ = air_flow
    again = load(solution.save(tmp_path / "air.npz"))
    points = solution.problem.domain.sample_interior(20, key=3).points
    assert again.problem == solution.problem and again.scaling == solution.scaling
    assert np.array_equal(again(temperature, points), solution(temperature, points))
    table = np.loadtxt(solution.save(tmp_path / "air.csv"), delimiter=",", skiprows=1)
    assert table[:, 0].max() == pytest.approx(0.1) and table[:, 1].max() == pytest.approx(60)


def test_pictures_have_the_axes_of_the_statement(air_flow):
    solution, temperature, _ = air_flow
    (panel, *_) = solution.plot(temperature, at={t: 30}).axes
    assert panel.get_xlim()[1] == pytest.approx(0.1)
    assert 293 <= panel.get_ylim()[1] <= 373


def test_a_steel_bar_has_the_same_displacement_with_and_without_scaling():
    young, pull = 210e9, 1e8
    bar = Problem(
        geo.Interval(0, 0.5),
        Eq(-div(young * grad(u)), 0),
        {"left": Eq(u, 0), "right": Eq(young * normal_derivative(u), pull)},
    )
    points = np.linspace(0, 0.5, 11)
    scaled, plain = solve(bar, FiniteElements(size=0.05)), unscaled(bar, FiniteElements(size=0.05))
    for solution in (scaled, plain):
        assert solution(u, points) == pytest.approx(pull / young * points, rel=1e-9)
    assert scaled(young * diff(u, x), points) == pytest.approx(pull, rel=1e-9)
    assert scaled.scaling is not None and plain.scaling is None


def unscaled(problem, method):
    return method.solve(problem, key=jax.random.key(0), target=Target(), monitor=Silent())


SOFT = PINN(width=10, depth=2, steps=100, points=60, hard=False)


def error_of_rise(solution):
    return np.linalg.norm(solution(T, across) - 293 - rise) / np.linalg.norm(rise)


def test_a_network_solves_a_wall_of_a_millimeter():
    assert error_of_rise(solve(wall, SOFT)) < 1e-3  # measured: 1e-5


@pytest.mark.slow
def test_a_network_does_not_solve_it_in_si_units():
    assert error_of_rise(unscaled(wall, SOFT)) > 0.5  # measured: 300


@pytest.mark.slow
def test_water_in_a_channel_of_a_millimeter_needs_the_dimensionless_form():
    problem, (flow, _) = LAWS["water in a narrow channel"], water.velocity
    points = problem.domain.sample_interior(400, key=5).points
    exact = 4e5 * points[:, 1] * (1e-3 - points[:, 1])
    method = PINN(width=16, depth=2, steps=300, points=600)
    solution = solve(problem, method)
    with_scales, without = (
        np.linalg.norm(s(flow, points) - exact) / np.linalg.norm(exact)
        for s in (solution, unscaled(problem, method))
    )
    assert with_scales < 1e-2 and without > 0.1  # measured: 9e-5 and 0.41
    assert solution.error_estimate < 1e-2  # that the other velocity is zero is no imbalance


def test_numbers_found_deviations_and_errors_are_in_units():
    k = parameter("k", initial=1e-5, positive=True)
    problem, temperature, _ = air(k)
    assert problem.nondimensionalize().scaling[k] == 1e-5
    scaling = Scaling(((x, 0.1), (t, 60.0)), ((temperature, 80.0, 293.0),), ((k, 1e-5),))

    def deviations(expressions, points):  # as if every symbol had a deviation of one half
        (expression,) = expressions
        return np.full((len(points), 1), float(expression.diff(*expression.free_symbols)) / 2)

    inner = solution_of(
        scaling.apply(problem),
        {temperature: lambda z: z[0] + z[1] ** 2},
        parameters={"k": 1.7},
        errors={(temperature,): 1e-3},
        deviations=deviations,
    )
    solution = restored(inner, problem, scaling, inner.method)
    assert solution[k] == pytest.approx(1.7e-5)
    assert solution.deviation(k) == pytest.approx(0.5e-5)
    value = solution(temperature, [[0.05, 30.0]])[0]
    assert value == pytest.approx(293 + 80 * (0.5 + 0.25))
    assert 1e-4 < solution.error_estimate < 5e-4  # 80 of 353, in the mean


def test_problems_near_one_are_left_as_they_are():
    near = Problem(geo.Interval(0, 1), Eq(-div(grad(u)), 1), {("left", "right"): Eq(u, 0)})
    assert near.nondimensionalize() is near
    assert solve(near, FiniteElements(size=0.1)).scaling is None


def test_a_method_that_knows_no_units_gets_the_problem_as_it_is():
    class Own:
        def reasons_against(self, problem):
            return ()

        def solve(self, problem, *, key, target, monitor):
            return solution_of(problem, {T: lambda z: 293 + z[0]})

    solution = solve(wall, Own())
    assert solution.scaling is None and solution(T, [0.0005])[0] == pytest.approx(293.0005)


def test_jets_in_units_agree_with_functions_in_units():
    v = field("v", x, y)
    problem = Problem(geo.Rectangle((0, 0), (0.2, 0.1)), Eq(diff(v, x, 2), v))
    scaling = Scaling(((x, 0.2), (y, 0.2)), ((v, 3.0, 7.0),))
    inner = solution_of(scaling.apply(problem), {v: lambda z: z[0] ** 3 * z[1] ** 2})
    solution = restored(inner, problem, scaling, inner.method)
    plain = solution_of(problem, {v: lambda z: 7 + 3 * (z[0] / 0.2) ** 3 * (z[1] / 0.2) ** 2})
    points = problem.domain.sample_interior(10, key=0).points
    for expression in (v, diff(v, x, 2), diff(v, x, y), diff(v, x, 2) + diff(v, y, 2) + v):
        assert solution(expression, points) == pytest.approx(plain(expression, points), rel=1e-12)
