"""Smooth distances to parts of a boundary, for solutions that satisfy conditions exactly.

Each face brings a smooth function that vanishes on its carrier. Where the carrier does not meet the
rest of the shape that function serves as it is; where it does, it is trimmed to the face. Faces go
together by products or by R-equivalence, which adds the inverse squares.

Source: A. Biswas and V. Shapiro, Approximate distance fields with non-vanishing gradients,
Graphical Models 66 (2004); N. Sukumar and A. Srivastava, CMAME 389 (2022), 114333. Where we differ:
the fourth power in the trimming is scaled by the size, and what is even in f is written so that all
derivatives exist on the face too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from geometry._arrays import namespace, relative_tolerance, safe_sqrt
from geometry.box import Orthotope
from geometry.csg import (
    Combination,
    Difference,
    Intersection,
    SymmetricDifference,
    Union,
    leaves_of,
    named_faces,
)
from geometry.face import Surface
from geometry.product import Product
from geometry.shape import Shape

Function = Callable[[Any], Any]


@functools.singledispatch
def part_distance(shape: Shape, names: tuple[str, ...], points: Any, join: str) -> Any:
    """Returns the smooth distance to the named parts of a shape; see `Part.distance`."""
    check_join(join)
    surfaces = _distinct(face.surface for face in shape._boundary_faces if face.name in names)
    distances = [_face_distance(shape, surface, points) for surface in surfaces]
    if join == "equivalence" or not all(surface.is_supporting for surface in surfaces):
        return functools.reduce(equivalence, distances)
    return functools.reduce(lambda a, b: a * b / (shape.size / 2), distances)


def _distinct(surfaces: Iterable[Surface]) -> list[Surface]:
    """Several charts of a face may share one surface."""
    return list({id(surface): surface for surface in surfaces}.values())


def check_join(join: str) -> None:
    """Raises unless `join` is a known way of joining faces."""
    if join not in ("product", "equivalence"):
        raise ValueError(f"`join` needs 'product' or 'equivalence'; got {join!r}.")


def _face_distance(shape: Shape, surface: Surface, points: Any) -> Any:
    if surface.trim is None or surface.is_supporting:
        return surface.inner(points)
    return trimmed(surface.inner(points), surface.trim(points), shape.size)


@part_distance.register
def _(shape: Orthotope, names: tuple[str, ...], points: Any, join: str) -> Any:
    """A polynomial: x - a for one face of an axis, (x - a)(b - x) / (b - a) for both."""
    check_join(join)
    lower, upper = shape.bounds
    factors, peaks = [], []
    for axis in range(shape.dimension):
        faces = shape._boundary_faces[2 * axis : 2 * axis + 2]
        walls = [f.surface.inner(points) for f in faces if f.name in names]
        length = float(upper[axis] - lower[axis])
        if len(walls) == 2:
            factors.append(walls[0] * walls[1] / length)
            peaks.append(length / 4)
        elif walls:
            factors.append(walls[0])
            peaks.append(length)
    if join == "equivalence":
        return functools.reduce(equivalence, factors)
    scale = 1.0
    for peak in peaks:  # unit slope in the middle of each face of a cube
        scale *= peak ** (1 - 1 / len(peaks))
    return functools.reduce(lambda a, b: a * b, factors) / scale


@part_distance.register
def _(shape: Product, names: tuple[str, ...], points: Any, join: str) -> Any:
    check_join(join)
    span = float(shape.end - shape.start)
    after, before = points[..., -1] - shape.start, shape.end - points[..., -1]
    first, last = shape.cap_names
    choices = {(True, True): after * before / span, (True, False): after, (False, True): before}
    along = choices.get((first in names, last in names))
    spatial = tuple(name for name in names if name in shape.base.parts)
    if not spatial:
        return along
    across = part_distance(shape.base, spatial, points[..., :-1], join)
    if along is None:
        return across
    return across * along / span if join == "product" else equivalence(across, along)


@part_distance.register
def _(shape: Combination, names: tuple[str, ...], points: Any, join: str) -> Any:
    named = named_faces(tuple(leaves_of(shape)))
    distances = []
    for place, faces in zip(_places(shape), named, strict=True):
        chosen = [(face, own) for face, own in zip(faces, place.leaf._boundary_faces, strict=True)]
        chosen = [(face, own) for face, own in chosen if face.name in names]
        if not chosen:
            continue
        if place.encloses:
            own_names = tuple(own.name for _, own in chosen)
            distances.append(part_distance(place.leaf, own_names, points, join))
        else:
            surfaces = _distinct(own.surface for _, own in chosen)
            distances += [_placed_distance(place, surface, points) for surface in surfaces]
    return functools.reduce(equivalence, distances)


@dataclass(frozen=True)
class _Place:
    """Where a leaf stands in a tree: on which side the tree lies, and what cuts its faces.

    `positive` says that the tree lies on the leaf's side of its faces; under `^` it lies on both.
    `windows` are functions that are positive where the leaf's faces can belong to the boundary:
    beyond them a face lies inside the tree.
    """

    leaf: Shape
    positive: bool
    both_sides: bool
    windows: tuple[Function, ...]

    @property
    def encloses(self) -> bool:
        return self.positive and not self.both_sides and not self.windows


def _places(
    shape: Shape, positive: bool = True, both_sides: bool = False, windows: tuple = ()
) -> Iterator[_Place]:
    if isinstance(shape, Difference):
        left, right, flips = shape.left, shape.right, True
    elif isinstance(shape, Combination):
        left, right, flips = shape.left, shape.right, False
    else:
        yield _Place(shape, positive, both_sides, windows)
        return
    both_sides = both_sides or isinstance(shape, SymmetricDifference)
    left_windows = right_windows = windows
    if isinstance(shape, Union) and positive:
        left_windows, right_windows = (*windows, _outside(right)), (*windows, _outside(left))
    elif isinstance(shape, Intersection) and not positive:
        left_windows, right_windows = (*windows, right._level), (*windows, left._level)
    elif isinstance(shape, Difference) and not positive:
        left_windows, right_windows = (*windows, _outside(right)), (*windows, left._level)
    yield from _places(left, positive, both_sides, left_windows)
    yield from _places(right, positive != flips, both_sides, right_windows)


def _outside(shape: Shape) -> Function:
    return lambda points: -shape._level(points)


def _placed_distance(place: _Place, surface: Surface, points: Any) -> Any:
    f = surface.inner(points) if place.positive else surface.outer(points)
    windows = [window(points) for window in place.windows]
    if surface.trim is not None:
        windows.append(surface.trim(points))
    if not windows:
        return namespace(f).where(f < 0, -f, f) if place.both_sides else f
    window = functools.reduce(lambda a, b: a + b - safe_sqrt(a**2 + b**2 + f**2), windows)
    return trimmed(f, window, place.leaf.size)


def trimmed(f: Any, t: Any, size: float) -> Any:
    """Returns sqrt(f^2 + ((sqrt(t^2 + f^4 / size^2) - t) / 2)^2): zero where f = 0 and t >= 0.

    The root of the first form has no derivative at f = 0, so that |f| is taken out of it.
    """
    xp = namespace(f)
    f = xp.where(f < -relative_tolerance(f) * size, -f, f)  # rounding on the face is not its back
    over = t > 0
    root = safe_sqrt(t**2 + f**4 / size**2)
    ratio = f**3 / size**2 / (2 * xp.where(over, root + t, 1))
    beyond = safe_sqrt(f**2 + ((root - t) / 2) ** 2)
    return xp.where(over, f * xp.sqrt(1 + xp.where(over, ratio, 0) ** 2), beyond)


def equivalence(a: Any, b: Any) -> Any:
    """Returns (a^-2 + b^-2)^(-1/2): zero where a or b is, of their slope there."""
    xp = namespace(a)
    squares = a * a + b * b
    return a * b / xp.where(squares > 0, safe_sqrt(squares), 1)
