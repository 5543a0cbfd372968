"""What holds of potentials, heat and transport besides their equations."""

import numpy as np
import pytest
import sympy
from sympy import cos, exp, sin, sqrt, tanh

from equations import (
    AdvectionDiffusion,
    AllenCahn,
    CahnHilliard,
    GrayScott,
    Heat,
    Laplace,
    Poisson,
    ReactionDiffusion,
    coordinates,
    field,
    fields,
    normal,
)

from .cases import on_boundary, vanishes

x, y, t = coordinates("x y t")
N = normal((x, y))


def through(flux):
    return sum(a * b for a, b in zip(flux, N, strict=True))


def test_conditions_of_heat_agree_with_its_flux():
    law = Heat((x, y), conductivity=3)
    assert sympy.simplify(law.insulated().residuals[0] + through(law.flux)) == 0
    newton = law.convection(2, ambient=20).residuals[0]
    assert sympy.simplify(newton + through(law.flux) - 2 * (law.temperature - 20)) == 0


@pytest.mark.parametrize(
    ("flux", "condition"),
    [
        (lambda w: w.flux, Poisson((x, y), conductivity=1 + x).insulated),
        (lambda w: w.gradient, Laplace((x, y)).insulated),
        (lambda w: w.flux, AdvectionDiffusion((x, y), velocity=(1, x)).impermeable),
        (lambda w: w.diffusive_flux, AdvectionDiffusion((x, y), velocity=(1, x)).outflow),
    ],
)
def test_natural_conditions_stop_their_flux(flux, condition):
    law = condition.__self__
    residual = condition().residuals[0]
    assert sympy.simplify(residual**2 - through(flux(law)) ** 2) == 0


def test_conservative_transport_differs_by_the_divergence_of_the_velocity():
    both = [AdvectionDiffusion((x, t), velocity=x**2, conservative=c) for c in (True, False)]
    a, b = (law.equations[0].residuals[0].doit() for law in both)
    assert sympy.expand(a - b - 2 * x * both[0].unknown) == 0


def test_a_moving_observer_sees_the_same_transport():
    c = exp(-t) * sin(x - 2 * t)
    moved = c.subs(x, x - 3 * t)
    law = AdvectionDiffusion((x, t), velocity=5)
    assert vanishes(law.equations[0].residuals[0], {law.unknown: moved})


def test_energy_of_a_front_is_its_published_surface_tension():
    # Allen & Cahn (1979): 2 sqrt(2) / 3 for D = r = 1, u = tanh(x / sqrt(2))
    law = AllenCahn((x,))
    density = law.energy_density.subs(law.unknown, tanh(x / sqrt(2))).doit()
    points = np.linspace(-20, 20, 4001)
    energy = np.sum(sympy.lambdify(x, density, "numpy")(points)) * 0.01  # trapezoids, exponential
    assert energy == pytest.approx(2 * np.sqrt(2) / 3, rel=1e-12)
    mixed = CahnHilliard((x,), gradient_energy=1)
    assert sympy.expand(mixed.energy_density - law.energy_density) == 0


def test_mixed_cahn_hilliard_is_the_one_of_fourth_order():
    mixed, single = (CahnHilliard((x, y, t), gradient_energy=0.5, mixed=m) for m in (True, False))
    whole = mixed.equations[0].residuals[0].subs(mixed.potential, single.potential.doit()).doit()
    assert sympy.expand(whole - single.equations[0].residuals[0].doit()) == 0
    still = {mixed.concentration: cos(y), mixed.potential: cos(2 * y)}
    assert not on_boundary(mixed.no_flux().residuals, still, (x, y), (1, 0), (1, 0)).any()


def test_a_law_takes_the_unknown_that_it_is_given():
    v = field("v", x, y)
    assert Poisson((x, y), unknown=v).unknown == v
    assert Heat((x, t), unknown=field("w", x, t)).temperature == field("w", x, t)
    a, b = fields("a b", x, t)
    assert ReactionDiffusion((x, t), (1, 2), (b, -a), species=(a, b)).species == (a, b)


def test_coefficients_may_be_functions_of_the_unknown_and_fields():
    law = Poisson((x, y), conductivity=lambda u: 1 + u**2, source=sympy.exp)
    assert law.conductivity == 1 + law.unknown**2 and law.source == exp(law.unknown)
    k = field("k", x, y, positive=True)
    assert k in Heat((x, y), conductivity=k).equations[0].atoms(type(k))


def test_species_that_rest_feel_no_flux():
    law = GrayScott((x, y, t), diffusivity=(2, 1), feed=0.04, kill=0.06)
    assert all(vanishes(r, dict.fromkeys(law.species, 1)) for r in law.no_flux().residuals)
