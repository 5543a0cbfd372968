"""Exact solutions in polar, cylindrical and spherical coordinates, and in many dimensions."""

from sympy import cos, exp, log, pi, sin

from equations import (
    BlackScholes,
    HamiltonJacobiBellman,
    Heat,
    LinearElasticity,
    NavierStokes,
    Poisson,
    Stokes,
    coordinates,
    dot,
)

from .cases import Case, stated

t = coordinates("t")
NU = 0.25


def cases():
    r, theta = coordinates("r theta", system="polar")
    law = NavierStokes((r, theta), viscosity=0.1)
    turning = 2 * r + 3 / r  # M. Couette (1890)
    p = 2 * r**2 + 12 * log(r) - 9 / (2 * r**2)
    yield Case("navier-stokes, polar", law, stated((law.velocity, law.pressure), 0, turning, p))
    # G. Lamé (1852): a thick cylinder and a thick sphere under pressure
    law = LinearElasticity((r, theta), 5, NU)
    yield Case("elasticity, polar", law, stated(law.displacement, 2 * r + 3 / r, 0))
    r = coordinates("r", system="spherical")
    law = LinearElasticity(r, 5, NU)
    yield Case("elasticity, sphere", law, stated(law.displacement, 2 * r + 3 / r**2))
    law = Heat((r, t), conductivity=2)
    yield Case("heat, sphere", law, {law.temperature: exp(-2 * pi**2 * t) * sin(pi * r) / r})
    r, z = coordinates("r z", system="cylindrical")
    law = NavierStokes((r, z), viscosity=0.1, stress_form=True)
    yield Case(
        "navier-stokes, pipe", law, stated((law.velocity, law.pressure), 0, 1 - r**2, -0.4 * z)
    )
    law = LinearElasticity((r, z), 5, NU)
    stretched = stated(law.displacement, 2 * r + 3 / r, 4 * z)
    yield Case("elasticity, cylindrical", law, stretched)
    r, theta = coordinates("r theta", system="spherical")
    law = Stokes((r, theta), viscosity=3)
    u = cos(theta) * (1 - 3 / (2 * r) + 1 / (2 * r**3))
    v = -sin(theta) * (1 - 3 / (4 * r) - 1 / (4 * r**3))
    unknowns = (law.velocity, law.pressure)
    yield Case("stokes, spherical", law, stated(unknowns, u, v, -9 * cos(theta) / (2 * r**2)))

    X = coordinates("x", size=5)
    law = Poisson(X, source=-10)
    yield Case("poisson 5-D", law, {law.unknown: dot(X, X)})
    law = HamiltonJacobiBellman((X, t))
    yield Case("hamilton-jacobi-bellman 5-D", law, {law.unknown: -log(9 + exp(t) * cos(X[3]))})
    # Raissi (2018), Black-Scholes-Barenblatt equation 18, at constant volatility
    law = BlackScholes((X, t), volatility=0.4, rate=0.05)
    yield Case("black-scholes 5-D", law, {law.unknown: exp(0.21 * (1 - t)) * dot(X, X)})
