"""A vibrating membrane, against the exact solution."""

import numpy as np

from science import (
    Eq,
    Problem,
    RandomFeatures,
    Rational,
    Rectangle,
    Wave,
    coordinates,
    diff,
    pi,
    references,
    sin,
    solve,
)

# Statement

x, y, t = coordinates("x y t")
law = Wave((x, y, t))
u = law.unknown
problem = Problem(
    domain=Rectangle((0, 0), (1, 1)).over(t, 0, 1),
    equations=law,
    conditions={
        "initial": [
            Eq(u, sin(pi * x) * sin(pi * y)),
            Eq(diff(u, t), Rational(3, 10) * sin(2 * pi * x) * sin(3 * pi * y)),
        ],
        ("left", "right", "bottom", "top"): Eq(u, 0),
    },
    name="wave2d_membrane",
)

# Method: least squares on plane waves in space and time

solution = solve(problem, RandomFeatures(), folder="runs/wave2d_membrane")

# Result

reference = references.load("wave2d_membrane")
grid = np.meshgrid(reference["t"], reference["x"], reference["y"], indexing="ij")
values = solution(u, np.stack([grid[1], grid[2], grid[0]], axis=-1))
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
