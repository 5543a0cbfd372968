"""`Spectral`: periodic problems in time against exact solutions and references."""

from itertools import pairwise

import numpy as np
import pytest
from sympy import I, cos, cosh, exp, pi, sin

from equations import (
    Data,
    Eq,
    Problem,
    advect,
    coordinates,
    diff,
    field,
    fields,
    integral,
    laplacian,
    parameter,
)
from geometry import Interval, Rectangle
from science import compare, references
from solvers import PINN, Spectral, Status, UnsupportedProblem, choose, solve
from solvers.files import load

x, y, t = coordinates("x y t")
u, v = fields("u v", x, t)
h = field("h", x, t, complex=True)
CIRCLE = Interval(-1, 1).periodic("x").over(t, 0, 1)
SWING = exp(-(pi**2) * t / 10) * sin(pi * (x - t))  # advected and spread
ADVECTION = Problem(
    CIRCLE, Eq(diff(u, t) + diff(u, x), diff(u, x, 2) / 10), {"initial": Eq(u, sin(pi * x))}
)
KDV = Problem(
    CIRCLE,
    Eq(diff(u, t) + u * diff(u, x) + diff(u, x, 3) / 400, 0),
    {"initial": Eq(u, cos(pi * x))},
)


@pytest.fixture(scope="module")
def kdv():
    return solve(KDV, Spectral(tolerance=1e-4))


def test_kdv_agrees_with_the_reference_and_the_estimate_holds(kdv):
    reference = references.load("kdv_cos")
    grid = np.meshgrid(reference["t"], reference["x"], indexing="ij")
    values = kdv(u, np.stack(grid[::-1], axis=-1))
    error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
    assert error < kdv.error_estimate < 1e-4
    assert kdv.status is Status.SOLVED


def test_kdv_keeps_its_mass_and_momentum(kdv):
    points = np.linspace(-1, 1, 256, endpoint=False)
    for time in (0.0, 0.31, 1.0):
        values = kdv(u, np.stack([points, np.full(256, time)], axis=-1))
        assert np.mean(values) == pytest.approx(0, abs=1e-12)
        assert np.mean(values**2) == pytest.approx(0.5, rel=1e-4)


def test_linear_equations_with_constant_coefficients_are_exact():
    solution = solve(ADVECTION, Spectral())
    assert compare(solution, {u: SWING})[u].relative < 1e-12
    assert solution.error_estimate < 1e-12


@pytest.mark.parametrize("orders", [(1, 0), (0, 1), (2, 1), (4, 0), (0, 2), (1, 3)])
def test_derivatives_of_any_order_are_those_of_the_exact_solution(orders):
    solution = solve(ADVECTION, Spectral())
    derivative = lambda f: diff(diff(f, x, orders[0]), t, orders[1]).doit()  # noqa: E731
    points = np.array([[-0.9, 0.0], [0.1, 0.33], [0.7, 1.0]])
    exact = [float(derivative(SWING).subs({x: a, t: b})) for a, b in points]
    np.testing.assert_allclose(solution(derivative(u), points), exact, rtol=1e-9, atol=1e-9)


def test_the_error_falls_with_the_fourth_power_of_the_steps():
    pulse = 1 / cosh(x) * exp(I * t / 2)  # a soliton
    problem = Problem(
        Interval(-20, 20).periodic("x").over(t, 0, 2),
        Eq(I * diff(h, t) + diff(h, x, 2) / 2 + abs(h) ** 2 * h, 0),
        {"initial": Eq(h, 1 / cosh(x))},
    )
    errors = []
    for steps in (16, 32, 64):
        solution = solve(problem, Spectral(modes=256, time_steps=steps))
        errors.append(compare(solution, {h: pulse})[h].relative)
        assert errors[-1] < solution.error_estimate < 100 * errors[-1]
    assert all(3.5 < np.log2(coarse / fine) < 4.6 for coarse, fine in pairwise(errors))


def test_equations_of_second_order_in_time_are_stepped():
    problem = Problem(
        CIRCLE,
        Eq(diff(u, t, 2) + diff(u, t), diff(u, x, 2) - u),  # damped Klein-Gordon
        {"initial": [Eq(u, sin(pi * x)), Eq(diff(u, t), -sin(pi * x) / 2)]},
    )
    exact = exp(-t / 2) * cos((pi**2 + 0.75) ** 0.5 * t) * sin(pi * x)
    solution = solve(problem, Spectral())
    assert compare(solution, {u: exact})[u].relative < 1e-6
    rate = float(diff(exact, t, 2).subs({x: 0.3, t: 0.7}))
    assert solution(diff(u, t, 2), [0.3, 0.7]) == pytest.approx(rate, abs=1e-4)


