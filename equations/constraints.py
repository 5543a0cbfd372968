"""Conditions with a name: periodic ends, symmetry, waves that leave."""

from __future__ import annotations

from typing import Any

import sympy

from .curvilinear import unit_normal
from .elsewhere import At
from .equation import Eq
from .expressions import as_expression
from .operators import dot, is_vector, normal_derivative
from .symbols import space_of
from .tensors import tangential


def periodic(u: Any, x: sympy.Symbol, length: Any, *, order: int = 1) -> list[Eq]:
    """The conditions, on the lower end of `x`, that u and its derivatives along x up to `order` are
    those at x + length.

    Notes:
        A domain that is periodic, `shape.periodic("x")`, has the period built in; this is for
        single fields, and for ends that match up to a jump: `Eq(u, u.subs(x, x + 1) - 2)`.

    Example:
        >>> from equations import coordinates, field
        >>> x = coordinates("x")
        >>> periodic(field("u", x), x, 1)
        [u(x) = u(x + 1), Derivative(u(x), x) = Subs(Derivative(u(x), x), x, x + 1)]
    """
    u, length = as_expression(u, "periodic"), as_expression(length, "length")
    if not isinstance(x, sympy.Symbol):
        raise TypeError(f"`periodic` needs a coordinate; got {x!r}.")
    if isinstance(order, bool) or not isinstance(order, int) or order < 0:
        raise ValueError(f"`order` of `periodic` is a whole number from 0; got {order!r}.")
    if is_vector(u):
        return [e for component in u for e in periodic(component, x, length, order=order)]
    jets = [sympy.diff(u, x, n) for n in range(order + 1)]
    return [Eq(jet, At(jet, (x,), (x + length,))) for jet in jets]


def symmetry(u: Any) -> list[Eq]:
    """The conditions on a plane of symmetry: no slope across it for a scalar; for a vector no
    component across it, and no slope of those along it, as one vector.

    Example:
        >>> from equations import coordinates, field
        >>> symmetry(field("u", coordinates("x")))
        [n_x*Derivative(u(x), x) = 0]
    """
    u = as_expression(u, "symmetry")
    if not is_vector(u):
        return [Eq(normal_derivative(u), 0)]
    n = unit_normal(space_of(*u))
    across = sympy.ImmutableMatrix(dot(n, u) * n)
    return [Eq(across + tangential(normal_derivative(u)), 0)]  # orthogonal: each is zero


def absorbing(u: Any, speed: Any, t: sympy.Symbol) -> Eq:
    """The condition du/dt + c n · grad(u) = 0, exact for plane waves that leave along the normal.

    Source:
        Engquist & Majda, Math. Comput. 31 (1977) 629-651, equation 1.12.

    Example:
        >>> from equations import coordinates, field
        >>> x, t = coordinates("x t")
        >>> absorbing(field("u", x, t), 2, t)
        2*n_x*Derivative(u(x, t), x) + Derivative(u(x, t), t) = 0
    """
    u, speed = as_expression(u, "absorbing"), as_expression(speed, "speed")
    return Eq(sympy.diff(u, t) + speed * normal_derivative(u), 0)
