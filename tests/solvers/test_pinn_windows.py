"""`PINN(windows=n)`: a long time in pieces, each from the end of the one before."""

import numpy as np
import pytest
from sympy import cos, exp, pi, sin

from equations import Data, Eq, Problem, coordinates, diff, field, integral, parameter
from geometry import Interval, Time
from science import compare
from solvers import PINN, Status, UnsupportedProblem, solve
from solvers.files import load
from tests.solvers.monitors import Killed, Memory

x, t = coordinates("x t")
u, v, w, a = field("u", t), field("v", x), field("w", x, t), parameter("a", initial=1.0)
START = {"initial": [Eq(u, 0), Eq(diff(u, t), 1)]}
OSCILLATION = Problem(Time(0, 6), Eq(diff(u, t, 2), -u), START)
METHOD = PINN(width=12, depth=2, points=60, steps=200, windows=3)


@pytest.fixture(scope="module")
def oscillation():
    memory = Memory()
    return solve(OSCILLATION, METHOD, monitor=memory), memory


def test_the_error_over_all_windows_is_small_and_estimated(oscillation):
    solution, _ = oscillation
    error = compare(solution, {u: sin(t)})[u].relative
    assert error < 1e-3
    assert error / 10 < solution.errors[(u,)] < max(10 * error, 1e-5)


def test_value_and_slope_pass_from_window_to_window(oscillation):
    solution, _ = oscillation
    for edge in (2.0, 4.0):
        sides = np.array([[edge - 1e-9], [edge + 1e-9]])
        for asked in (u, diff(u, t)):
            before, after = solution(asked, sides)
            assert after == pytest.approx(before, abs=1e-4)


def test_progress_and_history_count_over_all_windows(oscillation):
    solution, memory = oscillation
    assert all(np.diff([p.fraction for p in memory.told]) >= 0)
    assert all(np.diff(solution.history["step"]) > 0)
    assert any("3 windows of 2" in choice for choice in solution.choices)


@pytest.mark.parametrize("limit", [1, 3])
def test_a_killed_run_ends_bitwise_like_an_unbroken_one(oscillation, limit):
    solution, memory = oscillation
    assert memory.count >= 4
    killed = Memory(limit=limit)
    with pytest.raises(Killed):
        solve(OSCILLATION, METHOD, monitor=killed)
    resumed = solve(OSCILLATION, METHOD, monitor=Memory(saved=killed.saved))
    assert np.array_equal(resumed.state, solution.state)
    assert resumed.errors == solution.errors


def test_a_saved_solution_is_the_same(oscillation, tmp_path):
    solution, _ = oscillation
    again = load(solution.save(tmp_path / "windows.npz"))
    points = np.linspace(0, 6, 50)[:, None]
    assert np.array_equal(again(u, points), solution(u, points))


def test_a_source_that_tells_the_time_is_taken_in_each_window():
    problem = Problem(Time(0, 2), Eq(diff(u, t), cos(t) - u + sin(t)), {"initial": Eq(u, 0)})
    solution = solve(problem, PINN(width=8, depth=1, points=40, steps=100, windows=2))
    assert compare(solution, {u: sin(t)})[u].relative < 1e-3


def test_conditions_in_space_hold_in_each_window():
    problem = Problem(
        Interval(0, 1).over(t, 0, 0.2),
        Eq(diff(w, t), diff(w, x, 2)),
        {"initial": Eq(w, sin(pi * x)), ("left", "right"): Eq(w, 0)},
    )
    method = PINN(width=12, depth=2, points=200, steps=300, windows=2)
    solution = solve(problem, method)
    error = compare(solution, {w: exp(-(pi**2) * t) * sin(pi * x)})[w].relative
    assert error < 5e-3
    assert error / 10 < solution.errors[(w,)] < 20 * error


def test_a_run_out_of_time_says_so():
    solution = solve(OSCILLATION, METHOD, budget=1e-3)
    assert solution.status is Status.BUDGET_SPENT
    assert np.isfinite(solution(u, [[5.0]])).all()


def over(equation, **changes):
    return Problem(**{"domain": Time(0, 6), "equations": equation, "conditions": START, **changes})


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (Problem(Interval(0, 1), Eq(diff(v, x, 2), 1), {"boundary": Eq(v, 0)}), "need a time"),
        (over(Eq(diff(u, t, 2), -a * u), data=[Data([[1.0]], {u: [0.8]})]), "numbers to identify"),
        (over(Eq(diff(u, t), -u), conditions={"final": Eq(u, 1)}), "not at the end"),
        (over(Eq(diff(u, t, 2), -integral(u))), "at one point"),
    ],
    ids=["steady", "inverse", "final", "nonlocal"],
)
def test_what_cannot_be_cut_is_refused(problem, reason):
    with pytest.raises(UnsupportedProblem, match=reason):
        solve(problem, METHOD)
