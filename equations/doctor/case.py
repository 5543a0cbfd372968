"""The case: a problem under examination, with everything that several checks need, made once."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from .. import structure
from ..compile import expand, lambdify, require_compilable
from ..elsewhere import At
from ..regions import space_of_domain
from ..symbols import NormalComponent, Parameter, fields_in

INTERIOR_POINTS = 200
PART_POINTS = 128
TIME_PARTS = ("initial", "final")


@dataclass(frozen=True)
class Statement:
    """One scalar expression of the problem and where it stands; `region` that of an equation which
    holds in one region alone."""

    where: str
    expression: sympy.Expr
    region: str | None = None


@dataclass(eq=False)
class Case:
    """A problem under examination; `resolution` is the length that the chosen method carries."""

    problem: Any
    resolution: float | None = None
    _covers: dict[tuple[Any, str], np.ndarray] = field(default_factory=dict)
    _ties: dict[tuple[Any, sympy.Expr], tuple[str, ...]] = field(default_factory=dict)

    # The statement

    @property
    def domain(self) -> Any:
        """The domain of the problem."""
        return self.problem.domain

    @cached_property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """The coordinates in the order of the domain's axes."""
        return self.problem.coordinates

    @cached_property
    def space(self) -> tuple[sympy.Symbol, ...]:
        """The coordinates without the time of the domain."""
        return tuple(c for c in self.coordinates if c.name != self.time)

    @cached_property
    def time(self) -> str | None:
        """The name of the domain's time axis, if it has one."""
        time = getattr(self.domain, "time", None)
        return time[0] if time else None

    @cached_property
    def equations(self) -> tuple[Statement, ...]:
        """The residuals of the equations, as they are in their regions."""
        rows = [(r, e.region) for e in self.problem.equations for r in e.residuals]
        return tuple(
            Statement(f"{w} in {region}" if region else w, r, region)
            for w, (r, region) in zip(_numbered("equation", rows), rows, strict=True)
        )

    @cached_property
    def regions(self) -> dict[str, Any]:
        """The regions by name, without time, where equations hold in single ones; else none."""
        if not any(s.region for s in self.equations):
            return {}
        return dict(space_of_domain(self.domain).regions)

    def lives_in(self, *names: str) -> tuple[AppliedUndef, ...]:
        """The unknowns that live in one of these regions; all of them where none is named."""
        where = structure.regions(self.problem) if names else {}
        return tuple(f for f in self.fields if not names or set(names) & set(where[f]))

    @cached_property
    def conditions(self) -> tuple[tuple[Any, Statement], ...]:
        """The residuals of the conditions, each with its condition."""
        return tuple(
            (condition, Statement(f"on {condition.label}", residual))
            for condition in self.problem.conditions
            for residual in condition.equation.residuals
        )

    @cached_property
    def placed(self) -> tuple[tuple[Any, Statement], ...]:
        """The conditions whose place exists, in as many dimensions as the domain."""
        return tuple(
            (condition, statement)
            for condition, statement in self.conditions
            if getattr(condition.part, "dimension", None) == self.domain.dimension
        )

    @cached_property
    def data(self) -> tuple[Statement, ...]:
        """The measured expressions."""
        data = self.problem.data
        return tuple(
            Statement(w, e)
            for w, item in zip(_numbered("data", data), data, strict=True)
            for e in item.values
        )

    @property
    def measured(self) -> Iterator[tuple[Statement, np.ndarray]]:
        """The measured expressions with their points, where these have the domain's dimension."""
        points = (item.points for item in self.problem.data for _ in item.values)
        pairs = zip(self.data, points, strict=True)
        return ((s, p) for s, p in pairs if p.shape[1] == self.domain.dimension)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """All scalar expressions of the problem."""
        return (*self.equations, *(s for _, s in self.conditions), *self.data)

    @cached_property
    def fields(self) -> tuple[AppliedUndef, ...]:
        """The unknown fields of the equations."""
        return tuple(f for f in self.problem.fields if is_field(f))

    @cached_property
    def orders(self) -> dict[AppliedUndef, dict[sympy.Symbol, int]]:
        """The highest order of derivative of each field along each coordinate."""
        return structure.orders(self.problem)

    @cached_property
    def coefficients(self) -> tuple[AppliedUndef, ...]:
        """Fields that outnumber the equations, lowest order first: coefficients to identify."""
        surplus = max(len(self.fields) - len(self.equations), 0)
        return tuple(f for group in self.groups[::-1] for f in group[::-1])[:surplus]

    @cached_property
    def groups(self) -> tuple[tuple[AppliedUndef, ...], ...]:
        """The fields by their highest order of derivative, highest first."""
        return structure.groups(self.problem)

    @property
    def identified(self) -> tuple[Parameter, ...]:
        """The numbers to be identified."""
        return tuple(p for p in self.problem.parameters if p.role == "number")

    # What can be computed

    def refusal(self, expression: sympy.Expr) -> str | None:
        """Why an expression cannot become numbers; None where it can."""
        return _refusal(expression, self.coordinates)

    def sound(self, statements: Any) -> Iterator[Statement]:
        """Those statements that can become numbers; the others have a finding of their own."""
        return (s for s in statements if self.refusal(s.expression) is None)

    # Numbers

    @cached_property
    def scaling(self) -> Any:
        """The characteristic scales of the problem."""
        from ..scaling import Scaling  # which reads problems by `evaluate`

        return Scaling.of(self.problem)

    @cached_property
    def interior(self) -> np.ndarray:
        """Sobol points of the interior."""
        return np.asarray(self.domain.sample_interior(INTERIOR_POINTS, key=0).points)

    def interior_of(self, statement: Statement) -> np.ndarray:
        """Points at which an equation holds: of the interior, or of its region."""
        if statement.region not in self.domain.regions:
            return self.interior
        shape = self.domain.regions[statement.region]
        return np.asarray(shape.sample_interior(INTERIOR_POINTS, key=0).points)

    @cached_property
    def parts(self) -> dict[str, Any]:
        """A sample of every part of the boundary, by name."""
        return {name: self._sample(name) for name in self.domain.parts}

    @cached_property
    def interfaces(self) -> dict[str, Any]:
        """A sample of every interface across which unknowns end, by name."""
        return {name: self._sample(name) for name in self.domain.interfaces if self.regions}

    @cached_property
    def samples(self) -> dict[str, Any]:
        """The samples of parts and interfaces."""
        return self.parts | self.interfaces

    def _sample(self, name: str) -> Any:
        return self.domain[name].sample(PART_POINTS, key=1, sampler="sobol")

    def sides(self, name: str) -> Iterator[tuple[tuple[str, ...], np.ndarray]]:
        """The regions next to a part or interface, and at which of its sampled points; one pair
        without names where the domain is one."""
        sample = self.samples[name]
        if not self.regions:
            yield (), np.full(len(sample.points), True)
            return
        columns = [i for i, axis in enumerate(self.domain.axes) if axis != self.time]
        step = 1e-6 * self.domain.size * sample.normals
        places = [sample.points - step] + ([sample.points + step] if "|" in name else [])
        space = space_of_domain(self.domain)
        index = np.stack([space.region_of(p[:, columns]) for p in places])
        for column in np.unique(index, axis=1).T:
            names = tuple(list(self.regions)[i] for i in column if i >= 0)
            yield names, np.all(index == column[:, None], axis=0)

    def covers(self, place: Any, name: str) -> np.ndarray:
        """Which sampled points of the named part the place of a condition covers."""
        if (place, name) not in self._covers:
            self._covers[place, name] = self._covered(place, name)
        return self._covers[place, name]

    def _covered(self, place: Any, name: str) -> np.ndarray:
        points = self.samples[name].points
        if getattr(place, "shape", None) == self.domain:  # parts of one shape meet in rims alone
            if name not in place.names or not place.condition:
                return np.full(len(points), name in place.names)
        return np.asarray(place.contains(points))

    def conditions_on(self, name: str) -> Iterator[tuple[Any, Statement, np.ndarray]]:
        """The conditions on unknowns of the equations that touch the named part, with the sampled
        points that they cover."""
        for condition, statement in self.placed:
            held = unknowns_in([statement.expression])
            if held and set(held) <= set(self.fields):
                covered = self.covers(condition.part, name)
                if covered.any():
                    yield condition, statement, covered

    def tied_to(self, place: Any, expression: sympy.Expr) -> tuple[str, ...]:
        """The parts at whose points a condition takes fields besides those of its place."""
        moved = {node for node in expression.atoms(At) if unknowns_in([node])}
        if not moved or getattr(place, "dimension", None) != self.domain.dimension:
            return ()
        if (place, expression) not in self._ties:
            self._ties[place, expression] = tuple(self._reached(place, moved))
        return self._ties[place, expression]

    def _reached(self, place: Any, moved: Any) -> Iterator[str]:
        points = np.asarray(place.sample(16, key=3).points)
        for node in moved:
            new = [node.moves.get(c, c) for c in self.coordinates]
            arrived = np.stack([np.real(self.evaluate(e, points)) for e in new], axis=-1)
            for name in self.domain.parts:
                if np.asarray(self.domain[name].contains(arrived)).all():
                    yield name

    def evaluate(self, expression: Any, points: np.ndarray, normals: Any = None) -> np.ndarray:
        """An expression at points, for smooth positive made-up jets; not finite where undefined."""
        return evaluate(structure.jet_expression(expression), self.coordinates, points, normals)


