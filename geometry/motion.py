"""How shapes with expressions in them move: what they are at rest, their path and their stretch."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

from geometry._arrays import is_symbolic
from geometry.ball import RoundShape
from geometry.box import Orthotope
from geometry.csg import Combination
from geometry.product import Product
from geometry.shape import Shape
from geometry.transforms import Mirrored, Rotated, Scaled, Translated


@dataclass(frozen=True)
class Motion:
    """The points `path + stretch * z` for z in `still`, with expressions for each coordinate.

    `still` of a combination is that itself, and what its operands depend on is strung together.
    """

    still: Shape
    path: tuple[Any, ...]
    stretch: tuple[Any, ...]

    @property
    def _free(self) -> set[Any]:
        terms = (*self.path, *self.stretch)
        return {s for term in terms for s in getattr(term, "free_symbols", ())}

    @property
    def symbols(self) -> set[str]:
        """Names of what it depends on."""
        return set(map(str, self._free))

    def has_parameter(self, name: str) -> bool:
        """Whether it depends on a parameter with a range that has this name."""
        return any(str(s) == name and getattr(s, "between", None) for s in self._free)

    @property
    def is_still(self) -> bool:
        """Whether nothing moves."""
        return not self.symbols


@functools.singledispatch
def motion_of(shape: Shape) -> Motion:
    """Returns the motion of a shape."""
    return _rest(shape)


def _rest(shape: Shape) -> Motion:
    return Motion(shape, (0,) * shape.dimension, (1,) * shape.dimension)


@motion_of.register
def _(shape: RoundShape) -> Motion:
    if not any(map(is_symbolic, (*shape.center, shape.radius))):
        return _rest(shape)
    radius = shape.radius if is_symbolic(shape.radius) else 1
    still: Any = shape  # a dataclass, as all final shapes are
    still = replace(
        still,
        center=(0,) * shape.dimension,
        radius=1 if is_symbolic(shape.radius) else shape.radius,
    )
    return Motion(still, shape.center, (radius,) * shape.dimension)


@motion_of.register
def _(shape: Orthotope) -> Motion:
    lower, upper = (c if isinstance(c, tuple) else (c,) for c in (shape.lower, shape.upper))
    if not any(map(is_symbolic, (*lower, *upper))):
        return _rest(shape)
    d, single = shape.dimension, not isinstance(shape.lower, tuple)
    unit: Any = shape
    unit = replace(unit, lower=0 if single else (0,) * d, upper=1 if single else (1,) * d)
    return Motion(unit, lower, tuple(b - a for a, b in zip(lower, upper, strict=True)))


@motion_of.register
def _(shape: Translated) -> Motion:
    base = motion_of(shape.base)
    if base.is_still and not any(map(is_symbolic, shape.offset)):
        return _rest(shape)
    path = tuple(p + o for p, o in zip(base.path, shape.offset, strict=True))
    return replace(base, path=path)


@motion_of.register
def _(shape: Scaled) -> Motion:
    base = motion_of(shape.base)
    if base.is_still and not is_symbolic(shape.factor):
        return _rest(shape)
    f = shape.factor
    path = tuple(c + f * (p - c) for p, c in zip(base.path, shape.center, strict=True))
    return Motion(base.still, path, tuple(f * s for s in base.stretch))


@motion_of.register
def _(shape: Rotated) -> Motion:
    return _turned(shape, "rotate(angle)", center=(0,) * shape.dimension)


@motion_of.register
def _(shape: Mirrored) -> Motion:
    return _turned(shape, "mirror(normal)", point=(0,) * shape.dimension)


def _turned(shape: Any, call: str, **origin: Any) -> Motion:
    """M (path + stretch z) + offset = (M path + offset) + stretch M z, for equal stretches."""
    base = motion_of(shape.base)
    if base.is_still:
        return _rest(shape)
    if len(set(base.stretch)) > 1:
        raise ValueError(
            f"`{call}` needs a shape that grows alike along all axes; `{shape.base!r}` grows by "
            f"{base.stretch}. Write it down as it is to stand, with expressions in its numbers."
        )
    _, matrix, offset = shape._map()
    path = tuple(
        float(o) + sum(float(m) * p for m, p in zip(row, base.path, strict=True))
        for o, row in zip(offset, matrix, strict=True)
    )
    return Motion(replace(shape, base=base.still, **origin), path, base.stretch)


@motion_of.register
def _(shape: Product) -> Motion:
    base = motion_of(shape.base)
    if base.is_still:
        return _rest(shape)
    return Motion(shape._of(base.still), (*base.path, 0), (*base.stretch, 1))


@motion_of.register
def _(shape: Combination) -> Motion:
    """The operands move on their own: this holds what both depend on."""
    left, right = motion_of(shape.left), motion_of(shape.right)
    return Motion(shape, (*left.path, *right.path), (*left.stretch, *right.stretch))
