"""Equations of single regions: unknowns live where their equations hold, and interfaces tie them
together."""

import json

import jax.numpy as jnp
import numpy as np
import pytest

import geometry as geo
from equations import (
    AdvectionDiffusion,
    Data,
    Eq,
    Heat,
    NavierStokes,
    Problem,
    call,
    compile_expressions,
    coordinates,
    diff,
    fields,
    jump,
    normal_derivative,
    piecewise,
    structure,
)
from equations.serialize import from_json, to_json

x, y, t = coordinates("x y t")
A, B, C = fields("A B C", x)
bar = geo.Regions(a=geo.Interval(0, 1), b=geo.Interval(1, 3))
two = {"a": Eq(diff(A, x, 2), -2), "b": Eq(3 * diff(B, x, 2), 0)}
ends = {"left": Eq(A, 0), "interval2.right": Eq(B, 1)}
contact = {"a|b": [Eq(diff(A, x), 3 * diff(B, x)), Eq(diff(A, x), 5 * (B - A))]}
exact = {A: 2 * x - x**2, B: 1 + 0 * x}  # in contact: no flux at x = 1, where both are 1
one = {"a": Eq(diff(C, x, 2), 1), "b": Eq(2 * diff(C, x, 2), 0)}
closed = {"left": Eq(C, 0), "interval2.right": Eq(C, 1)}

a, b = fields("a b", x, t)
rods = bar.over(t, 0, 1)
warming = {"a": Eq(diff(a, t), diff(a, x, 2)), "b": Eq(diff(b, t), 3 * diff(b, x, 2))}
start = {"initial": [Eq(a, 0), Eq(b, 0)], "left": Eq(a, t), "interval2.right": Eq(b, 0)}
touching = {"a|b": [Eq(a, b), Eq(diff(a, x), 3 * diff(b, x))]}

domain = geo.Regions(fluid=geo.Rectangle((0, 0), (2, 1)), solid=geo.Rectangle((0, -0.5), (2, 0)))
flow = NavierStokes((x, y), viscosity=0.1)
u, v = flow.velocity
hot, wall = fields("T_f T_s", x, y)
laws = {
    "fluid": [
        flow,
        AdvectionDiffusion((x, y), velocity=flow.velocity, diffusivity=0.1, unknown=hot),
    ],
    "solid": Heat((x, y), conductivity=2, unknown=wall),
}
WALLS = {
    "left": [Eq(u, y * (1 - y)), Eq(v, 0), Eq(hot, 0)],
    "right": [flow.traction_free(), Eq(normal_derivative(hot), 0)],
    "top": [flow.no_slip(), Eq(normal_derivative(hot), 0)],
    ("rectangle2.left", "rectangle2.right"): Eq(normal_derivative(wall), 0),
    "rectangle2.bottom": Eq(wall, 1),
}
MEETING = [
    flow.no_slip(),
    Eq(hot, wall),
    Eq(0.1 * normal_derivative(hot), 2 * normal_derivative(wall)),
]
walls = WALLS | {domain["fluid|solid"]: MEETING}
channel = Problem(domain, laws, walls)

SOUND = {
    "a fluid over a solid": channel,
    "two bars with a resistance between them": Problem(bar, two, ends | contact),
    "two rods that touch": Problem(rods, warming, start | touching),
    "one unknown over both": Problem(bar, one, closed),
    "one unknown over both, its continuity stated": Problem(
        bar, one, closed | {"a|b": [Eq(jump(C), 0), Eq(jump(diff(C, x)), 0)]}
    ),
    "an unknown with an equation everywhere": Problem(
        bar,
        [Eq(diff(C, x, 2), 0), *Problem(bar, two).equations],
        contact | {place: [closed[place], ends[place]] for place in ends},
    ),
}


def without(conditions, *places):
    return {k: v for k, v in conditions.items() if k not in places}


