"""Exact solutions of the laws of flow."""

import sympy
from sympy import Matrix, Rational, cos, cosh, exp, log, pi, sin, sqrt

from equations import (
    RANS,
    Boussinesq,
    BuckleyLeverett,
    CompressibleNavierStokes,
    ConjugateHeatTransfer,
    Darcy,
    Euler,
    KEpsilon,
    KOmega,
    MixingLength,
    NavierStokes,
    ShallowWater,
    Stokes,
    VorticityStreamfunction,
    coordinates,
)

from .cases import Case, stated

x, y, z, t = coordinates("x y z t")
KAPPA = 0.41


def flow(law, *values):
    return stated((law.velocity, law.pressure), *values)


def kovasznay(law):
    # L. I. G. Kovasznay, Laminar flow behind a two-dimensional grid (1948), Re = 40
    lam = 20 - sqrt(400 + 4 * pi**2)
    u = 1 - exp(lam * x) * cos(2 * pi * y)
    v = lam / (2 * pi) * exp(lam * x) * sin(2 * pi * y)
    return flow(law, u, v, (1 - exp(2 * lam * x)) / 2)


def taylor_green(nu=0.1):
    # G. I. Taylor and A. E. Green (1937), in two dimensions: (u, v, p, stream function)
    decay = exp(-2 * nu * t)
    u, v = cos(x) * sin(y) * decay, -sin(x) * cos(y) * decay
    return u, v, -(cos(2 * x) + cos(2 * y)) / 4 * decay**2, -cos(x) * cos(y) * decay


def beltrami(law, nu=0.5):
    # C. R. Ethier and D. A. Steinman, Exact fully 3D Navier-Stokes solutions (1994), equations 1-2
    a, d = pi / 4, pi / 2
    decay = exp(-(d**2) * nu * t)

    def component(q, r, s):
        return -a * (exp(a * q) * sin(a * r + d * s) + exp(a * s) * cos(a * q + d * r)) * decay

    def pair(q, r, s):
        return 2 * sin(a * q + d * r) * cos(a * s + d * q) * exp(a * (r + s))

    turns = ((x, y, z), (y, z, x), (z, x, y))
    p = -(a**2) / 2 * sum(exp(2 * a * q) + pair(q, r, s) for q, r, s in turns) * decay**2
    return flow(law, *(component(*turn) for turn in turns), p)


def sphere(law, mu=3):
    # G. G. Stokes (1851): a sphere of unit radius in a stream (1, 0, 0)
    r = sqrt(x**2 + y**2 + z**2)
    along = Matrix([x, y, z]) * x / r**2
    stream = Matrix([1, 0, 0])
    u = stream - 3 / (4 * r) * (stream + along) - (stream - 3 * along) / (4 * r**3)
    return flow(law, *u, -3 * mu * x / (2 * r**3))


def slot(law, nu=0.1, beta=0.2):
    # G. K. Batchelor, Quart. Appl. Math. 12 (1954) 209: conduction between vertical walls x = ±1
    w = beta * 9.81 / (6 * nu) * (x - x**3)
    return stated((law.velocity, law.pressure, law.temperature), 0, w, 0, x)


def log_layer(law, *turbulence, u_tau=0.3):
    """The logarithmic wall layer of a shear flow without pressure gradient."""
    u = u_tau / KAPPA * log(y)
    return flow(law, u, 0, 0) | stated(law.turbulence, *turbulence)


def layers(u_tau=0.3):
    # D. C. Wilcox, Turbulence Modeling for CFD (2006), section 4.6: what the constants must obey
    c_mu, c1, c2 = 0.09, 1.44, 1.92
    k = u_tau**2 / sqrt(c_mu)
    sigma = KAPPA**2 / (sqrt(c_mu) * (c2 - c1))
    closure = KEpsilon(c_mu, c1, c2, sigma_epsilon=sigma)
    yield "k-epsilon", closure, (k, u_tau**3 / (KAPPA * y))
    alpha = 0.075 / 0.09 - 0.5 * KAPPA**2 / sqrt(0.09)
    yield "k-omega", KOmega(alpha), (k, u_tau / (sqrt(0.09) * KAPPA * y))
    yield "mixing length", MixingLength(KAPPA * y), ()


def decay_of_turbulence(law, values):
    return flow(law, *(0,) * (len(law.space) + 1)) | stated(law.turbulence, *values)


