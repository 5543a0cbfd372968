"""Statements as JSON: they come back equal, and a file can make nothing happen."""

import json
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
import sympy

import geometry as geo
from diffcore import nn
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
from equations.serialize import SerializationError, from_json, to_json
from solvers import PINN

x, y, t = coordinates("x y t")
u = field("u", x, t)
w = field("w", x, y)
k = field("k", x, positive=True)
h = field("h", x, t, complex=True)
nu = parameter("nu", initial=0.1, positive=True)
Re = parameter("Re", between=(50, 200))

EXPRESSIONS = [
    2 * (x + y),
    sympy.Mul(2, x + y, evaluate=False),
    sympy.Add(y, x, evaluate=False),
    sympy.Rational(1, 3) * sympy.pi + sympy.E**x,
    0.1 * x + 1e-300,
    sympy.Float("0.1", 30) * x,
    -sympy.oo,
    div(k * grad(u)),
    laplacian(w),
    diff(u, x, 2, t),
    normal_derivative(w),
    grad(w),
    sympy.I * sympy.Abs(h) ** 2 * sympy.conjugate(h),
    sympy.Piecewise((x, x < 0), (sympy.exp(x) / nu, True)),
    sympy.Piecewise((1, (x > 0) & ~(y <= 1)), (0, True)),
    sympy.Max(x, y, 0) + sympy.Min(x, y),
    sympy.Integral(sympy.exp(-x) * u, (x, 0, t)),
    sympy.besselj(1, x) + sympy.erf(x) + sympy.Heaviside(x) + sympy.atan2(y, x),
    1 / Re,
    sympy.Symbol("n", integer=True),
    Eq(grad(w), (1, 0)),
]


def again(value, **options):
    """The value after a trip through JSON text."""
    return from_json(json.loads(json.dumps(to_json(value, **options))), **options)


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_an_expression_comes_back_equal_and_alike(expression):
    back = again(expression)
    assert back == expression and type(back) is type(expression)
    assert hash(back) == hash(expression) and back.args == expression.args


flow = NavierStokes((x, y), viscosity=0.01)
channel = geo.Rectangle((0, 0), (2.2, 0.41)) - geo.Disk((0.2, 0.2), 0.05, name="cylinder")
SIDE = geo.Rectangle((0, 0), (1, 1))["left"]
PROBLEMS = {
    "flow around a cylinder": Problem(
        channel,
        flow,
        {
            "left": Eq(flow.velocity, (1.2 * y * (0.41 - y), 0)),
            ("bottom", "top", "cylinder"): flow.no_slip(),
            "right": flow.traction_free(),
            geo.Point(2, 0.2): Eq(flow.pressure, 0),
        },
        name="cylinder",
    ),
    "heat in a periodic interval": Problem(
        geo.Interval(-1, 1).periodic("x").over(t, 0, 1),
        Heat((x, t), conductivity=nu, unknown=u),
        {"initial": Eq(u, sympy.sin(sympy.pi * x))},
    ),
    "pieces of a side": Problem(
        geo.Rectangle((0, 0), (1, 1)),
        Eq(-laplacian(w), 1),
        {
            SIDE.where(y > 0.5): Eq(w, 1),
            SIDE.where(y < 0.5).where(y > 0.1): Eq(normal_derivative(w), 0),
            ("right", "bottom", "top"): Eq(w, 0),
        },
    ),
    "a part that does not exist": Problem(
        geo.Interval(0, 1), Eq(diff(k, x), 1), {"lefft": Eq(k, 0)}
    ),
}


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_a_statement_comes_back_equal(problem):
    back = again(problem)
    assert back == problem and str(back) == str(problem)
    assert [c.part for c in back.conditions] == [c.part for c in problem.conditions]


def test_measured_data_come_back_bit_by_bit():
    rng = np.random.default_rng(0)
    points, values = rng.normal(size=(50, 2)), rng.normal(size=50)
    data = Data(points, {u: values}, noise=0.01)
    domain = geo.Interval(0, 1).over(t, 0, 1)
    (back,) = again(Problem(domain, Eq(diff(u, t), 0), data=data)).data
    assert np.array_equal(back.points, points) and np.array_equal(back.values[u], values)
    assert back.noise == 0.01


