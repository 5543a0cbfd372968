"""Expressions typed on the command line mean what they mean in Python, and cannot do more."""

import pytest
import sympy

import geometry as geo
from equations import Eq, NavierStokes, Problem, coordinates, diff, laplacian, parameter
from science.expressions import parse

x, y = coordinates("x y")
Re = parameter("Re", between=(1, 2))
flow = NavierStokes((x, y), viscosity=1 / Re)
problem = Problem(geo.Rectangle((0, 0), (1, 1)), flow, {"top": Eq(flow.velocity, 0)})
u, v = flow.velocity


@pytest.mark.parametrize(
    "text, expected",
    [
        ("u", u),
        ("sqrt(u**2 + v**2)", flow.speed),
        ("diff(v, x) - diff(u, y)", flow.vorticity),
        ("diff(u, x, 2)", diff(u, x, 2)),
        ("(u, v)", flow.velocity),
        ("laplacian(u) * Re / 2", laplacian(u) * Re / 2),
        ("-abs(p) + sin(pi * x) + 0.5", -abs(flow.pressure) + sympy.sin(sympy.pi * x) + 0.5),
    ],
)
def test_text_is_read_as_mathematics(text, expected):
    assert parse(text, problem) == expected


@pytest.mark.parametrize(
    "text, message",
    [
        ("w", r"'w'.*there are I, Re, p, pi, u, v, x, y"),
        ("u +", "no expression"),
        ("bessel(u)", "no function 'bessel'"),
        ("__import__('os').system('true')", "not understood"),
        ("u.func", "not understood"),
        ("[u for x in y]", "not understood"),
        ("'u'", "not understood"),
        ("diff(u, z)", "no name 'z'"),
        ("sin(u, u)", r"sin\(u, u\): sin takes other arguments"),
        ("sin()", "sin takes other arguments"),
        ("u / 0", "not finite"),
        ("0 / 0", "not finite"),
        ("1e999", "not finite"),
        ("9**9**9**9", "out of range"),
        ("(9**300)**9", "out of range"),
        ("9" * 400, "above 1e\\+300"),
        ("u + (u, v)", "u"),
        ("True", "not understood"),
        ("-" * 100_000 + "u", "nested too deeply"),
    ],
)
def test_anything_else_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse(text, problem)
