"""Waves that disperse or grow: Korteweg-de Vries and Kuramoto-Sivashinsky."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..equation import Eq
from ..operators import diff, dot, grad, laplacian
from ..symbols import spatial
from .law import check_values, checked_coordinates, checked_unknown, rate


@dataclass(frozen=True)
class KdV:
    """The Korteweg-de Vries equation du/dt + a u du/dx + b d³u/dx³ = 0.

    Arguments:
        coordinates: one of space, and time, as `(x, t)`.
        nonlinearity: a.
        dispersion: b.
        unknown: the field u, made if not given.

    Notes:
        The integrals of `mass_density`, `momentum_density` and `energy_density` stay constant.

    Source:
        Drazin & Johnson, Solitons: an Introduction, 1989, equations 1.8 and 5.6.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> KdV((x, t)).momentum_density
        u(x, t)**2
    """

    coordinates: Any
    nonlinearity: Any = 6
    dispersion: Any = 1
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates(
            "KdV", self.coordinates, time=True, dimensions=(1,), cartesian=True
        )
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("KdV", self.unknown, symbols, "u")
        object.__setattr__(self, "unknown", unknown)
        check_values(self, "nonlinearity", "dispersion")

    @property
    def mass_density(self) -> sympy.Expr:
        """u."""
        return self.unknown

    @property
    def momentum_density(self) -> sympy.Expr:
        """u²."""
        return self.unknown**2

    @property
    def energy_density(self) -> sympy.Expr:
        """a u³ / 3 - b (du/dx)²."""
        u, (x,) = self.unknown, spatial(self.coordinates)
        return self.nonlinearity * u**3 / 3 - self.dispersion * diff(u, x) ** 2

    @property
    def equations(self) -> tuple[Eq, ...]:
        u, (x,) = self.unknown, spatial(self.coordinates)
        steepening = self.nonlinearity * u * diff(u, x)
        return (Eq(rate(u, self.coordinates) + steepening + self.dispersion * diff(u, x, 3), 0),)


@dataclass(frozen=True)
class KuramotoSivashinsky:
    """The Kuramoto-Sivashinsky equation du/dt + a u du/dx + b lap u + c lap lap u = 0 of a slope
    u in 1-D; or of a height h in any dimension, dh/dt + a |grad h|²/2 + b lap h + c lap lap h = 0.

    Arguments:
        coordinates: as `(x, t)`, steady where `t` is not among them.
        nonlinearity, growth, damping: a, b and c.
        is_height: whether to state the equation of the height.
        unknown: the field u or h, made if not given.

    Source:
        Hyman & Nicolaenko, Physica D 18 (1986) 113-126, equations 1.1 and 1.2.

    Example:
        >>> from equations import coordinates
        >>> x, y, t = coordinates("x y t")
        >>> KuramotoSivashinsky((x, y, t), is_height=True).unknown
        h(x, y, t)
    """

    coordinates: Any
    nonlinearity: Any = 1
    growth: Any = 1
    damping: Any = 1
    is_height: bool = False
    unknown: Any = None

    def __post_init__(self):
        name, letter = "KuramotoSivashinsky", "h" if self.is_height else "u"
        dimensions = None if self.is_height else (1,)
        symbols = checked_coordinates(name, self.coordinates, dimensions=dimensions)
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown(name, self.unknown, symbols, letter)
        object.__setattr__(self, "unknown", unknown)
        check_values(self, "nonlinearity", "growth", positive=("damping",))

    @property
    def equations(self) -> tuple[Eq, ...]:
        u, space = self.unknown, spatial(self.coordinates)
        gradient = grad(u, space)
        steepening = dot(gradient, gradient) / 2 if self.is_height else u * gradient[0]
        spread = laplacian(u, space)
        linear = self.growth * spread + self.damping * laplacian(spread, space)
        return (Eq(rate(u, self.coordinates) + self.nonlinearity * steepening + linear, 0),)
