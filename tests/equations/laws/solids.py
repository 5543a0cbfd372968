"""Exact solutions of the laws of plates, beams and solids."""

from sympy import cos, pi, sin, sqrt

from equations import KirchhoffPlate, coordinates

from .cases import Case

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
