"""Least squares on random waves: what they solve, say of their error, and refuse."""

import numpy as np
import pytest
from sympy import I, cos, exp, pi, sin

from equations import Eq, Problem, coordinates, diff, eigenvalue, field, fields, laplacian
from geometry import Disk, Interval, Rectangle
from science import compare
from solvers import RandomFeatures, Status, UnsupportedProblem, solve
from solvers.files import load

x, y, t = coordinates("x y t")
u, v = fields("u v", x, y)
w, p = field("w", x, t), field("p", x, y, complex=True)
SQUARE = Rectangle((0, 0), (1, 1))
BUMP = sin(pi * x) * sin(pi * y)


def manufactured(domain, equations, exact, parts=("boundary",)):
    given = {part: [Eq(f, value) for f, value in exact.items()] for part in parts}
    return Problem(domain, equations, given)


CASES = {
    "poisson": manufactured(SQUARE, Eq(-laplacian(u), 2 * pi**2 * BUMP), {u: BUMP}),
    "nonlinear": manufactured(
        Disk((0, 0), 1), Eq(-laplacian(u) + u**3, 5 * sin(2 * x + y) + sin(2 * x + y) ** 3),
        {u: sin(2 * x + y)},
    ),
    "heat": manufactured(
        Interval(0, 1).over(t, 0, 1),
        Eq(diff(w, t), diff(w, x, 2) / 4),
        {w: exp(-t) * cos(2 * x)},
        ("initial", "left", "right"),
    ),
    "waves": manufactured(
        SQUARE, Eq(laplacian(p) + 9 * p, 0), {p: exp(3 * I * (0.6 * x + 0.8 * y))}
    ),
    "system": manufactured(
        SQUARE,
        [Eq(laplacian(u) - v, 0), Eq(laplacian(v) + u, exp(x) * cos(y) + 0)],
        {u: exp(x) * cos(y), v: 0 * x},
    ),
}  # fmt: skip
EXACT = {
    "poisson": (u, BUMP),
    "nonlinear": (u, sin(2 * x + y)),
    "heat": (w, exp(-t) * cos(2 * x)),
    "waves": (p, exp(3 * I * (0.6 * x + 0.8 * y))),
    "system": (u, exp(x) * cos(y)),
}


@pytest.mark.parametrize("name", CASES)
def test_smooth_problems_are_solved_and_the_estimate_holds_the_error(name):
    solution = solve(CASES[name], RandomFeatures(features=200))
    unknown, exact = EXACT[name]
    error = compare(solution, {unknown: exact})[unknown].relative
    assert error < 1e-5
    assert error < 3 * solution.error_estimate
    assert solution.error_estimate < max(1e4 * error, 1e-8)


@pytest.fixture(scope="module")
def poisson():
    return solve(CASES["poisson"], RandomFeatures(features=100))


def test_derivatives_and_integrals_are_those_of_the_solution(poisson):
    points = SQUARE.sample_interior(50, key=0).points
    slope = np.pi * np.cos(np.pi * points[:, 0]) * np.sin(np.pi * points[:, 1])
    assert np.allclose(poisson(diff(u, x), points), slope, atol=1e-4)
    assert poisson.integrate(u) == pytest.approx(4 / np.pi**2, abs=1e-4)


def test_a_saved_solution_is_the_same(poisson, tmp_path):
    again = load(poisson.save(tmp_path / "waves.npz"))
    points = SQUARE.sample_interior(50, key=0).points
    assert np.array_equal(again(u, points), poisson(u, points))


def test_the_same_key_gives_the_same_numbers_and_points_may_be_single(poisson):
    again = solve(CASES["poisson"], RandomFeatures(features=100))
    points = SQUARE.sample_interior(50, key=0).points
    assert np.array_equal(again(u, points), poisson(u, points))
    single = poisson(u, points.astype(np.float32))
    assert np.allclose(single, poisson(u, points), atol=1e-4)


def test_a_tolerance_and_a_budget_end_the_run():
    solution = solve(CASES["poisson"], RandomFeatures(), tolerance=1e-3)
    assert solution.status is Status.TOLERANCE_REACHED
    late = solve(CASES["poisson"], RandomFeatures(), budget=1e-3)
    assert late.status is Status.BUDGET_SPENT
    assert np.isfinite(late(u, [[0.5, 0.5]])).all()


def test_what_it_cannot_take_is_refused_in_words():
    lam = eigenvalue("lambda", near=20)
    problem = Problem(SQUARE, Eq(-laplacian(u), lam * u), {"boundary": Eq(u, 0)})
    with pytest.raises(UnsupportedProblem, match="zero satisfies a problem of eigenvalues"):
        solve(problem, RandomFeatures())


@pytest.mark.parametrize("features", [0, 1.5, "many"])
def test_impossible_options_are_refused(features):
    with pytest.raises((TypeError, ValueError), match="`features`"):
        RandomFeatures(features=features)
