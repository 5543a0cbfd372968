"""Lid-driven cavity at Re = 100, against a reference of high order."""

import numpy as np

from science import Eq, NavierStokes, Point, Problem, Rectangle, coordinates, references, solve

# Statement

x, y = coordinates("x y")
flow = NavierStokes((x, y), viscosity=0.01)
problem = Problem(
    domain=Rectangle((0, 0), (1, 1)),
    equations=flow,
    conditions={
        "top": Eq(flow.velocity, (1, 0)),
        ("left", "right", "bottom"): Eq(flow.velocity, (0, 0)),
        Point(0.5, 0.5): Eq(flow.pressure, 0),
    },
    name="cavity",
)

# Method: chosen from the statement; elements of degree two, of one for the pressure

solution = solve(problem, folder="runs/cavity")

# Result: the velocity outside discs around the lid's corners, where it jumps

reference = references.load("cavity_re100")
grid = np.stack(np.meshgrid(reference["x"], reference["y"], indexing="ij"), axis=-1)
away = np.minimum(np.hypot(*(grid - (0, 1)).T), np.hypot(*(grid - (1, 1)).T)).T > 0.05
exact = np.stack([reference["u"], reference["v"]], axis=-1)[away]
error = np.linalg.norm(solution(flow.velocity, grid[away]) - exact) / np.linalg.norm(exact)

u, v = flow.velocity
line, half = np.linspace(0, 1, 1001), np.full(1001, 0.5)
upward, across = np.stack([half, line], axis=-1), np.stack([line, half], axis=-1)
known = reference.quantities["values"]
quantities = {
    "least u on x = 1/2": (solution(u, upward).min(), known["u_min"]),
    "largest v on y = 1/2": (solution(v, across).max(), known["v_max"]),
    "least v on y = 1/2": (solution(v, across).min(), known["v_min"]),
}
