"""Korteweg and de Vries's equation breaks a cosine into solitons, against a reference."""

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
    equations=Eq(diff(u, t) + u * diff(u, x) + 0.0025 * diff(u, x, 3), 0),
    conditions={"initial": Eq(u, cos(pi * x))},
    name="kdv_cos",
)

# Method: Fourier series in space, exponential steps in time, both refined until nothing changes

solution = solve(problem, Spectral(), folder="runs/kdv_cos")

# Result

reference = references.load("kdv_cos")
grid = np.meshgrid(reference["t"], reference["x"], indexing="ij")
values = solution(u, np.stack(grid[::-1], axis=-1))
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
