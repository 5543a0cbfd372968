"""Heat between fluids and solids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from ..equation import Eq
from ..operators import advect, diff, div, grad
from ..symbols import spatial
from .incompressible import IncompressibleFlow
from .law import check_values, checked_coordinates, new_field, rate


@dataclass(frozen=True)
class HeatExchanger:
    """A hot and a cold stream along x with a wall between them:

    C_h dT_h/dt + W_h dT_h/dx = a_h (T_w - T_h),   C_c dT_c/dt ± W_c dT_c/dx = a_c (T_w - T_c),
    C_w dT_w/dt = a_h (T_h - T_w) + a_c (T_c - T_w);   the cold stream comes back (-) or along (+).

    Arguments:
        coordinates: `x`, or `(x, t)`.
        flows: (W_h, W_c), mass flow times specific heat, in W/K.
        conductances: (a_h, a_c), heat transfer per length of stream and wall, in W/(m K).
        capacities: (C_h, C_c, C_w), heat capacity per length, in J/(m K), in unsteady operation.
        counterflow: whether the streams run against each other.

    Notes:
        Unknowns: `hot`, `cold` and `wall`, temperatures in K. A condition holds where each stream
        enters, none for the wall.

    Source:
        Incropera & DeWitt, Fundamentals of Heat and Mass Transfer, 2002, section 11.3; the wall
        and the time derivatives are the usual extension.

    Example:
        >>> from equations import coordinates
        >>> x = coordinates("x")
        >>> HeatExchanger(x, flows=(2, 3), conductances=(1, 1)).equations[1]
        -3*Derivative(T_c(x), x) = -T_c(x) + T_w(x)
    """

    coordinates: Any
    flows: Any
    conductances: Any
    capacities: Any = (1, 1, 1)
    counterflow: bool = True

    def __post_init__(self):
        symbols = checked_coordinates(
            "HeatExchanger", self.coordinates, dimensions=(1,), cartesian=True
        )
        object.__setattr__(self, "coordinates", symbols)
        check_values(self, "flows", "conductances", "capacities")
        for name, n in (("flows", 2), ("conductances", 2), ("capacities", 3)):
            value = getattr(self, name)
            if not hasattr(value, "__len__") or len(value) != n:
                raise ValueError(f"`HeatExchanger({name}=)` has {n} values; got {value}.")

    @property
    def hot(self) -> sympy.Expr:
        """The temperature of the hot stream in K."""
        return new_field("T_h", self.coordinates)

    @property
    def cold(self) -> sympy.Expr:
        """The temperature of the cold stream in K."""
        return new_field("T_c", self.coordinates)

    @property
    def wall(self) -> sympy.Expr:
        """The temperature of the wall in K."""
        return new_field("T_w", self.coordinates)

    @property
    def equations(self) -> tuple[Eq, ...]:
        (x,) = spatial(self.coordinates)
        W, a, C = self.flows, self.conductances, self.capacities
        back = -1 if self.counterflow else 1
        hot, cold, wall = self.hot, self.cold, self.wall
        kept = [c * rate(T, self.coordinates) for c, T in zip(C, (hot, cold, wall), strict=True)]
        return (
            Eq(kept[0] + W[0] * diff(hot, x), a[0] * (wall - hot)),
            Eq(kept[1] + back * W[1] * diff(cold, x), a[1] * (wall - cold)),
            Eq(kept[2], a[0] * (hot - wall) + a[1] * (cold - wall)),
        )


@dataclass(frozen=True)
class ConjugateHeatTransfer(IncompressibleFlow):
    """A fluid and a solid that exchange heat, on one domain: the solid is ground that hardly lets
    the fluid through, s = 1 in it and 0 in the fluid.

    rho (du/dt + (u · grad) u) = -grad p + div(mu grad u) - s mu/K u + f,   div u = 0,
    c (dT/dt + u · grad T) = div(k grad T) + q,   c and k those of the solid where s = 1.

    Arguments:
        coordinates: as `(x, y)` or `(x, y, z, t)`.
        solid: s, an expression, as `Piecewise((1, y < 0), (0, True))` or a smooth step.
        viscosity: dynamic, mu in Pa s.
        conductivity: (k of the fluid, k of the solid) in W/(m K).
        heat_capacity: (c of the fluid, c of the solid), per volume, in J/(m³ K).
        density: rho in kg/m³.
        permeability: K in m², small against the square of lengths that matter; the fluid slows
            down in the solid over the length sqrt(K).
        force: f in N/m³, a vector or 0.
        heating: q in W/m³.

    Notes:
        Unknowns: those of `NavierStokes`, and `temperature`. Temperature and heat flux are
        continuous where fluid and solid meet.

    Source:
        Angot, Bruneau & Fabrie, Numer. Math. 81 (1999) 497-520, equation 1.4, for the flow.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> ConjugateHeatTransfer((x, y), y, 1, conductivity=(1, 3)).mixed_conductivity
        2*y + 1
    """

    coordinates: Any
    solid: Any
    viscosity: Any
    conductivity: Any = (1, 1)
    heat_capacity: Any = (1, 1)
    density: Any = 1
    permeability: Any = 1e-6
    force: Any = 0
    heating: Any = 0

    def __post_init__(self):
        name = "ConjugateHeatTransfer"
        symbols = checked_coordinates(name, self.coordinates, dimensions=(2, 3))
        object.__setattr__(self, "coordinates", symbols)
        positive = ("viscosity", "density", "permeability")
        pairs = ("conductivity", "heat_capacity")
        check_values(self, "solid", "force", "heating", *pairs, positive=positive)
        for pair in pairs:
            value = getattr(self, pair)
            if not hasattr(value, "__len__") or len(value) != 2:
                raise ValueError(f"`{name}({pair}=)` is (of the fluid, of the solid); got {value}.")

    @cached_property
    def temperature(self) -> sympy.Expr:
        """The unknown temperature in K."""
        return new_field("T", self.coordinates)

    @property
    def dynamic_viscosity(self) -> sympy.Expr:
        return self.viscosity

    @property
    def is_stress_form(self) -> bool:
        return bool(self.viscosity.free_symbols & set(self.coordinates))

    @property
    def mixed_conductivity(self) -> sympy.Expr:
        """k of the fluid where s = 0, of the solid where s = 1."""
        return self._mixed(self.conductivity)

    def _mixed(self, pair: Any) -> sympy.Expr:
        return sympy.expand(pair[0] + (pair[1] - pair[0]) * self.solid)

    @property
    def equations(self) -> tuple[Eq, ...]:
        T, space, u = self.temperature, self.space, self.velocity
        drag = self.solid * self.viscosity / self.permeability * u
        flow = self.momentum(self.density * self.acceleration + drag, self.force)
        change = self._mixed(self.heat_capacity) * (rate(T, self.coordinates) + advect(u, T))
        heat = Eq(change - div(self.mixed_conductivity * grad(T, space), space), self.heating)
        return (self.continuity, *flow, heat)
