"""The inverse Hessian H as a full matrix, with three published updates.

With s the step, y the change of gradient, ρ = 1/(y's), the self-scaled Broyden family is

    H ← (H - H y y'H / (y'Hy) + φ (y'Hy) v v') / τ + ρ s s',    v = ρ s - H y / (y'Hy),

τ = φ = 1 being BFGS. Two numbers decide: h = ρ y'Hy and b = ρ s'H⁻¹s, the latter without an
inverse because the step was s = -t H g, so that b = -ρ t s'g. τ < 1 makes H larger.

A dense update reads H once for H g₊, from which both H y = H g₊ - H g and the next direction
follow, and writes it once.

Source: Al-Baali, Spedicato, Maggioni, Broyden's quasi-Newton methods for a nonlinear system of
equations and unconstrained optimization: a review and open problems (2014); Urbán, Stefanou,
Pons, Unveiling the optimization process of physics informed neural networks: how accurate and
competitive can PINNs be?, J. Comput. Phys. 523 (2025) 113656, eqs. (8)-(23); Nocedal and Wright,
Numerical optimization (2006), eqs. (6.17) and (6.20).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Move(NamedTuple):
    """A step of the line search; `is_first` where H is the identity still."""

    length: jax.Array
    direction: jax.Array  # -H last_gradient
    last_gradient: jax.Array
    gradient: jax.Array
    is_first: jax.Array

    @property
    def step(self) -> jax.Array:
        """The change of the parameters, s."""
        return self.length * self.direction


def bfgs_factors(h: jax.Array, b: jax.Array, n: int) -> tuple[jax.Array, jax.Array]:
    """Returns (τ, φ) of BFGS."""
    return jnp.ones_like(h), jnp.ones_like(h)


def self_scaled_bfgs_factors(h: jax.Array, b: jax.Array, n: int) -> tuple[jax.Array, jax.Array]:
    """Returns (τ, φ) of BFGS scaled by Al-Baali's τ = min(1, 1/b)."""
    return jnp.minimum(1.0, 1 / b), jnp.ones_like(h)


def self_scaled_broyden_factors(h: jax.Array, b: jax.Array, n: int) -> tuple[jax.Array, jax.Array]:
    """Returns (τ, φ) of the self-scaled Broyden method of Urbán, Stefanou and Pons."""
    # a > 0 but for rounding, by Cauchy-Schwarz; a = 0 where s and y are parallel in H's metric.
    a = jnp.maximum(b * h - 1, jnp.finfo(h.dtype).eps)
    rho_minus = jnp.minimum(1.0, h * (1 - jnp.sqrt(a / (1 + a))))
    theta_minus, theta_plus = (rho_minus - 1) / a, 1 / rho_minus
    theta = jnp.maximum(theta_minus, jnp.minimum(theta_plus, (1 - b) / b))
    sigma = 1 + a * theta
    rho, root = jnp.minimum(1.0, 1 / b), jnp.abs(sigma) ** (1 / (1 - max(n, 2)))
    tau = jnp.where(
        theta <= 0,
        jnp.minimum(rho * root, sigma),
        rho * jnp.minimum(root, 1 / jnp.where(theta > 0, theta, 1)),
    )
    return tau, (1 - theta) / sigma


class Change(NamedTuple):
    """The update H ← c H + p q' + s r'."""

    c: jax.Array
    p: jax.Array
    q: jax.Array
    s: jax.Array
    r: jax.Array


@dataclass(frozen=True, repr=False)
class Dense:
    """H as a matrix of n² numbers, with the update that `factors(h, b, n) -> (τ, φ)` chooses."""

    factors: Callable[[jax.Array, jax.Array, int], tuple[jax.Array, jax.Array]]

    def __repr__(self) -> str:
        return f"Dense({self.factors.__name__})"

    def init(self, vector: jax.Array) -> jax.Array:
        """Returns the identity."""
        return jnp.eye(vector.size, dtype=vector.dtype)

    def propose(self, hessian: jax.Array, move: Move) -> tuple[Change, jax.Array]:
        """Returns the change of H, none where the curvature is not positive, and the new -H g."""
        s, y, g = move.step, move.gradient - move.last_gradient, move.gradient
        sy, yy = s @ y, y @ y
        use = sy > jnp.finfo(y.dtype).eps * jnp.sqrt((s @ s) * yy)
        # The first update starts from (y's / y'y) times the identity.
        scale = jnp.where(use & move.is_first, sy / jnp.where(use, yy, 1.0), 1.0)
        rho = 1 / jnp.where(use, sy, 1.0)

        hg = hessian @ g
        hy = scale * (hg + move.direction)
        yhy = jnp.where(use, y @ hy, 1.0)
        b = -rho * move.length * (s @ move.last_gradient) / scale
        tau, phi = self.factors(rho * yhy, b, y.size)

        c = jnp.where(use, scale / tau, 1.0)
        pp = jnp.where(use, (phi - 1) / (tau * yhy), 0.0)
        ps = jnp.where(use, -phi * rho / tau, 0.0)
        ss = jnp.where(use, rho + phi * rho**2 * yhy / tau, 0.0)
        change = Change(c, hy, pp * hy + ps * s, s, ps * hy + ss * s)
        direction = -(c * hg + hy * (change.q @ g) + s * (change.r @ g))
        return change, direction

    def apply(self, hessian: jax.Array, change: Change, restart: jax.Array) -> jax.Array:
        """Returns the changed H, or the identity where `restart`; one pass over H, in place."""
        c, p, q, s, r = change
        new = c * hessian + p[:, None] * q + s[:, None] * r
        return jnp.where(restart, jnp.eye(s.size, dtype=s.dtype), new)
