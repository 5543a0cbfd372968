"""Coordinates, fields, parameters and normals are SymPy objects that know what they are."""

import pickle

import pytest
import sympy

from equations import (
    NormalComponent,
    coordinates,
    field,
    fields,
    fields_in,
    is_time,
    normal,
    parameter,
    spatial,
    vector_field,
)

x, y, t = coordinates("x y t")


def test_coordinates_are_real_and_equal_by_name():
    assert x.is_real and coordinates("x") == x and coordinates("x, y") == (x, y)


def test_time_is_the_coordinate_t_and_all_others_are_space():
    Re = parameter("Re", between=(1, 2))
    assert [is_time(c) for c in (x, y, t)] == [False, False, True]
    assert spatial((x, y, t, Re, normal((x,))[0])) == (x, y)


@pytest.mark.parametrize(
    ("options", "assumption"),
    [({}, "is_real"), ({"complex": True}, "is_complex"), ({"positive": True}, "is_positive")],
)
def test_fields_carry_their_kind(options, assumption):
    assert getattr(field("u", x, t, **options), assumption) is True


def test_a_complex_field_is_not_taken_for_real():
    assert field("h", x, complex=True).is_real is None


def test_fields_are_equal_by_name_coordinates_and_kind():
    assert field("u", x) == field("u", x)
    assert field("u", x) != field("u", x, t)
    assert field("u", x) != field("u", x, complex=True)
    assert fields("X Y", t) == (field("X", t), field("Y", t))


def test_a_vector_field_has_one_component_for_each_spatial_coordinate():
    assert list(vector_field("u", x, y, t)) == [field("u_x", x, y, t), field("u_y", x, y, t)]
    assert list(vector_field("c", x, size=2)) == [field("c_1", x), field("c_2", x)]


def test_fields_in_lists_each_field_once_in_order_of_appearance():
    u, v = fields("u v", x)
    assert set(fields_in(sympy.diff(u, x) * v + u)) == {u, v}
    assert fields_in(x + 1) == ()


def test_parameters_differ_by_their_start_and_their_range():
    nu = parameter("nu", initial=0.1, positive=True)
    assert nu.is_positive and nu == parameter("nu", initial=0.1, positive=True)
    assert nu != parameter("nu", initial=0.2, positive=True)
    assert parameter("Re", between=(1, 2)).between == (1.0, 2.0)


@pytest.mark.parametrize(
    "symbol",
    [
        x,
        field("u", x, t, complex=True),
        parameter("nu", initial=0.1, positive=True),
        parameter("Re", between=(1, 2)),
        normal((x, y))[1],
        sympy.diff(field("u", x, t), x, 2) * parameter("nu", initial=0.1),
    ],
)
def test_pickling_gives_an_equal_symbol(symbol):
    again = pickle.loads(pickle.dumps(symbol))
    assert again == symbol and hash(again) == hash(symbol)
    assert getattr(again, "initial", None) == getattr(symbol, "initial", None)


def test_a_normal_component_knows_its_axis():
    n = normal((x, y))
    assert [c.axis for c in n] == ["x", "y"] and all(isinstance(c, NormalComponent) for c in n)


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: field("u"), ValueError, "`field('u')` got no coordinates"),
        (lambda: field("u", 1), TypeError, "must be coordinates; got 1"),
        (lambda: field("u", x, x), ValueError, "repeat a coordinate"),
        (lambda: field("u", x, complex=True, positive=True), ValueError, "both"),
        (lambda: vector_field("u", t), ValueError, "needs a spatial coordinate"),
        (lambda: parameter("a"), ValueError, "either `initial=`"),
        (lambda: parameter("a", initial=1, between=(0, 1)), ValueError, "either `initial=`"),
        (lambda: parameter("a", between=(1, 1)), ValueError, "low < high"),
        (lambda: parameter("a", initial=float("nan")), ValueError, "must be finite"),
        (lambda: parameter("a", initial=-1, positive=True), ValueError, "above 0; got -1"),
        (lambda: parameter("a", initial="1"), TypeError, "strings are not evaluated"),
        (lambda: parameter("a", initial=x), ValueError, "finite and real; got x"),
        (lambda: parameter("a", between=(0, float("inf"))), ValueError, "must be finite"),
        (lambda: parameter("a", between=(1,)), ValueError, "needs `(low, high)`; got (1,)"),
        (lambda: parameter("a", between=1), ValueError, "needs `(low, high)`; got 1"),
        (lambda: parameter("k-eps", initial=1), ValueError, "write 'k_eps'"),
        (lambda: coordinates(None), TypeError, "takes names in one text; got None"),
        (lambda: coordinates(" "), TypeError, "takes names in one text; got ' '"),
        (lambda: fields(None, x), TypeError, "takes names in one text; got None"),
        (lambda: coordinates("x' y"), ValueError, "got \"x'\"; write 'x_prime'"),
        (lambda: field("", x), ValueError, "then letters, digits and underscores"),
        (lambda: field("(lambda q: q)", x), ValueError, "then letters, digits"),
        (lambda: vector_field("u-", x), ValueError, "then letters, digits"),
        (lambda: parameter("a", between=(0, 1), positive=True), ValueError, "above 0; got 0"),
    ],
)
def test_refusals_name_the_argument(make, kind, words):
    with pytest.raises(kind) as caught:
        make()
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["x'", "k-eps", "", "2u", "(lambda q: q)", "u.x"])
def test_a_name_that_could_not_stand_in_a_program_is_refused(name):
    makers = [lambda: field(name, x), lambda: parameter(name, initial=1)]
    makers += [lambda: vector_field(name, x, y)]
    makers += [lambda: coordinates(name)] if name and "(" not in name else []
    for make in makers:
        with pytest.raises(ValueError, match="letters, digits and underscores"):
            make()


def test_the_refusal_of_a_name_proposes_another():
    with pytest.raises(ValueError, match="got 'k-eps'; write 'k_eps'"):
        field("k-eps", x)
    with pytest.raises(TypeError, match="names in one text; got None"):
        coordinates(None)
    for name in ("u_x", "rho", "λ", "lambda"):
        assert field(name, x).func.__name__ == name
