"""Orthogonal coordinate systems, carried by the coordinates themselves.

A system is known by its scale factors: a step dq along a coordinate q has the length h dq. Vectors
and tensors have physical components, along unit vectors. A coordinate of the system on which
nothing depends may be left out: `coordinates("r z", system="cylindrical")` is axial symmetry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy

from .expressions import as_expression

Names = tuple[str, ...]


@dataclass(frozen=True)
class System:
    """An orthogonal system: its coordinates' names and scale factors, in real symbols of these
    names; `spans` is what a coordinate that is left out contributes to integrals."""

    name: str
    axes: Names
    scales: tuple[sympy.Expr, ...]
    spans: tuple[sympy.Expr, ...]


class Coordinate(sympy.Symbol):
    """A coordinate of a curvilinear system; made by `coordinates("r theta", system="polar")`."""

    system: System

    def __new__(cls, name, system):
        self = sympy.Symbol.__xnew__(cls, name, real=True)
        self.system = system
        return self

    def __getnewargs_ex__(self):
        return (self.name, self.system), {}

    def _hashable_content(self):
        system = self.system
        return (*super()._hashable_content(), system.name, system.axes, str(system.scales))


def _polar(r, theta):
    return (1, r)


def _cylindrical(r, theta, z):
    return (1, r, 1)


def _spherical(r, theta, phi):
    return (1, r, r * sympy.sin(theta))


# name: (default names, scale factors, spans, which coordinates one, two, ... names stand for)
_KNOWN: dict[str, tuple[Names, Callable, tuple, dict[int, tuple[int, ...]]]] = {
    "polar": (("r", "theta"), _polar, (1, 2 * sympy.pi), {1: (0,), 2: (0, 1)}),
    "cylindrical": (
        ("r", "theta", "z"),
        _cylindrical,
        (1, 2 * sympy.pi, 1),
        {1: (0,), 2: (0, 2), 3: (0, 1, 2)},
    ),
    "spherical": (
        ("r", "theta", "phi"),
        _spherical,
        (1, 2, 2 * sympy.pi),
        {1: (0,), 2: (0, 1), 3: (0, 1, 2)},
    ),
}


def known_system(name: str, given: Names) -> System:
    """The system of that name for coordinates called `given`."""
    if name == "cartesian":
        raise ValueError("`system='cartesian'` is the default: leave it out.")
    if name not in _KNOWN:
        raise ValueError(
            f"`system` is one of {', '.join(map(repr, _KNOWN))}; got {name!r}. Another orthogonal "
            "system is given by its scale factors, `scales=`."
        )
    default, scales, spans, places = _KNOWN[name]
    if len(given) not in places:
        raise ValueError(
            f"a {name} system has up to {len(default)} coordinates, {', '.join(default)}; got "
            f"{', '.join(given) or 'none'}."
        )
    axes = list(default)
    for place, own in zip(places[len(given)], given, strict=True):
        axes[place] = own
    if len(set(axes)) < len(axes):
        raise ValueError(
            f"the coordinates of a {name} system are {', '.join(default)}; got {given}."
        )
    values = scales(*(sympy.Symbol(a, real=True) for a in axes))
    return System(name, tuple(axes), tuple(map(sympy.sympify, values)), tuple(map(sympy.S, spans)))


def user_system(scales: Any, given: Names) -> System:
    """The orthogonal system with the scale factors `scales(*coordinates)`."""
    if not callable(scales):
        raise TypeError(
            "`scales` is a function of the coordinates, as `lambda r, theta: (1, r)`; got "
            f"{scales!r}."
        )
    values = scales(*(sympy.Symbol(a, real=True) for a in given))
    found = [as_expression(v, "scales") for v in values] if hasattr(values, "__iter__") else []
    if len(found) != len(given) or any(v == 0 for v in found):
        raise ValueError(
            f"`scales` gives one factor, not zero, for each of {', '.join(given)}; got {values!r}. "
            "Systems that are not orthogonal have no scale factors."
        )
    return System("user", given, tuple(found), (sympy.S.One,) * len(given))
