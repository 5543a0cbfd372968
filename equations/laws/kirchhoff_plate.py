"""Bending of thin plates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..equation import Eq
from ..expressions import as_expression
from ..operators import as_vector, div, dot, grad, normal_derivative
from ..symbols import normal, spatial
from .law import check_values, checked_coordinates, checked_unknown, rate


@dataclass(frozen=True)
class KirchhoffPlate:
    """A thin plate m d²w/dt² - div(Q) = q with shear force Q_i = dM_ij/dx_j and moments
    M = -D ((1 - nu) grad grad w + nu lap(w) I); D lap lap w = q for constant D, at rest.

    Arguments:
        coordinates: two of space, as `(x, y)` or `(x, y, t)`.
        stiffness: D = E h³ / (12 (1 - nu²)) in N m, constant or varying.
        load: q in N/m².
        poisson_ratio: nu.
        density: m, mass per area, in kg/m².
        unknown: the deflection w in m, made if not given.

    Notes:
        `bending_moment[0]` is M_xx, positive where the fibres on the side of positive w are in
        tension; per unit length, in N.

    Source:
        Timoshenko & Woinowsky-Krieger, Theory of Plates and Shells, 1959, equations 37, 103, 108.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> plate = KirchhoffPlate((x, y), stiffness=2, load=1, poisson_ratio=0)
        >>> plate.bending_moment[0]
        -2*Derivative(w(x, y), (x, 2))
    """

    coordinates: Any
    stiffness: Any
    load: Any = 0
    poisson_ratio: Any = 0.3
    density: Any = 0
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates(
            "KirchhoffPlate", self.coordinates, dimensions=(2,), cartesian=True
        )
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("KirchhoffPlate", self.unknown, symbols, "w")
        object.__setattr__(self, "unknown", unknown)
        positive = ("stiffness", "density")
        check_values(self, "load", "poisson_ratio", positive=positive, of=(unknown,))

    @property
    def deflection(self) -> sympy.Expr:
        """The unknown deflection w in m."""
        return self.unknown

    @property
    def bending_moment(self) -> sympy.Matrix:
        """The moments per length ((M_xx, M_xy), (M_xy, M_yy)) in N."""
        curvature = sympy.hessian(self.unknown, spatial(self.coordinates))
        nu = self.poisson_ratio
        bent = (1 - nu) * curvature + nu * curvature.trace() * sympy.eye(2)
        return sympy.ImmutableMatrix(-self.stiffness * bent)

    @property
    def shear(self) -> sympy.Matrix:
        """The shear force per length Q_i = dM_ij/dx_j in N/m."""
        space = spatial(self.coordinates)
        return as_vector([row.doit() for row in div(self.bending_moment, space)])

    @property
    def equations(self) -> tuple[Eq, ...]:
        inertia = self.density * rate(self.unknown, self.coordinates, 2)
        return (Eq(inertia - div(self.shear, spatial(self.coordinates)), self.load),)

    def clamped(self) -> Eq:
        """w = 0 and dw/dn = 0."""
        return Eq((self.unknown, normal_derivative(self.unknown)), 0)

    def simply_supported(self) -> Eq:
        """w = 0 and no moment about the edge, n · M n = 0."""
        n = normal(spatial(self.coordinates))
        return Eq((self.unknown, dot(n, self.bending_moment * n)), 0)

    def free(self, curvature: Any = 0) -> Eq:
        """No moment and no effective shear, n · M n = 0 and Q · n + d(t · M n)/ds = 0.

        Arguments:
            curvature: of the edge in 1/m, 1/R on the outer rim of a disk of radius R, -1/R on a
                hole; 0 on straight edges.
        """
        x, y = spatial(self.coordinates)
        n = normal((x, y))
        along = as_vector([-n[1], n[0]])
        M = self.bending_moment
        bending, twisting = dot(n, M * n), dot(along, M * n)
        turning = as_expression(curvature, "curvature") * (dot(along, M * along) - bending)
        effective = dot(self.shear, n) + dot(along, grad(twisting, (x, y))) + turning
        return Eq((bending, effective), 0)
