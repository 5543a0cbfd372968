"""A square that cools from one to zero at its boundary, against the series."""

import numpy as np

from science import (
    Eq,
    FiniteElements,
    Heat,
    Problem,
    Rectangle,
    coordinates,
    references,
    solve,
)

# Statement

x, y, t = coordinates("x y t")
law = Heat((x, y, t))
T = law.unknown
problem = Problem(
    domain=Rectangle((0, 0), (1, 1)).over(t, 0, 0.1),
    equations=law,
    conditions={"initial": Eq(T, 1), ("left", "right", "bottom", "top"): Eq(T, 0)},
    name="heat2d_cooling",
)

# Method: finite elements

solution = solve(problem, FiniteElements(), folder="runs/heat2d_cooling")

# Result

reference = references.load("heat2d_cooling")
grid = np.meshgrid(reference["t"], reference["x"], reference["y"], indexing="ij")
values = solution(T, np.stack([grid[1], grid[2], grid[0]], axis=-1))
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
