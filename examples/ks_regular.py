"""Kuramoto and Sivashinsky's equation before it turns chaotic, against a reference."""

import numpy as np

from science import (
    Eq,
    Interval,
    Problem,
    Spectral,
    coordinates,
    diff,
    field,
    pi,
    references,
    sin,
    solve,
)

# Statement

x, t = coordinates("x t")
u = field("u", x, t)
growth = 5 * u * diff(u, x) + 0.5 * diff(u, x, 2) + 0.005 * diff(u, x, 4)
problem = Problem(
    domain=Interval(-1, 1).periodic("x").over(t, 0, 1),
    equations=Eq(diff(u, t) + growth, 0),
    conditions={"initial": Eq(u, -sin(pi * x))},
    name="ks_regular",
)

# Method: Fourier series in space, exponential steps in time, both refined until nothing changes

solution = solve(problem, Spectral(), folder="runs/ks_regular")

# Result

reference = references.load("ks_regular")
grid = np.meshgrid(reference["t"], reference["x"], indexing="ij")
values = solution(u, np.stack(grid[::-1], axis=-1))
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
