"""A clamped circular plate under uniform load, against the exact solution."""

import numpy as np

from science import (
    Disk,
    KirchhoffPlate,
    Problem,
    RandomFeatures,
    coordinates,
    references,
    solve,
)

# Statement

x, y = coordinates("x y")
plate = KirchhoffPlate((x, y), stiffness=1, load=1, poisson_ratio=0.3)
problem = Problem(
    domain=Disk((0, 0), 1),
    equations=plate,
    conditions={"boundary": plate.clamped()},
    name="plate_circular_clamped",
)

# Method: least squares on plane waves

solution = solve(problem, RandomFeatures(), folder="runs/plate_circular_clamped")

# Result

reference = references.load("plate_circular_clamped")
values = solution(plate.deflection, np.stack([reference["x"], reference["y"]], axis=-1))
error = np.linalg.norm(values - reference["w"]) / np.linalg.norm(reference["w"])
