"""Checks of constants: fields that the statement determines up to a constant only."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy

from .. import structure
from ..fluxes import Reason, source_and_flux
from ..nonlocal_terms import is_local
from ..symbols import NormalComponent, Parameter
from .case import TIME_PARTS, Case, Statement, unknowns_in
from .findings import Finding, error, note, warning


def constants(case: Case) -> Iterator[Finding]:
    """Which fields are determined up to a constant, and whether such a solution exists."""
    velocity = structure.solenoidal(case.problem)
    stated = unknowns_in(s.expression for _, s in case.conditions)
    sides = [name for name in case.parts if name not in TIME_PARTS]
    for f in structure.floating(case.problem):
        if f not in stated and sides and not velocity:
            continue  # its conditions are missing, which is another finding
        if velocity and f not in velocity:
            yield note(
                "unknowns",
                f"{f} is determined up to a constant.",
                "Methods give it the mean zero; to fix another value, state it at a `Point`.",
            )
        else:
            yield warning(
                "unknowns",
                f"{f} is determined up to a constant: no condition or datum holds its value.",
                "State its value somewhere, on a part of the boundary or at a `Point`.",
            )


def balance(case: Case) -> Iterator[Finding]:
    """Where the flux through the whole boundary is given, what the sources make leaves through it:
    heat, mass, and forces."""
    if case.time or case.regions:
        return
    for statement in case.sound(case.equations):
        found = _balance(case, statement)
        if found is None:
            continue
        sources, outflow, size = found
        if abs(sources - outflow) > 0.02 * size:
            yield error(
                statement.where,
                f"no solution exists: the sources add up to {sources:.3g} in the domain, the flux "
                f"through the boundary to {outflow:.3g}.",
                "Change a source or a flux so that the two agree, or leave one open: state a value "
                "in place of a flux, a flux in place of a velocity.",
            )


def _balance(case: Case, statement: Statement) -> tuple[float, float, float] | None:
    """Integrals of the sources, of the outflow, and of their absolute values, for an equation
    div F = s; None where it has another form, or a flux is not known."""
    if not is_local(statement.expression):
        return None
    try:
        source, flux = source_and_flux(statement.expression, case.space, case.fields)
    except Reason:
        return None
    if structure.jet_expression(source).symbols or source.has(Parameter):
        return None
    interior = case.domain.sample_interior(1024, key=3)
    sources = case.evaluate(source, interior.points) * interior.weights
    total, outflow, size = sources.sum(), 0.0, np.abs(sources).sum()
    normal = [NormalComponent(f"n_{c.name}") for c in case.space]
    through = sympy.expand(sum(a * n for a, n in zip(flux, normal, strict=True)))
    for name, sample in case.parts.items():
        known = _known(case, name, through)
        if known is None or known.has(Parameter):
            return None
        values = case.evaluate(known, sample.points, sample.normals) * sample.weights
        outflow, size = outflow + values.sum(), size + np.abs(values).sum()
    return float(np.real(total)), float(np.real(outflow)), float(size)


def _known(case: Case, name: str, through: sympy.Expr) -> sympy.Expr | None:
    """The flux through a part where its conditions give it: by the values of all that it holds, or
    as a multiple of what a condition states."""
    residuals = [s.expression for _, s, at in case.conditions_on(name) if at.all()]
    held = structure.jet_expression(through)
    stated = filter(None, map(structure.stated_value, residuals))
    values = {held.symbols[jet]: value for jet, value in stated if jet in held.symbols}
    flux = sympy.expand(held.expression.xreplace(values))
    left = [j for j, symbol in held.symbols.items() if symbol in flux.free_symbols]
    for condition in map(structure.jet_expression, residuals) if left else ():
        if left[0] in condition.symbols:
            alike = {s: held.symbols[j] for j, s in condition.symbols.items() if j in held.symbols}
            ratio = sympy.diff(flux, held.symbols[left[0]]) / condition.slope(left[0])
            rest = sympy.expand(flux - ratio * condition.expression.xreplace(alike))
            if not rest.free_symbols & {*held.symbols.values(), *condition.symbols.values()}:
                return rest
    return None if left else flux
