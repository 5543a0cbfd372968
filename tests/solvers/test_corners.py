"""Corners at which solutions are singular are found, and meshes grow away from them."""

import numpy as np
import pytest

import geometry as geo
from equations import Eq, NavierStokes, Problem, coordinates, field, laplacian
from solvers import FiniteElements, solve
from solvers.finite_elements.corners import singular_corners
from solvers.finite_elements.sizes import default_size
from solvers.finite_elements.system import Densities

x, y = coordinates("x y")
u = field("u", x, y)
square = geo.Rectangle((0, 0), (1, 1))
ell = geo.Rectangle((-1, -1), (1, 1)) - geo.Rectangle((0, -1), (1, 0), name="cut")
ring = geo.Disk((0, 0), 1.5, name="outer") - geo.Disk((0, 0), 0.5, name="inner")


@pytest.mark.parametrize(
    ("shape", "corners"), [(square, 0), (ell, 1), (ring, 0)], ids=["square", "ell", "ring"]
)
def test_reentrant_corners_are_found_and_curved_walls_have_none(shape, corners):
    found = singular_corners(shape.mesh(0.2))
    assert len(found) == corners
    assert np.allclose(found, 0)  # that of the L


def test_corners_where_values_jump_are_found():
    flow = NavierStokes((x, y), viscosity=1)
    walls = {"top": Eq(flow.velocity, (1, 0)), ("left", "right", "bottom"): flow.no_slip()}
    densities = Densities(Problem(square, flow, walls).weak_form())
    found = singular_corners(square.mesh(0.2), densities)
    assert sorted(map(tuple, found)) == [(0, 1), (1, 1)]
    size = default_size(square, densities)
    assert size(np.array([[0.0, 1.0]])) < 0.2 * size(np.array([[0.5, 0.5]]))


def test_values_that_agree_leave_the_mesh_uniform():
    densities = Densities(Problem(square, Eq(laplacian(u), 1), {"boundary": Eq(u, x)}).weak_form())
    assert not callable(default_size(square, densities))


def test_a_flow_with_a_singular_pressure_is_solved():
    """The lid-driven cavity, whose pressure has no mean square: the velocity counts."""
    flow = NavierStokes((x, y), viscosity=0.1)
    walls = {"top": Eq(flow.velocity, (1, 0)), ("left", "right", "bottom"): flow.no_slip()}
    solution = solve(Problem(square, flow, walls), FiniteElements(size=0.1))
    assert solution.status.is_good
