"""Networks: what is built in, what is found, and whether the estimate can be believed."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import sympy

import equations as eq
from diffcore import optim
from equations import Eq
from geometry import Disk, Interval, Point, Rectangle, Time
from solvers import PINN, Phase, Status, solve
from solvers.pinn import build, singular
from tests.solvers.monitors import Killed, Memory

SMALL = PINN(width=12, depth=2, steps=500, points=200, boundary_points=40)


@pytest.fixture(scope="module")
def poisson():
    """-u'' = pi² sin(pi x) on (0, 1), u = x at the ends: u = sin(pi x) + x."""
    x = eq.coordinates("x")
    u = eq.field("u", x)
    source = sympy.pi**2 * sympy.sin(sympy.pi * x)
    problem = eq.Problem(
        Interval(0, 1),
        Eq(-eq.div(eq.grad(u)), source),
        {"left": Eq(u, 0), "right": Eq(u, 1)},
    )
    return problem, solve(problem, SMALL)


def exact(x):
    return np.sin(np.pi * x) + x


def test_dirichlet_values_hold_by_construction(poisson):
    _, solution = poisson
    u = solution.problem.fields[0]
    assert np.allclose(solution(u, [0.0, 1.0]), [0, 1], atol=1e-12)
    assert max(m.largest for m in solution.condition_errors) < 1e-11


def test_the_solution_is_found_and_the_estimate_bounds_its_error_within_a_factor_of_twenty(poisson):
    _, solution = poisson
    u = solution.problem.fields[0]
    points = np.linspace(0, 1, 301)
    values = solution(u, points)
    error = np.linalg.norm(values - exact(points)) / np.linalg.norm(exact(points))
    assert error < 1e-4  # a bound, not a measurement
    assert error / 20 < solution.error_estimate < max(20 * error, 1e-6)
    assert solution.status is Status.STEPS_SPENT


def test_derivatives_of_the_solution_are_those_of_the_exact_one(poisson):
    problem, solution = poisson
    u, x = problem.fields[0], problem.coordinates[0]
    points = np.linspace(0, 1, 11)
    slope = solution(eq.diff(u, x), points)
    assert np.allclose(slope, np.pi * np.cos(np.pi * points) + 1, atol=1e-2)


def test_a_rebuilt_solution_has_the_same_values(poisson):
    problem, solution = poisson
    jets, _ = SMALL.rebuild(problem, solution.state)
    functional = eq.Functional(problem.fields[0], (((2,), 1),))
    points = np.linspace(0, 1, 7)[:, None]
    again, first = jets((functional,), points), solution.jets((functional,), points)
    assert np.array_equal(again[0], first[0])


def test_a_killed_and_resumed_run_ends_bitwise_like_an_unbroken_one(poisson):
    problem, solution = poisson
    killed = Memory(limit=3)
    with pytest.raises(Killed):
        solve(problem, SMALL, monitor=killed)
    resumed = solve(problem, SMALL, monitor=Memory(saved=killed.saved))
    assert np.array_equal(resumed.state, solution.state)


def test_the_tolerance_stops_the_run(poisson):
    problem, _ = poisson
    watched = Memory()
    solution = solve(problem, SMALL, tolerance=0.5, monitor=watched)
    assert solution.status is Status.TOLERANCE_REACHED
    assert watched.progress.fraction < 1


def test_a_budget_stops_the_run(poisson):
    problem, _ = poisson
    assert solve(problem, SMALL, budget=1e-3).status is Status.BUDGET_SPENT


@pytest.fixture(scope="module")
def identified():
    """x' = -k x with k = 2 and noisy readings."""
    t = eq.coordinates("t")
    f, k = eq.field("f", t), eq.parameter("k", initial=1.0, positive=True)
    random = np.random.default_rng(1)
    times = np.linspace(0, 1, 40)
    readings = np.exp(-2 * times) + random.normal(0, 0.01, 40)
    problem = eq.Problem(
        Time(0, 1),
        Eq(eq.diff(f, t), -k * f),
        {"initial": Eq(f, 1)},
        data=eq.Data(times, {f: readings}, noise=0.01),
    )
    return k, f, solve(problem, SMALL)


