"""What holds of plates, beams and solids besides their equations: moments, stresses, edges."""

import numpy as np
import pytest
import sympy
from sympy import cos, pi, sin, sqrt

from equations import KirchhoffPlate, coordinates

from .cases import on_boundary, vanishes

x, y, z, t = coordinates("x y z t")


def test_centre_of_a_simply_supported_plate_is_naviers():
    # Timoshenko & Woinowsky-Krieger (1959), table 8: w = 0.00406 q a⁴/D, M = 0.0479 q a²
    law = KirchhoffPlate((x, y), stiffness=1, load=1, poisson_ratio=0.3)
    m, n = sympy.symbols("m n", positive=True)
    w = 16 / (pi**6 * m * n * (m**2 + n**2) ** 2) * sin(m * pi * x) * sin(n * pi * y)
    mode = [w, law.bending_moment[0].subs(law.deflection, w).doit()]
    odd = np.arange(1, 200, 2)
    terms = sympy.lambdify((m, n, x, y), mode, "numpy")(odd[:, None], odd, 0.5, 0.5)
    deflection, moment = (term.sum() for term in terms)
    assert deflection == pytest.approx(0.00406, abs=5e-6)
    assert moment == pytest.approx(0.0479, abs=5e-5)
    edge = [law.simply_supported().residuals[0], law.bending_moment[0]]
    wave = {law.deflection: sin(pi * x) * sin(3 * pi * y)}
    assert all(vanishes(sympy.sympify(e).subs(wave).doit().subs(x, 1), {}) for e in edge)


def test_round_clamped_plate_is_clamped():
    law = KirchhoffPlate((x, y), stiffness=1, load=1)
    w = {law.deflection: (1 - x**2 - y**2) ** 2 / 64}
    found = on_boundary(law.clamped().residuals, w, (x, y), (0.6, 0.8), (0.6, 0.8))
    np.testing.assert_allclose(found, 0, atol=1e-16)


def test_round_plate_with_free_rim_obeys_kirchhoffs_conditions():
    # w = r² (cos 2θ) A + r⁴ (cos 2θ) B is biharmonic; its rim is free of moment and of effective
    # shear exactly if the polar forms of both vanish (Timoshenko & Woinowsky-Krieger, eqs 192, j)
    nu = sympy.Rational(3, 10)
    law = KirchhoffPlate((x, y), stiffness=1, poisson_ratio=nu)
    r, theta, A, B = sympy.symbols("r theta A B", positive=True)
    w = (A * r**2 + B * r**4) * cos(2 * theta)
    lap = w.diff(r, 2) + w.diff(r) / r + w.diff(theta, 2) / r**2
    moment = -(nu * lap + (1 - nu) * w.diff(r, 2))
    twist = -(1 - nu) * (w / r).diff(r).diff(theta)
    shear = -lap.diff(r) + twist.diff(theta) / r
    cartesian = A * (x**2 - y**2) + B * (x**2 + y**2) * (x**2 - y**2)
    numbers = {A: 1.3, B: 0.7}
    at = (np.cos(0.4), np.sin(0.4))
    found = on_boundary(
        law.free(curvature=1).residuals, {law.deflection: cartesian.subs(numbers)}, (x, y), at, at
    )
    polar = [float(e.subs(numbers | {r: 1, theta: 0.4})) for e in (moment, shear)]
    np.testing.assert_allclose(found[0], polar, rtol=1e-13)


def test_plate_turned_has_turned_moments():
    law = KirchhoffPlate((x, y), stiffness=2)
    w = x**3 * y - y**2
    turned = w.subs({x: (x + y) / sqrt(2), y: (y - x) / sqrt(2)}, simultaneous=True)
    n = np.array([1, 1]) / np.sqrt(2)
    straight = on_boundary(law.free().residuals, {law.deflection: w}, (x, y), (0.3, 0.5), (1.0, 0))
    back = (np.array([0.3 - 0.5, 0.3 + 0.5]) / np.sqrt(2)).tolist()
    again = on_boundary(law.free().residuals, {law.deflection: turned}, (x, y), back, n)
    np.testing.assert_allclose(straight, again, rtol=1e-12)
