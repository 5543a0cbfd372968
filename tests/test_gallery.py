"""The statements that people write: each builds, is sound, has residuals, and trains a little.

What a training reaches is measured elsewhere; here a few steps show that every term of a statement
gets through the compiled step. All but three kinds of nonlocal statements train in the slow tests.
"""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import science as sci
from diffcore import data, nn, optim, train
from diffcore.nn import MLP
from diffcore.optim import adam
from science import (
    PINN,
    Data,
    Disk,
    Eq,
    Gaussian,
    I,
    Integral,
    Interval,
    KirchhoffPlate,
    LinearElasticity,
    Mesh,
    Min,
    NavierStokes,
    Phase,
    Point,
    Problem,
    Rectangle,
    Regions,
    Time,
    call,
    coordinates,
    cosh,
    diff,
    div,
    dot,
    eigenvalue,
    exp,
    field,
    fields,
    grad,
    integral,
    jump,
    laplacian,
    log,
    mean,
    normal_derivative,
    parameter,
    periodic,
    pi,
    piecewise,
    sin,
    solve,
)

x, y, t, s = coordinates("x y t s")
TINY = PINN(width=6, depth=2, points=32, boundary_points=8, phases=(Phase("Adam", adam(1e-3), 4),))


def own_equation():
    u = field("u", x, t)
    return Problem(
        domain=Interval(-1, 1).over(t, 0, 1),
        equations=Eq(diff(u, t) + u * diff(u, x), 0.01 / pi * diff(u, x, 2)),
        conditions={"initial": Eq(u, -sin(pi * x)), ("left", "right"): Eq(u, 0)},
    )


def cavity():
    flow = NavierStokes((x, y), viscosity=0.01)
    return Problem(
        domain=Rectangle((0, 0), (1, 1)),
        equations=flow,
        conditions={
            "top": Eq(flow.velocity, (1, 0)),
            ("left", "right", "bottom"): Eq(flow.velocity, (0, 0)),
            Point(0.5, 0.5): Eq(flow.pressure, 0),
        },
    )


def cylinder():
    channel = Rectangle((0, 0), (2.2, 0.41)) - Disk((0.2, 0.2), 0.05, name="cylinder")
    flow = NavierStokes((x, y), viscosity=1e-3)
    u, v = flow.velocity
    return Problem(
        domain=channel,
        equations=flow,
        conditions={
            channel["left"]: [Eq(u, 1.2 * y * (0.41 - y) / 0.41**2), Eq(v, 0)],
            channel["bottom", "top", "cylinder"]: [Eq(u, 0), Eq(v, 0)],
            channel["right"]: flow.traction_free(),
        },
    )


def unknown_conductivity():
    u, k = field("u", x), field("k", x, positive=True)
    positions = np.linspace(0.05, 0.95, 60)
    readings = positions + 0.01 * np.sin(50 * positions)
    return Problem(
        domain=Interval(0, 1),
        equations=Eq(-div(k * grad(u)), x),
        conditions={"left": [Eq(u, 0), Eq(k, 1)], "right": Eq(u, 1)},
        data=Data(positions, {u: readings}, noise=0.01),
    )


def number_to_identify():
    u, nu = field("u", x, t), parameter("nu", initial=0.1, positive=True)
    return Problem(
        domain=Interval(0, 1).over(t, 0, 1),
        equations=Eq(diff(u, t), nu * diff(u, x, 2)),
        conditions={"initial": Eq(u, sin(pi * x)), ("left", "right"): Eq(u, 0)},
        data=Data([[0.5, 0.2], [0.5, 0.5]], {u: [0.8, 0.6]}, noise=0.01),
    )


def family():
    Re = parameter("Re", between=(50, 200))
    flow = NavierStokes((x, y), viscosity=1 / Re)
    walls = {"top": Eq(flow.velocity, (1, 0)), ("left", "right", "bottom"): Eq(flow.velocity, 0)}
    return Problem(
        Rectangle((0, 0), (1, 1)), flow, {**walls, Point(0.5, 0.5): Eq(flow.pressure, 0)}
    )


def complex_and_periodic():
    h = field("h", x, t, complex=True)
    return Problem(
        domain=Interval(-5, 5).periodic("x").over(t, 0, pi / 2),
        equations=Eq(I * diff(h, t) + diff(h, x, 2) / 2 + abs(h) ** 2 * h, 0),
        conditions={"initial": Eq(h, 2 / cosh(x))},
    )


def eigenvalues():
    u, lam = field("u", x, y), eigenvalue("lambda")
    ell = Rectangle((-1, -1), (1, 1)) - Rectangle((0, -1), (1, 0), name="cut")
    return Problem(ell, Eq(-laplacian(u), lam * u), {"boundary": Eq(u, 0)})


