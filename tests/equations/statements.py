"""Statements for the tests: sound ones, and broken ones with what the doctor says of them."""

import numpy as np
import sympy
from sympy import I, cos, log, pi, sin, sqrt

import geometry as geo
from equations import (
    Burgers,
    Data,
    Eq,
    Heat,
    NavierStokes,
    Poisson,
    Problem,
    coordinates,
    diff,
    div,
    field,
    fields,
    grad,
    laplacian,
    normal_derivative,
    parameter,
    vector_field,
)

x, y, z, t = coordinates("x y z t")
u, v = fields("u v", x, y)
w, w2 = fields("w w2", x, t)
f, k = field("f", x), field("k", x, positive=True)
X, Y = fields("X Y", t)
h = field("h", x, t, complex=True)

line, square = geo.Interval(0, 1), geo.Rectangle((0, 0), (1, 1))
strip = geo.Interval(-1, 1).over(t, 0, 1)
ring = geo.Interval(-1, 1).periodic("x").over(t, 0, 1)
hole = square - geo.Disk((0.5, 0.5), 0.2, name="hole")
laplace = Eq(laplacian(u), 0)
heat = Eq(diff(w, t), diff(w, x, 2))
ode = Eq(diff(f, x, 2), 1)
walls = {"boundary": Eq(u, 0)}
start = {"initial": Eq(w, 0), ("left", "right"): Eq(w, 0)}
nu = parameter("nu", initial=0.1, positive=True)
flow = NavierStokes((x, y), viscosity=0.01)
still = {"boundary": Eq(flow.velocity, 0)}


def measured(expression=f, points=(0.2, 0.7), values=(1.0, 2.0)):
    return Data(np.array(points), {expression: np.array(values)})


