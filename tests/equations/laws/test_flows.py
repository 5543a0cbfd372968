"""What holds of flows besides their equations: vorticity, forces, symmetries."""

import numpy as np
import pytest
import sympy
from sympy import Rational, exp, log, sin, sqrt

from equations import (
    RANS,
    Boussinesq,
    KEpsilon,
    MixingLength,
    NavierStokes,
    Stokes,
    VorticityStreamfunction,
    coordinates,
)

from .cases import by_sympy, on_boundary, stated, vanishes
from .flows import KAPPA, flow, kovasznay, sphere, taylor_green

x, y, z, t = coordinates("x y z t")
LAW = NavierStokes((x, y), viscosity=0.5, density=2)


def test_vorticity_and_speed_of_a_rigid_rotation():
    points = np.array([[0.3, 0.4], [1.0, 0.0]])
    values = by_sympy([LAW.speed, LAW.vorticity], flow(LAW, -y, x, 0), (x, y), points)
    np.testing.assert_allclose(values, [[0.5, 2], [1, 2]])


def test_a_rigid_rotation_has_no_strain():
    assert all(vanishes(d, flow(LAW, -y, x, 0)) for d in LAW.strain_rate)


def test_vorticity_in_space_is_the_curl():
    law = NavierStokes((x, y, z), viscosity=1)
    curl = [sympy.sympify(c).subs(flow(law, y * z, 0, 0, 0)).doit() for c in law.vorticity]
    assert curl == [0, y, -z]


@pytest.mark.parametrize(
    ("values", "normal", "force"),
    [
        ((0, 0, 3), (0.6, 0.8), (1.8, 2.4)),  # a fluid at rest pushes outward
        ((y, 0, 0), (0, -1), (1, 0)),  # a shear flow drags the wall below it along
        ((x, -y, 0), (1, 0), (-2, 0)),  # a stretching one pulls at its end
    ],
)
def test_traction_is_the_force_on_the_boundary(values, normal, force):
    found = on_boundary(LAW.traction, flow(LAW, *values), (x, y), (0.0, 0.0), normal)
    np.testing.assert_allclose(found[0], force)


def test_poiseuille_flow_leaves_an_open_end_without_traction():
    law = NavierStokes((x, y), viscosity=1)
    fields = flow(law, y * (1 - y), 0, 2 * (1 - x))
    ends = on_boundary(law.traction_free().residuals, fields, (x, y), (1.0, 0.3), (1.0, 0.0))
    np.testing.assert_allclose(ends, 0, atol=1e-14)


def test_open_boundary_in_stress_form_is_without_stress():
    law = NavierStokes((x, y), viscosity=0.5, stress_form=True)
    fields = flow(law, x * y, -(y**2) / 2, sin(x))
    both = [*law.traction_free().residuals, *law.traction]
    found = on_boundary(both, fields, (x, y), (0.4, 0.3), (0.6, 0.8))
    np.testing.assert_allclose(found[0, :2], -found[0, 2:])


def test_drag_of_a_sphere_is_that_of_stokes():
    # G. G. Stokes (1851): 6 pi mu a U, here 18 pi; n is inward to the sphere
    law = Stokes((x, y, z), viscosity=3)
    nodes, weights = np.polynomial.legendre.leggauss(8)  # exact: the traction is constant
    angles = 2 * np.pi * np.arange(8) / 8
    c, phi = (a.ravel() for a in np.meshgrid(nodes, angles))
    ring = np.sqrt(1 - c**2)
    points = np.stack([c, ring * np.cos(phi), ring * np.sin(phi)], axis=-1)
    force = on_boundary([law.traction[0]], sphere(law), (x, y, z), points, -points)[:, 0]
    drag = force @ np.tile(weights, 8) * 2 * np.pi / 8
    assert drag == pytest.approx(18 * np.pi, rel=1e-12)


MOVES = {
    "turned": ((4 * x - 3 * y) / 5, (3 * x + 4 * y) / 5, ((4, 3), (-3, 4))),
    "mirrored": (-x, y, ((-5, 0), (0, 5))),
}


@pytest.mark.parametrize("name", MOVES)
def test_turned_and_mirrored_flows_are_flows(name):
    law = NavierStokes((x, y, t), viscosity=0.1)
    X, Y, matrix = MOVES[name]
    u, v, p, _ = (e.subs({x: X, y: Y}, simultaneous=True) for e in taylor_green())
    ((a, b), (c, d)) = matrix
    moved = flow(law, (a * u + b * v) / 5, (c * u + d * v) / 5, p)
    check_numerically(law, moved)


