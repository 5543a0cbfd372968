"""The residual compiler: functionals are found and collected, and the numbers are right."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy
from sympy import I, conjugate, cos, exp, sin

from equations import (
    Functional,
    compile_expressions,
    coordinates,
    diff,
    div,
    field,
    fields,
    function_jets,
    grad,
    laplacian,
    normal_derivative,
    parameter,
)

x, y, t = coordinates("x y t")
u, v = fields("u v", x, y)
w = field("w", x, t)
k = field("k", x, y, positive=True)
h = field("h", x, t, complex=True)
nu = parameter("nu", initial=0.1, positive=True)

EXACT = {
    u: sin(x) * cos(2 * y),
    v: exp(x * y),
    w: sin(x - t) + x * t,
    k: 2 + sin(x * y),
    h: exp(I * (x - t)) * (1 + x**2),
}

EXPRESSIONS = {
    "linear": laplacian(u) + u,
    "numeric factors": diff(w, t) - sympy.Rational(1, 100) * diff(w, x, 2),
    "irrational factors": diff(w, t) - 0.01 / sympy.pi * diff(w, x, 2) + w * diff(w, x),
    "variable coefficient": x * (diff(u, x, 2) + 3 * diff(u, y, 2)) + y * diff(u, x),
    "two fields": u * laplacian(v) - v * laplacian(u),
    "an unknown coefficient": div(k * grad(u)),
    "a nonlinear flux": div((1 + u**2) * grad(u)),
    "p-laplacian": div(sympy.sqrt(1 + diff(u, x) ** 2 + diff(u, y) ** 2) * grad(u)),
    "a square of a sum": (diff(u, x, 2) + diff(u, y, 2)) ** 2,
    "a sum that cancels": (u + v) - u,
    "monge-ampere": diff(u, x, 2) * diff(u, y, 2) - diff(u, x, y) ** 2,
    "a parameter": diff(w, t) - nu * diff(w, x, 2),
    "schroedinger": I * diff(h, t) + diff(h, x, 2) / 2 + abs(h) ** 2 * h,
    "a conjugate": conjugate(h) * diff(h, x),
    "functions": sympy.Max(u, 0) + sympy.Abs(v) + sympy.Piecewise((u, x > 0.5), (v, True)),
    "no field": x**2 + 1,
    "the same derivative written apart": diff(u, x, 2) + diff(diff(u, x), x) - 2 * diff(u, x, x),
}


def by_sympy(expression, coordinates, points, parameters=()):
    replaced = sympy.sympify(expression).doit().subs(EXACT).doit().subs(dict(parameters))
    compiled = sympy.lambdify(coordinates, replaced, modules="numpy")
    return np.broadcast_to(compiled(*points.T), len(points))


def variables(expression):
    return (x, t) if expression.has(w) or expression.has(h) else (x, y)


@pytest.mark.parametrize("collapse", [True, False])
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_values_agree_with_sympy(name, collapse):
    expression = EXPRESSIONS[name]
    coordinates = variables(expression)
    points = np.random.default_rng(0).uniform(0.1, 1, (5, 2))
    compiled = compile_expressions([expression], coordinates, collapse=collapse)
    numbers = [
        jnp.asarray(by_sympy(f.expression(), coordinates, points)) for f in compiled.functionals
    ]
    (values,) = compiled(jnp.asarray(points), numbers, {"nu": 0.3})
    expected = by_sympy(expression, coordinates, points, {nu: 0.3})
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-13)


def test_proportional_terms_of_one_field_become_one_functional():
    (functional,) = compile_expressions([diff(w, t) - 0.01 * diff(w, x, 2)], (x, t)).functionals
    assert functional == Functional(w, (((0, 1), 1), ((2, 0), -0.01)))
    assert functional.order == 2


def test_a_laplacian_under_a_variable_factor_is_one_functional():
    compiled = compile_expressions([x * laplacian(u) + y * diff(u, x)], (x, y))
    assert {f.terms for f in compiled.functionals} == {
        (((0, 2), 1), ((2, 0), 1)),
        (((1, 0), 1),),
    }


def test_what_is_not_linear_is_not_collapsed():
    compiled = compile_expressions([(diff(u, x, 2) + diff(u, y, 2)) ** 2], (x, y))
    assert all(len(f.terms) == 1 for f in compiled.functionals)


def test_expressions_share_their_functionals():
    compiled = compile_expressions([u * diff(u, x), u + v, v * diff(u, x)], (x, y), collapse=False)
    assert len(compiled.functionals) == 3


def test_orders_follow_the_arguments_of_the_field_not_the_columns():
    compiled = compile_expressions([diff(w, t)], (t, x))
    assert compiled.functionals[0].terms == (((0, 1), 1),)


def test_a_field_of_fewer_coordinates_is_taken_at_its_own_columns():
    g = field("g", y)
    jets = function_jets({g: lambda p: p[0] ** 3}, (x, y))
    compiled = compile_expressions([diff(g, y) + x], (x, y))
    points = jnp.array([[1.0, 2.0], [3.0, 4.0]])
    (values,) = compiled(points, jets(compiled.functionals, points))
    np.testing.assert_allclose(values, [13.0, 51.0])


def test_normals_enter_by_axis():
    compiled = compile_expressions([normal_derivative(u)], (x, y))
    names = [str(n) for n in compiled.normals]
    assert names == ["n_x", "n_y"]
    order = [f.terms[0][0] for f in compiled.functionals]
    numbers = [jnp.full(3, 2.0) if o == (1, 0) else jnp.full(3, 5.0) for o in order]
    (values,) = compiled(
        jnp.zeros((3, 2)), numbers, normals=jnp.tile(jnp.array([0.6, 0.8]), (3, 1))
    )
    np.testing.assert_allclose(values, 0.6 * 2 + 0.8 * 5)


SPECIAL = {
    "erf": sympy.erf(u),
    "erfc": sympy.erfc(u),
    "erfinv": sympy.erfinv(u),
    "gamma": sympy.gamma(u),
    "loggamma": sympy.loggamma(u),
    "beta": sympy.beta(u, 2),
    "factorial": sympy.factorial(u),
    "digamma": sympy.digamma(u),
    "trigamma": sympy.polygamma(1, u),
    "besselj": sympy.besselj(2, u),
    "bessely": sympy.bessely(0, u),
    "besseli": sympy.besseli(1, u),
    "besselk": sympy.besselk(0, u),
    "airyai": sympy.airyai(u),
    "airyaiprime": sympy.airyaiprime(u),
    "airybi": sympy.airybi(u),
    "airybiprime": sympy.airybiprime(u),
    "elliptic_k": sympy.elliptic_k(u),
    "elliptic_e": sympy.elliptic_e(u),
    "lambertw": sympy.LambertW(u),
    "Ei": sympy.Ei(u),
    "Si": sympy.Si(u),
    "Ci": sympy.Ci(u),
    "heaviside": sympy.Heaviside(u),
    "mod": sympy.Mod(u, sympy.Rational(1, 5)),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions_agree_with_mpmath(name):
    compiled = compile_expressions([SPECIAL[name]], (x, y))
    (value,) = compiled(jnp.zeros((1, 2)), [jnp.array([0.3])])
    expected = complex(sympy.N(SPECIAL[name].subs(u, sympy.Float("0.3", 30)), 20))
    np.testing.assert_allclose(value[0], expected.real, rtol=1e-13)


def test_it_runs_under_jit_and_has_gradients():
    compiled = compile_expressions([u**2 * nu], (x, y))
    points = jnp.zeros((4, 2))

    @jax.jit
    def total(value):
        return compiled(points, [value], {"nu": 3.0})[0].sum()

    np.testing.assert_allclose(jax.grad(total)(jnp.arange(4.0)), 6 * np.arange(4.0))


def test_constants_are_broadcast_to_the_points():
    (values,) = compile_expressions([sympy.Integer(3)], (x, y))(jnp.zeros((2, 5, 2)), [])
    assert values.shape == (2, 5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: compile_expressions([u * sympy.Symbol("a")], (x, y)), "a: neither a coordinate"),
        (lambda: compile_expressions([u * sympy.Symbol("x")], (x, y)), "another symbol than"),
        (lambda: compile_expressions([u.subs(y, v)], (x, y)), "not on fields"),
        (lambda: compile_expressions([sympy.zeta(x) * u], (x, y)), "zeta in"),
        (lambda: compile_expressions([sympy.Integral(u, x)], (x, y)), "an integral in a statement"),
        (lambda: compile_expressions([nu * u], (x, y))(jnp.zeros((1, 2)), [0.0]), "values for nu"),
        (
            lambda: compile_expressions([normal_derivative(u)], (x, y))(
                jnp.zeros((1, 2)), [0.0, 0.0]
            ),
            "on the boundary only",
        ),
        (
            lambda: function_jets({}, (x, y))((Functional(u, (((0, 0), 1),)),), jnp.zeros((1, 2))),
            "no function for u(x, y)",
        ),
    ],
)
def test_refusals(make, words):
    with pytest.raises(ValueError) as caught:
        make()
    assert words in str(caught.value)


def test_a_vector_is_refused_as_an_expression():
    with pytest.raises(TypeError, match="scalar expression"):
        compile_expressions([grad(u)], (x, y))
