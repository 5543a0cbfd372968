"""The one driver: `run` takes any optimizer through a chunk of steps in one compiled loop.

An optimizer is a frozen value with two methods (`Optimizer`). Its state is a pytree of arrays, so
that a checkpoint holds it. Whatever changes between chunks (new points, new weights) goes through
`args` and costs no compilation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import equinox as eqx
import jax
import jax.numpy as jnp

from diffcore.nn.parameters import merge, split

RUNNING, GRADIENT_SMALL, SEARCH_FAILED, NOT_FINITE, DAMPING_LARGE = range(5)
_REASONS = (
    "all steps taken",
    "gradient below tolerance",
    "line search failed",
    "loss not finite",
    "no damping lowers the loss",
)

# The trace has room for a multiple of this many steps, so that chunks of any smaller number of
# steps share one compiled program.
_TRACE = 1024

Objective = Callable[..., tuple[jax.Array, Any]]


class Step(NamedTuple):
    """What one iteration of an optimizer hands back.

    `loss` is the loss at the parameters where it started; `counts` is false for an iteration that
    only evaluated a loss that was not known yet.
    """

    parameters: Any
    state: Any
    loss: jax.Array
    status: jax.Array
    counts: jax.Array


class Optimizer(Protocol):
    """What `run` needs of an optimizer."""

    def init(self, parameters: Any) -> Any:
        """Returns the state before the first step; the loss is not evaluated."""

    def step(self, objective: Objective, parameters: Any, state: Any, fresh: jax.Array) -> Step:
        """Returns the outcome of one iteration.

        `fresh` is false at the start of a chunk, when the objective may differ from the one that
        `state` saw last.
        """


class Run(NamedTuple):
    """The outcome of `run`.

    Attributes:
        parameters: after the last step, with the structure of those given.
        state: goes into the next `run`, or into a checkpoint.
        losses: the loss at which each step started, one entry a step and at least one.
        reason: why it ended, in words; "all steps taken" if nothing else.
    """

    parameters: Any
    state: Any
    losses: jax.Array
    reason: str

    @property
    def stopped(self) -> bool:
        """Whether it ended before all steps were taken, so that more steps would not help."""
        return self.reason != _REASONS[RUNNING]

    @property
    def is_finite(self) -> bool:
        """Whether all losses and the parameters after the last step are finite."""
        numbers = (self.losses, *jax.tree.leaves(split(self.parameters)[0]))
        all_finite = all(bool(jnp.isfinite(leaf).all()) for leaf in numbers)
        return self.reason != _REASONS[NOT_FINITE] and all_finite


def run(
    optimizer: Optimizer,
    value_and_grad: Objective,
    parameters: Any,
    *,
    steps: int,
    state: Any = None,
    args: tuple = (),
) -> Run:
    """Returns the outcome of at most `steps` steps, taken in one compiled loop.

    Arguments:
        optimizer: such as `adam(1e-3)` or `self_scaled_broyden()`.
        value_and_grad: `value_and_grad(parameters, *args) -> (loss, gradient)`, such as
            `dc.value_and_grad(loss)`, or a `LeastSquares`. For complex parameters the gradient is
            the direction of steepest ascent, as `dc.value_and_grad` gives it and
            `jax.value_and_grad` does not. Pass the same object each time: another one is compiled
            anew.
        parameters: a module or any pytree; what `nn.split` calls parameters is optimized.
        steps: the largest number of steps.
        state: of the run that this one continues; by default a new start.
        args: arrays that the loss depends on. They may have changed since the last run: the loss
            is evaluated again, while an estimate of the Hessian is kept. If they have not,
            consecutive runs equal one long run to the last bit.

    Raises:
        ValueError: `steps` is not positive, or there is nothing to optimize.

    Example:
        >>> import diffcore as dc
        >>> from diffcore import optim
        >>> loss = dc.value_and_grad(lambda x: (x[0] - 1) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2)
        >>> result = optim.run(optim.bfgs(), loss, jnp.zeros(2), steps=100)
        >>> result.parameters.round(3).tolist(), result.reason
        ([1.0, 1.0], 'gradient below tolerance')
    """
    if steps < 1:
        raise ValueError(f"`steps` must be at least 1; got {steps}.")
    if not jax.tree.leaves(split(parameters)[0]):
        raise ValueError(
            "`parameters` must hold at least one float or complex array; got none. "
            "Integers are constants: convert them, for example by jnp.asarray(p, float)."
        )
    if state is None:
        state = optimizer.init(split(parameters)[0])
    room = -(-steps // _TRACE) * _TRACE
    parameters, state, losses, taken, status = _loop(
        optimizer, value_and_grad, parameters, state, jnp.asarray(steps), room, args
    )
    return Run(parameters, state, losses[: max(int(taken), 1)], _REASONS[int(status)])


@eqx.filter_jit
def _loop(optimizer, value_and_grad, module, state, steps, room, args):
    parameters, rest = split(module)
    objective = _Bound(value_and_grad, rest, args)
    dtype = jnp.real(jax.tree.leaves(parameters)[0]).dtype

    def body(carry):
        parameters, state, losses, taken, fresh, _ = carry
        step = optimizer.step(objective, parameters, state, fresh)
        losses = losses.at[taken].set(step.loss)
        taken = jnp.where(step.counts, taken + 1, taken)
        return step.parameters, step.state, losses, taken, jnp.array(True), step.status

    def go_on(carry):
        return (carry[3] < steps) & (carry[5] == RUNNING)

    losses = jnp.full(room + 1, jnp.nan, dtype)
    start = (parameters, state, losses, jnp.array(0), jnp.array(False), jnp.array(RUNNING))
    parameters, state, losses, taken, _, status = jax.lax.while_loop(go_on, body, start)
    return merge(parameters, rest), state, losses, taken, status


class _Bound(NamedTuple):
    """The objective as a function of what is optimized alone."""

    function: Any
    rest: Any
    args: tuple

    def whole(self, parameters: Any) -> Any:
        """Returns what the caller calls parameters, constants included."""
        return merge(parameters, self.rest)

    def __call__(self, parameters: Any) -> tuple[jax.Array, Any]:
        """Returns the loss and its gradient with respect to what is optimized."""
        value, gradient = self.function(self.whole(parameters), *self.args)
        return value, split(gradient)[0]
