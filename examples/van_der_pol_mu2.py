"""Van der Pol's oscillator, an equation of second order, against a solution of twelve digits."""

import numpy as np

from science import (
    Eq,
    Matrix,
    Problem,
    RungeKutta,
    Time,
    coordinates,
    diff,
    field,
    references,
    solve,
)

# Statement

t = coordinates("t")
u = field("u", t)
problem = Problem(
    domain=Time(0, 10),
    equations=Eq(diff(u, t, 2), 2 * (1 - u**2) * diff(u, t) - u),
    conditions={"initial": [Eq(u, 2), Eq(diff(u, t), 0)]},
    name="van_der_pol_mu2",
)

# Method: adaptive steps, and a second run that gives the error estimate

solution = solve(problem, RungeKutta(), folder="runs/van_der_pol_mu2")

# Result

reference = references.load("van_der_pol_mu2")
values = solution(Matrix([u, diff(u, t)]), reference["t"])
error = np.linalg.norm(values - reference["y"]) / np.linalg.norm(reference["y"])
