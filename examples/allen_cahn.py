"""Allen and Cahn's equation sharpens a smooth start into layers, against a reference."""

import numpy as np

from science import (
    Eq,
    Interval,
    Problem,
    Spectral,
    coordinates,
    cos,
    diff,
    field,
    pi,
    references,
    solve,
)

# Statement

x, t = coordinates("x t")
u = field("u", x, t)
problem = Problem(
    domain=Interval(-1, 1).periodic("x").over(t, 0, 1),
    equations=Eq(diff(u, t), 1e-4 * diff(u, x, 2) + 5 * u - 5 * u**3),
    conditions={"initial": Eq(u, x**2 * cos(pi * x))},  # its slope jumps at the ends
    name="allen_cahn",
)

# Method: Fourier series in space, exponential steps in time, both refined until nothing changes

solution = solve(problem, Spectral(), folder="runs/allen_cahn")

# Result

reference = references.load("allen_cahn")
grid = np.meshgrid(reference["t"], reference["x"], indexing="ij")
values = solution(u, np.stack(grid[::-1], axis=-1))
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