def test_systems_in_two_dimensions_with_sources_meet_a_manufactured_solution():
    a, b = fields("a b", x, y, t)
    problem = Problem(
        Rectangle((0, 0), (1, 2)).periodic("x").periodic("y").over(t, 0, 0.2),
        [
            Eq(diff(a, t), laplacian(a) / 20 - a * b**2 + b),
            Eq(2 * diff(b, t) + diff(a, t), laplacian(b) / 10 + advect((1, 0), a)),
        ],
        {"initial": [Eq(a, 1), Eq(b, 0)]},
    )
    wave = sin(2 * pi * x + t) * cos(pi * y)
    exact = {a: 1 + wave / 4, b: cos(2 * pi * x) / 2 + t}
    solution = solve(problem.manufactured(exact), Spectral(tolerance=1e-4))
    errors = compare(solution, exact)
    assert errors[a].relative < 1e-4 and errors[b].relative < 1e-4


def test_a_tolerance_of_the_solution_asks_for_finer_runs():
    solution = solve(KDV, Spectral(tolerance=1e-2), tolerance=1e-5)
    assert solution.status is Status.TOLERANCE_REACHED
    assert solution.error_estimate <= 1e-5


def test_a_solution_that_blows_up_is_not_finite():
    problem = Problem(CIRCLE, Eq(diff(u, t), u**2 + diff(u, x, 2)), {"initial": Eq(u, 3)})
    solution = solve(problem, Spectral(modes=8, time_steps=4096))  # 1/(1/3 - t)
    assert solution.status is Status.NOT_FINITE
    assert solution(u, [0.0, 0.0]) == pytest.approx(3)


def test_a_run_without_time_says_so():
    solution = solve(KDV, Spectral(), budget=1e-3)
    assert solution.status is Status.BUDGET_SPENT
    assert np.isfinite(solution(u, [0.2, 0.5]))


def test_a_saved_solution_is_the_same(kdv, tmp_path):
    again, points = load(kdv.save(tmp_path / "kdv.npz")), [[0.3, 0.71], [-0.2, 0.0]]
    for expression in (u, diff(u, x, 3), diff(u, t)):
        np.testing.assert_allclose(again(expression, points), kdv(expression, points), rtol=1e-9)
    assert again.errors == kdv.errors and again.method == kdv.method


def test_it_is_chosen_for_periodic_problems_on_a_line_and_explained():
    method, why = choose(KDV)
    assert method == Spectral() and "periodic" in why
    assert isinstance(choose(KDV.replace(data=Data([[0.0, 0.5]], {u: [0.6]})))[0], PINN)


START = {"initial": Eq(u, sin(pi * x))}
HEAT = Eq(diff(u, t), diff(u, x, 2))
LINE = Interval(-1, 1).over(t, 0, 1)


@pytest.mark.parametrize(
    "problem, reason",
    [
        (Problem(LINE, HEAT, START), "periodic along every axis; x is not"),
        (Problem(CIRCLE, HEAT, {**START, "final": Eq(u, 0)}), "conditions at final"),
        (Problem(CIRCLE, HEAT), "initial values of u(x, t)"),
        (Problem(CIRCLE, Eq(diff(u, t), u * parameter("a", initial=1.0)), START), "a have no"),
        (Problem(CIRCLE, HEAT, START, Data([[0.0, 0.5]], {u: [0.6]})), "measured data"),
        (Problem(CIRCLE, Eq(u * diff(u, t), 1), START), "factors that are numbers"),
        (Problem(CIRCLE, Eq(diff(u, t) - diff(u, t, x, x), u), START), "differentiated in space"),
        (Problem(CIRCLE, [HEAT, Eq(v, u)], START), "no time derivative of v"),
        (Problem(CIRCLE, Eq(diff(u, t), -integral(u)), START), "integral"),
        (
            Problem(Interval(-1, 1).periodic("x"), Eq(diff(field("w", x), x, 2), 0)),
            "it steps in time",
        ),
    ],
)
def test_what_it_cannot_take_is_said(problem, reason):
    assert any(reason in r for r in Spectral().reasons_against(problem))


def test_a_refused_problem_lists_the_reasons():
    walls = {**START, ("left", "right"): Eq(u, 0)}
    with pytest.raises(UnsupportedProblem, match="Spectral cannot take this problem"):
        solve(Problem(LINE, HEAT, walls), Spectral())


@pytest.mark.parametrize("wrong", [{"modes": 7}, {"time_steps": 2}, {"tolerance": 0}])
def test_numbers_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=f"`{next(iter(wrong))}`"):
        Spectral(**wrong)