# name: (problem, level, words of the message, words of the remedy)
BROKEN = {
    # places
    "a misspelt part": (Problem(line, ode, {"lft": Eq(f, 0)}), "error", "'lft'", "'left'"),
    "one misspelt part of two": (
        Problem(square, laplace, {("left", "tpo"): Eq(u, 0)}),
        "error",
        "no part 'tpo'; its parts are: left, right, bottom, top",
        "Did you mean 'top'",
    ),
    "an initial condition of a steady problem": (
        Problem(square, laplace, walls | {"initial": Eq(u, 0)}),
        "error",
        "no part 'initial'",
        ".over(t, start, end)",
    ),
    "a condition on a periodic end": (
        Problem(ring, heat, {"initial": Eq(w, 0), "left": Eq(w, 0)}),
        "error",
        "no part 'left'",
        "periodic in x",
    ),
    "a part of another shape": (
        Problem(square, laplace, {geo.Rectangle((0, 0), (2, 1)).boundary: Eq(u, 0)}),
        "error",
        "another shape, Rectangle((0, 0), (2, 1))",
        "Rectangle((0, 0), (1, 1))",
    ),
    "a point outside the domain": (
        Problem(square, laplace, walls | {geo.Point(2, 0.5): Eq(u, 0)}),
        "error",
        "outside the domain",
        "Choose a point",
    ),
    "a point of the wrong dimension": (
        Problem(square, laplace, walls | {geo.Point(0.5): Eq(u, 0)}),
        "error",
        "1 coordinates, the domain has 2",
        "x, y",
    ),
    # coordinates and names
    "a field of more coordinates than the domain": (
        Problem(line, laplace, {"boundary": Eq(u, 0)}),
        "error",
        "u(x, y) depends on y",
        "Drop y",
    ),
    "an unsteady law on a steady domain": (
        Problem(line, Burgers((x, t), viscosity=1)),
        "error",
        "depends on t",
        ".over(t, start, end)",
    ),
    "an axis that no field depends on": (
        Problem(square, ode, {"left": Eq(f, 0)}),
        "error",
        "axis y, on which no unknown depends",
        "Give the fields the coordinate y",
    ),
    "a time of another name": (
        Problem(line.over("s", 0, 1), heat),
        "error",
        "is called s",
        "over(t, a, b)",
    ),
    "an unknown of a condition in no equation": (
        Problem(square, laplace, walls | {"left": Eq(v, 0)}),
        "error",
        "v(x, y) is in no equation",
        "the unknowns are u(x, y)",
    ),
    "an unknown without its time": (
        Problem(strip, heat, start | {"left": Eq(field("w", x), 0)}),
        "error",
        "w(x) is in no equation",
        "Did you mean w(x, t)?",
    ),
    "a namesake with other assumptions": (
        Problem(square, laplace, {"boundary": Eq(sympy.Function("u")(x, y), 0)}),
        "error",
        "u(x, y) is in no equation",
        "Another field of that name",
    ),
    "two fields of one name": (
        Problem(strip, Eq(diff(w, t), diff(field("w", x), x, 2))),
        "error",
        "several unknowns are called w",
        "Make each field once",
    ),
    "an equation of the law left out": (
        Problem(square, flow, still).replace(equations=flow.equations[0]),
        "error",
        "p(x, y), an unknown of NavierStokes",
        "Give all equations",
    ),
    # what can be computed
    "a symbol without a value": (
        Problem(line, Eq(diff(f, x, 2), sympy.Symbol("a"))),
        "error",
        "a: neither a coordinate (x) nor a parameter",
        "`parameter(...)`",
    ),
    "a coordinate made twice": (
        Problem(line, Eq(diff(f, x, 2), sympy.Symbol("x"))),
        "error",
        "another symbol than the coordinate",
        "Make it once",
    ),
    "a function without numbers": (
        Problem(line, Eq(diff(f, x, 2), sympy.zeta(x + 2))),
        "error",
        "zeta in",
        "functions that can",
    ),
    "a normal in the interior": (
        Problem(square, Eq(laplacian(u), normal_derivative(u)), walls),
        "error",
        "the normal of the boundary has no meaning in the interior",
        "Move the term to a condition",
    ),
    "a normal at the initial time": (
        Problem(strip, heat, start | {"initial": Eq(normal_derivative(w), 0)}),
        "error",
        "the normal of the boundary has no meaning here",
        "derivatives along coordinates",
    ),
    "a condition without an unknown": (
        Problem(line, ode, {("left", "right"): Eq(f, 0), "left": Eq(x, 0)}),
        "error",
        "x = 0 holds no unknown",
        "write the unknown into it",
    ),
    # counts
    "no equation": (Problem(line, []), "error", "there is none", "Give a law"),
    "fewer equations than unknowns": (
        Problem(square, Eq(laplacian(u), v), walls),
        "error",
        "1 equation for 2 unknowns: u(x, y), v(x, y)",
        "missing equations",
    ),
    "more equations than unknowns": (
        Problem(square, [laplace, Eq(diff(u, x), 1)], walls),
        "warning",
        "2 equations for 1 unknown",
        "contradict",
    ),
    "an equation stated twice": (
        Problem(line, [ode, ode], {("left", "right"): Eq(f, 0)}),
        "error",
        "stated twice",
        "Drop one",
    ),
    "a wall without a condition": (
        Problem(square, laplace, {("left", "right", "bottom"): Eq(u, 0)}),
        "error",
        "no conditions, where the equations need 1",
        "on u(x, y) there",
    ),
    "a hole without a condition": (
        Problem(hole, laplace, {("left", "right", "bottom", "top"): Eq(u, 0)}),
        "error",
        "no conditions",
        "a value, a flux",
    ),
    "half a no-slip condition": (
        Problem(square, flow, {"boundary": Eq(flow.velocity[0], 0)}),
        "error",
        "1 condition, where the equations need 2 to 3",
        "on v(x, y)",
    ),
    "two conditions for a second-order equation": (
        Problem(square, laplace, walls | {"left": Eq(diff(u, x), 0)}),
        "error",
        "2 conditions, where the equations carry 1",
        "Drop conditions",
    ),
    "one end without a condition": (
        Problem(line, ode, {"left": Eq(f, 0)}),
        "error",
        "1 condition (right has none), where the equations need 2 in all",
        "Add conditions",
    ),
    "too many conditions at the ends": (
        Problem(line, ode, {("left", "right"): [Eq(f, 0), Eq(diff(f, x), 0)]}),
        "error",
        "4 conditions, where the equations carry 2",
        "Drop",
    ),
    "heat with both conditions at one end": (
        Problem(strip, heat, {"initial": Eq(w, 0), "left": [Eq(w, 0), Eq(diff(w, x), 0)]}),
        "error",
        "no conditions, where the equations need 1",
        "on w(x, t) there",
    ),
    "a transport equation without an inflow": (
        Problem(strip, Eq(diff(w, t) + diff(w, x), 0), {"initial": Eq(w, 0)}),
        "error",
        "no conditions where the flow of w(x, t) enters, near x = -1",
        "Add conditions",
    ),
    "no initial value": (
        Problem(strip, heat, {("left", "right"): Eq(w, 0)}),
        "error",
        "no conditions for w(x, t), of order 1 in time",
        "on 'initial'",
    ),
    "a wave without an initial rate": (
        Problem(strip, Eq(diff(w, t, 2), diff(w, x, 2)), start),
        "error",
        "1 condition for w(x, t), of order 2 in time",
        "the rate",
    ),
    "an initial rate too many": (
        Problem(strip, heat, start | {"initial": [Eq(w, 0), Eq(diff(w, t), 0)]}),
        "error",
        "2 conditions for w(x, t), of order 1",
        "Keep 1",
    ),
    "a system with an initial value short": (
        Problem(geo.Time(0, 1), [Eq(diff(X, t), Y), Eq(diff(Y, t), -X)], {"initial": Eq(X, 1)}),
        "error",
        "1 condition for the unknowns, of order 2 in time",
        "on 'initial'",
    ),
    "a missing condition next to data": (
        Problem(line, ode, {"left": Eq(f, 0)}, measured()),
        "warning",
        "need 2 in all",
        "Add conditions",
    ),
    "a number that nothing determines": (
        Problem(strip, Eq(diff(w, t), nu * diff(w, x, 2)), start),
        "error",
        "nothing determines nu",
        "`data=Data(points, {u: values})`",
    ),
    "a field with the name of a coordinate": (
        Problem(
            square,
            Eq(laplacian(field("x", x, y)), 1),
            {"boundary": Eq(field("x", x, y), 0)},
        ),
        "error",
        "x is the name of an unknown and of a coordinate",
        "a name of its own",
    ),
    "values on the boundary of space-time": (
        Problem(strip, heat, {"boundary": Eq(w, 0)}),
        "error",
        "2 conditions for w(x, t), of order 1 in time",
        "'boundary' holds both ends of time: name the sides, 'left', 'right'",
    ),
    "a division by zero": (
        Problem(square, Eq(-laplacian(u), 1 / (x - x)), walls),
        "error",
        "holds a coefficient that is not finite",
        "division by zero",
    ),
    "a parameter with the name of a coordinate": (
        Problem(line, Eq(diff(f, x, 2), parameter("x", between=(1, 2)))),
        "error",
        "x is the name of two different symbols",
        "own names",
    ),
    # numbers
    "a logarithm of negative numbers": (
        Problem(line, Eq(diff(f, x, 2), log(x - sympy.Rational(1, 2))), {"boundary": Eq(f, 0)}),
        "error",
        "the term -log(x - 1/2) is not finite at x = ",
        "Rewrite it",
    ),
    "a coefficient that a parameter makes infinite": (
        Problem(
            line,
            Eq(diff(f, x, 2) / parameter("Re", between=(0, 100)), 1),
            {"boundary": Eq(f, 0)},
        ),
        "error",
        "the term 1/Re is not finite",
        "Rewrite it",
    ),
    "a condition without a value on its part": (
        Problem(square, laplace, {"boundary": Eq(u, sqrt(y - sympy.Rational(1, 2)))}),
        "error",
        "is not finite at x = ",
        "Rewrite it",
    ),
    "a complex equation for a real field": (
        Problem(strip, Eq(I * diff(w, t), diff(w, x, 2)), start),
        "error",
        "complex numbers, but w(x, t) is real",
        "complex=True",
    ),
    "two values on one part": (
        Problem(line, ode, {("left", "right"): Eq(f, 0), "left": Eq(f, 1)}),
        "error",
        "f(x) is stated to be 0 and 1, which differ at x = 0",
        "Keep one",
    ),
    "one value twice": (
        Problem(line, ode, {("left", "right"): Eq(f, 0), "left": Eq(2 * f, 0)}),
        "note",
        "f(x) = 0 is stated twice",
        "Keep one",
    ),
    "a positive field stated negative": (
        Problem(
            line,
            Eq(-div(k * grad(f)), 1),
            {"left": [Eq(f, 0), Eq(k, -1)], "right": Eq(f, 1)},
            measured(),
        ),
        "error",
        "k(x) is a positive field, stated as -1",
        "Drop `positive=True`",
    ),
    "heat that flows backward in time": (
        Problem(strip, Eq(diff(w, t), -diff(w, x, 2)), start),
        "warning",
        "short waves grow without bound from the values on 'initial'",
        "Change the sign",
    ),
    "heat from its final state": (
        Problem(strip, heat, {"final": Eq(w, 0), ("left", "right"): Eq(w, 0)}),
        "warning",
        "short waves grow without bound from the values on 'final'",
        "the other end of time",
    ),
    "the initial value problem of the Laplace equation": (
        Problem(
            strip,
            Eq(diff(w, t, 2), -diff(w, x, 2)),
            start | {"initial": [Eq(w, 0), Eq(diff(w, t), 0)]},
        ),
        "warning",
        "short waves grow",
        "Change the sign",
    ),
    "a conductivity that changes sign": (
        Problem(line, Eq(-div((x - 0.4) * grad(f)), 1), {("left", "right"): Eq(f, 0)}),
        "warning",
        "changes sign, near x = 0.39",
        "check the coefficient",
    ),
    "an equation of waves with values all round": (
        Problem(square, Eq(diff(u, x, 2) - diff(u, y, 2), 1), walls),
        "warning",
        "second derivatives of u(x, y) have both signs",
        "leave one side free",
    ),
    "a mixed derivative with values all round": (
        Problem(square, Eq(diff(u, x, y), 1), walls),
        "warning",
        "conditions are given all round",
        "leave one side free",
    ),
    "a wave with its final state": (
        Problem(strip, Eq(diff(w, t, 2), diff(w, x, 2)), start | {"final": Eq(w, 0)}),
        "warning",
        "conditions are given all round",
        "check the signs",
    ),
    # meetings
    "a lid": (
        Problem(
            square,
            flow,
            {"top": Eq(flow.velocity, (1, 0)), ("left", "right", "bottom"): flow.no_slip()},
        ),
        "note",
        "u(x, y) = 1 on top disagree where they meet, at x = 0, y = 1 and at x = 1, y = 1",
        "singular there",
    ),
    "an initial value that the ends contradict": (
        Problem(strip, heat, start | {"initial": Eq(w, 1 + x)}),
        "note",
        "w(x, t) = 0 on left, right and w(x, t) = x + 1 on initial disagree",
        "singular there",
    ),
    "an initial value with a kink at the periodic ends": (
        Problem(ring, heat, {"initial": Eq(w, x**2 * cos(pi * x))}),
        "note",
        "has a kink at the periodic ends of x",
        "must stay soft",
    ),
    "an initial value that is not periodic": (
        Problem(ring, heat, {"initial": Eq(w, x)}),
        "note",
        "w(x, t) = x is not periodic in x",
        "State a periodic value",
    ),
    "a source that is not periodic": (
        Problem(ring, Eq(diff(w, t), diff(w, x, 2) + x), {"initial": Eq(w, 0)}),
        "note",
        "sources are not periodic in x",
        "less smooth",
    ),
    "two values on pieces of one wall": (
        Problem(
            square,
            laplace,
            {
                square["left"].where(y > 0.5): Eq(u, 1),
                square["left"].where(y < 0.5): Eq(u, 0),
                ("right", "bottom", "top"): Eq(u, x),
            },
        ),
        "note",
        "u(x, y) = 1 on left where y > 0.5 and u(x, y) = 0 on left where y < 0.5 disagree",
        "singular there",
    ),
    "half a wall without a condition": (
        Problem(
            square,
            laplace,
            {square["left"].where(y > 0.5): Eq(u, 1), ("right", "bottom", "top"): Eq(u, x)},
        ),
        "error",
        "no conditions near x = 0, y = ",
        "a value, a flux",
    ),
    "a piece of a part of another shape": (
        Problem(square, laplace, {geo.Rectangle((0, 0), (2, 1))["left"].where(y > 0.5): Eq(u, 0)}),
        "error",
        "the part belongs to another shape",
        "Take it from the domain",
    ),
    "ends that are tied by their values alone": (
        Problem(
            square,
            laplace,
            {"left": Eq(u, u.subs(x, x + 1)), ("bottom", "top"): Eq(u, 0)},
        ),
        "error",
        "no conditions, where the equations need 1",
        "a value, a flux",
    ),
    # scales
    "a wall of a millimeter": (
        Problem(geo.Interval(0, 1e-3), Eq(-50 * diff(f, x, 2), 1e8), {("left", "right"): Eq(f, 0)}),
        "note",
        "numbers far from one: x of about 0.001",
        "`problem.nondimensionalize()` shows it",
    ),
    "absolute temperatures": (
        Problem(line, Eq(diff(f, x, 2), 0), {"left": Eq(f, 293), "right": Eq(f, 303)}),
        "note",
        "f(x) near 298",
        "answers in these units",
    ),
    "steel in pascals": (
        Problem(
            line,
            Eq(-div(210e9 * grad(f)), 0),
            {"left": Eq(f, 0), "right": Eq(210e9 * diff(f, x), 1e6)},
        ),
        "note",
        "f(x) of about 4.8e-06",
        "dimensionless form",
    ),
    "a boundary layer": (
        Problem(line, Eq(-1e-4 * diff(f, x, 2) + diff(f, x), 1), {("left", "right"): Eq(f, 0)}),
        "note",
        "layers or fronts of f(x) may be as thin as 0.0001",
        "FiniteElements(size=",
    ),
    "a layer of reaction": (
        Problem(line, Eq(-1e-6 * diff(f, x, 2) + f, 1), {("left", "right"): Eq(f, 0)}),
        "note",
        "as thin as 0.001, 0.1 % of the domain",
        "Resolve it",
    ),
    "many waves": (
        Problem(square, Eq(laplacian(u) + 1e4 * u, 1), walls),
        "note",
        "waves of u(x, y) of length 0.063, 16 across the domain",
        "Resolve it",
    ),
    "a source of many waves": (
        Problem(line, Eq(diff(f, x, 2), sin(200 * x)), {("left", "right"): Eq(f, 0)}),
        "note",
        "varies along x over lengths of about 0.005",
        "Resolve it",
    ),
    "an initial value of many waves": (
        Problem(strip, heat, start | {"initial": Eq(w, sin(100 * pi * x))}),
        "note",
        "waves across the domain",
        "Resolve it",
    ),
    "a stiff equation": (
        Problem(geo.Time(0, 10), Eq(diff(X, t), -1e4 * (X - cos(t))), {"initial": Eq(X, 0)}),
        "note",
        "the equation is stiff",
        "Shorten the time",
    ),
    # numbers to identify
    "a number in the data alone": (
        Problem(
            line,
            ode,
            {("left", "right"): Eq(f, 0)},
            Data([0.2, 0.7], {f * parameter("gain", initial=1.0): [1.0, 2.0]}),
        ),
        "note",
        "gain is in the data only",
        "if the data determine it",
    ),
    "a coefficient that nothing determines": (
        Problem(line, Eq(-div(k * grad(f)), 1), {"left": Eq(f, 0), "right": Eq(f, 1)}),
        "error",
        "1 equation for 2 unknowns: f(x), k(x)",
        "from which unknown coefficients are found",
    ),
    "two numbers from nothing": (
        Problem(
            strip,
            Eq(diff(w, t) + parameter("c", initial=1.0) * diff(w, x), nu * diff(w, x, 2)),
            start,
        ),
        "error",
        "nothing determines c, nu",
        "a number in place",
    ),
    # constants
    "a pressure up to a constant": (
        Problem(square, flow, still),
        "note",
        "p(x, y) is determined up to a constant",
        "the mean zero",
    ),
    "a potential up to a constant": (
        Problem(square, laplace, {"boundary": Eq(normal_derivative(u), 0)}),
        "warning",
        "u(x, y) is determined up to a constant",
        "State its value",
    ),
    "sources that cannot leave": (
        Problem(square, Eq(-laplacian(u), 1), {"boundary": Eq(normal_derivative(u), 0)}),
        "error",
        "no solution exists",
        "Change a source or a flux",
    ),
    # data
    "data outside the domain": (
        Problem(line, ode, {("left", "right"): Eq(f, 0)}, measured(points=(0.5, 1.5))),
        "error",
        "1 of 2 points lie outside the domain, the first at x = 1.5",
        "drop them",
    ),
    "data of another dimension": (
        Problem(square, laplace, walls, Data([0.5], {u: [1.0]})),
        "error",
        "1 columns, the domain has the axes x, y",
        "one column for each of x, y",
    ),
    "data of an unknown in no equation": (
        Problem(line, ode, {("left", "right"): Eq(f, 0)}, measured(field("g", x))),
        "error",
        "g(x) is in no equation",
        "the unknowns are f(x)",
    ),
    "no data": (
        Problem(line, ode, {("left", "right"): Eq(f, 0)}, Data(np.zeros((0, 1)), {f: []})),
        "error",
        "it is empty",
        "leave it out",
    ),
    "complex data of a real field": (
        Problem(line, ode, {("left", "right"): Eq(f, 0)}, measured(values=(1j, 2.0))),
        "error",
        "complex values of f(x), which is real",
        "complex=True",
    ),
}


