"""Conduction in a plate that air cools on two sides (NAFEMS T4): the temperature at its edge."""

from science import (
    Eq,
    FiniteElements,
    Heat,
    Problem,
    Rectangle,
    coordinates,
    references,
    solve,
)

# Statement: metres, degrees Celsius

x, y = coordinates("x y")
plate = Heat((x, y), conductivity=52)
T = plate.temperature
problem = Problem(
    domain=Rectangle((0, 0), (0.6, 1)),
    equations=plate,
    conditions={
        "bottom": Eq(T, 100),
        "left": plate.insulated(),
        ("right", "top"): plate.convection(750, 0),
    },
    name="nafems_t4",
)

# Method

solution = solve(problem, FiniteElements(), folder="runs/nafems_t4")

# Result

exact = references.load("nafems_t4_convection").quantities["T_E"]
temperature = solution(T, [0.6, 0.2])
error = abs(temperature / exact - 1)
quantities = {"temperature": (temperature, exact)}
