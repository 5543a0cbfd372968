"""Gauss-Newton steps for sums of squares, damped by Levenberg and Marquardt.

A step solves (J'J + λ I) p = -J'R. With fewer residuals m than parameters n the same step is
p = -J'(JJ' + λ I)⁻¹ R; the smaller of the two matrices is formed and factored once for each λ
tried. For large m and n, conjugate gradients need only products with J.

For a linear equation this is the energy natural gradient of its least-squares functional.

Source: Nocedal and Wright, Numerical optimization (2006), section 10.3; Nielsen, Damping parameter
in Marquardt's method (1999), eq. (2.6); Müller and Zeinhofer, Achieving high accuracy with PINNs
via energy natural gradients (2023); Jnini, Vella, Zeinhofer, Gauss-Newton natural gradient descent
for physics-informed computational fluid dynamics (2024).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.scipy.linalg import cho_factor, cho_solve
from jax.scipy.sparse.linalg import cg

from diffcore.optim.least_squares import LeastSquares
from diffcore.optim.run import (
    DAMPING_LARGE,
    GRADIENT_SMALL,
    NOT_FINITE,
    RUNNING,
    Step,
)
from diffcore.optim.vector import flatten

Solve = Callable[[jax.Array], jax.Array]


class DampingState(NamedTuple):
    """The damping λ, zero before the first step, and the factor by which it grows next."""

    damping: jax.Array
    growth: jax.Array


@dataclass(frozen=True)
class LevenbergMarquardt:
    """Gauss-Newton steps whose damping falls where the linear model is right, and rises if not.

    Arguments:
        damping: the first λ, relative to |J'R|² / |R|².
        matrix_free: conjugate gradients instead of a factorization.
        tolerance: on the largest component of the gradient.
        max_trials: of λ in one step.
        cg_iterations: the largest number in one solve.
    """

    damping: float
    matrix_free: bool
    tolerance: float
    max_trials: int
    cg_iterations: int

    def init(self, parameters: Any) -> DampingState:
        dtype = flatten(parameters)[0].dtype
        return DampingState(jnp.zeros((), dtype), jnp.asarray(2.0, dtype))

    def step(self, objective: Any, parameters: Any, state: DampingState, fresh: jax.Array) -> Step:
        least_squares = _checked(objective.function)
        vector, unflatten = flatten(parameters)

        def residuals(vector):
            return least_squares.vector(objective.whole(unflatten(vector)), *objective.args)

        if self.matrix_free:
            r, gradient, solve = _matrix_free(residuals, vector, self.cg_iterations)
        else:
            whole = objective.whole(parameters)
            r, gradient, solve = _factored(*least_squares.linearize(whole, *objective.args))
        value = r @ r

        def body(carry):
            _, (damping, growth), n, _ = carry
            p = solve(damping)
            new = residuals(vector + p)
            # What the linear model promises: |R|² - |R + Jp|² = p'(λ p - J'R).
            gain = (value - new @ new) / (p @ (damping * p - gradient))
            better = jnp.isfinite(gain) & (gain > 1e-4)
            shrink = jnp.maximum(1 / 3, 1 - (2 * gain - 1) ** 3)
            damping = damping * jnp.where(better, shrink, growth)
            growth = jnp.where(better, 2.0, 2 * growth)
            return p, DampingState(damping, growth), n + 1, better

        def go_on(carry):
            *_, n, better = carry
            return ~better & (n < self.max_trials)

        first = self.damping * (gradient @ gradient) / jnp.where(value > 0, value, 1.0)
        state = state._replace(damping=jnp.where(state.damping > 0, state.damping, first))
        small = 2 * jnp.max(jnp.abs(gradient)) <= self.tolerance
        start = (jnp.zeros_like(vector), state, 0, small)
        p, state, _, better = jax.lax.while_loop(go_on, body, start)

        moved = better & ~small
        status = jnp.where(
            ~jnp.isfinite(value),
            NOT_FINITE,
            jnp.where(small, GRADIENT_SMALL, jnp.where(better, RUNNING, DAMPING_LARGE)),
        )
        parameters = unflatten(jnp.where(moved, vector + p, vector))
        return Step(parameters, state, value, status, moved)


def _factored(r: jax.Array, jacobian: jax.Array) -> tuple[jax.Array, jax.Array, Solve]:
    """Returns (R, J'R, solve), by Cholesky factors of the smaller of JJ' and J'J."""
    gradient = jacobian.T @ r
    wide = jacobian.shape[0] < jacobian.shape[1]
    gram = jacobian @ jacobian.T if wide else jacobian.T @ jacobian
    right = r if wide else gradient

    def solve(damping):
        factor = cho_factor(gram + damping * jnp.eye(len(gram), dtype=gram.dtype))
        p = cho_solve(factor, right)
        return -(jacobian.T @ p if wide else p)

    return r, gradient, solve


def _matrix_free(
    residuals: Callable[[jax.Array], jax.Array], vector: jax.Array, iterations: int
) -> tuple[jax.Array, jax.Array, Solve]:
    """Returns (R, J'R, solve), by conjugate gradients on products with J and J'."""
    r, times = jax.linearize(residuals, vector)
    transpose = jax.linear_transpose(times, vector)
    (gradient,) = transpose(r)

    def solve(damping):
        p, _ = cg(lambda p: transpose(times(p))[0] + damping * p, -gradient, maxiter=iterations)
        return p

    return r, gradient, solve


def _checked(objective: Any) -> LeastSquares:
    if not isinstance(objective, LeastSquares):
        raise TypeError(
            "`value_and_grad` must be a `LeastSquares` for this optimizer, which needs the "
            f"residuals; got {type(objective).__name__}."
        )
    return objective


def levenberg_marquardt(
    *,
    damping: float = 1e-3,
    matrix_free: bool = False,
    tolerance: float = 1e-10,
    max_trials: int = 12,
    cg_iterations: int = 100,
) -> LevenbergMarquardt:
    """Returns the Levenberg-Marquardt method, for losses that are a `LeastSquares`.

    Arguments:
        damping: the first λ, relative to |J'R|² / |R|².
        matrix_free: for large networks: conjugate gradients, at most `cg_iterations` in a solve,
            instead of a factorization of JJ' or J'J.
        tolerance: on the largest component of the gradient.
        max_trials: number of λ tried in one step.
    """
    if not damping > 0:
        raise ValueError(f"`damping` must be positive; got {damping}.")
    return LevenbergMarquardt(damping, matrix_free, tolerance, max_trials, cg_iterations)
