"""Checks of places where two conditions meet: corners, the initial instant, periodic ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import sympy

from .. import structure
from .case import TIME_PARTS, Case, at
from .findings import Finding, note

Entry = tuple[sympy.Expr, np.ndarray]  # a value, and which points of a part it is stated at
Values = dict[Any, list[tuple[str, Entry]]]
FACING = -0.99  # the product of normals below which two places lie across a gap and do not meet


def corners(case: Case) -> Iterator[Finding]:
    """Values stated on adjoining places agree where the places meet."""
    stated = {name: _stated(case, name) for name in case.parts}
    pairs = [*combinations(case.parts, 2), *((name, name) for name in case.parts)]
    places: dict[tuple, list[tuple[str, str, np.ndarray]]] = {}
    for a, b in pairs:
        for f in stated[a].keys() & stated[b].keys():
            for one, other in _entries(stated[a][f], stated[b][f], a == b):
                point = _conflict(case, (a, *one[1]), (b, *other[1]))
                if point is not None:
                    key = (f, one[0], one[1][0], other[0], other[1][0])
                    places.setdefault(key, []).append((a, b, point))
    for (f, label_a, g_a, label_b, g_b), found in places.items():
        names = list(dict.fromkeys(name for a, b, _ in found for name in (a, b)))
        spots = dict.fromkeys(at(point, case.coordinates) for *_, point in found)
        yield note(
            f"on {', '.join(names)}",
            f"{f} = {g_a} on {label_a} and {f} = {g_b} on {label_b} disagree where they meet, at "
            f"{' and at '.join(spots)}.",
            "The solution is singular there; expect the largest error, or blend the two values.",
        )


def _entries(one: list, other: list, is_same: bool) -> Iterator[tuple]:
    """Pairs of values that may disagree: on two parts, or on two pieces of one."""
    for a, b in combinations(one, 2) if is_same else product(one, other):
        apart = not is_same or not (a[1][1] & b[1][1]).any()
        if a[1][0] != b[1][0] and apart:
            yield a, b


def _stated(case: Case, name: str) -> Values:
    """The values of fields stated on a part or on pieces of it: `{u: [(label, entry)]}`."""
    found: Values = {}
    for condition, statement, covered in case.conditions_on(name):
        stated = structure.stated_value(statement.expression)
        if stated and stated[0].is_value:
            entry = (condition.label, (stated[1], covered))
            found.setdefault(stated[0].field, []).append(entry)
    return found


def _conflict(case: Case, one: tuple, other: tuple) -> np.ndarray | None:
    """A point where two adjoining places meet and their values differ, if there is one."""
    (a, g_a, at_a), (b, g_b, at_b) = one, other
    instants = [p for p in (a, b) if p in TIME_PARTS and case.time]
    if instants and a != b:
        if len(instants) == 2 or not (at_a.all() and at_b.all()):
            return None
        return _conflict_in_time(case, b if instants[0] == a else a, instants[0], g_a, g_b)
    first, second = case.parts[a], case.parts[b]
    points, others = first.points[at_a], second.points[at_b]
    distance = _distances(case, points, others)
    i, j = np.unravel_index(np.argmin(distance), distance.shape)
    faces = first.normals[at_a][i] @ second.normals[at_b][j] < FACING
    if faces or distance[i, j] > 2 * max(_spacing(case, first), _spacing(case, second)):
        return None
    ends = np.stack([points[i], others[j]])
    values_a, values_b = case.evaluate(g_a, ends), case.evaluate(g_b, ends)
    # Both expressions are known beyond their part: a jump is a gap that their variation from one
    # point to the other does not explain.
    variation = abs(values_a[1] - values_a[0]) + abs(values_b[1] - values_b[0])
    if abs(values_a[0] - values_b[1]) <= 3 * variation + _rounding(case, a, b, g_a, g_b):
        return None
    normals = np.stack([first.normals[at_a][i], second.normals[at_b][j]])
    return _meeting(ends, normals)


def _meeting(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """The point next to two points of a boundary where their tangent planes meet."""
    middle = points.mean(axis=0)
    heights = np.sum(normals * (points - middle), axis=1)
    meeting = middle + np.linalg.lstsq(normals, heights, rcond=None)[0]
    return np.where(np.abs(meeting) < 1e-12, 0, meeting)


def _conflict_in_time(
    case: Case, side: str, instant: str, g_a: sympy.Expr, g_b: sympy.Expr
) -> np.ndarray | None:
    _, start, end = case.domain.time
    points = np.array(case.parts[side].points)
    points[:, case.domain.axes.index(case.time)] = start if instant == "initial" else end
    gap = np.abs(case.evaluate(g_a, points) - case.evaluate(g_b, points))
    worst = int(np.argmax(gap))
    return points[worst] if gap[worst] > _rounding(case, side, instant, g_a, g_b) else None


def _rounding(case: Case, a: str, b: str, g_a: sympy.Expr, g_b: sympy.Expr) -> float:
    """A difference of two values on two parts that counts as none."""
    values = [case.evaluate(g, case.parts[p].points) for g, p in ((g_a, a), (g_b, b), (g_a, b))]
    return 1e-6 * max(float(np.max(np.abs(v))) for v in values) + 1e-12


def _distances(case: Case, points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """All distances from points to others, each axis in parts of the domain's extent: a second is
    no length, and a plate may be thin."""
    lower, upper = case.domain.bounds
    return np.linalg.norm((points[:, None] - others[None]) / np.subtract(upper, lower), axis=-1)


def _spacing(case: Case, sample: Any) -> float:
    """The typical distance from a sampled point of a part to the next."""
    distance = _distances(case, sample.points, sample.points)
    apart = np.where(distance > 0, distance, np.inf).min(axis=1)
    return float(np.mean(apart)) if np.isfinite(apart).all() else 0.0


def periodicity(case: Case) -> Iterator[Finding]:
    """Initial values, their slopes, and the equations agree at periodic ends."""
    lower, upper = case.domain.bounds
    for axis in case.domain.periods:
        i = case.domain.axes.index(axis)
        ends = [np.array(case.interior) for _ in range(2)]
        ends[0][:, i], ends[1][:, i] = lower[i], upper[i]
        yield from _periodic_data(case, case.coordinates[i], ends)
        yield from _periodic_equations(case, axis, i, ends)


def _periodic_data(case: Case, axis: sympy.Symbol, ends: list[np.ndarray]) -> Iterator[Finding]:
    for _, statement in case.placed:
        stated = structure.stated_value(statement.expression)
        if stated is None or case.refusal(statement.expression):
            continue
        jet, value = stated
        if not _differ(case, value, ends):
            smooth = max(case.orders.get(jet.field, {}).get(axis, 0) - 1, 0)
            slopes = (sympy.diff(value, axis, k) for k in range(1, smooth + 1))
            if any(_differ(case, slope, ends) for slope in slopes):
                yield note(
                    statement.where,
                    f"{jet.expression()} = {value} has a kink at the periodic ends of {axis}.",
                    "The condition must stay soft (not built into the ansatz): the kink would be "
                    "kept for all time, and no point sees it.",
                )
        else:
            yield note(
                statement.where,
                f"{jet.expression()} = {value} is not periodic in {axis}: it jumps at the ends.",
                "State a periodic value, or a domain without that period.",
            )


def _periodic_equations(case: Case, axis: str, i: int, ends: list) -> Iterator[Finding]:
    for statement in case.sound(case.equations):
        held = structure.jet_expression(statement.expression)
        if held.expression.has(case.coordinates[i]):
            fixed = held.expression.xreplace(
                {s: sympy.Rational(3, 4) for s in held.symbols.values()}
            )
            if _differ(case, fixed, ends):
                yield note(
                    statement.where,
                    f"its coefficients or sources are not periodic in {axis}.",
                    "They jump at the ends; the solution is less smooth there.",
                )


def _differ(case: Case, expression: sympy.Expr, ends: list[np.ndarray]) -> bool:
    low, high = (case.evaluate(expression, end) for end in ends)
    inside = case.evaluate(expression, case.interior)
    scale = max(float(np.max(np.abs(v))) for v in (low, high, inside))
    return bool(np.max(np.abs(low - high)) > 1e-6 * scale + 1e-12)
