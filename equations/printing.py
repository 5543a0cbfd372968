"""A problem as text and as LaTeX."""

from __future__ import annotations

from typing import Any

import sympy


def text(problem: Any) -> str:
    """The statement in the order in which a person reads it: domain, unknowns, equations,
    conditions, parameters, data."""
    rows = [("domain", str(problem.domain)), ("unknowns", ", ".join(map(str, problem.fields)))]
    for i, equation in enumerate(problem.equations):
        rows.append(("equations" if i == 0 else "", str(equation)))
    for i, (label, equations) in enumerate(_by_place(problem)):
        rows.append(
            ("conditions" if i == 0 else "", f"on {label}: {'; '.join(map(str, equations))}")
        )
    for i, p in enumerate(problem.parameters):
        known = f"identified from {p.initial}" if p.between is None else f"between {p.between}"
        rows.append(("parameters" if i == 0 else "", f"{p}, {known}"))
    for i, data in enumerate(problem.data):
        noise = "" if data.noise is None else f", noise {data.noise}"
        what = ", ".join(map(str, data.values))
        rows.append(("data" if i == 0 else "", f"{len(data.points)} values of {what}{noise}"))
    if problem.units:
        rows.append(("units", ", ".join(f"{symbol} in {unit}" for symbol, unit in problem.units)))
    if problem.scaling is not None:
        rows += [(line[:6], line[8:]) for line in str(problem.scaling).splitlines()]
    title = f"Problem {problem.name}" if problem.name else "Problem"
    return "\n".join([title, *(f"  {head:<11} {line}" for head, line in rows)])


def latex(problem: Any) -> str:
    """The equations and conditions as a LaTeX display."""
    printed = [sympy.latex(e) for e in problem.equations]
    lines = [rf"{line} &&\text{{in }} \Omega" for line in printed]
    for label, equations in _by_place(problem):
        for equation in equations:
            lines.append(rf"{sympy.latex(equation)} &&\text{{on {label}}}")
    body = r" \\ ".join(line.replace(" = ", " &= ", 1) for line in lines)
    return rf"$$\begin{{aligned}} {body} \end{{aligned}}$$"


def _by_place(problem: Any) -> list[tuple[str, list[Any]]]:
    places: dict[tuple[str, Any], list[Any]] = {}
    for c in problem.conditions:
        places.setdefault((c.label, c.part), []).append(c.equation)
    return [(label, equations) for (label, _), equations in places.items()]
