"""Lid-driven cavity at Re = 1000, against a reference of high order."""

import numpy as np

from science import (
    Eq,
    FiniteElements,
    NavierStokes,
    Point,
    Problem,
    Rectangle,
    coordinates,
    references,
    solve,
)

# Statement

x, y = coordinates("x y")
flow = NavierStokes((x, y), viscosity=0.001)
problem = Problem(
    domain=Rectangle((0, 0), (1, 1)),
    equations=flow,
    conditions={
        "top": Eq(flow.velocity, (1, 0)),
        ("left", "right", "bottom"): Eq(flow.velocity, (0, 0)),
        Point(0.5, 0.5): Eq(flow.pressure, 0),
    },
    name="cavity_re1000_lines",
)

# Method: elements fine enough for the boundary layers

solution = solve(problem, FiniteElements(size=0.02), folder="runs/cavity_re1000_lines")

# Result: the velocity outside discs around the lid's corners, where it jumps

reference = references.load("cavity_re1000_lines")
grid = np.stack(np.meshgrid(reference["x"], reference["y"], indexing="ij"), axis=-1)
away = np.minimum(np.hypot(*(grid - (0, 1)).T), np.hypot(*(grid - (1, 1)).T)).T > 0.05
exact = np.stack([reference["u"], reference["v"]], axis=-1)[away]
error = np.linalg.norm(solution(flow.velocity, grid[away]) - exact) / np.linalg.norm(exact)
