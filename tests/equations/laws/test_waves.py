"""What holds of waves besides their equations: energy, radiation, reflection."""

import numpy as np
import pytest
import sympy
from sympy import I, cos, exp, sin, sqrt

from equations import (
    GinzburgLandau,
    Helmholtz,
    KdV,
    MatchedLayer,
    Maxwell,
    Schrodinger,
    SineGordon,
    TimeHarmonicMaxwell,
    Wave,
    coordinates,
    field,
    normal,
)

from .cases import by_sympy, on_boundary, stated, vanishes
from .waves import nonzero, two_solitons

x, y, z, t = coordinates("x y z t")
(N,) = normal((x,))


def test_outgoing_waves_pass_an_absorbing_end():
    law = Wave((x, t), speed=2)
    leaving, arriving = (
        sympy.simplify(law.absorbing().residuals[0].subs(N, 1).subs(law.unknown, u).doit())
        for u in (sin(x - 2 * t), sin(x + 2 * t))
    )
    assert leaving == 0 != arriving


def test_outgoing_waves_of_one_frequency_pass_a_radiating_end():
    law = Helmholtz((x, y), 5, unknown=field("u", x, y, complex=True))
    ahead = on_boundary(
        law.radiating(incident=exp(-5 * I * x)).residuals,
        {law.unknown: exp(5 * I * x) + exp(-5 * I * x)},
        (x, y),
        (0.3, 0.2),
        (1.0, 0.0),
    )
    np.testing.assert_allclose(ahead, 0, atol=1e-14)


def test_total_field_of_a_mirror_vanishes_on_it():
    law = Helmholtz((x, y), 5, unknown=field("u", x, y, complex=True))
    soft, hard = law.sound_soft(exp(5 * I * x)), law.sound_hard(exp(5 * I * x))
    for condition, scattered in ((soft, -exp(-5 * I * x)), (hard, exp(-5 * I * x))):
        found = on_boundary(
            condition.residuals, {law.unknown: scattered}, (x, y), (0.0, 0.7), (1.0, 0.0)
        )
        np.testing.assert_allclose(found, 0, atol=1e-14)


def test_matched_layer_damps_by_its_published_factor():
    # sigma at the end of the layer is strength * thickness / (power + 1)
    layer = MatchedLayer(0, 1, thickness=0.5, strength=9, power=2)
    (stretch,) = layer.stretch((x,))
    depth = sympy.integrate(sympy.im(stretch.subs(x, 1 + y)).rewrite(sympy.Piecewise), (y, 0, 0.5))
    assert float(depth) == pytest.approx(9 * 0.5 / 3)


def test_energy_of_a_standing_wave_stays():
    law = Wave((x, t), speed=3)
    standing = {law.unknown: sin(x) * cos(3 * t)}
    density = law.energy_density.subs(standing).doit()
    energy = sympy.simplify(sympy.integrate(density, (x, 0, sympy.pi)))
    assert energy == 9 * sympy.pi / 4


def test_kinks_seen_by_a_moving_observer_are_kinks():
    law = SineGordon((x, t))
    kink = 4 * sympy.atan(exp(x))
    speed = sympy.Rational(3, 5)
    boosted = kink.subs(x, (x - speed * t) / sqrt(1 - speed**2))
    residual = law.equations[0].residuals[0].doit().subs(law.unknown, boosted).doit()
    numbers = sympy.lambdify((x, t), residual, "numpy")(
        *np.random.default_rng(0).uniform(-1, 1, (2, 9))
    )
    np.testing.assert_allclose(numbers, 0, atol=1e-13)


def test_free_ends_have_no_slope():
    law = Wave((x, t), speed=2)
    assert vanishes(law.free().residuals[0], {law.unknown: cos(t)})


def residual_at_random(law, fields):
    points = np.random.default_rng(0).uniform(0.2, 1, (5, len(law.coordinates)))
    return by_sympy(
        [r for e in law.equations for r in e.residuals], fields, law.coordinates, points
    )


def test_solitons_keep_mass_momentum_and_energy():
    law = KdV((x, t))
    points = np.linspace(-30, 30, 1501)  # trapezoids, exponentially accurate
    densities = (law.mass_density, law.momentum_density, law.energy_density)
    sums = []
    for time in (-1, 1):
        at = np.stack([points, np.full_like(points, time)], axis=-1)
        values = by_sympy(densities, {law.unknown: two_solitons()}, (x, t), at)
        sums.append(values.sum(axis=0) * 0.04)
    np.testing.assert_allclose(*sums, rtol=1e-10)
    assert sums[0][0] == pytest.approx(2 * (1 + 2))  # 2 (k1 + k2)


def test_kdv_is_the_same_for_a_moving_observer_and_when_scaled():
    law = KdV((x, t))
    u = 2 / sympy.cosh(x - 4 * t) ** 2
    np.testing.assert_allclose(
        residual_at_random(law, {law.unknown: u.subs(x, x - 12 * t) + 2}), 0, atol=1e-12
    )
    scaled = 9 * u.subs({x: 3 * x, t: 27 * t}, simultaneous=True)
    np.testing.assert_allclose(residual_at_random(law, {law.unknown: scaled}), 0, atol=1e-11)


