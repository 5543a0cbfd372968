"""Bending of beams."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from ..equation import Eq
from ..operators import diff
from ..symbols import spatial
from .law import check_values, checked_coordinates, checked_unknown, new_field, rate


@dataclass(frozen=True)
class EulerBernoulliBeam:
    """A slender beam m d²w/dt² + d²/dx² (EI d²w/dx²) = q.

    Arguments:
        coordinates: `x`, or `(x, t)` for motion.
        stiffness: EI in N m², constant or varying.
        load: q in N/m.
        density: m, mass per length, in kg/m.
        unknown: the deflection w in m, made if not given.

    Notes:
        Derived: `rotation` dw/dx, `bending_moment` M = -EI d²w/dx² in N m, `shear` V = dM/dx in N;
        at rest dV/dx = -q.

    Source:
        Timoshenko, Young & Weaver, Vibration Problems in Engineering, 1974, equation 5.92.

    Example:
        >>> from equations import coordinates
        >>> x = coordinates("x")
        >>> EulerBernoulliBeam(x, stiffness=2).bending_moment
        -2*Derivative(w(x), (x, 2))
    """

    coordinates: Any
    stiffness: Any
    load: Any = 0
    density: Any = 1
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates(
            "EulerBernoulliBeam", self.coordinates, dimensions=(1,), cartesian=True
        )
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("EulerBernoulliBeam", self.unknown, symbols, "w")
        object.__setattr__(self, "unknown", unknown)
        check_values(self, "load", positive=("stiffness", "density"), of=(unknown,))

    @property
    def deflection(self) -> sympy.Expr:
        """The unknown deflection w in m."""
        return self.unknown

    @property
    def rotation(self) -> sympy.Expr:
        """The slope dw/dx."""
        return diff(self.unknown, *spatial(self.coordinates))

    @property
    def bending_moment(self) -> sympy.Expr:
        """-EI d²w/dx² in N m."""
        (x,) = spatial(self.coordinates)
        return -self.stiffness * diff(self.unknown, x, 2)

    @property
    def shear(self) -> sympy.Expr:
        """dM/dx in N."""
        return diff(self.bending_moment, *spatial(self.coordinates))

    @property
    def equations(self) -> tuple[Eq, ...]:
        inertia = self.density * rate(self.unknown, self.coordinates, 2)
        return (Eq(inertia - diff(self.shear, *spatial(self.coordinates)), self.load),)

    def clamped(self) -> Eq:
        """w = 0 and dw/dx = 0."""
        return Eq((self.unknown, self.rotation), 0)

    def simply_supported(self) -> Eq:
        """w = 0 and M = 0."""
        return Eq((self.unknown, self.bending_moment), 0)

    def free(self, force: Any = 0, moment: Any = 0) -> Eq:
        """M = moment and V = force; both zero at a free end."""
        return Eq((self.bending_moment, self.shear), (moment, force))


@dataclass(frozen=True)
class TimoshenkoBeam:
    """A beam that also shears: m d²w/dt² = dQ/dx + q with Q = kGA (dw/dx - phi), and
    J d²phi/dt² = d/dx (EI dphi/dx) + Q.

    Arguments:
        coordinates: `x`, or `(x, t)` for motion.
        stiffness: EI in N m².
        shear_stiffness: kGA in N, k the shear coefficient (5/6 for a rectangle).
        load: q in N/m.
        density: m, mass per length, in kg/m.
        rotary_inertia: J = rho I in kg m.

    Notes:
        Unknowns: `deflection` w in m and `rotation` phi of the cross-section. Derived:
        `bending_moment` M = -EI dphi/dx, `shear` Q, which is dM/dx at rest.

    Source:
        Timoshenko, Philosophical Magazine 41 (1921) 744-746, equations 1 to 3.

    Example:
        >>> from equations import coordinates
        >>> x = coordinates("x")
        >>> TimoshenkoBeam(x, stiffness=2, shear_stiffness=3).shear
        -3*phi(x) + 3*Derivative(w(x), x)
    """

    coordinates: Any
    stiffness: Any
    shear_stiffness: Any
    load: Any = 0
    density: Any = 1
    rotary_inertia: Any = 0

    def __post_init__(self):
        symbols = checked_coordinates(
            "TimoshenkoBeam", self.coordinates, dimensions=(1,), cartesian=True
        )
        object.__setattr__(self, "coordinates", symbols)
        positive = ("stiffness", "shear_stiffness", "density", "rotary_inertia")
        check_values(self, "load", positive=positive)

    @cached_property
    def deflection(self) -> sympy.Expr:
        """The unknown deflection w in m."""
        return new_field("w", self.coordinates)

    @cached_property
    def rotation(self) -> sympy.Expr:
        """The unknown rotation phi of the cross-section."""
        return new_field("phi", self.coordinates)

    @property
    def bending_moment(self) -> sympy.Expr:
        """-EI dphi/dx in N m."""
        return -self.stiffness * diff(self.rotation, *spatial(self.coordinates))

    @property
    def shear(self) -> sympy.Expr:
        """kGA (dw/dx - phi) in N."""
        slope = diff(self.deflection, *spatial(self.coordinates))
        return sympy.expand(self.shear_stiffness * (slope - self.rotation))

    @property
    def equations(self) -> tuple[Eq, ...]:
        (x,) = spatial(self.coordinates)
        moved, turned = (
            inertia * rate(u, self.coordinates, 2)
            for inertia, u in (
                (self.density, self.deflection),
                (self.rotary_inertia, self.rotation),
            )
        )
        return (
            Eq(moved - diff(self.shear, x), self.load),
            Eq(turned + diff(self.bending_moment, x) - self.shear, 0),
        )

    def clamped(self) -> Eq:
        """w = 0 and phi = 0."""
        return Eq((self.deflection, self.rotation), 0)

    def simply_supported(self) -> Eq:
        """w = 0 and M = 0."""
        return Eq((self.deflection, self.bending_moment), 0)

    def free(self, force: Any = 0, moment: Any = 0) -> Eq:
        """M = moment and Q = force; both zero at a free end."""
        return Eq((self.bending_moment, self.shear), (moment, force))
