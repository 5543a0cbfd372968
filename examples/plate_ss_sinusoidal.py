"""A simply supported plate under a sinusoidal load, against the exact solution."""

import numpy as np

from science import (
    KirchhoffPlate,
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

x, y = coordinates("x y")
plate = KirchhoffPlate((x, y), stiffness=1, load=sin(pi * x) * sin(pi * y), poisson_ratio=0.3)
problem = Problem(
    domain=Rectangle((0, 0), (1, 1)),
    equations=plate,
    conditions={"boundary": plate.simply_supported()},
    name="plate_ss_sinusoidal",
)

# Method: least squares on plane waves

solution = solve(problem, RandomFeatures(), folder="runs/plate_ss_sinusoidal")

# Result

reference = references.load("plate_ss_sinusoidal")
values = solution(plate.deflection, np.stack([reference["x"], reference["y"]], axis=-1))
error = np.linalg.norm(values - reference["w"]) / np.linalg.norm(reference["w"])
