"""The nonlinear Schroedinger equation focuses a pulse, against a reference."""

import numpy as np

from science import (
    Eq,
    I,
    Interval,
    Problem,
    Spectral,
    coordinates,
    cosh,
    diff,
    field,
    pi,
    references,
    solve,
)

# Statement

x, t = coordinates("x t")
h = field("h", x, t, complex=True)
problem = Problem(
    domain=Interval(-5, 5).periodic("x").over(t, 0, pi / 2),
    equations=Eq(I * diff(h, t) + diff(h, x, 2) / 2 + abs(h) ** 2 * h, 0),
    conditions={"initial": Eq(h, 2 / cosh(x))},
    name="nls_2sech",
)

# Method: Fourier series in space, exponential steps in time, both refined until nothing changes

solution = solve(problem, Spectral(), folder="runs/nls_2sech")

# Result

reference = references.load("nls_2sech")
grid = np.meshgrid(reference["t"], reference["x"], indexing="ij")
values = solution(h, np.stack(grid[::-1], axis=-1))
exact = np.hypot(reference["h_re"], reference["h_im"])
error = np.linalg.norm(np.abs(values) - exact) / np.linalg.norm(exact)