def test_a_number_is_identified_within_three_of_its_deviations(identified):
    k, _, solution = identified
    # least squares over the noise gives a deviation of about 0.015
    assert 0.003 < solution.deviation(k) < 0.06
    assert abs(solution[k] - 2) < 3 * solution.deviation(k)


def test_fields_of_an_inverse_problem_have_deviations(identified):
    _, f, solution = identified
    spread = solution.deviation(f, np.array([0.0, 0.5]))
    assert spread[0] < spread[1] < 0.02


def test_a_complex_field_is_solved():
    # i h' = -h with h(0) = 1: h = exp(i t)
    t = eq.coordinates("t")
    h = eq.field("h", t, complex=True)
    problem = eq.Problem(Time(0, 2), Eq(sympy.I * eq.diff(h, t), -h), {"initial": Eq(h, 1)})
    solution = solve(problem, SMALL)
    times = np.linspace(0, 2, 21)
    assert np.max(np.abs(solution(h, times) - np.exp(1j * times))) < 1e-3


def cavity():
    x, y = eq.coordinates("x y")
    flow = eq.NavierStokes((x, y), viscosity=0.01)
    walls = {
        "top": Eq(flow.velocity, (1, 0)),
        ("left", "right", "bottom"): Eq(flow.velocity, (0, 0)),
        Point(0.5, 0.5): Eq(flow.pressure, 0),
    }
    return eq.Problem(Rectangle((0, 0), (1, 1)), flow, walls)


def test_a_closed_flow_gets_a_stream_function_that_vanishes_on_the_walls():
    problem = cavity()
    plan = build.plan(problem, hard=None, solenoidal=None)
    assert plan.satisfied_equations == {0}
    assert plan.potentials["psi"].distance is not None


def test_the_corners_of_the_lid_are_found():
    corners = singular.contradictions(cavity())
    assert np.allclose(sorted(map(tuple, corners)), [(0, 1), (1, 1)], atol=0.02)


def test_boundaries_are_counted():
    square = Rectangle((0, 0), (1, 1))
    assert build.n_boundaries(square) == 1
    assert build.n_boundaries(square - Disk((0.5, 0.5), 0.2)) == 2


def test_contradicting_values_on_adjoining_parts_stay_soft():
    x, y = eq.coordinates("x y")
    u = eq.field("u", x, y)
    problem = eq.Problem(
        Rectangle((0, 0), (1, 1)),
        Eq(eq.laplacian(u), 0),
        {"top": Eq(u, 1), ("left", "right", "bottom"): Eq(u, 0)},
    )
    plan = build.plan(problem, hard=None, solenoidal=None)
    assert not plan.satisfied_conditions
    assert "contradict" in " ".join(plan.sentences)


def test_an_initial_value_with_a_kink_at_periodic_ends_stays_soft():
    x, t = eq.coordinates("x t")
    u = eq.field("u", x, t)
    problem = eq.Problem(
        Interval(-1, 1).periodic("x").over(t, 0, 1),
        Eq(eq.diff(u, t), eq.diff(u, x, 2)),
        {"initial": Eq(u, x**2 * sympy.cos(sympy.pi * x))},
    )
    plan = build.plan(problem, hard=None, solenoidal=None)
    assert not plan.satisfied_conditions
    assert "order 1" in " ".join(plan.sentences)


@pytest.mark.parametrize("option", ["width", "depth", "steps", "points"])
def test_options_below_their_least_are_refused(option):
    with pytest.raises(ValueError, match=f"`{option}` of PINN"):
        PINN(**{option: 0})


def test_the_estimate_of_an_inverse_problem_holds_what_the_noise_leaves(identified):
    _, f, solution = identified
    times = np.linspace(0, 1, 50)
    noise = np.linalg.norm(solution.deviation(f, times)) / np.linalg.norm(solution(f, times))
    assert solution.error_estimate > 0.7 * noise


