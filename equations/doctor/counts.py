"""Checks of the counts: equations for unknowns, conditions for orders of derivatives, evidence for
numbers to identify.

The orders of the equations tell how many conditions they carry. Across a boundary that a field of
order m crosses, between m // 2 and (m + 1) // 2 conditions belong to it; in time, and along a
single axis, as many in all as the order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from sympy.core.function import AppliedUndef

from geometry import Point

from .. import structure
from ..interior import Interior
from .case import TIME_PARTS, Case, Statement, at, both_ends_of_time, evaluate, unknowns_in
from .findings import Finding, error, note, warning
from .transport import speeds


def equations(case: Case) -> Iterator[Finding]:
    """In every region as many equations as unknowns; the unknowns beyond them need data."""
    if not case.equations:
        yield error("equations", "there is none.", "Give a law, an `Eq`, or a list of them.")
    if not case.regions:
        yield from _balance(case, "equations", len(case.equations), case.fields)
    for region in case.regions:
        n = sum(s.region in (None, region) for s in case.equations)
        yield from _balance(case, f"equations in {region}", n, case.lives_in(region))
    seen = set()
    for statement in case.equations:
        if (statement.expression, statement.region) in seen:
            yield error(statement.where, "it is stated twice.", "Drop one of the two.")
        seen.add((statement.expression, statement.region))


def _balance(case: Case, where: str, n: int, fields: tuple[AppliedUndef, ...]) -> Iterator[Finding]:
    m, unknowns = len(fields), ", ".join(map(str, fields)) or "none"
    if n < m and not case.problem.data:
        yield error(
            where,
            f"{_number(n, 'equation')} for {_number(m, 'unknown')}: {unknowns}.",
            "Add the missing equations, or `data=` from which unknown coefficients are found.",
        )
    elif n > m > 0 and case.problem.law is None:
        yield warning(
            where,
            f"{_number(n, 'equation')} for {_number(m, 'unknown')}: {unknowns}.",
            "They may contradict each other; drop those that follow from the others.",
        )


def boundary(case: Case) -> Iterator[Finding]:
    """Every part of the boundary has as many conditions as the equations carry there."""
    if not unknowns_in(s.expression for s in case.equations):
        return
    if speeds(case) is not None:
        return  # where the flow enters, and nowhere else: see `transport`
    alike: dict[Finding, list[str]] = {}
    if len(case.coordinates) > 1:
        for name in _sides(case):
            for beside, there in case.sides(name):
                for finding in _part(case, name, beside, there):
                    alike.setdefault(finding, []).append(name)
    for finding, names in alike.items():
        yield replace(finding, where=f"on {', '.join(names)}")
    single = len(case.coordinates) == 1 or len(case.fields) == 1
    if len(case.space) == 1 and single and not alike:
        yield from _ends(case)


def _sides(case: Case) -> list[str]:
    """The parts of the boundary in space, and the interfaces at which unknowns end."""
    return [name for name in case.samples if name not in TIME_PARTS or case.time is None]


def _part(case: Case, name: str, names: tuple[str, ...], there: np.ndarray) -> Iterator[Finding]:
    """The count on a part of a boundary in several dimensions, at each of its sampled points that
    are `there`, next to the named regions."""
    counts = _counts(case, name, names)[there]
    least, most = _carried(case, name, names)
    points = case.samples[name].points[there]
    low, high = int(np.argmin(counts)), int(np.argmax(counts))
    if counts[low] < least:
        spot = f" near {at(points[low], case.coordinates)}" if counts[high] >= least else ""
        yield _level(case)(
            "boundary",
            f"{_number(counts[low], 'condition')}{spot}, where the equations need "
            f"{_range(least, most)}.",
            _lacking(case, name, names),
        )
    elif counts[high] > most and not _absorbing(case):
        yield _level(case)(
            "boundary",
            f"{_number(counts[high], 'condition')}, where the equations carry "
            f"{_range(least, most)}.",
            "Drop conditions there, or give them on another part.",
        )


def _ends(case: Case) -> Iterator[Finding]:
    """The count over both ends of a single axis: in all, the order of the equations."""
    ends = [name for name in _sides(case) if name not in TIME_PARTS]
    if not ends:
        return
    axis = case.space[0]
    most = sum(case.orders[f].get(axis, 0) for f in case.fields)
    least = most - sum(case.orders[f].get(axis, 0) for f in case.coefficients)
    most += sum(p.role == "eigenvalue" for p in case.problem.parameters)  # and a size for each
    if any(_degenerate(case, name) for name in ends):
        least = 0
    for name in case.interfaces:
        for names, _ in case.sides(name):
            most += sum(case.orders[f].get(axis, 0) for f in _continued(case, names))
    total = sum(int(_counts(case, name).min()) for name in ends) + len(_single(case))
    where = f"on {', '.join(ends)}"
    lonely = [n for n in ends if not _counts(case, n).any()] if total < least else []
    if total < least:
        spot = f" ({', '.join(lonely)} has none)" if lonely and total else ""
        yield _level(case)(
            where,
            f"{_number(total, 'condition')}{spot}, where the equations need {_range(least, most)} "
            "in all.",
            "Add conditions on the unknowns or their derivatives there.",
        )
    elif total > most and not _absorbing(case):
        yield _level(case)(
            where,
            f"{_number(total, 'condition')}, where the equations carry "
            f"{_range(least, most)} in all.",
            "Drop conditions.",
        )


def initial(case: Case) -> Iterator[Finding]:
    """Every field has as many conditions in time as its order in time."""
    if case.time is None:
        return
    t = next(c for c in case.coordinates if c.name == case.time)
    needed = {f: case.orders[f].get(t, 0) for f in case.fields}
    given = {f: sum(_count_of(case, f, part) for part in TIME_PARTS) for f in case.fields}
    if len(case.coordinates) == 1:
        needed, given = {None: sum(needed.values())}, {None: _total_in_time(case)}
    for f, n in needed.items():
        what = "the unknowns" if f is None else str(f)
        if given[f] < n and f not in case.coefficients:
            yield _level(case)(
                "on initial",
                f"{_number(given[f], 'condition')} for {what}, of order {n} in time.",
                f"Give the value{' and the rate `diff(u, t)`' if n > 1 else ''} on 'initial'.",
            )
        elif given[f] > n > 0 and not _absorbing(case):
            yield _level(case)(
                "on initial",
                f"{_number(given[f], 'condition')} for {what}, of order {n} in time.",
                _surplus(case, n),
            )
        elif given[f] > n == 0:
            follows = any(needed.values())
            yield (note if follows else warning)(
                "on initial",
                f"{what} has an initial value, but no equation holds its time derivative.",
                "It follows from the other unknowns; the condition must agree with them."
                if follows
                else "Drop it: the equations determine the solution at every instant.",
            )


def _surplus(case: Case, n: int) -> str:
    return f"Keep {n} on 'initial' (and 'final' together). {both_ends_of_time(case)}".rstrip()


def evidence(case: Case) -> Iterator[Finding]:
    """Numbers and coefficient fields to identify have data, or conditions beyond the usual ones."""
    if case.problem.data or not case.identified:
        return
    extra = any(case.conditions_on("final")) if "final" in case.parts else False
    extra |= any(c.part is not None and not hasattr(c.part, "shape") for c, _ in case.conditions)
    for name in (n for n in case.parts if n not in TIME_PARTS):
        for beside, there in case.sides(name):
            count = _counts(case, name, beside)[there]
            extra |= int(count.max()) > _carried(case, name, beside)[1]
    if not extra:
        names = ", ".join(p.name for p in case.identified)
        yield error(
            "parameters",
            f"nothing determines {names}: there are neither data nor extra conditions.",
            "Give `data=Data(points, {u: values})`, or a number in place of the parameter.",
        )


def single(case: Case) -> Iterator[Finding]:
    """What is stated at a point, or as one number over the domain, finds something to determine."""
    if case.problem.data or _absorbing(case) or len(case.coordinates) == 1 or case.time:
        return
    if any(p.role == "eigenvalue" for p in case.problem.parameters):
        return
    for condition, statement in _single(case):
        others = tuple(c for c in case.problem.conditions if c is not condition)
        floating = structure.floating(case.problem.replace(conditions=others))
        if set(unknowns_in([statement.expression])) & set(floating):
            continue
        full = all(
            int(_counts(case, name, beside)[there].min()) >= _carried(case, name, beside)[1]
            for name in _sides(case)
            for beside, there in case.sides(name)
        )
        if full:
            yield warning(
                statement.where,
                "the conditions on the boundary determine the solution already.",
                "Drop it, give it as `data`, or leave a number or a condition open that it "
                "determines.",
            )


def _single(case: Case) -> list[tuple[Any, Statement]]:
    """The conditions that are one number each: at a point, or an integral over the domain."""

    def is_single(place: Any, statement: Statement) -> bool:
        if isinstance(place, Point):
            return True
        jets = structure.jet_expression(statement.expression).symbols
        return isinstance(place, Interior) and all(j.place is not None for j in jets)

    sound = ((c, s) for c, s in case.conditions if case.refusal(s.expression) is None)
    return [(c, s) for c, s in sound if is_single(c.part, s)]


def _counts(case: Case, name: str, names: tuple[str, ...] = ()) -> np.ndarray:
    """The number of distinct conditions at each sampled point of a part, on the unknowns that live
    in the named regions; one that ties two parts together, as of periodic ends, counts half on
    each."""
    covered: dict[object, np.ndarray] = {}
    weights: dict[object, float] = {}
    living = set(case.lives_in(*names))
    for condition, statement, points in case.conditions_on(name):
        if not living >= set(unknowns_in([statement.expression])):
            continue
        key = _subject(condition, statement)
        covered[key] = covered.get(key, False) | points
        weights[key] = 0.5 if case.tied_to(condition.part, statement.expression) else 1.0
    total = np.zeros(len(case.samples[name].points))
    for key, where in covered.items():
        total += weights[key] * where
    for condition, statement in case.placed:
        total += 0.5 * (name in case.tied_to(condition.part, statement.expression))
    return np.floor(total).astype(int)


def _subject(condition, statement: Statement) -> object:
    """What a condition is about; two values stated for one field count once."""
    try:
        held = structure.jet_expression(statement.expression)
    except ValueError:
        return statement.expression
    jets = tuple(held.symbols)
    return jets[0] if len(jets) == 1 and held.slope(jets[0]).is_number else statement.expression


def _count_of(case: Case, f: AppliedUndef, part: str) -> int:
    """The conditions on a field at all points of a part in time."""
    own: dict[object, np.ndarray] = {}
    for condition, statement, points in case.conditions_on(part):
        if f in unknowns_in([statement.expression]):
            key = _subject(condition, statement)
            own[key] = own.get(key, False) | points
    if not own:
        return 0
    there = [w for names, w in case.sides(part) if f in case.lives_in(*names)]
    return int(np.sum(list(own.values()), axis=0)[np.any(there, axis=0)].min())


def _total_in_time(case: Case) -> int:
    return sum(int(_counts(case, part).min()) for part in TIME_PARTS)


def _carried(case: Case, name: str, names: tuple[str, ...]) -> tuple[int, int]:
    """The least and the greatest number of conditions that the equations carry on a part next to
    the named regions. An unknown that goes on across an interface needs none there."""
    crossed, continued = _crossed(case, name), _continued(case, names)
    orders = {
        f: max((case.orders[f].get(c, 0) for c in crossed), default=0)
        for f in case.lives_in(*names)
    }
    most = sum(m if f in continued else (m + 1) // 2 for f, m in orders.items())
    if _degenerate(case, name):
        return 0, most
    free = {*case.coefficients, *continued}
    return sum(m // 2 for f, m in orders.items() if f not in free), most


def _continued(case: Case, names: tuple[str, ...]) -> set[AppliedUndef]:
    """The unknowns that live on both sides of an interface."""
    if len(names) < 2:
        return set()
    return set.intersection(*(set(case.lives_in(name)) for name in names))


def _crossed(case: Case, name: str) -> tuple:
    """The coordinates along which the normals of a part have a component."""
    touched = (np.abs(case.samples[name].normals) > 1e-9).any(axis=0)
    return tuple(c for c, touches in zip(case.coordinates, touched, strict=True) if touches)


def _degenerate(case: Case, name: str) -> bool:
    """Whether the coefficients of the highest derivatives across a part vanish on all of it, or
    others are infinite there, as at the axis of polar coordinates: the equations then carry fewer
    conditions."""
    crossed = set(_crossed(case, name))
    for statement in case.equations:
        held = structure.jet_expression(statement.expression)
        if not held.expression.free_symbols & set(case.coordinates):
            continue
        for jet in held.symbols:
            slope = held.slope(jet)
            if not slope.free_symbols & set(case.coordinates):
                continue
            part = structure.JetExpression(slope, held.symbols)
            values = evaluate(part, case.coordinates, case.samples[name].points)
            across = sum(jet.order(c) for c in crossed & set(jet.field.args))
            highest = max(case.orders[jet.field].get(c, 0) for c in crossed)
            vanishes = across == highest > 0 and not np.any(np.abs(values) > 1e-9)
            if vanishes or not np.isfinite(values).any():
                return True
    return False


def _absorbing(case: Case) -> bool:
    """Whether unknown numbers or coefficients can take up further conditions."""
    return bool(case.identified or case.coefficients)


def _level(case: Case):
    """Data can take the place of conditions, and contradict them: then it is a matter of doubt."""
    return warning if case.problem.data else error


def _lacking(case: Case, name: str, names: tuple[str, ...]) -> str:
    """A remedy that names the fields without a condition on a part."""
    present = unknowns_in(s.expression for _, s, _ in case.conditions_on(name))
    crossed = _crossed(case, name)
    lacking = [
        str(f)
        for f in case.lives_in(*names)
        if f not in present and max((case.orders[f].get(c, 0) for c in crossed), default=0) > 1
    ]
    what = f"on {', '.join(lacking)} " if lacking else ""
    return f"Add conditions {what}there: a value, a flux, or a mixture of both."


def _number(n: int, word: str) -> str:
    return f"{'no' if n == 0 else n} {word}{'' if n == 1 else 's'}"


def _range(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} to {most}"