def test_solitons_of_schrodinger_in_motion_and_turned_in_phase_are_solitons():
    law = Schrodinger((x, t), nonlinearity=-1)
    still = exp(I * t / 2) / sympy.cosh(x)
    moved = still.subs(x, x - 2 * t) * exp(I * (2 * x - 2 * t)) * exp(I * sympy.Rational(7, 10))
    np.testing.assert_allclose(residual_at_random(law, {law.unknown: moved}), 0, atol=1e-13)


def test_probability_flows_by_its_current():
    law = Schrodinger((x, t), potential=x**2 / 2)
    # a coherent state (E. Schrödinger, 1926)
    c = exp(-I * t)
    psi = {law.unknown: exp(-(x**2) / 2 + x * c - c**2 / 4 - sympy.Rational(1, 4) - I * t / 2)}
    points = np.random.default_rng(0).uniform(-1, 1, (5, 2))
    np.testing.assert_allclose(
        by_sympy([r for e in law.equations for r in e.residuals], psi, (x, t), points),
        0,
        atol=1e-13,
    )
    density = exp(-((x - cos(t)) ** 2))
    found = by_sympy([law.density, law.current[0]], psi, (x, t), points)
    X, T = points.T
    np.testing.assert_allclose(found[:, 0], np.exp(-((X - np.cos(T)) ** 2)), rtol=1e-12)
    np.testing.assert_allclose(found[:, 1], -np.sin(T) * found[:, 0], rtol=1e-12)
    assert vanishes(density.diff(t) + (-sin(t) * density).diff(x), {})


def test_phase_of_ginzburg_landau_is_free():
    law = GinzburgLandau((x, t), dispersion=2, shift=-1)
    turned = {law.unknown: exp(I * (t + sympy.Rational(7, 10)))}
    np.testing.assert_allclose(residual_at_random(law, turned), 0, atol=1e-14)
    assert on_boundary(law.no_flux().residuals, turned, (x,), 0.2, 1.0)[0, 0] == 0


LIGHT = Maxwell((x, y, z, t), permittivity=2, permeability=0.5)
K, E = sympy.Matrix([2, 1, -2]), sympy.Matrix([1, 2, 2])
BEAM = cos(2 * x + y - 2 * z - 3 * t)


def light():
    unknowns = nonzero(LIGHT.electric, LIGHT.magnetic)
    return stated(unknowns, *(E * BEAM), *(K.cross(E) * BEAM * sympy.Rational(2, 3)))


def test_energy_of_light_flows_by_poyntings_vector():
    flow = sum(s.diff(a) for s, a in zip(LIGHT.poynting, (x, y, z), strict=True))
    assert vanishes(LIGHT.energy_density.diff(t) + flow, light())


def test_light_has_no_charges():
    assert len(LIGHT.gauss) == 2
    assert all(vanishes(e.residuals[0], light()) for e in LIGHT.gauss)
    assert len(Maxwell((x, y, t)).gauss) == 1  # E_z has no divergence in the plane


def test_light_leaves_head_on_and_is_stopped_by_a_conductor():
    n = np.array([2, 1, -2]) / 3
    at = {t: 0.2, x: 0.3, y: 0.4, z: 0.5}
    outward = dict(zip(normal((x, y, z)), n, strict=True))
    fields = {u: float(v.subs(at)) for u, v in light().items()}
    leaving = [float(r.subs(fields).subs(outward)) for r in LIGHT.absorbing().residuals]
    np.testing.assert_allclose(leaving, 0, atol=1e-14)
    tangential = [float(r.subs(fields).subs(outward)) for r in LIGHT.perfect_conductor().residuals]
    np.testing.assert_allclose(
        tangential, np.cross(n, [1, 2, 2]) * float(BEAM.subs(at)), atol=1e-14
    )


@pytest.mark.parametrize("polarization", ["TM", "TE"])
def test_plane_light_of_either_polarization_leaves_head_on(polarization):
    law = Maxwell((x, y, t), polarization=polarization)
    wave = {"TM": (1, 0.8, -0.6), "TE": (-0.8, 0.6, 1)}[polarization]  # along (3/5, 4/5)
    fields = dict(zip(nonzero(law.electric, law.magnetic), wave, strict=True))
    outward = dict(zip(normal((x, y)), (0.6, 0.8), strict=True))
    (leaving,) = (r.subs(fields).subs(outward) for r in law.absorbing().residuals)
    (stopped,) = (r.subs(fields).subs(outward) for r in law.perfect_conductor().residuals)
    assert abs(leaving) < 1e-15 and abs(stopped) == pytest.approx(1)


def test_harmonic_light_is_light_of_one_frequency():
    law = TimeHarmonicMaxwell((x, y, z), frequency=3)
    wave = exp(I * (2 * x + y - 2 * z))
    fields = stated(law.electric, *(E * wave))
    expected = K.cross(E) * wave / 3
    assert all(vanishes(h - e, fields) for h, e in zip(law.magnetic, expected, strict=True))
    walls = law.perfect_conductor().residuals
    found = on_boundary(walls, fields, (x, y, z), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    np.testing.assert_allclose(found[0], [0, -2, 2])
