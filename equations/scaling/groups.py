"""Dimensionless groups: the ratios of the terms of a dimensionless problem, by their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import structure
from ..symbols import is_time, spatial
from .terms import Reader, Row, Term

TIME, ADVECTION, DIFFUSION, REACTION = "time", "advection", "diffusion", "reaction"


def dimensionless_groups(problem: Any) -> tuple[tuple[str, float], ...]:
    """(name, value) of the groups that the terms of a dimensionless problem make.

    Re and Pe: advection over diffusion, of a field that advects itself and of another one. Fo:
    diffusion over storage. Sr: storage over advection. Da: reaction over diffusion. Co: the square
    root of stiffness over inertia, a wave's path in units of the length. Bi: transfer over
    conduction through a boundary.
    """
    reader = Reader(problem)
    found: dict[str, float] = {}
    for name, value in (*_of_equations(problem, reader), *_of_conditions(problem, reader)):
        found.setdefault(name, float(f"{value:.6g}"))
    return tuple(found.items())


def _of_equations(problem: Any, reader: Reader) -> Iterator[tuple[str, float]]:
    for residual, row in zip(problem.residuals, reader.equations, strict=True):
        own = None if row is None else _own_field(problem, residual)
        if row is None or own is None:
            continue
        sizes, advects_itself = _sizes(problem, row, own)
        for name, over, under in (
            ("Re" if advects_itself else "Pe", ADVECTION, DIFFUSION),
            ("Fo", DIFFUSION, TIME),
            ("Sr", TIME, ADVECTION),
            ("Da", REACTION, DIFFUSION),
        ):
            if over in sizes and under in sizes:
                yield name, sizes[over] / sizes[under]
        if "inertia" in sizes and DIFFUSION in sizes:
            yield "Co", (sizes[DIFFUSION] / sizes["inertia"]) ** 0.5


def _own_field(problem: Any, residual: Any) -> Any:
    """The field that an equation is about: of a time derivative, else of the highest one."""
    jets = list(structure.jet_expression(residual).symbols)
    stored = [j for j in jets if any(is_time(a) and j.order(a) for a in j.field.args)]
    chosen = max(stored or jets, key=lambda j: j.order(), default=None)
    return None if chosen is None or not chosen.order() else chosen.field


def _sizes(problem: Any, row: Row, own: Any) -> tuple[dict[str, float], bool]:
    """The largest coefficient of each class of terms, and whether the field advects itself."""
    sizes: dict[str, float] = {}
    advects_itself = False
    space = [i for i, c in enumerate(problem.coordinates) if c in spatial(problem.coordinates)]
    for term in row.terms:
        powers = dict(term.powers)
        kind = _class(term, powers, own, space)
        if kind is None:
            continue
        sizes[kind] = max(sizes.get(kind, 0.0), term.size)
        advects_itself |= kind == ADVECTION and powers.get(own, 0) == 2
    return sizes, advects_itself


def _class(term: Term, powers: dict, own: Any, space: list[int]) -> str | None:
    if own not in powers:
        return None
    along = sum(term.orders[i] for i in space)
    in_time = sum(term.orders) - along
    if in_time:
        return {1: TIME, 2: "inertia"}.get(int(in_time)) if not along else None
    if along in (1, 2):
        return ADVECTION if along == 1 else DIFFUSION
    return REACTION if along == 0 else None


def _of_conditions(problem: Any, reader: Reader) -> Iterator[tuple[str, float]]:
    for row in filter(None, reader.conditions):
        values = [t for t in row.terms if not any(t.orders)]
        slopes = [t for t in row.terms if sum(t.orders) == 1]
        fields = {f for t in row.terms for f, _ in t.powers}
        if len(fields) == 1 and values and slopes:
            yield "Bi", max(t.size for t in values) / max(t.size for t in slopes)
