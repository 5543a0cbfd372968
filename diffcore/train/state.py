"""What a training carries from step to step, and the step: state, batch ↦ state, logs.

A step is a pure function. The trainer compiles it, alone or many steps in one loop, and keeps no
other state than this one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

from diffcore.keys import as_key
from diffcore.nn.module import Module, replaced
from diffcore.nn.parameters import merge, split
from diffcore.nn.paths import cast_parameters
from diffcore.nn.training import apply
from diffcore.optim.first_order import FirstOrder
from diffcore.precision import default_dtype

Logs = Mapping[str, jax.Array]


class State(eqx.Module):
    """What a training carries from step to step.

    Attributes:
        model: as it is after the last step.
        optimizer: the state of the optimizer, or a dictionary of states.
        step: number of steps, those included that were not taken because of a NaN.
        key: random key of the whole training; `draw` gives that of a step.
        rate: factor of all learning rates, for what changes them between epochs.
        average: averaged parameters, if there is an average.
        scale: of the loss in float16.
    """

    model: Any
    optimizer: Any
    step: jax.Array
    key: jax.Array
    rate: jax.Array
    average: Any = None
    scale: LossScale | None = None

    def draw(self) -> jax.Array:
        """Returns the random key of this step."""
        return jax.random.fold_in(self.key, self.step)


class LossScale(eqx.Module):
    """A factor that lifts gradients into the range of float16: halved after an overflow, doubled
    after 2000 steps without one.

    Source: Micikevicius et al., Mixed precision training (2018), section 3.2.
    """

    factor: jax.Array
    good: jax.Array

    def after(self, finite: jax.Array) -> LossScale:
        """Returns the scale of the next step."""
        grow = self.good >= 1999
        kept = jnp.where(grow, jnp.minimum(2 * self.factor, 2.0**24), self.factor)
        factor = jnp.where(finite, kept, jnp.maximum(self.factor / 2, 1.0))
        return LossScale(factor, jnp.where(finite & ~grow, self.good + 1, 0))


class Outcome(NamedTuple):
    """What a step shows of itself: scalars by name, and what the metrics see."""

    logs: Logs
    finite: jax.Array
    prediction: Any = None
    target: Any = None


def start_state(model: Any, optimizer: Any, key: Any, *, average: bool, precision: Any) -> State:
    """The state before the first step; its arrays are copies."""
    real = default_dtype()
    parameters = split(model)[0]
    if isinstance(optimizer, Mapping):
        states = {name: o.init(split(model[name])[0]) for name, o in optimizer.items()}
    else:
        states = optimizer.init(parameters)
    scale = None
    if precision == jnp.float16:
        scale = LossScale(jnp.asarray(2.0**15, jnp.float32), jnp.asarray(0, jnp.int32))
    state = State(
        model=model,
        optimizer=states,
        step=jnp.asarray(0, jnp.int32),
        key=as_key(key),
        rate=jnp.asarray(1.0, real),
        average=parameters if average else None,
        scale=scale,
    )
    return jax.tree.map(lambda leaf: jnp.array(leaf) if eqx.is_array(leaf) else leaf, state)


def transformation(
    optimizer: Any, clip: float | None, accumulate: int
) -> optax.GradientTransformation:
    """The optimizer as optax has it, on gradients that are averaged, then clipped."""
    if isinstance(optimizer, FirstOrder):
        optimizer = optimizer.transformation
    if not isinstance(optimizer, optax.GradientTransformation):
        raise TypeError(
            "`optimizer` must be a first-order one, such as optim.adam(1e-3), or a transformation "
            f"of optax; got {type(optimizer).__name__}. Others, for losses without noise, are "
            "driven by optim.run."
        )
    if clip is not None:
        optimizer = optax.chain(optax.clip_by_global_norm(clip), optimizer)
    if accumulate > 1:
        optimizer = accumulated(optimizer, accumulate)
    return optax.with_extra_args_support(optimizer)


def accumulated(
    optimizer: optax.GradientTransformation, count: int
) -> optax.GradientTransformationExtraArgs:
    """The optimizer on means of `count` gradients, summed in float32 or, where it is finer or
    complex, in their own type."""

    def steps(gradients: Any) -> optax.MultiSteps:
        dtype = jnp.result_type(jnp.float32, *jax.tree.leaves(gradients))
        return optax.MultiSteps(optimizer, count, accumulator_dtype=dtype)

    def init(parameters: Any) -> Any:
        return steps(parameters).init(parameters)

    def update(gradients: Any, state: Any, parameters: Any = None, **more: Any) -> Any:
        return steps(gradients).update(gradients, state, parameters, **more)

    return optax.GradientTransformationExtraArgs(init, update)


# An objective: (model, batch, key) ↦ (value, (logs, prediction, target)).
Objective = Callable[[Any, Any, jax.Array], tuple[jax.Array, tuple]]


def supervised(loss: Callable[[Any, Any], jax.Array], precision: Any) -> Objective:
    """The objective loss(model(*inputs), target) of batches (*inputs, target)."""

    def objective(model: Any, batch: Any, key: jax.Array) -> tuple[jax.Array, tuple]:
        inputs, target = parted(batch)
        prediction = use(model, inputs, precision)
        return loss(prediction, target), ({}, prediction, target)

    return objective


def parted(batch: Any) -> tuple[tuple, Any]:
    """(inputs, target) of a batch."""
    if not isinstance(batch, (tuple, list)) or len(batch) < 2:
        raise TypeError(
            f"a batch must be (inputs, target) for `loss`; got {type(batch).__name__}. For another "
            "kind of batch give `objective=`, a function of (model, batch, key)."
        )
    return tuple(batch[:-1]), batch[-1]


def free(function: Callable[..., Any], precision: Any) -> Objective:
    """A user's function of (model, batch, key), which returns a value or (value, logs)."""

    def objective(model: Any, batch: Any, key: jax.Array) -> tuple[jax.Array, tuple]:
        result = function(cast_parameters(model, precision), _cast(batch, precision), key)
        value, logs = result if isinstance(result, tuple) else (result, {})
        return _wide(jnp.asarray(value)), (jax.tree.map(jnp.asarray, dict(logs)), None, None)

    return objective


