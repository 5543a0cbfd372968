"""Faces: the named pieces of boundary that a primitive brings along."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from geometry.chart import Chart


@dataclass(frozen=True, eq=False)
class Surface:
    """The implicit description of a face, as smooth functions of points.

    `inner` vanishes on the surface that carries the face, is positive on the primitive's side of it
    and has unit slope there; `outer` is the same for the other side. They differ where one formula
    is not smooth on both sides. `trim` is positive on the face, negative beyond its rim on the
    carrier, and None where the face is the whole carrier. `normal` is the outward unit normal.
    `is_supporting` says that the primitive lies on one side of the whole carrier.
    """

    inner: Callable[[Any], Any]
    outer: Callable[[Any], Any]
    normal: Callable[[Any], Any]
    trim: Callable[[Any], Any] | None = None
    is_supporting: bool = False


@dataclass(frozen=True, eq=False)
class Face:
    """A named piece of boundary: how to sample it (`chart`) and what carries it (`surface`).

    `owner` is the name given to the primitive, if any, and `kind` the word for the primitive.
    """

    name: str
    kind: str
    owner: str | None
    chart: Chart
    surface: Surface
