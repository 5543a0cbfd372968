"""The statement doctor finds each slip and says what to do; sound statements pass untouched."""

import numpy as np
import pytest
import sympy
from sympy import I, cosh, exp

import geometry as geo
from equations import (
    Data,
    Eq,
    Problem,
    coordinates,
    diff,
    field,
    laplacian,
    normal_derivative,
)
from equations.symbols import normal
from tests.equations.slips import KINDS, SLIPS
from tests.equations.sound_laws import LAWS
from tests.equations.statements import (
    BROKEN,
    SOUND,
    f,
    h,
    laplace,
    line,
    ode,
    square,
    t,
    u,
    v,
    walls,
    x,
    y,
)

ALL_BROKEN, ALL_SOUND = BROKEN | SLIPS, SOUND | KINDS | LAWS


@pytest.mark.parametrize("name", ALL_BROKEN)
def test_doctor_finds_with_remedy_and_place_and_makes_all_its_checks(name):
    problem, level, message, remedy = ALL_BROKEN[name]
    findings = problem.check()
    assert any(
        f.level == level and message in f.message and remedy in f"{f.message} {f.remedy}"
        for f in findings
    ), str(findings)
    assert all(f.where and f.where != "doctor" for f in findings), str(findings)


@pytest.mark.parametrize("name", ALL_SOUND)
def test_doctor_has_neither_error_nor_warning_for(name):
    findings = ALL_SOUND[name].check()
    assert not findings.errors and not findings.warnings, str(findings)
    assert all(f.where != "doctor" for f in findings), str(findings)


@pytest.mark.parametrize("domain", [geo.Time(0, 1), geo.Ball((0, 0, 0), 1), line.over("s", 0, 1)])
@pytest.mark.parametrize("name", ["cylinder", "lorenz", "unknown conductivity", "wave"])
def test_a_problem_on_a_domain_of_other_axes_has_errors_and_raises_none(name, domain):
    if (name, type(domain)) != ("lorenz", geo.Time):
        assert SOUND[name].replace(domain=domain).check().errors


@pytest.mark.parametrize("value", [sympy.zoo, float("inf"), np.nan])
def test_a_coefficient_that_is_not_finite_is_the_only_finding(value):
    findings = Problem(square, Eq(-laplacian(u), value), walls).check()
    assert [f.where for f in findings.errors] == ["equation"], str(findings)
    assert len(findings) == 1 and "not finite" in findings[0].message, str(findings)


def test_a_coordinate_may_have_the_name_of_a_function():
    s = coordinates("exp")
    g = field("g", s)
    ends = {("left", "right"): Eq(g, 0)}
    problem = Problem(geo.Interval(0, 1, axes="exp"), Eq(diff(g, s, 2), exp(s)), ends)
    assert not problem.check()
    value = problem.residual({g: lambda p: p[0] ** 2}, [[0.0]])
    assert value.item() == pytest.approx(1)


def test_all_slips_are_told_at_once():
    problem = Problem(
        square,
        Eq(laplacian(u), sympy.Symbol("a") * normal(coordinates("x y"))[0]),
        {"lft": Eq(u, 0), "right": Eq(v, 0)},
        Data([[3.0, 3.0]], {u: [1.0]}),
    )
    messages = " ".join(f.message for f in problem.check().errors)
    for words in ("a: neither", "no meaning in the interior", "'lft'", "v(x, y)", "outside"):
        assert words in messages


def test_balanced_fluxes_leave_only_the_constant():
    source = Eq(-laplacian(u), 1)
    conditions = {
        "right": Eq(normal_derivative(u), -1),
        ("left", "bottom", "top"): Eq(normal_derivative(u), 0),
    }
    findings = Problem(square, source, conditions).check()
    assert not findings.errors and [f.level for f in findings] == ["warning"], str(findings)


def test_two_meeting_values_that_agree_in_the_corner_are_no_finding():
    conditions = {"top": Eq(u, exp(x)), ("left", "right", "bottom"): Eq(u, exp(x) * y)}
    assert not Problem(square, laplace, conditions).check()


@pytest.mark.parametrize(
    "domain",
    [
        geo.Interval(0, 0.1).over("t", 0, 300),  # seconds are no lengths
        geo.Rectangle((0, 0), (4, 0.01)),
        geo.Disk((0, 0), 1, name="left") - geo.Disk((0, 0), 0.99, name="right"),
    ],
)
def test_values_on_the_two_sides_of_a_thin_domain_do_not_meet(domain):
    axes = coordinates(" ".join(domain.axes))
    g = field("g", *axes)
    equation = Eq(laplacian(g), diff(g, t) if t in axes else 0)
    sides = domain.parts[:2] if "top" not in domain.parts else ("top", "bottom")
    findings = Problem(domain, equation, {sides[0]: Eq(g, 0), sides[1]: Eq(g, 1)}).check()
    assert "disagree" not in str(findings)


def test_solitons_on_a_short_ring_are_noted_for_their_kink():
    domain = geo.Interval(-5, 5).periodic("x").over(t, 0, 1)
    problem = Problem(domain, Eq(I * diff(h, t), diff(h, x, 2)), {"initial": Eq(h, 2 / cosh(x))})
    assert [f.level for f in problem.check()] == ["note"]


def test_findings_print_as_lines_and_as_a_table():
    findings = Problem(line, ode, {"lft": Eq(f, 0)}).check()
    assert str(findings).count("\n") == len(findings) - 1
    assert repr(findings) == str(findings)
    assert findings._repr_html_().count("<tr>") == len(findings) + 1
    assert "&#x27;lft&#x27;" in findings._repr_html_()
    sound = Problem(line, ode, {("left", "right"): Eq(f, 0)}).check()
    assert "sound" in str(sound) and "sound" in sound._repr_html_()


def test_errors_come_first():
    levels = [f.level for f in BROKEN["one value twice"][0].replace(conditions=()).check()]
    assert levels == sorted(levels, key=["error", "warning", "note"].index)


@pytest.mark.parametrize(
    "problem",
    [
        Problem(line, Eq(-0.02 * diff(f, x, 2) + diff(f, x), 1), {("left", "right"): Eq(f, 0)}),
        Problem(square, Eq(laplacian(u) + 400 * u, 1), walls),
        Problem(line, Eq(diff(f, x, 2), sympy.sin(20 * x)), {("left", "right"): Eq(f, 0)}),
    ],
)
def test_what_a_resolution_does_not_carry_is_a_warning(problem):
    assert not [f for f in problem.check() if "Resolve" in f.remedy]
    assert not [f for f in problem.check(resolution=0.01) if "Resolve" in f.remedy]
    (finding,) = (f for f in problem.check(resolution=0.1) if "Resolve" in f.remedy)
    assert finding.level == "warning"
    with pytest.raises(ValueError, match="a length above 0"):
        problem.check(resolution=-1)


def test_a_name_that_a_shape_was_put_in_front_of_is_suggested():
    two = geo.Regions(copper=geo.Interval(0, 1), steel=geo.Interval(1, 3))
    (finding, *_) = Problem(two, ode, {"left": Eq(f, 0), "right": Eq(f, 1)}).check().errors
    assert finding.remedy == "Did you mean 'interval2.right'?"
