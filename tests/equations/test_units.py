"""Numbers with units are SI numbers, and the doctor finds terms whose units differ."""

import pickle

import numpy as np
import pytest
from sympy import exp, sin, sqrt

import geometry as geo
from equations import (
    Eq,
    Heat,
    NavierStokes,
    Problem,
    UnitConflict,
    coordinates,
    diff,
    div,
    field,
    grad,
    measure,
    parameter,
    quantity,
)
from equations.serialize import from_json, to_json

pytest.importorskip("pint")

x, y, t = coordinates("x y t")
T, u = field("T", x, t), field("u", x, y)
SI = {x: "m", y: "m", t: "s", T: "K", u: "m/s"}
bar = geo.Interval(0, 0.1).over(t, 0, 60)
diffusivity = quantity(1e-5, "m^2/s")


@pytest.mark.parametrize(
    ("value", "unit", "number"),
    [(1, "mm", 1e-3), (20, "degC", 293.15), (1.8, "mPa s", 1.8e-3), (1, "bar", 1e5), (3, "", 3)],
)
def test_a_quantity_is_its_number_in_si_units(value, unit, number):
    q = quantity(value, unit)
    assert float(q) == pytest.approx(number) and q.is_number and q.is_positive
    assert (2 * q).evalf() == pytest.approx(2 * number)


def test_equal_quantities_are_equal_and_survive_files():
    again = quantity(10, "mm^2/s")
    assert again == diffusivity and hash(again) == hash(diffusivity)
    assert quantity(1, "m") != quantity(1, "s") and quantity(1, "m") != 1
    assert pickle.loads(pickle.dumps(diffusivity)) == diffusivity
    p = conduction(Eq(diff(T, t), diffusivity * diff(T, x, 2)))
    assert from_json(to_json(p)) == p and from_json(to_json(p)).units == p.units


@pytest.mark.parametrize(
    ("expression", "unit"),
    [
        (diffusivity * diff(T, x, 2), "K/s"),
        (T * quantity(2, "W/m/K") * grad(T, (x,))[0], "K W / m^2"),
        (div(quantity(2, "W/m/K") * grad(T, (x,)), (x,)), "W/m^3"),
        (sqrt(u**2 + diff(u, x) ** 2 * x**2), "m/s"),
        (exp(-t / quantity(5, "s")) * T, "K"),
        (sin(x), ""),
        (T - 300, "K"),
        (u * y * (quantity(1, "mm") - y), "m^3/s"),
    ],
)
def test_the_unit_of_an_expression(expression, unit):
    assert measure(expression, SI).agrees(measure(quantity(1, unit or "m/m"), SI))


def test_what_has_no_known_unit_has_none():
    assert measure(T * parameter("k", initial=1.0), SI) is None


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (diff(T, t) - 1e-5 * diff(T, x, 2), "K/m^2"),
        (diff(T, t) + quantity(1, "m/s") * diff(T, x, 2), "K/m/s"),
        (T + quantity(1, "s"), "is in s"),
        (exp(T), "pure number"),
        (T ** (T / quantity(1, "K")), "pure number"),
    ],
)
def test_terms_that_differ_are_found(expression, words):
    with pytest.raises(UnitConflict) as caught:
        measure(expression, SI)
    assert words in str(caught.value)


ROOM = quantity(20, "degC")


def conduction(equation, units=SI, value=ROOM):
    conditions = {"initial": Eq(T, value), ("left", "right"): Eq(T, value)}
    units = {s: name for s, name in units.items() if s in (x, t, T)}
    return Problem(bar, equation, conditions, units=units)


def test_a_statement_in_agreeing_units_is_sound_and_prints_them():
    p = conduction(Eq(diff(T, t), diffusivity * diff(T, x, 2)))
    assert not p.check().errors and not p.check().warnings
    assert "units       x in m, t in s, T(x, t) in K" in str(p)


