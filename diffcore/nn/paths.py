"""Names of what is in a model, and changes to it by name.

The path of a part is the way to it, fields, indices and keys joined by dots: "layers.0.weight". A
pattern is a path with shell wildcards: "layers.*.bias", "*.norm?.*".
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from diffcore.nn.module import Module, replaced
from diffcore.nn.parameters import Fixed, is_parameter


class View(Module):
    """A model seen through another: `model` with some parts changed whenever it is used."""

    model: eqx.AbstractVar[Any]

    def resolve(self, model: Any) -> Any:
        """Returns the plain model that is meant, given `model` without views."""
        raise NotImplementedError

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        return plain(self)(*inputs, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "model":
            raise AttributeError(name)
        return getattr(plain(self), name)

    def __getitem__(self, index: Any) -> Any:
        return plain(self)[index]


def plain(model: Any) -> Any:
    """Returns the model without the views around it: tied and frozen arrays in their places."""
    return model.resolve(plain(model.model)) if isinstance(model, View) else model


def map_parts(function: Callable[[str, Any], Any], tree: Any, path: str = "") -> Any:
    """Returns the tree with function(path, part) for each part, from the whole to the arrays.

    What the function returns unchanged is searched further.
    """
    if isinstance(tree, View):
        return replaced(tree, model=map_parts(function, tree.model, path))
    new = function(path, tree)
    if new is not tree or isinstance(tree, Fixed):
        return new
    children, structure = jax.tree_util.tree_flatten_with_path(tree, lambda node: node is not tree)
    if not children or children[0][0] == ():
        return tree
    below = [
        map_parts(function, child, f"{path}.{_name(keys[0])}".lstrip("."))
        for keys, child in children
    ]
    if all(b is child for b, (_, child) in zip(below, children, strict=True)):
        return tree
    return jax.tree.unflatten(structure, below)


def _name(key: Any) -> str:
    for attribute in ("name", "idx", "key"):
        if hasattr(key, attribute):
            return str(getattr(key, attribute))
    return str(key)


def find(model: Any, pattern: str = "*") -> dict[str, Any]:
    """Returns the parts (modules and arrays) whose paths match, by path.

    Example:
        >>> from diffcore import nn
        >>> model = nn.Sequential([nn.Linear(2, 3), nn.tanh, nn.Linear(3, 1)], key=0)
        >>> {path: weight.shape for path, weight in nn.find(model, "*.weight").items()}
        {'layers.0.weight': (3, 2), 'layers.2.weight': (1, 3)}
    """
    found: dict[str, Any] = {}

    def look(path: str, part: Any) -> Any:
        if path and part is not None and fnmatch.fnmatchcase(path, pattern):
            found[path] = part
        return part

    map_parts(look, model)
    return found


def replace(model: Any, pattern: str, new: Any) -> Any:
    """Returns the model with the parts that match replaced.

    Arguments:
        pattern: of paths; of nested parts that match, the outermost is replaced.
        new: the new part, or a function from the old part to the new one that is no module.

    Example:
        >>> from diffcore import nn
        >>> model = nn.Sequential([nn.Linear(2, 3), nn.tanh, nn.Linear(3, 1)], key=0)
        >>> nn.replace(model, "layers.2", nn.Linear(3, 5, key=1))(jnp.ones(2)).shape
        (5,)
        >>> nn.replace(model, "*.bias", lambda bias: bias + 1)[0].bias.tolist()
        [1.0, 1.0, 1.0]
    """
    hits = 0

    def change(path: str, part: Any) -> Any:
        nonlocal hits
        if not path or not fnmatch.fnmatchcase(path, pattern):
            return part
        hits += 1
        is_function = callable(new) and not isinstance(new, eqx.Module)
        return new(part) if is_function else new

    changed = map_parts(change, model)
    if not hits:
        raise _no_match(model, pattern)
    return changed


def _no_match(model: Any, pattern: str) -> ValueError:
    known = [path for path in find(model) if path.count(".") < 3]
    return ValueError(
        f"`pattern` {pattern!r} matches no path of the model; there are {', '.join(known[:20])}"
        f"{', ...' if len(known) > 20 else ''}."
    )


def is_array(part: Any) -> bool:
    """Whether the part is an array of numbers, trained or not."""
    if isinstance(part, Fixed):
        return True
    return isinstance(part, (jax.Array, np.ndarray)) and jnp.issubdtype(part.dtype, jnp.number)


def state(model: Any) -> dict[str, np.ndarray]:
    """Returns all arrays of the model, trained or not, as NumPy arrays by path.

    Example:
        >>> from diffcore import nn
        >>> {path: array.shape for path, array in nn.state(nn.Linear(3, 2, key=0)).items()}
        {'weight': (2, 3), 'bias': (2,)}
    """
    return {
        path: np.asarray(part.array if isinstance(part, Fixed) else part)
        for path, part in _arrays(model).items()
    }


def _arrays(model: Any) -> dict[str, Any]:
    return {path: part for path, part in find(model).items() if is_array(part)}


def load_state(model: Any, state: Mapping[str, Any], *, strict: bool = True) -> Any:
    """Returns the model with the arrays of `state`, in the model's data types.

    Arguments:
        state: arrays by path, such as from `nn.state`.
        strict: whether all arrays of the model must be there, and no others.

    Raises:
        ValueError: names or shapes that do not fit; complex numbers for a real array.
    """
    own = _arrays(model)
    missing, extra = [k for k in own if k not in state], [k for k in state if k not in own]
    if strict and (missing or extra):
        raise ValueError(
            f"`state` does not fit the model: missing {missing or 'none'}, "
            f"unknown {extra or 'none'}. To load what fits, pass strict=False."
        )

    def load(path: str, part: Any) -> Any:
        if not is_array(part) or path not in state:
            return part
        old = part.array if isinstance(part, Fixed) else part
        array = np.asarray(state[path])
        if array.shape != old.shape:
            raise ValueError(f"`state` has shape {array.shape} for {path}, not {old.shape}.")
        if np.iscomplexobj(array) and not jnp.iscomplexobj(old):
            raise ValueError(f"`state` has complex numbers for {path}, which is {old.dtype}.")
        new = jnp.asarray(array, old.dtype)
        return replaced(part, array=new) if isinstance(part, Fixed) else new

    return map_parts(load, model)


class _FrozenArray(Fixed):
    """An array that would be trained if it were not frozen."""


class Frozen(View):
    """A model some of whose arrays are not trained, as made by `freeze`."""

    model: Any

    def resolve(self, model: Any) -> Any:
        def thaw(leaf: Any) -> Any:
            return jax.lax.stop_gradient(leaf.array) if isinstance(leaf, _FrozenArray) else leaf

        return jax.tree.map(thaw, model, is_leaf=lambda leaf: isinstance(leaf, _FrozenArray))


def freeze(model: Any, *patterns: str) -> Any:
    """Returns the model with the arrays at and below the paths that match left out of training.

    `split`, and so every optimizer, then takes them for the rest. By default all arrays.

    Example:
        >>> from diffcore import nn
        >>> model = nn.Sequential([nn.Linear(2, 3), nn.tanh, nn.Linear(3, 1)], key=0)
        >>> nn.count_parameters(model), nn.count_parameters(nn.freeze(model, "layers.0"))
        (13, 4)
    """

    def cool(path: str, part: Any) -> Any:
        return _FrozenArray(part) if is_parameter(part) and matches(path) else part

    matches = _matcher(model, patterns)
    return map_parts(cool, model if isinstance(model, Frozen) else Frozen(model))


def cast_parameters(model: Any, dtype: Any) -> Any:
    """Returns the model with its real parameters, trained and frozen, in another data type.

    Running statistics and other fixed arrays stay as they are.
    """

    def cast(leaf: Any) -> Any:
        if isinstance(leaf, _FrozenArray):
            return replaced(leaf, array=cast(leaf.array))
        lowered = is_parameter(leaf) and not jnp.iscomplexobj(leaf)
        return leaf.astype(dtype) if lowered else leaf

    is_leaf = lambda leaf: isinstance(leaf, Fixed)  # noqa: E731
    return model if dtype is None else jax.tree.map(cast, model, is_leaf=is_leaf)


def unfreeze(model: Any, *patterns: str) -> Any:
    """Returns the model with the frozen arrays at and below the paths that match trained again."""

    def thaw(path: str, part: Any) -> Any:
        return part.array if isinstance(part, _FrozenArray) and matches(path) else part

    matches = _matcher(model, patterns)
    return map_parts(thaw, model)


def _matcher(model: Any, patterns: tuple[str, ...]) -> Callable[[str], bool]:
    for pattern in patterns:
        if not find(model, pattern):
            raise _no_match(model, pattern)
    return lambda path: not patterns or any(is_below(path, pattern) for pattern in patterns)


def is_below(path: str, pattern: str) -> bool:
    """Whether the path, or that of something that holds it, matches."""
    names = path.split(".")
    return any(fnmatch.fnmatchcase(".".join(names[: i + 1]), pattern) for i in range(len(names)))


class Tied(View):
    """A model in which parts are shared, as made by `tie`."""

    model: Any
    links: tuple[tuple[str, str], ...] = eqx.field(static=True)

    def resolve(self, model: Any) -> Any:
        parts = find(model)
        shared = {path: parts[source] for path, source in self.links}
        return map_parts(lambda path, part: shared.get(path, part), model)


def tie(model: Any, links: Mapping[str, str]) -> Any:
    """Returns the model with parts shared: {path: path of the part to use there instead}.

    The shared part is one set of parameters, which gets the gradients of all its places.

    Example:
        >>> from diffcore import nn
        >>> model = nn.Sequential([nn.Embedding(50, 8), nn.Linear(8, 50, bias=False)], key=0)
        >>> tied = nn.tie(model, {"layers.1.weight": "layers.0.weight"})
        >>> nn.count_parameters(model), nn.count_parameters(tied)
        (800, 400)
    """
    parts = find(model)
    for path, source in links.items():
        for name in (path, source):
            if name not in parts:
                raise _no_match(model, name)
        mine, other = (jax.tree.map(jnp.shape, parts[name]) for name in (path, source))
        if jax.tree.leaves(mine) != jax.tree.leaves(other):
            raise ValueError(f"`links` ties {path} to {source}, which has other shapes.")

    def drop(path: str, part: Any) -> Any:
        return None if path in links else part

    return Tied(map_parts(drop, model), tuple(links.items()))
