"""Trainings on statements that take fields elsewhere, against exact solutions."""

import numpy as np
import pytest

from science import (
    PINN,
    Caputo,
    Eq,
    Integral,
    Interval,
    Problem,
    Time,
    coordinates,
    delayed,
    diff,
    eigenvalue,
    exp,
    field,
    integral,
    pi,
    solve,
)

x, t, s = coordinates("x t s")
u, w = field("u", x), field("w", t)
METHOD = PINN(width=12, depth=2, points=60, boundary_points=8, steps=400)
LAMBDA = eigenvalue("lambda", near=8)

# Tolerances are ten to thirty times the errors of one run, 5e-8, 6e-9, 9e-5 and 3e-9.
CASES = {
    "volterra": (
        Problem(
            Interval(0, 5),
            Eq(diff(u, x) + u, Integral(exp(s - x) * u.subs(x, s), (s, 0, x))),
            {"left": Eq(u, 1)},
        ),
        lambda x: np.exp(-x) * np.cosh(x),
        1e-6,
    ),
    "fractional relaxation": (
        Problem(
            Time(0, 1),
            Eq(Caputo(w, t, 0.5), -w + t**2 + 8 * t**1.5 / (3 * pi**0.5)),
            {"initial": Eq(w, 0)},
        ),
        lambda t: t**2,
        1e-7,
    ),
    "delay": (
        Problem(Time(0, 2), Eq(diff(w, t), -delayed(w, t, 1, history=1)), {"initial": Eq(w, 1)}),
        lambda t: 1 - t + np.where(t > 1, (t - 1) ** 2 / 2, 0),
        1e-3,
    ),
    "eigenvalue": (
        Problem(
            Interval(0, 1),
            Eq(-diff(u, x, 2), LAMBDA * u),
            {("left", "right"): Eq(u, 0), "domain": Eq(integral(u), 1)},
        ),
        lambda x: np.pi / 2 * np.sin(np.pi * x),
        1e-7,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_short_training_finds_the_exact_solution(name):
    problem, exact, tolerance = CASES[name]
    solution = solve(problem, METHOD)
    low, high = (float(b[0]) for b in problem.domain.bounds)
    points = np.linspace(low, high, 101)
    expected = exact(points)
    error = np.linalg.norm(solution(problem.fields[0], points) - expected)
    assert error < tolerance * np.linalg.norm(expected)
    if name == "eigenvalue":
        assert solution[LAMBDA] == pytest.approx(np.pi**2, rel=1e-7)
