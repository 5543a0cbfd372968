"""Jumps and symmetries of gases, water and oil against published values."""

import numpy as np
import pytest
import sympy
from sympy import log, sin

from equations import (
    BuckleyLeverett,
    CompressibleNavierStokes,
    Darcy,
    Euler,
    ShallowWater,
    coordinates,
)

from .cases import by_sympy, on_boundary, stated, vanishes
from .flows import gas, vortex

x, y, t = coordinates("x y t")


def jump(law, left, right, speed):
    """[flux] - speed [conserved] of two constant states."""
    states = (dict(zip(unknowns_of(law), side, strict=True)) for side in (left, right))
    values = [
        [np.array([e.subs(s) for e in q], dtype=float) for q in (law.flux[:, 0], law.conserved)]
        for s in states
    ]
    (f, u), (g, v) = values
    return (g - f) - speed * (v - u)


def unknowns_of(law):
    if isinstance(law, ShallowWater):
        return (law.depth, *law.velocity)
    return (law.density, *law.velocity, law.pressure)


SOD = {  # E. F. Toro (2009), table 4.3, to ten digits: density, velocity, pressure
    "behind the contact": (0.4263194282, 0.92745262, 0.3031301781),
    "behind the shock": (0.2655737117, 0.92745262, 0.3031301781),
    "ahead": (0.125, 0, 0.1),
}


@pytest.mark.parametrize(
    ("left", "right", "speed"),
    [
        ("behind the shock", "ahead", 1.7521557320301784),
        ("behind the contact", "behind the shock", 0.92745262),
    ],
)
def test_shock_and_contact_of_sods_tube_jump_as_published(left, right, speed):
    law = Euler((x, t))
    np.testing.assert_allclose(jump(law, SOD[left], SOD[right], speed), 0, atol=1e-8)


def test_rarefaction_of_sods_tube_keeps_entropy_and_riemanns_invariant():
    law = Euler((x, t))
    states = [(1, 0, 1), SOD["behind the contact"]]
    rho, (u,), p = law.density, law.velocity, law.pressure
    kept = (law.entropy, u + 2 * law.sound_speed / (law.ratio - 1))
    values = [
        [float(k.subs(dict(zip((rho, u, p), state, strict=True)))) for k in kept]
        for state in states
    ]
    np.testing.assert_allclose(*values, atol=1e-8)


def test_vortex_keeps_entropy_and_turned_or_moving_it_stays_a_vortex():
    law = Euler((x, y, t), ratio=sympy.Rational(7, 5))
    fields = vortex(law)
    points = np.random.default_rng(0).uniform(0, 1, (5, 3))
    np.testing.assert_allclose(by_sympy([law.entropy], fields, (x, y, t), points), 0, atol=1e-14)
    u, v = law.velocity
    moving = {f: e.subs({x: x - 2 * t}) for f, e in fields.items()}
    moving[u] += 2
    turn = {x: y, y: -x}
    turned = {f: e.subs(turn, simultaneous=True) for f, e in fields.items()}
    turned[u], turned[v] = -turned[v], turned[u]
    for other in (moving, turned):
        residuals = [r for e in law.equations for r in e.residuals]
        np.testing.assert_allclose(by_sympy(residuals, other, (x, y, t), points), 0, atol=1e-12)


def test_mach_number_and_temperature_of_air():
    law = CompressibleNavierStokes((x, t), 1, 1, gas_constant=287)
    state = dict(
        zip((law.density, *law.velocity, law.pressure), (1.225, 340.3, 101325), strict=True)
    )
    assert float(law.temperature.subs(state)) == pytest.approx(288.2, abs=0.1)
    assert float(law.mach.subs(state)) == pytest.approx(1, abs=1e-3)


def test_walls_stop_a_gas_and_its_heat():
    law = CompressibleNavierStokes((x, y), viscosity=2, conductivity=3)
    fields = gas(law, 1 / (2 - y**2), (y, 0), 1)
    walls = [*law.slip().residuals, *law.insulated().residuals, *law.no_slip().residuals]
    found = on_boundary(walls, fields, (x, y), (0.3, 0.0), (0.0, -1.0))
    np.testing.assert_allclose(found, 0, atol=1e-15)


def test_dam_break_jumps_as_published():
    # J. J. Stoker, Water Waves (1957), section 10.8, for depths 2 and 1 m
    law = ShallowWater((x, t))
    behind, ahead = (1.453840892, 1.305833753), (1, 0)
    np.testing.assert_allclose(jump(law, behind, ahead, 4.183127922), 0, atol=1e-8)
    h, (u,) = law.depth, law.velocity
    riemann = u + 2 * law.wave_speed
    values = [float(riemann.subs({h: d, u: s})) for d, s in ((2, 0), behind)]
    assert values[0] == pytest.approx(values[1], abs=1e-8)


def test_surface_and_wall_of_water():
    law = ShallowWater((x, y, t), bed=sin(x))
    fields = stated((law.depth, law.velocity), 2 - sin(x), 0, 1)
    assert vanishes(law.surface - 2, fields)
    assert on_boundary(law.wall().residuals, fields, (x, y), (0.1, 0.2), (0, 1))[0, 0] == 1


def test_oil_is_displaced_behind_the_published_front():
    # Buckley & Leverett (1942) with Welge's tangent: S = 1 / sqrt(2), speed (1 + sqrt(2)) / 2
    law = BuckleyLeverett((x, t))
    S = 1 / sympy.sqrt(2)
    chord = law.fractional_flow.subs(law.unknown, S) / S
    assert sympy.simplify(chord - law.wave_speed.subs(law.unknown, S)) == 0
    assert float(chord) == pytest.approx(1.207106781)


def test_wells_and_walls_of_the_ground():
    law = Darcy((x, y), permeability=2, viscosity=4)
    well = {law.pressure: log(x**2 + y**2)}
    n = np.array([0.6, 0.8])
    found = on_boundary(law.impermeable().residuals, well, (x, y), 2 * n, n)
    assert found[0, 0] == pytest.approx(-0.5)  # -(K/mu) 2/r at r = 2
