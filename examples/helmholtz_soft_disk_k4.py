"""Sound scattered by a soft disk, k = 4, against the series of Hankel functions."""

import numpy as np
import scipy

from science import (
    Annulus,
    Eq,
    Helmholtz,
    I,
    Problem,
    RandomFeatures,
    atan2,
    coordinates,
    cos,
    exp,
    field,
    references,
    solve,
)

# Statement

k, inner, outer = 4, 0.5, 1.5
x, y = coordinates("x y")
u = field("u", x, y, complex=True)
law = Helmholtz((x, y), wavenumber=k, unknown=u)

# Values of the scattered wave on the outer circle, from its series
n = np.arange(25)
waves = (1j**n) * scipy.special.jv(n, k * inner) / scipy.special.hankel1(n, k * inner)
waves = -(2 - (n == 0)) * waves * scipy.special.hankel1(n, k * outer)
far = sum(complex(c) * cos(int(m) * atan2(y, x)) for m, c in zip(n, waves, strict=True))

problem = Problem(
    domain=Annulus((0, 0), inner, outer),
    equations=law,
    conditions={"inner": law.sound_soft(exp(I * k * x)), "outer": Eq(u, far)},
    name="helmholtz_soft_disk_k4",
)

# Method: least squares on plane waves

solution = solve(problem, RandomFeatures(), folder="runs/helmholtz_soft_disk_k4")

# Result

reference = references.load("helmholtz_soft_disk_k4")
values = solution(u, np.stack([reference["x"], reference["y"]], axis=-1))
exact = reference["us_re"] + 1j * reference["us_im"]
error = np.linalg.norm(values - exact) / np.linalg.norm(exact)
