"""An unsteady flow in three dimensions, against the solution of Ethier and Steinman."""

import numpy as np

from science import (
    Box,
    Eq,
    NavierStokes,
    Problem,
    RandomFeatures,
    coordinates,
    cos,
    exp,
    references,
    sin,
    solve,
)

# Statement


def component(x, y, z):
    """The first component; the others by turning the coordinates."""
    return -(exp(x) * sin(y + z) + exp(z) * cos(x + y)) * exp(-t)


x, y, z, t = coordinates("x y z t")
flow = NavierStokes((x, y, z, t), viscosity=1)
exact = (component(x, y, z), component(y, z, x), component(z, x, y))
walls = ("left", "right", "bottom", "top", "back", "front")
problem = Problem(
    domain=Box((-1, -1, -1), (1, 1, 1)).over(t, 0, 1),
    equations=flow,
    conditions={
        "initial": Eq(flow.velocity, [c.subs(t, 0) for c in exact]),
        walls: Eq(flow.velocity, exact),
    },
    name="beltrami3d",
)

# Method: least squares on plane waves in space and time

solution = solve(problem, RandomFeatures(), folder="runs/beltrami3d")

# Result

reference = references.load("beltrami3d")
points = np.stack([reference[name] for name in "xyzt"], axis=-1)
velocity = np.stack([reference[name] for name in "uvw"], axis=-1)
error = np.linalg.norm(solution(flow.velocity, points) - velocity) / np.linalg.norm(velocity)
