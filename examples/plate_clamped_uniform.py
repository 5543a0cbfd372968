"""A clamped square plate under uniform load, against a converged reference."""

import numpy as np

from science import (
    KirchhoffPlate,
    Problem,
    RandomFeatures,
    Rectangle,
    coordinates,
    references,
    solve,
)

# Statement

x, y = coordinates("x y")
plate = KirchhoffPlate((x, y), stiffness=1, load=1, poisson_ratio=0.3)
problem = Problem(
    domain=Rectangle((0, 0), (1, 1)),
    equations=plate,
    conditions={"boundary": plate.clamped()},
    name="plate_clamped_uniform",
)

# Method: least squares on plane waves

solution = solve(problem, RandomFeatures(), folder="runs/plate_clamped_uniform")

# Result

reference = references.load("plate_clamped_uniform")
values = solution(plate.deflection, np.stack([reference["x"], reference["y"]], axis=-1))
error = np.linalg.norm(values - reference["w"]) / np.linalg.norm(reference["w"])