def test_a_network_far_from_the_solution_says_so():
    x = eq.coordinates("x")
    u = eq.field("u", x)
    peak = sympy.exp(-1e4 * (x - sympy.Rational(1, 2)) ** 2)
    problem = eq.Problem(Interval(0, 1), Eq(-eq.diff(u, x, 2), 1e4 * peak), {"boundary": Eq(u, 0)})
    solution = solve(problem, PINN(width=4, depth=1, steps=20, points=100))
    assert solution.status is Status.NOT_CONVERGED
    assert solution.error_estimate > 0.3


def bursts(at):
    """Adam whose update number `at` is no number, counted from its last beginning."""
    adam = optax.adam(1e-2)

    def update(gradient, state, parameters=None):
        change, after = adam.update(gradient, state, parameters)
        bad = after[0].count == at
        return jax.tree.map(lambda c: jnp.where(bad, jnp.nan, c), change), after

    return optim.first_order(optax.GradientTransformation(adam.init, update))


@pytest.mark.parametrize(("at", "status"), [(150, "STEPS_SPENT"), (20, "NOT_FINITE")])
def test_a_run_goes_back_to_finite_numbers_some_times(poisson, at, status):
    problem, _ = poisson
    watched = Memory()
    method = PINN(width=8, depth=2, points=50, phases=(Phase("bursts", bursts(at), 250),))
    solution = solve(problem, method, monitor=watched)
    assert solution.status is Status[status]
    assert "back to finite numbers" in watched.progress.message
    assert np.isfinite(solution(problem.fields[0], [0.3])).all()


def burgers(viscosity):
    x = eq.coordinates("x")
    u = eq.field("u", x)
    law = Eq(u * eq.diff(u, x), viscosity * eq.diff(u, x, 2))
    return eq.Problem(Interval(-1, 1), law, {"left": Eq(u, 1), "right": Eq(u, -1)})


def test_a_solution_is_the_start_of_its_neighbour_so_that_a_parameter_is_followed():
    method = PINN(width=10, depth=2, points=150, steps=300)
    start = solve(burgers(0.3), method)
    problem = burgers(0.15)
    followed = solve(problem, replace(method, start=start, steps=150))
    u = problem.fields[0]
    assert followed.history["loss"][0] < 1e-2 * start.history["loss"][0]
    # the steady shock: u = -a tanh(a x / (2 nu)) with a tanh(a / (2 nu)) = 1
    a = 1.0025062
    x = np.linspace(-1, 1, 41)
    assert np.allclose(followed(u, x), -a * np.tanh(a * x / 0.3), atol=2e-3)
    assert any("start from those" in choice for choice in followed.choices)


@pytest.mark.parametrize(
    ("start", "error", "text"),
    [
        (3, TypeError, "is a solution by PINN"),
        (None, ValueError, "parameters, but the networks here"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(poisson, start, error, text):
    problem, solution = poisson
    with pytest.raises(error, match=text):
        solve(problem, PINN(width=5, start=solution if start is None else start))


def test_training_goes_on_while_a_tolerance_waits_unless_steps_are_given(poisson, monkeypatch):
    problem, _ = poisson
    monkeypatch.setattr("solvers.pinn.method.STEPS", 60)
    method = PINN(width=10, depth=2, points=60)
    watched = Memory()
    longer = solve(problem, method, tolerance=1e-6, monitor=watched)
    assert longer.history["step"][-1] > 60
    assert any("taken up" in choice for choice in longer.choices)
    assert longer.status is Status.TOLERANCE_REACHED or longer.error_estimate > 1e-6
    fractions = [p.fraction for p in watched.told]
    assert max(fractions) <= 1
    given = solve(problem, replace(method, steps=60), tolerance=1e-6)
    assert given.history["step"][-1] == 60 and given.status is Status.STEPS_SPENT


def test_a_run_killed_in_an_extension_ends_bitwise_like_an_unbroken_one(poisson, monkeypatch):
    problem, _ = poisson
    monkeypatch.setattr("solvers.pinn.method.STEPS", 60)
    method, killed = PINN(width=6, depth=1, points=40), Memory(limit=4)
    with pytest.raises(Killed):
        solve(problem, method, tolerance=1e-9, monitor=killed)
    resumed = solve(problem, method, tolerance=1e-9, monitor=Memory(saved=killed.saved))
    assert np.array_equal(resumed.state, solve(problem, method, tolerance=1e-9).state)
