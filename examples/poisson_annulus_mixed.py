"""Poisson's equation on an annulus, insulated outside, against the exact solution."""

import numpy as np

from science import (
    Annulus,
    Eq,
    Poisson,
    Problem,
    RandomFeatures,
    coordinates,
    references,
    solve,
)

# Statement

x, y = coordinates("x y")
law = Poisson((x, y), source=4)
problem = Problem(
    domain=Annulus((0, 0), 0.5, 1.5),
    equations=law,
    conditions={"inner": Eq(law.unknown, 0), "outer": law.insulated()},
    name="poisson_annulus_mixed",
)

# Method: least squares on plane waves

solution = solve(problem, RandomFeatures(), folder="runs/poisson_annulus_mixed")

# Result

reference = references.load("poisson_annulus_mixed")
values = solution(law.unknown, np.stack([reference["x"], reference["y"]], axis=-1))
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
