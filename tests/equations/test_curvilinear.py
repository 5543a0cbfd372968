"""Vector calculus in curvilinear coordinates, against transformed Cartesian expressions."""

import numpy as np
import pytest
import sympy
from sympy import cos, sin

import geometry as geo
from equations import (
    Eq,
    Problem,
    advect,
    compile_expressions,
    coordinates,
    curl,
    div,
    field,
    grad,
    integral,
    laplacian,
    normal_derivative,
    strain,
    trace,
    vector_field,
)

X, Y, Z = sympy.symbols("X Y Z", real=True)
CARTESIAN = (X, Y, Z)
SCALAR = X**2 * Y + Z * X - Y**3
VECTOR = (X * Y + Z**2, X**2 - Y * Z, X * Z + Y**2)


def polar():
    r, theta = coordinates("r theta", system="polar")
    return (r, theta), (r * cos(theta), r * sin(theta))


def cylindrical():
    r, theta, z = coordinates("r theta z", system="cylindrical")
    return (r, theta, z), (r * cos(theta), r * sin(theta), z)


def spherical():
    r, theta, phi = coordinates("r theta phi", system="spherical")
    radius = r * sin(theta)
    return (r, theta, phi), (radius * cos(phi), radius * sin(phi), r * cos(theta))


def elliptic():
    """Confocal ellipses: both scale factors are sqrt(sinh² a + sin² b)."""
    factor = lambda a, b: (sympy.sqrt(sympy.sinh(a) ** 2 + sin(b) ** 2),) * 2  # noqa: E731
    a, b = coordinates("a b", scales=factor)
    return (a, b), (sympy.cosh(a) * cos(b), sympy.sinh(a) * sin(b))


SYSTEMS = {f.__name__: f for f in (polar, cylindrical, spherical, elliptic)}


class Setting:
    """A system, with fields of Cartesian origin in its physical components."""

    def __init__(self, name):
        self.q, self.place = SYSTEMS[name]()
        self.d = len(self.q)
        self.x = CARTESIAN[: self.d]
        drop = {Z: 0} if self.d == 2 else {}
        jacobian = sympy.Matrix(self.place).jacobian(self.q)
        lengths = [sympy.sqrt(sum(c**2 for c in jacobian[:, i])) for i in range(self.d)]
        self.units = sympy.Matrix.hstack(*(jacobian[:, i] / lengths[i] for i in range(self.d)))
        self.scalar = SCALAR.subs(drop)
        self.vector = sympy.Matrix([c.subs(drop) for c in VECTOR[: self.d]])
        self.there = dict(zip(self.x, self.place, strict=True))

    def physical(self, vector):
        """Cartesian components as those along the unit vectors."""
        return self.units.T * sympy.Matrix(vector).subs(self.there, simultaneous=True)

    def tensor(self, matrix):
        return self.units.T * sympy.Matrix(matrix).subs(self.there, simultaneous=True) * self.units

    def numbers(self, expressions):
        flat = list(expressions) if isinstance(expressions, sympy.MatrixBase) else [expressions]
        points = np.random.default_rng(0).uniform(0.4, 1.2, (5, self.d))
        compiled = sympy.lambdify(self.q, flat, "numpy")
        return np.stack([np.broadcast_to(v, 5) for v in compiled(*points.T)])

    def check(self, ours, cartesian):
        # rounding of expressions with some hundred terms of order one
        np.testing.assert_allclose(self.numbers(ours), self.numbers(cartesian), atol=1e-11)


@pytest.fixture(params=SYSTEMS)
def setting(request):
    return Setting(request.param)


def of(setting, operator, *arguments):
    """An operator applied to fields, with their expressions put in afterwards."""
    u, v = field("u", *setting.q), vector_field("v", *setting.q)
    result = operator(u, v)
    values = {u: setting.scalar.subs(setting.there, simultaneous=True)}
    values |= dict(zip(v, setting.physical(setting.vector), strict=True))
    if isinstance(result, sympy.MatrixBase):
        return result.applyfunc(lambda e: e.doit().subs(values).doit())
    return result.doit().subs(values).doit()


def test_the_gradient_is_that_of_cartesian_coordinates(setting):
    slope = [sympy.diff(setting.scalar, x) for x in setting.x]
    setting.check(of(setting, lambda u, v: grad(u)), setting.physical(slope))


def test_the_gradient_of_a_vector_is_the_transformed_jacobian(setting):
    jacobian = setting.vector.jacobian(setting.x)
    setting.check(of(setting, lambda u, v: grad(v)), setting.tensor(jacobian))


def test_the_divergence_and_the_laplacian_are_those_of_cartesian_coordinates(setting):
    own = sum(sympy.diff(c, x) for c, x in zip(setting.vector, setting.x, strict=True))
    setting.check(of(setting, lambda u, v: div(v)), own.subs(setting.there, simultaneous=True))
    own = sum(sympy.diff(setting.scalar, x, 2) for x in setting.x)
    setting.check(
        of(setting, lambda u, v: laplacian(u)), own.subs(setting.there, simultaneous=True)
    )


def test_the_laplacian_of_a_vector_is_that_of_its_cartesian_components(setting):
    own = [sum(sympy.diff(c, x, 2) for x in setting.x) for c in setting.vector]
    setting.check(of(setting, lambda u, v: laplacian(v)), setting.physical(own))


