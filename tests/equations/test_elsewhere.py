"""Terms that take fields elsewhere than at the point: integrals, delays, memory, other points."""

import json
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy
from sympy import Integral, cos, cosh, exp, oo, pi, sin

import geometry as geo
from equations import (
    Caputo,
    Eq,
    Problem,
    average,
    compile_expressions,
    convolve,
    coordinates,
    delayed,
    diff,
    dot,
    eigenvalue,
    field,
    fractional_laplacian,
    function_jets,
    integral,
    jump,
    laplacian,
    mean,
    normal,
    normal_derivative,
    parameter,
    periodic,
    piecewise,
    structure,
    symmetry,
    vector_field,
    weak_form,
)
from equations.integrals import GaussIntegral
from equations.serialize import from_json, to_json
from equations.weak import NoWeakForm

x, y, t, s, q = coordinates("x y t s q")
u = field("u", x)
w = field("w", x, t)
v = field("v", x, y)
line, square = geo.Interval(0, 1), geo.Rectangle((0, 0), (1, 2))
strip = line.over(t, 0, 2)
alpha = parameter("alpha", initial=0.5)

# Gauss rules are exact up to rounding for these, but for what is in TOLERANCES.
TOLERANCES = {"an unbounded integral": 5e-5}  # 24 points on a mapped line leave 2e-5 of a Gaussian
EXACT = {
    "volterra": (
        Eq(diff(u, x) + u, Integral(exp(s - x) * u.subs(x, s), (s, 0, x))),
        {u: exp(-x) * cosh(x)},
    ),
    "fredholm": (
        Eq(u, exp(x) - x + Integral(x * s * u.subs(x, s), (s, 0, 1))),
        {u: exp(x)},
    ),
    "a coordinate as the bound variable": (
        Eq(u, 3 * x**2 * Integral(u, (x, 0, 1))),
        {u: x**2},
    ),
    "a derivative under the integral": (
        Eq(u, u.subs(x, 0) + Integral(diff(u, x).subs(x, s), (s, 0, x))),
        {u: sin(3 * x)},
    ),
    "nested integrals": (
        Eq(u, 1 + Integral(Integral(u.subs(x, q), (q, 0, s)), (s, 0, x))),
        {u: cosh(x)},
    ),
    "a product of integrals in a nonlinear term": (
        Eq(u**2, 4 * Integral(u.subs(x, s), (s, 0, x)) ** 2 / x**2),
        {u: 5 * x},
    ),
    "two limits in one integral": (
        Eq(u, x + Integral(u.subs(x, s) * q, (q, 0, s), (s, 0, 1)) - sympy.Rational(1, 8)),
        {u: x},
    ),
    "an unbounded integral": (
        Eq(u * sympy.sqrt(pi), x * Integral(exp(-(s**2)), (s, -oo, oo))),
        {u: x},
    ),
    "a half-bounded integral": (Eq(u, x * Integral(1 / (1 + s) ** 2, (s, 0, oo))), {u: x}),
    "a convolution": (
        Eq(u, x - convolve(x, u, (x, 0, x))),
        {u: sin(x)},
    ),
    "an algebraic weight": (
        Eq(GaussIntegral(u.subs(x, s), (s, 0, x), (0, -0.5), 16), 4 * x**1.5 / 3),
        {u: x},
    ),
    "an integral in time": (
        Eq(w, x * (1 + t) - Integral(w.subs(t, s), (s, 0, t)) + x * (t + t**2 / 2)),
        {w: x * (1 + t)},
    ),
    "a delay": (
        Eq(diff(w, t), delayed(w, t, sympy.Rational(1, 2), history=x * (t - 1)) + x * (2.5 - t)),
        {w: x * (t - 1)},
    ),
    "another point": (Eq(diff(w, x), w.subs(x, 1) - w.subs(x, 0)), {w: x * cos(t)}),
    "both coordinates elsewhere": (Eq(w, 4 * w.subs({x: x / 2, t: t / 2})), {w: x * t}),
    "caputo below one": (
        Eq(Caputo(w, t, 0.3), 2 * x * t**1.7 / math.gamma(2.7)),
        {w: x * t**2},
    ),
    "caputo above one": (
        Eq(Caputo(w, t, 1.6), 6 * x * t**1.4 / math.gamma(2.4)),
        {w: x * t**3},
    ),
    "caputo of an unknown order": (
        # in z = ((t - s) / t)^(1 - alpha) the integrand is smooth, for 1 / (1 - alpha) is 2 here
        Eq(Caputo(w, t, alpha), 2 * x * t ** (2 - alpha) / sympy.gamma(3 - alpha)),
        {w: x * t**2},
    ),
}


