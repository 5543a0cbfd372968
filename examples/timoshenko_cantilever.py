"""A cantilever under a load at its end, against the exact deflection of its tip."""

from science import (
    Eq,
    FiniteElements,
    LinearElasticity,
    Problem,
    Rectangle,
    coordinates,
    references,
    solve,
)

# Statement: length 8, height 2, load 1; the exact displacement at the wall (Timoshenko & Goodier)

x, y = coordinates("x y")
E, nu, length, inertia = 1000, 0.25, 8, 2**3 / 12
sheet = LinearElasticity((x, y), young=E, poisson_ratio=nu, plane="stress")
u, v = sheet.displacement
problem = Problem(
    domain=Rectangle((0, -1), (length, 1)),
    equations=sheet,
    conditions={
        "left": [
            Eq(u, (2 + nu) * (y**3 - y) / (6 * E * inertia)),
            Eq(v, -nu * length * y**2 / (2 * E * inertia)),
        ],
        "right": sheet.traction((0, -(1 - y**2) / (2 * inertia))),
        ("bottom", "top"): sheet.free(),
    },
    name="timoshenko_cantilever",
)

# Method

solution = solve(problem, FiniteElements(), folder="runs/timoshenko_cantilever")

# Result: the deflection of the tip

exact = references.load("timoshenko_cantilever").quantities["tip uy(8,0)"]
tip = solution(v, [8.0, 0.0])
error = abs(tip / exact - 1)
quantities = {"deflection of the tip": (tip, exact)}
