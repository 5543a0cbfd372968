"""Every law, in every dimension: an exact solution leaves no residual, and the residual of any
other field is what SymPy computes by itself."""

import jax.numpy as jnp
import matplotlib.mathtext
import numpy as np
import pytest
import sympy
from sympy import cos, exp, log, pi, sin, sqrt, tanh

import geometry as geo
from equations import (
    Burgers,
    Heat,
    NavierStokes,
    Poisson,
    Problem,
    compile_expressions,
    coordinates,
    field,
    normal,
)
from equations.laws.law import Law

x, y, z, t = coordinates("x y z t")


def kovasznay(law):
    # L. I. G. Kovasznay, Laminar flow behind a two-dimensional grid (1948), Re = 40
    lam = 20 - sqrt(400 + 4 * pi**2)
    u = 1 - exp(lam * x) * cos(2 * pi * y)
    v = lam / (2 * pi) * exp(lam * x) * sin(2 * pi * y)
    return dict(zip((*law.velocity, law.pressure), (u, v, (1 - exp(2 * lam * x)) / 2), strict=True))


def taylor_green(law, nu=0.1):
    # G. I. Taylor and A. E. Green (1937), in two dimensions
    decay = exp(-2 * nu * t)
    u, v = cos(x) * sin(y) * decay, -sin(x) * cos(y) * decay
    p = -(cos(2 * x) + cos(2 * y)) / 4 * decay**2
    return dict(zip((*law.velocity, law.pressure), (u, v, p), strict=True))


def beltrami(law, nu=0.5):
    # C. R. Ethier and D. A. Steinman, Exact fully 3D Navier-Stokes solutions (1994), equations 1-2
    a, d = pi / 4, pi / 2
    decay = exp(-(d**2) * nu * t)

    def component(q, r, s):
        return -a * (exp(a * q) * sin(a * r + d * s) + exp(a * s) * cos(a * q + d * r)) * decay

    def pair(q, r, s):
        return 2 * sin(a * q + d * r) * cos(a * s + d * q) * exp(a * (r + s))

    turns = ((x, y, z), (y, z, x), (z, x, y))
    p = -(a**2) / 2 * sum(exp(2 * a * q) + pair(q, r, s) for q, r, s in turns) * decay**2
    velocity = (component(*turn) for turn in turns)
    return dict(zip((*law.velocity, law.pressure), (*velocity, p), strict=True))


def flow(law, *values):
    return dict(zip((*law.velocity, law.pressure), map(sympy.sympify, values), strict=True))


def wave(s, nu=0.2, speed=0.5, height=0.7):
    """A travelling front of Burgers' equation along s."""
    return speed - height * tanh(height * (s - speed * t) / (2 * nu))


def along(law, direction):
    s = sum(n * c for n, c in zip(direction, (x, y, z), strict=False))
    return {c: n * wave(s) for c, n in zip(law.velocity, direction, strict=True)}


def cases():
    line, square = geo.Interval(0, 1), geo.Rectangle((0, 0), (1, 1))
    cube = geo.Box((0, 0, 0), (1, 1, 1))
    s3 = sin(x) * sin(2 * y) * sin(3 * z)
    u3 = sympy.Rational(1, 7)
    k = 1 + x
    yield (
        "poisson 1-D",
        line,
        Poisson(x, source=pi**2 * sin(pi * x)),
        lambda w: {w.unknown: sin(pi * x)},
    )
    yield (
        "poisson 2-D, conductivity 1 + x",
        square,
        Poisson((x, y), source=-2 * x * y - 2 * y * k, conductivity=k),
        lambda w: {w.unknown: x**2 * y},
    )
    yield "poisson 3-D", cube, Poisson((x, y, z), source=14 * s3), lambda w: {w.unknown: s3}
    yield "heat steady", line, Heat(x, conductivity=k), lambda w: {w.temperature: log(k)}
    yield (
        "heat 1-D",
        line.over(t, 0, 1),
        Heat((x, t), conductivity=3, heat_capacity=2),
        lambda w: {w.temperature: exp(-1.5 * pi**2 * t) * sin(pi * x)},
    )
    yield (
        "heat 2-D with a source",
        square.over(t, 0, 1),
        Heat((x, y, t), source=x**2 + x * y - 2 * t),
        lambda w: {w.temperature: t * (x**2 + x * y)},
    )
    yield (
        "burgers 1-D",
        line.over(t, 0, 1),
        Burgers((x, t), viscosity=0.2),
        lambda w: {w.velocity: wave(x)},
    )
    yield (
        "burgers 2-D",
        square.over(t, 0, 1),
        Burgers((x, y, t), viscosity=0.2),
        lambda w: along(w, (sympy.Rational(3, 5), sympy.Rational(4, 5))),
    )
    yield (
        "burgers 3-D",
        cube.over(t, 0, 1),
        Burgers((x, y, z, t), viscosity=0.2),
        lambda w: along(w, (2 * u3, 3 * u3, 6 * u3)),
    )
    yield "navier-stokes 2-D", square, NavierStokes((x, y), viscosity=1 / 40), kovasznay
    yield (
        "navier-stokes 2-D unsteady",
        square.over(t, 0, 1),
        NavierStokes((x, y, t), viscosity=0.1),
        taylor_green,
    )
    yield (
        "navier-stokes 3-D",
        cube,
        NavierStokes((x, y, z), viscosity=0.1),
        lambda w: flow(w, 0, 0, 1 - x**2 - y**2, -0.4 * z),
    )
    yield (
        "navier-stokes 3-D unsteady",
        cube.over(t, 0, 1),
        NavierStokes((x, y, z, t), viscosity=0.5),
        beltrami,
    )
    yield (
        "navier-stokes, viscosity 1 + y",
        square,
        NavierStokes((x, y), viscosity=1 + y),
        lambda w: flow(w, log(1 + y), 0, 0),
    )
    yield (
        "navier-stokes at rest under gravity",
        square,
        NavierStokes((x, y), viscosity=0.1, density=2, force=(0, -2 * 9.81)),
        lambda w: flow(w, 0, 0, -2 * 9.81 * y),
    )


