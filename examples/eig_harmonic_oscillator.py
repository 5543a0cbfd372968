"""The energies of a harmonic oscillator, n + 1/2."""

from science import (
    Eq,
    FiniteElements,
    Interval,
    Problem,
    coordinates,
    diff,
    eigenvalue,
    field,
    references,
    solve,
)

# Statement: six widths to each side, where the wave function is nothing

x = coordinates("x")
psi, energy = field("psi", x), eigenvalue("E")
problem = Problem(
    domain=Interval(-6, 6),
    equations=Eq(-diff(psi, x, 2) / 2 + x**2 / 2 * psi, energy * psi),
    conditions={("left", "right"): Eq(psi, 0)},
    name="eig_harmonic_oscillator",
)

# Method: finite elements, refined until the estimates are small

modes = solve(
    problem, FiniteElements(), modes=4, tolerance=1e-6, folder="runs/eig_harmonic_oscillator"
)

# Result: the largest error of the first four energies

solution = modes[0]
exact = references.load("eig_harmonic_oscillator").quantities["E"]
error = max(abs(mode[energy] / exact[i] - 1) for i, mode in enumerate(modes))
quantities = {f"energy {i}": (mode[energy], exact[i]) for i, mode in enumerate(modes)}
