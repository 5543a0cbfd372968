"""Exact solutions of the laws of waves."""

from sympy import I, atan, cos, cosh, exp, pi, sin, sqrt, tanh

from equations import (
    Biharmonic,
    Helmholtz,
    KleinGordon,
    MatchedLayer,
    SineGordon,
    Wave,
    coordinates,
    field,
)

from .cases import Case

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
