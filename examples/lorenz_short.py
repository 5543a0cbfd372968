"""The Lorenz system over a short time, against a solution of twelve digits."""

import numpy as np

from science import (
    Eq,
    Matrix,
    Problem,
    RungeKutta,
    Time,
    coordinates,
    diff,
    fields,
    references,
    solve,
)

# Statement

t = coordinates("t")
X, Y, Z = fields("X Y Z", t)
lorenz = [
    Eq(diff(X, t), 10 * (Y - X)),
    Eq(diff(Y, t), X * (28 - Z) - Y),
    Eq(diff(Z, t), X * Y - 8 * Z / 3),
]
problem = Problem(
    domain=Time(0, 3),
    equations=lorenz,
    conditions={"initial": Eq((X, Y, Z), (1, 1, 1))},
    name="lorenz_short",
)

# Method: adaptive steps, and a second run that gives the error estimate

solution = solve(problem, RungeKutta(), folder="runs/lorenz_short")

# Result

reference = references.load("lorenz_short")
values = solution(Matrix([X, Y, Z]), reference["t"])
error = np.linalg.norm(values - reference["y"]) / np.linalg.norm(reference["y"])
