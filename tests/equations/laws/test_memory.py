"""Laws with memory and long range leave nothing of exact solutions."""

import jax.numpy as jnp
import numpy as np
import pytest
import sympy
from scipy.special import gamma
from sympy import cosh, exp

import geometry as geo
from equations import Eq, FractionalPoisson, Problem, Volterra, coordinates

from .cases import as_functions

x, t = coordinates("x t")
POINTS = np.array([[0.1], [0.7], [2.5]])


def left_over(law, exact, domain):
    return Problem(domain, law).residual(as_functions({law.unknown: exact}), POINTS)


def test_integro_differential_equation_holds_for_its_published_solution():
    law = Volterra(x, lambda x, s, u: exp(s - x) * u, order=1, decay=1)
    residual = left_over(law, exp(-x) * cosh(x), geo.Interval(0, 5))
    np.testing.assert_allclose(residual, 0, atol=1e-13)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_nonlinear_kernels_are_integrated(order):
    exact, s = 1 + t**2, sympy.Symbol("s")
    memory = sympy.integrate((t - s) * (1 + s**2) ** 2, (s, 0, t))
    source = exact.diff(t, order) - memory
    law = Volterra(t, lambda x, s, u: (x - s) * u**2, source=source, order=order)
    residual = left_over(law, exact, geo.Time(0, 3))
    np.testing.assert_allclose(residual, 0, atol=1e-11)  # of terms up to 50


@pytest.mark.parametrize("alpha", [0.6, 1.5])
def test_fractional_poisson_has_its_published_solution(alpha):
    # B. Dyda, Fract. Calc. Appl. Anal. 15 (2012) 536: (1 - x²)^(1 + alpha/2) on (-1, 1)
    factor = 2**alpha * gamma(alpha / 2 + 2) * gamma((1 + alpha) / 2) / gamma(1 / 2)
    law = FractionalPoisson(x, alpha, source=factor * (1 - (1 + alpha) * x**2))
    points = np.array([[0.1], [-0.5], [0.8]])
    exact = {law.unknown: lambda p: jnp.maximum(1 - p[0] ** 2, 0) ** (1 + alpha / 2)}
    residual = Problem(geo.Interval(-1, 1), law).residual(exact, points)
    np.testing.assert_allclose(residual, 0, atol=1e-6)  # quadrature near the ends


def test_fractional_poisson_lives_on_any_interval():
    law = FractionalPoisson(x, 1, source=2, interval=(0, 4))
    exact = {law.unknown: lambda p: 2 * jnp.sqrt(jnp.maximum(p[0] * (4 - p[0]), 0))}
    residual = Problem(geo.Interval(0, 4), law).residual(exact, np.array([[1.0], [2.5]]))
    np.testing.assert_allclose(residual, 0, atol=1e-3)  # the half order of the ends costs digits


def test_a_statement_with_memory_is_sound():
    law = Volterra(x, lambda x, s, u: exp(s - x) * u, order=1, decay=1)
    assert not Problem(geo.Interval(0, 5), law, {"left": Eq(law.unknown, 1)}).check().errors
