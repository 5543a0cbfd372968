"""Functions and numbers that are given, `call` and `known`; products of tensors; parameters."""

import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special
import sympy

import geometry as geo
from equations import (
    Eq,
    Problem,
    call,
    coordinates,
    cross,
    dev,
    diff,
    dot,
    eigenvalue,
    field,
    known,
    laplacian,
    normal,
    outer,
    parameter,
    strain,
    tangential,
    tensor_field,
    trace,
    vector_field,
)

x, y, z = coordinates("x y z")
u = field("u", x, y)
square = geo.Rectangle((0, 0), (1, 1))
POINTS = np.asarray(square.sample_interior(6, key=0).points)


def test_a_called_function_and_its_derivatives_are_those_of_its_formula():
    given = call(lambda p: jnp.sin(p[0] * p[1]), x, u, name="f")
    written = sympy.sin(x * u)
    exact = {u: lambda p: p[0] ** 2 + p[1]}
    pairs = [
        (given, written),
        (diff(given, x), diff(written, x)),
        (laplacian(given), laplacian(written)),
    ]
    for mine, theirs in pairs:
        found = Problem(square, Eq(mine, theirs)).residual(exact, POINTS)
        np.testing.assert_allclose(found, 0, atol=1e-13)  # rounding


def test_a_component_of_a_network_may_be_called():
    pair = lambda p: jnp.stack([p[0], 3 * p[0]])  # noqa: E731
    problem = Problem(square, Eq(u, call(pair, x, component=1)))
    assert np.all(problem.residual({u: lambda p: 3 * p[0]}, POINTS) == 0)


@pytest.mark.parametrize("kind", ["grid", "scattered"])
def test_a_known_field_takes_its_values_and_between_them_a_smooth_course(kind):
    def exact(a, b):
        return 1 + a - 2 * b + (0 if kind == "scattered" else a**3)

    if kind == "grid":
        axes = np.linspace(0, 1, 6), np.linspace(0, 1, 7)
        mesh = np.meshgrid(*axes, indexing="ij")
        given = known("k", x, y, points=axes, values=exact(*mesh))
    else:  # exact for linear functions
        points = np.random.default_rng(0).uniform(0, 1, (30, 2))
        given = known("k", x, y, points=points, values=exact(*points.T))
    problem = Problem(square, Eq(u, given))
    residual = problem.residual({u: lambda p: exact(p[0], p[1])}, POINTS)
    np.testing.assert_allclose(residual, 0, atol=1e-9)


def test_products_and_parts_of_tensors_obey_their_identities():
    a, b = sympy.Matrix(sympy.symbols("a1:4")), sympy.Matrix(sympy.symbols("b1:4"))
    assert trace(outer(a, b)) == dot(a, b)
    assert sympy.expand(dot(cross(a, b), a)) == 0
    assert sympy.simplify(trace(dev(outer(a, b)))) == 0
    assert cross((1, 0), (0, 1)) == 1
    v = vector_field("v", x, y, z)
    assert strain(v) == strain(v).T and trace(strain(v)) == sum(
        diff(c, s) for c, s in zip(v, (x, y, z), strict=True)
    )
    s = tensor_field("s", x, y, symmetric=True)
    assert s == s.T and len(s.atoms(sympy.Function)) == 3


def test_the_tangential_part_has_no_normal_component():
    part = tangential(vector_field("v", x, y))
    n = normal((x, y))
    through = dot(part, n).subs({n[0]: sympy.Rational(3, 5), n[1]: sympy.Rational(4, 5)})
    assert sympy.simplify(through) == 0


def test_random_parameters_have_the_quantiles_of_their_distribution():
    p = np.array([0.1, 0.5, 0.9])
    gaussian = parameter("a", normal=(2.0, 0.5))
    np.testing.assert_allclose(gaussian.quantile(p), 2 + 0.5 * scipy.special.ndtri(p))
    draws = parameter("b", normal=(2.0, 0.5), positive=True).quantile((np.arange(1e5) + 0.5) / 1e5)
    # the range ends at four deviations, which moves both by some 1e-4
    assert draws.mean() == pytest.approx(2.0, rel=1e-3) and draws.std() == pytest.approx(
        0.5, rel=5e-3
    )
    np.testing.assert_allclose(parameter("c", between=(1, 3)).quantile(p), 1 + 2 * p)
    with pytest.raises(ValueError, match="with a range"):
        eigenvalue("lambda").quantile(0.5)


@pytest.mark.parametrize("size", [2, 5])
def test_a_point_in_many_dimensions_has_the_axes_of_shapes(size):
    names = tuple(str(c) for c in coordinates("x", size=size))
    assert names == geo.Gaussian(mean=0, deviation=1, size=size).axes


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: call(3, x), TypeError, "needs a function"),
        (lambda: call(jnp.sin), ValueError, "expressions at which"),
        (lambda: known("k", x, y, points=[[0, 0]], values=[1, 2]), ValueError, r"shape \(1,\)"),
        (lambda: known("k", x, points=[0, 1], values=[1, np.nan]), ValueError, "must be finite"),
        (lambda: coordinates("x y", size=3), ValueError, "one name"),
        (lambda: coordinates("x", size=0), ValueError, "whole number"),
        (lambda: parameter("a", normal=(1, 0)), ValueError, "deviation above 0"),
        (lambda: trace((1, 2)), TypeError, "square matrix"),
        (lambda: cross((1, 2), (1, 2, 3)), ValueError, "one length"),
    ],
)
def test_refusals(make, error, words):
    with pytest.raises(error, match=words):
        make()
