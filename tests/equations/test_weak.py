"""The weak form is the one that a person derives by hand."""

import pytest
import sympy

import geometry as geo
from equations import (
    Eq,
    Heat,
    NoWeakForm,
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
    weak_form,
)

x, y, t = coordinates("x y t")
u, v = fields("u v", x, y)
w = field("w", x, t)
square = geo.Rectangle((0, 0), (1, 1))
heated = geo.Interval(0, 1).over(t, 0, 1)
at_rest = {"initial": Eq(w, 0), ("left", "right"): Eq(w, 0)}


def form(equation, conditions=None):
    return weak_form(Problem(square, equation, conditions or {"boundary": Eq(u, 0)}))


def strong(weak, row=0):
    """s - div F, expanded."""
    flux = zip(weak.fluxes[row], weak.space, strict=True)
    return sympy.expand((weak.sources[row] - sum(sympy.diff(f, s) for f, s in flux)).doit())


@pytest.mark.parametrize(
    "residual",
    [
        -laplacian(u) - x,
        -div((1 + u**2) * grad(u)) + u * diff(u, x),
        x * y * laplacian(u) + u**3,
        (2 + u) * laplacian(u) - 1,
        -diff(u, x, 2) - 3 * diff(u, y, 2) + x * diff(u, x, y) - sympy.exp(x),
        -div(grad(u) / sympy.sqrt(1 + diff(u, x) ** 2 + diff(u, y) ** 2)) + u,
        div((x * diff(u, x) + u, u * diff(u, y))) - div(grad(u)) / 2,
    ],
    ids=str,
)
def test_source_minus_divergence_of_flux_is_the_residual(residual):
    weak = form(Eq(residual, 0))
    assert sympy.simplify(strong(weak) - residual.doit()) == 0
    for expression in (*weak.sources, *weak.fluxes[0]):
        assert all(d.derivative_count == 1 for d in expression.atoms(sympy.Derivative))


def test_flux_is_the_one_written_under_the_divergence():
    weak = form(Eq(-div((1 + u**2) * grad(u)), x))
    assert weak.fluxes == (tuple((1 + u**2) * grad(u)),)
    assert weak.sources == (-x,)


def test_time_derivative_stays_in_the_source():
    weak = weak_form(Problem(heated, Eq((1 + w) * diff(w, t), diff(w, x, 2)), at_rest))
    assert sympy.expand(weak.sources[0] - (1 + w) * diff(w, t)) == 0
    assert weak.time == t and weak.space == (x,)


@pytest.mark.parametrize(
    ("k", "condition", "flux"),
    [
        (x + 2, Eq(normal_derivative(u), y), (x + 2) * y),
        (x + 2, Eq((x + 2) * normal_derivative(u), 0), 0),
        (52, Eq(52 * normal_derivative(u), 750 * (3 - u)), 750 * (3 - u)),
        (1 + u**2, Eq(u + 2 * normal_derivative(u), 1), (1 + u**2) * (1 - u) / 2),
        (1, Eq(diff(u, x), y), y),
        (3, Eq(-3 * diff(u, x) - u**4, -1), 1 - u**4),
    ],
    ids=str,
)
def test_condition_on_a_derivative_is_solved_for_the_flux(k, condition, flux):
    rest = ("left", "bottom", "top")
    weak = form(Eq(-div(k * grad(u)), 0), {"right": condition, rest: Eq(u, 0)})
    (natural,) = weak.natural
    assert natural.part == "right" and natural.unknown == u
    assert sympy.simplify(natural.value - flux) == 0


def test_nonlinear_flux_is_recognized_in_a_condition():
    k = 1 / sympy.sqrt(1 + diff(u, x) ** 2 + diff(u, y) ** 2)
    conditions = {"left": Eq(k * normal_derivative(u), x + y), ("right", "top", "bottom"): Eq(u, 0)}
    assert form(Eq(div(k * grad(u)), 0), conditions).natural[0].value == -x - y


def test_convective_flux_is_added_to_a_condition_on_the_derivative():
    conditions = {"right": Eq(normal_derivative(u), 0), ("left", "top", "bottom"): Eq(u, 0)}
    weak = form(Eq(div((u - diff(u, x), -diff(u, y))), 0), conditions)
    assert weak.natural[0].value == -u  # F = grad u - (u, 0), and du/dn = 0


