"""Problems over ranges of parameters: one network for all values."""

import numpy as np
import pytest

import science
from equations import (
    Data,
    Eq,
    NavierStokes,
    Problem,
    coordinates,
    diff,
    div,
    field,
    grad,
    parameter,
)
from equations.ranges import over_ranges
from geometry import Interval, Point, Rectangle, Wire
from solvers import PINN, FiniteElements, UnsupportedProblem, solve
from solvers.pinn import build
from solvers.pinn.terms import terms

x, y = coordinates("x y")
k = parameter("k", between=(1, 3))
u = field("u", x)
LENGTH = 1e-3
SMALL = PINN(width=12, depth=1, steps=120, points=100, boundary_points=16)
places = np.linspace(0, LENGTH, 11)


@pytest.fixture(scope="module")
def solution():
    """-(k u')' = 2 k² on (0, 1 mm) in mm, u = 0 and u = k: u = k s (2 - s) with s = x / mm."""
    source, ends = 2 * k**2 / LENGTH**2, {"left": Eq(u, 0), "right": Eq(u, k)}
    problem = Problem(Interval(0, LENGTH), Eq(-div(k * grad(u)), source), ends)
    return solve(problem, SMALL)


def exact(value):
    return value * places / LENGTH * (2 - places / LENGTH)


@pytest.mark.parametrize("value", [1, 2.3, 3])
def test_a_network_solves_for_all_values_of_a_parameter_in_the_units_of_the_statement(
    solution, value
):
    assert solution.scaling is not None
    assert np.abs(solution(u, places, k=value) - exact(value)).max() < 1e-2  # a bound
    slope = solution(k * diff(u, x) * LENGTH, places, k=value)
    assert slope == pytest.approx(2 * value**2 * (1 - places / LENGTH), abs=0.1)


def test_a_value_can_be_given_once_and_for_all(solution):
    at = solution.at(k=2)
    assert np.array_equal(at(u, places), solution(u, places, k=2))
    assert at.integrate(u) == solution.integrate(u, k=2) == pytest.approx(4 / 3 * LENGTH, rel=1e-2)
    assert "between (1.0, 3.0)" in str(solution.report())


def test_a_saved_family_has_the_same_values(solution, tmp_path):
    again = science.load(solution.save(tmp_path / "family.npz"))
    assert np.array_equal(again(u, places, k=1.5), solution(u, places, k=1.5))
    assert again.errors == solution.errors
    text = solution.at(k=2).save(tmp_path / "family.csv").read_text()
    assert text.startswith("x,u")


def test_pictures_show_the_middle_of_the_range_or_the_values_asked_for(solution):
    assert "k = 2" in solution.plot(u).axes[0].get_title()
    curves = solution.plot(u, at={k: (1, 3)}).axes[0].lines
    assert [line.get_ydata()[-1] for line in curves] == pytest.approx([1, 3])


@pytest.mark.parametrize(
    "values, error, message",
    [
        ({}, ValueError, r"`k` ranges from 1 to 3.*`solution\(u, points, k=2\)`"),
        ({"k": 3.5}, ValueError, "`k` = 3.5 is outside the range.*1 to 3"),
        ({"k": [1, 2]}, TypeError, "`k` is one number"),
        ({"q": 1}, ValueError, "`q` is no parameter of the problem; those are: k"),
    ],
)
def test_values_that_make_no_sense_are_refused(solution, values, error, message):
    with pytest.raises(error, match=message):
        solution(u, places, **values)


def test_conditions_hold_for_every_value_also_at_points_and_on_wires():
    Re = parameter("Re", between=(50, 200))
    flow = NavierStokes((x, y), viscosity=1 / Re)
    wire = Wire([(0.2, 0.2), (0.8, 0.2)])
    stated = {
        "top": Eq(flow.velocity, (1, 0)),
        Point(0.5, 0.5): Eq(flow.pressure, 0),
        wire: Eq(flow.velocity[0], 0),
    }
    whole = over_ranges(Problem(Rectangle((0, 0), (1, 1)), flow, stated))
    assert whole.coordinates == (x, y, Re) and whole.parameters == ()
    for condition, place in zip(whole.conditions, ("top", Point(0.5, 0.5), wire), strict=True):
        sample = condition.part.sample(200, key=1)
        assert np.all(condition.part.contains(sample.points))
        assert sample.points[:, 2].mean() == pytest.approx(125, abs=12)  # 3.5 deviations
        assert np.unique(sample.points[:, 2]).size == 200, place
    assert sample.weights.sum() == pytest.approx(0.6 * 150)


def test_points_follow_the_distribution_of_a_random_parameter():
    q = parameter("q", normal=(2, 0.1), positive=True)
    problem = Problem(Interval(0, 1), Eq(q * diff(u, x), 1), {"left": Eq(u, q)})
    whole = over_ranges(problem)
    inner, left = terms(whole, build.plan(whole, hard=False, solenoidal=False), 4096, 4096)
    for term in (inner, left):
        values = np.asarray(term.draw(4096, 0).points)[:, 1]
        # Sobol points; the range ends at four deviations
        assert values.mean() == pytest.approx(2, abs=1e-3)
        assert values.std() == pytest.approx(0.1, rel=1e-2)


def test_what_knows_no_ranges_says_so():
    problem = Problem(Interval(0, 1), Eq(-div(k * grad(u)), 1), {"boundary": Eq(u, 0)})
    with pytest.raises(UnsupportedProblem, match="ranges over k"):
        solve(problem, FiniteElements())
    measured = problem.add(data=Data([0.5], {u: [0.1]}))
    with pytest.raises(UnsupportedProblem, match="for which value of k"):
        solve(measured, PINN())
