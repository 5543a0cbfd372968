"""Checks of scales: numbers far from one, and layers and waves that need a fine resolution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import structure
from ..scaling.scales import FAR
from ..scaling.scaling import NotScalable, is_near_one
from ..scaling.terms import FEW, Reader, Row, Term
from ..symbols import is_time, spatial
from .case import Case, evaluate
from .findings import Finding, note, warning

THIN = 0.01  # of the domain: a mesh or a network of the usual size does not carry thinner layers
BRIEF = 0.003  # of the duration
MANY = 8.0  # waves across the domain
PER_WAVE = 4  # lengths of the resolution


def scales(case: Case) -> Iterator[Finding]:
    """Numbers of the statement are near one, or the problem has a dimensionless form."""
    if case.problem.scaling is not None or _is_broken(case):
        return
    scaling = case.scaling
    if is_near_one(scaling, case.problem):
        return
    far = [f"{s} of about {u:.2g}" for s, u in scaling.units.items() if not FAR[0] <= u <= FAR[1]]
    far += [f"{f} near {offset:.4g}" for f, offset in scaling.offsets.items()]
    message = f"numbers far from one: {', '.join(far) or 'coefficients of the equations'}."
    try:
        scaling.apply(case.problem)
    except NotScalable as reason:
        yield warning(
            "scales",
            f"{message} There is no dimensionless form, for {str(reason).partition(': ')[2]}",
            "Choose units of measurement in which they are near one.",
        )
    else:
        yield note(
            "scales",
            message,
            "`solve` takes the dimensionless form by itself and answers in these units; "
            "`problem.nondimensionalize()` shows it.",
        )


@dataclass(frozen=True)
class _Balance:
    """The sizes of the terms of an equation that act on its own field, for one unit of it."""

    diffusion: float = 0.0
    advection: float = 0.0
    reaction: float = 0.0
    storage: float = 0.0
    inertia: float = 0.0


def layers(case: Case) -> Iterator[Finding]:
    """Layers and waves are not much shorter than the domain."""
    if _is_broken(case) or len(case.coordinates) > FEW:
        return
    reader = Reader(case.problem, case.scaling.offsets)
    lower, upper = case.domain.bounds
    extents = dict(zip(case.coordinates, (upper - lower).tolist(), strict=True))
    across = min((extents[c] for c in spatial(case.coordinates)), default=None)
    for statement, row in zip(case.equations, reader.equations, strict=True):
        own = _own(statement.expression) if row is not None else None
        if row is None or own is None:
            continue
        balance = _balance(case, row, own, case.scaling.units)
        if across is not None and balance.diffusion:
            yield from _in_space(case, statement, own, balance, across)
        if balance.storage and balance.reaction:
            yield from _in_time(case, statement, own, balance, extents)
    yield from _data(case, reader)


def _is_broken(case: Case) -> bool:
    return any(case.refusal(s.expression) for s in case.statements) or not case.fields


def _own(residual: Any) -> Any:
    jets = structure.jet_expression(residual).symbols
    highest = max(jets, key=lambda j: j.order(), default=None)
    return highest.field if highest is not None and highest.order() else None


def _balance(case: Case, row: Row, own: Any, units: Mapping[Any, float]) -> _Balance:
    sizes: dict[str, float] = {}
    space = [case.coordinates.index(c) for c in spatial(case.coordinates)]
    for term in row.terms:
        along = sum(term.orders[i] for i in space)
        name = _class(term, own, along, sum(term.orders) - along)
        if name is not None:
            still = tuple(1.0 for _ in term.orders)
            size = term.magnitude(units, still) / units[own]
            sizes[name] = max(sizes.get(name, 0.0), size)
    return _Balance(**sizes)


def _class(term: Term, own: Any, along: float, in_time: float) -> str | None:
    if own not in dict(term.powers):
        return None
    if in_time:
        return {(0, 1): "storage", (0, 2): "inertia"}.get((int(along), int(in_time)))
    return {0: "reaction", 1: "advection", 2: "diffusion"}.get(int(along))


def _in_space(case: Case, statement: Any, own: Any, b: _Balance, across: float) -> Iterator:
    layer = b.diffusion / b.advection if b.advection else np.inf
    length = float(np.sqrt(b.diffusion / b.reaction)) if b.reaction else np.inf
    waves = across / (2 * np.pi * length)
    finding = note if case.resolution is None else warning
    if _oscillates(case, statement, own):
        if _is_short(case, 2 * np.pi * length, across):
            yield finding(
                statement.where,
                f"waves of {own} of length {2 * np.pi * length:.2g}, {waves:.0f} across the "
                "domain.",
                _finer(2 * np.pi * length / 8),
            )
    else:
        layer = min(layer, length)
    if layer < (case.resolution or THIN * across):
        yield finding(
            statement.where,
            f"layers or fronts of {own} may be as thin as {layer:.2g}, "
            f"{100 * layer / across:.1g} % of the domain.",
            _finer(layer / 4),
        )


def _oscillates(case: Case, statement: Any, own: Any) -> bool:
    """Whether diffusion and reaction have the signs of waves, as in Helmholtz's equation."""
    held = structure.jet_expression(statement.expression)
    signs = []
    for jet in held.symbols:
        if jet.field == own and jet.order() in (0, 2):
            slope = structure.JetExpression(held.slope(jet), held.symbols)
            if slope.expression.free_symbols & set(held.symbols.values()):
                return False  # it depends on the solution
            values = evaluate(slope, case.coordinates, case.interior)
            signs.append((jet.order(), np.sign(np.median(np.real(values)))))
    value = next((s for order, s in signs if order == 0), 0.0)
    return any(order == 2 and s == value != 0 for order, s in signs)


def _in_time(case: Case, statement: Any, own: Any, b: _Balance, extents: Mapping) -> Iterator:
    moment = b.storage / b.reaction
    duration = next(e for c, e in extents.items() if is_time(c))
    if moment < BRIEF * duration and not (b.diffusion or b.inertia):
        yield note(
            statement.where,
            f"{own} changes within times of about {moment:.2g}, {100 * moment / duration:.1g} % "
            "of the duration: the equation is stiff.",
            "Shorten the time, or drop what has settled at once.",
        )


def _data(case: Case, reader: Reader) -> Iterator[Finding]:
    """Sources and stated values vary over lengths that can be carried."""
    rows = [(s.where, reader.row(s.expression)) for s in case.equations]
    rows += [(s.where, reader.row(s.expression, c.part)) for c, s in case.placed]
    finding = note if case.resolution is None else warning
    for where, row in rows:
        if row is None or not row.drive:
            continue
        for c, wave, least in zip(case.coordinates, row.waves, row.lengths, strict=True):
            waves = wave / least / (2 * np.pi)
            if _is_short(case if c in spatial([c]) else None, 2 * np.pi / wave, 1 / least):
                yield finding(
                    where,
                    f"what is given varies along {c} over lengths of about {1 / wave:.2g}, "
                    f"like {waves:.0f} waves across the domain.",
                    _finer(2 * np.pi / wave / 8),
                )


def _is_short(case: Case | None, wave: float, across: float) -> bool:
    """Whether a wave is too short for the resolution, or for the usual ones where none is given."""
    given = None if case is None else case.resolution
    return wave < (across / MANY if given is None else PER_WAVE * given)


def _finer(size: float) -> str:
    return (
        f"Resolve it: `FiniteElements(size={size:.1g})`, or a network with more points; "
        "trust the error estimate, not the loss."
    )
