"""Modules, and those that get their parameters later.

A layer that draws random parameters takes `key=`. Without a key it is a `Specification`: the call,
written down. `init(model, key)` turns all the specifications in a model into modules, and every
module hands the `key=` it is given down to the specifications among its arguments and fields.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import equinox as eqx
import jax

from diffcore.keys import as_key


class _Later:
    def __repr__(self) -> str:
        return "LATER"


LATER: Any = _Later()  # the default of `key`: the parameters are drawn by `init`


@dataclass(frozen=True, eq=False, repr=False)
class Specification:
    """A module whose parameters are not drawn yet: a class and the arguments of its call."""

    make: Callable[..., Any]
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]

    def build(self, key: Any) -> Any:
        """Returns the module, with parameters drawn from `key`."""
        return self.make(*self.arguments, **self.options, key=key)

    def __repr__(self) -> str:
        values = [repr(value) for value in self.arguments]
        values += [f"{name}={value!r}" for name, value in self.options.items()]
        return f"{self.make.__name__}({', '.join(values)})"

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        raise TypeError(
            f"{self!r} has no parameters yet: give it `key=`, or the model that holds it "
            "(or call nn.init(model, key))."
        )


def _is_specification(leaf: Any) -> bool:
    return isinstance(leaf, Specification)


def _has_specification(tree: Any) -> bool:
    return any(_is_specification(leaf) for leaf in jax.tree.leaves(tree))


def init(model: Any, key: Any) -> Any:
    """Returns the model with a module in place of each specification in it.

    Arguments:
        model: a pytree, such as a module, a specification, or a list or dictionary of them.
        key: an int or a JAX key.

    Example:
        >>> from diffcore import nn
        >>> heads = nn.init({"mean": nn.Linear(8, 1), "deviation": nn.Linear(8, 1)}, key=0)
        >>> heads["mean"].weight.shape
        (1, 8)
    """
    leaves, structure = jax.tree.flatten(model)
    places = [i for i, leaf in enumerate(leaves) if _is_specification(leaf)]
    keys = jax.random.split(as_key(key), len(places)) if places else ()
    for place, k in zip(places, keys, strict=True):
        leaves[place] = leaves[place].build(k)
    return jax.tree.unflatten(structure, leaves)


@cache
def _key_parameter(cls: type) -> inspect.Parameter | None:
    return inspect.signature(cls.__init__).parameters.get("key")  # type: ignore[misc]


class _Deferring(type(eqx.Module)):  # type: ignore[misc]
    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        parameter, key = _key_parameter(cls), options.pop("key", LATER)
        pieces = _has_specification((arguments, options))
        if key is LATER:
            if pieces or (parameter is not None and parameter.default is LATER):
                inspect.signature(cls).bind(*arguments, **options)
                return Specification(cls, arguments, options)
            return super().__call__(*arguments, **options)
        own = below = key
        if pieces:
            own, below = jax.random.split(as_key(key))
            arguments, options = init((arguments, options), below)
        if parameter is not None:
            return super().__call__(*arguments, **options, key=own)
        module = super().__call__(*arguments, **options)
        return init(module, own) if _has_specification(module) else module


class Module(eqx.Module, metaclass=_Deferring):
    """The base of all modules: a frozen dataclass that is a pytree, with `__call__`.

    A module may hold modules, lists, tuples and dictionaries of modules, arrays, and values marked
    `eqx.field(static=True)`. Layers that it makes without a key get their parameters from the
    `key=` of the module.

    Example:
        >>> from diffcore import nn
        >>> class Block(nn.Module):
        ...     norm: nn.Module
        ...     linear: nn.Module
        ...
        ...     def __init__(self, size):
        ...         self.norm = nn.LayerNorm(size)
        ...         self.linear = nn.Linear(size, size)
        ...
        ...     def __call__(self, x):
        ...         return x + nn.relu(self.linear(self.norm(x)))
        >>> import jax.numpy as jnp
        >>> net = nn.Sequential([Block(4), Block(4), nn.Linear(4, 1)], key=0)
        >>> net(jnp.ones((5, 4))).shape
        (5, 1)
    """


def replaced(module: Any, **fields: Any) -> Any:
    """Returns a copy of the module with other values in these fields, unchecked."""
    copy = object.__new__(type(module))
    for name, value in {**vars(module), **fields}.items():
        object.__setattr__(copy, name, value)
    return copy
