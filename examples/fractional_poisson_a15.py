"""Poisson's equation with a fractional Laplacian of order 3/2, against the exact solution."""

import numpy as np
from sympy import Rational, gamma

from science import PINN, FractionalPoisson, Interval, Problem, coordinates, references, solve

# Statement: u vanishes outside the interval, as the law says

x = coordinates("x")
order = Rational(3, 2)
height = 2**order * gamma(order / 2 + 2) * gamma((1 + order) / 2) / gamma(Rational(1, 2))
law = FractionalPoisson(x, order=order, source=height * (1 - (1 + order) * x**2))
problem = Problem(domain=Interval(-1, 1), equations=law, name="fractional_poisson_a15")

# Method: a network; the operator is a quadrature around each point

solution = solve(problem, PINN(steps=2000), folder="runs/fractional_poisson_a15")

# Result

reference = references.load("fractional_poisson_a15")
values = solution(law.unknown, reference["x"])
error = np.linalg.norm(values - reference["u"]) / np.linalg.norm(reference["u"])
