"""Characteristic scales: what conditions and data state, and what balances the largest terms.

A row of an equation is driven by what is known in it: sources, stated values, fields whose unit is
found already. The unit of another field is the one with which its largest term in the row balances
that; of several rows the largest counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from .. import structure
from ..symbols import Parameter, is_time, spatial
from .rewriting import is_angle
from .terms import Reader, Row

FAR = (1 / 30, 30.0)  # parameters in this range keep their unit
HARDLY = 0.2  # variation, relative to the value, of a field that gets an offset
Units = dict[AppliedUndef, float]


def coordinate_units(problem: Any) -> tuple[tuple[sympy.Symbol, float], ...]:
    """The longest side of the domain as the unit of length, the duration as that of time; angles
    and parameters keep theirs."""
    lower, upper = problem.domain.bounds
    extents = dict(zip(problem.coordinates, (upper - lower).tolist(), strict=True))
    lengths = [c for c in spatial(extents) if not is_angle(c)]
    units = dict.fromkeys(extents, 1.0)
    units |= dict.fromkeys(lengths, max((extents[c] for c in lengths), default=1.0))
    units |= {c: e for c, e in extents.items() if is_time(c)}
    return tuple(units.items())


def field_units(problem: Any) -> tuple[tuple[AppliedUndef, float, float], ...]:
    """(field, unit, offset) for every unknown."""
    reader = Reader(problem)
    units = balanced(reader)
    offsets = _offsets(reader)
    if offsets:
        shifted = balanced(Reader(problem, offsets))
        kept = {f: o for f, o in offsets.items() if shifted[f] <= HARDLY * abs(o)}
        offsets, units = kept, (balanced(Reader(problem, kept)) if kept else units)
    return tuple((f, units[f], offsets.get(f, 0.0)) for f in problem.fields)


def parameter_units(problem: Any) -> tuple[tuple[Parameter, float], ...]:
    """The first guess of a number to identify, where that is far from one."""
    sizes = ((p, abs(p.initial or 0.0)) for p in problem.parameters)
    return tuple((p, size) for p, size in sizes if size and not FAR[0] <= size <= FAR[1])


def balanced(reader: Reader) -> Units:
    """The unit of every field, the same for those of one kind."""
    kinds = _kinds(reader)
    rows = [r for r in (*reader.equations, *reader.conditions) if r is not None]
    inner = [r for r in reader.equations if r is not None]
    found: Units = {}
    while len(found) < len(kinds):
        new = _found(rows, kinds, found)
        if not found:
            _raise_to(new, kinds, _measured(reader))
            _raise_to(new, kinds, _intrinsic(inner, kinds))
        if not new:  # nothing drives it: the size is free
            new = {next(f for f in kinds if f not in found): 1.0}
            _raise_to(new, kinds, dict(new))
        found |= new
    return {f: _rounded(unit) for f, unit in found.items()}


def _found(rows: Iterable[Row], kinds: Mapping[Any, Any], known: Units) -> Units:
    """The units that rows give to fields that have none yet: of what sources and stated values ask
    for the largest, of what other fields ask of a vector the smallest."""
    driven: dict[Any, list[float]] = {}
    carried: dict[Any, list[float]] = {}
    for row in rows:
        done = [t for t in row.terms if all(f in known for f, _ in t.powers)]
        size = max((t.magnitude(known, row.lengths) for t in done), default=0.0)
        if max(size, row.drive):
            drive, waves = (size, row.lengths) if size > row.drive else (row.drive, row.waves)
            for kind, unit in _asked(row, kinds, known, drive, waves).items():
                (carried if size > row.drive else driven).setdefault(kind, []).append(unit)
    several = {kind for kind in kinds.values() if list(kinds.values()).count(kind) > 1}
    for kind, units in carried.items():
        driven.setdefault(kind, []).append(min(units) if kind in several else max(units))
    new: Units = {}
    _raise_to(new, kinds, {kind: max(units) for kind, units in driven.items()})
    return new


def _asked(row: Row, kinds: Any, known: Units, drive: float, waves: Any) -> dict[Any, float]:
    """The unit of each open kind with which its largest term in a row balances the drive."""
    found: dict[Any, float] = {}
    for t in row.terms:
        open_kinds = {kinds[f] for f, _ in t.powers if f not in known}
        power = sum(p for f, p in t.powers if f not in known)
        if len(open_kinds) == 1 and power > 0:
            unit = (drive / t.magnitude(known, waves)) ** (1 / power)
            kind = open_kinds.pop()
            found[kind] = min(found.get(kind, np.inf), unit)
    return found


def _raise_to(units: Units, kinds: Mapping[Any, Any], found: Mapping[Any, float]) -> None:
    """Lift the units of the fields of some kinds to at least those found."""
    for f, kind in kinds.items():
        for g, unit in found.items():
            if kind == kinds.get(g, g) and np.isfinite(unit) and unit > 0:
                units[f] = max(units.get(f, 0.0), unit)


def _measured(reader: Reader) -> dict[AppliedUndef, float]:
    """The largest values in data, of fields and of their derivatives."""
    found: dict[AppliedUndef, float] = {}
    for item in reader.problem.data:
        for expression, values in item.values.items():
            row = reader.row(expression) if len(values) else None
            if row is not None and len(row.terms) == 1 and len(row.terms[0].powers) == 1:
                ((f, power),) = row.terms[0].powers
                offset = reader.offsets.get(f, 0.0) if expression == f else 0.0
                size = float(np.max(np.abs(values - offset)))
                unit = (size / row.terms[0].magnitude({}, row.lengths)) ** (1 / power)
                found[f] = max(found.get(f, 0.0), unit)
    return found


def _intrinsic(rows: Iterable[Row], kinds: Mapping[Any, Any]) -> dict[AppliedUndef, float]:
    """Sizes at which two terms without derivatives balance that differ by a power of one field, as
    u = 1 in u - u^3."""
    found: dict[AppliedUndef, float] = {}
    for row in rows:
        plain = [t for t in row.terms if not any(t.orders)]
        for one, other in combinations(plain, 2):
            ratio = dict(one.powers)
            for f, p in other.powers:
                ratio[f] = ratio.get(f, 0.0) - p
            differing = [(f, p) for f, p in ratio.items() if p]
            if len(differing) == 1:
                ((f, power),) = differing
                unit = (other.size / one.size) ** (1 / power)
                found[f] = max(found.get(f, 0.0), unit)
    return found


def _kinds(reader: Reader) -> dict[AppliedUndef, AppliedUndef]:
    """For each field the first one of its kind. Of one kind are components of a vector, whose
    highest derivatives along different axes have like weights in one equation, and fields of one
    unit of measurement."""
    problem = reader.problem
    kind = {f: f for f in problem.fields}

    def join(f, g):
        old, new = kind[f], kind[g]
        for h in kind:
            kind[h] = new if kind[h] == old else kind[h]

    for residual in problem.residuals:
        try:
            held = structure.jet_expression(residual)
        except (ValueError, TypeError):
            continue
        for a, b in combinations(_leading(held), 2):
            if a.order() == b.order() and _axes(a) != _axes(b) and kind[a.field] != kind[b.field]:
                if _are_alike(reader, held, a, b):
                    join(a.field, b.field)
    measured = dict(getattr(problem, "units", ()))
    for f, g in combinations(kind, 2):
        if f in measured and measured[f] == measured.get(g):
            join(g, f)
    return kind


def _leading(held: structure.JetExpression) -> list[structure.Jet]:
    """The highest derivatives of each field that are derivatives in space alone."""
    jets = [j for j in held.symbols if j.order()]
    highest = {j.field: max(i.order() for i in jets if i.field == j.field) for j in jets}
    space = (j for j in jets if not any(map(is_time, _axes(j))))
    return [j for j in space if j.order() == highest[j.field]]


def _are_alike(reader: Reader, held: structure.JetExpression, a: Any, b: Any) -> bool:
    """Whether two jets have factors in one ratio, of second derivatives in about one."""
    one, other = (reader.slope(held, jet) for jet in (a, b))
    if one is None or other is None or not np.all(one) or not np.all(other):
        return False
    ratio = np.abs(one / other)
    if not np.isfinite(ratio).all():
        return False
    widest = 1 + 1e-9 if a.order() == 1 else 10
    return bool(ratio.max() <= widest * ratio.min())


def _axes(jet: structure.Jet) -> tuple[sympy.Symbol, ...]:
    return tuple(a for a, n in zip(jet.field.args, jet.orders, strict=True) if n)


def _offsets(reader: Reader) -> Units:
    """The middle of the values stated for each field, where they hardly differ."""
    stated: dict[AppliedUndef, list[np.ndarray]] = {}
    for condition in reader.problem.conditions:
        for f, value in filter(None, map(_ambient, condition.equation.residuals)):
            values = reader.values(value, *reader.sample(condition.part))
            if values is not None:
                stated.setdefault(f, []).append(values)
    for item in reader.problem.data:
        for expression, values in item.values.items():
            stated.setdefault(expression, []).append(values)
    offsets: Units = {}
    for f in reader.problem.fields:
        values = np.concatenate(stated.get(f, [np.zeros(1)]))
        if f.is_positive or np.iscomplexobj(values) or not np.isfinite(values).all():
            continue
        low, high = float(values.min()), float(values.max())
        if f.is_real and high - low < HARDLY * max(abs(low), abs(high)) and low * high > 0:
            offsets[f] = _rounded((low + high) / 2, digits=3)
    return offsets


def _ambient(residual: sympy.Expr) -> tuple[AppliedUndef, sympy.Expr] | None:
    """The field of a condition and the value that it has there, or goes to as on a wall that is
    cooled."""
    try:
        held = structure.jet_expression(residual)
    except (ValueError, TypeError):
        return None
    values = [jet for jet in held.symbols if jet.is_value]
    if len(values) != 1 or any(jet.field != values[0].field for jet in held.symbols):
        return None
    slope = sympy.diff(held.expression, held.symbols[values[0]])
    known = not slope.free_symbols & set(held.symbols.values())
    return (values[0].field, -held.rest() / slope) if known and slope != 0 else None


def _rounded(value: float, digits: int = 2) -> float:
    return float(f"{value:.{digits - 1}e}")
