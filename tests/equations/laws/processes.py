"""Exact solutions of ordinary equations, heat exchangers, random motion and control."""

from sympy import Matrix, Rational, cos, erf, exp, log, pi, sin, sqrt

from equations import (
    ODE,
    BlackScholes,
    Eikonal,
    FokkerPlanck,
    HamiltonJacobiBellman,
    HeatExchanger,
    Vibration,
    coordinates,
    fields,
)

from .cases import Case, stated

x, y, z, t = coordinates("x y z t")
S, P = coordinates("S P")


def exchanger(law, hot=2, cold=3):
    # Incropera & DeWitt (2002), section 11.3.3: the difference decays exponentially
    gap = 1 / Rational(hot) - 1 / Rational(cold)
    difference = exp(-gap * x / 2)  # half the conductance of each side
    T = 5 + difference / (hot * gap)
    return stated((law.hot, law.cold, law.wall), T, T - difference, T - difference / 2)


def normal_distribution(d):
    return (1 + erf(d / sqrt(2))) / 2


def call():
    # F. Black and M. Scholes (1973), equation 13; the option expires at t = 2
    strike, r, sigma, left = Rational(7, 10), Rational(1, 20), Rational(1, 5), 2 - t
    d = (log(S / strike) + (r + sigma**2 / 2) * left) / (sigma * sqrt(left))
    later = strike * exp(-r * left) * normal_distribution(d - sigma * sqrt(left))
    return S * normal_distribution(d) - later


def cases():
    u, v = fields("u v", t)
    law = ODE({u: u * (1 - u)})
    yield Case("ode, logistic growth", law, {u: 1 / (1 + exp(-t))})
    law = ODE({u: -2 * v, v: 2 * u})
    yield Case("ode, rotation", law, stated((u, v), cos(2 * t), sin(2 * t)))
    w = fields("w", x)[0]
    law = ODE({w: 2 * w**3}, order=2)
    yield Case("ode of second order", law, {w: 1 / (1 + x)})
    law = Vibration(t, mass=2, stiffness=8.08, damping=0.8)
    yield Case("vibration, damped", law, {law.displacement: exp(-t / 5) * cos(2 * t)})
    law = Vibration(t, Matrix([[1, 0], [0, 1]]), Matrix([[2, -1], [-1, 2]]), force=(0, 3 * t))
    both = stated(law.displacement, cos(t) + t, cos(t) + 2 * t)
    yield Case("vibration of two masses", law, both)

    law = HeatExchanger(x, flows=(2, 3), conductances=(1, 1))
    yield Case("heat exchanger, counterflow", law, exchanger(law))
    law = HeatExchanger((x, t), flows=(2, 3), conductances=(1, 1), counterflow=False)
    yield Case("heat exchanger, manufactured", law)

    law = FokkerPlanck((x, t), drift=-x, diffusion=2)
    spread = 1 - exp(-2 * (t + 1))  # G. E. Uhlenbeck and L. S. Ornstein (1930)
    drifting = exp(-((x - exp(-t)) ** 2) / (2 * spread)) / sqrt(2 * pi * spread)
    yield Case("fokker-planck, Ornstein and Uhlenbeck", law, {law.unknown: drifting})
    law = FokkerPlanck((x, t), drift=x / 10, diffusion=x**2 / 4)
    growth = exp(-((log(x) + (1 + t) / 40) ** 2) * 2 / (1 + t)) / (x * sqrt(1 + t))
    yield Case("fokker-planck, log-normal", law, {law.unknown: growth})
    matrix = Matrix([[2, 1], [1, 3]])
    law = FokkerPlanck((x, y, t), drift=(1, 0), diffusion=matrix)
    r = Matrix([x - t, y])
    gaussian = exp(-(r.T * matrix.inv() * r)[0] / (2 * (1 + t))) / (1 + t)
    yield Case("fokker-planck, matrix", law, {law.unknown: gaussian})
    law = FokkerPlanck((x, y), drift=(-4 * x, -4 * y), diffusion=2)
    yield Case("fokker-planck, Boltzmann", law, {law.unknown: exp(-2 * (x**2 + y**2))})

    law = BlackScholes((S, t), volatility=Rational(1, 5), rate=Rational(1, 20))
    yield Case("black-scholes, call", law, {law.unknown: call()})
    rho = Matrix([[1, 0.5], [0.5, 1]])
    law = BlackScholes((S, P, t), (0.2, 0.4), rate=0.05, dividend=(0.01, 0), correlation=rho)
    yield Case("black-scholes, product", law, {law.unknown: S * P * exp(-0.08 * t)})

    law = HamiltonJacobiBellman((x, y, t))
    hopf = -log(9 + exp(2 * t) * cos(x) * cos(y))
    yield Case("hamilton-jacobi-bellman", law, {law.unknown: hopf})
    law = HamiltonJacobiBellman(x, lambda p: x**2 - p[0] ** 2 / 4, discount=1.5)
    yield Case("hamilton-jacobi-bellman, regulator", law, {law.unknown: x**2 / 2 + Rational(2, 3)})
    law = Eikonal((x, y, z))
    yield Case("eikonal, distance", law, {law.unknown: sqrt(x**2 + y**2 + z**2)})
    law = Eikonal((x, y), speed=1 / sqrt(4 * x**2 + 1))
    yield Case("eikonal, varying speed", law, {law.unknown: x**2 + y})
