"""Poisson's equation on a rectangle with a circular hole, by two methods that check each other."""

from science import (
    PINN,
    Disk,
    Eq,
    FiniteElements,
    Poisson,
    Problem,
    Rectangle,
    compare,
    coordinates,
    solve,
)

# Statement

x, y = coordinates("x y")
plate = Rectangle((0, 0), (2, 1)) - Disk((0.7, 0.5), 0.2, name="hole")
law = Poisson((x, y), source=1)
problem = Problem(
    domain=plate,
    equations=law,
    conditions={
        ("left", "right", "bottom", "top"): Eq(law.unknown, 0),
        "hole": law.insulated(),
    },
    name="poisson_hole",
)

# Method: a network and finite elements, from the same statement

solution = solve(problem, PINN(), folder="runs/poisson_hole/network")
elements = solve(problem, FiniteElements(), folder="runs/poisson_hole/elements")

# Result: their relative difference in L2

error = compare(solution, elements)[law.unknown].relative
