"""Random motion: probability densities, and prices of options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ..curvilinear import unit_normal
from ..equation import Eq
from ..expressions import as_expression
from ..operators import as_vector, diff, div, dot, grad, is_vector
from ..symbols import spatial
from .law import (
    as_components,
    check_values,
    checked_coordinates,
    checked_unknown,
    rate,
    time_of,
)


@dataclass(frozen=True)
class FokkerPlanck:
    """The Fokker-Planck equation dp/dt + div(a p - div(D p) / 2) = 0 of the probability density
    of dX = a dt + B dW with D = B B^T (Itô).

    Arguments:
        coordinates: as `(x, t)`; steady where `t` is not among them.
        drift: a, a vector; in one dimension an expression.
        diffusion: D, an expression (times the unit matrix) or a matrix.
        unknown: the density p, made if not given.

    Notes:
        Derived: `current` a p - div(D p) / 2. The integral of p stays constant without current
        through the boundary, `reflecting()`.

    Source:
        Risken, The Fokker-Planck Equation, 1996, equation 4.94, with D there half of ours.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> FokkerPlanck((x, t), drift=-x, diffusion=2).current[0]
        -x*p(x, t) - Derivative(p(x, t), x)
    """

    coordinates: Any
    drift: Any
    diffusion: Any
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("FokkerPlanck", self.coordinates)
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("FokkerPlanck", self.unknown, symbols, "p")
        object.__setattr__(self, "unknown", unknown)
        check_values(self, "drift", positive=("diffusion",))
        if is_vector(self.diffusion) and len(self.diffusion) == 1:
            object.__setattr__(self, "diffusion", self.diffusion[0])
        drift = as_components(self.drift, spatial(symbols), "FokkerPlanck(drift=)")
        object.__setattr__(self, "drift", drift)

    @property
    def current(self) -> sympy.Matrix:
        """The flow of probability a p - div(D p) / 2."""
        p, space = self.unknown, spatial(self.coordinates)
        if is_vector(self.diffusion):
            spread = [row.doit() for row in div(self.diffusion * p, space)]
        else:
            spread = grad(self.diffusion * p, space)
        return as_vector([a * p - s / 2 for a, s in zip(self.drift, spread, strict=True)])

    @property
    def equations(self) -> tuple[Eq, ...]:
        change = rate(self.unknown, self.coordinates)
        return (Eq(change + div(self.current, spatial(self.coordinates)), 0),)

    def reflecting(self) -> Eq:
        """No current through the boundary: n · (a p - div(D p) / 2) = 0."""
        return Eq(dot(unit_normal(spatial(self.coordinates)), self.current), 0)


@dataclass(frozen=True)
class BlackScholes:
    """The Black-Scholes equation of the value V of an option on prices S_i, before it expires:
    dV/dt + sum rho_ij sigma_i sigma_j S_i S_j d²V/dS_i dS_j / 2 + sum (r - q_i) S_i dV/dS_i = r V.

    Arguments:
        coordinates: the prices, and time, as `(S, t)`; the payoff is a condition on "final".
        volatility: sigma per square root of time, one for all or a tuple.
        rate: r of riskless interest, per time.
        dividend: q, one for all or a tuple.
        correlation: the matrix rho; by default the unit matrix.
        unknown: the value V, made if not given.

    Notes:
        Derived: the Greeks `delta` (one for each price), `gamma`, `theta`.

    Source:
        Black & Scholes, J. Political Economy 81 (1973) 637-654, equation 7; Wilmott, Howison &
        Dewynne, The Mathematics of Financial Derivatives, 1995, section 3.5.

    Example:
        >>> from equations import coordinates
        >>> S, t = coordinates("S t")
        >>> BlackScholes((S, t), volatility=0.2, rate=0.05).call_payoff(100)
        V(S, t) = Max(0, S - 100)
    """

    coordinates: Any
    volatility: Any
    rate: Any
    dividend: Any = 0
    correlation: Any = None
    unknown: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("BlackScholes", self.coordinates, time=True, cartesian=True)
        object.__setattr__(self, "coordinates", symbols)
        unknown = checked_unknown("BlackScholes", self.unknown, symbols, "V")
        object.__setattr__(self, "unknown", unknown)
        if self.correlation is None:
            object.__setattr__(self, "correlation", sympy.ImmutableMatrix.eye(len(self.prices)))
        check_values(self, "rate", "dividend", "correlation", positive=("volatility",))

    @property
    def prices(self) -> tuple[sympy.Symbol, ...]:
        """The coordinates S."""
        return spatial(self.coordinates)

    @property
    def delta(self) -> sympy.Matrix:
        """dV/dS_i, the shares that hedge the option."""
        return grad(self.unknown, self.prices)

    @property
    def gamma(self) -> sympy.Matrix:
        """d²V/dS_i dS_j."""
        return sympy.ImmutableMatrix(sympy.hessian(self.unknown, self.prices))

    @property
    def theta(self) -> sympy.Expr:
        """dV/dt."""
        return diff(self.unknown, time_of(self.coordinates))

    @property
    def equations(self) -> tuple[Eq, ...]:
        S = self.prices
        sigma, q = (self._each(v) for v in (self.volatility, self.dividend))
        spread = [s * price for s, price in zip(sigma, S, strict=True)]
        pairs = [(i, j) for i in range(len(S)) for j in range(len(S))]
        convexity = sum(
            self.correlation[i, j] * spread[i] * spread[j] * self.gamma[i, j] for i, j in pairs
        )
        grown = sum((self.rate - q[i]) * S[i] * self.delta[i] for i in range(len(S)))
        return (Eq(self.theta + convexity / 2 + grown, self.rate * self.unknown),)

    def _each(self, value: Any) -> tuple:
        return tuple(value) if is_vector(value) else (value,) * len(self.prices)

    def call_payoff(self, strike: Any) -> Eq:
        """The right to buy at `strike`: V = max(S - strike, 0) at the end."""
        return Eq(self.unknown, sympy.Max(self._price() - as_expression(strike, "strike"), 0))

    def put_payoff(self, strike: Any) -> Eq:
        """The right to sell at `strike`: V = max(strike - S, 0) at the end."""
        return Eq(self.unknown, sympy.Max(as_expression(strike, "strike") - self._price(), 0))

    def _price(self) -> sympy.Symbol:
        if len(self.prices) != 1:
            raise ValueError(
                f"the payoff of an option on {len(self.prices)} prices is yours to state: "
                "`Eq(law.unknown, ...)`."
            )
        return self.prices[0]
