"""More statements for the tests of the doctor: slips with what is said of them, and sound kinds."""

import jax.numpy as jnp
import numpy as np
import sympy
from sympy import I, Piecewise, Rational, cos, exp, pi, sin, sqrt

import geometry as geo
from equations import (
    Data,
    Eq,
    KirchhoffPlate,
    LinearElasticity,
    NavierStokes,
    Poisson,
    Problem,
    Wave,
    coordinates,
    diff,
    div,
    dot,
    eigenvalue,
    field,
    fields,
    grad,
    integral,
    laplacian,
    mean,
    normal_derivative,
    parameter,
    periodic,
    quantity,
    vector_field,
)

x, y, z, t = coordinates("x y z t")
r, zeta = coordinates("r z", system="cylindrical")
radius = coordinates("r", system="spherical")
u, v = fields("u v", x, y)
w, w2 = fields("w w2", x, t)
f, g = fields("f g", x)
X, Y = fields("X Y", t)
U = field("U", x, y, t)
line, square = geo.Interval(0, 1), geo.Rectangle((0, 0), (1, 1))
strip, tank = line.over(t, 0, 1), square.over(t, 0, 1)
ode, laplace = Eq(diff(f, x, 2), 1), Eq(laplacian(u), 0)
heat, advection = Eq(diff(w, t), diff(w, x, 2)), Eq(diff(w, t) + diff(w, x), 0)
ends, walls = {("left", "right"): Eq(f, 0)}, {"boundary": Eq(u, 0)}
start = {"initial": Eq(w, 0), ("left", "right"): Eq(w, 0)}
nu, lam = parameter("nu", initial=0.1, positive=True), eigenvalue("lambda")
flow = NavierStokes((x, y), viscosity=0.01)
still = {"boundary": Eq(flow.velocity, 0)}
steel = LinearElasticity((x, y), young=210e9, poisson_ratio=0.3)
plate = KirchhoffPlate((x, y), stiffness=1, load=1)
drum = Eq(-laplacian(u), lam * u)
SIDES, REST = ("left", "right", "bottom", "top"), ("right", "bottom", "top")
swapped = field("w", t, x)