def cases():
    law = NavierStokes((x, y), viscosity=1 / 40)
    yield Case("navier-stokes, Kovasznay", law, kovasznay(law))
    law = NavierStokes((x, y), viscosity=1 / 40, stress_form=True)
    yield Case("navier-stokes in stress form, Kovasznay", law, kovasznay(law))
    law = NavierStokes((x, y, t), viscosity=0.1)
    yield Case("navier-stokes, Taylor and Green", law, flow(law, *taylor_green()[:3]))
    law = NavierStokes((x, y, z), viscosity=0.1)
    yield Case("navier-stokes, round pipe", law, flow(law, 0, 0, 1 - x**2 - y**2, -0.4 * z))
    law = NavierStokes((x, y, z, t), viscosity=0.5)
    yield Case("navier-stokes, Beltrami", law, beltrami(law))
    law = NavierStokes((x, y), viscosity=1 + y)
    yield Case("navier-stokes, viscosity 1 + y", law, flow(law, log(1 + y), 0, 0))
    law = NavierStokes((x, y), viscosity=lambda rate: 1 / rate)  # du/dy / |du/dy| = 1: any profile
    yield Case("navier-stokes, function of the shear rate", law, flow(law, exp(y), 0, 0))
    law = NavierStokes((x, y), viscosity=0.1, density=2, force=(0, -2 * 9.81))
    yield Case("navier-stokes at rest under gravity", law, flow(law, 0, 0, -2 * 9.81 * y))
    law = NavierStokes((x, y, z, t), viscosity=0.1, stress_form=True)
    yield Case("navier-stokes 3-D, manufactured", law)

    law = Stokes((x, y), viscosity=2)
    yield Case("stokes, stagnation", law, flow(law, x**2, -2 * x * y, 4 * x))
    law = Stokes((x, y, z), viscosity=3)
    yield Case("stokes, sphere", law, sphere(law))
    law = Stokes((x, y, t), density=2)
    yield Case("stokes, decay of shear", law, flow(law, exp(-t / 2) * sin(y), 0, 0))

    law = VorticityStreamfunction((x, y, t), viscosity=0.1)
    psi = taylor_green()[3]
    whirl = -psi.diff(x, 2) - psi.diff(y, 2)
    yield Case("vorticity", law, stated((law.vorticity, law.streamfunction), whirl, psi))
    law = VorticityStreamfunction((x, y), viscosity=1 / 40)
    lam = 20 - sqrt(400 + 4 * pi**2)
    psi = y - exp(lam * x) * sin(2 * pi * y) / (2 * pi)
    whirl = -psi.diff(x, 2) - psi.diff(y, 2)
    yield Case("vorticity, steady", law, stated((law.vorticity, law.streamfunction), whirl, psi))

    law = Boussinesq((x, y), viscosity=0.1, diffusivity=0.3, expansion=0.2)
    yield Case("boussinesq, vertical slot", law, slot(law))
    law = Boussinesq((x, y, z, t), viscosity=0.1, diffusivity=0.3, expansion=0.2, reference=290)
    unknowns = (law.velocity, law.pressure, law.temperature)
    p = 0.2 * 9.81 * (10 * z + z**2)
    yield Case("boussinesq, stratified", law, stated(unknowns, 0, 0, 0, p, 300 + 2 * z))

    for name, closure, values in layers():
        law = RANS((x, y), viscosity=0, closure=closure)
        yield Case(f"rans, {name}, wall layer", law, log_layer(law, *values))
    law = RANS((x, y, z, t), viscosity=0.01, closure=KOmega())
    omega = 2 / (1 + 0.075 * 2 * t)
    k = (1 + 0.075 * 2 * t) ** sympy.Rational(-6, 5)
    yield Case("rans, k-omega, decay", law, decay_of_turbulence(law, (k, omega)))
    law = RANS((x, y, t), viscosity=0.01, closure=KEpsilon())
    k = (1 + 0.92 * t) ** (-1 / 0.92)
    yield Case("rans, k-epsilon, decay", law, decay_of_turbulence(law, (k, -k.diff(t))))

    yield from gases()
    yield from waters()
    yield from grounds()


def gas(law, rho, u, p):
    return stated((law.density, law.velocity, law.pressure), rho, *u, p)


def vortex(law, strength=5):
    # C.-W. Shu, in Advanced Numerical Approximation of Nonlinear Hyperbolic Equations (1998),
    # page 427: a vortex that the stream (1, 1/2) carries along
    X, Y = x - t, y - t / 2
    swirl = strength / (2 * pi) * exp((1 - X**2 - Y**2) / 2)
    cooling = Rational(2, 7) / 2 * swirl**2  # (gamma - 1) / (2 gamma) swirl²
    rho = (1 - cooling) ** Rational(5, 2)
    return gas(law, rho, (1 - swirl * Y, Rational(1, 2) + swirl * X), rho ** Rational(7, 5))


