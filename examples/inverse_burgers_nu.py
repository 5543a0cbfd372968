"""Speed and viscosity of Burgers' equation, found from 2000 noisy readings."""

from science import (
    PINN,
    Data,
    Eq,
    Interval,
    Problem,
    coordinates,
    diff,
    field,
    parameter,
    references,
    solve,
)

# Statement: readings of the solution for speed 1 and viscosity 0.01/pi, with noise of 1 %

reference = references.load("inverse_burgers_nu")
x, t = coordinates("x t")
u = field("u", x, t)
speed, nu = parameter("speed", initial=0.5), parameter("nu", initial=0.05, positive=True)
points = [*zip(reference["x"], reference["t"], strict=True)]
problem = Problem(
    domain=Interval(-1, 1).over(t, 0, 1),
    equations=Eq(diff(u, t) + speed * u * diff(u, x), nu * diff(u, x, 2)),
    data=Data(points, {u: reference["u_noisy"]}),
    name="inverse_burgers_nu",
)

# Method: a network, fitted to the readings first, and the numbers are found together

solution = solve(problem, PINN(), folder="runs/inverse_burgers_nu")

# Result

true = reference.quantities
error = abs(solution[nu] / true["nu"] - 1)
quantities = {
    "viscosity:": (solution[nu], true["nu"]),
    "speed:": (solution[speed], true["lambda1"]),
}
