"""Two modes of a string, against the exact solution."""

import numpy as np

from science import (
    Eq,
    Interval,
    Problem,
    RandomFeatures,
    Wave,
    coordinates,
    diff,
    pi,
    references,
    sin,
    solve,
)

# Statement

x, t = coordinates("x t")
law = Wave((x, t), speed=2)
u = law.unknown
problem = Problem(
    domain=Interval(0, 1).over(t, 0, 1),
    equations=law,
    conditions={
        "initial": [Eq(u, sin(pi * x) + sin(4 * pi * x) / 2), Eq(diff(u, t), 0)],
        ("left", "right"): Eq(u, 0),
    },
    name="wave1d_two_mode",
)

# Method: least squares on plane waves in space and time

solution = solve(problem, RandomFeatures(), folder="runs/wave1d_two_mode")

# Result

reference = references.load("wave1d_two_mode")
grid = np.meshgrid(reference["t"], reference["x"], indexing="ij")
values = solution(u, np.stack(grid[::-1], axis=-1))
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
