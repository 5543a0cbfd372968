"""Every law, in every dimension: an exact or manufactured solution leaves no residual, and the
residual of any other field is what SymPy computes by itself."""

import functools

import jax.numpy as jnp
import matplotlib.mathtext
import numpy as np
import pytest
import sympy

import equations
from equations import function_jets, spatial
from equations.laws.law import Law

from . import curved, flows, processes, solids, transport, waves
from .cases import as_functions, by_sympy, domain_of, some_fields

TABLES = (transport, flows, waves, solids, processes, curved)
CASES = {case.name: case for table in TABLES for case in table.cases()}
EACH_DIMENSION = {
    (type(case.law), len(spatial(case.law.coordinates))): name for name, case in CASES.items()
}.values()
NO_LAWS = {"Law", "MatchedLayer", "KEpsilon", "KOmega", "MixingLength"}
ELSEWHERE = {"Volterra", "FractionalPoisson"}  # in test_memory


def sample(problem, n=3):
    return jnp.asarray(problem.domain.sample_interior(n, key=0, sampler="random").points)


@functools.cache
def compiled(name):
    """The residuals of a case, compiled once for all tests."""
    problem = CASES[name].problem
    return problem.compile(problem.residuals)


@pytest.mark.parametrize("name", CASES)
def test_solutions_leave_no_residual(name):
    problem, exact = CASES[name].problem, CASES[name].exact
    points = sample(problem)
    if exact is None:
        exact = some_fields(problem.fields, shift=3)
        residual = problem.manufactured(exact).residual(as_functions(exact), points)
    else:
        jets = function_jets(as_functions(exact), problem.coordinates)
        values = jets(compiled(name).functionals, points)
        residual = np.stack(compiled(name)(points, values), axis=-1)
    assert residual.shape == (3, len(problem.residuals))
    assert np.abs(residual).max() < 1e-10  # rounding of terms of size up to 1e3


