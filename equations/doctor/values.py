"""Checks of the numbers: coefficients that are finite and real, values that agree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import sympy

from .. import structure
from ..symbols import Parameter
from .case import Case, Statement, at, evaluate, spread, unknowns_in
from .findings import Finding, error, note, warning


def coefficients(case: Case) -> Iterator[Finding]:
    """Equations and conditions are finite, and real where the unknowns are."""
    for statement in case.sound(case.equations):
        yield from _numbers(case, statement, case.interior_of(statement), None)
    done = set()
    for condition, statement in case.placed:
        if case.refusal(statement.expression):
            continue
        if (condition.part, statement.expression) in done:
            continue
        done.add((condition.part, statement.expression))
        if structure.jet_expression(statement.expression).expression.free_symbols & {
            *case.coordinates,
            *case.problem.parameters,
        } or statement.expression.has(sympy.I):
            sample = condition.part.sample(64, key=2)
            yield from _numbers(case, statement, sample.points, sample.normals)


def _numbers(case: Case, statement: Statement, points, normals) -> Iterator[Finding]:
    held = structure.jet_expression(statement.expression)
    values = evaluate(held, case.coordinates, points, normals)
    if not np.isfinite(values).all():
        term, i = _culprit(case, statement, held, points, normals)
        ranged = [p for p in term.free_symbols if isinstance(p, Parameter) and p.between]
        spot = [at(points[i], case.coordinates)]
        spot += [f"{p} = {spread(p, len(points))[i]:.4g}" for p in ranged]
        yield error(
            statement.where,
            f"the term {term} is not finite at {', '.join(spot)}.",
            "Rewrite it so that it has a value there, or take that place out of the domain.",
        )
    unknowns = unknowns_in([statement.expression])
    if np.any(np.imag(values)) and unknowns and all(f.is_real for f in unknowns):
        yield error(
            statement.where,
            f"complex numbers, but {', '.join(map(str, unknowns))} is real.",
            'Make the unknown complex, `field("u", ..., complex=True)`, or drop the imaginary '
            "part.",
        )


def _culprit(case: Case, statement: Statement, held, points, normals):
    """The first term without a finite value, and the index of a point where it has none."""
    back = {symbol: sympy.Symbol(str(jet.field.func)) for jet, symbol in held.symbols.items()}
    for term in sympy.Add.make_args(held.expression):
        part = structure.JetExpression(term, held.symbols)
        wrong = ~np.isfinite(evaluate(part, case.coordinates, points, normals))
        if wrong.any():
            coefficient = sympy.Mul(
                *(a for a in sympy.Mul.make_args(term) if not a.free_symbols & set(back))
            )
            shown = coefficient if coefficient.free_symbols else term.xreplace(back)
            return shown, int(np.argmax(wrong))
    wrong = ~np.isfinite(evaluate(held, case.coordinates, points, normals))
    return statement.expression, int(np.argmax(wrong))


def poles(case: Case) -> Iterator[Finding]:
    """No coefficient divides by what changes its sign inside the domain."""
    for statement in case.sound(case.equations):
        points = case.interior_of(statement)
        for power in structure.jet_expression(statement.expression).expression.atoms(sympy.Pow):
            base = power.base
            if power.exp.is_negative and base.free_symbols & set(case.coordinates):
                if base.free_symbols <= set(case.coordinates):
                    yield from _pole(case, statement, base, points)


def _pole(case: Case, statement: Statement, base: sympy.Expr, points) -> Iterator[Finding]:
    values = case.evaluate(base, points)
    if np.isrealobj(values) and np.isfinite(values).all() and values.min() < 0 < values.max():
        point = points[int(np.argmin(np.abs(values)))]
        yield warning(
            statement.where,
            f"it divides by {base}, which vanishes inside the domain, near "
            f"{at(point, case.coordinates)}.",
            "Rewrite it so that it is finite there, or take that place out of the domain.",
        )


def contradictions(case: Case) -> Iterator[Finding]:
    """No field has two values on one part; stated twice is once too often."""
    told = set()
    for name in case.samples:
        for (a, sa, at_a), (b, sb, at_b) in combinations(list(case.conditions_on(name)), 2):
            both = at_a & at_b
            if not both.any() or a.label != b.label and (a.label, b.label, sa, sb) in told:
                continue
            told.add((a.label, b.label, sa, sb))
            for first, second, jet in _same_subject(sa, sb):
                yield from _disagreement(case, name, jet, first, second, both)


def _same_subject(a: Statement, b: Statement):
    """The values that two scalar conditions state for one and the same jet."""
    one, other = structure.stated_value(a.expression), structure.stated_value(b.expression)
    if one and other and one[0] == other[0]:
        yield one[1], other[1], one[0]


def _disagreement(case: Case, name: str, jet, first, second, both) -> Iterator[Finding]:
    sample = case.samples[name]
    points, normals = sample.points[both], sample.normals[both]
    values = [case.evaluate(value, points, normals) for value in (first, second)]
    gap = np.abs(values[0] - values[1])
    what = jet.expression()
    if np.max(gap) > 1e-8 * max(1, *(np.max(np.abs(v)) for v in values)):
        point = points[int(np.argmax(gap))]
        yield error(
            f"on {name}",
            f"{what} is stated to be {first} and {second}, which differ at "
            f"{at(point, case.coordinates)}.",
            "Keep one of the two, or restrict them to different parts.",
        )
    else:
        yield note(f"on {name}", f"{what} = {first} is stated twice.", "Keep one of the two.")


def positive(case: Case) -> Iterator[Finding]:
    """Fields made `positive` are not stated to be zero or less."""
    for condition, statement in case.placed:
        stated = structure.stated_value(statement.expression)
        if stated is None:
            continue
        jet, value = stated
        if jet.is_value and jet.field.is_positive and not case.refusal(statement.expression):
            points = condition.part.sample(16, key=2).points
            values = case.evaluate(value, points)
            if np.any(np.real(values) <= 0):
                point = points[int(np.argmin(np.real(values)))]
                yield error(
                    statement.where,
                    f"{jet.field} is a positive field, stated as {value} at "
                    f"{at(point, case.coordinates)}.",
                    "Drop `positive=True`, or state a value above zero.",
                )
