"""What holds of plates, beams and solids besides their equations: moments, stresses, edges."""

import numpy as np
import pytest
import sympy
from sympy import cos, pi, sin, sqrt

from equations import (
    EulerBernoulliBeam,
    KirchhoffPlate,
    LinearElasticity,
    NeoHookean,
    TimoshenkoBeam,
    coordinates,
)

from .cases import by_sympy, on_boundary, stated, vanishes
from .solids import NU, cantilever, kirsch

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


SHEET = LinearElasticity((x, y), 1000, 0.3, plane="stress")


def test_hole_concentrates_stress_by_three():
    # G. Kirsch (1898), published values: 3 beside the hole, -1 ahead of it
    fields = kirsch(LinearElasticity((x, y), 1000, sympy.Rational(3, 10), plane="stress"))
    stress = [SHEET.stress[0, 0], SHEET.stress[1, 1], SHEET.von_mises]
    found = by_sympy(stress, fields, (x, y), np.array([[0.0, 0.5], [0.5, 0.0]]))
    np.testing.assert_allclose(found, [[3, 0, 3], [0, -1, 1]], atol=1e-12)


def test_rim_of_the_hole_is_free():
    fields = kirsch(LinearElasticity((x, y), 1000, sympy.Rational(3, 10), plane="stress"))
    outward = np.array([-0.6, -0.8])
    found = on_boundary(SHEET.free().residuals, fields, (x, y), -0.5 * outward, outward)
    np.testing.assert_allclose(found, 0, atol=1e-13)


def test_cantilever_bends_and_carries_its_load():
    # Timoshenko & Goodier (1970), section 21: P / 6EI ((4 + 5 nu) h² L / 4 + 2 L³)
    law = LinearElasticity((x, y), 1000, NU, plane="stress")
    fields = stated(law.displacement, *cantilever()[:2])
    tip = fields[law.displacement[1]].subs({x: 8, y: 0})
    assert float(tip) == pytest.approx(-0.2665)
    end = law.traction((0, -sympy.Rational(3, 4) * (1 - y**2))).residuals
    found = on_boundary(end, fields, (x, y), (8.0, 0.3), (1.0, 0.0))
    np.testing.assert_allclose(found, 0, atol=1e-13)


@pytest.mark.parametrize("plane", ["strain", "stress"])
def test_a_rotation_strains_nothing_and_a_pull_gives_youngs_modulus(plane):
    law = LinearElasticity((x, y), 5, NU, plane=plane)
    assert all(vanishes(s, stated(law.displacement, -y, x)) for s in law.stress)
    across = NU if plane == "stress" else NU / (1 - NU)
    modulus = 5 if plane == "stress" else 5 / (1 - NU**2)
    pulled = stated(law.displacement, x, -across * y)
    assert vanishes(law.stress[0, 0] - modulus, pulled) and vanishes(law.stress[1, 1], pulled)


def test_plane_strain_is_the_law_of_space_held_along_z():
    plane, space = LinearElasticity((x, y), 5, NU), LinearElasticity((x, y, z), 5, NU)
    u, v = x**2 * y, sin(x) * y
    flat, full = stated(plane.displacement, u, v), stated(space.displacement, u, v, 0)
    points = np.array([[0.3, 0.4, 0.5]])
    a = by_sympy([*plane.stress, plane.von_mises], flat, (x, y, z), points)[0]
    b = by_sympy([*space.stress[:2, :2], space.von_mises], full, (x, y, z), points)[0]
    np.testing.assert_allclose(a, b)


def test_von_mises_of_pure_shear_is_root_three_times_the_shear():
    law = LinearElasticity((x, y, z), 5, NU)  # mu = 2
    sheared = stated(law.displacement, 3 * y, 0, 0)
    assert vanishes(law.von_mises - 6 * sqrt(3), sheared)
    assert vanishes(law.energy_density - 9, sheared)


def test_turned_solids_deform_alike():
    law = LinearElasticity((x, y), 5, NU)
    X, Y = (3 * x + 4 * y) / 5, (3 * y - 4 * x) / 5
    u, v = (e.subs({x: X, y: Y}, simultaneous=True) for e in (sin(x) * y, x**2 * y))
    points = np.array([[0.3, 0.4]])
    back = [[(3 * 0.3 + 4 * 0.4) / 5, (3 * 0.4 - 4 * 0.3) / 5]]
    moved = stated(law.displacement, (3 * u - 4 * v) / 5, (4 * u + 3 * v) / 5)
    plain = stated(law.displacement, sin(x) * y, x**2 * y)
    forces = [
        by_sympy(law.equations[0].residuals, *f)
        for f in ((moved, (x, y), points), (plain, (x, y), np.array(back)))
    ]
    turned = forces[1] @ np.array([[3, 4], [-4, 3]]) / 5
    np.testing.assert_allclose(forces[0], turned, rtol=1e-12)


