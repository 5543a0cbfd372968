"""Flow between two plates driven by a pressure difference, against the exact solution."""

import numpy as np

from science import (
    Eq,
    NavierStokes,
    Problem,
    RandomFeatures,
    Rectangle,
    coordinates,
    references,
    solve,
)

# Statement

x, y = coordinates("x y")
flow = NavierStokes((x, y), viscosity=0.05)
u, v = flow.velocity
problem = Problem(
    domain=Rectangle((0, 0), (3, 1)),
    equations=flow,
    conditions={
        ("bottom", "top"): Eq(flow.velocity, (0, 0)),
        "left": [Eq(flow.pressure, 1.2), Eq(v, 0)],
        "right": [Eq(flow.pressure, 0), Eq(v, 0)],
    },
    name="poiseuille_plane",
)

# Method: least squares on plane waves

solution = solve(problem, RandomFeatures(), folder="runs/poiseuille_plane")

# Result

reference = references.load("poiseuille_plane")
points = np.stack([np.full(len(reference["y"]), 1.5), reference["y"]], axis=-1)
values = solution(flow.velocity, points)
exact = np.stack([reference["u"], 0 * reference["u"]], axis=-1)
error = np.linalg.norm(values - exact) / np.linalg.norm(exact)
