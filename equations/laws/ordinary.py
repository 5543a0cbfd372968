"""Systems of ordinary differential equations, vibrations among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from ..equation import Eq
from ..expressions import as_expression
from ..operators import as_vector, diff
from .law import check_values, new_field


@dataclass(frozen=True)
class ODE:
    """The system d^n u_i/dt^n = f_i(t, u) for fields of one coordinate.

    Arguments:
        rates: `{u: f}` for each unknown; f may hold all unknowns, lower derivatives, parameters.
        order: n.

    Notes:
        `initial(...)` states the values at the start, `{"initial": law.initial(1, 0)}`.

    Raises:
        TypeError for what is no field, ValueError for fields of several coordinates.

    Source:
        Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, 1993, section I.1.

    Example:
        >>> from equations import coordinates, fields
        >>> t = coordinates("t")
        >>> x, y = fields("x y", t)
        >>> hunt = ODE({x: 1.5 * x - x * y, y: x * y - 3 * y})
        >>> hunt.initial(10, 5)
        [x(t) = 10, y(t) = 5]
    """

    rates: Any
    order: int = 1

    def __post_init__(self):
        pairs = self.rates.items() if isinstance(self.rates, Mapping) else self.rates
        pairs = tuple((u, as_expression(f, f"ODE: rate of {u}")) for u, f in pairs)
        arguments = set()
        for u, _ in pairs:
            if not isinstance(u, AppliedUndef):
                raise TypeError(
                    f"`ODE(rates)` takes `{{u: rate}}` for fields made by `field(...)`; got {u!r}."
                )
            arguments.add(u.args)
        if len(arguments) != 1 or len(next(iter(arguments))) != 1:
            found = ", ".join(str(u) for u, _ in pairs) or "none"
            raise ValueError(f"`ODE` needs fields of one and the same coordinate; got {found}.")
        if not isinstance(self.order, int) or self.order < 1:
            raise ValueError(f"`ODE(order=)` is a whole number above 0; got {self.order!r}.")
        object.__setattr__(self, "rates", pairs)

    @property
    def unknowns(self) -> tuple[AppliedUndef, ...]:
        """The unknown fields."""
        return tuple(u for u, _ in self.rates)

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """Their coordinate."""
        return self.unknowns[0].args

    @property
    def equations(self) -> tuple[Eq, ...]:
        (t,) = self.coordinates
        return tuple(Eq(diff(u, t, self.order), f) for u, f in self.rates)

    def initial(self, *values: Any) -> list[Eq]:
        """The values at the start: of all unknowns, then of their first derivatives, and so on."""
        (t,) = self.coordinates
        u, n = self.unknowns, self.order
        if len(values) != len(u) * n:
            raise ValueError(
                f"`initial` needs {n} value(s) for each of {', '.join(map(str, u))}; got "
                f"{len(values)}."
            )
        states = [diff(w, t, k) if k else w for k in range(n) for w in u]
        return [Eq(state, value) for state, value in zip(states, values, strict=True)]


@dataclass(frozen=True)
class Vibration:
    """Forced vibration M d²u/dt² + C du/dt + K u = f of one or several masses.

    Arguments:
        time: the coordinate, `t`.
        mass: M in kg, a number, or a matrix for several masses.
        stiffness: K in N/m, of the same shape.
        damping: C in N s/m.
        force: f in N, an expression in `t`, or a vector.

    Notes:
        Unknown: `displacement` u, or the vector (u_1, u_2, ...). Derived: `velocity`, `energy`.

    Source:
        Timoshenko, Young & Weaver, Vibration Problems in Engineering, 1974, equations 1.35, 3.22.

    Example:
        >>> from equations import coordinates
        >>> t = coordinates("t")
        >>> Vibration(t, mass=2, stiffness=8).equations
        (8*u(t) + 2*Derivative(u(t), (t, 2)) = 0,)
    """

    time: Any
    mass: Any
    stiffness: Any
    damping: Any = 0
    force: Any = 0

    def __post_init__(self):
        if not isinstance(self.time, sympy.Symbol):
            raise TypeError(f'`Vibration(time)` takes `coordinates("t")`; got {self.time!r}.')
        check_values(self, "force", positive=("mass", "stiffness", "damping"))
        shapes = [getattr(getattr(self, n), "shape", None) for n in ("mass", "stiffness")]
        if shapes[0] != shapes[1]:
            raise ValueError(
                f"`Vibration` needs `mass` and `stiffness` of one shape; got {shapes[0]} and "
                f"{shapes[1]}. Make matrices by `Matrix([[...], ...])`."
            )

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """The time."""
        return (self.time,)

    @property
    def displacement(self) -> Any:
        """The unknown displacement in m, a vector for several masses."""
        if not hasattr(self.mass, "shape"):
            return new_field("u", self.coordinates)
        n = self.mass.shape[0]
        return as_vector([new_field(f"u_{i + 1}", self.coordinates) for i in range(n)])

    @property
    def velocity(self) -> Any:
        """du/dt in m/s."""
        return diff(self.displacement, self.time)

    @property
    def energy(self) -> sympy.Expr:
        """(du/dt · M du/dt + u · K u) / 2 in J, constant without damping and force."""
        u, v = (sympy.Matrix([w]) for w in (self.displacement, self.velocity))
        return ((v.T * self.mass * v)[0] + (u.T * self.stiffness * u)[0]) / 2

    @property
    def equations(self) -> tuple[Eq, ...]:
        u, v = self.displacement, self.velocity
        acceleration = diff(v, self.time)
        resisting = self.damping * v + self.stiffness * u
        return (Eq(self.mass * acceleration + resisting, self.force),)

    def initial(self, displacement: Any, velocity: Any = 0) -> list[Eq]:
        """Displacement and velocity at the start."""
        return [Eq(self.displacement, displacement), Eq(self.velocity, velocity)]
