"""Laws with memory and long range: Volterra's equations and fractional diffusion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy

from ..equation import Eq
from ..expressions import as_expression
from ..history import fractional_laplacian
from ..operators import diff
from .law import check_values, checked_unknown


@dataclass(frozen=True)
class Volterra:
    """Volterra's equation of the second kind u(x) = f(x) + ∫ K(x, s, u(s)) ds over (start, x), or
    the integro-differential one d^n u/dx^n + a u = f + ∫ K ds.

    Arguments:
        coordinate: x, or `t`.
        kernel: K, a function of x, s and u(s), as `lambda x, s, u: exp(s - x) * u`.
        source: f, an expression in x.
        order: n; 0 for the equation of the second kind.
        decay: a, of the integro-differential equation.
        start: the lower limit.
        unknown: the field u, made if not given.

    Notes:
        The integral is a Gauss rule, spectrally accurate for smooth kernels. For n > 0 the value
        of u and its first n - 1 derivatives at the start are conditions.

    Source:
        Brunner, Collocation Methods for Volterra Integral and Related Functional Differential
        Equations, 2004, equations 2.1.1 and 3.1.1.

    Example:
        >>> from equations import coordinates
        >>> x = coordinates("x")
        >>> Volterra(x, lambda x, s, u: (x - s) * u, source=x).equations
        (u(x) = x + Integral((-s + x)*u(s), (s, 0, x)),)
    """

    coordinate: Any
    kernel: Callable
    source: Any = 0
    order: int = 0
    decay: Any = 0
    start: Any = 0
    unknown: Any = None

    def __post_init__(self):
        _check_coordinate("Volterra", self.coordinate)
        unknown = checked_unknown("Volterra", self.unknown, (self.coordinate,), "u")
        object.__setattr__(self, "unknown", unknown)
        check_values(self, "source", "decay", "start")
        if not callable(self.kernel):
            raise TypeError(
                "`Volterra(kernel=)` is a function of x, s and u(s), as `lambda x, s, u: s * u`; "
                f"got {self.kernel!r}."
            )
        if not isinstance(self.order, int) or self.order < 0:
            raise ValueError(f"`Volterra(order=)` is a whole number from 0 on; got {self.order!r}.")
        if self.order == 0 and self.decay != 0:
            raise ValueError(
                f"`Volterra(decay=)` belongs to `order=1` and above; got {self.decay}. Divide by "
                "the factor of u."
            )

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """The coordinate."""
        return (self.coordinate,)

    @property
    def equations(self) -> tuple[Eq, ...]:
        x, u = self.coordinate, self.unknown
        s = sympy.Symbol("s" if x.name != "s" else "r", real=True)
        kernel = as_expression(self.kernel(x, s, u.subs(x, s)), "kernel")
        left = diff(u, x, self.order) + self.decay * u if self.order else u
        return (Eq(left, self.source + sympy.Integral(kernel, (s, self.start, x))),)


@dataclass(frozen=True)
class FractionalPoisson:
    """The fractional Poisson equation (-d²/dx²)^(alpha/2) u = f on an interval, u = 0 outside.

    Arguments:
        coordinate: x.
        order: alpha, between 0 and 2.
        source: f.
        interval: (a, b), outside of which u = 0.
        unknown: the field u, made if not given.

    Notes:
        u behaves as the distance to an end to the power alpha/2; the accuracy of the operator is
        that of `fractional_laplacian`.

    Source:
        Ros-Oton & Serra, J. Math. Pures Appl. 101 (2014) 275-302, equation 1.1.

    Example:
        >>> from equations import coordinates
        >>> x = coordinates("x")
        >>> FractionalPoisson(x, order=1.5, source=1).equations
        (fractional_laplacian(u(x), 1.5) = 1,)
    """

    coordinate: Any
    order: Any
    source: Any = 0
    interval: Any = (-1, 1)
    unknown: Any = None

    def __post_init__(self):
        _check_coordinate("FractionalPoisson", self.coordinate)
        unknown = checked_unknown("FractionalPoisson", self.unknown, (self.coordinate,), "u")
        object.__setattr__(self, "unknown", unknown)
        check_values(self, "order", "source", "interval", of=(unknown,))
        if not hasattr(self.interval, "__len__") or len(self.interval) != 2:
            raise ValueError(f"`FractionalPoisson(interval=)` is (a, b); got {self.interval}.")

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """The coordinate."""
        return (self.coordinate,)

    @property
    def equations(self) -> tuple[Eq, ...]:
        over = (self.coordinate, *self.interval)
        return (Eq(fractional_laplacian(self.unknown, self.order, over), self.source),)


def _check_coordinate(law: str, coordinate: Any) -> None:
    if not isinstance(coordinate, sympy.Symbol):
        raise TypeError(
            f"`{law}(coordinate)` takes a symbol made by `coordinates('x')`; got {coordinate!r}."
        )
