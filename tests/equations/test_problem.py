"""`Problem` is immutable data: equal where the statement is equal, and printable."""

import dataclasses
import pickle
import re

import numpy as np
import pytest
import sympy
from sympy import sin

import geometry as geo
from equations import (
    Burgers,
    Condition,
    Data,
    Eq,
    NavierStokes,
    Problem,
    coordinates,
    diff,
    field,
    laplacian,
    parameter,
)

x, y, t = coordinates("x y t")
u = field("u", x, y)
square = geo.Rectangle((0, 0), (1, 1))
nu = parameter("nu", initial=0.1, positive=True)
flow = NavierStokes((x, y), viscosity=nu)


def cavity():
    law = NavierStokes((x, y), viscosity=nu)
    return Problem(
        geo.Rectangle((0, 0), (1, 1)),
        law,
        {
            "top": Eq(law.velocity, (1, 0)),
            ("left", "right", "bottom"): law.no_slip(),
            geo.Point(0.5, 0.5): Eq(law.pressure, 0),
        },
        name="cavity",
    )


def test_equal_statements_are_equal_and_hash_alike():
    assert cavity() == cavity() and hash(cavity()) == hash(cavity())
    assert cavity() != cavity().replace(domain=geo.Rectangle((0, 0), (2, 1)))
    assert cavity() != cavity().replace(conditions=())


def test_pickling_gives_an_equal_problem():
    again = pickle.loads(pickle.dumps(cavity()))
    assert again == cavity() and again.law == cavity().law
    assert again.parameters[0].initial == 0.1


def test_a_problem_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        cavity().name = "other"


def test_replace_keeps_the_rest():
    other = cavity().replace(name="lid")
    assert other.name == "lid" and other.conditions == cavity().conditions
    assert other.law == cavity().law


def test_fields_come_in_the_order_of_the_law():
    assert cavity().fields == (*flow.velocity, flow.pressure)


def test_coordinates_follow_the_axes_of_the_domain():
    w = field("w", t, x)
    problem = Problem(geo.Interval(0, 1).over(t, 0, 1), Eq(diff(w, t), diff(w, x, 2)))
    assert problem.coordinates == (x, t)


def test_parameters_of_equations_and_conditions_are_found():
    a = parameter("a", between=(0, 1))
    problem = cavity().replace(conditions=(*cavity().conditions, *point(Eq(flow.pressure, a))))
    assert problem.parameters == (a, nu)


def point(equation):
    return Problem(square, flow, {geo.Point(0.1, 0.1): equation}).conditions


@pytest.mark.parametrize(
    "equations",
    [
        Eq(laplacian(u), 0),
        [Eq(laplacian(u), 0)],
        [[Eq(laplacian(u), 0)]],
        sympy.Eq(laplacian(u), 0),
    ],
)
def test_equations_come_in_several_forms(equations):
    assert Problem(square, equations).equations == (Eq(laplacian(u), 0),)


def test_keys_of_conditions_name_the_same_part_in_several_ways():
    by_name, by_tuple, by_part = (
        Problem(square, Eq(laplacian(u), 0), {key: Eq(u, 0)})
        for key in ("left", ("left",), square["left"])
    )
    assert by_name == by_tuple == by_part


def test_a_part_of_the_space_stands_for_its_side_of_space_time():
    w = field("w", x, y, t)
    domain = square.over(t, 0, 1)
    problem = Problem(domain, Eq(diff(w, t), laplacian(w)), {square["left"]: Eq(w, 0)})
    assert problem.conditions[0].part == domain["left"]


def test_a_missing_part_waits_for_the_doctor():
    (condition,) = Problem(square, Eq(laplacian(u), 0), {"lft": Eq(u, 0)}).conditions
    assert condition == Condition("lft", None, Eq(u, 0))


