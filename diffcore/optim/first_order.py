"""First-order methods: every transformation of optax, behind the interface of `run`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import optax

from diffcore.optim.run import NOT_FINITE, RUNNING, Objective, Step

Rate = float | Callable[[jax.Array], jax.Array]


@dataclass(frozen=True, repr=False)
class FirstOrder:
    """A gradient transformation, kept as its factory and options so that it compares by value."""

    factory: Callable[..., optax.GradientTransformation]
    options: tuple[tuple[str, Any], ...] = ()

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.options)
        return f"{self.factory.__name__.lstrip('_')}({options})"

    @property
    def transformation(self) -> optax.GradientTransformationExtraArgs:
        """The transformation of optax."""
        return optax.with_extra_args_support(self.factory(**dict(self.options)))

    def init(self, parameters: Any) -> Any:
        return self.transformation.init(parameters)

    def step(self, objective: Objective, parameters: Any, state: Any, fresh: jax.Array) -> Step:
        value, ascent = objective(parameters)
        updates, new_state = self.transformation.update(
            ascent,
            state,
            parameters,
            value=value,
            grad=ascent,
            value_fn=lambda p: objective(p)[0],
        )
        finite = jnp.isfinite(value)
        new, state = jax.tree.map(
            lambda a, b: jnp.where(finite, a, b),
            (optax.apply_updates(parameters, updates), new_state),
            (parameters, state),
        )
        status = jnp.where(finite, RUNNING, NOT_FINITE)
        return Step(new, state, value, status, finite)


def first_order(
    transform: optax.GradientTransformation | Callable[..., optax.GradientTransformation],
    **options: Any,
) -> FirstOrder:
    """Returns an optax transformation as an optimizer.

    Arguments:
        transform: a transformation, or the function that makes it from `options`. Given the
            latter, two optimizers with equal options are equal and share compiled programs.

    Example:
        >>> from diffcore import optim
        >>> optim.first_order(optax.lion, learning_rate=1e-4)
        lion(learning_rate=0.0001)
    """
    if isinstance(transform, optax.GradientTransformation):
        if options:
            raise TypeError(
                f"`options` {sorted(options)} do not apply to a transformation that is made "
                "already: give its factory, as in first_order(optax.adam, learning_rate=1e-3)."
            )
        return FirstOrder(_given, (("transform", transform),))
    optimizer = FirstOrder(transform, tuple(options.items()))
    optimizer.transformation  # noqa: B018  an unknown option raises here, not in the compiled loop
    return optimizer


def _given(transform: optax.GradientTransformation) -> optax.GradientTransformation:
    return transform


def sgd(learning_rate: Rate, *, momentum: float | None = None, nesterov: bool = False):
    """Returns gradient descent, with momentum if given."""
    return first_order(optax.sgd, learning_rate=learning_rate, momentum=momentum, nesterov=nesterov)


def adam(learning_rate: Rate = 1e-3, *, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8):
    """Returns Adam.

    Source: Kingma and Ba, Adam: a method for stochastic optimization (2015), Algorithm 1.
    """
    return first_order(optax.adam, learning_rate=learning_rate, b1=b1, b2=b2, eps=eps)


def adamw(
    learning_rate: Rate = 1e-3,
    *,
    weight_decay: float = 1e-2,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
):
    """Returns Adam with decoupled weight decay.

    Source: Loshchilov and Hutter, Decoupled weight decay regularization (2019), Algorithm 2.
    """
    return first_order(
        optax.adamw,
        learning_rate=learning_rate,
        weight_decay=weight_decay,
        b1=b1,
        b2=b2,
        eps=eps,
    )


def muon(learning_rate: Rate = 1e-2, *, momentum: float = 0.95, adam_learning_rate: Rate = 1e-3):
    """Returns Muon for the matrices, Adam for all other parameters.

    Source: Jordan et al., Muon: an optimizer for hidden layers in neural networks (2024).
    """
    return first_order(
        optax.contrib.muon,
        learning_rate=learning_rate,
        beta=momentum,
        adam_learning_rate=adam_learning_rate,
    )
