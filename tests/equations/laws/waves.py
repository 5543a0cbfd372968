"""Exact solutions of the laws of waves, quantum mechanics and electromagnetism."""

from sympy import I, Matrix, Rational, atan, cos, cosh, exp, pi, sin, sqrt, tanh

from equations import (
    Biharmonic,
    GinzburgLandau,
    Helmholtz,
    KdV,
    KleinGordon,
    KuramotoSivashinsky,
    MatchedLayer,
    Maxwell,
    Schrodinger,
    SineGordon,
    TimeHarmonicMaxwell,
    Wave,
    coordinates,
    field,
)

from .cases import Case, stated

x, y, z, t = coordinates("x y z t")


def cases():
    law = Helmholtz((x, y), wavenumber=5)
    yield Case("helmholtz 2-D", law, {law.unknown: sin(3 * x) * cos(4 * y)})
    law = Helmholtz((x, y, z), 3, unknown=field("u", x, y, z, complex=True))
    yield Case("helmholtz 3-D, plane wave", law, {law.unknown: exp(I * (x + 2 * y + 2 * z))})
    law = Helmholtz(x, wavenumber=2, damping=0.3)
    yield Case("helmholtz, damped", law, {law.unknown: exp(2 * I * sqrt(1 + 0.3 * I) * x)})
    # inside the layer u = exp(i k (x + i sigma(x))), sigma = (10/3) depth³ / thickness²
    law = Helmholtz((x, y), 5, layer=MatchedLayer((-2, -2), (0, 2), thickness=2))
    into = x + I * 10 / 3 * x**3 / 4
    yield Case("helmholtz, matched layer", law, {law.unknown: exp(I * (3 * into + 4 * y))})
    law = Helmholtz(x, wavenumber=1 + x, source=-2 - (1 + x) ** 2 * x**2)
    yield Case("helmholtz, varying", law, {law.unknown: x**2})
    law = Biharmonic((x, y), source=24 * (x**4 + y**4) + 288 * x**2 * y**2)
    yield Case("biharmonic 2-D", law, {law.unknown: x**4 * y**4})
    law = Biharmonic((x, y, z), source=36 * sin(x) * sin(y) * sin(2 * z))
    yield Case("biharmonic 3-D", law, {law.unknown: sin(x) * sin(y) * sin(2 * z)})

    law = Wave((x, t), speed=2)
    two = sin(pi * x) * cos(2 * pi * t) + sin(4 * pi * x) * cos(8 * pi * t) / 2
    yield Case("wave 1-D", law, {law.unknown: two})
    law = Wave((x, y, t), damping=2, speed=1)
    yield Case("wave, damped", law, {law.unknown: exp(-t) * cos(2 * t) * sin(x) * sin(2 * y)})
    law = Wave((x, t), speed=1 + x)
    yield Case("wave, varying speed", law, {law.unknown: (1 + x) ** -1})
    law = Wave((x, y, z, t), speed=3, source=lambda u: -u)
    yield Case("wave 3-D", law, {law.unknown: cos(x + 2 * y - 2 * z - sqrt(82) * t)})
    law = KleinGordon((x, y, t), mass=2, speed=3)
    yield Case("klein-gordon", law, {law.unknown: cos(x - 2 * y + 7 * t)})
    law = KleinGordon((x, t), mass=0, source=lambda u: u - u**3)
    yield Case("phi-four kink", law, {law.unknown: tanh((x - t / 2) / sqrt(2 * (1 - 0.25)))})
    law = SineGordon((x, t), speed=2)
    kink = 4 * atan(exp((x - t) / sqrt(4 - 1)))
    yield Case("sine-gordon, moving kink", law, {law.unknown: kink})
    law = SineGordon((x, t))
    breather = 4 * atan(sqrt(3) * sin(t / 2) / cosh(sqrt(3) * x / 2))
    yield Case("sine-gordon, breather", law, {law.unknown: breather})

    law = KdV((x, t))
    yield Case("kdv, soliton", law, {law.unknown: 2 / cosh(x - 4 * t) ** 2})
    yield Case("kdv, two solitons", law, {law.unknown: two_solitons()})
    # Y. Kuramoto and T. Tsuzuki, Prog. Theor. Phys. 55 (1976) 356
    law = KuramotoSivashinsky((x, t))
    k = sqrt(Rational(11, 19))
    front = tanh(k / 2 * (x - t / 3))
    yield Case(
        "kuramoto-sivashinsky, front",
        law,
        {law.unknown: Rational(1, 3) + 15 * k / 19 * (11 * front**3 - 9 * front)},
    )
    law = KuramotoSivashinsky((x, y, t), 2, growth=3, damping=0.5, is_height=True)
    yield Case("kuramoto-sivashinsky 2-D, manufactured", law)

    law = Schrodinger((x, t), nonlinearity=-1)
    soliton = 2 / cosh(2 * x - 2 * t) * exp(I * (x + 3 * t / 2))
    yield Case("schrödinger, moving soliton", law, {law.unknown: soliton})
    law = Schrodinger((x, y, t), potential=(x**2 + y**2) / 2)
    yield Case("schrödinger, oscillator", law, {law.unknown: exp(-(x**2 + y**2) / 2 - I * t)})
    law = Schrodinger(x, potential=x**2 / 2, energy=1.5)
    yield Case("schrödinger, excited oscillator", law, {law.unknown: x * exp(-(x**2) / 2)})
    r = sqrt(x**2 + y**2 + z**2)
    law = Schrodinger((x, y, z), potential=-1 / r, energy=-0.5)
    yield Case("schrödinger, hydrogen", law, {law.unknown: exp(-r)})
    law = GinzburgLandau((x, y, t), dispersion=2, shift=-1)
    q2 = Rational(25, 100)  # (3/10)² + (4/10)²; frequency alpha q² + beta (1 - q²)
    phase = (3 * x + 4 * y) / 10 - (2 * q2 - (1 - q2)) * t
    yield Case("ginzburg-landau, plane wave", law, {law.unknown: sqrt(1 - q2) * exp(I * phase)})

    yield from electromagnetic()


