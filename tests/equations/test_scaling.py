"""The dimensionless form of a problem states the same thing: same residuals, same solutions."""

import zlib

import jax.numpy as jnp
import numpy as np
import pytest
import sympy
from sympy import Integral, exp, pi, sin

import geometry as geo
from equations import (
    Data,
    Eq,
    NotScalable,
    Problem,
    Scaling,
    call,
    coordinates,
    diff,
    div,
    field,
    function_jets,
    grad,
    integral,
    is_time,
    laplacian,
    mean,
    normal_derivative,
    parameter,
    structure,
)
from equations.symbols import NormalComponent
from tests.equations.sound_laws import LAWS
from tests.equations.statements import SOUND

x, y, t, s = coordinates("x y t s")
r, theta = coordinates("r theta", system="polar")
u, w, f = field("u", x, y), field("w", x, t), field("f", x)
v = field("v", r, theta)
square, line = geo.Rectangle((0, 0), (1, 2)), geo.Interval(0, 2)
ring = geo.Rectangle((1, 0), (2, 1), axes=("r", "theta"))

OTHERS = {
    "an integral equation": Problem(
        line, Eq(diff(f, x) + f, Integral(exp(s - x) * f.subs(x, s), (s, 0, x)))
    ),
    "a delay": Problem(line.over(t, 1, 2), Eq(diff(w, t), -w.subs(t, t - sympy.Rational(1, 2)))),
    "a double integral": Problem(
        line, Eq(f, Integral(f.subs(x, s) * Integral(f.subs(x, y), (y, 0, s)), (s, 0, 1)))
    ),
    "a mean": Problem(square, Eq(laplacian(u), mean(u)), {"domain": Eq(mean(u), 1)}),
    "a flow rate": Problem(
        square, Eq(laplacian(u), 0), {"domain": Eq(integral(u**2, over=("left", "top")), 3)}
    ),
    "an obstacle": Problem(square, Eq(laplacian(u), 0), {"domain": u >= x * y}),
    "a condition of a region": Problem(
        square, Eq(laplacian(u), 0), {geo.Disk((0.5, 0.5), 0.2): Eq(u, x)}
    ),
    "a function": Problem(square, Eq(laplacian(u), call(lambda p: p[0] * p[1] ** 2, u, x))),
    "polar coordinates": Problem(
        ring, Eq(-div((1 + v**2) * grad(v)), r * sin(theta)), {"left": Eq(normal_derivative(v), v)}
    ),
    "an integral over a ring": Problem(ring, Eq(v, integral(v))),
    "a piece of a wall": Problem(
        square, Eq(laplacian(u), 0), {square["left"].where(y > 0.5): Eq(u, y)}
    ),
}
LOCAL = SOUND | LAWS
# Residuals agree up to rounding; in long expressions some digits cancel.
ROUNDING = 1e-9


def some_scaling(problem):
    """Scales that nothing in the statement asks for, so that no factor can hide."""
    units = [(c, 3.0 if is_time(c) else 1.0 if c == theta else 0.4) for c in problem.coordinates]
    fields = [(f, 2.5, 0.3 if f.is_real and not f.is_positive else 0.0) for f in problem.fields]
    parameters = [(p, 0.2) for p in problem.parameters if p.initial is not None]
    return Scaling(tuple(units), tuple(fields), tuple(parameters))


def statements(problem):
    """Every scalar residual with points and normals at which it holds."""
    inner = problem.domain.sample_interior(6, key=0).points
    yield from ((residual, inner, np.zeros_like(inner)) for residual in problem.residuals)
    for condition in problem.conditions:
        sample = condition.part.sample(6, key=1)
        for residual in condition.equation.residuals:
            yield residual, np.asarray(sample.points), np.asarray(sample.normals)


