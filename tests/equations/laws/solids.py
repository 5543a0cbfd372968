"""Exact solutions of the laws of plates, beams and solids."""

from sympy import Rational, cos, log, pi, sin, sqrt

from equations import (
    EulerBernoulliBeam,
    KirchhoffPlate,
    LinearElasticity,
    NeoHookean,
    TimoshenkoBeam,
    coordinates,
)

from .cases import Case, stated

x, y, z, t = coordinates("x y z t")


def cases():
    law = KirchhoffPlate((x, y), stiffness=2, load=8 * pi**4 * sin(pi * x) * sin(pi * y))
    yield Case("plate, Navier", law, {law.deflection: sin(pi * x) * sin(pi * y)})
    law = KirchhoffPlate((x, y), stiffness=1, load=1)
    yield Case("plate, round", law, {law.deflection: (1 - x**2 - y**2) ** 2 / 64})
    law = KirchhoffPlate((x, y), stiffness=1 + x, poisson_ratio=0.3)
    yield Case("plate, varying stiffness, twist", law, {law.deflection: x * y})
    law = KirchhoffPlate((x, y, t), stiffness=2, density=3)
    omega = 5 * sqrt(2) / sqrt(3)
    yield Case("plate, vibrating", law, {law.deflection: sin(x) * sin(2 * y) * cos(omega * t)})

    yield from elastic()
    yield from beams()


NU = Rational(1, 4)


def kirsch(law, young=1000, tension=1):
    # G. Kirsch (1898); displacements as in Timoshenko & Goodier (1970), section 35
    a, nu = Rational(1, 2), law.poisson_ratio
    r2 = x**2 + y**2
    r, kappa = sqrt(r2), (3 - nu) / (1 + nu)
    c1, s1 = x / r, y / r
    c3, s3 = (x**3 - 3 * x * y**2) / r**3, (3 * x**2 * y - y**3) / r**3
    scale = tension * a * (1 + nu) / (4 * young)
    u = r / a * (kappa + 1) * c1 + 2 * a / r * ((1 + kappa) * c1 + c3) - 2 * (a / r) ** 3 * c3
    v = r / a * (kappa - 3) * s1 + 2 * a / r * ((1 - kappa) * s1 + s3) - 2 * (a / r) ** 3 * s3
    return stated(law.displacement, scale * u, scale * v)


def cantilever(length=8, h=2, young=1000, load=1):
    # Timoshenko & Goodier (1970), section 21: displacement, and stresses xx, xy, yy
    inertia = Rational(h**3, 12)
    c = load / (6 * young * inertia)
    u = c * y * ((6 * length - 3 * x) * x + (2 + NU) * (y**2 - Rational(h**2, 4)))
    bent = 3 * NU * y**2 * (length - x) + (4 + 5 * NU) * h**2 * x / 4 + (3 * length - x) * x**2
    xx = load * (length - x) * y / inertia
    return u, -c * bent, xx, -load / (2 * inertia) * (Rational(h**2, 4) - y**2), 0


def elastic():
    law = LinearElasticity((x, y), 1000, Rational(3, 10), plane="stress")
    yield Case("elasticity, Kirsch", law, kirsch(law))
    law = LinearElasticity((x, y), 1000, NU, plane="stress")
    yield Case("elasticity, cantilever", law, stated(law.displacement, *cantilever()[:2]))
    law = LinearElasticity((x, y), 1000, NU, plane="stress", mixed=True)
    unknowns = (law.displacement, law.stress[0, 0], law.stress[0, 1], law.stress[1, 1])
    yield Case("elasticity, mixed, cantilever", law, stated(unknowns, *cantilever()))
    law = LinearElasticity(x, young=1 + x)
    yield Case("elasticity, bar", law, stated(law.displacement, log(1 + x)))
    # Timoshenko & Goodier (1970), section 102: pure bending of a prismatic bar
    law = LinearElasticity((x, y, z), 5, NU)
    bent = (-(z**2) / 2 - NU * (x**2 - y**2) / 2, -NU * x * y, x * z)
    yield Case("elasticity 3-D, bending", law, stated(law.displacement, *bent))
    law = LinearElasticity((x, y, z, t), 5, NU, density=2)  # lambda = mu = 2
    waves = (sin(x - sqrt(3) * t), sin(x - t), 0)
    yield Case("elasticity 3-D, both waves", law, stated(law.displacement, *waves))
    law = LinearElasticity((x, y, t), 5, NU, density=2)
    waves = ((3 * sin(3 * x + 4 * y - 5 * sqrt(3) * t)), 4 * sin(3 * x + 4 * y - 5 * sqrt(3) * t))
    yield Case("elasticity, wave of plane strain", law, stated(law.displacement, *waves))
    law = LinearElasticity((x, y, z), 5, NU, mixed=True)
    yield Case("elasticity 3-D, mixed, manufactured", law)

    # antiplane shear of a neo-Hookean solid: harmonic (Knowles, Int. J. Fracture 13 (1977) 611)
    law = NeoHookean((x, y, z), young=5, poisson_ratio=NU)
    yield Case("neo-hookean 3-D, antiplane", law, stated(law.displacement, 0, 0, x**2 - y**2))
    law = NeoHookean((x, y, t), young=5, poisson_ratio=NU, force=(0, 1))
    falling = stated(law.displacement, 2 * x, t**2 / 2)
    yield Case("neo-hookean 2-D, falling", law, falling)
    law = NeoHookean((x, y), young=5, poisson_ratio=NU)
    yield Case("neo-hookean 2-D, manufactured", law)


def beams():
    law = EulerBernoulliBeam(x, stiffness=2, load=3)
    yield Case("beam, uniform load", law, {law.deflection: 3 * x * (1 - 2 * x**2 + x**3) / 48})
    law = EulerBernoulliBeam((x, t), stiffness=2, density=3)
    swing = sin(2 * x) * cos(4 * sqrt(Rational(2, 3)) * t)
    yield Case("beam, vibrating", law, {law.deflection: swing})
    law = EulerBernoulliBeam(x, stiffness=1 + x)
    yield Case("beam, tapered", law, {law.deflection: (1 + x) * log(1 + x)})
    law = TimoshenkoBeam(x, stiffness=2, shear_stiffness=5)
    tip = stated((law.deflection, law.rotation), x**2 * (3 - x) / 12 + x / 5, x * (2 - x) / 4)
    yield Case("timoshenko beam, load at the tip", law, tip)
    law = TimoshenkoBeam((x, t), stiffness=2, shear_stiffness=5, density=3)
    turned = Rational(10, 13)  # of cos(2 x) for sin(2 x), and 3 omega² = 5 (4 - 2 turned)
    omega = sqrt(5 * (4 - 2 * turned) / 3)
    swing = (sin(2 * x) * cos(omega * t), turned * cos(2 * x) * cos(omega * t))
    yield Case("timoshenko beam, vibrating", law, stated((law.deflection, law.rotation), *swing))
    law = TimoshenkoBeam((x, t), stiffness=2, shear_stiffness=5, rotary_inertia=1)
    yield Case("timoshenko beam, manufactured", law)
