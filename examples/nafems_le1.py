"""An elliptic membrane under pressure from within (NAFEMS LE1): the stress at its inner edge."""

import numpy as np

from science import (
    Ellipse,
    Eq,
    FiniteElements,
    LinearElasticity,
    Problem,
    Rectangle,
    coordinates,
    normal,
    references,
    solve,
)

# Statement: a quarter of the membrane, in Pa and m

x, y = coordinates("x y")
steel = LinearElasticity((x, y), young=210e9, poisson_ratio=0.3, plane="stress")
(u, v), stress = steel.displacement, steel.stress
ring = Ellipse((0, 0), (3.25, 2.75), name="outer") - Ellipse((0, 0), (2, 1), name="inner")
problem = Problem(
    domain=ring & Rectangle((0, 0), (4, 4)),
    equations=steel,
    conditions={
        "left": [Eq(u, 0), Eq(stress[0, 1], 0)],
        "bottom": [Eq(v, 0), Eq(stress[0, 1], 0)],
        "outer": steel.traction(10e6 * normal((x, y))),
        "inner": steel.free(),
    },
    name="nafems_le1",
)

# Method

solution = solve(problem, FiniteElements(), folder="runs/nafems_le1")

# Result: the stress along the inner edge where that is curved most

reference = references.load("nafems_le1")
exact = 1e6 * reference.quantities["sigma_yy_D MPa"]
peak = solution(stress[1, 1], [2.0, 0.0])
error = abs(peak / exact - 1)
points = np.stack([reference["x"], reference["y"]], axis=-1)
known = np.stack([reference["ux"], reference["uy"]], axis=-1)
misfit = np.linalg.norm(solution(steel.displacement, points) - known) / np.linalg.norm(known)
quantities = {
    "stress in MPa": (peak / 1e6, exact / 1e6),
    "relative error of the displacement": misfit,
}