def test_dirichlet_conditions_are_solved_for_the_field():
    weak = form(Poisson((x, y)), {"boundary": Eq(2 * u - 4 * x, 6)})
    assert {b.value for b in weak.essential} == {2 * x + 3}
    assert [b.part for b in weak.essential] == list(square.parts)


def test_equations_are_paired_with_the_unknown_they_diffuse():
    equations = [Eq(laplacian(v), u), Eq(laplacian(u), v)]
    weak = form(equations, {"boundary": [Eq(u, 0), Eq(v, 1)]})
    assert set(weak.unknowns) == {u, v}
    assert [flux[0] for flux in weak.fluxes] == [-diff(f, x) for f in weak.unknowns]


@pytest.mark.parametrize(
    ("equation", "is_linear", "is_autonomous"),
    [
        (Eq(diff(w, t), diff(w, x, 2)), True, True),
        (Eq(diff(w, t), x * diff(w, x, 2) + sympy.cos(t)), True, False),
        (Eq(diff(w, t), (1 + t) * diff(w, x, 2)), False, False),
        (Eq(diff(w, t), div((1 + w**2) * grad(w))), False, True),
    ],
    ids=str,
)
def test_linear_and_autonomous_forms_are_told(equation, is_linear, is_autonomous):
    weak = weak_form(Problem(heated, equation, at_rest))
    assert (weak.is_linear, weak.is_autonomous) == (is_linear, is_autonomous)


@pytest.mark.parametrize(
    ("equation", "reason"),
    [
        (Eq(laplacian(laplacian(u)), 1), "higher order than the second"),
        (Eq(laplacian(u) ** 2, 1), "does not enter linearly"),
        (Eq(diff(u, x) * laplacian(u), 1), "multiplied by a derivative"),
        (Eq(diff(u, x) + u, 1), "no flux that depends on its gradient"),
        ([Eq(laplacian(u), 1), Eq(u, 2)], "2 equations for 1 unknowns"),
        ([Eq(laplacian(u), v), Eq(diff(v, x), 1)], "no flux"),
    ],
    ids=str,
)
def test_equations_without_a_weak_form_are_refused(equation, reason):
    with pytest.raises(NoWeakForm, match=reason):
        form(equation)


@pytest.mark.parametrize(
    ("equation", "reason"),
    [
        (Eq(diff(w, t, 3), diff(w, x, 2)), "only first and second derivatives in time"),
        (Eq(diff(w, t, 2), diff(w, x, 2)), "no condition gives the time derivative of w"),
        (Eq(diff(w, x, 2), w), "no time derivative"),
    ],
    ids=str,
)
def test_motions_that_are_not_determined_are_refused(equation, reason):
    with pytest.raises(NoWeakForm, match=reason):
        weak_form(Problem(heated, equation, at_rest))


@pytest.mark.parametrize(
    ("conditions", "reason"),
    [
        ({"left": Eq(u, 0)}, "no condition gives .* on right, bottom, top"),
        ({"boundary": Eq(u**2, 1)}, "does not give the value of one field"),
        ({"boundary": Eq(diff(u, x), 0)}, "does not give the flux"),
        ({"boundary": Eq(u, 0), geo.Point(0.5, 0.5): Eq(u, 1)}, "not on a part"),
    ],
    ids=str,
)
def test_conditions_that_give_neither_field_nor_flux_are_refused(conditions, reason):
    with pytest.raises(NoWeakForm, match=reason):
        form(Poisson((x, y)), conditions)


def test_all_reasons_are_listed_at_once():
    with pytest.raises(NoWeakForm) as error:
        weak_form(
            Problem(heated, Eq(diff(w, t), diff(w, x, 2)), {"final": Eq(w, 0), "left": Eq(w**2, 1)})
        )
    assert len(error.value.reasons) == 2


def test_weak_form_prints_as_mathematics():
    law = Heat((x, y), conductivity=52)
    conditions = {
        "bottom": Eq(law.temperature, 100),
        ("left", "right", "top"): law.convection(750, 0),
    }
    text = str(weak_form(Problem(square, law, conditions)))
    assert "flux        F_T = (52*Derivative(T(x, y), x), 52*Derivative(T(x, y), y))" in text
    assert "natural     F_T · n = -750*T(x, y) on left" in text
