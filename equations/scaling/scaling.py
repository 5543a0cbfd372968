"""The scaling: characteristic scales of a problem, and its statement in numbers of order one.

A coordinate x becomes L x', a field u becomes u0 + U u', a number to identify p becomes P p', and
equations are divided by their largest term. The dimensionless statement has the same symbols, so
that any expression is carried over by one substitution (`Rewriting`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from geometry.rescale import rescaled, rescaled_place

from ..equation import Eq
from ..interior import Interior
from ..symbols import Parameter
from .groups import dimensionless_groups
from .rewriting import NotScalable, Rewriting
from .scales import coordinate_units, field_units, parameter_units
from .terms import Reader

__all__ = ["NotScalable", "Scaling", "nondimensionalize"]

NEAR_ONE = (1 / 30, 30.0)  # scales in this range leave a problem as it is
BALANCED = (1e-3, 1e3)  # and largest terms of equations in this one
_UNKNOWN = (ArithmeticError, LookupError, NotImplementedError, TypeError, ValueError)


@dataclass(frozen=True)
class Scaling:
    """The characteristic scales of a problem, and its dimensionless groups.

    Attributes:
        coordinates: (symbol, unit) pairs: lengths and the duration that become one.
        fields: (field, unit, offset) triples: u stands for offset + unit * u.
        parameters: (parameter, unit) pairs.
        groups: (name, value) pairs, as ("Re", 100.0).
    """

    coordinates: tuple[tuple[sympy.Symbol, float], ...]
    fields: tuple[tuple[AppliedUndef, float, float], ...]
    parameters: tuple[tuple[Parameter, float], ...] = ()
    groups: tuple[tuple[str, float], ...] = ()

    @classmethod
    def of(cls, problem: Any) -> Scaling:
        """The characteristic scales of a problem."""
        return cls(coordinate_units(problem), field_units(problem), parameter_units(problem))

    @property
    def parts(self) -> tuple[Any, ...]:
        """What the scaling is made of: `Scaling(*scaling.parts)` is the same one."""
        return self.coordinates, self.fields, self.parameters, self.groups

    @cached_property
    def units(self) -> Mapping[Any, float]:
        """The unit of each coordinate, field and parameter."""
        pairs = (*self.coordinates, *((f, u) for f, u, _ in self.fields), *self.parameters)
        return MappingProxyType(dict(pairs))

    @cached_property
    def offsets(self) -> Mapping[AppliedUndef, float]:
        """The offsets of those fields that have one."""
        return MappingProxyType({f: offset for f, _, offset in self.fields if offset})

    @cached_property
    def rewriting(self) -> Rewriting:
        """Expressions of the statement in dimensionless symbols."""
        return Rewriting(self.coordinates, self.fields, self.parameters)

    def apply(self, problem: Any) -> Any:
        """The problem in these units.

        Raises:
            NotScalable where a term, a place or the domain has no form in other units.
        """
        try:
            return _applied(self, problem)
        except _UNKNOWN as reason:
            raise NotScalable(f"the problem has no dimensionless form: {reason}") from reason

    def __call__(self, expression: Any) -> Any:
        """An expression in the original units, in the symbols of the dimensionless problem."""
        return self.rewriting(expression)

    def points(self, points: Any) -> Any:
        """Points of the dimensionless problem, from points of the original one."""
        return points / np.array([unit for _, unit in self.coordinates])

    def __getitem__(self, symbol: Any) -> float:
        """The unit of a coordinate, field or parameter."""
        return self.units[symbol]

    def __str__(self) -> str:
        held = [f"{c} = {_digits(unit)} {c}'" for c, unit in self.coordinates]
        for f, unit, offset in self.fields:
            name = f.func.__name__
            held.append(f"{name} = {f'{_digits(offset)} + ' * bool(offset)}{_digits(unit)} {name}'")
        held += [f"{p} = {_digits(unit)} {p}'" for p, unit in self.parameters]
        rows = [f"scales  {', '.join(held)}"]
        if self.groups:
            rows.append(f"groups  {', '.join(f'{k} = {_digits(v)}' for k, v in self.groups)}")
        return "\n".join(rows)


def nondimensionalize(problem: Any) -> Any:
    """The problem in numbers of order one, with the way back as its `scaling`; the problem itself
    where its numbers are of order one already.

    Notes:
        The unit of length is the longest side of the domain, that of time its duration. Fields get
        the largest value that conditions and data give them, or that balances the largest terms of
        the equations; the components of a vector get one unit together, and fields that hardly vary
        about a large value (an absolute temperature) also an offset. Each equation is divided by
        its largest term. Solvers do this by themselves and answer in the units of the statement.

    Raises:
        NotScalable for terms and places that have no form in other units.

    Source:
        Langtangen & Pedersen, Scaling of Differential Equations, 2016, chapters 2 and 3.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x, t = eq.coordinates("x t")
        >>> rod = eq.Heat((x, t), conductivity=50, heat_capacity=3.9e6)
        >>> T = rod.temperature
        >>> conditions = {"initial": eq.Eq(T, 0), "left": eq.Eq(T, 0), "right": eq.Eq(T, 500)}
        >>> hour = geo.Interval(0, 0.1).over(t, 0, 3600)
        >>> print(nondimensionalize(eq.Problem(hour, rod, conditions)).scaling)
        scales  x = 0.1 x', t = 3600 t', T = 500 T'
        groups  Fo = 4.615
    """
    if problem.scaling is not None:
        return problem
    try:
        scaling = Scaling.of(problem)
        if is_near_one(scaling, problem):
            return problem
    except _UNKNOWN as reason:
        raise NotScalable(f"the problem has no dimensionless form: {reason}") from reason
    scaled = scaling.apply(problem)
    return scaled.replace(scaling=replace(scaling, groups=dimensionless_groups(scaled)))


def is_near_one(scaling: Scaling, problem: Any) -> bool:
    """Whether scales and the largest terms of equations are so near one that they can stay."""
    low, high = NEAR_ONE
    if any(not low <= unit <= high for unit in scaling.units.values()):
        return False
    if any(abs(offset) > high for offset in scaling.offsets.values()):
        return False
    rows = filter(None, Reader(problem).equations)
    largest = [row.largest(scaling.units) for row in rows]
    return all(BALANCED[0] <= size <= BALANCED[1] for size in largest if size)


@rescaled_place.register
def _(place: Interior, domain: Any, units: Mapping[str, float]) -> Interior:
    return Interior(rescaled(place.domain, units))


def _applied(scaling: Scaling, problem: Any) -> Any:
    units = {c.name: unit for c, unit in scaling.coordinates}
    domain = rescaled(problem.domain, units)
    reader = Reader(problem, scaling.offsets)
    equations = tuple(_equation(scaling, reader, e) for e in problem.equations)
    conditions = tuple(
        type(c)(
            c.label,
            None if c.part is None else rescaled_place(c.part, domain, units),
            _equation(scaling, reader, c.equation, c.part),
        )
        for c in problem.conditions
    )
    data = tuple(piece for item in problem.data for piece in _data(scaling, item))
    return problem.replace(
        domain=domain, equations=equations, conditions=conditions, data=data,
        scaling=scaling, units=(), law=None,
    )  # fmt: skip


def _equation(scaling: Scaling, reader: Reader, equation: Eq, part: Any = None) -> Eq:
    """An equation in dimensionless symbols, divided by its largest term."""
    rows = (reader.row(residual, part) for residual in equation.residuals)
    largest = max((row.largest(scaling.units) for row in rows if row), default=0.0)
    factor = 1 / (largest or 1.0)
    return equation.with_components(_sides(scaling, pair, factor) for pair in equation.components)


def _sides(scaling: Scaling, pair: tuple, factor: float) -> tuple[sympy.Expr, sympy.Expr]:
    """Left and right in dimensionless symbols, with constants that offsets leave on the right."""
    left, right = (scaling.rewriting(side, factor) for side in pair)
    constant = left.as_coeff_Add()[0] if scaling.offsets else sympy.S.Zero
    return left - constant, right - constant


def _data(scaling: Scaling, data: Any) -> Iterator[Any]:
    """Measured values in dimensionless form, a set for each expression, each of which has a unit of
    its own."""
    for expression, values in data.values.items():
        unit, offset = scaling.units.get(expression), scaling.offsets.get(expression, 0.0)
        new = expression
        if unit is None:
            unit = float(np.max(np.abs(values))) or 1.0
            new = scaling.rewriting(expression, 1 / unit)
        noise = None if data.noise is None else data.noise / unit
        yield type(data)(scaling.points(data.points), {new: (values - offset) / unit}, noise)


def _digits(value: float) -> str:
    return f"{value:.4g}"
