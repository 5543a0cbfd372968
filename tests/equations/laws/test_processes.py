"""Ordinary equations, heat exchangers, chance and control against published formulas."""

import numpy as np
import pytest
import sympy
from sympy import Matrix, cos, exp, sin, sqrt

from equations import (
    ODE,
    BlackScholes,
    ConjugateHeatTransfer,
    FokkerPlanck,
    HamiltonJacobiBellman,
    Heat,
    HeatExchanger,
    Vibration,
    coordinates,
    diff,
    fields,
)

from .cases import by_sympy, on_boundary, vanishes
from .processes import call, exchanger

x, y, t, S = coordinates("x y t S")


def test_initial_values_of_systems_come_in_order():
    u, v = fields("u v", t)
    law = ODE({u: v, v: -u}, order=2)
    assert [e.lhs for e in law.initial(1, 2, 3, 4)] == [u, v, diff(u, t), diff(v, t)]
    assert [e.rhs for e in law.initial(1, 2, 3, 4)] == [1, 2, 3, 4]
    assert ODE(law.rates, order=2) == law and law.unknowns == (u, v)


def test_vibrations_without_loss_keep_their_energy():
    law = Vibration(t, Matrix([[1, 0], [0, 1]]), Matrix([[2, -1], [-1, 2]]))
    u, v = law.displacement
    slow_and_fast = {u: cos(t) + sin(sqrt(3) * t), v: cos(t) - sin(sqrt(3) * t)}
    assert vanishes(law.energy.diff(t), slow_and_fast)
    starts = [r for e in law.initial((1, 1), (0, 0)) for r in e.residuals]
    assert [s.subs({u: 1, v: 1}).doit() for s in starts] == [0] * 4
    single = Vibration(t, mass=2, stiffness=8)
    assert vanishes(single.energy - 4, {single.displacement: cos(2 * t)})


def test_effectiveness_of_a_heat_exchanger_is_its_published_formula():
    # Incropera & DeWitt (2002), equation 11.30a, counterflow
    law = HeatExchanger(x, flows=(2, 3), conductances=(1, 1))
    exact = exchanger(law)
    hot, cold = exact[law.hot], exact[law.cold]
    length = 4
    gained = (hot.subs(x, 0) - hot.subs(x, length)) / (hot.subs(x, 0) - cold.subs(x, length))
    ntu, ratio = 0.5 * length / 2, 2 / 3
    decay = np.exp(-ntu * (1 - ratio))
    assert float(gained) == pytest.approx((1 - decay) / (1 - ratio * decay))


def test_conjugate_heat_is_conduction_in_the_solid():
    law = ConjugateHeatTransfer((x, y), 1, 1, conductivity=(1, 3))
    still = {u: 0 for u in law.velocity}
    residual = law.equations[-1].residuals[0].subs(still).doit()
    conduction = Heat((x, y), conductivity=3, unknown=law.temperature)
    assert sympy.expand(residual - conduction.equations[0].residuals[0].doit()) == 0


def test_no_probability_passes_a_reflecting_wall():
    law = FokkerPlanck((x, y), drift=(-x, -y), diffusion=2)
    calm = {law.unknown: exp(-(x**2 + y**2) / 2)}
    found = on_boundary(law.reflecting().residuals, calm, (x, y), (0.3, 0.4), (0.6, 0.8))
    np.testing.assert_allclose(found, 0, atol=1e-16)


def test_diffusion_that_varies_drifts_as_ito_says():
    law = FokkerPlanck((x, t), drift=0, diffusion=x**2)
    matrix = FokkerPlanck((x, t), drift=0, diffusion=Matrix([[x**2]]))
    p = law.unknown
    assert sympy.expand(law.current[0] + x * p + x**2 * diff(p, x) / 2) == 0
    assert sympy.expand(law.current[0] - matrix.current[0]) == 0


def test_option_has_its_published_price_and_greeks():
    # J. C. Hull, Options, Futures and Other Derivatives (2012), example 14.6: S = 42, K = 40,
    # r = 10 %, sigma = 20 %, six months: call 4.76, put 0.81; delta N(d1) = 0.7791
    law = BlackScholes((S, t), volatility=0.2, rate=0.1)
    price = call_of(40, 0.1, 0.2, sympy.Rational(1, 2) - t)
    now = np.array([[42.0, 0.0]])
    value, delta = by_sympy([law.unknown, law.delta[0]], {law.unknown: price}, (S, t), now)[0]
    assert value == pytest.approx(4.76, abs=5e-3) and delta == pytest.approx(0.7791, abs=5e-5)
    put = {law.unknown: price - S + 40 * exp(-0.1 * (sympy.Rational(1, 2) - t))}
    found = by_sympy([law.unknown, *law.equations[0].residuals], put, (S, t), now)[0]
    assert found[0] == pytest.approx(0.81, abs=5e-3) and abs(found[1]) < 1e-12


def call_of(strike, r, sigma, left):
    d = (sympy.log(S / strike) + (r + sigma**2 / 2) * left) / (sigma * sqrt(left))

    def below(z):
        return (1 + sympy.erf(z / sqrt(2))) / 2

    return S * below(d) - strike * exp(-r * left) * below(d - sigma * sqrt(left))


def test_payoffs_of_call_and_put_differ_by_the_forward():
    law = BlackScholes((S, t), volatility=0.2, rate=0.1)
    both = law.call_payoff(3).rhs - law.put_payoff(3).rhs
    assert [both.subs(S, s) for s in (1, 3, 8)] == [-2, 0, 5]
    assert call().free_symbols == {S, t}


def test_theta_and_gamma_of_a_portfolio():
    law = BlackScholes((S, x, t), volatility=0.2, rate=0.1)
    product = {law.unknown: S * x * exp(t)}
    assert vanishes(law.gamma[0, 1] - exp(t), product)
    assert vanishes(law.theta - S * x * exp(t), product)


def test_controls_of_least_cost_give_the_default_hamiltonian():
    # min over a of 2 a · p + |a|² is -|p|²
    a, p = sympy.symbols("a p", real=True)
    least = (2 * a * p + a**2).subs(a, sympy.solve(sympy.diff(2 * a * p + a**2, a), a)[0])
    law = HamiltonJacobiBellman((x, t))
    assert law.hamiltonian == least.subs(p, diff(law.unknown, x))
