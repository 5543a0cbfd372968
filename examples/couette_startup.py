"""Flow started by a moving wall, against the series."""

import numpy as np

from science import (
    Eq,
    FiniteElements,
    Heat,
    Interval,
    Problem,
    coordinates,
    field,
    references,
    solve,
)

# Statement

y, t = coordinates("y t")
u = field("u", y, t)
problem = Problem(
    domain=Interval(0, 1, axes="y").over(t, 0, 1),
    equations=Heat((y, t), unknown=u),
    conditions={"initial": Eq(u, 0), "left": Eq(u, 0), "right": Eq(u, 1)},
    name="couette_startup",
)

# Method: finite elements

solution = solve(problem, FiniteElements(), folder="runs/couette_startup")

# Result

reference = references.load("couette_startup")
grid = np.meshgrid(reference["t"], reference["y"], indexing="ij")
values = solution(u, np.stack(grid[::-1], axis=-1))
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
