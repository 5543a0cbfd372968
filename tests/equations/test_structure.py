"""What is read off a statement is what a person would read."""

import pytest
import sympy
from sympy import I

import geometry as geo
from equations import (
    Burgers,
    Condition,
    Data,
    Eq,
    NavierStokes,
    Poisson,
    Problem,
    coordinates,
    diff,
    div,
    field,
    fields,
    grad,
    laplacian,
    normal_derivative,
    parameter,
    structure,
)

x, y, z, t = coordinates("x y z t")
square = geo.Rectangle((0, 0), (1, 1))
cube = geo.Box((0, 0, 0), (1, 1, 1))
u, v = fields("u v", x, y)
w = field("w", x, y, t)
flow = NavierStokes((x, y), viscosity=0.01)


def on_square(equations, conditions=()):
    return Problem(square, equations, conditions)


def condition(*equation):
    return Condition("left", square["left"], Eq(*equation))


def test_orders_along_each_coordinate():
    problem = on_square([Eq(diff(u, x, 2, y) + v, 0), Eq(diff(v, y), u)])
    assert structure.orders(problem) == {u: {x: 2, y: 1}, v: {x: 0, y: 1}}
    assert structure.space_order(problem, u) == 3


def test_orders_look_inside_divergences():
    problem = on_square(Eq(div((1 + u) * grad(u)), 0))
    assert structure.orders(problem)[u] == {x: 2, y: 2}


def test_time_order_counts_time_alone():
    problem = Problem(square.over(t, 0, 1), Eq(diff(w, t, 2), laplacian(w)))
    assert structure.time_order(problem, w) == structure.space_order(problem, w) == 2


@pytest.mark.parametrize(
    ("equation", "linear"),
    [
        (Eq(laplacian(u), sympy.exp(x)), True),
        (Eq(x * diff(u, x) + sympy.sin(y) * u, 1), True),
        (Eq(laplacian(u), u**2), False),
        (Eq(u * diff(u, x), 0), False),
        (Eq((u + 1) ** 2 - u**2, 3), True),
        (Eq(laplacian(u), abs(u)), False),
        (Eq(parameter("a", initial=1) * u + laplacian(u), 0), True),
        (Eq(sympy.sqrt(u**2 + 1) + laplacian(u), 0), False),
    ],
)
def test_linearity(equation, linear):
    assert structure.is_linear(on_square(equation)) is linear


def test_products_of_two_fields_are_not_linear():
    assert not structure.is_linear(on_square([Eq(laplacian(u), v), Eq(u * v, 1)]))


def test_a_nonlinear_condition_makes_the_problem_nonlinear():
    assert not structure.is_linear(
        on_square(Eq(laplacian(u), 0), {"boundary": Eq(normal_derivative(u), u**4)})
    )


@pytest.mark.parametrize(
    ("stated", "values"),
    [
        (condition(u, x), {u: x}),
        (condition(3 * u - x, 0), {u: x / 3}),
        (condition(x, 2 * u), {u: x / 2}),
        (condition((u, v), (1, y)), {u: 1, v: y}),
        (condition((u, u + v), (1, y)), {u: 1}),
        (condition(x * u, 1), {}),
        (condition(u**2, 1), {}),
        (condition(diff(u, x), 1), {}),
        (condition(normal_derivative(u), u), {}),
        (condition(I * u, x), {u: -I * x}),
    ],
)
def test_dirichlet_values(stated, values):
    found = structure.dirichlet(stated)
    assert found.keys() == values.keys()
    assert all(sympy.simplify(found[f] - values[f]) == 0 for f in values)


def test_initial_rates():
    place = square.over(t, 0, 1)["initial"]
    stated = Condition("initial", place, Eq((2 * diff(w, t), w, diff(w, x)), (x, 1, 1)))
    assert structure.initial_rate(stated) == {w: x / 2}
    assert structure.dirichlet(stated) == {w: 1}


@pytest.mark.parametrize(
    ("problem", "velocity"),
    [
        (on_square(flow), tuple(flow.velocity)),
        (on_square(list(flow.equations[::-1])), tuple(flow.velocity)),
        (on_square(Eq(-2 * x * (diff(u, x) + diff(v, y)), 0)), (u, v)),
        (on_square(Eq(div((u, v)), 0)), (u, v)),
        (on_square(Eq(diff(v, x) + diff(u, y), 0)), (v, u)),
        (on_square(Eq(diff(u, x) - diff(v, y), 0)), None),
        (on_square(Eq(diff(u, x) + diff(v, y), x)), None),
        (on_square(Eq(diff(u, x) + diff(u, y), 0)), None),
        (on_square(Eq(laplacian(u), 0)), None),
        (on_square(Eq(u * diff(u, x) + u * diff(v, y), 0)), None),
        (Problem(geo.Interval(0, 1).over(t, 0, 1), Burgers((x, t), viscosity=1)), None),
    ],
)
def test_solenoidal_velocity(problem, velocity):
    assert structure.solenoidal(problem) == velocity


@pytest.mark.parametrize("coordinates", [(x, y, z), (x, y, z, t)])
def test_solenoidal_velocity_in_space(coordinates):
    law = NavierStokes(coordinates, viscosity=1)
    domain = cube.over(t, 0, 1) if t in coordinates else cube
    assert structure.solenoidal(Problem(domain, law)) == tuple(law.velocity)


def test_pressure_enters_by_its_derivatives_alone():
    problem = on_square(flow)
    assert [structure.only_derivatives(problem, f) for f in problem.fields] == [False, False, True]


def test_a_traction_condition_holds_the_pressure():
    assert structure.floating(on_square(flow, {"right": flow.traction_free()})) == ()
    assert structure.floating(on_square(flow, {"right": flow.no_slip()})) == (flow.pressure,)


def test_a_datum_holds_a_potential():
    problem = on_square(Eq(laplacian(u), 0), {"boundary": Eq(normal_derivative(u), 0)})
    assert structure.floating(problem) == (u,)
    assert structure.floating(problem.replace(data=Data([[0.5, 0.5]], {u: [1.0]}))) == ()


def test_groups_put_velocity_apart_from_pressure():
    assert structure.groups(on_square(flow)) == (tuple(flow.velocity), (flow.pressure,))
    assert structure.groups(on_square(Poisson((x, y), unknown=u))) == ((u,),)