def exact_functions(exact):
    return {f: of_point(sympy.lambdify(f.args, value, "jax")) for f, value in exact.items()}


def of_point(function):
    return lambda point: function(*point)


@pytest.mark.parametrize("name", EXACT)
def test_an_exact_solution_leaves_no_residual(name):
    equation, exact = EXACT[name]
    domain = strip if w in exact else line
    problem = Problem(domain, equation)
    assert problem.fields == tuple(exact)
    points = np.asarray(domain.sample_interior(8, key=0).points)
    residual = problem.residual(exact_functions(exact), points, {"alpha": 0.5})
    np.testing.assert_allclose(residual, 0, atol=TOLERANCES.get(name, 1e-12))


@pytest.mark.parametrize(("order", "tolerance"), [(0.5, 5e-5), (1.0, 3e-5), (1.5, 1e-5)])
def test_the_fractional_laplacian_of_the_getoor_function_is_constant(order, tolerance):
    """(-Δ)^(α/2) (1 - x²)^(α/2) = Γ(1 + α) on (-1, 1) (Getoor 1961); the end singularity of the
    power α/2 limits the Gauss rules."""
    problem = Problem(
        geo.Interval(-1, 1),
        Eq(fractional_laplacian(u, order, (x, -1, 1)), math.gamma(1 + order)),
    )
    points = np.linspace(-0.99, 0.99, 7)[:, None]
    exact = {u: lambda p: jnp.maximum(1 - p[0] ** 2, 1e-300) ** (order / 2)}
    np.testing.assert_allclose(problem.residual(exact, points), 0, atol=tolerance)


REGIONS = {
    "the domain": (integral(v), square, {v: x * y}, 1.0),
    "a part by name": (integral(v, over="right"), square, {v: y**2}, 8 / 3),
    "parts by name": (integral(v, over=("left", "right")), square, {v: x + 1}, 6.0),
    "a part": (integral(v, over=square["top"]), square, {v: x * y}, 1.0),
    "a shape": (integral(v, over=geo.Disk((0.5, 1), 0.5)), square, {v: x * 0 + 2}, math.pi / 2),
    "the mean over the domain": (mean(v), square, {v: x * y}, 0.5),
    "the mean over a part": (mean(v, over="top"), square, {v: x**2}, 1 / 3),
    "limits": (integral(v, over=(y, 0, 2)), square, {v: y**3}, 4.0),
    "the mean over limits": (mean(v, over=(y, 0, 2)), square, {v: y**3}, 2.0),
    "nodes": (integral(v, over="top", nodes=8), square, {v: x**7}, 1 / 8),
    "a flux": (integral(normal_derivative(v), over="boundary"), square, {v: x**2 + y**3}, 16.0),
    "a function of an integral": (sympy.sqrt(integral(v**2)), square, {v: 0 * x + 3}, 18**0.5),
}


@pytest.mark.parametrize("name", REGIONS)
def test_integrals_over_places_have_their_exact_values(name):
    expression, domain, exact, value = REGIONS[name]
    compiled = compile_expressions([expression], (x, y), domain=domain)
    jets = function_jets(exact_functions(exact), (x, y))
    points = jnp.asarray([[0.25, 0.5], [0.5, 1.0]])
    (found,) = compiled(points, compiled.values(jets, points))
    # rounding of the Gauss rules of boxes in float32 or float64; of the disk, its own
    np.testing.assert_allclose(found, value, rtol=1e-5)