def numbers(problem, residual, points, normals, jets):
    """A residual at points, for given values of its jets."""
    held = structure.jet_expression(residual)
    known = {symbol: jets(jet, len(points)) for jet, symbol in held.symbols.items()}
    known |= dict(zip(problem.coordinates, points.T, strict=True))
    axes = [c.name for c in problem.coordinates]
    for symbol in held.expression.free_symbols - set(known):
        if isinstance(symbol, NormalComponent):
            known[symbol] = normals[:, axes.index(symbol.axis)]
        else:
            known[symbol] = symbol.initial or sum(symbol.between) / 2
    function = sympy.lambdify(list(known), held.expression, modules=["numpy", "scipy"])
    return np.broadcast_to(function(*known.values()), len(points))


def assert_proportional(a, b):
    """Two arrays differ by a constant factor."""
    i = np.argmax(np.abs(a))
    if np.abs(a[i]) < 1e-12:
        assert np.abs(b).max() < 1e-9
    else:
        assert np.abs(b * (a[i] / b[i]) - a).max() <= ROUNDING * np.abs(a[i])


@pytest.mark.parametrize("name", LOCAL)
def test_every_equation_and_condition_says_the_same_in_other_units(name):
    problem = LOCAL[name]
    scaling = some_scaling(problem)
    scaled = scaling.apply(problem)

    def jets(jet, n):
        random = np.random.default_rng(zlib.crc32(f"{jet.field}{jet.orders}".encode()))
        return random.uniform(1, 2, n)

    def in_units(jet, n):
        lengths = [scaling[a] ** k for a, k in zip(jet.field.args, jet.orders, strict=True)]
        offset = scaling.offsets.get(jet.field, 0.0) if jet.is_value else 0.0
        return (jets(jet, n) - offset) * np.prod(lengths) / scaling[jet.field]

    for before, after in zip(statements(problem), statements(scaled), strict=True):
        assert after[1] * [unit for _, unit in scaling.coordinates] == pytest.approx(before[1])
        assert_proportional(numbers(problem, *before, jets), numbers(scaled, *after, in_units))


@pytest.mark.parametrize("name", OTHERS)
def test_integrals_and_values_elsewhere_say_the_same_in_other_units(name):
    problem = OTHERS[name]
    scaling = some_scaling(problem)
    (f,) = problem.fields
    lengths = np.array([scaling[a] for a in f.args])

    def function(p):
        return 1.5 + jnp.sin(p @ jnp.linspace(0.3, 1, len(f.args)))

    def in_units(p):
        return (function(p * lengths) - scaling.offsets[f]) / scaling[f]

    def evaluated(problem, function):
        jets = function_jets({f: function}, problem.coordinates)
        for residual, points, normals in statements(problem):
            compiled = problem.compile([residual])
            places = jnp.asarray(points), jnp.asarray(normals)
            values = compiled.values(jets, places[0], {}, places[1])
            yield np.asarray(compiled(places[0], values, {}, places[1])[0])

    scaled = scaling.apply(problem)
    for a, b in zip(evaluated(problem, function), evaluated(scaled, in_units), strict=True):
        assert_proportional(a, b)


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("water in a narrow channel", {"Re": 0.1 * 1e-2 / 1e-6}),
        ("a rod in an hour", {"Fo": 50 / 3.9e6 * 3600 / 0.1**2, "Bi": 10 * 0.1 / 50}),
        ("a wall between two rooms", {"Bi": 8 * 0.24 / 0.8}),
        ("a string", {"Co": 300 * 0.01}),
    ],
)
def test_dimensionless_groups_have_their_textbook_values(name, groups):
    found = dict(LAWS[name].nondimensionalize().scaling.groups)
    assert found == pytest.approx(groups, rel=1e-5)  # printed to six digits


rod = field("T", x)
carried = Problem(
    geo.Interval(0, 100),
    Eq(2.0 * diff(rod, x), 4.0 * diff(rod, x, 2) + 0.01 * rod),
    {"left": Eq(rod, 500), "right": Eq(rod, 0)},
)