def use(model: Any, inputs: tuple, precision: Any) -> Any:
    """model(*inputs), computed in this precision, in at least float32."""
    outputs = cast_parameters(model, precision)(*_cast(inputs, precision))
    return jax.tree.map(_wide, outputs)


def _wide(x: Any) -> Any:
    """x in at least float32."""
    halves = (jnp.bfloat16, jnp.float16)
    return x.astype(jnp.float32) if getattr(x, "dtype", None) in halves else x


def _cast(tree: Any, dtype: Any) -> Any:
    """The real floating-point arrays of a pytree in another data type."""
    if dtype is None:
        return tree
    is_real = lambda x: eqx.is_array_like(x) and jnp.issubdtype(jnp.result_type(x), jnp.floating)  # noqa: E731
    return jax.tree.map(lambda x: jnp.asarray(x, dtype) if is_real(x) else x, tree)


class _Call(Module):
    """A function of a model and inputs as a module, which `apply` can call."""

    function: Callable[..., Any] = eqx.field(static=True)
    model: Any

    def __call__(self, *inputs: Any) -> Any:
        return self.function(self.model, *inputs)


def value_and_gradient(
    function: Callable[..., tuple[jax.Array, Any]],
    model: Any,
    *inputs: Any,
    key: Any,
    factor: jax.Array | None = None,
) -> tuple[jax.Array, Any, Any, Any]:
    """(value, extra, gradient, model with its new statistics) of function(model, *inputs), which
    returns (value, extra), in training.

    Arguments:
        factor: multiplies the value before and divides the gradient after differentiation.
    """
    parameters, rest = split(model)

    def lifted(parameters: Any) -> tuple[jax.Array, tuple]:
        call = _Call(function, merge(parameters, rest))
        (value, extra), new = apply(call, *inputs, key=key)
        kept = eqx.filter(split(new.model)[1], eqx.is_array)
        return value if factor is None else value * factor.astype(value.dtype), (value, extra, kept)

    (_, (value, extra, kept)), gradient = jax.value_and_grad(lifted, has_aux=True)(parameters)
    # For complex parameters the direction of steepest ascent is the conjugate.
    gradient = jax.tree.map(jnp.conj, gradient)
    if factor is not None:
        gradient = jax.tree.map(lambda g: g / factor.astype(jnp.real(g).dtype), gradient)
    return value, extra, gradient, merge(parameters, eqx.combine(kept, rest))


