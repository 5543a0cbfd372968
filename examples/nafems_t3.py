"""A rod heated at one end by a temperature that swings (NAFEMS T3), at 32 s."""

from science import (
    Eq,
    FiniteElements,
    Heat,
    Interval,
    Problem,
    coordinates,
    pi,
    references,
    sin,
    solve,
)

# Statement: metres, seconds, degrees Celsius

x, t = coordinates("x t")
rod = Heat((x, t), conductivity=35, heat_capacity=7200 * 440.5)
T = rod.temperature
problem = Problem(
    domain=Interval(0, 0.1).over(t, 0, 32),
    equations=rod,
    conditions={
        ("initial", "left"): Eq(T, 0),
        "right": Eq(T, 100 * sin(pi * t / 40)),
    },
    name="nafems_t3",
)

# Method

solution = solve(problem, FiniteElements(), folder="runs/nafems_t3")

# Result: the temperature 2 cm from the heated end

exact = references.load("nafems_t3_transient_rod").quantities["T(0.08,32)"]
temperature = solution(T, [0.08, 32.0])
error = abs(temperature / exact - 1)
quantities = {"temperature": (temperature, exact)}