def test_advection_and_reaction_are_compared_with_diffusion():
    found = dict(carried.nondimensionalize().scaling.groups)
    assert found == pytest.approx({"Pe": 2 * 100 / 4, "Da": 0.01 * 100**2 / 4})


@pytest.mark.parametrize(
    ("name", "units"),
    [
        # a film between plates 1 mm apart: a pressure gradient of 1e7 Pa/m and 10 Pa s
        ("glue pressed through a channel", {"u": 1e7 * 1e-6 / 10, "p": 1e5}),
        ("water in a narrow channel", {"u": 0.1, "v": 0.1, "x": 1e-2, "y": 1e-2}),
        ("a cantilever", {"w": 1e3 / 2e6}),  # F L^3 / (E I)
        ("an aquifer", {"p": 2e5, "x": 1000}),
        ("a wall between two rooms", {"T": 15}),  # half of 30 K
    ],
)
def test_scales_are_what_a_textbook_would_take(name, units):
    scaling = LAWS[name].nondimensionalize().scaling
    found = {getattr(k, "name", None) or k.func.__name__: u for k, u in scaling.units.items()}
    assert {k: found[k] for k in units} == pytest.approx(units, rel=0.05)  # two digits are kept


def test_a_source_that_oscillates_asks_for_a_smaller_solution():
    g = field("g", x, y)
    source = 1e6 * sin(20 * pi * x) * sin(20 * pi * y)
    p = Problem(geo.Rectangle((0, 0), (1, 1)), Eq(-laplacian(g), source), {"boundary": Eq(g, 0)})
    exact = 1e6 / (2 * (20 * np.pi) ** 2)
    assert exact / 5 < p.nondimensionalize().scaling[g] < exact * 5


def test_saturation_counts_more_than_a_small_start():
    w = field("w", t)
    p = Problem(geo.Time(0, 1), Eq(diff(w, t), w - w**2 / 1000), {"initial": Eq(w, 1)})
    assert p.nondimensionalize().scaling[w] == 1000


def test_the_dimensionless_form_is_printed_with_scales_and_groups():
    p = LAWS["a rod in an hour"].nondimensionalize()
    text = str(p)
    assert "T = 293 + 1 T'" in text and "groups      Fo = 4.615, Bi = 0.02" in text
    assert p.nondimensionalize() is p and not p.check().errors
    assert p.domain == geo.Interval(0.0, 1.0).over(t, 0.0, 1.0)


def test_data_are_carried_over():
    k = parameter("k", initial=2e-5, positive=True)
    readings = Data([[0.05, 30.0]], {w: [330.0], diff(w, x): [20.0]}, noise=2.0)
    p = Problem(
        geo.Interval(0, 0.1).over(t, 0, 60), Eq(diff(w, t), k * diff(w, x, 2)), (), readings
    )
    scaling = Scaling(((x, 0.1), (t, 60.0)), ((w, 40.0, 290.0),), ((k, 2e-5),))
    value, slope = scaling.apply(p).data
    assert value.points == pytest.approx(np.array([[0.5, 0.5]]))
    assert list(value.values) == [w] and value.values[w] == pytest.approx([1.0])
    assert value.noise == pytest.approx(2 / 40) and slope.noise == pytest.approx(2 / 20)
    ((expression, number),) = slope.values.items()
    assert number == pytest.approx([1.0]) and expression == 20 * diff(w, x)  # 40 / 0.1 / 20
    assert scaling.apply(p).parameters[0].initial == 1


class Riddle(sympy.Function):
    """A term that nobody can read."""

    def rewritten(self, rewriting):
        raise NotScalable("a riddle")


Riddle.__module__ = "equations.riddle"


def test_a_term_without_a_form_in_other_units_is_told():
    p = Problem(geo.Interval(0, 1e-3), Eq(diff(f, x, 2), Riddle(f)), {"left": Eq(f, 1e6)})
    with pytest.raises(NotScalable, match="a riddle"):
        p.nondimensionalize()
