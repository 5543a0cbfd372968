"""Shapes and parts pickle whatever they have been asked before."""

import copy
import pickle

import numpy as np
import pytest
import sympy

from geometry import Box, Disk, Interval, Rectangle

t, y = sympy.symbols("t y", real=True)
SQUARE = Rectangle((0, 0), (1, 1))
SHAPES = [
    SQUARE,
    SQUARE - Disk((0.5, 0.5), 0.2),
    Interval(0, 1).periodic("x").over("t", 0, 1),
    SQUARE.rotate(0.3),
    Disk((t, 0), 1).over("t", 0, 1),
    Box((0, 0, 0), (1, 1, 1)),
]


@pytest.mark.parametrize("shape", SHAPES, ids=repr)
def test_a_shape_pickles_after_sampling(shape):
    before = shape.sample_interior(8, key=0).points
    shape.sample_boundary(8, key=0)
    for again in (pickle.loads(pickle.dumps(shape)), copy.deepcopy(shape)):
        assert again == shape and hash(again) == hash(shape) and again.measure == shape.measure
        np.testing.assert_array_equal(again.sample_interior(8, key=0).points, before)


def test_a_piece_of_a_part_pickles_after_sampling():
    part = SQUARE["left"].where(y > 0.5)
    part.sample(4, key=0)
    again = pickle.loads(pickle.dumps(part))
    assert again == part and again.measure == pytest.approx(0.5)
