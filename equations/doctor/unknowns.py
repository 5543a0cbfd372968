"""Checks of the symbols: coordinates, unknown fields, names, what can be computed at all."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator

import sympy

from ..elsewhere import At
from ..symbols import TIME, NormalComponent, Parameter, is_time, spatial
from .case import TIME_PARTS, Case, is_field, unknowns_in
from .findings import Finding, error, note


def coordinates(case: Case) -> Iterator[Finding]:
    """Fields depend on the domain's axes, all of them together on every axis."""
    axes = case.domain.axes
    unknown = unknowns_in(s.expression for s in case.statements)
    arguments: dict[str, set[sympy.Symbol]] = {}
    for f in unknown:
        for a in f.args:
            is_ranged = isinstance(a, Parameter) and a.name not in axes
            if isinstance(a, sympy.Symbol) and not is_ranged:
                arguments.setdefault(a.name, set()).add(a)
    for name in arguments:
        if name not in axes:
            holders = ", ".join(str(f) for f in unknown if name in map(str, f.args))
            yield error(
                "domain",
                f"{holders} depends on {name}, but the domain has the axes {', '.join(axes)}.",
                _axis_remedy(name),
            )
        if len(arguments[name]) > 1:
            yield error(
                "unknowns",
                f"two symbols are called {name} (SymPy compares their assumptions too).",
                "Make each coordinate once, by `coordinates(...)`, and use it throughout.",
            )
    for axis in axes:
        if unknown and axis not in arguments:
            yield error(
                "domain",
                f"the domain has the axis {axis}, on which no unknown depends.",
                f"Give the fields the coordinate {axis}, or take a domain without it; `axes=` of a "
                "shape names its axes.",
            )
    if case.time not in (None, TIME):
        yield error(
            "domain",
            f"the time of the domain is called {case.time}.",
            f"Time is the coordinate `{TIME}` in every statement: `shape.over({TIME}, a, b)`.",
        )


def _axis_remedy(name: str) -> str:
    if name == TIME:
        return f"Take a domain in time, `shape.over({TIME}, start, end)`."
    return f"Drop {name} from the field, or take a domain with that axis (`axes=` names them)."


def fields(case: Case) -> Iterator[Finding]:
    """Every unknown of a condition or a datum is in an equation; names are distinct."""
    known = case.fields
    for statement in (*(s for _, s in case.conditions), *case.data):
        for f in unknowns_in([statement.expression]):
            if f not in known and is_field(f):
                yield error(statement.where, f"{f} is in no equation.", _meant(f, known))
    names = Counter(f.func.__name__ for f in known)
    for name in (n for n, count in names.items() if count > 1):
        forms = ", ".join(str(f) for f in known if f.func.__name__ == name)
        yield error(
            "equations",
            f"several unknowns are called {name}: {forms}.",
            "Make each field once, by `field(...)`, and use it throughout; results go by name.",
        )
    for name in names.keys() & {c.name for c in case.coordinates}:
        yield error(
            "unknowns",
            f"{name} is the name of an unknown and of a coordinate.",
            "Give the field a name of its own, by `field(...)`; results go by name.",
        )
    law = case.problem.law
    declared = case.problem.replace(equations=law, conditions=()).fields if law is not None else ()
    for f in (f for f in declared if f not in known):
        yield error(
            "equations",
            f"{f}, an unknown of {type(law).__name__}, is in no equation.",
            "Give all equations of the law, or replace the law by your own equations.",
        )


def arguments(case: Case) -> Iterator[Finding]:
    """No field has a place where its time belongs, as w(t, x) beside w(x, t)."""
    for statement in case.statements:
        for node in statement.expression.atoms(At):
            mixed = (
                place
                for own, place in node.moves.items()
                if is_time(own) and set(spatial(place.free_symbols)) & set(case.space)
            )
            for place in mixed:
                f = unknowns_in([node])[0]
                yield error(
                    statement.where,
                    f"{f.func(*(node.moves.get(a, a) for a in f.args))} is {f} at the time "
                    f"{place}, which is a place.",
                    f"Give the arguments of {f} in one order throughout.",
                )


def _meant(f, known) -> str:
    name = f.func.__name__
    for other in known:
        if other.func.__name__ == name and other.args == f.args:
            return "Another field of that name is: make it once, by `field(...)`, and reuse it."
        if other.func.__name__ == name:
            return f"Did you mean {other}?"
    close = difflib.get_close_matches(name, [k.func.__name__ for k in known], n=1, cutoff=0.5)
    hint = next((f" Did you mean {k}?" for k in known if close and k.func.__name__ == close[0]), "")
    unknowns = ", ".join(map(str, known)) or "none"
    return f"Add the equation that determines it, or drop it; the unknowns are {unknowns}.{hint}"


def expressions(case: Case) -> Iterator[Finding]:
    """Everything stated can become numbers, and says something about an unknown."""
    for statement in case.statements:
        reason = case.refusal(statement.expression)
        if reason is not None:
            message, _, remedy = reason.partition(". ")
            yield error(
                statement.where,
                message.rstrip(".") + ".",
                remedy or "State it by fields and their derivatives at the point.",
            )
        elif not unknowns_in([statement.expression]):
            yield error(
                statement.where,
                f"{statement.expression} = 0 holds no unknown field.",
                "Drop it, or write the unknown into it.",
            )


def normals(case: Case) -> Iterator[Finding]:
    """The normal is used only where there is a boundary with that normal."""
    for statement in (*case.equations, *case.data):
        if _normals_in(statement.expression):
            yield error(
                statement.where,
                "the normal of the boundary has no meaning in the interior.",
                "Move the term to a condition on a part of the boundary.",
            )
    for condition, statement in case.conditions:
        names = set(getattr(condition.part, "names", ()))
        inside = names & {*TIME_PARTS} or not hasattr(condition.part, "shape")
        if condition.part is not None and inside and _normals_in(statement.expression):
            yield error(
                statement.where,
                "the normal of the boundary has no meaning here.",
                "Use derivatives along coordinates, as `diff(u, t)`.",
            )


def _normals_in(expression: sympy.Expr) -> bool:
    return any(isinstance(s, NormalComponent) for s in expression.free_symbols)


def parameters(case: Case) -> Iterator[Finding]:
    """Parameters have names of their own, and those of data are in the equations."""
    known = case.problem.parameters
    names = Counter(p.name for p in known)
    axes = {c.name: c for c in case.coordinates}
    used = set().union(*(s.expression.free_symbols for s in case.statements))
    clashing = {s.name for s in used if isinstance(s, Parameter) and axes.get(s.name, s) != s}
    for name in dict.fromkeys([*names, *clashing]):
        if names[name] > 1 or name in clashing:
            yield error(
                "parameters",
                f"{name} is the name of two different symbols.",
                "Make a parameter once and reuse it; coordinates and parameters need own names.",
            )
    for statement in case.data:
        for p in statement.expression.free_symbols - set(known):
            if isinstance(p, Parameter):
                yield note(
                    statement.where,
                    f"{p} is in the data only.",
                    "It is found together with the fields if the data determine it.",
                )