def gases():
    gamma = Rational(7, 5)
    law = Euler((x, y, t), ratio=gamma)
    yield Case("euler 2-D, vortex", law, vortex(law))
    law = Euler((x, t), ratio=gamma)
    yield Case("euler 1-D, contact", law, gas(law, 2 + sin(x - 3 * t), (3,), 1))
    for dimension in (1, 3):
        space, s = (x, y, z)[:dimension], 1 + t
        expanding = [c / s for c in space], s ** (-gamma * dimension)
        law = Euler((*space, t), ratio=gamma)
        yield Case(f"euler {dimension}-D, expansion", law, gas(law, s**-dimension, *expanding))
    law = CompressibleNavierStokes((x, y, z, t), viscosity=2, conductivity=3, ratio=gamma)
    yield Case("compressible 3-D, expansion", law, gas(law, s**-3, *expanding))
    # H. Schlichting, Boundary-Layer Theory (1979), equation 12.75: heat of friction
    law = CompressibleNavierStokes((x, y), viscosity=2, conductivity=3, gas_constant=5)
    heated = 2 - y**2 / 3
    yield Case("compressible 2-D, Couette", law, gas(law, 1 / (5 * heated), (y, 0), 1))
    law = CompressibleNavierStokes((x, t), viscosity=lambda T: T, conductivity=3)
    yield Case("compressible 1-D, manufactured", law)


def waters():
    def water(law, h, *u):
        return stated((law.depth, law.velocity), h, *u)

    bed = sin(3 * x) / 2
    law = ShallowWater((x, t), bed=bed)
    yield Case("shallow water at rest", law, water(law, 2 - bed, 0))
    law = ShallowWater((x,), bed=-x / 100, roughness=0.05)
    yield Case("shallow water, Manning's flow", law, water(law, 1, 2))
    law = ShallowWater((x, y), rotation=0.3)
    yield Case("shallow water, geostrophic", law, water(law, 3 - 0.3 * 2 * y / 9.81, 2, 0))
    # W. C. Thacker, J. Fluid Mech. 107 (1981) 499: a plane surface that swings in a bowl
    bowl, w = (x**2 + y**2) / 9, sqrt(2 * 9.81) / 3
    law = ShallowWater((x, y, t), bed=bowl)
    tilt = (x * cos(w * t) - y * sin(w * t) - Rational(1, 4)) / 9
    u, v = -w * sin(w * t) / 2, -w * cos(w * t) / 2
    yield Case("shallow water, Thacker", law, water(law, 1 - bowl + tilt, u, v))


def grounds():
    law = Darcy((x, y), permeability=2, viscosity=3)
    yield Case("darcy, well", law, {law.pressure: log(x**2 + y**2)})
    law = Darcy((x, y, z), permeability=2, weight=(0, 0, -9.81), mixed=True)
    p = x * y - 9.81 * z + 3 * z
    unknowns = (law.pressure, law.velocity)
    yield Case("darcy, mixed, with weight", law, stated(unknowns, p, -2 * y, -2 * x, -6))
    law = Darcy((x, y, t), permeability=Matrix([[2, 1], [1, 3]]), storage=2)
    yield Case("darcy, anisotropic, storing", law, {law.pressure: exp(-t * 7 / 2) * sin(x + y)})
    # the fan f'(S) = x / t of equal viscosities, solved for S; here it starts at t = -1
    law, xi = BuckleyLeverett((x, t)), x / (1 + t)
    fan = Rational(1, 2) + sqrt((sqrt(4 * xi + 1) - xi - 1) / (4 * xi))
    yield Case("buckley-leverett, fan", law, {law.unknown: fan})
    law = BuckleyLeverett((x, y, t), (1, 2), viscosity_ratio=0.5, porosity=0.2, capillarity=0.1)
    yield Case("buckley-leverett 2-D, manufactured", law)
    law = ConjugateHeatTransfer((x, y), 1, viscosity=2, conductivity=(1, 3), permeability=0.25)
    # the flow of H. C. Brinkman (1949) along a wall, under the pressure gradient -8
    u = 1 - cosh(2 * y)
    unknowns = (law.velocity, law.pressure, law.temperature)
    yield Case("conjugate heat, in the solid", law, stated(unknowns, u, 0, -8 * x, y))
    law = ConjugateHeatTransfer((x, y, z, t), y, 2, conductivity=(1, 3), heat_capacity=(1, 3))
    unknowns = (law.velocity, law.pressure, law.temperature)
    values = (0, 0, 0, 0, exp(-t) * cos(x))
    yield Case("conjugate heat, at rest", law, stated(unknowns, *values))