CASES = {name: (Problem(domain, law), law, exact(law)) for name, domain, law, exact in cases()}


def as_functions(values):
    """`{u: expression}` as JAX functions of a point in the order of the field's arguments."""

    def function(u, expression):
        compiled = sympy.lambdify(u.args, expression, modules="jax")
        return lambda point: compiled(*point) + 0 * point[0]

    return {u: function(u, expression) for u, expression in values.items()}


def by_sympy(problem, values, points):
    """The residuals with the fields replaced in SymPy itself."""
    replaced = [r.doit().subs(values).doit() for r in problem.residuals]
    compiled = sympy.lambdify(problem.coordinates, replaced, modules="numpy")
    columns = compiled(*points.T)
    return np.stack([np.broadcast_to(c, len(points)) for c in columns], axis=-1)


def sample(problem, n=7):
    return problem.domain.sample_interior(n, key=0, sampler="random").points


@pytest.mark.parametrize("name", CASES)
def test_exact_solutions_leave_no_residual(name):
    problem, _, exact = CASES[name]
    residual = problem.residual(as_functions(exact), sample(problem))
    assert residual.shape == (7, len(problem.residuals))
    assert np.abs(residual).max() < 1e-11  # rounding of terms of size up to 1e3


@pytest.mark.parametrize("name", CASES)
def test_residuals_of_other_fields_agree_with_sympy(name):
    problem, _, exact = CASES[name]
    points = sample(problem)
    ramp = sum(problem.coordinates)
    other = {u: e + sin(ramp + i) * exp(-(ramp**2)) for i, (u, e) in enumerate(exact.items())}
    residual = problem.residual(as_functions(other), points)
    expected = by_sympy(problem, other, points)
    assert np.abs(expected).max() > 1e-2
    np.testing.assert_allclose(residual, expected, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("name", CASES)
def test_laws_are_laws_with_as_many_equations_as_unknowns(name):
    problem, law, exact = CASES[name]
    assert isinstance(law, Law) and problem.law is law
    assert len(problem.residuals) == len(problem.fields) == len(exact)
    assert law == type(law)(**{f: getattr(law, f) for f in law.__dataclass_fields__})


@pytest.mark.parametrize("name", CASES)
def test_laws_print_as_latex_that_mathtext_reads(name):
    parser = matplotlib.mathtext.MathTextParser("path")
    for equation in CASES[name][1].equations:
        parser.parse(f"${plain(sympy.latex(equation))}$")


def plain(latex):
    """Columns written in a line, for mathtext has no matrices."""
    latex = latex.replace(r"\begin{pmatrix}", "(").replace(r"\end{pmatrix}", ")")
    return latex.replace(r"\\", ",")


def values_of(expressions, fields, points, normals=None, variables=(x, y)):
    """Expressions of given fields at points, by SymPy."""
    replaced = [sympy.sympify(e).subs(fields).doit() for e in expressions]
    along = np.zeros_like(points) if normals is None else normals
    compiled = sympy.lambdify((*variables, *normal(variables)), replaced, modules="numpy")
    return [np.broadcast_to(v, len(points)) for v in compiled(*points.T, *along.T)]


def test_vorticity_and_speed_of_a_rigid_rotation():
    law = NavierStokes((x, y), viscosity=1)
    fields = flow(law, -y, x, 0)
    points = np.array([[0.3, 0.4], [1.0, 0.0]])
    speed, vorticity = values_of([law.speed, law.vorticity], fields, points)
    np.testing.assert_allclose(speed, [0.5, 1.0])
    np.testing.assert_allclose(vorticity, 2)


def test_vorticity_in_space_is_the_curl():
    law = NavierStokes((x, y, z), viscosity=1)
    curl = [sympy.sympify(c).subs(flow(law, y * z, 0, 0, 0)).doit() for c in law.vorticity]
    assert curl == [0, y, -z]


def test_traction_of_a_resting_fluid_is_its_pressure_outward():
    law = NavierStokes((x, y), viscosity=1)
    n = np.array([[0.6, 0.8]])
    force = values_of(law.traction, flow(law, 0, 0, 3), np.zeros((1, 2)), n)
    np.testing.assert_allclose(np.ravel(force), [1.8, 2.4])


def test_shear_drags_the_wall_along():
    law = NavierStokes((x, y), viscosity=0.5, density=2)
    n = np.array([[0.0, -1.0]])  # the outward normal of the fluid at a wall below it
    force = values_of(law.traction, flow(law, y, 0, 0), np.zeros((1, 2)), n)
    np.testing.assert_allclose(np.ravel(force), [1.0, 0.0])


def test_poiseuille_flow_leaves_an_open_end_without_traction():
    law = NavierStokes((x, y), viscosity=1)
    ends = values_of(
        law.traction_free().residuals,
        flow(law, y * (1 - y), 0, 2 * (1 - x)),
        np.array([[1.0, 0.3]]),
        np.array([[1.0, 0.0]]),
    )
    np.testing.assert_allclose(np.ravel(ends), 0, atol=1e-14)


def test_conditions_of_heat_agree_with_its_flux():
    law = Heat((x, y), conductivity=3)
    n = normal((x, y))
    out = sum(a * b for a, b in zip(law.flux, n, strict=True))
    assert sympy.simplify(law.insulated().residuals[0] + out) == 0
    newton = law.convection(2, ambient=20).residuals[0]
    assert sympy.simplify(newton + out - 2 * (law.temperature - 20)) == 0


def test_natural_condition_of_poisson_is_its_flux():
    law = Poisson((x, y), conductivity=1 + x)
    out = sum(a * b for a, b in zip(law.flux, normal((x, y)), strict=True))
    assert sympy.simplify(law.insulated().residuals[0] + out) == 0


def test_a_law_takes_the_unknown_that_it_is_given():
    v = field("v", x, y)
    assert Poisson((x, y), unknown=v).unknown == v
    assert Heat((x, t), unknown=field("w", x, t)).temperature == field("w", x, t)


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: NavierStokes((x,), viscosity=1), ValueError, "2 or 3 space coordinates"),
        (lambda: Burgers((x,), viscosity=1), ValueError, "needs the time `t`"),
        (lambda: Poisson((x, t)), ValueError, "takes no time `t`"),
        (lambda: Heat((t,)), ValueError, "at least one spatial coordinate"),
        (lambda: Heat(("x", "t")), TypeError, "got 'x'"),
        (lambda: Poisson((x,), unknown=x), TypeError, "`Poisson(unknown=)`"),
        (lambda: NavierStokes((x, y), viscosity="1"), TypeError, "strings are not evaluated"),
        (lambda: NavierStokes((x, y), 1, force=(0, "1")), TypeError, "strings are not evaluated"),
        (lambda: Heat((x, t), source="1"), TypeError, "`Heat(source=)`"),
        (lambda: Heat((x, t)).convection("1", 0), TypeError, "`coefficient` needs an expression"),
        (lambda: Heat((x, t)).convection(1, "0"), TypeError, "`ambient` needs an expression"),
        (lambda: NavierStokes((x, y), viscosity=-1), ValueError, "`NavierStokes(viscosity=)`"),
        (lambda: NavierStokes((x, y), 1, density=-1), ValueError, "negative; got -1"),
        (lambda: Burgers((x, t), viscosity=-0.1), ValueError, "cannot be negative"),
        (lambda: Heat((x, t), conductivity=-2), ValueError, "cannot be negative"),
        (lambda: Heat((x, t), heat_capacity=-2), ValueError, "cannot be negative"),
        (lambda: Poisson((x, y), conductivity=-2), ValueError, "Change its sign"),
    ],
)
def test_refusals(make, kind, words):
    with pytest.raises(kind) as caught:
        make()
    assert words in str(caught.value)


def test_collapsed_and_single_derivatives_give_the_same_residuals():
    problem, _, exact = CASES["navier-stokes 2-D unsteady"]
    both = [
        compile_expressions(problem.residuals, problem.coordinates, collapse=collapse)
        for collapse in (True, False)
    ]
    assert len(both[0].functionals) < len(both[1].functionals)
    points = sample(problem)
    values = []
    for compiled in both:
        functionals = [f.expression() for f in compiled.functionals]
        numbers = [
            jnp.asarray(v) for v in values_of(functionals, exact, points, None, problem.coordinates)
        ]
        values.append(np.stack(compiled(points, numbers), axis=-1))
    np.testing.assert_allclose(*values, atol=1e-13)
