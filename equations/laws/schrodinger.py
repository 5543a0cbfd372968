"""Quantum mechanics and slowly varying amplitudes: Schrödinger and Ginzburg-Landau."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..equation import Eq
from ..operators import as_vector, grad, laplacian, normal_derivative
from ..symbols import spatial
from .law import check_values, checked_coordinates, checked_unknown, rate, time_of


@dataclass(frozen=True)
class Schrodinger:
    """Schrödinger's equation i hbar dpsi/dt = H psi, H psi = -hbar²/(2 m) lap psi + V psi
    + g |psi|² psi; steady, where `t` is not a coordinate, H psi = E psi.

    Arguments:
        coordinates: as `(x, t)` or `(x, y)`.
        potential: V in J.
        nonlinearity: g; negative is focusing, as in i psi_t + psi_xx / 2 + |psi|² psi = 0.
        mass: m in kg.
        hbar: in J s.
        energy: E in J of a steady state, a number or `eigenvalue("E")`.
        unknown: the field psi, made if not given: complex in time, real in a steady state.

    Source:
        Landau & Lifshitz, Quantum Mechanics, 1977, section 17; Sulem & Sulem, The Nonlinear
        Schrödinger Equation, 1999, equation 1.1.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> Schrodinger((x, t)).equations
        (I*Derivative(psi(x, t), t) = -laplacian(psi(x, t))/2,)
    """

    coordinates: Any
    potential: Any = 0
    nonlinearity: Any = 0
    mass: Any = 1
    hbar: Any = 1
    energy: Any = None
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("Schrodinger", self.coordinates)
        object.__setattr__(self, "coordinates", symbols)
        is_steady = time_of(symbols) is None
        unknown = checked_unknown(
            "Schrodinger", self.unknown, symbols, "psi", complex=not is_steady
        )
        object.__setattr__(self, "unknown", unknown)
        check_values(self, "potential", "nonlinearity", positive=("mass", "hbar"))
        if is_steady != (self.energy is not None):
            raise ValueError(
                "`Schrodinger` needs `energy=` for a steady state, and none where the time `t` is "
                f"among its coordinates; got energy={self.energy} and {symbols}."
            )

    @property
    def density(self) -> sympy.Expr:
        """|psi|², the probability per volume if its integral is 1."""
        return _squared(self.unknown)

    @property
    def current(self) -> sympy.Matrix:
        """The flow of probability hbar/m Im(conj(psi) grad psi)."""
        psi, space = self.unknown, spatial(self.coordinates)
        real, imaginary = sympy.re(psi), sympy.im(psi)
        flow = [real * sympy.im(g) - imaginary * sympy.re(g) for g in grad(psi, space)]
        return as_vector([self.hbar / self.mass * f for f in flow])

    @property
    def equations(self) -> tuple[Eq, ...]:
        psi, space = self.unknown, spatial(self.coordinates)
        kinetic = -(self.hbar**2) / (2 * self.mass) * laplacian(psi, space)
        whole = kinetic + (self.potential + self.nonlinearity * self.density) * psi
        if self.energy is not None:
            return (Eq(whole, self.energy * psi),)
        return (Eq(sympy.I * self.hbar * rate(psi, self.coordinates), whole),)


@dataclass(frozen=True)
class GinzburgLandau:
    """The complex Ginzburg-Landau equation dA/dt = A + (1 + i alpha) lap A - (1 + i beta) |A|² A.

    Arguments:
        coordinates: as `(x, t)`; steady where `t` is not among them.
        dispersion: alpha.
        shift: beta, the dependence of frequency on amplitude.
        unknown: the complex field A, made if not given.

    Source:
        Aranson & Kramer, Rev. Mod. Phys. 74 (2002) 99-143, equation 1.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> GinzburgLandau((x, t), dispersion=1, shift=-1).unknown.is_real is None
        True
    """

    coordinates: Any
    dispersion: Any = 0
    shift: Any = 0
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("GinzburgLandau", self.coordinates)
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("GinzburgLandau", self.unknown, symbols, "A", complex=True)
        object.__setattr__(self, "unknown", unknown)
        check_values(self, "dispersion", "shift")

    @property
    def equations(self) -> tuple[Eq, ...]:
        A, space = self.unknown, spatial(self.coordinates)
        spread = (1 + sympy.I * self.dispersion) * laplacian(A, space)
        saturation = (1 + sympy.I * self.shift) * _squared(A) * A
        return (Eq(rate(A, self.coordinates), A + spread - saturation),)

    def no_flux(self) -> Eq:
        """dA/dn = 0."""
        return Eq(normal_derivative(self.unknown), 0)


def _squared(psi: sympy.Expr) -> sympy.Expr:
    """|psi|² as a sum of squares, which is smooth where psi = 0."""
    return sympy.re(psi) ** 2 + sympy.im(psi) ** 2
