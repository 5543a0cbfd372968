"""Waves: linear, Klein-Gordon and sine-Gordon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..equation import Eq
from ..operators import diff, div, dot, grad, normal_derivative
from ..symbols import spatial
from .law import check_values, checked_coordinates, checked_unknown, rate, time_of


@dataclass(frozen=True)
class Wave:
    """The wave equation d²u/dt² + r du/dt = div(c² grad u) + f in any dimension.

    Arguments:
        coordinates: with time, as `(x, y, t)`.
        speed: c in m/s, constant or varying in space.
        damping: r in 1/s.
        source: f, an expression or a function of u.
        unknown: the field u, made if not given.

    Source:
        Evans, Partial Differential Equations, 2010, section 2.4.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> Wave((x, t), speed=2).equations
        (Derivative(u(x, t), (t, 2)) - div(4*Derivative(u(x, t), x)) = 0,)
    """

    coordinates: Any
    speed: Any = 1
    damping: Any = 0
    source: Any = 0
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("Wave", self.coordinates, time=True)
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("Wave", self.unknown, symbols, "u")
        object.__setattr__(self, "unknown", unknown)
        check_values(self, "source", positive=("speed", "damping"), of=(unknown,))

    @property
    def velocity(self) -> sympy.Expr:
        """du/dt, for initial conditions."""
        return diff(self.unknown, time_of(self.coordinates))

    @property
    def energy_density(self) -> sympy.Expr:
        """((du/dt)² + c² |grad u|²) / 2."""
        gradient = grad(self.unknown, spatial(self.coordinates))
        return (self.velocity**2 + self.speed**2 * dot(gradient, gradient)) / 2

    @property
    def equations(self) -> tuple[Eq, ...]:
        space = spatial(self.coordinates)
        motion = rate(self.unknown, self.coordinates, 2) + self.damping * self.velocity
        return (Eq(motion - div(self.speed**2 * grad(self.unknown, space), space), self.source),)

    def free(self) -> Eq:
        """A free end, reflecting without change of sign: c² du/dn = 0."""
        return Eq(self.speed**2 * normal_derivative(self.unknown), 0)

    def absorbing(self) -> Eq:
        """Outgoing waves leave, exactly in 1-D and head on: du/dt + c du/dn = 0.

        Source:
            Engquist & Majda, Math. Comp. 31 (1977) 629-651, equation 1.
        """
        return Eq(self.velocity + self.speed * normal_derivative(self.unknown), 0)


@dataclass(frozen=True)
class KleinGordon:
    """The Klein-Gordon equation d²u/dt² - c² lap u + m² u = f in any dimension.

    Arguments:
        coordinates: with time, as `(x, t)`.
        mass: m in 1/s.
        speed: c in m/s.
        source: f, an expression or a function of u, which makes the equation nonlinear: of
            `lambda u: u - u**3` with `mass=0` the phi-four equation.
        unknown: the field u, made if not given.

    Source:
        Whitham, Linear and Nonlinear Waves, 1974, sections 11.1 and 17.1.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> KleinGordon((x, t)).equations
        (u(x, t) + Derivative(u(x, t), (t, 2)) - laplacian(u(x, t)) = 0,)
    """

    coordinates: Any
    mass: Any = 1
    speed: Any = 1
    source: Any = 0
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("KleinGordon", self.coordinates, time=True)
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("KleinGordon", self.unknown, symbols, "u")
        object.__setattr__(self, "unknown", unknown)
        check_values(self, "mass", "source", positive=("speed",), of=(unknown,))

    @property
    def equations(self) -> tuple[Eq, ...]:
        u = self.unknown
        force = self.mass**2 * u
        return (_oscillating(u, self.coordinates, self.speed, force, self.source),)


@dataclass(frozen=True)
class SineGordon:
    """The sine-Gordon equation d²u/dt² - c² lap u + sin(u) = f in any dimension.

    Arguments:
        coordinates: with time, as `(x, t)`.
        speed: c in m/s.
        source: f.
        unknown: the field u, made if not given.

    Source:
        Drazin & Johnson, Solitons: an Introduction, 1989, section 1.5.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> SineGordon((x, t)).equations
        (sin(u(x, t)) + Derivative(u(x, t), (t, 2)) - laplacian(u(x, t)) = 0,)
    """

    coordinates: Any
    speed: Any = 1
    source: Any = 0
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("SineGordon", self.coordinates, time=True)
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("SineGordon", self.unknown, symbols, "u")
        object.__setattr__(self, "unknown", unknown)
        check_values(self, "source", positive=("speed",))

    @property
    def equations(self) -> tuple[Eq, ...]:
        u = self.unknown
        return (_oscillating(u, self.coordinates, self.speed, sympy.sin(u), self.source),)


def _oscillating(u, coordinates, speed, force, source) -> Eq:
    """d²u/dt² - c² lap u + force = source."""
    space = spatial(coordinates)
    return Eq(rate(u, coordinates, 2) - div(speed**2 * grad(u, space), space) + force, source)
