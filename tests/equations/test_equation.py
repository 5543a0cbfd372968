"""`Eq` broadcasts, refuses what does not match, never collapses, has no truth value."""

import pickle

import jax.numpy as jnp
import numpy as np
import pytest
import sympy

from equations import Eq, coordinates, field, vector_field

x, y = coordinates("x y")
u = field("u", x, y)
V = vector_field("v", x, y)


def test_a_number_stands_for_each_component():
    assert Eq(V, 0).residuals == tuple(V) and Eq(0, V).residuals == tuple(-c for c in V)


def test_vectors_take_tuples_lists_and_matrices():
    expected = (V[0] - 1, V[1] - x)
    for right in ((1, x), [1, x], sympy.Matrix([1, x])):
        assert Eq(V, right).residuals == expected


@pytest.mark.parametrize("one", [np.array(1.0), np.float64(1), jnp.asarray(1.0), np.array([1.0])])
def test_arrays_of_numpy_and_jax_are_numbers_and_vectors(one):
    assert Eq(u if np.ndim(one) == 0 else (u,), one).residuals == (u - 1.0,)
    assert Eq(V, np.array([1, 2])).residuals == (V[0] - 1, V[1] - 2)


def test_it_never_collapses():
    for equation in (Eq(u, u), Eq(1, 2), Eq(0, 0), Eq(x, x)):
        assert isinstance(equation, Eq) and len(equation.residuals) == 1


def test_it_has_no_truth_value():
    with pytest.raises(TypeError, match="no truth value"):
        bool(Eq(u, 0))


def test_the_right_side_defaults_to_zero():
    assert Eq(u) == Eq(u, 0)


def test_equal_statements_are_equal_hash_alike_and_survive_pickling():
    assert Eq(u, x) == Eq(u, x) != Eq(u, y)
    again = pickle.loads(pickle.dumps(Eq(V, (1, x))))
    assert again == Eq(V, (1, x)) and hash(again) == hash(Eq(V, (1, x)))


def test_substitution_goes_through():
    assert Eq(u, x).subs(x, y).rhs == y
    assert Eq(u, x).xreplace({u: y}) == Eq(y, x)


def test_it_prints_as_an_equation():
    assert str(Eq(u, x)) == "u(x, y) = x"
    assert str(Eq(V, 0)) == "v_x(x, y) = 0, v_y(x, y) = 0"
    assert sympy.latex(Eq(u, x)).count("=") == 1


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: Eq(V, (1, 2, 3)), ValueError, "2 components on the left and 3 on the right"),
        (lambda: Eq(x < 1, 0), TypeError, "which is a comparison"),
        (lambda: Eq(True, 0), TypeError, "which is a comparison"),
        (lambda: Eq(u, None), TypeError, "an expression or a number; got None"),
        (lambda: Eq(u, True), TypeError, "an expression or a number"),
        (lambda: Eq(V, "a b"), TypeError, "strings are not evaluated"),
        (lambda: Eq("u - 1", 0), TypeError, "strings are not evaluated"),
        (lambda: Eq(V, ("x", 1)), TypeError, "strings are not evaluated"),
        (lambda: Eq(u == 0), TypeError, "Write `Eq(u, 0)` in place of `u == 0`"),
    ],
)
def test_refusals(make, kind, words):
    with pytest.raises(kind) as caught:
        make()
    assert words in str(caught.value)
