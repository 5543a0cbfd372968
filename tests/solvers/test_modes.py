"""Eigenvalues by finite elements, against exact and published ones."""

import numpy as np
import pytest

import geometry as geo
from equations import (
    Eq,
    Problem,
    StatementError,
    Stokes,
    coordinates,
    diff,
    eigenvalue,
    field,
    integral,
    laplacian,
    mean,
    normal_derivative,
)
from solvers import PINN, FiniteElements, UnsupportedProblem, choose, solve
from solvers.files import load

x, y = coordinates("x y")
u, w, q = field("u", x, y), field("w", x), field("q", x)
lam = eigenvalue("lambda", near=50)
square, line = geo.Rectangle((0, 0), (1, 1)), geo.Interval(0, 1)
ends = {("left", "right"): Eq(w, 0)}
DRUM = Problem(square, Eq(-laplacian(u), lam * u), {"boundary": Eq(u, 0)})
STRING = Problem(line, Eq(-diff(w, x, 2), lam * w), ends)


def values(modes):
    return np.array([mode[lam] for mode in modes])


@pytest.fixture(scope="module")
def drum():
    return solve(DRUM, FiniteElements(size=0.1), modes=6)


def test_modes_of_a_square_drum_come_in_order_with_multiple_ones(drum):
    exact = np.pi**2 * np.array([2, 5, 5, 8, 10, 10])
    errors = np.abs(values(drum) / exact - 1)
    assert errors.max() < 2e-3  # of fourth order, and the highest has 13 degrees of freedom a wave
    estimates = np.array([mode.errors[(lam,)] for mode in drum])
    assert np.all((0.3 < estimates / errors) & (estimates / errors < 10))


def test_eigenfunctions_are_orthonormal_and_near_the_sines(drum):
    sample = square.sample_interior(4096, key=0)
    at = np.stack([mode(u, sample.points) for mode in drum])
    gram = (at * sample.weights) @ at.T
    assert gram == pytest.approx(np.eye(6), abs=5e-3)  # by points of Sobol's sequence
    first = 2 * np.prod(np.sin(np.pi * sample.points), axis=-1)
    error = np.sqrt(np.mean((at[0] - first) ** 2))
    assert error < 1e-3 and 0.3 < drum[0].errors[(u,)] / error < 10


def test_the_count_of_pivots_shows_that_none_was_left_out(drum):
    assert all("no lower eigenvalue was left out" in mode.choices[-1] for mode in drum)


def test_eigenvalues_converge_with_twice_the_degree():
    exact = np.pi**2 * np.arange(1, 4) ** 2
    errors = [
        values(solve(STRING, FiniteElements(size=h), modes=3)) / exact - 1 for h in (0.1, 0.05)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.2)


def test_without_modes_the_one_next_to_the_first_guess_is_found():
    solution = solve(DRUM, FiniteElements(size=0.1))  # 50 lies next to 5 pi² = 49.3
    assert solution[lam] == pytest.approx(5 * np.pi**2, rel=1e-3)
    method, why = choose(DRUM)
    assert isinstance(method, FiniteElements)


@pytest.mark.parametrize("size", [mean(w**2) - 3, integral(w) - 2], ids=["square", "linear"])
def test_a_condition_gives_the_size(size):
    problem = STRING.replace(conditions={**ends, "domain": Eq(size, 0)})
    (mode,) = solve(problem, FiniteElements(size=0.1), modes=1)
    amplitude = np.sqrt(6) if size.has(w**2) else np.pi
    assert abs(mode(w, 0.5)) == pytest.approx(amplitude, rel=1e-4)


def test_negative_eigenvalues_come_first():
    problem = Problem(line, Eq(-diff(w, x, 2) - 200 * w, lam * w), ends)
    modes = solve(problem, FiniteElements(size=0.05), modes=3)
    exact = np.pi**2 * np.arange(1, 4) ** 2 - 200
    assert values(modes) == pytest.approx(exact, rel=1e-4)


def test_a_free_membrane_has_the_eigenvalue_zero():
    free = Problem(square, Eq(-laplacian(u), lam * u), {"boundary": Eq(normal_derivative(u), 0)})
    found = values(solve(free, FiniteElements(size=0.2), modes=3))
    assert found == pytest.approx([0, np.pi**2, np.pi**2], abs=1e-2)
    assert abs(found[0]) < 1e-9  # rounding


