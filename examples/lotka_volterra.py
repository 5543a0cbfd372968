"""Hunters and prey, against a solution of twelve digits."""

import numpy as np

from science import (
    ODE,
    Matrix,
    Problem,
    RungeKutta,
    Time,
    coordinates,
    fields,
    references,
    solve,
)

# Statement

t = coordinates("t")
prey, hunters = fields("prey hunters", t)
law = ODE({prey: 1.5 * prey - prey * hunters, hunters: prey * hunters - 3 * hunters})
problem = Problem(
    domain=Time(0, 5),
    equations=law,
    conditions={"initial": law.initial(10, 5)},
    name="lotka_volterra",
)

# Method: adaptive steps, and a second run that gives the error estimate

solution = solve(problem, RungeKutta(), folder="runs/lotka_volterra")

# Result

reference = references.load("lotka_volterra")
values = solution(Matrix([prey, hunters]), reference["t"])
error = np.linalg.norm(values - reference["y"]) / np.linalg.norm(reference["y"])