@pytest.mark.parametrize("name", EACH_DIMENSION)
def test_residuals_of_other_fields_agree_with_sympy(name):
    problem = CASES[name].problem
    points, other = sample(problem), some_fields(problem.fields)
    functionals = [f.expression() for f in compiled(name).functionals]
    values = by_sympy(functionals, other, problem.coordinates, points)
    residual = np.stack(compiled(name)(points, list(values.T)), axis=-1)
    expected = by_sympy(problem.residuals, other, problem.coordinates, points)
    assert np.abs(expected).max() > 1e-2
    np.testing.assert_allclose(residual, expected, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("name", CASES)
def test_laws_are_laws_with_as_many_equations_as_unknowns(name):
    law, problem = CASES[name].law, CASES[name].problem
    assert isinstance(law, Law) and problem.law is law
    assert len(problem.residuals) == len(problem.fields)
    assert set(problem.fields) == set(CASES[name].exact or problem.fields)
    assert law == type(law)(**{f: getattr(law, f) for f in law.__dataclass_fields__})


def test_every_law_is_in_the_tables():
    tested = {type(case.law).__name__ for case in CASES.values()}
    assert tested == set(equations.laws.__all__) - NO_LAWS - ELSEWHERE


@pytest.mark.parametrize("name", {type(c.law): n for n, c in CASES.items()}.values())
def test_laws_print_as_latex_that_mathtext_reads(name):
    parser = matplotlib.mathtext.MathTextParser("path")
    for equation in CASES[name].law.equations:
        parser.parse(f"${plain(sympy.latex(equation))}$")


def plain(latex):
    """Columns and cases written in a line, for mathtext has none."""
    for word in ("pmatrix", "matrix", "cases"):
        latex = latex.replace(rf"\begin{{{word}}}", "(").replace(rf"\end{{{word}}}", ")")
    for written, known in ((r"\\", ","), ("&", " "), (r"\text", r"\mathrm")):
        latex = latex.replace(written, known)
    return latex


x, y, t = equations.coordinates("x y t")
POLAR = r, _ = equations.coordinates("r theta", system="polar")
LAW = equations


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: LAW.NavierStokes((x,), viscosity=1), ValueError, "2 or 3 space coordinates"),
        (lambda: LAW.Burgers((x,), viscosity=1), ValueError, "needs the time `t`"),
        (lambda: LAW.Poisson((x, t)), ValueError, "takes no time `t`"),
        (lambda: LAW.Heat((t,)), ValueError, "at least one spatial coordinate"),
        (lambda: LAW.Heat(("x", "t")), TypeError, "got 'x'"),
        (lambda: LAW.Poisson((x,), unknown=x), TypeError, "`Poisson(unknown=)`"),
        (lambda: LAW.NavierStokes((x, y), viscosity="1"), TypeError, "strings are not evaluated"),
        (lambda: LAW.NavierStokes((x, y), 1, force=(0, "1")), TypeError, "strings are not"),
        (lambda: LAW.NavierStokes((x, y), 1, force=(0, 0, 1)).equations, ValueError, "got 3"),
        (lambda: LAW.Heat((x, t), source="1"), TypeError, "`Heat(source=)`"),
        (lambda: LAW.Heat((x, t)).convection("1", 0), TypeError, "`coefficient` needs"),
        (lambda: LAW.Heat((x, t)).convection(1, "0"), TypeError, "`ambient` needs an expression"),
        (lambda: LAW.NavierStokes((x, y), viscosity=-1), ValueError, "`NavierStokes(viscosity=)`"),
        (lambda: LAW.NavierStokes((x, y), 1, density=-1), ValueError, "negative; got -1"),
        (lambda: LAW.Burgers((x, t), viscosity=-0.1), ValueError, "cannot be negative"),
        (lambda: LAW.Heat((x, t), conductivity=-2), ValueError, "cannot be negative"),
        (lambda: LAW.Heat((x, t), heat_capacity=-2), ValueError, "cannot be negative"),
        (lambda: LAW.Poisson((x, y), conductivity=-2), ValueError, "Change its sign"),
        (lambda: LAW.AdvectionDiffusion((x, y), velocity=1), ValueError, "one component for each"),
        (lambda: LAW.ReactionDiffusion((x,), (1, 2), lambda u, v: u), ValueError, "got 2 and 1"),
        (lambda: LAW.GrayScott((x,), 1, 1, 1), ValueError, "is a pair"),
        (lambda: LAW.Helmholtz((x, y), 1).radiating(), ValueError, "complex unknown"),
        (
            lambda: LAW.Helmholtz(x, 1, damping=1, unknown=LAW.field("u", x)),
            ValueError,
            "must be complex",
        ),
        (lambda: LAW.RANS((x, y), 1, closure="k-epsilon"), TypeError, "`KEpsilon()`"),
        (lambda: LAW.KirchhoffPlate(x, stiffness=1), ValueError, "2 space coordinates"),
        (lambda: LAW.Burgers((r, t), 1), ValueError, "Cartesian coordinates"),
        (lambda: LAW.Boussinesq(POLAR, 1, 1, 1), ValueError, "`Boussinesq(gravity=)`"),
        (lambda: LAW.Maxwell((x, y, t), polarization="XY"), ValueError, "'TM' or 'TE'"),
        (lambda: LAW.Maxwell((x, t), current=1).equations, ValueError, "one component for each"),
        (lambda: LAW.Schrodinger(x), ValueError, "`energy=`"),
        (lambda: LAW.ShallowWater((x, t), rotation=1), ValueError, "two space coordinates"),
        (lambda: LAW.BuckleyLeverett((x, y, t)).equations, ValueError, "one component for each"),
        (lambda: LAW.LinearElasticity((x, y), 1, plane="thin"), ValueError, "'strain' or 'stress'"),
        (lambda: LAW.LinearElasticity((x, y), 1, poisson_ratio=0.5), ValueError, "below 1/2"),
        (lambda: LAW.LinearElasticity((x, y), 1).traction(1), ValueError, "got 1"),
        (lambda: LAW.HeatExchanger(x, flows=1, conductances=(1, 1)), ValueError, "has 2 values"),
        (
            lambda: LAW.ConjugateHeatTransfer((x, y), y, 1, conductivity=2),
            ValueError,
            "(of the fluid, of the solid)",
        ),
        (lambda: LAW.ODE({x: 1}), TypeError, "made by `field(...)`"),
        (lambda: LAW.ODE({LAW.field("u", x, t): 1}), ValueError, "one and the same coordinate"),
        (lambda: LAW.ODE({}), ValueError, "got none"),
        (lambda: LAW.ODE({LAW.field("u", t): 1}, order=0), ValueError, "above 0"),
        (lambda: LAW.ODE({LAW.field("u", t): 1}).initial(), ValueError, "got 0"),
        (lambda: LAW.Vibration(1, 1, 1), TypeError, '`coordinates("t")`'),
        (lambda: LAW.Vibration(t, sympy.eye(2), 1), ValueError, "of one shape"),
        (
            lambda: LAW.BlackScholes((x, y, t), 1, 1).call_payoff(1),
            ValueError,
            "is yours to state",
        ),
        (lambda: LAW.Volterra(x, kernel=1), TypeError, "a function of x, s and u(s)"),
        (lambda: LAW.Volterra(x, max, order=-1), ValueError, "whole number"),
        (lambda: LAW.Volterra(x, max, decay=1), ValueError, "belongs to `order=1`"),
        (lambda: LAW.FractionalPoisson("x", 1), TypeError, "`FractionalPoisson(coordinate)`"),
        (lambda: LAW.FractionalPoisson(x, 1, interval=1), ValueError, "is (a, b)"),
    ],
)
def test_refusals(make, kind, words):
    with pytest.raises(kind) as caught:
        make()
    assert words in str(caught.value)


def test_coefficients_may_be_parameters_that_have_their_value_later():
    nu = equations.parameter("nu", between=(0.1, 1))
    law = LAW.Burgers((x, t), viscosity=nu)
    problem = equations.Problem(domain_of(law.coordinates), law)
    fields = {law.velocity: lambda p: p[0] ** 2}
    (value,) = problem.residual(fields, [[0.5, 0.5]], {"nu": 0.3})[0]
    assert value == pytest.approx(2 * 0.5**3 - 2 * 0.3)


def test_vectors_and_matrices_may_be_arrays():
    law = LAW.AdvectionDiffusion((x, y), np.array([1.0, 2]), np.array([[2.0, 1], [1, 3]]))
    assert [float(a) for a in law.velocity] == [1, 2] and float(law.diffusivity[0, 1]) == 1
    assert float(LAW.NavierStokes((x, y), 1, force=np.array([0, -9.81])).force[1]) == -9.81


def test_a_law_of_ones_own_has_the_same_rights():
    class Decay:
        def __init__(self, time):
            self.unknown = LAW.field("n", time)
            self.equations = (LAW.Eq(LAW.diff(self.unknown, time), -self.unknown),)

    law = Decay(t)
    problem = equations.Problem(domain_of((t,)), law, {"initial": LAW.Eq(law.unknown, 1)})
    assert isinstance(law, Law) and problem.law is law and not problem.check()