beam = vector_field("d", x, y)
lorenz_fields = fields("X Y Z", t)
a, b, c = lorenz_fields
Re = parameter("Re", between=(50, 200))
varied = NavierStokes((x, y), viscosity=1 / Re)
flow3 = NavierStokes((x, y, z, t), viscosity=0.01)
box = geo.Box((0, 0, 0), (1, 1, 1)).over(t, 0, 1)
channel = geo.Rectangle((0, 0), (2.2, 0.41)) - geo.Disk((0.2, 0.2), 0.05, name="cylinder")
plate = field("d", x, y)
unsteady = Heat((x, y, t), conductivity=2)

SPECIAL = [
    sympy.erf,
    sympy.erfc,
    sympy.gamma,
    sympy.loggamma,
    sympy.airyai,
    sympy.LambertW,
    sympy.Si,
]
SPECIAL += [lambda s: sympy.besselj(0, s), lambda s: sympy.besselk(1, s), sympy.Ei, sympy.factorial]

SOUND = {
    "burgers": Problem(
        strip,
        Eq(diff(w, t) + w * diff(w, x), 0.01 / pi * diff(w, x, 2)),
        {"initial": Eq(w, -sin(pi * x)), ("left", "right"): Eq(w, 0)},
    ),
    "cylinder": Problem(
        channel,
        flow,
        {
            channel["left"]: [
                Eq(flow.velocity[0], 1.2 * y * (0.41 - y) / 0.41**2),
                Eq(flow.velocity[1], 0),
            ],
            channel["bottom", "top", "cylinder"]: flow.no_slip(),
            channel["right"]: flow.traction_free(),
        },
    ),
    "cavity with a pressure point": Problem(
        square, varied, still | {geo.Point(0.5, 0.5): Eq(varied.pressure, 0)}
    ),
    "unknown conductivity": Problem(
        line,
        Eq(-div(k * grad(f)), sin(x)),
        {"left": [Eq(f, 0), Eq(k, 1)], "right": Eq(f, 1)},
        measured(),
    ),
    "a number to identify": Problem(
        strip,
        Eq(diff(w, t), nu * diff(w, x, 2)),
        start,
        Data([[0.5, 0.5]], {w: [0.1]}),
    ),
    "a number to identify from the final state": Problem(
        strip, Eq(diff(w, t), nu * diff(w, x, 2)), start | {"final": Eq(w, 0)}
    ),
    "schroedinger": Problem(
        geo.Interval(-5, 5).periodic("x").over(t, 0, pi / 2),
        Eq(I * diff(h, t) + diff(h, x, 2) / 2 + abs(h) ** 2 * h, 0),
        {"initial": Eq(h, sin(2 * pi * x / 5))},
    ),
    "lorenz": Problem(
        geo.Time(0, 3),
        [
            Eq(diff(a, t), 10 * (b - a)),
            Eq(diff(b, t), a * (28 - c) - b),
            Eq(diff(c, t), a * b - 8 * c / 3),
        ],
        {"initial": [Eq(a, 1), Eq(b, 1), Eq(c, 1)]},
    ),
    "an initial value problem in x": Problem(
        line, Eq(diff(f, x, 2), -f), {"left": [Eq(f, 0), Eq(diff(f, x), 1)]}
    ),
    "wave": Problem(
        strip,
        Eq(diff(w, t, 2), diff(w, x, 2)),
        start | {"initial": [Eq(w, sin(pi * x)), Eq(diff(w, t), 0)]},
    ),
    "korteweg-de vries": Problem(
        strip,
        Eq(diff(w, t) + w * diff(w, x) + diff(w, x, 3), 0),
        {"initial": Eq(w, 0), "left": Eq(w, 0), "right": [Eq(w, 0), Eq(diff(w, x), 0)]},
    ),
    "transport": Problem(
        strip, Eq(diff(w, t) + diff(w, x), 0), {"initial": Eq(w, 0), "left": Eq(w, sin(t))}
    ),
    "kuramoto-sivashinsky": Problem(
        ring,
        Eq(diff(w, t) + w * diff(w, x) + diff(w, x, 2) + diff(w, x, 4), 0),
        {"initial": Eq(w, sin(pi * x))},
    ),
    "clamped plate": Problem(
        square,
        Eq(laplacian(laplacian(plate)), 1),
        {"boundary": [Eq(plate, 0), Eq(normal_derivative(plate), 0)]},
    ),
    "poisson with mixed conditions": Problem(
        hole,
        Poisson((x, y), source=1, unknown=u),
        {
            ("left", "right"): Eq(u, 0),
            ("bottom", "top"): Eq(normal_derivative(u), 0),
            "hole": Eq(normal_derivative(u), -u),
        },
    ),
    "heat with convection": Problem(
        square.over(t, 0, 1),
        unsteady,
        {
            "initial": Eq(unsteady.temperature, 0),
            ("left", "right"): unsteady.insulated(),
            ("bottom", "top"): unsteady.convection(3, ambient=20),
        },
    ),
    "slip": Problem(
        square,
        flow,
        {
            ("left", "right"): flow.no_slip(),
            ("bottom", "top"): [
                Eq(flow.velocity[1], 0),
                Eq(normal_derivative(flow.velocity[0]), 0),
            ],
        },
    ),
    "unsteady flow in a box": Problem(
        box,
        flow3,
        {"initial": Eq(flow3.velocity, 0), tuple(box.space.parts): flow3.no_slip()},
    ),
    "polar coordinates at the axis": Problem(
        geo.Interval(0, 1), Eq(x * diff(f, x, 2) + diff(f, x), -x), {"right": Eq(f, 0)}
    ),
    "special functions": Problem(
        line,
        Eq(diff(f, x, 2), sum(g(x + sympy.Rational(1, 2)) for g in SPECIAL)),
        {("left", "right"): Eq(f, sympy.erf(x))},
    ),
    "anisotropic diffusion": Problem(
        square, Eq(diff(u, x, 2) + diff(u, x, y) + diff(u, y, 2), 1), walls
    ),
    "helmholtz": Problem(square, Eq(laplacian(u) + 100 * u, 1), walls),
    "terminal value": Problem(
        strip,
        Eq(diff(w, t) + diff(w, x, 2), diff(w, x) ** 2),
        {"final": Eq(w, 0), ("left", "right"): Eq(w, 0)},
    ),
    "balanced fluxes": Problem(
        square,
        Eq(-div((1 + x) * grad(u)), -1),
        {
            "right": Eq((1 + x) * diff(u, x), 1),
            ("left", "bottom", "top"): Eq((1 + x) * normal_derivative(u), 0),
            geo.Point(0, 0): Eq(u, 0),
        },
    ),
}