# name: (problem, level, words of the message, words of the remedy)
SLIPS = {
    "values where a flow leaves": (
        Problem(strip, advection, {"initial": Eq(w, 0), "right": Eq(w, 0)}),
        "error",
        "no conditions where the flow of w(x, t) enters, near x = 0",
        "state its value",
    ),
    "values at both ends of a flow": (
        Problem(strip, advection, {"initial": Eq(w, 0), ("left", "right"): Eq(w, 0)}),
        "warning",
        "has a condition where its flow leaves",
        "follow from those upstream",
    ),
    "a rotating flow with values on the wrong side": (
        Problem(square, Eq(y * diff(u, x) - x * diff(u, y) + u, 0), {("left", "bottom"): Eq(u, 1)}),
        "error",
        "no conditions where the flow of u(x, y) enters, near x = 0.2944, y = 1",
        "state its value",
    ),
    "a plane flow without an inflow": (
        Problem(tank, Eq(diff(U, t) + diff(U, x), 0), {"initial": Eq(U, 0)}),
        "error",
        "where the flow of U(x, y, t) enters",
        "state its value",
    ),
    "fluxes alone, without `div`, that do not balance": (
        Problem(line, ode, {("left", "right"): Eq(diff(f, x), 0)}),
        "error",
        "the sources add up to -1 in the domain, the flux through the boundary to 0",
        "a value in place of a flux",
    ),
    "forces that do not balance": (
        Problem(
            square,
            steel,
            {"right": steel.traction((1e6, 0)), ("left", "top", "bottom"): steel.free()},
        ),
        "error",
        "the flux through the boundary to 1e+06",
        "so that the two agree",
    ),
    "more water in than out": (
        Problem(square, flow, {"left": Eq(flow.velocity, (1, 0)), REST: flow.no_slip()}),
        "error",
        "the flux through the boundary to 1",
        "a flux in place of a velocity",
    ),
    "a source on a ring": (
        Problem(line.periodic("x"), ode, {}),
        "error",
        "the sources add up to -1",
        "so that the two agree",
    ),
    "a wave with the boundary of space and time": (
        Problem(tank, Wave((x, y, t), unknown=U), {"initial": Eq(U, 0), "boundary": Eq(U, 0)}),
        "warning",
        "conditions are given all round",
        "'boundary' holds both ends of time: name the sides, 'left', 'right', 'bottom', 'top'",
    ),
    "an initial value where nothing changes": (
        Problem(tank, Eq(laplacian(U), 0), {"initial": Eq(U, 0), SIDES: Eq(U, 0)}),
        "warning",
        "no equation holds its time derivative",
        "at every instant",
    ),
    "arguments in another order": (
        Problem(
            strip,
            Eq(diff(swapped, t), diff(swapped, x, 2)),
            {"initial": Eq(w, 0), ("left", "right"): Eq(w, 0)},
        ),
        "error",
        "at the time x, which is a place",
        "in one order throughout",
    ),
    "a value in the middle of a membrane": (
        Problem(square, laplace, walls | {geo.Point(0.5, 0.5): Eq(u, 1)}),
        "warning",
        "determine the solution already",
        "give it as `data`",
    ),
    "an integral of a membrane that is held": (
        Problem(square, laplace, walls | {"domain": Eq(integral(u), 1)}),
        "warning",
        "determine the solution already",
        "leave a number or a condition open",
    ),
    "a coefficient with a pole inside": (
        Problem(line, Eq(diff(f, x, 2) + diff(f, x) / (x - Rational(1, 2)), 1), ends),
        "warning",
        "divides by x - 1/2, which vanishes inside the domain, near x = 0.49",
        "take that place out",
    ),
    "a drum with a load": (
        Problem(square, Eq(-laplacian(u), lam * u + 1), walls),
        "error",
        "lambda is an eigenvalue, but -1 is left",
        "Eq(integral(u**2), 1)",
    ),
    "a drum with a value": (
        Problem(square, drum, {"boundary": Eq(u, 1)}),
        "error",
        "lambda is an eigenvalue, but -1 is left",
        "Drop the source or the value",
    ),
    "the walls of a law that the domain does not have": (
        Problem(square, flow, {"walls": flow.no_slip()}),
        "error",
        "no part 'walls'; its parts are: left, right, bottom, top",
        "Name one of its parts",
    ),
    "a steady law over time": (
        Problem(tank, Poisson((x, y), unknown=u), {SIDES: Eq(u, 0)}),
        "error",
        "has the axis t, on which no unknown depends",
        "Give the fields the coordinate t",
    ),
    "a complex value of a real field": (
        Problem(square, laplace, {"boundary": Eq(u, exp(I * x))}),
        "error",
        "complex numbers, but u(x, y) is real",
        "complex=True",
    ),
    "a number to identify in a condition alone": (
        Problem(line, ode, {"left": Eq(f, nu), "right": Eq(f, 0)}),
        "error",
        "nothing determines nu",
        "`data=Data(points, {u: values})`",
    ),
    "a coordinate of SymPy's in a condition": (
        Problem(square, laplace, {"boundary": Eq(u, sympy.Symbol("x"))}),
        "error",
        "another symbol than the coordinate of that name",
        "Make it once, by `coordinates(...)`",
    ),
    "periodic ends with values too": (
        Problem(
            square, laplace, {"left": [*periodic(u, x, 1), Eq(u, 0)], ("top", "bottom"): Eq(u, 0)}
        ),
        "error",
        "2 conditions, where the equations carry 1",
        "Drop conditions there",
    ),
    "values that are not numbers": (
        Problem(line, ode, {"left": Eq(f, float("nan")), "right": Eq(f, 0)}),
        "error",
        "is not finite",
        "inf and nan among the numbers",
    ),
    "a plate that is only held": (
        Problem(square, plate, {"boundary": Eq(plate.deflection, 0)}),
        "error",
        "1 condition, where the equations need 2",
        "a value, a flux",
    ),
    "a wall in a unit of its own": (
        Problem(
            line,
            Eq(diff(f, x, 2), 0),
            {"left": Eq(f, quantity(3, "m")), "right": Eq(f, quantity(1, "K"))},
            units={x: "m", f: "K"},
        ),
        "error",
        "units differ",
        "Correct one of them",
    ),
    "a box with two walls forgotten": (
        Problem(geo.Box((0, 0, 0), (1, 1, 1)), NavierStokes((x, y, z), viscosity=1), {}).add(
            {SIDES: Eq(NavierStokes((x, y, z), viscosity=1).velocity, 0)}
        ),
        "error",
        "no conditions, where the equations need 3 to 4",
        "on u(x, y, z), v(x, y, z), w(x, y, z) there",
    ),
    "an equation that says nothing": (
        Problem(line, Eq(diff(f, x) - diff(f, x), 0), ends),
        "error",
        "0 = 0 holds no unknown",
        "write the unknown into it",
    ),
    "a point without its time": (
        Problem(strip, heat, start | {geo.Point(0.5): Eq(w, 0)}),
        "error",
        "the point has 1 coordinates, the domain has 2 axes",
        "each of x, t",
    ),
}

