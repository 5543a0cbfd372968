"""Mean turbulent flow: the Reynolds-averaged equations and three closures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..equation import Eq
from ..operators import advect, div, grad
from .incompressible import IncompressibleFlow
from .law import check_values, checked_coordinates, new_field, rate


@dataclass(frozen=True)
class MixingLength:
    """Prandtl's eddy viscosity nu_t = l² sqrt(2 S : S), S the mean rate of strain; no equation.

    Arguments:
        length: l in m, as `0.41 * y` near a wall at y = 0.

    Source:
        Pope, Turbulent Flows, 2000, equation 10.20 (after Smagorinsky).
    """

    length: Any

    def fields(self, flow: RANS) -> tuple[sympy.Expr, ...]:
        """No further unknowns."""
        return ()

    def viscosity(self, flow: RANS) -> sympy.Expr:
        """nu_t in m²/s."""
        return sympy.sympify(self.length) ** 2 * flow.shear_rate

    def equations(self, flow: RANS) -> tuple[Eq, ...]:
        """No further equations."""
        return ()


@dataclass(frozen=True)
class KEpsilon:
    """The standard k-epsilon closure nu_t = c_mu k²/epsilon, with

    dk/dt + u · grad k = div((nu + nu_t/sigma_k) grad k) + P - epsilon,   P = 2 nu_t S : S,
    depsilon/dt + u · grad epsilon = div((nu + nu_t/sigma_epsilon) grad epsilon)
    + (c1 P - c2 epsilon) epsilon/k.

    Arguments:
        c_mu, c1, c2, sigma_k, sigma_epsilon: the constants of the model.

    Source:
        Launder & Spalding, Comput. Methods Appl. Mech. Eng. 3 (1974) 269-289, table 2.1.
    """

    c_mu: Any = 0.09
    c1: Any = 1.44
    c2: Any = 1.92
    sigma_k: Any = 1
    sigma_epsilon: Any = 1.3

    def fields(self, flow: RANS) -> tuple[sympy.Expr, ...]:
        """k in m²/s² and epsilon in m²/s³, both positive."""
        return tuple(new_field(name, flow.coordinates, positive=True) for name in ("k", "epsilon"))

    def viscosity(self, flow: RANS) -> sympy.Expr:
        """nu_t in m²/s."""
        k, epsilon = self.fields(flow)
        return self.c_mu * k**2 / epsilon

    def equations(self, flow: RANS) -> tuple[Eq, ...]:
        """The equations of k and epsilon."""
        k, epsilon = self.fields(flow)
        nu, nu_t, production = flow.viscosity, self.viscosity(flow), flow.production
        growth = (self.c1 * production - self.c2 * epsilon) * epsilon / k
        return (
            _transport(flow, k, nu + nu_t / self.sigma_k, production - epsilon),
            _transport(flow, epsilon, nu + nu_t / self.sigma_epsilon, growth),
        )


@dataclass(frozen=True)
class KOmega:
    """Wilcox' k-omega closure nu_t = k/omega, with

    dk/dt + u · grad k = div((nu + sigma_k nu_t) grad k) + P - beta_k k omega,   P = 2 nu_t S : S,
    domega/dt + u · grad omega = div((nu + sigma nu_t) grad omega) + alpha P omega/k - beta omega².

    Arguments:
        alpha, beta, beta_k, sigma, sigma_k: the constants of the model of 1988.

    Source:
        Wilcox, AIAA Journal 26 (1988) 1299-1310, equations 4 to 8.
    """

    alpha: Any = sympy.Rational(5, 9)
    beta: Any = 0.075
    beta_k: Any = 0.09
    sigma: Any = 0.5
    sigma_k: Any = 0.5

    def fields(self, flow: RANS) -> tuple[sympy.Expr, ...]:
        """k in m²/s² and omega in 1/s, both positive."""
        return tuple(new_field(name, flow.coordinates, positive=True) for name in ("k", "omega"))

    def viscosity(self, flow: RANS) -> sympy.Expr:
        """nu_t in m²/s."""
        k, omega = self.fields(flow)
        return k / omega

    def equations(self, flow: RANS) -> tuple[Eq, ...]:
        """The equations of k and omega."""
        k, omega = self.fields(flow)
        nu, nu_t, production = flow.viscosity, self.viscosity(flow), flow.production
        balance = self.alpha * production * omega / k - self.beta * omega**2
        return (
            _transport(flow, k, nu + self.sigma_k * nu_t, production - self.beta_k * k * omega),
            _transport(flow, omega, nu + self.sigma * nu_t, balance),
        )


def _transport(flow: RANS, q: sympy.Expr, diffusivity: sympy.Expr, source: sympy.Expr) -> Eq:
    """dq/dt + u · grad q = div(diffusivity grad q) + source."""
    change = rate(q, flow.coordinates) + advect(flow.velocity, q)
    return Eq(change - div(diffusivity * grad(q, flow.space), flow.space), source)


@dataclass(frozen=True)
class RANS(IncompressibleFlow):
    """Reynolds-averaged Navier-Stokes equations of the mean flow with an eddy viscosity nu_t:

    rho (du/dt + (u · grad) u) = -grad p + div(rho (nu + nu_t) (grad u + grad u^T)) + f, div u = 0.

    Arguments:
        coordinates: as `(x, y)` or `(x, y, z, t)`.
        viscosity: of the fluid, nu in m²/s.
        closure: `KEpsilon()`, `KOmega()` or `MixingLength(length)`.
        density: rho in kg/m³.
        force: f in N/m³, a vector or 0.

    Notes:
        Unknowns: `velocity`, `pressure` (which holds 2/3 rho k too) and those of the closure,
        `turbulence`. Derived: those of `NavierStokes`, with the mean stress of both viscosities,
        `eddy_viscosity` and `production`.

    Source:
        Pope, Turbulent Flows, 2000, sections 4.4, 10.1, 10.4 and 10.5.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> RANS((x, y), viscosity=1e-3, closure=KEpsilon()).turbulence
        (k(x, y), epsilon(x, y))
    """

    coordinates: Any
    viscosity: Any
    closure: Any
    density: Any = 1
    force: Any = 0

    def __post_init__(self):
        symbols = checked_coordinates("RANS", self.coordinates, dimensions=(2, 3))
        object.__setattr__(self, "coordinates", symbols)
        check_values(self, "force", positive=("viscosity", "density"))
        if not isinstance(self.closure, KEpsilon | KOmega | MixingLength):
            raise TypeError(
                "`RANS(closure=)` takes `KEpsilon()`, `KOmega()` or `MixingLength(length)`; got "
                f"{self.closure!r}."
            )

    @property
    def turbulence(self) -> tuple[sympy.Expr, ...]:
        """The unknowns of the closure."""
        return self.closure.fields(self)

    @property
    def eddy_viscosity(self) -> sympy.Expr:
        """nu_t in m²/s."""
        return self.closure.viscosity(self)

    @property
    def production(self) -> sympy.Expr:
        """The energy 2 nu_t S : S, per mass and time, that the mean flow loses to turbulence."""
        return 2 * self.eddy_viscosity * sum(s**2 for s in self.strain_rate)

    @property
    def dynamic_viscosity(self) -> sympy.Expr:
        return self.density * (self.viscosity + self.eddy_viscosity)

    @property
    def is_stress_form(self) -> bool:
        return True

    @property
    def equations(self) -> tuple[Eq, ...]:
        mean = self.momentum(self.density * self.acceleration, self.force)
        return (self.continuity, *mean, *self.closure.equations(self))