def evaluate(
    held: structure.JetExpression,
    coordinates: tuple[sympy.Symbol, ...],
    points: np.ndarray,
    normals: np.ndarray | None = None,
) -> np.ndarray:
    """An expression on jet space at points, for smooth positive made-up values of its jets."""
    points = np.asarray(points, dtype=float)
    values: dict[sympy.Symbol, Any] = dict(zip(coordinates, points.T, strict=True))
    free = held.expression.free_symbols
    for jet, symbol in held.symbols.items():
        if symbol in free:
            values[symbol] = _made_up(f"{jet.field}{jet.orders}", points)
    axes = [c.name for c in coordinates]
    for symbol in free - set(values):
        if isinstance(symbol, NormalComponent):
            known = normals is not None and symbol.axis in axes
            values[symbol] = np.asarray(normals)[:, axes.index(symbol.axis)] if known else 0.5
        elif isinstance(symbol, Parameter):
            values[symbol] = spread(symbol, len(points))
    used = tuple(sorted(free, key=str))
    with np.errstate(all="ignore"):
        result = _numpy(used, held.expression)(*(values[s] for s in used))
        return np.broadcast_to(np.asarray(result), points.shape[:1])


def _numbered(word: str, items: Any) -> list[str]:
    return [f"{word} {i + 1}" for i in range(len(items))] if len(items) > 1 else [word] * len(items)


