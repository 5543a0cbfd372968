"""Least costs and first arrivals: Hamilton-Jacobi-Bellman and eikonal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..equation import Eq
from ..operators import dot, grad, laplacian
from ..symbols import spatial
from .law import check_values, checked_coordinates, checked_unknown, rate


@dataclass(frozen=True)
class HamiltonJacobiBellman:
    """The Hamilton-Jacobi-Bellman equation du/dt + nu lap u + H(grad u) = rho u of the least cost
    u from a state x at time t; H(p) = min over controls a of (b(x, a) · p + cost(x, a)).

    Arguments:
        coordinates: the state, and time, as `(x, y, t)`; steady where `t` is not among them.
        hamiltonian: H, a function of the gradient p (a vector), as `lambda p: -dot(p, p)`, which is
            the default: b = 2 a and cost |a|².
        diffusion: nu, half the variance of the noise per time.
        discount: rho per time.
        unknown: the cost u, made if not given.

    Notes:
        With a final condition, the equation runs backward in time. With the default H,
        exp(-u / nu) solves a heat equation.

    Source:
        Fleming & Soner, Controlled Markov Processes and Viscosity Solutions, 2006, equation IV.3.3.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> HamiltonJacobiBellman((x, t)).equations[0].lhs
        Derivative(u(x, t), t) - Derivative(u(x, t), x)**2 + laplacian(u(x, t))
    """

    coordinates: Any
    hamiltonian: Any = None
    diffusion: Any = 1
    discount: Any = 0
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("HamiltonJacobiBellman", self.coordinates)
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("HamiltonJacobiBellman", self.unknown, symbols, "u")
        object.__setattr__(self, "unknown", unknown)
        slope = grad(unknown, spatial(symbols))
        if self.hamiltonian is None:
            object.__setattr__(self, "hamiltonian", -dot(slope, slope))
        check_values(self, "hamiltonian", "discount", positive=("diffusion",), of=(slope,))

    @property
    def equations(self) -> tuple[Eq, ...]:
        u = self.unknown
        noise = self.diffusion * laplacian(u, spatial(self.coordinates))
        change = rate(u, self.coordinates)
        return (Eq(change + noise + self.hamiltonian, self.discount * u),)


@dataclass(frozen=True)
class Eikonal:
    """The eikonal equation |grad T|² = 1 / c² of the time T at which a front arrives.

    Arguments:
        coordinates: of space, as `(x, y)`.
        speed: c in m/s, constant or varying; with 1, T is a distance.
        unknown: the field T, made if not given.

    Notes:
        T = 0 on the source; there are many solutions with kinks, of which the front's is the
        viscosity solution.

    Source:
        Sethian, Level Set Methods and Fast Marching Methods, 1999, equation 1.3.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> Eikonal((x, y), speed=2).equations
        (Derivative(T(x, y), x)**2 + Derivative(T(x, y), y)**2 = 1/4,)
    """

    coordinates: Any
    speed: Any = 1
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("Eikonal", self.coordinates, time=False)
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("Eikonal", self.unknown, symbols, "T")
        object.__setattr__(self, "unknown", unknown)
        check_values(self, positive=("speed",))

    @property
    def equations(self) -> tuple[Eq, ...]:
        slope = grad(self.unknown, spatial(self.coordinates))
        return (Eq(dot(slope, slope), 1 / self.speed**2),)
