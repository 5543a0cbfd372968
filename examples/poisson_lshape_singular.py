"""Laplace's equation on an L, singular at the corner, against the exact solution."""

import numpy as np

from science import (
    Eq,
    FiniteElements,
    Laplace,
    Piecewise,
    Problem,
    Rational,
    Rectangle,
    atan2,
    coordinates,
    pi,
    references,
    sin,
    solve,
)

# Statement

x, y = coordinates("x y")
law = Laplace((x, y))
ell = Rectangle((-1, -1), (1, 1)) - Rectangle((0, -1), (1, 0), name="cut")
angle = Piecewise((atan2(y, x), y >= 0), (atan2(y, x) + 2 * pi, True))
exact = (x**2 + y**2) ** Rational(1, 3) * sin(2 * angle / 3)
problem = Problem(
    domain=ell,
    equations=law,
    conditions={
        ("left", "right", "bottom", "top"): Eq(law.unknown, exact),
        "cut": Eq(law.unknown, 0),
    },
    name="poisson_lshape_singular",
)

# Method: finite elements

solution = solve(problem, FiniteElements(), folder="runs/poisson_lshape_singular")

# Result

reference = references.load("poisson_lshape_singular")
values = solution(law.unknown, np.stack([reference["x"], reference["y"]], axis=-1))
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