def test_the_flux_through_the_boundary_is_the_integral_of_the_divergence():
    flux = vector_field("f", x, y)
    fields = list(flux)
    gap = integral(dot(flux, normal((x, y))), over="boundary") - integral(
        diff(flux[0], x) + diff(flux[1], y)
    )
    compiled = compile_expressions([gap], (x, y), domain=square)
    exact = {fields[0]: sin(x) * y, fields[1]: exp(y) * x**2}
    points = jnp.zeros((1, 2))
    values = compiled.values(function_jets(exact_functions(exact), (x, y)), points)
    np.testing.assert_allclose(compiled(points, values)[0], 0, atol=1e-5)


def test_an_integral_over_a_named_part_is_taken_at_the_time_of_the_point():
    problem = Problem(strip, Eq(integral(w), w.subs(x, 1) / 2))
    points = np.asarray(strip.sample_interior(4, key=0).points)
    residual = problem.residual(exact_functions({w: x * exp(t)}), points)
    np.testing.assert_allclose(residual, 0, atol=1e-12)


def test_one_sided_values_see_piecewise_coefficients():
    core = geo.Disk((0, 0), 0.5, name="core")
    domain = geo.Regions(core=core, shell=geo.Disk((0, 0), 1, name="rim") - core)
    k = piecewise(domain, core=10, shell=1)
    compiled = compile_expressions([jump(k * v), average(k * v)], (x, y), domain=domain)
    sample = domain["core|shell"].sample(5, key=0)  # the normal points into the shell
    points, normals = jnp.asarray(sample.points), jnp.asarray(sample.normals)
    jets = function_jets(exact_functions({v: x + 2}), (x, y))
    found = compiled(points, compiled.values(jets, points, None, normals), None, normals)
    at = np.asarray(points[:, 0]) + 2
    np.testing.assert_allclose(found, [-9 * at, 5.5 * at], rtol=1e-5)  # the offset of 1e-7


def test_an_interval_of_which_only_one_point_is_needed_is_evaluated_once():
    """∫ K(x, s) u(s) ds: the field at the nodes does not depend on x."""
    compiled = compile_expressions([Integral(exp(x * s) * u.subs(x, s), (s, 0, 1))], (x,))
    asked = []

    def jets(functionals, points):
        asked.append(points.shape)
        return [points[:, 0]] * len(functionals)

    points = jnp.linspace(0, 1, 50)[:, None]
    compiled.values(jets, points)
    assert asked == [(24, 1)]


def test_values_elsewhere_differentiate_and_map():
    compiled = compile_expressions([Integral(u.subs(x, s) ** 2, (s, 0, x))], (x,))

    def total(c, point):
        jets = function_jets({u: lambda p: c * p[0]}, (x,))
        return compiled(point, compiled.values(jets, point))[0][0]

    points = jnp.asarray([[[0.5]], [[1.0]]])
    slopes = jax.vmap(jax.grad(total), (None, 0))(2.0, points)  # c² x³ / 3
    np.testing.assert_allclose(slopes, [4 * 0.125 / 3, 4 / 3], rtol=1e-5)  # float32 where it is off


def test_a_condition_on_an_integral_states_no_value_of_the_field():
    problem = Problem(line, Eq(diff(u, x, 2), 0), {"left": Eq(integral(u), 1), "right": Eq(u, 0)})
    left, right = problem.conditions
    assert structure.dirichlet(left) == {} and structure.dirichlet(right) == {u: 0}
    assert structure.is_linear(problem)


@pytest.mark.parametrize(
    "equation",
    [
        Eq(diff(u, x), Integral(u.subs(x, s), (s, 0, x))),
        Eq(laplacian(v), v.subs(x, 0)),
        Eq(laplacian(v), mean(v)),
    ],
)
def test_there_is_no_weak_form_of_what_is_taken_elsewhere(equation):
    domain = square if equation.has(v) else line
    with pytest.raises(NoWeakForm, match="another point"):
        weak_form(Problem(domain, equation, {"boundary": Eq(v if equation.has(v) else u, 0)}))


