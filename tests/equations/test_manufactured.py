"""A manufactured solution solves the changed problem, which keeps its form."""

import numpy as np
import pytest
import sympy
from sympy import cos, exp, sin

import geometry as geo
from equations import (
    Data,
    Eq,
    Heat,
    NavierStokes,
    Problem,
    coordinates,
    diff,
    div,
    field,
    grad,
    laplacian,
    normal_derivative,
    parameter,
)
from equations.operators import Divergence
from equations.symbols import normal

x, y, t = coordinates("x y t")
u, k = field("u", x, y), field("k", x, y)
w = field("w", x, t)
square, strip = geo.Rectangle((0, 0), (1, 1)), geo.Interval(0, 1).over(t, 0, 1)
flow = NavierStokes((x, y), viscosity=parameter("nu", between=(0.1, 1)))
heat = Heat((x, y, t))

CASES = {
    "nonlinear diffusion": (
        Problem(square, Eq(-div((1 + u**2) * grad(u)), 0)),
        {u: sin(x) * exp(y)},
    ),
    "wave": (Problem(strip, Eq(diff(w, t, 2), diff(w, x, 2))), {w: cos(x * t)}),
    "plate": (Problem(square, Eq(laplacian(laplacian(u)), 1)), {u: x**4 * y**4}),
    "flow": (
        Problem(
            square, flow, {"right": flow.traction_free(), ("left", "top", "bottom"): flow.no_slip()}
        ),
        dict(zip((*flow.velocity, flow.pressure), (sin(y), cos(x), x * y), strict=True)),
    ),
    "heat": (
        Problem(
            square.over(t, 0, 1),
            heat,
            {
                "initial": Eq(heat.temperature, 0),
                "boundary": Eq(normal_derivative(heat.temperature), 0),
            },
        ),
        {heat.temperature: exp(-t) * x * y},
    ),
    "transport": (Problem(strip, Eq(diff(w, t) + diff(w, x), 0), {"left": Eq(w, 0)}), {w: x * t}),
}


@pytest.mark.parametrize("name", CASES)
def test_the_given_fields_solve_equations_and_conditions(name):
    problem, exact = CASES[name]
    changed = problem.manufactured(exact)
    for residual in changed.residuals:
        assert sympy.simplify(residual.doit().subs(exact).doit()) == 0
    for condition in changed.conditions:
        sample = condition.part.sample(3, key=1)
        for point, outward in zip(sample.points, sample.normals, strict=True):
            here = dict(zip(changed.coordinates, point, strict=True))
            here |= dict(zip(normal(changed.coordinates), outward, strict=True))
            here |= dict.fromkeys(changed.parameters, 0.3)
            for residual in condition.equation.residuals:
                assert abs(residual.doit().subs(exact).doit().subs(here)) < 1e-12


def test_values_on_flat_faces_hold_their_own_coordinates_only():
    exact = sin(x) * exp(y)
    hole = square - geo.Disk((0.5, 0.5), 0.2, name="hole")
    problem = Problem(hole, Eq(laplacian(u), 0), {hole["hole"] + hole["left", "top"]: Eq(u, 0)})
    stated = {c.label: c.equation.rhs for c in problem.manufactured({u: exact}).conditions}
    assert stated == {"hole": exact, "left": 0, "top": sin(x) * sympy.E}


def test_values_at_an_instant_and_a_point_hold_no_constant_coordinate():
    start = Problem(strip, Eq(diff(w, t), 0), {"initial": Eq(w, 0), geo.Point(0.5, 1): Eq(w, 0)})
    stated = [c.equation.rhs for c in start.manufactured({w: (x + 1) * (t + 2)}).conditions]
    assert stated == [2 * x + 2, 4.5]


def test_faces_with_equal_values_stay_one_condition():
    problem = Problem(square, Eq(laplacian(u), 0)).manufactured({u: x * (1 - x) * y * (1 - y)})
    assert [c.equation for c in problem.conditions] == [Eq(u, 0)]


@pytest.mark.parametrize("name", CASES)
def test_the_unknowns_stay_where_they_were(name):
    problem, exact = CASES[name]
    changed = problem.manufactured(exact)
    assert changed.fields == problem.fields and changed.law is problem.law
    for before, after in zip(problem.residuals, changed.residuals, strict=True):
        assert not (after - before).atoms(sympy.Function) & set(problem.fields)
        assert after.atoms(Divergence) == before.atoms(Divergence)


@pytest.mark.parametrize("name", ["nonlinear diffusion", "wave", "plate"])
def test_without_conditions_it_gets_those_that_make_it_sound(name):
    problem, exact = CASES[name]
    assert problem.check().errors and not problem.manufactured(exact).check()


def test_data_take_exact_values():
    points = np.array([[0.2, 0.3], [0.5, 0.5]])
    problem = Problem(
        square, Eq(laplacian(u), 0), data=Data(points, {diff(u, x): [0, 0]}, noise=0.1)
    )
    (data,) = problem.manufactured({u: x**2 * y}).data
    np.testing.assert_allclose(data.values[diff(u, x)], 2 * points[:, 0] * points[:, 1])
    assert data.noise == 0.1


@pytest.mark.parametrize(
    ("exact", "words"),
    [({}, "lacks an expression for u(x, y)"), ({u: k}, "holds the unknown k(x, y)")],
)
def test_refusals(exact, words):
    with pytest.raises(ValueError) as caught:
        Problem(square, Eq(laplacian(u), 0)).manufactured(exact)
    assert words in str(caught.value)
