"""Finite elements on meshes of solids: second order against exact solutions."""

import numpy as np
import pytest

import geometry as geo
from equations import Eq, Problem, coordinates, field, laplacian
from solvers import FiniteElements, solve

x, y, z = coordinates("x y z")
u = field("u", x, y, z)
EXACT = x**2 + y * z  # no piecewise linear function, and a source that compiles at once
SOLIDS = {
    "ball": (geo.Ball((0, 0, 0), 1), 0.5),
    "bored cylinder": (
        geo.Cylinder((0, 0, 0), (0, 0, 1), 1)
        - geo.Cylinder((0, 0, -1), (0, 0, 2), 0.5, name="bore"),
        0.3,
    ),
    "cube without ball": (
        geo.Box((-1, -1, -1), (1, 1, 1)) - geo.Ball((0, 0, 0), 0.8, name="hole"),
        0.4,
    ),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_linear_elements_converge_at_second_order_on_solids(name):
    solid, size = SOLIDS[name]
    problem = Problem(solid, Eq(-laplacian(u), -2), {"boundary": Eq(u, EXACT)})
    points = solid.sample_interior(1000, key=0).points
    exact = points[:, 0] ** 2 + points[:, 1] * points[:, 2]
    errors = []
    for h in (size, size / 2):
        solution = solve(problem, FiniteElements(size=h, degree=1))
        error = np.sqrt(np.mean((solution(u, points) - exact) ** 2) / np.mean(exact**2))
        assert error < solution.error_estimate
        errors.append(error)
    # two meshes that are not nested: their cells are alike, but for a factor near 1 in size
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.3)
