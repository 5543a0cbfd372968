"""Kovasznay's flow behind a grid at Re = 40, against the exact solution."""

import numpy as np

from science import (
    Eq,
    NavierStokes,
    Point,
    Problem,
    RandomFeatures,
    Rational,
    Rectangle,
    coordinates,
    cos,
    exp,
    pi,
    references,
    sin,
    solve,
    sqrt,
)

# Statement

x, y = coordinates("x y")
flow = NavierStokes((x, y), viscosity=Rational(1, 40))
decay = 20 - sqrt(400 + 4 * pi**2)
u = 1 - exp(decay * x) * cos(2 * pi * y)
v = decay / (2 * pi) * exp(decay * x) * sin(2 * pi * y)
problem = Problem(
    domain=Rectangle((-0.5, -0.5), (1, 1.5)),
    equations=flow,
    conditions={
        "boundary": Eq(flow.velocity, (u, v)),
        Point(0, 0): Eq(flow.pressure, 0),
    },
    name="kovasznay_re40",
)

# Method: least squares on plane waves

solution = solve(problem, RandomFeatures(), folder="runs/kovasznay_re40")

# Result

reference = references.load("kovasznay_re40")
grid = np.meshgrid(reference["x"], reference["y"], indexing="ij")
values = solution(flow.velocity, np.stack(grid, axis=-1))
exact = np.stack([reference["u"], reference["v"]], axis=-1)
error = np.linalg.norm(values - exact) / np.linalg.norm(exact)
