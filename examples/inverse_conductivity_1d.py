"""A conductivity that varies along a rod, found from sixty noisy temperatures."""

import numpy as np

from science import (
    PINN,
    Data,
    Eq,
    Interval,
    Point,
    Problem,
    coordinates,
    diff,
    field,
    known,
    references,
    solve,
)

# Statement: temperatures with noise of standard deviation 0.01, the source, and k at one end

reference = references.load("inverse_conductivity_1d")
x = coordinates("x")
u, k = field("u", x), field("k", x, positive=True)
source = known("f", x, points=reference["x"], values=reference["f"])
problem = Problem(
    domain=Interval(0, 1),
    equations=Eq(-diff(k * diff(u, x), x), source),
    conditions={Point(0): Eq(k, 1)},
    data=Data(reference["x_data"], {u: reference["u_data"]}, noise=0.01),
    name="inverse_conductivity_1d",
)

# Method: the smallest networks that fit the readings as closely as their noise lets them, as larger
# ones follow the noise where the temperature is flat

solution = solve(problem, PINN(width=2, depth=1), folder="runs/inverse_conductivity_1d")

# Result

values = solution(k, reference["x"])
error = np.linalg.norm(values - reference["k_true"]) / np.linalg.norm(reference["k_true"])
middle = reference.quantities["k(0.5)"]
quantities = {"conductivity in the middle:": (float(solution(k, [0.5])[0]), middle)}