def test_a_condition_of_robin_holds_the_eigenvalue():
    """-w'' = lambda w, w(0) = 0, w'(1) = -w(1): tan k = -k, k = 2.028757838."""
    conditions = {"left": Eq(w, 0), "right": Eq(diff(w, x), -w)}
    problem = Problem(line, Eq(-diff(w, x, 2), lam * w), conditions)
    (mode,) = solve(problem, FiniteElements(size=0.05), modes=1)
    assert mode[lam] == pytest.approx(2.028757838**2, rel=1e-6)


def test_equations_that_are_not_symmetric_have_modes():
    problem = Problem(line, Eq(-diff(w, x, 2) + 4 * diff(w, x), lam * w), ends)
    modes = solve(problem, FiniteElements(size=0.02), modes=2)
    assert values(modes) == pytest.approx(4 + np.pi**2 * np.array([1, 4]), rel=1e-6)


def test_modes_of_a_flow_are_free_of_divergence():
    """Decay of slow flow in a square box: 52.3447 (Leriche & Labrosse, SIAM J. Sci. Comput. 22
    (2000) 1386-1410)."""
    law = Stokes((x, y))
    (a, b), p = law.velocity, law.pressure
    equations = [
        Eq(-laplacian(a) + diff(p, x), lam * a),
        Eq(-laplacian(b) + diff(p, y), lam * b),
        law.continuity,
    ]
    problem = Problem(square, equations, {"boundary": law.no_slip()})
    (mode,) = solve(problem, FiniteElements(size=0.1), modes=1)
    assert mode[lam] == pytest.approx(52.3447, rel=1e-3)


def test_modes_answer_in_the_units_of_the_statement():
    length = 1e-3
    problem = Problem(
        geo.Rectangle((0, 0), (length, length)), DRUM.equations, {"boundary": Eq(u, 0)}
    )
    (mode,) = solve(problem, FiniteElements(size=length / 10), modes=1)
    assert mode.scaling is not None
    assert mode[lam] * length**2 == pytest.approx(2 * np.pi**2, rel=1e-3)
    assert mode.integrate(u**2) == pytest.approx(1, rel=1e-3)


def test_a_saved_mode_is_the_same(drum, tmp_path):
    again = load(drum[1].save(tmp_path / "mode.npz"))
    points = square.sample_interior(20, key=1).points
    assert again[lam] == drum[1][lam]
    assert np.array_equal(again(u, points), drum[1](u, points))


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (Problem(line, Eq(-diff(w, x, 2), lam * w**2), ends), "not linear in the fields"),
        (Problem(line, Eq(-diff(w, x, 2), lam**2 * w), ends), "by another function"),
        (
            Problem(
                line,
                [Eq(-diff(w, x, 2) + 30 * q, lam * w), Eq(-diff(q, x, 2) - 30 * w, lam * q)],
                {("left", "right"): [Eq(w, 0), Eq(q, 0)]},
            ),
            "are complex",
        ),
    ],
    ids=["nonlinear", "squared", "complex"],
)
def test_other_problems_are_refused(problem, reason):
    with pytest.raises(UnsupportedProblem, match=reason):
        solve(problem, FiniteElements(size=0.1), modes=2)


def test_a_driven_eigenproblem_is_an_error_of_the_statement():
    driven = Problem(line, Eq(-diff(w, x, 2), lam * w + 1), ends)
    with pytest.raises(StatementError, match="is left where the unknowns vanish"):
        solve(driven, FiniteElements(size=0.1), modes=2)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"method": PINN(), "modes": 2}, "PINN finds one eigenvalue at a time"),
        ({"modes": 0}, "above 0; got 0"),
    ],
    ids=["network", "none"],
)
def test_modes_that_cannot_be_are_refused(arguments, text):
    with pytest.raises(ValueError, match=text):
        solve(STRING, **arguments)


def test_modes_need_an_eigenvalue():
    with pytest.raises(ValueError, match="needs an eigenvalue in the problem"):
        solve(Problem(line, Eq(diff(w, x, 2), 1), ends), modes=2)
