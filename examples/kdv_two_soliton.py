"""Two solitons pass through each other, against Hirota's exact solution."""

import numpy as np

from science import (
    Eq,
    Interval,
    Problem,
    Spectral,
    coordinates,
    diff,
    exp,
    field,
    log,
    references,
    solve,
)

# Statement

x, t = coordinates("x t")
u = field("u", x, t)
fast, slow = 1.6, 1.0
first, second = (exp(k * x - k**3 * t) for k in (fast, slow))
both = 1 + first + second + ((fast - slow) / (fast + slow)) ** 2 * first * second
exact = 2 * diff(log(both), x, 2).doit()
problem = Problem(
    domain=Interval(-20, 20).periodic("x").over(t, -3, 3),  # they die out before the ends
    equations=Eq(diff(u, t) + 6 * u * diff(u, x) + diff(u, x, 3), 0),
    conditions={"initial": Eq(u, exact.subs(t, -3))},
    name="kdv_two_soliton",
)

# Method: Fourier series in space, exponential steps in time, both refined until nothing changes

solution = solve(problem, Spectral(), folder="runs/kdv_two_soliton")

# Result

reference = references.load("kdv_two_soliton")
grid = np.meshgrid(reference["t"], reference["x"], indexing="ij")
values = solution(u, np.stack(grid[::-1], axis=-1))
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
