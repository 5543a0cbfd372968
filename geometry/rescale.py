"""Shapes and places in other units: the same statement with its lengths and times as new numbers.

A unit for each axis says what number becomes one. Boxes and space-time domains take a unit of their
own for each axis, everything else one for all axes of space.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geometry._arrays import is_symbolic, namespace
from geometry.ball import RoundShape
from geometry.box import Orthotope
from geometry.condition import Condition
from geometry.csg import Combination
from geometry.family import Family
from geometry.gaussian import Gaussian
from geometry.moving import Moving
from geometry.part import Part, Point
from geometry.periodic import Periodic
from geometry.regions import Regions
from geometry.shape import Shape
from geometry.spacetime import SpaceTime
from geometry.transforms import Scaled, Translated
from geometry.wire import Wire, WireInTime

Units = Mapping[str, float]


@functools.singledispatch
def rescaled(shape: Any, units: Units) -> Any:
    """Returns the shape whose coordinates are those of `shape` divided by the unit of each axis.

    Arguments:
        shape: any shape; its parts keep their names.
        units: a number above zero for every axis.

    Raises:
        ValueError: units that differ between axes of a shape that cannot be stretched.

    Example:
        >>> from geometry import Interval
        >>> rescaled(Interval(0, 5).over("t", 0, 60), {"x": 5.0, "t": 60.0})
        Interval(0.0, 1.0).over('t', 0.0, 1.0)
    """
    return shape.scale(1 / _common(shape, units))


@functools.singledispatch
def rescaled_place(place: Any, domain: Shape, units: Units) -> Any:
    """Returns a part, a piece of one, a point or a wire in other units, on the rescaled `domain`.

    Raises:
        TypeError: a place of another kind.
    """
    raise TypeError(f"{place!r} is no part, point or wire, and has no form in other units.")


@rescaled_place.register
def _(place: Point, domain: Shape, units: Units) -> Point:
    lengths = (units[axis] for axis in domain.axes)
    return Point(*(float(c / u) for c, u in zip(place.coordinates, lengths, strict=True)))


@rescaled_place.register
def _(place: Part, domain: Shape, units: Units) -> Part:
    return Part(domain, place.names, tuple(_condition(c, units) for c in place.condition))


@rescaled_place.register
def _(place: Shape, domain: Shape, units: Units) -> Shape:
    return domain


@rescaled_place.register
def _(place: Wire, domain: Shape, units: Units) -> Wire:
    lengths = [units[axis] for axis in place.axes]
    if place.limits is not None:
        curve = tuple(c / u for c, u in zip(place.curve, lengths, strict=True))
    else:
        curve = tuple(tuple((np.array(point, float) / lengths).tolist()) for point in place.curve)
    return replace(place, curve=curve)


@rescaled_place.register
def _(place: WireInTime, domain: Shape, units: Units) -> WireInTime:
    start, end = (moment / units[place.axis] for moment in (place.start, place.end))
    return WireInTime(rescaled_place(place.wire, domain, units), place.axis, start, end)


@rescaled.register
def _(shape: Orthotope, units: Units) -> Shape:
    lengths = [units[axis] for axis in shape.axes]
    corners = (np.atleast_1d(corner) for corner in (shape.lower, shape.upper))
    lower, upper = (
        tuple(_path((c,), u, units)[0] for c, u in zip(corner, lengths, strict=True))
        for corner in corners
    )
    box: Any = shape
    if isinstance(shape.lower, tuple):
        return replace(box, lower=lower, upper=upper)
    return replace(box, lower=lower[0], upper=upper[0])


@rescaled.register
def _(shape: RoundShape, units: Units) -> Shape:
    length = _common(shape, units)
    center, radius = (_path(terms, length, units) for terms in (shape.center, (shape.radius,)))
    ball: Any = shape
    return replace(ball, center=center, radius=radius[0])


@rescaled.register
def _(shape: Translated, units: Units) -> Shape:
    length = _common(shape, units)
    return Translated(rescaled(shape.base, units), _path(shape.offset, length, units))


@rescaled.register
def _(shape: Scaled, units: Units) -> Shape:
    center = _path(shape.center, _common(shape, units), units)
    return Scaled(rescaled(shape.base, units), _in_units(shape.factor, units), center)


@rescaled.register
def _(shape: Combination, units: Units) -> Shape:
    kind: Any = type(shape)
    return kind(rescaled(shape.left, units), rescaled(shape.right, units))


@rescaled.register(Family)
@rescaled.register(SpaceTime)
@rescaled.register(Moving)
def _(shape: Any, units: Units) -> Shape:
    start, end = shape.start / units[shape.axis], shape.end / units[shape.axis]
    return replace(shape, space=rescaled(shape.space, units), start=start, end=end)


@rescaled.register
def _(shape: Periodic, units: Units) -> Shape:
    return Periodic(rescaled(shape.base, units), shape.periodic_axes)


@rescaled.register
def _(shape: Regions, units: Units) -> Shape:
    return Regions(**{name: rescaled(member, units) for name, member in shape.members})


@rescaled.register
def _(shape: Gaussian, units: Units) -> Shape:
    lengths = np.array([units[axis] for axis in shape.axes])
    mean, deviation = (tuple((v / lengths).tolist()) for v in (shape.mean, shape.deviation))
    return Gaussian(mean, deviation, shape.dimension, axes=shape.axes)


def _common(shape: Shape, units: Units) -> float:
    lengths = {units[axis] for axis in shape.axes}
    if len(lengths) > 1:
        raise ValueError(f"`rescaled` needs one unit for all axes of {shape!r}; got {units}.")
    return lengths.pop()


def _path(terms: tuple[Any, ...], length: float, units: Units) -> tuple[Any, ...]:
    """Lengths, which may depend on time or a parameter, in other units."""
    found = (_in_units(term, units) / length for term in terms)
    return tuple(v if is_symbolic(v) else float(v) for v in found)


def _in_units(statement: Any, units: Units) -> Any:
    if not is_symbolic(statement):
        return statement
    new = {s: units[s.name] * s for s in statement.free_symbols if s.name in units}
    return statement.xreplace(new)


def _condition(condition: Condition, units: Units) -> Condition:
    if hasattr(condition.statement, "free_symbols"):
        return Condition(_in_units(condition.statement, units), condition.axes)
    lengths = tuple(units[axis] for axis in condition.axes)
    return Condition(_InUnits(condition.statement, lengths), condition.axes)


@dataclass(frozen=True)
class _InUnits:
    """A function of points in the old units, for points in the new ones."""

    function: Any
    lengths: tuple[float, ...]

    @property
    def __name__(self) -> str:
        return getattr(self.function, "__name__", repr(self.function))

    def __call__(self, points: Any) -> Any:
        return self.function(points * namespace(points).asarray(self.lengths, points.dtype))
