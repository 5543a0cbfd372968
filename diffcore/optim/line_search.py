"""A line search for the strong Wolfe conditions, in one loop with one evaluation in its body.

The loss is compiled once. The bracket [low, high] keeps an invariant: `low` decreases the loss
enough and still goes down steeply, `high` is too high, goes up, or is not finite. A strong Wolfe
point lies between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Trial(NamedTuple):
    """Step length, loss, slope along the direction, and gradient at one trial."""

    length: jax.Array
    value: jax.Array
    slope: jax.Array
    gradient: jax.Array


@dataclass(frozen=True)
class WolfeSearch:
    """Finds a step length t with f(t) <= f(0) + decrease t f'(0), |f'(t)| <= curvature |f'(0)|.

    Arguments:
        decrease, curvature: 0 < decrease < curvature < 1.
        max_evaluations: of loss and gradient, in one search.
        slack: rounding error of the loss, in units in its last place. Where the change of the
            loss drowns in it, the slope decides (Hager and Zhang's approximate Wolfe condition).

    Source: Nocedal and Wright, Numerical optimization (2006), eqs. (3.7), (3.59); Hager and
    Zhang, A new conjugate gradient method with guaranteed descent (2005), eq. (4.1).
    """

    decrease: float = 1e-4
    curvature: float = 0.9
    max_evaluations: int = 20
    slack: float = 100.0

    def __post_init__(self):
        if not 0 < self.decrease < self.curvature < 1:
            raise ValueError(
                "`decrease` and `curvature` need 0 < decrease < curvature < 1; "
                f"got {self.decrease} and {self.curvature}."
            )

    def __call__(
        self,
        evaluate: Callable[[jax.Array], tuple[jax.Array, jax.Array]],
        start: Trial,
        direction: jax.Array,
        first_length: jax.Array,
        fresh: jax.Array,
    ) -> tuple[Trial, jax.Array]:
        """Returns (trial, number of evaluations).

        Where no Wolfe point is found, the trial is the best that decreases the loss, or the
        start. Where `fresh` is false, the loss at the start is not known, and the start is
        evaluated and returned.
        """

        def body(carry):
            low, high, length, n, _ = carry
            value, gradient = evaluate(length)
            trial = Trial(length, value, gradient @ direction, gradient)
            is_high, is_low = self._judge(start, trial)
            found = ~(is_high | is_low) | ~fresh
            low = _choose(is_low | found, trial, low)
            high = _choose(is_high, trial, high)
            return low, high, _next_length(low, high), n + 1, found

        def go_on(carry):
            *_, n, found = carry
            return ~found & (n < self.max_evaluations)

        nowhere = jnp.full_like(start.length, jnp.inf)
        high = Trial(nowhere, nowhere, nowhere, jnp.zeros_like(start.gradient))
        length = jnp.where(fresh, first_length, 0.0)
        low, _, _, n, found = jax.lax.while_loop(
            go_on, body, (start, high, length, jnp.array(0), jnp.array(False))
        )
        progress = found | (low.value < start.value)
        return _choose(progress, low, start), n

    def _judge(self, start: Trial, trial: Trial) -> tuple[jax.Array, jax.Array]:
        """Returns whether the trial is an upper end, and whether it is a lower end."""
        steep = -self.curvature * start.slope
        finite = jnp.isfinite(trial.value) & jnp.isfinite(trial.slope)
        lower = trial.value <= start.value + self.decrease * trial.length * start.slope
        noise = self.slack * jnp.finfo(start.value.dtype).eps * jnp.abs(start.value)
        level = trial.value <= start.value + noise
        level &= trial.slope <= (2 * self.decrease - 1) * start.slope
        is_high = ~finite | ~(lower | level) | (trial.slope > steep)
        return is_high, ~is_high & (trial.slope < -steep)


def _choose(condition: jax.Array, a: Trial, b: Trial) -> Trial:
    return Trial(*(jnp.where(condition, x, y) for x, y in zip(a, b, strict=True)))


def _next_length(low: Trial, high: Trial) -> jax.Array:
    """Returns the minimum of the cubic through both ends, kept off the ends."""
    width = high.length - low.length
    secant = (high.value - low.value) / width
    a = low.slope + high.slope - 3 * secant
    root = jnp.sqrt(a**2 - low.slope * high.slope)
    share = 1 - (high.slope + root - a) / (high.slope - low.slope + 2 * root)
    share = jnp.where(jnp.isfinite(share), jnp.clip(share, 0.1, 0.9), 0.5)
    share = jnp.where(jnp.isfinite(high.value), share, 0.2)
    inside = low.length + share * width
    # No upper end yet: `low` is the last trial, or, at first, the start.
    return jnp.where(jnp.isinf(high.length), 4 * low.length, inside)


WOLFE = WolfeSearch()
