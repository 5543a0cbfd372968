"""An electromagnetic wave between perfect conductors, against the exact solution."""

import numpy as np

from science import (
    Eq,
    Maxwell,
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

x, y, t = coordinates("x y t")
law = Maxwell((x, y, t))
E, (H_x, H_y) = law.electric[2], law.magnetic[:2]
problem = Problem(
    domain=Rectangle((0, 0), (1, 1)).over(t, 0, 1),
    equations=law,
    conditions={
        "initial": [Eq(E, sin(2 * pi * x) * sin(pi * y)), Eq(H_x, 0), Eq(H_y, 0)],
        ("left", "right", "bottom", "top"): law.perfect_conductor(),
    },
    name="maxwell_tm_cavity",
)

# Method: least squares on plane waves in space and time

solution = solve(problem, RandomFeatures(), folder="runs/maxwell_tm_cavity")

# Result

reference = references.load("maxwell_tm_cavity")
grid = np.meshgrid(*(reference[name] for name in "txy"), indexing="ij")
points = np.stack([grid[1], grid[2], grid[0]], axis=-1)
exact = np.stack([reference[name] for name in ("Ez", "Hx", "Hy")])
values = np.stack([solution(f, points) for f in (E, H_x, H_y)])
error = np.linalg.norm(values - exact) / np.linalg.norm(exact)