def test_data_take_lists_and_give_columns():
    data = Data([0.1, 0.2], {field("f", x): [1, 2]})
    assert data.points.shape == (2, 1) and list(data.values.values())[0].shape == (2,)


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: Problem(square, laplacian(u)), TypeError, "`equations` takes `Eq(...)`"),
        (lambda: Problem(square, "u = 0"), TypeError, "`equations` takes"),
        (lambda: Problem(square, NavierStokes), TypeError, "the class NavierStokes; make a law"),
        (lambda: Problem(square, Eq(u, 0), {"left": u}), TypeError, "`conditions` at 'left' takes"),
        (lambda: Problem(square, Eq(u, 0), {"left": u == 0}), TypeError, "`conditions` at 'left'"),
        (lambda: Problem(square, Eq(u, 0), {"left": {u: 0}}), TypeError, "`Eq(u, 1)` for a value"),
        (lambda: Problem(square, Eq(u, 0), {0: Eq(u, 0)}), TypeError, "a key of `conditions`"),
        (lambda: Problem(square, Eq(u, 0), [Eq(u, 0)]), TypeError, "`conditions` takes"),
        (lambda: Problem(square, Eq(u, 0), {(): Eq(u, 0)}), TypeError, "a key of `conditions`"),
        (lambda: Problem(square, Eq(u, 0), None), TypeError, "`conditions` takes"),
        (lambda: Problem(square, Eq(u, 0), Eq(u, 0)), TypeError, "`conditions` takes"),
        (lambda: Problem(square, u == 0), TypeError, "Write `Eq(u, 0)` in place of `u == 0`"),
        (lambda: Problem(square, Eq(u, 0), data=[1]), TypeError, "`data` takes"),
        (lambda: Problem(square, Eq(u, 0), data=None), TypeError, "`data` takes"),
        (lambda: Data(None, {u: [1]}), TypeError, "its points as an array of numbers"),
        (lambda: Data([[0, 0]], {u: None}), TypeError, "its values of u(x, y) as an array"),
        (lambda: Data([[0, 0]], None), TypeError, "`Data` takes values as `{u: (n,)}`"),
        (lambda: Data([[0, 0]], {"[].append(1)": [1]}), TypeError, "strings are not evaluated"),
        (lambda: Data([[0, 0]], {u: [1, 2]}), ValueError, "one value of u(x, y) a point"),
        (lambda: Data([[0, 0]], {u: [np.nan]}), ValueError, "must be finite"),
        (lambda: Data([[0, np.inf]], {u: [0]}), ValueError, "points must be finite"),
        (lambda: Data([[0, 0]], {u: [0]}, noise=0), ValueError, "above 0; got 0"),
    ],
)
def test_refusals(make, kind, words):
    with pytest.raises(kind) as caught:
        make()
    assert words in str(caught.value)


@pytest.mark.parametrize("domain", [None, 3, "square", geo.Rectangle])
def test_what_is_no_shape_is_refused_as_a_domain(domain):
    with pytest.raises(TypeError, match="`domain` must be a shape"):
        Problem(domain, Eq(laplacian(u), 0), {"left": Eq(u, 0)})


@pytest.mark.parametrize(
    ("points", "fields", "words"),
    [
        (np.zeros((3, 1)), {u: lambda p: p[0]}, "`points` must have shape (n, 2)"),
        (np.zeros((3, 2)), {}, "no function for u(x, y)"),
    ],
)
def test_residual_refuses(points, fields, words):
    with pytest.raises(ValueError) as caught:
        Problem(square, Eq(laplacian(u), 0)).residual(fields, points)
    assert words in str(caught.value)


def test_residual_takes_parameters_by_symbol_or_name():
    problem = Problem(square, Eq(nu * u, 0))
    for key in (nu, "nu"):
        value = problem.residual({u: lambda p: p[0]}, [[2.0, 0.0]], {key: 3.0})
        assert value.item() == 6.0


def test_text_holds_the_statement_in_reading_order():
    data = Data([[0.5, 0.5]], {flow.pressure: [1.0]}, noise=0.1)
    text = str(cavity().replace(data=data))
    for words in (
        "Problem cavity",
        "domain",
        "Rectangle((0, 0), (1, 1))",
        "u(x, y), v(x, y), p(x, y)",
        "on top: u(x, y) = 1, v(x, y) = 0",
        "on left, right, bottom",
        "on Point(0.5, 0.5): p(x, y) = 0",
        "nu, identified from 0.1",
        "1 values of p(x, y), noise 0.1",
    ):
        assert words in text
        text = text[text.index(words) :]


@pytest.mark.parametrize(
    "problem",
    [
        cavity(),
        Problem(
            geo.Interval(-1, 1).over(t, 0, 1),
            Burgers((x, t), viscosity=0.01),
            {"initial": Eq(field("u", x, t), -sin(x))},
        ),
    ],
)
def test_latex_is_balanced_and_has_one_row_for_each_statement(problem):
    latex = problem._repr_latex_()
    assert latex.startswith("$$") and latex.endswith("$$")
    assert latex.count("{") == latex.count("}")
    assert len(re.findall(r"\\left", latex)) == len(re.findall(r"\\right(?!arrow)", latex))
    assert latex.count(r"\begin") == latex.count(r"\end")
    assert latex.count("&=") == len(problem.equations) + len(problem.conditions)


def test_the_condition_of_a_piece_shows_and_holds_in_space_time():
    x, y, t = coordinates("x y t")
    v = field("v", x, y, t)
    square = geo.Rectangle((0, 0), (1, 1))
    upper = square["left"].where(y > 0.5)
    p = Problem(square.over(t, 0, 1), Eq(diff(v, t), v), {upper: Eq(v, 1)})
    assert "on left where y > 0.5: v(x, y, t) = 1" in str(p)
    assert "left where y > 0.5" in p._repr_latex_()
    (condition,) = p.conditions
    assert condition.part.measure == pytest.approx(0.5)
    assert np.all(condition.part.sample(16, key=0).points[:, 1] > 0.5)


def test_pieces_by_functions_of_one_name_are_printed_one_by_one():
    side = square["left"]
    upper, lower = (side.where(lambda p, s=s: s * (p[..., 1] - 0.5)) for s in (1, -1))
    p = Problem(square, Eq(laplacian(u), 0), {upper: Eq(u, 1), lower: [Eq(u, 0)]})
    assert str(p).count("on left where <lambda>: ") == 2