def test_the_divergence_of_a_tensor_is_that_of_cartesian_coordinates(setting):
    jacobian = setting.vector.jacobian(setting.x)  # not symmetric: rows and columns are told apart
    own = [
        sum(sympy.diff(jacobian[i, j], x) for j, x in enumerate(setting.x))
        for i in range(setting.d)
    ]
    setting.check(of(setting, lambda u, v: div(grad(v))), setting.physical(own))


def test_advection_of_a_vector_is_that_of_cartesian_coordinates(setting):
    own = setting.vector.jacobian(setting.x) * setting.vector
    setting.check(of(setting, lambda u, v: advect(v, v)), setting.physical(own))


def test_the_curl_is_that_of_cartesian_coordinates(setting):
    v, d = setting.vector, sympy.diff
    if setting.d == 2:
        own = (d(v[1], X) - d(v[0], Y)).subs(setting.there, simultaneous=True)
    else:
        own = setting.physical(
            [d(v[2], Y) - d(v[1], Z), d(v[0], Z) - d(v[2], X), d(v[1], X) - d(v[0], Y)]
        )
    setting.check(of(setting, lambda u, v: curl(v)), own)


def test_a_coordinate_on_which_nothing_depends_may_be_left_out():
    """Axial symmetry: the operators of the full system, for fields that do not depend on theta."""
    r, z = coordinates("r z", system="cylindrical")
    full = coordinates("r theta z", system="cylindrical")
    a, b = r**2 * z, sin(r) + z**2 * r
    whole = (full[0] ** 2 * full[2], sympy.S.Zero, sin(full[0]) + full[2] ** 2 * full[0])
    to = dict(zip((r, z), (full[0], full[2]), strict=True))
    for ours, theirs in [
        (laplacian((a, b), (r, z)), [laplacian(whole, full)[i] for i in (0, 2)]),
        (div((a, b), (r, z)), [div(whole, full)]),
        (curl((a, b), (r, z)), [curl(whole, full)[1]]),
        (strain((a, b), (r, z)), strain(whole, full)),
        (advect((a, b), (a, b)), [advect(whole, whole, full)[i] for i in (0, 2)]),
    ]:
        pairs = zip(ours if hasattr(ours, "shape") else [ours], theirs, strict=True)
        for mine, other in pairs:
            assert sympy.simplify(mine.doit().xreplace(to) - other.doit()) == 0


def test_one_over_r_is_harmonic_and_trace_of_the_gradient_is_the_divergence():
    r = coordinates("r", system="spherical")
    assert sympy.simplify(laplacian(1 / r, (r,)).doit()) == 0
    v = [r**3]
    assert sympy.simplify(trace(grad(v, (r,))) - div(v, (r,)).doit()) == 0


def test_integrals_over_a_domain_are_of_the_space_that_it_stands_for():
    r, theta, phi = coordinates("r theta phi", system="spherical")
    ball = geo.Box((0, 0, 0), (1, sympy.pi, 2 * sympy.pi), axes=("r", "theta", "phi"))
    radius = coordinates("r", system="spherical")
    shell = geo.Interval(0, 1, axes=("r",))
    for symbol, space, domain in [(r, (r, theta, phi), ball), (radius, (radius,), shell)]:
        compiled = compile_expressions([integral(symbol**2)], space, domain=domain)
        values = compiled.values(None, np.full((1, len(space)), 0.5))
        (found,) = compiled(np.full((1, len(space)), 0.5), values)
        np.testing.assert_allclose(found, 4 * np.pi / 5, rtol=1e-9)  # Gauss, of sin(theta)


def test_the_normal_derivative_is_per_length():
    r, theta = coordinates("r theta", system="polar")
    u = field("u", r, theta)
    wedge = geo.Rectangle((1, 0), (2, 1), axes=("r", "theta"))
    compiled = compile_expressions([normal_derivative(u)], (r, theta))
    sample = wedge["top"].sample(5, key=0)
    slopes = {(1, 0): 3.0, (0, 1): 5.0}  # du/dr, du/dtheta
    values = [np.full(5, slopes[f.terms[0][0]]) for f in compiled.functionals]
    (found,) = compiled(np.asarray(sample.points), values, None, np.asarray(sample.normals))
    np.testing.assert_allclose(found, 5 / sample.points[:, 0], rtol=1e-6)  # float32 where it is off


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: coordinates("r", system="toroidal"), "one of 'polar'"),
        (lambda: coordinates("r theta z", system="polar"), "up to 2 coordinates"),
        (lambda: coordinates("x y", system="cartesian"), "leave it out"),
        (lambda: coordinates("a b", scales=lambda a, b: (1,)), "one factor, not zero"),
        (lambda: coordinates("a b", system="polar", scales=lambda a, b: (1, a)), "not both"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_problem_in_polar_coordinates_has_the_residual_of_its_cartesian_solution():
    import jax.numpy as jnp

    r, theta = coordinates("r theta", system="polar")
    u = field("u", r, theta)
    domain = geo.Rectangle((1, 0), (2, 1), axes=("r", "theta"))
    problem = Problem(domain, Eq(laplacian(u), 0), {"boundary": Eq(u, r**2 * cos(2 * theta))})
    assert not problem.check().errors
    exact = {u: lambda q: q[0] ** 2 * jnp.cos(2 * q[1])}
    points = np.asarray(domain.sample_interior(10, key=0).points)
    assert np.max(np.abs(problem.residual(exact, points))) < 1e-12  # rounding