@lru_cache(maxsize=4096)
def _refusal(expression: sympy.Expr, coordinates: tuple[sympy.Symbol, ...]) -> str | None:
    try:
        require_compilable(expand(expression), coordinates)
    except (TypeError, ValueError) as reason:
        return str(reason)
    return None


@lru_cache(maxsize=1024)
def _numpy(arguments: tuple[sympy.Symbol, ...], expression: sympy.Expr) -> Any:
    if expression.is_number:
        number = complex(expression)
        return lambda: number if number.imag else number.real
    function = lambdify(arguments, [expression], modules=["numpy", "scipy"])
    return lambda *values: function(*values)[0]


def _made_up(name: str, points: np.ndarray) -> np.ndarray:
    """A smooth field between 0.5 and 1.5 that depends on the name alone."""
    random = np.random.default_rng(zlib.crc32(name.encode()))
    wave = points @ random.uniform(0.5, 2, points.shape[1]) + random.uniform(0, 6)
    return 1 + 0.5 * np.cos(wave)


def spread(parameter: Parameter, n: int) -> np.ndarray:
    """Values of a parameter at n points: its first guess, or its range from end to end."""
    if parameter.between is None:
        return np.full(n, parameter.initial)
    return np.linspace(*parameter.between, n)


def both_ends_of_time(case: Case) -> str:
    """A remedy where one condition holds on 'initial' and on 'final', as on "boundary"."""
    sides = ", ".join(repr(name) for name in case.parts if name not in TIME_PARTS)
    for condition, _ in case.conditions:
        if set(TIME_PARTS) <= set(getattr(condition.part, "names", ())):
            return f"{condition.label!r} holds both ends of time: name the sides, {sides}."
    return ""


def is_field(f: AppliedUndef) -> bool:
    """Whether it is a field at the point, not one taken elsewhere, as f(0)."""
    return all(isinstance(a, sympy.Symbol) for a in f.args)


def at(point: np.ndarray, coordinates: tuple[sympy.Symbol, ...]) -> str:
    """A point in words: `x = 0.5, y = 1`."""
    return ", ".join(f"{c} = {float(v):.4g}" for c, v in zip(coordinates, point, strict=True))


def unknowns_in(expressions: Any) -> tuple[AppliedUndef, ...]:
    """The fields in several expressions, in order of appearance."""
    return tuple(dict.fromkeys(f for e in expressions for f in fields_in(e)))
