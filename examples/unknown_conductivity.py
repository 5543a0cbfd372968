"""Heat conduction with an unknown conductivity, found from 200 noisy temperatures."""

import numpy as np

from science import (
    Data,
    Eq,
    Heat,
    Interval,
    Problem,
    coordinates,
    parameter,
    pi,
    sin,
    solve,
)

# Statement: readings of the exact solution for k = 0.1, with noise of standard deviation 0.01

random = np.random.default_rng(0)
points = random.uniform((0, 0), (1, 1), (200, 2))


def exact(place, time):
    """The temperature for k = 0.1."""
    modes = [(1.0, 1), (0.5, 3)]
    return sum(
        a * np.sin(n * np.pi * place) * np.exp(-0.1 * (n * np.pi) ** 2 * time) for a, n in modes
    )


x, t = coordinates("x t")
k = parameter("k", initial=0.5, positive=True)
law = Heat((x, t), conductivity=k)
T = law.temperature
problem = Problem(
    domain=Interval(0, 1).over(t, 0, 1),
    equations=law,
    conditions={
        "initial": Eq(T, sin(pi * x) + sin(3 * pi * x) / 2),
        ("left", "right"): Eq(T, 0),
    },
    data=Data(points, {T: exact(*points.T) + random.normal(0, 0.01, 200)}, noise=0.01),
    name="unknown_conductivity",
)

# Method: a network and the conductivity are found together

solution = solve(problem, folder="runs/unknown_conductivity")

# Result

error = abs(solution[k] - 0.1) / 0.1
quantities = {"conductivity:": (solution[k], 0.1)}