def two_solitons(k=1, p=2):
    # R. Hirota, Phys. Rev. Lett. 27 (1971) 1192: u = 2 (log F)_xx
    waves = [exp(q * x - q**3 * t) for q in (k, p)]
    F = 1 + waves[0] + waves[1] + Rational(k - p, k + p) ** 2 * waves[0] * waves[1]
    return 2 * (F.diff(x, 2) * F - F.diff(x) ** 2) / F**2


def nonzero(*vectors):
    return [component for vector in vectors for component in vector if component != 0]


def electromagnetic():
    law = Maxwell((x, y, t))
    w = pi * sqrt(5)
    E = sin(2 * pi * x) * sin(pi * y) * cos(w * t)
    Hx = -pi / w * sin(2 * pi * x) * cos(pi * y) * sin(w * t)
    Hy = 2 * pi / w * cos(2 * pi * x) * sin(pi * y) * sin(w * t)
    unknowns = nonzero(law.electric, law.magnetic)
    yield Case("maxwell, TM mode of a cavity", law, stated(unknowns, E, Hx, Hy))
    law = Maxwell((x, y, t), polarization="TE", permittivity=4)
    turned = cos(3 * x + 4 * y - 2.5 * t)
    unknowns = nonzero(law.electric, law.magnetic)
    values = (-4 * turned / 10, 3 * turned / 10, turned)
    yield Case("maxwell, TE plane wave", law, stated(unknowns, *values))
    law = Maxwell((x, t), conductivity=2, permittivity=3)
    unknowns = nonzero(law.electric, law.magnetic)
    yield Case("maxwell 1-D, decay", law, stated(unknowns, exp(-2 * t / 3), 0))
    law = Maxwell((x, y, z, t), permittivity=2, permeability=0.5)
    k, e = Matrix([2, 1, -2]), Matrix([1, 2, 2])
    shape = cos(2 * x + y - 2 * z - 3 * t)
    unknowns = nonzero(law.electric, law.magnetic)
    values = (*(e * shape), *(k.cross(e) * shape * Rational(2, 3)))
    yield Case("maxwell 3-D, plane wave", law, stated(unknowns, *values))
    law = TimeHarmonicMaxwell((x, y, z), frequency=3)
    shape = exp(I * (2 * x + y - 2 * z))
    yield Case("harmonic maxwell 3-D", law, stated(law.electric, *(e * shape)))
    law = TimeHarmonicMaxwell((x, y), pi * sqrt(5), polarization="TE", complex=False)
    values = (cos(pi * x) * sin(2 * pi * y), -sin(pi * x) * cos(2 * pi * y) / 2)
    yield Case("harmonic maxwell, TE mode", law, stated(nonzero(law.electric), *values))
    law = TimeHarmonicMaxwell(x, 2, conductivity=3)
    values = (exp(I * sqrt(4 + 6 * I) * x),)
    yield Case("harmonic maxwell 1-D, skin effect", law, stated(nonzero(law.electric), *values))