pipe = NavierStokes((r, zeta), viscosity=0.1)
ball = field("q", radius)
vector = vector_field("V", x, y)
solid, pore = vector_field("d", x, y, t), field("p", x, y, t)

KINDS = {
    "a value in the middle of a line": Problem(
        line, ode, {"left": Eq(f, 0), geo.Point(0.5): Eq(f, 1)}
    ),
    "a boundary layer of Blasius": Problem(
        geo.Interval(0, 8),
        Eq(2 * diff(f, x, 3) + f * diff(f, x, 2), 0),
        {"left": [Eq(f, 0), Eq(diff(f, x), 0)], "right": Eq(diff(f, x), 1)},
    ),
    "the same as a system": Problem(
        geo.Interval(0, 8),
        [Eq(diff(f, x), g), Eq(diff(g, x, 2), -f * diff(g, x) / 2)],
        {"left": [Eq(f, 0), Eq(g, 0)], "right": Eq(g, 1)},
    ),
    "numbers of Python": Problem(line, Eq(diff(f, x, 2), 1 / 3 * f + 0.1 + 0.2), ends),
    "numbers of arrays": Problem(
        line,
        Eq(np.float64(2.5) * diff(f, x, 2), np.pi),
        {"left": Eq(f, np.float32(0.5)), "right": Eq(f, jnp.asarray(1.0))},
    ),
    "a source in pieces": Problem(
        line, Eq(-diff(f, x, 2), Piecewise((1, x < 0.5), (0, True))), ends
    ),
    "a source that is switched on": Problem(
        line, Eq(-diff(f, x, 2), sympy.Heaviside(x - 0.5)), ends
    ),
    "a telegraph": Problem(
        strip,
        Eq(diff(w, t, 2) + 2 * diff(w, t) + w, diff(w, x, 2)),
        start | {"initial": [Eq(w, sin(pi * x)), Eq(diff(w, t), 0)]},
    ),
    "waves of first order": Problem(
        strip,
        [Eq(diff(w, t), diff(w2, x)), Eq(diff(w2, t), diff(w, x))],
        {"initial": [Eq(w, sin(pi * x)), Eq(w2, 0)], ("left", "right"): Eq(w, 0)},
    ),
    "a steady flow along x": Problem(square, Eq(diff(u, x), y), {"left": Eq(u, 0)}),
    "a steady rotating flow": Problem(
        square, Eq(y * diff(u, x) - x * diff(u, y) + u, 0), {("left", "top"): Eq(u, 1)}
    ),
    "a flow to the left": Problem(
        strip, Eq(diff(w, t) - 2 * diff(w, x), 0), {"initial": Eq(w, 0), "right": Eq(w, sin(t))}
    ),
    "a flow that leaves at both ends": Problem(
        geo.Interval(-1, 1).over(t, 0, 1), Eq(diff(w, t) + x * diff(w, x), 0), {"initial": Eq(w, x)}
    ),
    "a flow traced back": Problem(strip, advection, {"final": Eq(w, x), "right": Eq(w, 2 - t)}),
    "burgers without viscosity": Problem(
        strip,
        Eq(diff(w, t) + w * diff(w, x), 0),
        {"initial": Eq(w, x + 1), "left": Eq(w, 1 / (1 + t))},
    ),
    "stream function and vorticity": Problem(
        square,
        [Eq(laplacian(u), -v), Eq(laplacian(v), 0)],
        {"boundary": [Eq(u, 0), Eq(normal_derivative(u), x)]},
    ),
    "a drum": Problem(square, drum, walls),
    "a drum of a size": Problem(square, drum, walls | {"domain": Eq(mean(u**2), 1)}),
    "a condensate at rest": Problem(
        geo.Interval(-6, 6),
        Eq(-diff(f, x, 2) / 2 + x**2 * f / 2 + f**3, lam * f),
        ends | {"domain": Eq(integral(f**2), 1)},
    ),
    "fluxes that balance, and a mean": Problem(
        square,
        Eq(-laplacian(u), cos(pi * x)),
        {"boundary": Eq(normal_derivative(u), 0), "domain": Eq(mean(u), 0)},
    ),
    "a flow with a mean pressure": Problem(
        square, flow, still | {"domain": Eq(mean(flow.pressure), 0)}
    ),
    "as much water in as out": Problem(
        square,
        flow,
        {
            ("left", "right"): Eq(flow.velocity, (y * (1 - y), 0)),
            ("top", "bottom"): flow.no_slip(),
            geo.Point(0, 0): Eq(flow.pressure, 0),
        },
    ),
    "a wall that exchanges heat all round": Problem(
        square, Eq(-laplacian(u) + u, 1), {"boundary": Eq(normal_derivative(u) + u, 0)}
    ),
    "two species, one of which stays": Problem(
        strip,
        [Eq(diff(w, t), diff(w, x, 2) - w * w2), Eq(diff(w2, t), w * w2)],
        {"initial": [Eq(w, 1), Eq(w2, 1)], ("left", "right"): Eq(diff(w, x), 0)},
    ),
    "a differential-algebraic system": Problem(
        geo.Time(0, 1), [Eq(diff(X, t), -Y), Eq(Y, X**2)], {"initial": Eq(X, 1)}
    ),
    "a shot in time": Problem(
        geo.Time(0, 1), Eq(diff(X, t, 2), -X), {"initial": Eq(X, 0), "final": Eq(X, 1)}
    ),
    "a source to identify": Problem(
        square, Eq(-laplacian(u), v), walls, Data([[0.5, 0.5], [0.2, 0.3]], {u: [1, 2]})
    ),
    "a value to identify": Problem(
        line,
        ode,
        {"left": Eq(f, parameter("q", initial=0.0)), "right": Eq(f, 0)},
        Data([0.5], {f: [0.3]}),
    ),
    "a pipe": Problem(
        geo.Rectangle((0, 0), (1, 2), axes=("r", "z")),
        pipe,
        {
            "right": pipe.no_slip(),
            "bottom": Eq(pipe.velocity, (0, 1 - r**2)),
            "top": pipe.traction_free(),
            "left": [Eq(pipe.velocity[0], 0), Eq(diff(pipe.velocity[1], r), 0)],
        },
    ),
    "a ball": Problem(
        geo.Interval(0, 1, axes="r"), Eq(-laplacian(ball), 1), {"right": Eq(ball, 0)}
    ),
    "a quarter of a sheet": Problem(
        square,
        steel,
        {
            "left": [Eq(steel.displacement[0], 0), Eq(steel.stress[0, 1], 0)],
            "bottom": [Eq(steel.displacement[1], 0), Eq(steel.stress[0, 1], 0)],
            "right": steel.traction((1e6, 0)),
            "top": steel.free(),
        },
    ),
    "two membranes": Problem(square, Eq(-laplacian(vector), (1, 0)), {"boundary": Eq(vector, 0)}),
    "a porous solid": Problem(
        tank,
        [
            Eq(-laplacian(solid) + grad(pore), 0),
            Eq(diff(pore, t) + diff(div(solid), t) - laplacian(pore), 0),
        ],
        {"initial": [Eq(solid, 0), Eq(pore, 0)], SIDES: [Eq(solid, 0), Eq(pore, 0)]},
    ),
    "an obstacle": Problem(line, Eq(sympy.Min(-diff(f, x, 2), f - 0.1), 0), ends),
    "gas in a porous medium": Problem(
        strip,
        Eq(diff(w, t), laplacian(w**2)),
        {"initial": Eq(w, x), "left": Eq(w, 0), "right": Eq(w, 1)},
    ),
    "a minimal surface": Problem(
        square, Eq(div(grad(u) / sqrt(1 + dot(grad(u), grad(u)))), 0), {"boundary": Eq(u, x * y)}
    ),
    "a surface of given curvature": Problem(
        square,
        Eq(diff(u, x, 2) * diff(u, y, 2) - diff(u, x, y) ** 2, 1),
        {"boundary": Eq(u, (x**2 + y**2) / 2)},
    ),
    "a wall in two pieces": Problem(
        square,
        laplace,
        {
            square["top"].where(x < 0.5): Eq(u, 0),
            square["top"].where(x > 0.5): Eq(normal_derivative(u), 0),
            ("left", "right", "bottom"): Eq(u, 0),
        },
    ),
}
