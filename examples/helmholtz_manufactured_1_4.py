"""Helmholtz's equation with an oscillating source, against the exact solution."""

import numpy as np

from science import (
    Eq,
    Helmholtz,
    Problem,
    RandomFeatures,
    Rectangle,
    coordinates,
    pi,
    references,
    sin,
    solve,
)

# Statement

x, y = coordinates("x y")
exact = sin(pi * x) * sin(4 * pi * y)
law = Helmholtz((x, y), wavenumber=1, source=(17 * pi**2 - 1) * exact)
problem = Problem(
    domain=Rectangle((-1, -1), (1, 1)),
    equations=law,
    conditions={"boundary": Eq(law.unknown, 0)},
    name="helmholtz_manufactured_1_4",
)

# Method: least squares on plane waves

solution = solve(problem, RandomFeatures(), folder="runs/helmholtz_manufactured_1_4")

# Result

reference = references.load("helmholtz_manufactured_1_4")
grid = np.meshgrid(reference["x"], reference["y"], indexing="ij")
values = solution(law.unknown, np.stack(grid, axis=-1))
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
