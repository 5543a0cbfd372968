"""`RungeKutta`: initial-value problems against exact and published solutions."""

from itertools import pairwise

import numpy as np
import pytest
from sympy import I, Matrix, cos, exp, sin

from equations import ODE, Data, Eq, Problem, coordinates, delayed, diff, field, fields, parameter
from geometry import Interval, Time
from science import compare, references
from solvers import RungeKutta, Status, UnsupportedProblem, choose, solve
from solvers.files import load

x, t = coordinates("x t")
X, Y, Z = fields("X Y Z", t)
u, v, h = field("u", t), field("v", x), field("h", t, complex=True)
LORENZ = Problem(
    Time(0, 3),
    [
        Eq(diff(X, t), 10 * (Y - X)),
        Eq(diff(Y, t), X * (28 - Z) - Y),
        Eq(diff(Z, t), X * Y - 8 * Z / 3),
    ],
    {"initial": [Eq(X, 1), Eq(Y, 1), Eq(Z, 1)]},
)
HUNT = ODE({X: 1.5 * X - X * Y, Y: X * Y - 3 * Y})
SPRING = Problem(
    Time(0, 8),
    Eq(diff(u, t, 2) + diff(u, t) / 2 + 4 * u, 0),
    {"initial": [Eq(u, 1), Eq(diff(u, t) + u / 4, 0)]},
)
SWING = exp(-t / 4) * cos((63 / 16) ** 0.5 * t)  # its exact solution


def van_der_pol(mu, end):
    equation = Eq(diff(u, t, 2), mu * (1 - u**2) * diff(u, t) - u)
    return Problem(Time(0, end), equation, {"initial": [Eq(u, 2), Eq(diff(u, t), 0)]})


@pytest.fixture(scope="module")
def spring():
    return solve(SPRING, RungeKutta())


@pytest.mark.parametrize(
    "name, problem, states",
    [
        ("lorenz_short", LORENZ, (X, Y, Z)),
        ("lotka_volterra", Problem(Time(0, 5), HUNT, {"initial": HUNT.initial(10, 5)}), (X, Y)),
        ("van_der_pol_mu2", van_der_pol(2, 10), (u, diff(u, t))),
    ],
)
def test_systems_agree_with_references_of_twelve_digits(name, problem, states):
    solution, reference = solve(problem, RungeKutta()), references.load(name)
    values = solution(Matrix(states), reference["t"])
    error = np.linalg.norm(values - reference["y"]) / np.linalg.norm(reference["y"])
    assert error < 1e-7  # a hundred times the tolerance of a step
    assert error < solution.error_estimate < 1e-6
    assert solution.status is Status.SOLVED


def test_a_damped_oscillation_of_second_order_meets_its_exact_solution(spring):
    assert compare(spring, {u: SWING})[u].relative < 1e-8
    assert spring.residual_norm < 1e-4


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_derivatives_of_any_order_are_those_of_the_exact_solution(spring, order):
    times = np.linspace(0, 8, 30)
    exact = np.array([float(diff(SWING, t, order).subs(t, s)) for s in times])
    np.testing.assert_allclose(spring(diff(u, t, order), times), exact, atol=1e-5)


def test_a_finer_tolerance_makes_both_error_and_estimate_smaller():
    errors = []
    for tolerance in (1e-4, 1e-7, 1e-10):
        solution = solve(SPRING, RungeKutta(tolerance=tolerance))
        errors.append((compare(solution, {u: SWING})[u].relative, solution.error_estimate))
    for (coarse, guess), (fine, finer_guess) in pairwise(errors):
        assert fine < coarse / 50 and finer_guess < guess / 50
    assert all(error < guess for error, guess in errors)


def test_a_tolerance_of_the_solution_asks_for_finer_steps():
    solution = solve(SPRING, RungeKutta(tolerance=1e-4), tolerance=1e-9)
    assert solution.status is Status.TOLERANCE_REACHED
    assert compare(solution, {u: SWING})[u].relative < 1e-9


def test_complex_unknowns_turn_in_the_plane():
    problem = Problem(Time(0, 5), Eq(I * diff(h, t), -(abs(h) ** 2) * h), {"initial": Eq(h, 1 + I)})
    solution, times = solve(problem, RungeKutta()), np.linspace(0, 5, 20)
    exact = (1 + 1j) * np.exp(2j * times)
    np.testing.assert_allclose(solution(h, times), exact, atol=1e-7)
    np.testing.assert_allclose(solution(diff(h, t, 2), times), -4 * exact, atol=1e-5)


