"""Laplace's equation around four circles in a square, against a spectral reference."""

import numpy as np

from science import (
    Disk,
    Eq,
    FiniteElements,
    Laplace,
    Problem,
    Rectangle,
    coordinates,
    references,
    solve,
)

# Statement

x, y = coordinates("x y")
law = Laplace((x, y))
square = Rectangle((-0.5, -0.5), (0.5, 0.5))
places = [(-0.3, -0.3), (0.3, -0.3), (-0.3, 0.3), (0.3, 0.3)]
circles = [Disk(place, 0.1, name=f"circle{i}") for i, place in enumerate(places)]
problem = Problem(
    domain=square - circles[0] - circles[1] - circles[2] - circles[3],
    equations=law,
    conditions={
        ("left", "right", "bottom", "top"): Eq(law.unknown, 1),
        ("circle0", "circle1", "circle2", "circle3"): Eq(law.unknown, 0),
    },
    name="poisson2d_c_four_circles",
)

# Method: finite elements

solution = solve(problem, FiniteElements(), folder="runs/poisson2d_c_four_circles")

# Result

reference = references.load("poisson2d_c_four_circles")
values = solution(law.unknown, np.stack([reference["x"], reference["y"]], axis=-1))
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
