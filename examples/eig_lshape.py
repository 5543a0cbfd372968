"""The lowest modes of a membrane on an L, against eigenvalues of high order."""

import numpy as np

from science import (
    Eq,
    FiniteElements,
    Problem,
    Rectangle,
    coordinates,
    eigenvalue,
    field,
    laplacian,
    references,
    solve,
)

# Statement

x, y = coordinates("x y")
u, lam = field("u", x, y), eigenvalue("lambda")
ell = Rectangle((-1, -1), (1, 1)) - Rectangle((0, -1), (1, 0), name="cut")
problem = Problem(
    domain=ell,
    equations=Eq(-laplacian(u), lam * u),
    conditions={"boundary": Eq(u, 0)},
    name="eig_lshape",
)

# Method: Lanczos' on finite elements; the pivots' signs count the eigenvalues

modes = solve(problem, FiniteElements(), modes=4, folder="runs/eig_lshape")

# Result: the first eigenvalue, whose function is singular at the corner

solution = modes[0]
exact = references.load("eig_lshape").quantities["lam"]
errors = np.abs([mode[lam] / value - 1 for mode, value in zip(modes, exact, strict=False)])
error = errors[0]
quantities = {f"eigenvalue {i + 1}": (mode[lam], exact[i]) for i, mode in enumerate(modes)}