def test_a_stiff_system_is_found_out_and_meets_the_published_value():
    solution = solve(van_der_pol(1000, 2000), RungeKutta(tolerance=1e-6))
    assert any("implicit" in choice for choice in solution.choices)
    # Mazzia & Magherini, Test Set for Initial Value Problem Solvers, 2008, problem VDPOL
    assert solution(u, 2000.0) == pytest.approx(1.706167732170483, abs=1e-6)


def test_equations_that_mix_the_highest_derivatives_are_solved_for_them():
    equations = [Eq(diff(X, t) + 2 * diff(Y, t), 3 * Y), Eq(diff(X, t) - diff(Y, t), 0)]
    problem = Problem(Time(0, 1), equations, {"initial": Eq((X + Y, X - Y), (2, 0))})
    solution = solve(problem, RungeKutta())  # X' = Y' = Y
    assert compare(solution, {X: exp(t), Y: exp(t)})[X].relative < 1e-8


def test_an_equation_in_space_with_conditions_at_its_left_is_stepped_too():
    problem = Problem(Interval(0, 2), Eq(diff(v, x), x - v), {"left": Eq(v, 1)})
    solution = solve(problem, RungeKutta())
    assert compare(solution, {v: x - 1 + 2 * exp(-x)})[v].relative < 1e-8


def test_a_solution_that_grows_beyond_bounds_ends_there_and_says_where():
    problem = Problem(Time(0, 2), Eq(diff(u, t), u**2), {"initial": Eq(u, 1)})  # 1/(1 - t)
    solution = solve(problem, RungeKutta())
    assert solution.status is Status.NOT_FINITE
    assert any("t = 1" in choice for choice in solution.choices)
    with pytest.warns(UserWarning, match="not finite at 1 of 2"):
        values = solution(u, [0.5, 1.5])
    assert values[0] == pytest.approx(2, rel=1e-6) and np.isnan(values[1])


def test_a_saved_solution_is_the_same(spring, tmp_path):
    again, times = load(spring.save(tmp_path / "spring.npz")), np.linspace(0, 8, 11)
    np.testing.assert_array_equal(again(diff(u, t, 3), times), spring(diff(u, t, 3), times))
    assert again.errors == spring.errors and again.method == spring.method


def test_it_is_chosen_for_initial_value_problems_and_explained():
    method, why = choose(LORENZ)
    assert method == RungeKutta() and "where it begins" in why


START = {"initial": Eq(u, 1)}
DECAY = Eq(diff(u, t), -u)


@pytest.mark.parametrize(
    "problem, reason",
    [
        (Problem(Interval(0, 1).over(t, 0, 1), Eq(diff(field("w", x, t), t), 0)), "the domain has"),
        (Problem(Time(0, 1), DECAY, {"final": Eq(u, 1)}), "conditions at final"),
        (Problem(Time(0, 1), DECAY), "0 initial conditions for 1"),
        (Problem(Time(0, 1), Eq(diff(u, t), -u * parameter("a", initial=1.0)), START), "a have no"),
        (Problem(Time(0, 1), DECAY, START, Data([[0.5]], {u: [0.6]})), "measured data"),
        (Problem(Time(0, 1), Eq(diff(u, t) ** 2, u), START), "enter nonlinearly"),
        (Problem(Time(0, 1), Eq(diff(u, t), -delayed(u, t, 1, history=1)), START), "delay"),
        (Problem(Time(0, 1), [Eq(diff(X, t), Y), Eq(Y, sin(X))], {"initial": Eq(X, 1)}), "of Y"),
        (
            Problem(
                Time(0, 1),
                [Eq(diff(X, t) + diff(Y, t), 1), Eq(diff(X, t) + diff(Y, t), 2)],
                {"initial": Eq((X, Y), (0, 0))},
            ),
            "do not determine all highest",
        ),
        (Problem(Time(0, 1), DECAY, {"initial": Eq(u**2, 1)}), "nonlinear in the fields"),
    ],
)
def test_what_it_cannot_take_is_said(problem, reason):
    assert any(reason in r for r in RungeKutta().reasons_against(problem))


def test_a_refused_problem_lists_the_reasons():
    problem = Problem(Time(0, 1), Eq(diff(u, t) ** 2, u), START)
    with pytest.raises(UnsupportedProblem, match="RungeKutta cannot take this problem"):
        solve(problem, RungeKutta())


@pytest.mark.parametrize("tolerance", [0, 1, 1e-16])
def test_a_tolerance_out_of_range_is_refused(tolerance):
    with pytest.raises(ValueError, match="`tolerance` must lie between"):
        RungeKutta(tolerance=tolerance)