def one_eigenvalue():
    """The same with a size of the solution, as methods need that find one pair at a time."""
    problem, u = eigenvalues(), field("u", x, y)
    return problem.replace(conditions={"boundary": Eq(u, 0), "domain": Eq(mean(u**2), 1)})


def plate():
    square = Rectangle((0, 0), (1, 1))
    law = KirchhoffPlate((x, y), stiffness=1, load=1, poisson_ratio=0.3)
    edges = {"left": law.clamped(), ("right", "top", "bottom"): law.simply_supported()}
    return Problem(square, law, edges)


def two_materials():
    u, core = field("u", x, y), Disk((0, 0), 0.5, name="core")
    domain = Regions(core=core, shell=Disk((0, 0), 1, name="rim") - core)
    k = piecewise(domain, core=10, shell=1)
    return Problem(domain, Eq(-div(k * grad(u)), 1), {"rim": Eq(u, 0)})


def stated_interface():
    """The flux through the interface stated, in place of implied by the divergence."""
    problem, u = two_materials(), field("u", x, y)
    k = piecewise(problem.domain, core=10, shell=1)
    continuous = Eq(jump(k * normal_derivative(u)), 0)
    return problem.replace(conditions={"rim": Eq(u, 0), problem.domain["core|shell"]: continuous})


def moving_body():
    u = field("u", x, y, t)
    tank = Rectangle((0, 0), (4, 1)).over(t, 0, 1)
    domain = tank - Disk((1 + t, 0.5), 0.1, name="body").over(t, 0, 1)
    walls = ("left", "right", "top", "bottom")
    return Problem(
        domain,
        Eq(diff(u, t), laplacian(u)),
        {"initial": Eq(u, 0), walls: Eq(u, 0), "body": Eq(u, t)},
    )


def ode_system():
    X, Y, Z = fields("X Y Z", t)
    lorenz = [
        Eq(diff(X, t), 10 * (Y - X)),
        Eq(diff(Y, t), X * (28 - Z) - Y),
        Eq(diff(Z, t), X * Y - 8 * Z / 3),
    ]
    return Problem(Time(0, 3), lorenz, {"initial": [Eq(X, 1), Eq(Y, 1), Eq(Z, 1)]})


def integral_equation():
    u = field("u", x)
    memory = Integral(exp(s - x) * u.subs(x, s), (s, 0, x))
    return Problem(Interval(0, 5), Eq(diff(u, x) + u, memory), {"left": Eq(u, 1)})


def many_dimensions(size=100):
    X = coordinates("x", size=size)
    u = field("u", X, t)
    return Problem(
        domain=Gaussian(mean=0, deviation=1, size=size).over(t, 0, 1),
        equations=Eq(diff(u, t) + laplacian(u) - dot(grad(u), grad(u)), 0),
        conditions={"final": Eq(u, log((1 + dot(X, X)) / 2))},
    )


def fractional():
    u = field("u", x)
    equation = Eq(sci.fractional_laplacian(u, 1.5, (x, -1, 1)), 2.3263 * (1 - 2.5 * x**2))
    return Problem(Interval(-1, 1), equation, {("left", "right"): Eq(u, 0)})


def memory_and_delay():
    u = field("u", t)
    equation = Eq(sci.Caputo(u, t, 0.5), -sci.delayed(u, t, 0.5, history=1))
    return Problem(Time(0, 1), equation, {"initial": Eq(u, 1)})


def obstacle():
    u = field("u", x)
    psi = 0.3 - (x - 0.5) ** 2
    return Problem(
        Interval(0, 1),
        Eq(Min(-diff(u, x, 2), u - psi), 0),
        {("left", "right"): Eq(u, 0), "domain": u >= psi},
    )


def flow_rate_and_gauge():
    flow = NavierStokes((x, y), viscosity=0.1)
    u, _ = flow.velocity
    return Problem(
        Rectangle((0, 0), (2, 1)),
        flow,
        {
            ("top", "bottom"): Eq(flow.velocity, 0),
            "left": [Eq(diff(u, x), 0), Eq(flow.velocity[1], 0)],
            "right": flow.traction_free(),
            "domain": Eq(integral(u, over="left"), 1),
        },
    )


def periodic_ends():
    u = field("u", x)
    return Problem(
        Interval(0, 1),
        Eq(diff(u, x, 2) - u, sin(2 * pi * x)),
        {"left": periodic(u, x, 1)},
    )