def test_a_moving_observer_sees_a_flow():
    law = NavierStokes((x, y, t), viscosity=0.1)
    u, v, p, _ = (e.subs({x: x - 2 * t, y: y + t}, simultaneous=True) for e in taylor_green())
    check_numerically(law, flow(law, u + 2, v - 1, p))


def test_scaled_flows_are_flows():
    law = NavierStokes((x, y, t), viscosity=0.1)
    bigger = {x: 3 * x, y: 3 * y, t: 9 * t}
    u, v, p, _ = (e.subs(bigger, simultaneous=True) for e in taylor_green())
    check_numerically(law, flow(law, 3 * u, 3 * v, 9 * p))


def test_a_constant_pressure_changes_nothing():
    law = NavierStokes((x, y), viscosity=1 / 40)
    higher = kovasznay(law)
    higher[law.pressure] += 7
    check_numerically(law, higher)


def check_numerically(law, fields):
    points = np.random.default_rng(0).uniform(0.2, 1, (5, len(law.coordinates)))
    residuals = [r for e in law.equations for r in e.residuals]
    np.testing.assert_allclose(by_sympy(residuals, fields, law.coordinates, points), 0, atol=1e-12)


def test_streamfunction_has_the_velocity_of_the_flow():
    law = VorticityStreamfunction((x, y, t), viscosity=0.1)
    u, v, _, psi = taylor_green()
    fields = {law.streamfunction: psi}
    assert vanishes(law.velocity[0] - u, fields) and vanishes(law.velocity[1] - v, fields)
    assert vanishes(law.speed**2 - u**2 - v**2, fields)


def test_buoyancy_lifts_what_is_warm():
    law = Boussinesq((x, y), viscosity=1, diffusivity=1, expansion=0.01, reference=300, density=2)
    up = [b.subs(law.temperature, 310) for b in law.buoyancy]
    assert up[0] == 0 and float(up[1]) == pytest.approx(2 * 0.01 * 10 * 9.81)
    out = on_boundary(law.insulated().residuals, {law.temperature: x + y}, (x, y), (0, 0), (1, 0))
    assert out[0, 0] == 1


def test_wall_layer_carries_the_friction_of_its_friction_velocity():
    law = RANS((x, y), viscosity=0, closure=MixingLength(KAPPA * y), density=2)
    fields = flow(law, 0.3 / KAPPA * log(y), 0, 0)
    found = by_sympy([law.stress[0, 1]], fields, (x, y), np.array([[0.0, 0.1], [1.0, 2.0]]))
    np.testing.assert_allclose(found, 2 * 0.3**2)


def test_production_equals_dissipation_in_a_wall_layer():
    law = RANS((x, y), viscosity=0, closure=KEpsilon())
    k, epsilon = law.turbulence
    fields = flow(law, log(y) / KAPPA, 0, 0) | {k: 1 / sqrt(0.09), epsilon: 1 / (KAPPA * y)}
    found = by_sympy([law.production, epsilon], fields, (x, y), np.array([[0.0, 0.1], [1.0, 2.0]]))
    np.testing.assert_allclose(found[:, 0], found[:, 1])


def test_no_slip_holds_the_fluid_at_rest():
    assert LAW.no_slip().residuals == tuple(LAW.velocity)
    psi = VorticityStreamfunction((x, y), viscosity=1)
    wall = stated((psi.vorticity, psi.streamfunction), 0, y**2 * exp(x))
    assert not on_boundary(psi.no_slip().residuals, wall, (x, y), (0.3, 0.0), (0, -1)).any()


def test_power_law_fluid_in_a_pipe_has_its_published_profile():
    # Bird, Stewart & Lightfoot, Transport Phenomena (2002), section 8.3: plane slit, n = 1/2, and
    # shear stress m (du/dy)^n = G (1 - y) below the middle: u' = (G (1 - y) / m)²
    law = Stokes((x, y), viscosity=lambda rate: 3 / sqrt(rate))
    u = -((1 - y) ** 3) * Rational(4, 9) / 3
    fields = flow(law, u, 0, -2 * x)
    points = np.random.default_rng(0).uniform(0.2, 0.8, (5, 2))
    found = by_sympy([r for e in law.equations for r in e.residuals], fields, (x, y), points)
    np.testing.assert_allclose(found, 0, atol=1e-12)
