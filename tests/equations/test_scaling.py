"""The dimensionless form of a problem states the same thing: same residuals, same solutions."""

import zlib

import jax.numpy as jnp
import numpy as np
import pytest
import sympy
from sympy import Integral, exp, sin

import geometry as geo
from equations import (
    Eq,
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
