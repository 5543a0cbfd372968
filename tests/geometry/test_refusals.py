"""Bad input is refused at the statement, with the rule and the remedy."""

import numpy as np
import pytest
import sympy

from geometry import Ball, Box, Disk, Interval, Rectangle

SQUARE = Rectangle((0, 0), (1, 1))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Rectangle((0, 1), (1, 1)), ValueError, r"lower < upper.*got lower=\(0, 1\)"),
        (lambda: Interval(1, 0), ValueError, "`Interval.lower, upper.` needs lower < upper"),
        (lambda: Interval(0, np.nan), ValueError, "finite number; got nan"),
        (lambda: Interval("a", 1), TypeError, "needs a number; got 'a'"),
        (lambda: Rectangle((0, 0, 0), (1, 1, 1)), ValueError, "needs 2 numbers; got 3"),
        (lambda: Rectangle(0, 1), TypeError, "needs a sequence of numbers"),
        (lambda: Box((), ()), ValueError, "lower < upper in every direction"),
        (lambda: Disk((0, 0), 0), ValueError, "radius needs a number above zero; got 0"),
        (lambda: Disk((0, 0), np.inf), ValueError, "finite number; got inf"),
        (lambda: Ball((0,), 1), ValueError, "two or more coordinates"),
        (lambda: Disk((0, 0), 1, name=3), TypeError, "`name` needs text"),
        (lambda: Rectangle((0, 0), (1, 1), axes="x"), ValueError, "`axes` needs 2 distinct names"),
        (lambda: SQUARE - Box((0, 0, 0), (1, 1, 1)), ValueError, "same axes; got"),
        (lambda: SQUARE - 1, TypeError, "unsupported operand"),
        (lambda: SQUARE.over("x", 0, 1), ValueError, "'x' is already among the axes"),
        (lambda: SQUARE.over(None, 0, 1), TypeError, "a symbol or a name for time; got None"),
        (lambda: SQUARE.over(0.5, 0, 1), TypeError, "a symbol or a name for time; got 0.5"),
        (lambda: SQUARE.over("t", 1, 0), ValueError, "start below the end"),
        (lambda: SQUARE.periodic("z"), ValueError, "one of the axes"),
        (lambda: Disk((0, 0), 1).periodic("x"), ValueError, "needs flat, equal ends"),
        (lambda: SQUARE.rotate(1, axis=(0, 0, 1)), ValueError, "needs `axis` in three dimensions"),
        (lambda: SQUARE.scale(0), ValueError, "above zero"),
        (lambda: SQUARE.scale((1, 2)), TypeError, "one number, the same for all axes"),
        (lambda: SQUARE.translate((1,)), ValueError, "needs 2 numbers; got 1"),
        (lambda: SQUARE.mirror((0, 0)), ValueError, "needs a direction"),
        (lambda: SQUARE.contains([1, 2, 3]), ValueError, "`points` needs a last axis"),
        (lambda: SQUARE.sample_interior(0, key=0), ValueError, "`n` needs between 1 and"),
        (lambda: SQUARE.sample_interior(1.5, key=0), TypeError, "`n` needs a whole number"),
        (lambda: SQUARE.sample_interior(9, key=0, sampler="sobel"), ValueError, "one of sobol,"),
        (lambda: SQUARE.mesh(0), ValueError, "needs a length above zero"),
        (lambda: SQUARE.boundary.distance([0, 0], join="sum"), ValueError, "`join` needs"),
    ],
)
def test_bad_input_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: SQUARE - Rectangle((-1, -1), (2, 2)),
        lambda: SQUARE & Disk((5, 5), 1),
        lambda: SQUARE - SQUARE,
        lambda: SQUARE ^ SQUARE,
        lambda: SQUARE & Rectangle((1, 0), (2, 1)),
        lambda: Box((0, 0, 0), (1, 1, 1)) - Ball((0, 0, 0), 2),
        lambda: Interval(0, 1) - Interval(-1, 2),
    ],
)
def test_an_empty_result_says_so(make):
    with pytest.raises(ValueError, match="leaves nothing.*is empty"):
        make()


def test_a_thin_result_is_not_taken_for_an_empty_one():
    ring = Disk((0, 0), 1) - Disk((0, 0), 1 - 1e-6)
    assert ring.measure == pytest.approx(np.pi * (2e-6 - 1e-12), rel=1e-9)
    with pytest.raises(ValueError, match="candidates, because only 2.0e-06 of the enclosing"):
        ring.sample_interior(1000, key=0)


def test_symbolic_numbers_are_taken_as_numbers():
    shape = Interval(0, sympy.pi / 2).over(sympy.Symbol("t"), 0, sympy.sqrt(2))
    assert shape.axes == ("x", "t")
    assert shape.measure == pytest.approx(np.pi / 2 * np.sqrt(2))