def learned_law():
    u = field("u", x)
    law = MLP(1, 1, width=4, depth=1, key=jax.random.key(0))
    flux = call(law, diff(u, x), name="flux")
    return Problem(Interval(0, 1), Eq(diff(u, x, 2) + flux, x), {("left", "right"): Eq(u, 0)})


STATEMENTS = [
    own_equation, cavity, cylinder, unknown_conductivity, number_to_identify, family,
    complex_and_periodic, eigenvalues, one_eigenvalue, plate, two_materials,
    stated_interface, moving_body, ode_system, integral_equation, fractional,
    memory_and_delay, obstacle, flow_rate_and_gauge, periodic_ends, learned_law,
]  # fmt: skip


@pytest.fixture(scope="module", params=STATEMENTS, ids=lambda make: make.__name__)
def problem(request):
    return request.param()


def smooth(f):
    """A field's stand-in of its own."""
    shift = len(str(f))
    if f.is_real:
        return lambda p: 1 + 0.1 * jnp.sin(jnp.sum(p) + shift)
    return lambda p: jnp.exp(1j * jnp.sum(p) + shift)


def test_the_statement_is_sound_and_has_residuals(problem):
    assert not problem.check().errors, str(problem.check())
    points = np.asarray(problem.domain.sample_interior(4, key=0).points)
    values = {p.name: p.initial or p.between[0] for p in problem.parameters}
    residual = problem.residual({f: smooth(f) for f in problem.fields}, points, values)
    assert residual.shape == (len(points), len(problem.residuals)) and np.isfinite(residual).all()


QUICK = (integral_equation, memory_and_delay, periodic_ends)
TRAININGS = [
    pytest.param(make, marks=[] if make in QUICK else pytest.mark.slow, id=make.__name__)
    for make in STATEMENTS
]


@pytest.mark.parametrize("make", TRAININGS)
def test_the_statement_trains_or_is_refused_in_words(make):
    problem = make()
    reasons = TINY.reasons_against(problem)
    if reasons:
        assert make in (family, eigenvalues) and all(len(r) > 10 for r in reasons)
        return
    solution = solve(problem, TINY)
    assert np.isfinite(solution.history["loss"]).all()
    points = np.asarray(problem.domain.sample_interior(2, key=1).points)
    assert np.isfinite(solution(problem.fields[0], points)).all()


def test_a_statement_in_a_hundred_dimensions_has_its_exact_residual():
    """u = |x|²: u_t + Δu - |∇u|² = 200 - 4 |x|²."""
    problem = many_dimensions()
    points = np.asarray(problem.domain.sample_interior(4, key=0).points)
    (u,) = problem.fields
    residual = problem.residual({u: lambda p: jnp.sum(p[:-1] ** 2)}, points)
    expected = 200 - 4 * np.sum(points[:, :-1] ** 2, axis=1)
    np.testing.assert_allclose(residual[:, 0], expected, rtol=1e-12)  # rounding
    assert not problem.check().errors


def test_a_mesh_with_groups_carries_a_law_of_solids():
    """GALLERY 15 in the plane: groups of the file are places of conditions."""
    part = Mesh(Path(__file__).parent / "geometry" / "data" / "plate_hole_v41_ascii.msh")
    steel = LinearElasticity((x, y), young=210e9, poisson_ratio=0.3)
    ends = {"left": Eq(steel.displacement, 0), "right": steel.traction((1e6, 0))}
    free = tuple(name for name in part.parts if name not in ends)
    problem = Problem(part, steel, {**ends, free: steel.traction((0, 0))})
    assert not problem.check().errors
    points = np.asarray(part.sample_interior(4, key=0).points)
    still = {f: lambda p: 0 * p[0] for f in problem.fields}
    assert np.all(problem.residual(still, points) == 0)


def test_an_ordinary_network_trains():
    key, noise = jax.random.key(0), np.random.default_rng(0)
    labels = np.arange(600) % 10
    images = noise.normal(size=(10, 1, 8, 8))[labels] + 0.5 * noise.normal(size=(600, 1, 8, 8))
    held_out = data.arrays(images[500:], labels[500:]).batch(50)
    layers = [nn.Conv2d(1, 16, 3, padding=1), nn.relu, nn.MaxPool2d(2), nn.Flatten()]
    model = nn.Sequential([*layers, nn.Linear(256, 10)], key=key)
    trainer = train.Trainer(
        model, loss=nn.cross_entropy, optimizer=optim.adam(1e-3), metrics=[train.accuracy]
    )
    batches = data.arrays(images[:500], labels[:500]).shuffle(key).batch(64)
    trainer.fit(batches, epochs=10, validation=held_out)
    assert trainer.evaluate(held_out)["accuracy"] > 0.95
    assert trainer.predict(images[:8]).shape == (8, 10)
