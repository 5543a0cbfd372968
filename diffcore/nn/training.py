"""The one helper for random layers and batch statistics: `apply`.

A layer that acts differently in training is `Stateful`. Called as it is, it acts as in use. `apply`
calls a copy of the model in which each such layer has a `Training`: a random key of its own, and a
place to put its new statistics. Everything is a function of the arguments, so that `apply` works
under `jax.jit`, `jax.grad` and the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import equinox as eqx
import jax

from diffcore.keys import as_key
from diffcore.nn.module import Module, replaced


class _Record:
    """What happened in one pass: how many keys were drawn, and the new statistics by layer."""

    def __init__(self) -> None:
        self.draws = count()
        self.updates: dict[int, dict[str, Any]] = {}


class Training(eqx.Module):
    """What a stateful layer needs in a training pass."""

    key: jax.Array | None
    index: int = eqx.field(static=True)
    record: _Record = eqx.field(static=True)

    def draw(self, layer: Any) -> jax.Array:
        """Returns a fresh random key."""
        if self.key is None:
            raise ValueError(
                f"{type(layer).__name__} is random in training and needs a `key`: "
                "nn.apply(model, x, key=key, train=True)."
            )
        return jax.random.fold_in(self.key, next(self.record.draws))

    def now(self, layer: Any) -> Any:
        """Returns the layer with the statistics of this pass so far."""
        return replaced(layer, **self.record.updates.get(self.index, {}))

    def update(self, **statistics: Any) -> None:
        """Sets fields of the layer, from the next call on."""
        self.record.updates.setdefault(self.index, {}).update(statistics)


class Stateful(Module):
    """A layer that acts differently in training, when its `training` is not None."""

    training: eqx.AbstractVar[Training | None]


def apply(
    model: Any, *inputs: Any, key: Any = None, train: bool = True, **options: Any
) -> tuple[Any, Any]:
    """Returns (model(*inputs, **options), model), in training with its new batch statistics.

    Arguments:
        key: an int or a JAX key, for layers that are random in training, such as `Dropout`.
        train: whether dropout drops and normalization uses, and keeps, the statistics of the
            batch. If not, this is a plain call.

    Notes: The new statistics are values of the surrounding computation: return the model from
    functions under `jax.jit` or `jax.grad` (as an auxiliary value). A stateful layer inside
    a loop, `jax.vmap` or `jax.checkpoint` within the model can be random but cannot keep
    statistics.

    Example:
        >>> import jax.numpy as jnp
        >>> from diffcore import nn
        >>> model = nn.Sequential([nn.BatchNorm(2, momentum=1.0), nn.Dropout(0.5)])
        >>> y, model = nn.apply(model, jnp.array([[1.0, 3.0], [3.0, 5.0]]), key=0)
        >>> model[0].running_mean.array.tolist()
        [2.0, 4.0]
    """
    if not train:
        return model(*inputs, **options), model
    key = None if key is None else as_key(key)
    record = _Record()

    def activated(index: int, layer: Any) -> Any:
        own = None if key is None else jax.random.fold_in(key, index)
        return replaced(layer, training=Training(own, index, record))

    outputs = _map_stateful(activated, model)(*inputs, **options)
    return outputs, _map_stateful(lambda i, m: replaced(m, **record.updates.get(i, {})), model)


def _map_stateful(function: Callable[[int, Any], Any], model: Any) -> Any:
    indices = count()

    def visit(node: Any) -> Any:
        if not isinstance(node, Stateful):
            return node
        changed = function(next(indices), node)
        return descend(changed)

    def descend(node: Any) -> Any:
        inner = lambda child: child is not node and isinstance(child, Stateful)  # noqa: E731
        return jax.tree.map(visit, node, is_leaf=inner)

    return visit(model) if isinstance(model, Stateful) else descend(model)
