"""Pieces of parts by conditions: what they know, what they are called."""

import numpy as np
import pytest
import sympy

from geometry import Disk, Rectangle
from geometry.condition import Condition

x, y = sympy.symbols("x y", real=True)
LEFT = Rectangle((0, 0), (1, 1))["left"]


def test_a_field_is_refused_and_its_name_never_compiled():
    evil = sympy.Function("(lambda q: 1 / 0)")(y)
    for statement in (evil > 0, evil):
        with pytest.raises(ValueError, match=r"knows the coordinates \('x', 'y'\).*lambda"):
            LEFT.where(statement)
    moving = Disk((sympy.Function("1/0 or f")(sympy.Symbol("t")), 0), 1)
    with pytest.raises(ValueError, match="expressions of its coordinates alone"):
        moving.over("t", 0, 1)


def test_the_label_tells_the_conditions():
    assert LEFT.label == "left"
    assert LEFT.where(y > 0.25).where(y < 0.75).label == "left where y > 0.25 and y < 0.75"


def test_a_condition_on_space_holds_in_space_time():
    points = np.array([[0, 0.2, 5.0], [0, 0.7, 0.0]])
    for statement in (y > 0.5, lambda p: p[..., -1] - 0.5):
        assert Condition(statement, ("x", "y")).holds(points).tolist() == [False, True]
