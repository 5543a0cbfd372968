"""A sheet with a round hole under tension: the stress is three times as high at the hole."""

import numpy as np

from science import (
    Disk,
    Eq,
    FiniteElements,
    LinearElasticity,
    Problem,
    Rectangle,
    coordinates,
    references,
    solve,
)

# Statement: a quarter of the sheet, with Kirsch's stress on the cuts through the infinite one

x, y = coordinates("x y")
sheet = LinearElasticity((x, y), young=1000, poisson_ratio=0.3, plane="stress")
(u, v), stress = sheet.displacement, sheet.stress
r = x**2 + y**2  # squared
twice, also = (x**2 - y**2) / r, 2 * x * y / r  # cos and sin of twice the angle
fourfold, same = twice**2 - also**2, 2 * also * twice
pull_x = 1 - (3 * twice / 2 + fourfold) / r + 3 * fourfold / (2 * r**2)
pull_y = -(twice / 2 - fourfold) / r - 3 * fourfold / (2 * r**2)
shear = -(also / 2 + same) / r + 3 * same / (2 * r**2)
problem = Problem(
    domain=Rectangle((0, 0), (4, 4)) - Disk((0, 0), 1, name="hole"),
    equations=sheet,
    conditions={
        "left": [Eq(u, 0), Eq(stress[0, 1], 0)],
        "bottom": [Eq(v, 0), Eq(stress[0, 1], 0)],
        "right": sheet.traction((pull_x, shear)),
        "top": sheet.traction((shear, pull_y)),
        "hole": sheet.free(),
    },
    name="kirsch_infinite_plate",
)

# Method

solution = solve(problem, FiniteElements(), folder="runs/kirsch_infinite_plate")

# Result: the highest stress

error = abs(solution(stress[0, 0], [0.0, 1.0]) / 3 - 1)
reference = references.load("kirsch_infinite_plate")
points = np.stack([reference["x"], reference["y"]], axis=-1)
exact = np.stack([reference["ux"], reference["uy"]], axis=-1)
misfit = np.linalg.norm(solution(sheet.displacement, points) - exact) / np.linalg.norm(exact)
quantities = {
    "stress along the hole at (1, 0)": (solution(stress[1, 1], [1.0, 0.0]), -1),
    "relative error of the displacement": misfit,
}