def test_arrays_keep_type_and_shape():
    for array in (np.arange(6).reshape(2, 3), np.ones(2, complex), np.zeros((0, 2), np.float32)):
        back = again({"a": (array, None, 1.5, float("inf"))})["a"]
        assert back[0].dtype == array.dtype and np.array_equal(back[0], array)
        assert back[1:] == (None, 1.5, float("inf"))


def test_the_choices_of_a_method_come_back():
    packages = ("solvers", "diffcore.nn")
    method = PINN(width=16, network=partial(nn.PirateNet, width=8, depth=2, activation=nn.sine))
    back = again(method, packages=packages)
    assert back.network.func is nn.PirateNet and back.network.keywords == method.network.keywords
    assert (back.width, back.steps) == (16, method.steps)
    assert again(nn.tanh, packages=packages) is nn.tanh
    with pytest.raises(SerializationError, match="no public name"):
        to_json(PINN(network=lambda *sizes, key: None), packages=packages)


def test_a_class_of_the_users_own_is_refused_at_once():
    @dataclass(frozen=True)
    class Mine:
        size: int = 1

    with pytest.raises(SerializationError, match=r"Mine is not of geometry.*\.vtu"):
        to_json(Mine())
    with pytest.raises(SerializationError, match="no stored form"):
        to_json(sympy.Lambda(x, x))


EVIL = "__import__('os').system('true')"
HOSTILE = {
    "a function of Python": {"name": "os.system"},
    "a class of Python": {"class": "subprocess.Popen", "fields": {"args": ["true"]}},
    "a private name": {"name": "geometry._arrays"},
    "a module that is imported": {"name": "geometry.np"},
    "a law, which evaluates text": {
        "problem": {
            "domain": {"class": "geometry.Interval", "fields": {"lower": 0, "upper": 1}},
            "equations": [{"class": "equations.Poisson", "fields": {"source": EVIL}}],
            "conditions": [],
            "data": [],
            "name": None,
        }
    },
    "text for an expression": {"sympy": ["Add", EVIL, 1]},
    "text for a side of an equation": {"sympy": ["Eq", EVIL, 0]},
    "text as a number": {"sympy": ["symbol", {"real": True}, EVIL]},
    "a field with a name that is a program": {"sympy": ["field", EVIL, {"real": True}, 1]},
    "a symbol with a name that is a program": {"sympy": ["symbol", EVIL, {"real": True}]},
    "a parameter with a name that is a program": {"sympy": ["parameter", EVIL, 1, [], False]},
    "a normal with a name that is a program": {"sympy": ["normal", EVIL]},
    "a condition on a field": {
        "class": "geometry.condition.Condition",
        "fields": {
            "statement": {"sympy": ["field", "exit", {}, ["symbol", "x", {"real": True}]]},
            "axes": {"tuple": ["x"]},
        },
    },
    "an unknown function": {"sympy": ["Lambda", 1, 2]},
    "SymPy's reader": {"sympy": ["sympify", EVIL]},
    "data of text": {
        "data": {"points": {"tuple": [0]}, "values": {"dict": [[EVIL, 1]]}, "noise": 1}
    },
    "part of a function of Python": {"partial": ["os.system", {"tuple": ["true"]}, {"dict": []}]},
    "an array of objects": {"array": {"dtype": "O", "shape": [1], "data": "gASVCg=="}},
    "two kinds at once": {"tuple": [], "dict": []},
    "no fields": {"class": "geometry.Disk", "fields": {"radius": 1}},
    "a bottomless tree": None,
}


@pytest.mark.parametrize("tree", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_tree_is_refused_and_nothing_runs(tree, monkeypatch):
    evaluated = []
    monkeypatch.setattr(sympy.parsing.sympy_parser, "eval_expr", lambda *a: evaluated.append(a))
    if tree is None:
        tree = {"sympy": 1}
        for _ in range(100_000):
            tree = {"tuple": [tree]}
    with pytest.raises(SerializationError):
        from_json(tree)
    assert not evaluated
