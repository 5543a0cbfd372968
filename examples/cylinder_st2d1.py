"""Flow past a cylinder in a channel at Re = 20: velocity, drag and pressure difference."""

import numpy as np

from science import (
    Disk,
    Eq,
    FiniteElements,
    NavierStokes,
    Problem,
    Rectangle,
    coordinates,
    references,
    solve,
)

# Statement

x, y = coordinates("x y")
channel = Rectangle((0, 0), (2.2, 0.41)) - Disk((0.2, 0.2), 0.05, name="cylinder")
flow = NavierStokes((x, y), viscosity=1e-3)
u, v = flow.velocity
problem = Problem(
    domain=channel,
    equations=flow,
    conditions={
        channel["left"]: [Eq(u, 1.2 * y * (0.41 - y) / 0.41**2), Eq(v, 0)],
        channel["bottom", "top", "cylinder"]: [Eq(u, 0), Eq(v, 0)],
        channel["right"]: flow.traction_free(),
    },
    name="cylinder_st2d1",
)


# Method: finite elements, with 80 cells round the cylinder that grow away from it


def size(points):
    """The edge length, by the distance from the cylinder."""
    away = np.maximum(np.hypot(*(points - 0.2).T) - 0.05, 0)
    return np.minimum(0.02, 0.004 + 0.1 * away)


solution = solve(problem, FiniteElements(size=size), folder="runs/cylinder_st2d1")

# Result

reference = references.load("cylinder_st2d1")
points = np.stack([reference["x"], reference["y"]], axis=-1)
exact = np.stack([reference["u"], reference["v"]], axis=-1)
error = np.linalg.norm(solution(flow.velocity, points) - exact) / np.linalg.norm(exact)
force = solution.integrate(flow.traction, over=channel["cylinder"])
front, back = solution(flow.pressure, [[0.15, 0.2], [0.25, 0.2]])
known = reference.quantities["values"]
quantities = {
    "drag coefficient": (2 * force[0] / (0.2**2 * 0.1), known["Cd"]),
    "lift coefficient": (2 * force[1] / (0.2**2 * 0.1), known["Cl"]),
    "pressure difference": (front - back, known["dp"]),
}