def test_small_deformations_of_a_neo_hookean_solid_are_linear():
    large, small = NeoHookean((x, y), 5, NU), LinearElasticity((x, y), 5, NU)
    fields = stated(large.displacement, 1e-6 * x**2 * y, 1e-6 * sin(x))
    points = np.array([[0.3, 0.4], [0.7, 0.1]])
    a, b = (by_sympy([*law.nominal_stress], fields, (x, y), points) for law in (large, small))
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-11)


def test_simple_shear_of_a_neo_hookean_solid_has_its_published_stresses():
    # Bonet & Wood (2008), example 6.4: sigma_12 = mu gamma, sigma_11 - sigma_22 = mu gamma²
    law = NeoHookean((x, y, z), 5, NU)  # mu = 2
    sheared = stated(law.displacement, y / 2, 0, 0)
    cauchy = law.cauchy_stress
    assert vanishes(cauchy[0, 1] - 1, sheared)
    assert vanishes(cauchy[0, 0] - cauchy[1, 1] - sympy.Rational(1, 2), sheared)


def test_a_turned_neo_hookean_solid_stores_no_energy_and_turns_its_stress():
    law = NeoHookean((x, y), 5, NU)
    c, s = sympy.Rational(3, 5), sympy.Rational(4, 5)
    turned = stated(law.displacement, (c - 1) * x - s * y, s * x + (c - 1) * y)
    assert vanishes(law.energy_density, turned)
    assert all(vanishes(p, turned) for p in law.nominal_stress)


def test_nominal_stress_is_the_slope_of_the_energy():
    law = NeoHookean((x, y), 5, NU)
    slopes = {d: sympy.Dummy() for d in law.deformation_gradient.atoms(sympy.Derivative)}
    energy = law.energy_density.xreplace(slopes)
    stress = [p.xreplace(slopes) for p in law.nominal_stress]
    order = [law.displacement[i].diff(a) for i in range(2) for a in (x, y)]
    for d, p in zip(order, stress, strict=True):
        assert sympy.simplify(energy.diff(slopes[d]) - p) == 0


def test_mixed_elasticity_agrees_with_hookes_law():
    law = LinearElasticity((x, y, z), 5, NU, mixed=True)
    plain = LinearElasticity((x, y, z), 5, NU)
    u = stated(plain.displacement, x * y, y * z, x)
    sigma = dict(zip(law.stress, (s.subs(u).doit() for s in plain.stress), strict=True))
    assert all(vanishes(r, u | sigma) for r in law.equations[1].residuals)


def test_cantilever_beams_bend_by_their_published_formulas():
    # Timoshenko (1921) and Euler: P L³ / 3EI, with shear P L / kGA more; moment P L at the root
    euler = EulerBernoulliBeam(x, stiffness=2)
    w = {euler.deflection: x**2 * (3 - x) / 12}
    assert w[euler.deflection].subs(x, 1) == sympy.Rational(1, 6)
    assert all(r.doit().subs(w).doit().subs(x, 0) == 0 for r in euler.clamped().residuals)
    assert all(r.doit().subs(w).doit().subs(x, 1) == 0 for r in euler.free(force=1).residuals)
    assert euler.bending_moment.subs(w).doit().subs(x, 0) == -1
    law = TimoshenkoBeam(x, stiffness=2, shear_stiffness=5)
    both = stated((law.deflection, law.rotation), x**2 * (3 - x) / 12 + x / 5, x * (2 - x) / 4)
    assert both[law.deflection].subs(x, 1) == sympy.Rational(1, 6) + sympy.Rational(1, 5)
    assert all(r.doit().subs(both).doit().subs(x, 1) == 0 for r in law.free(force=1).residuals)
    assert all(r.doit().subs(both).doit().subs(x, 0) == 0 for r in law.clamped().residuals)


def test_simply_supported_beam_carries_no_moment_at_its_ends():
    beams = (EulerBernoulliBeam(x, 2), TimoshenkoBeam(x, 2, shear_stiffness=5))
    fields = {beams[0].deflection: sin(pi * x), beams[1].rotation: cos(pi * x)}
    for law in beams:
        ends = [r.doit().subs(fields).doit() for r in law.simply_supported().residuals]
        assert [e.subs(x, 1) for e in ends] == [0, 0]
