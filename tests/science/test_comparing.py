"""The difference of two solutions is what the integrals say."""

import jax.numpy as jnp
import numpy as np
import pytest

import geometry as geo
from equations import coordinates, diff, field
from science import compare
from tests.exact import on

x, t = coordinates("x t")
u, v, w = field("u", x), field("v", x), field("w", x)
interval = geo.Interval(0, 1)
solution = on(interval, {u: lambda p: p[0], v: lambda p: jnp.sin(p[0])})


def test_the_relative_difference_is_that_of_the_integrals():
    other = on(interval, {u: lambda p: p[0] + 0.1 * p[0] ** 2, w: lambda p: p[0]})
    result = compare(solution, other)
    (difference,) = result.differences
    assert difference.expression == u and result.largest == result[u].relative
    # |0.1 x²| = 0.1/sqrt(5); |x + 0.1 x²|² = 1/3 + 0.05 + 0.002; tolerance: 10 000 Sobol points
    expected = 0.1 / np.sqrt(5) / np.sqrt(1 / 3 + 0.05 + 0.002)
    assert result[u].relative == pytest.approx(expected, rel=1e-3)
    assert result[u].largest == pytest.approx(0.1, rel=1e-3)


def test_exact_values_are_expressions_or_functions():
    exact = {u: x, v: lambda points: np.sin(points[:, 0]), diff(v, x): np.cos}
    result = compare(solution, {u: exact[u], v: exact[v]})
    assert result[u].relative == 0 and result[v].relative < 1e-15
    with pytest.raises(KeyError, match="was not compared, only u, v"):
        result[w]


def test_one_expression_can_be_compared_also_a_vector():
    other = on(interval, {u: lambda p: p[0], v: lambda p: jnp.sin(p[0]) + 1})
    assert compare(solution, other, diff(v, x)).largest < 1e-15
    assert compare(solution, other, (u, v)).differences[0].largest == pytest.approx(1)


def test_it_prints_as_a_table():
    text = str(compare(solution, {u: x + 0.5, v: 0}, n=1000))
    lines = text.splitlines()
    assert [line.split() for line in lines[:2]] == [
        ["relative", "L2", "largest"],
        ["u", "0.48", "0.5"],
    ]
    assert lines[2].split()[1] == "inf"  # against zero


def test_solutions_without_a_common_field_are_refused():
    with pytest.raises(ValueError, match="no field in common"):
        compare(solution, on(interval, {w: lambda p: p[0]}))
    with pytest.raises(TypeError, match="`other` is a Solution or"):
        compare(solution, 3.0)
