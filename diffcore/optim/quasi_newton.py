"""Quasi-Newton methods: a direction from an estimate of the inverse Hessian, and a line search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp

from diffcore.optim.inverse_hessian import (
    Dense,
    Move,
    bfgs_factors,
    self_scaled_bfgs_factors,
    self_scaled_broyden_factors,
)
from diffcore.optim.limited_memory import LimitedMemory
from diffcore.optim.line_search import WOLFE, Trial, WolfeSearch
from diffcore.optim.run import (
    GRADIENT_SMALL,
    NOT_FINITE,
    RUNNING,
    SEARCH_FAILED,
    Objective,
    Step,
)
from diffcore.optim.vector import flatten


class InverseHessian(Protocol):
    """What a quasi-Newton method needs of an estimate of the inverse Hessian."""

    def init(self, vector: jax.Array) -> Any:
        """Returns the estimate before the first step, which acts as the identity."""

    def propose(self, hessian: Any, move: Move) -> tuple[Any, jax.Array]:
        """Returns a change of the estimate, and the next direction -H g."""

    def apply(self, hessian: Any, change: Any, restart: jax.Array) -> Any:
        """Returns the changed estimate, or the first one where `restart`."""


class QuasiNewtonState(NamedTuple):
    """Loss and gradient where the parameters are, the direction to go, and the estimate of H.

    `decrease` is by how much the last step lowered the loss, `age` the number of steps since the
    estimate was the identity, `evaluations` the number of losses and gradients computed so far.
    """

    value: jax.Array
    decrease: jax.Array
    gradient: jax.Array
    direction: jax.Array
    hessian: Any
    age: jax.Array
    evaluations: jax.Array


@dataclass(frozen=True)
class QuasiNewton:
    """Steps along -H g, with the estimate H of the inverse Hessian and a line search.

    The estimate starts from the identity again where it gives no direction of descent or no
    acceptable step; the method stops where the gradient fails too.

    Arguments:
        hessian: `Dense(factors)` or `LimitedMemory(history)`.
        search: the line search.
        tolerance: on the largest component of the gradient.
    """

    hessian: InverseHessian
    search: WolfeSearch = WOLFE
    tolerance: float = 1e-10

    def init(self, parameters: Any) -> QuasiNewtonState:
        vector, _ = flatten(parameters)
        zeros, unknown = jnp.zeros_like(vector), jnp.asarray(jnp.inf, vector.dtype)
        zero = jnp.array(0)
        return QuasiNewtonState(
            unknown, unknown, zeros, zeros, self.hessian.init(vector), zero, zero
        )

    def step(
        self, objective: Objective, parameters: Any, state: QuasiNewtonState, fresh: jax.Array
    ) -> Step:
        vector, unflatten = flatten(parameters)
        value, decrease, gradient, direction, hessian, age, evaluations = state

        def evaluate(length):
            value, ascent = objective(unflatten(vector + length * direction))
            return value, flatten(ascent)[0]

        start = Trial(jnp.zeros_like(value), value, gradient @ direction, gradient)
        first_length = _first_length(start, decrease, age)
        trial, n = self.search(evaluate, start, direction, first_length, fresh)

        move = Move(trial.length, direction, gradient, trial.gradient, age == 0)
        change, new_direction = self.hessian.propose(hessian, move)
        moved = trial.length > 0
        restart = ~_descends(new_direction, trial.gradient) | (fresh & ~moved)
        new_direction = jnp.where(restart, -trial.gradient, new_direction)
        new_age = jnp.where(restart, 0, jnp.where(moved, age + 1, age))
        # A loss that has not changed since the last run changes nothing.
        same = ~fresh & jnp.all(trial.gradient == gradient)
        new_direction = jnp.where(same, direction, new_direction)

        new_state = QuasiNewtonState(
            trial.value,
            # Where new points have raised the loss, the next step may win that back.
            jnp.where(fresh, value - trial.value, jnp.maximum(decrease, trial.value - value)),
            trial.gradient,
            new_direction,
            self.hessian.apply(hessian, change, restart & ~same),
            jnp.where(same, age, new_age),
            evaluations + n,
        )
        status = jnp.where(
            ~jnp.isfinite(trial.value),
            NOT_FINITE,
            jnp.where(
                jnp.max(jnp.abs(trial.gradient)) <= self.tolerance,
                GRADIENT_SMALL,
                jnp.where(fresh & ~moved & (age == 0), SEARCH_FAILED, RUNNING),
            ),
        )
        parameters = unflatten(vector + trial.length * direction)
        return Step(parameters, new_state, jnp.where(fresh, value, trial.value), status, fresh)


def _first_length(start: Trial, decrease: jax.Array, age: jax.Array) -> jax.Array:
    """Returns the step length to try first.

    The quadratic that starts with this slope and falls by as much as the loss did in the last
    step has its minimum there (Nocedal and Wright, eq. 3.60). For self-scaled methods, which make
    H too large on purpose, this halves the evaluations in a search. The first step along a
    gradient, which says nothing about lengths, has length 1.
    """
    guess = -2.02 * decrease / start.slope
    guess = jnp.where(guess > 0, jnp.minimum(guess, 1.0), 1.0)
    return jnp.where(age == 0, 1 / jnp.maximum(jnp.linalg.norm(start.gradient), 1.0), guess)


def _descends(direction: jax.Array, gradient: jax.Array) -> jax.Array:
    size = jnp.linalg.norm(direction) * jnp.linalg.norm(gradient)
    return direction @ gradient < -jnp.finfo(gradient.dtype).eps * size


def bfgs(*, search: WolfeSearch = WOLFE, tolerance: float = 1e-10) -> QuasiNewton:
    """Returns BFGS with a dense inverse Hessian, for up to a few thousand parameters.

    Source: Nocedal and Wright, Numerical optimization (2006), Algorithm 6.1.
    """
    return QuasiNewton(Dense(bfgs_factors), search, tolerance)


def self_scaled_bfgs(*, search: WolfeSearch = WOLFE, tolerance: float = 1e-10) -> QuasiNewton:
    """Returns BFGS whose inverse Hessian is scaled before each update, by Al-Baali's rule.

    Source: Urbán, Stefanou, Pons, J. Comput. Phys. 523 (2025) 113656, eqs. (8)-(11).
    """
    return QuasiNewton(Dense(self_scaled_bfgs_factors), search, tolerance)


def self_scaled_broyden(*, search: WolfeSearch = WOLFE, tolerance: float = 1e-10) -> QuasiNewton:
    """Returns the self-scaled Broyden method, the most accurate known for small networks.

    Source: Urbán, Stefanou, Pons, J. Comput. Phys. 523 (2025) 113656, eqs. (13)-(23); Kiyani,
    Shukla, Urbán, Darbon, Karniadakis, Optimizing the optimizer for physics-informed neural
    networks and Kolmogorov-Arnold networks (2025).
    """
    return QuasiNewton(Dense(self_scaled_broyden_factors), search, tolerance)


def lbfgs(
    *, history: int = 50, search: WolfeSearch = WOLFE, tolerance: float = 1e-10
) -> QuasiNewton:
    """Returns BFGS with limited memory, for any number of parameters.

    Arguments:
        history: number of steps remembered.
    """
    if history < 1:
        raise ValueError(f"`history` must be at least 1; got {history}.")
    return QuasiNewton(LimitedMemory(history), search, tolerance)
