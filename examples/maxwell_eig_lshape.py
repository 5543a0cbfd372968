"""Resonances of a conducting cavity of the shape of an L, against published ones.

Of the fields with H = (0, 0, H), curl curl E = lambda E and div E = 0 are -lap H = lambda H; where
the wall conducts, n × E = 0 is dH/dn = 0. The constant H, with lambda = 0, has no electric field.
"""

from science import (
    Eq,
    FiniteElements,
    Problem,
    Rectangle,
    coordinates,
    eigenvalue,
    field,
    laplacian,
    normal_derivative,
    references,
    solve,
)

# Statement

x, y = coordinates("x y")
H, lam = field("H", x, y), eigenvalue("lambda")
ell = Rectangle((-1, -1), (1, 1)) - Rectangle((0, -1), (1, 0), name="cut")
problem = Problem(
    domain=ell,
    equations=Eq(-laplacian(H), lam * H),
    conditions={"boundary": Eq(normal_derivative(H), 0)},
    name="maxwell_eig_lshape",
)

# Method: nodal elements, which serve the magnetic field and would not the electric one

modes = solve(problem, FiniteElements(), modes=6, folder="runs/maxwell_eig_lshape")

# Result: the first resonance, singular at the corner

solution, *others = modes[1:]
exact = references.load("maxwell_eig_lshape").quantities["lam"]
error = abs(solution[lam] / exact[0] - 1)
quantities = {
    f"resonance {i + 1}": (mode[lam], exact[i]) for i, mode in enumerate((solution, *others))
}