def test_periodic_ends_agree_with_their_derivatives():
    conditions = Problem(line, Eq(diff(u, x, 2), 0), {"left": periodic(u, x, 1)}).conditions
    residuals = [r for c in conditions for r in c.equation.residuals]
    compiled = compile_expressions(residuals, (x,))
    points = jnp.zeros((1, 1))
    values = compiled.values(function_jets({u: lambda p: jnp.sin(6 * jnp.pi * p[0])}, (x,)), points)
    np.testing.assert_allclose(compiled(points, values), 0, atol=1e-4)  # float32 where it is off


def test_symmetry_lets_a_vector_slide():
    flow = vector_field("v", x, y)
    (condition,) = symmetry(flow)
    compiled = compile_expressions(condition.residuals, (x, y))
    exact = dict(zip(flow, (sin(x) * y, cos(x) * y**2), strict=True))  # even about x = 0
    points, normals = jnp.asarray([[0.0, 0.7]]), jnp.asarray([[-1.0, 0.0]])
    values = compiled.values(function_jets(exact_functions(exact), (x, y)), points)
    np.testing.assert_allclose(compiled(points, values, None, normals), 0, atol=1e-12)


STATEMENTS = {
    "a memory": Problem(strip, Eq(Caputo(w, t, 0.5), diff(w, x, 2)), {"initial": Eq(w, 0)}),
    "a delay": Problem(strip, Eq(diff(w, t), -delayed(w, t, 1, history=x))),
    "an integral": Problem(line, EXACT["volterra"][0], {"left": Eq(u, 1)}),
    "everywhere": Problem(
        square,
        Eq(-laplacian(v), eigenvalue("lam") * v),
        {"boundary": Eq(v, 0), "domain": [Eq(integral(v**2), 1), v >= -1]},
    ),
    "a fractional equation": Problem(line, Eq(fractional_laplacian(u, 1.5, (x, 0, 1)), 1)),
    "a region": Problem(square, Eq(laplacian(v), 0), {geo.Disk((0.5, 1), 0.25): Eq(v, 1)}),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_is_sound_prints_and_comes_back_equal(name):
    problem = STATEMENTS[name]
    assert from_json(json.loads(json.dumps(to_json(problem)))) == problem
    assert str(problem) and problem._repr_latex_()


def test_a_problem_in_other_units_has_the_same_integrals():
    """u(x) = x² over (0, 1000): the dimensionless problem has the same solution, mapped back."""
    length = geo.Interval(0, 1000)
    equation = Eq(diff(u, x), 6 * Integral(u.subs(x, s), (s, 0, x)) / x**2)
    problem = Problem(length, equation, {"right": Eq(u, 1e6)})
    scaled = problem.nondimensionalize()
    assert scaled.scaling is not None
    points = np.asarray(scaled.domain.sample_interior(5, key=0).points)
    residual = scaled.residual({scaled.fields[0]: lambda p: p[0] ** 2}, points)
    np.testing.assert_allclose(residual, 0, atol=1e-10)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Caputo(u, x, -1), ValueError, "`order` of `Caputo` is above 0"),
        (lambda: Caputo(u, 1, 0.5), TypeError, "needs a coordinate"),
        (lambda: fractional_laplacian(u, 2.5, (x, 0, 1)), ValueError, "between 0 and 2"),
        (lambda: delayed(w, t, -1, history=0), ValueError, "`delay` is above 0"),
        (lambda: integral(u, over=3), TypeError, "`over` is a part"),
        (lambda: integral(u, over=(x, 0)), ValueError, "limits as"),
        (lambda: integral(u, nodes=0), ValueError, "`nodes` is a whole number"),
        (lambda: GaussIntegral(u, (x, 0, 1), (-1, 0)), ValueError, "powers above -1"),
        (lambda: compile_expressions([integral(u)], (x,)), ValueError, "needs the domain"),
        (lambda: periodic(u, 1, 1), TypeError, "needs a coordinate"),
        (lambda: piecewise(line, core=1), TypeError, "needs a domain made by `Regions"),
    ],
)
def test_refusals(make, error, words):
    with pytest.raises(error, match=words):
        make()
