"""Electromagnetic fields, in time and of one frequency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from ..equation import Eq
from ..operators import as_vector, diff, div, dot
from ..symbols import normal, spatial
from .law import as_components, check_values, checked_coordinates, new_field, rate

POLARIZATIONS = {None: ("xyz", "xyz"), "TM": ("z", "xy"), "TE": ("xy", "z")}


@dataclass(frozen=True)
class Maxwell:
    """Maxwell's equations eps dE/dt = curl H - sigma E - J, mu dH/dt = -curl E.

    Arguments:
        coordinates: with time; `(x, y, z, t)` for all six components, `(x, y, t)` or `(x, t)` for
            those of one polarization, in a medium that does not vary along the others.
        permittivity, permeability, conductivity: eps in F/m, mu in H/m, sigma in S/m.
        current: J in A/m², a vector of three components or 0.
        polarization: below three dimensions "TM" (E_z and H in the plane) or "TE" (H_z and E).

    Notes:
        Unknowns: the components of `electric` in V/m and `magnetic` in A/m; others are zero.
        `gauss` follows from the equations if it holds initially; add it to make it a residual.

    Raises:
        ValueError for another polarization.

    Source:
        Jackson, Classical Electrodynamics, 1999, equations 6.6.

    Example:
        >>> from equations import coordinates
        >>> x, y, t = coordinates("x y t")
        >>> Maxwell((x, y, t)).equations[0]
        Derivative(E_z(x, y, t), t) = -Derivative(H_x(x, y, t), y) + Derivative(H_y(x, y, t), x)
    """

    coordinates: Any
    permittivity: Any = 1
    permeability: Any = 1
    conductivity: Any = 0
    current: Any = 0
    polarization: str | None = None

    def __post_init__(self):
        symbols = checked_coordinates(
            "Maxwell", self.coordinates, time=True, dimensions=(1, 2, 3), cartesian=True
        )
        object.__setattr__(self, "coordinates", symbols)
        object.__setattr__(self, "polarization", _polarization(self))
        positive = ("permittivity", "permeability", "conductivity")
        check_values(self, "current", positive=positive)

    @cached_property
    def electric(self) -> sympy.Matrix:
        """The electric field E in V/m, three components."""
        return _components("E", self)

    @cached_property
    def magnetic(self) -> sympy.Matrix:
        """The magnetic field H in A/m, three components."""
        return _components("H", self)

    @property
    def energy_density(self) -> sympy.Expr:
        """(eps |E|² + mu |H|²) / 2 in J/m³."""
        E, H = self.electric, self.magnetic
        return (self.permittivity * dot(E, E) + self.permeability * dot(H, H)) / 2

    @property
    def poynting(self) -> sympy.Matrix:
        """The flow of energy E × H in W/m²."""
        return as_vector(self.electric.cross(self.magnetic))

    @property
    def gauss(self) -> tuple[Eq, ...]:
        """div(eps E) = 0 and div(mu H) = 0 of a region without charges, where not trivial."""
        space = spatial(self.coordinates)
        fields = (self.permittivity * self.electric, self.permeability * self.magnetic)
        sums = (div(tuple(f[: len(space)]), space) for f in fields if any(f[: len(space)]))
        return tuple(Eq(s, 0) for s in sums)

    @property
    def equations(self) -> tuple[Eq, ...]:
        space, (E, H) = spatial(self.coordinates), (self.electric, self.magnetic)
        current = _three(self.current, "Maxwell") + self.conductivity * E
        ampere = self.permittivity * rate(E, self.coordinates), _curl(H, space) - current
        faraday = self.permeability * rate(H, self.coordinates), -_curl(E, space)
        sides = (
            (left[i], right[i])
            for field, (left, right) in ((E, ampere), (H, faraday))
            for i in range(3)
            if field[i] != 0
        )
        return tuple(Eq(*pair) for pair in sides)

    def perfect_conductor(self) -> Eq:
        """No tangential electric field: n × E = 0."""
        return _conductor(self)

    def absorbing(self) -> Eq:
        """Waves that meet the boundary head on leave: n × E = Z (H - n (n · H)), Z = sqrt(mu/eps).

        Source:
            Monk, Finite Element Methods for Maxwell's Equations, 2003, section 1.2 (Silver-Müller).
        """
        n = _three(tuple(normal(spatial(self.coordinates))), "normal")
        E, H = self.electric, self.magnetic
        Z = sympy.sqrt(self.permeability / self.permittivity)
        if self.polarization == "TM":
            return Eq(E[2] + Z * n.cross(H)[2], 0)
        balance = n.cross(E) - Z * (H - n * dot(n, H))
        return Eq(balance[2], 0) if self.polarization == "TE" else Eq(as_vector(balance), 0)


@dataclass(frozen=True)
class TimeHarmonicMaxwell:
    """Maxwell's equations of fields E exp(-i omega t):
    curl(curl(E) / mu) - (omega² eps + i omega sigma) E = i omega J.

    Arguments:
        coordinates: of space; `(x, y, z)`, or `(x, y)` for one polarization.
        frequency: omega in rad/s; `sqrt(eigenvalue("lambda"))` for the modes of a cavity.
        permittivity, permeability, conductivity: eps in F/m, mu in H/m, sigma in S/m.
        current: J in A/m², a vector of three components or 0.
        polarization: in the plane "TM" (E_z) or "TE" (E_x and E_y).
        complex: whether the unknowns are; modes of a cavity without loss may be real.

    Notes:
        Unknowns: the components of `electric` in V/m. Derived: `magnetic` = curl E / (i omega mu).

    Source:
        Monk, Finite Element Methods for Maxwell's Equations, 2003, equation 1.8.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> TimeHarmonicMaxwell((x, y), frequency=2, polarization="TM").equations[0].lhs.doit()
        -4*E_z(x, y) - Derivative(E_z(x, y), (x, 2)) - Derivative(E_z(x, y), (y, 2))
    """

    coordinates: Any
    frequency: Any
    permittivity: Any = 1
    permeability: Any = 1
    conductivity: Any = 0
    current: Any = 0
    polarization: str | None = None
    complex: bool = True

    def __post_init__(self):
        name = "TimeHarmonicMaxwell"
        symbols = checked_coordinates(
            name, self.coordinates, time=False, dimensions=(1, 2, 3), cartesian=True
        )
        object.__setattr__(self, "coordinates", symbols)
        object.__setattr__(self, "polarization", _polarization(self))
        positive = ("permittivity", "permeability", "conductivity")
        check_values(self, "frequency", "current", positive=positive)

    @cached_property
    def electric(self) -> sympy.Matrix:
        """The amplitude of the electric field E in V/m, three components."""
        return _components("E", self, complex=self.complex)

    @property
    def magnetic(self) -> sympy.Matrix:
        """The amplitude of the magnetic field curl E / (i omega mu) in A/m."""
        curl = _curl(self.electric, spatial(self.coordinates))
        return as_vector(curl / (sympy.I * self.frequency * self.permeability))

    @property
    def equations(self) -> tuple[Eq, ...]:
        space, E, omega = spatial(self.coordinates), self.electric, self.frequency
        twice = _curl(_curl(E, space) / self.permeability, space)
        factor = omega**2 * self.permittivity + sympy.I * omega * self.conductivity
        current = sympy.I * omega * _three(self.current, "TimeHarmonicMaxwell")
        return tuple(Eq(twice[i] - factor * E[i], current[i]) for i in range(3) if E[i] != 0)

    def perfect_conductor(self) -> Eq:
        """No tangential electric field: n × E = 0."""
        return _conductor(self)


def _polarization(law: Any) -> str | None:
    n = len(spatial(law.coordinates))
    allowed = (None,) if n == 3 else ("TM", "TE")
    chosen = "TM" if law.polarization is None and n < 3 else law.polarization
    if chosen not in allowed:
        raise ValueError(
            f"`{type(law).__name__}(polarization=)` is 'TM' or 'TE' below three dimensions and "
            f"None in three; got {chosen!r} in {n}."
        )
    return chosen


def _components(letter: str, law: Any, *, complex: bool = False) -> sympy.Matrix:
    """The field with zeros for the components that the polarization or the dimension leaves out."""
    present = POLARIZATIONS[law.polarization]["EH".index(letter)]
    if len(spatial(law.coordinates)) == 1:
        present = present.replace("x", "")  # does not change in time
    named = (f"{letter}_{axis}" if axis in present else None for axis in "xyz")
    return as_vector(
        [new_field(name, law.coordinates, complex=complex) if name else 0 for name in named]
    )


def _curl(F: Any, space: Sequence[sympy.Symbol]) -> sympy.Matrix:
    """The curl of three components that depend on the first coordinates only."""

    def along(i: int, component: sympy.Expr) -> sympy.Expr:
        if i >= len(space) or component == 0:
            return sympy.S.Zero
        return diff(component, space[i])

    pairs = ((1, 2), (2, 0), (0, 1))
    return as_vector([along(i, F[j]) - along(j, F[i]) for i, j in pairs])


def _three(value: Any, what: str) -> sympy.Matrix:
    given = value if hasattr(value, "__len__") else (value,)
    padded = (*given, *(0,) * (3 - len(given))) if what == "normal" else value
    return as_components(padded, sympy.symbols("x y z"), f"{what}(current=)")


def _conductor(law: Any) -> Eq:
    E = law.electric
    if law.polarization == "TM":
        return Eq(E[2], 0)
    tangential = _three(tuple(normal(spatial(law.coordinates))), "normal").cross(E)
    return Eq(tangential[2] if law.polarization == "TE" else as_vector(tangential), 0)