BROKEN = {
    "nothing at the interface": (Problem(domain, laws, WALLS), "need 4 to 5", "on fluid|solid"),
    "no heat flux between them": (
        Problem(domain, laws, WALLS | {domain["fluid|solid"]: MEETING[:2]}),
        "3 conditions, where the equations need 4 to 5",
        "on fluid|solid",
    ),
    "a wall of the solid left open": (
        Problem(domain, laws, without(walls, "rectangle2.bottom")),
        "need 1",
        "on rectangle2.bottom",
    ),
    "an unknown of the solid on the fluid's wall": (
        Problem(domain, laws, walls | {"top": [flow.no_slip(), Eq(wall, 0)]}),
        "does not live there, but in solid",
        "on top",
    ),
    "a region misspelt": (
        Problem(domain, {"fluid": laws["fluid"], "sold": laws["solid"]}, walls),
        "no region 'sold'",
        "equations",
    ),
    "a region without equations": (
        Problem(domain, {"fluid": laws["fluid"]}, walls),
        "there is none",
        "equations in solid",
    ),
    "an equation short in one region": (
        Problem(bar, {"a": [two["a"], Eq(diff(B, x, 2), 0)], "b": Eq(diff(B, x, 2), A)}),
        "1 equation for 2 unknowns: A(x), B(x)",
        "equations in b",
    ),
    "regions on a domain without any": (
        Problem(geo.Interval(0, 3), two, {"left": Eq(A, 0), "right": Eq(B, 1)}),
        "no region 'a'; its regions are: none",
        "equations",
    ),
    "one condition between two bars": (
        Problem(bar, two, ends | {"a|b": contact["a|b"][:1]}),
        "3 conditions, where the equations need 4 in all",
        "on left, interval2.right, a|b",
    ),
    "three conditions between two bars": (
        Problem(bar, two, ends | {"a|b": [*contact["a|b"], Eq(A, B)]}),
        "5 conditions, where the equations carry 4 in all",
        "on left, interval2.right, a|b",
    ),
    "two rods that do not touch": (Problem(rods, warming, start), "need 2", "on a|b"),
    "no initial value in one rod": (
        Problem(rods, warming, start | touching | {"initial": Eq(a, 0)}),
        "no conditions for b(x, t), of order 1",
        "on initial",
    ),
    "data of one bar in the other": (
        Problem(bar, two, ends | contact, Data([0.5, 2.0], {A: [1.0, 1.0]})),
        "1 of 2 points lie outside the regions",
        "data",
    ),
    "one value twice, differently, at an interface": (
        channel.add({domain["fluid|solid"]: Eq(u, 1)}),
        "u(x, y) is stated to be 0 and 1",
        "on fluid|solid",
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_the_doctor_finds_nothing_in(name):
    findings = SOUND[name].check()
    assert not findings.errors and not findings.warnings, str(findings)
    assert all(f.where != "doctor" for f in findings), str(findings)


@pytest.mark.parametrize("name", BROKEN)
def test_the_doctor_finds(name):
    problem, message, where = BROKEN[name]
    findings = problem.check()
    assert any(message in f.message and f.where == where for f in findings.errors), str(findings)


def test_residuals_are_those_of_the_region_and_zero_elsewhere():
    problem = Problem(bar, two, ends | contact)
    given = {A: lambda p: p[0] ** 3, B: lambda p: p[0] ** 2}
    residual = problem.residual(given, [[0.5], [2.0]])
    np.testing.assert_allclose(residual, [[6 * 0.5 + 2, 0], [0, 6]])
    assert problem.defines(A + B, [[0.5], [1.0], [2.0]]).tolist() == [False, True, False]
    assert structure.regions(problem) == {A: ("a",), B: ("b",)}


def test_the_exact_solution_of_bars_in_contact_satisfies_everything():
    problem = Problem(bar, two, ends | contact).manufactured(exact)
    assert problem == Problem(bar, two, ends | contact)


def test_a_solution_is_manufactured_region_by_region():
    fields_ = {u: y, v: 0 * x, flow.pressure: x, hot: x * y, wall: x + y}
    problem = channel.manufactured(fields_)
    assert [e.region for e in problem.equations] == ["fluid"] * 4 + ["solid"]
    assert not problem.check().errors
    functions = {f: (lambda p, e=e: float(e.coeff(x)) * p[0]) for f, e in fields_.items()}
    functions |= {u: lambda p: p[1], hot: lambda p: p[0] * p[1], wall: lambda p: p[0] + p[1]}
    points = np.asarray(domain.sample_interior(20, key=0).points)
    np.testing.assert_allclose(problem.residual(functions, points), 0, atol=1e-14)  # rounding


@pytest.mark.parametrize("name", SOUND)
def test_a_statement_by_regions_comes_back_equal(name):
    tree = json.loads(json.dumps(to_json(SOUND[name])))
    assert from_json(tree) == SOUND[name]


def test_a_region_alone_is_a_problem_of_its_own():
    solid = channel.restrict("solid")
    assert solid.fields == (wall,) and not any(e.region for e in solid.equations)
    (finding,) = solid.check().errors
    assert finding.where == "on top"  # where the fluid was
    assert not solid.add({"top": Eq(wall, 0)}).check()
    with pytest.raises(ValueError, match="restrict to the name of one"):
        channel.restrict(geo.Disk((1, 0), 0.1))


def test_dimensionless_forms_keep_the_regions():
    hotter = Problem(bar, {"a": Eq(5e4 * diff(A, x, 2), -1e5), "b": two["b"]}, ends | contact)
    scaled = hotter.nondimensionalize()
    assert scaled is not hotter and [e.region for e in scaled.equations] == ["a", "b"]
    assert not scaled.check().errors


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Problem(bar, {1: two["a"]}), "name of a region, or a tuple of names; got 1"),
        (lambda: Problem(bar, {"a": {"b": two["a"]}}), "`equations` of 'a'"),
        (lambda: Problem(bar, two, {"left": {A: 0}}), "`conditions` at 'left'"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(TypeError) as caught:
        make()
    assert words in str(caught.value)


def test_two_calls_stand_in_one_product():
    """SymPy orders factors, for which functions have no order of their own."""
    f, g = (call(function, x, name="f") for function in (jnp.sin, jnp.cos))
    assert (f * g) / (g * f) == 1 and f * g == g * f


def test_a_laplacian_with_a_coefficient_by_regions_is_one_functional():
    k, w = piecewise(domain, fluid=1, solid=3), flow.pressure
    residual = k * diff(w, x, 2) + 2 * k * diff(w, y, 2)
    (functional,) = compile_expressions([residual], (x, y)).functionals
    assert functional.terms == (((0, 2), 2), ((2, 0), 1))
