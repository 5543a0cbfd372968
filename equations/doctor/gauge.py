"""Checks of constants: fields that the statement determines up to a constant only."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy

from .. import structure
from ..operators import Divergence
from ..symbols import NormalComponent
from .case import TIME_PARTS, Case, unknowns_in
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
            yield from _compatibility(case, f)


def _compatibility(case: Case, f) -> Iterator[Finding]:
    """The balance of a pure flux problem: what the sources make must leave through the boundary."""
    if len(case.equations) != 1 or case.time:
        return
    balance = _balance(case)
    if balance is None:
        return
    sources, outflow, size = balance
    if abs(sources - outflow) > 0.02 * size:
        yield error(
            "equation",
            f"no solution exists: the sources of {f} add up to {sources:.3g} in the domain, the "
            f"flux through the boundary to {outflow:.3g}.",
            "Change a source or a flux so that the two agree, or state a value of "
            f"{f} on some part.",
        )


def _balance(case: Case) -> tuple[float, float, float] | None:
    """Integrals of the sources, of the outflow, and of their absolute values, for one equation
    c div F = g with conditions s F · n = h; None where it has another form."""
    residual = case.equations[0].expression
    nodes = residual.atoms(Divergence)
    if len(nodes) != 1:
        return None
    (node,) = nodes
    factor, g = residual.coeff(node), -residual.subs(node, 0)
    if not factor.is_real or not factor or structure.jet_expression(g).symbols:
        return None
    through_sign = 1 if factor > 0 else -1  # the flux that leaves is F or -F
    interior = case.domain.sample_interior(1024, key=3)
    sources = case.evaluate(g / abs(factor), interior.points) * interior.weights
    total, outflow, size = sources.sum(), 0.0, np.abs(sources).sum()
    for name in case.parts:
        conditions = list(case.conditions_on(name))
        if len(conditions) != 1 or not conditions[0][2].all():
            return None
        flux = _flux(case, conditions[0][1].expression, node)
        if flux is None:
            return None
        sample = case.parts[name]
        through = through_sign * case.evaluate(flux, sample.points, sample.normals) * sample.weights
        outflow, size = outflow + through.sum(), size + np.abs(through).sum()
    return float(np.real(total)), float(np.real(outflow)), float(size)


def _flux(case: Case, residual: sympy.Expr, node: Divergence) -> sympy.Expr | None:
    """h / s, where a condition states s F · n = h for the flux F of the node."""
    normal = [NormalComponent(f"n_{c.name}") for c in node.space]
    through = sympy.expand(sum(a * n for a, n in zip(node.flux, normal, strict=True)))
    residual = sympy.expand(residual)
    for scale in (1, -1):
        h = sympy.expand(scale * through - residual)
        if not structure.jet_expression(h).symbols:
            return scale * h
    return None
