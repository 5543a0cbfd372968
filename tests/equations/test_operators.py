"""Vector calculus against SymPy's own derivatives and the identities of vector analysis."""

import pytest
import sympy
from sympy import cos, exp, sin

from equations import (
    Divergence,
    advect,
    coordinates,
    diff,
    div,
    dot,
    field,
    grad,
    laplacian,
    normal_derivative,
    vector_field,
)
from equations.symbols import normal

x, y, z, t = coordinates("x y z t")
u = field("u", x, y, t)
V = vector_field("v", x, y, t)


def zero(expression):
    return sympy.simplify(sympy.sympify(expression).doit()) == 0


def test_grad_takes_space_and_leaves_time_out():
    assert list(grad(u)) == [sympy.diff(u, x), sympy.diff(u, y)]


def test_grad_of_a_vector_is_the_jacobian():
    assert grad(V)[1, 0] == sympy.diff(V[1], x) and grad(V).shape == (2, 2)


def test_div_stays_as_written_and_expands_on_request():
    node = div(x * grad(u))
    assert isinstance(node, Divergence) and list(node.flux) == list(x * grad(u))
    assert zero(node - (sympy.diff(x * sympy.diff(u, x), x) + x * sympy.diff(u, y, 2)))


def test_a_divergence_differentiates_as_its_expansion_does():
    assert zero(diff(div(u * grad(u)), x) - sympy.diff(div(u * grad(u)).doit(), x))


def test_laplacian_is_the_divergence_of_the_gradient_also_of_vectors():
    assert zero(laplacian(u) - sympy.diff(u, x, 2) - sympy.diff(u, y, 2))
    assert all(zero(a - laplacian(b)) for a, b in zip(laplacian(V), V, strict=True))


def test_biharmonic_expands():
    terms = sympy.diff(u, x, 4) + 2 * sympy.diff(u, x, 2, y, 2) + sympy.diff(u, y, 4)
    assert zero(laplacian(laplacian(u)) - terms)


def test_divergence_of_a_matrix_goes_row_by_row():
    stress = sympy.ImmutableMatrix([[u, x], [y, u]])
    assert all(zero(a - b) for a, b in zip(div(stress), grad(u), strict=True))


def test_product_rule():
    assert zero(div(u * V) - u * div(V) - dot(grad(u), V))


def test_advect_is_velocity_dot_grad():
    assert zero(advect(V, u) - dot(V, grad(u)))
    assert all(zero(a - dot(V, grad(c))) for a, c in zip(advect(V, V), V, strict=True))


def test_advect_of_one_dimension():
    w = field("w", x, t)
    assert advect([w], w) == w * sympy.diff(w, x)


def test_normal_derivative_is_normal_dot_grad():
    n = normal((x, y))
    assert zero(normal_derivative(u) - n[0] * sympy.diff(u, x) - n[1] * sympy.diff(u, y))
    assert normal_derivative(V)[0] == normal_derivative(V[0])


def test_operators_on_known_functions():
    f = exp(x) * sin(y) * cos(z)
    assert zero(laplacian(f) + f)
    assert list(grad(f)) == [sympy.diff(f, s) for s in (x, y, z)]


def test_diff_of_vectors_goes_component_by_component():
    assert list(diff((u, x * y), x)) == [sympy.diff(u, x), y]


def test_divergences_print_as_they_are_written():
    assert str(laplacian(u)) == "laplacian(u(x, y, t))"
    assert str(div((x, y))) == "div(x, y)"
    assert sympy.latex(laplacian(u)).startswith(r"\Delta")
    assert r"\nabla\cdot" in sympy.latex(div(x * grad(u)))


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: diff(field("w", x), t), ValueError, "none of w(x) depends on it"),
        (lambda: diff(field("w", x) + x, y), ValueError, "with respect to y"),
        (lambda: div((x, y, 1), (x, y)), ValueError, "3 components"),
        (lambda: div(u), TypeError, "needs a vector"),
        (lambda: grad(sympy.Integer(3)), ValueError, "name them"),
        (lambda: dot((1, 2), (1, 2, 3)), ValueError, "got 2 and 3"),
        (lambda: diff(u, "x"), TypeError, "`diff` takes coordinates and orders"),
        (lambda: diff(u, 2), TypeError, "`diff` takes coordinates and orders"),
        (lambda: diff(field("w", x), (t, 2)), ValueError, "with respect to t"),
        (lambda: grad(u, (x, z)), ValueError, "`grad` with respect to z"),
        (lambda: grad(V, (x, z)), ValueError, "`grad` with respect to z"),
        (lambda: laplacian(u, (x, y, z)), ValueError, "with respect to z"),
        (lambda: laplacian(V, (x, y, z)), ValueError, "`laplacian` with respect to z"),
        (lambda: div(V, (x, z)), ValueError, "`div` with respect to z"),
        (lambda: grad(u, "x"), TypeError, "coordinates as its space; got 'x'"),
        (lambda: laplacian(None), TypeError, "`laplacian` needs an expression"),
        (lambda: advect(u, u), TypeError, "`advect` needs a vector"),
        (lambda: dot(u, V), TypeError, "`dot` needs two vectors"),
    ],
)
def test_refusals(make, kind, words):
    with pytest.raises(kind) as caught:
        make()
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda s: Divergence((s, u), (x, y)),
        lambda s: diff(s, x),
        lambda s: diff((u, s), x),
        grad,
        lambda s: grad((u, s)),
        div,
        lambda s: div((u, s), (x, y)),
        laplacian,
        lambda s: dot((s, 1), V),
        lambda s: advect((s, 1), u),
        lambda s: advect(V, s),
        normal_derivative,
    ],
)
def test_strings_are_never_evaluated(make):
    with pytest.raises(TypeError, match="strings are not evaluated"):
        make("[].append(1)")


def test_diff_takes_the_forms_of_sympy():
    for form in ((x, 2), ((x, 2),), (x, x), (sympy.Tuple(x, 2),)):
        assert diff(u, *form) == sympy.diff(u, x, 2)


def test_named_space_may_hold_what_only_one_component_depends_on():
    w = field("w", x)
    assert grad((w, u), (x, y))[0, 1] == 0 and laplacian((w, u))[0].flux[1] == 0


def test_diff_of_what_holds_no_field_may_be_zero():
    assert diff(x**2, y) == 0
