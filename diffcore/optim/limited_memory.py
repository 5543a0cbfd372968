"""The inverse Hessian as the last few steps and changes of gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp

from diffcore.optim.inverse_hessian import Move


class Pairs(NamedTuple):
    """A ring of steps s, changes of gradient y, and 1/(y's); `total` pairs came in so far."""

    s: jax.Array  # (history, n)
    y: jax.Array
    rho: jax.Array  # (history,), zero where there is no pair yet
    total: jax.Array


@dataclass(frozen=True)
class LimitedMemory:
    """H as `history` pairs; a product with it costs 4 × history × n.

    Source: Nocedal and Wright, Numerical optimization (2006), Algorithm 7.4 and eq. (7.20).
    """

    history: int

    def init(self, vector: jax.Array) -> Pairs:
        """Returns the empty memory, that is, the identity."""
        rows = jnp.zeros((self.history, vector.size), vector.dtype)
        return Pairs(rows, rows, jnp.zeros(self.history, vector.dtype), jnp.array(0))

    def propose(self, pairs: Pairs, move: Move) -> tuple[Pairs, jax.Array]:
        """Returns the memory with this move, if its curvature is positive, and the new -H g."""
        s, y = move.step, move.gradient - move.last_gradient
        sy = s @ y
        use = sy > jnp.finfo(y.dtype).eps * jnp.sqrt((s @ s) * (y @ y))
        i = pairs.total % self.history
        new = Pairs(
            pairs.s.at[i].set(jnp.where(use, s, pairs.s[i])),
            pairs.y.at[i].set(jnp.where(use, y, pairs.y[i])),
            pairs.rho.at[i].set(jnp.where(use, 1 / jnp.where(use, sy, 1.0), pairs.rho[i])),
            jnp.where(use, pairs.total + 1, pairs.total),
        )
        return new, -self._product(new, move.gradient)

    def apply(self, pairs: Pairs, change: Pairs, restart: jax.Array) -> Pairs:
        """Returns the changed memory, or the empty one where `restart`."""
        empty = jnp.where(restart, 0, 1)
        return change._replace(rho=change.rho * empty, total=change.total * empty)

    def _product(self, pairs: Pairs, gradient: jax.Array) -> jax.Array:
        """Returns H g; a pair with rho = 0 changes nothing."""
        s, y, rho, total = pairs

        def backward(k, carry):
            q, alphas = carry
            i = (total - 1 - k) % self.history
            alpha = rho[i] * (s[i] @ q)
            return q - alpha * y[i], alphas.at[i].set(alpha)

        def forward(k, q):
            i = (total + k) % self.history
            return q + s[i] * (alphas[i] - rho[i] * (y[i] @ q))

        start = (gradient, jnp.zeros_like(rho))
        q, alphas = jax.lax.fori_loop(0, self.history, backward, start)
        last = (total - 1) % self.history
        yy = rho[last] * (y[last] @ y[last])
        q = jnp.where(yy > 0, q / jnp.where(yy > 0, yy, 1.0), q)
        return jax.lax.fori_loop(0, self.history, forward, q)