class Descent(NamedTuple):
    """The outcome of `descend`."""

    value: jax.Array
    model: Any
    state: Any


def descend(
    objective: Callable[..., jax.Array],
    model: Any,
    optimizer: Any,
    state: Any,
    *inputs: Any,
    key: Any = None,
) -> Descent:
    """Returns one step of an optimizer down objective(model, *inputs): (value, model, state).

    For steps of one's own, such as those of two networks against each other.

    Arguments:
        objective: of the model in training, and the inputs; returns a real number.
        optimizer: a first-order one, or a transformation of optax.
        state: of the optimizer; in a `Trainer` with optimizers by name, `state.optimizer[name]`.
        key: for layers that are random in training.
    """
    single = lambda model, *inputs: (objective(model, *inputs), None)  # noqa: E731
    value, _, gradient, new = value_and_gradient(single, model, *inputs, key=key)
    moved, state = _moved(transformation(optimizer, None, 1), gradient, state, new, value)
    return Descent(value, moved, state)


def _moved(
    optimizer: Any, gradient: Any, state: Any, model: Any, value: jax.Array, rate: Any = None
) -> tuple[Any, Any]:
    parameters, rest = split(model)
    updates, state = optimizer.update(gradient, state, parameters, value=value)
    if rate is not None:
        updates = jax.tree.map(lambda u: u * rate.astype(jnp.real(u).dtype), updates)
    return merge(optax.apply_updates(parameters, updates), rest), state


def gradient_step(
    objective: Objective,
    optimizer: Any,
    *,
    average: Callable[[jax.Array], jax.Array] | None,
    accumulate: int,
) -> Callable[[State, Any], tuple[State, Outcome]]:
    """The step of an ordinary training."""

    def step(state: State, batch: Any) -> tuple[State, Outcome]:
        key = state.draw()
        factor = None if state.scale is None else state.scale.factor
        value, (logs, prediction, target), gradient, model = value_and_gradient(
            objective, state.model, batch, key, key=key, factor=factor
        )
        finite = _all_finite((value, gradient))
        model, memory = _moved(optimizer, gradient, state.optimizer, model, value, state.rate)
        mean = state.average
        if average is not None:
            # `step` counts batches; the weights move at the last batch of an accumulation.
            moves = (state.step + 1) % accumulate == 0
            weight = jnp.where(moves, average((state.step + 1) // accumulate), 0.0)
            mean = jax.tree.map(
                lambda a, p: a + weight.astype(jnp.real(a).dtype) * (p - a), mean, split(model)[0]
            )
        scale = None if state.scale is None else state.scale.after(finite)
        new = State(model, memory, state.step, state.key, state.rate, mean, scale)
        return new, Outcome({"loss": value, **logs}, finite, prediction, target)

    return step


def users_step(
    step: Callable[[State, Any], tuple[State, Logs]],
) -> Callable[[State, Any], tuple[State, Outcome]]:
    """A user's step, whose logs must be finite."""

    def checked(state: State, batch: Any) -> tuple[State, Outcome]:
        new, logs = step(state, batch)
        if not isinstance(new, State) or not isinstance(logs, Mapping):
            raise TypeError(
                "`step` must return (state, logs), logs being a dictionary of numbers; got "
                f"({type(new).__name__}, {type(logs).__name__})."
            )
        logs = jax.tree.map(jnp.asarray, dict(logs))
        return new, Outcome(logs, _all_finite(logs))

    return checked


def guarded(step: Callable[[State, Any], tuple[State, Outcome]]) -> Callable:
    """The step, not taken where it is not finite, and counted in any case."""

    def taken(state: State, batch: Any) -> tuple[State, Outcome]:
        new, outcome = step(state, batch)
        kept = jax.tree.map(
            lambda a, b: jnp.where(outcome.finite, a, b) if eqx.is_array(a) else a, new, state
        )
        # The scale of the loss shrinks because the step was not finite.
        return replaced(kept, step=state.step + 1, scale=new.scale), outcome

    return taken


def _all_finite(tree: Any) -> jax.Array:
    checks = [jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(tree)]
    return jnp.stack(checks).all() if checks else jnp.array(True)


def averaged(state: State) -> Any:
    """The model with its averaged parameters, or as it is."""
    if state.average is None:
        return state.model
    return merge(state.average, split(state.model)[1])