@pytest.mark.parametrize(
    ("problem", "where", "words"),
    [
        (conduction(Eq(diff(T, t), 1e-5 * diff(T, x, 2))), "equation", "K/s"),
        (
            conduction(Eq(diff(T, t), diffusivity * diff(T, x, 2)), SI | {x: "mm"}),
            "equation",
            "1e+06 K/s",
        ),
        (
            conduction(Eq(diff(T, t), diffusivity * diff(T, x, 2)), value=quantity(1, "m")),
            "on initial",
            "is in m",
        ),
        (
            conduction(Eq(diff(T, t), diffusivity * diff(T, x)), SI),
            "equation",
            "K m/s",
        ),
    ],
)
def test_the_doctor_finds_a_conflict_of_units(problem, where, words):
    found = [f for f in problem.check().errors if f.where == where]
    assert found and words in found[0].message and "quantity(" in found[0].remedy


def test_the_doctor_finds_a_unit_of_nothing():
    p = conduction(Eq(diff(T, t), diffusivity * diff(T, x, 2)))
    (finding,) = p.replace(units={y: "m"}).check().warnings
    assert "y is no coordinate" in finding.message


def test_laws_take_quantities():
    law = Heat((x, t), conductivity=quantity(50, "W/m/K"), heat_capacity=quantity(3.9, "MJ/m^3/K"))
    f = law.temperature
    cooled = law.convection(quantity(10, "W/m^2/K"), ambient=quantity(293, "K"))
    conditions = {"initial": Eq(f, quantity(300, "K")), ("left", "right"): cooled}
    p = Problem(bar, law, conditions, units={x: "m", t: "s", f: "K"})
    assert not p.check().errors
    value = p.residual({f: lambda z: z[0] ** 2 + z[1]}, [[0.05, 1.0]]).item()
    assert value == pytest.approx(3.9e6 - 100)
    flow = NavierStokes((x, y), viscosity=quantity(1e-6, "m^2/s"), density=quantity(1, "g/cm^3"))
    units = {flow.velocity: "m/s", flow.pressure: "Pa", x: "m", y: "m"}
    assert not Problem(geo.Rectangle((0, 0), (1, 1)), flow, units=units).check().errors[1:]


def test_fields_of_one_unit_are_scaled_alike():
    a, b = field("a", x), field("b", x)
    equations = [Eq(diff(a, x, 2), 1000), Eq(diff(b, x, 2), 1e5 * a)]
    ends = {("left", "right"): [Eq(a, 0), Eq(b, 0)]}
    p = Problem(geo.Interval(0, 1), equations, ends)
    free, alike = (q.nondimensionalize().scaling for q in (p, p.replace(units={a: "K", b: "K"})))
    assert free[a] != free[b] and alike[a] == alike[b]


@pytest.mark.parametrize(
    ("act", "kind", "words"),
    [
        (lambda: quantity("1", "m"), TypeError, "strings are not evaluated"),
        (lambda: quantity(x, "m"), TypeError, "takes a number"),
        (lambda: quantity(1, "parrot"), ValueError, "'parrot' is no unit"),
        (lambda: conduction(Eq(T, 0), {T: "Kelvni"}), ValueError, "'Kelvni' is no unit"),
        (lambda: Problem(bar, Eq(T, 0), units=3), TypeError, "`units` takes"),
        (lambda: Problem(bar, Eq(T, 0), units={T + 1: "K"}), TypeError, "a key of `units`"),
    ],
)
def test_refusals(act, kind, words):
    with pytest.raises(kind) as caught:
        act()
    assert words in str(caught.value)


def test_numbers_come_out_as_they_went_in():
    p = conduction(Eq(diff(T, t), diffusivity * diff(T, x, 2)))
    values = p.residual({T: lambda z: z[0] ** 2 * z[1]}, np.array([[0.05, 2.0]]))
    assert values.item() == pytest.approx(0.05**2 - 1e-5 * 4)
