"""Burgers' equation with a shock, nu = 0.01/pi, against the Cole-Hopf solution."""

import numpy as np

from science import (
    PINN,
    Eq,
    Interval,
    Problem,
    coordinates,
    diff,
    field,
    pi,
    references,
    sin,
    solve,
)

# Statement

x, t = coordinates("x t")
u = field("u", x, t)
problem = Problem(
    domain=Interval(-1, 1).over(t, 0, 1),
    equations=Eq(diff(u, t) + u * diff(u, x), 0.01 / pi * diff(u, x, 2)),
    conditions={"initial": Eq(u, -sin(pi * x)), ("left", "right"): Eq(u, 0)},
    name="burgers",
)

# Method: a network in space and time, with the initial and boundary values built in

solution = solve(problem, PINN(), folder="runs/burgers")

# Result

reference = references.load("burgers_nu001pi")
times, places = np.meshgrid(reference["t"], reference["x"], indexing="ij")
values = solution(u, np.stack([places, times], axis=-1))
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
slope = np.abs(solution(diff(u, x), [[0.0, 0.5105]]))[0]
quantities = {"slope of the shock at t = 0.51:": (slope, 152.005)}
