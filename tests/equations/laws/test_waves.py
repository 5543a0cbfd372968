"""What holds of waves besides their equations: energy, radiation, reflection."""

import numpy as np
import pytest
import sympy
from sympy import I, cos, exp, sin, sqrt

from equations import Helmholtz, MatchedLayer, SineGordon, Wave, coordinates, field, normal

from .cases import on_boundary, vanishes

x, y, t = coordinates("x y t")
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
