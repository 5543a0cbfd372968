"""An integro-differential equation of Volterra, against the exact solution."""

import numpy as np

from science import PINN, Eq, Interval, Problem, Volterra, coordinates, exp, references, solve

# Statement: u' + u is the integral of exp(s - x) u(s) over s from 0 to x

x = coordinates("x")
memory = Volterra(x, lambda x, s, u: exp(s - x) * u, order=1, decay=1)
u = memory.unknown
problem = Problem(
    domain=Interval(0, 5),
    equations=memory,
    conditions={"left": Eq(u, 1)},
    name="volterra_ide",
)

# Method: a network; the integral is a Gauss rule at each point

solution = solve(problem, PINN(steps=600), folder="runs/volterra_ide")

# Result

reference = references.load("volterra_ide")
error = np.linalg.norm(solution(u, reference["x"]) - reference["u"]) / np.linalg.norm(
    reference["u"]
)
