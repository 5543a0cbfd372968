"""Two modes of a cooling rod, against the exact solution."""

import numpy as np

from science import (
    Eq,
    Heat,
    Interval,
    Problem,
    RandomFeatures,
    Rational,
    coordinates,
    pi,
    references,
    sin,
    solve,
)

# Statement

x, t = coordinates("x t")
law = Heat((x, t), conductivity=Rational(1, 10))
T = law.unknown
problem = Problem(
    domain=Interval(0, 1).over(t, 0, 1),
    equations=law,
    conditions={
        "initial": Eq(T, sin(pi * x) + sin(3 * pi * x) / 2),
        ("left", "right"): Eq(T, 0),
    },
    name="heat1d_exact",
)

# Method: least squares on plane waves in space and time

solution = solve(problem, RandomFeatures(), folder="runs/heat1d_exact")

# Result

reference = references.load("heat1d_exact")
grid = np.meshgrid(reference["t"], reference["x"], indexing="ij")
values = solution(T, np.stack(grid[::-1], axis=-1))
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
