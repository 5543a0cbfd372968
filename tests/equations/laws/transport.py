"""Exact solutions of the laws of potentials, heat, transport and reaction."""

from sympy import Matrix, Rational, cos, exp, log, pi, sin, sqrt, tanh

from equations import (
    AdvectionDiffusion,
    AllenCahn,
    Burgers,
    CahnHilliard,
    Fisher,
    FitzHughNagumo,
    GrayScott,
    Heat,
    Laplace,
    Poisson,
    ReactionDiffusion,
    coordinates,
)

from .cases import Case, stated

x, y, z, t = coordinates("x y z t")


def front(s, nu=0.2, speed=0.5, height=0.7):
    """A travelling front of Burgers' equation along s."""
    return speed - height * tanh(height * (s - speed * t) / (2 * nu))


def along(law, direction):
    s = sum(n * c for n, c in zip(direction, (x, y, z), strict=False))
    return {c: n * front(s) for c, n in zip(law.velocity, direction, strict=True)}


def cases():
    law = Laplace((x, y))
    yield Case("laplace 2-D", law, {law.unknown: exp(x) * sin(y)})
    law = Laplace((x, y, z))
    yield Case("laplace 3-D", law, {law.unknown: 1 / sqrt(x**2 + y**2 + z**2)})
    s3 = sin(x) * sin(2 * y) * sin(3 * z)
    law = Poisson(x, source=pi**2 * sin(pi * x))
    yield Case("poisson 1-D", law, {law.unknown: sin(pi * x)})
    k = 1 + x
    law = Poisson((x, y), source=-2 * x * y - 2 * y * k, conductivity=k)
    yield Case("poisson 2-D, conductivity 1 + x", law, {law.unknown: x**2 * y})
    law = Poisson((x, y, z), source=14 * s3)
    yield Case("poisson 3-D", law, {law.unknown: s3})

    law = Heat(x, conductivity=k)
    yield Case("heat steady", law, {law.temperature: log(k)})
    law = Heat((x, y), conductivity=lambda T: T)  # Kirchhoff's transform: T² / 2 is harmonic
    yield Case("heat, conductivity of T", law, {law.temperature: sqrt(1 + x * y)})
    law = Heat((x, t), conductivity=3, heat_capacity=2)
    yield Case("heat 1-D", law, {law.temperature: exp(-1.5 * pi**2 * t) * sin(pi * x)})
    law = Heat((x, y, t), source=x**2 + x * y - 2 * t)
    yield Case("heat 2-D with a source", law, {law.temperature: t * (x**2 + x * y)})
    law = Heat((x, y, z, t), conductivity=0.5)
    spread = (1 + t) ** Rational(-3, 2) * exp(-(x**2 + y**2 + z**2) / (2 * (1 + t)))
    yield Case("heat 3-D, spreading point source", law, {law.temperature: spread})
    # G. I. Barenblatt (1952): slow diffusion du/dt = div(2 u grad u), inside its support
    law = Heat((x, y, t), conductivity=lambda u: 2 * u)
    barenblatt = (1 - (x**2 + y**2) / (16 * sqrt(1 + t))) / sqrt(1 + t)
    yield Case("heat, Barenblatt's porous medium", law, {law.temperature: barenblatt})

    law = Burgers((x, t), viscosity=0.2)
    yield Case("burgers 1-D", law, {law.velocity: front(x)})
    law = Burgers((x, y, t), viscosity=0.2)
    yield Case("burgers 2-D", law, along(law, (Rational(3, 5), Rational(4, 5))))
    law = Burgers((x, y, z, t), viscosity=0.2)
    yield Case("burgers 3-D", law, along(law, (Rational(2, 7), Rational(3, 7), Rational(6, 7))))

    law = AdvectionDiffusion(x, velocity=3, diffusivity=0.5)
    yield Case("advection-diffusion, boundary layer", law, {law.unknown: exp(6 * x)})
    law = AdvectionDiffusion((x, y, t), velocity=(1, -2), diffusivity=Matrix([[2, 1], [1, 3]]))
    yield Case("advection-diffusion, matrix", law, {law.unknown: exp(-2 * t) * sin(x - t)})
    law = AdvectionDiffusion((x, y, z, t), velocity=(1, 2, 3), diffusivity=0.5, source=-t)
    c = exp(-t / 2) * cos(z - 3 * t) - t**2 / 2
    yield Case("advection-diffusion 3-D", law, {law.unknown: c})
    law = AdvectionDiffusion((x, t), velocity=x, diffusivity=0, conservative=True)
    yield Case("transport by a growing velocity", law, {law.unknown: exp(-t) * sin(x * exp(-t))})

    # M. J. Ablowitz and A. Zeppetella, Bull. Math. Biol. 41 (1979) 835: speed 5/sqrt(6)
    law = Fisher((x, t))
    wave = (1 + exp((x - 5 / sqrt(6) * t) / sqrt(6))) ** -2
    yield Case("fisher, travelling wave", law, {law.unknown: wave})
    law = AllenCahn((x, y, t), diffusivity=2, rate=3)
    yield Case(
        "allen-cahn, still front", law, {law.unknown: tanh((3 * x + 4 * y) / 5 * sqrt(3) / 2)}
    )
    law = ReactionDiffusion((x, t), 2, lambda u: -2 * u)
    yield Case("reaction-diffusion, decay", law, {law.species[0]: exp(-4 * t) * sin(x)})
    law = ReactionDiffusion((x, y, t), (2, 1), lambda u, v: (v, -u))
    turning = stated(law.species, x * sin(t), x * cos(t))
    yield Case("reaction-diffusion of two species", law, turning)
    law = GrayScott((x, y, t), diffusivity=(2, 1), feed=0.04, kill=0.06)
    yield Case("gray-scott, manufactured", law)
    law = GrayScott((x,), diffusivity=(2, 1), feed=0.04, kill=0.06)
    yield Case("gray-scott, bare state", law, stated(law.species, 1, 0))
    law = FitzHughNagumo((x, y, t), stimulus=0.5)
    yield Case("fitzhugh-nagumo, manufactured", law)
    law = CahnHilliard((x, y), gradient_energy=2, mobility=lambda u: 1 + u**2)
    profile = tanh((3 * x + 4 * y) / 10)
    yield Case(
        "cahn-hilliard, still front", law, stated((law.concentration, law.potential), profile, 0)
    )
    law = CahnHilliard((x, t), gradient_energy=0.5, mixed=False)
    yield Case("cahn-hilliard of fourth order, still front", law, {law.concentration: tanh(x)})
    law = CahnHilliard((x, y, t), gradient_energy=0.5)
    yield Case("cahn-hilliard, manufactured", law)
