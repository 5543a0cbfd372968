"""What can be exported: a function of arrays, and the words that describe them.

Anything with a method `__export__(example, expressions) -> Exportable` can be exported; a model, or
any other function of arrays, becomes an `Exportable` here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from diffcore.precision import default_dtype, precision

BATCH = "batch"


class ExportError(ValueError):
    """The function cannot be exported, or the file did not pass its check; nothing is written."""


@dataclass(frozen=True)
class Variable:
    """An array that goes into a function or comes out of it.

    Attributes:
        shape: numbers, and text for sizes that may vary: `("batch", 3)`.
        columns, units: names and units along the last axis, or one unit for all numbers.
        lower, upper: valid range of the numbers, one for each column or one for all; None for any.
    """

    name: str
    shape: tuple[int | str, ...] = ()
    dtype: str = "float32"
    columns: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    lower: tuple[float, ...] | None = None
    upper: tuple[float, ...] | None = None

    def __str__(self) -> str:
        size = ", ".join(map(str, self.shape))
        unit = f" in {', '.join(u or '1' for u in self.units)}" if self.units else ""
        return f"{self.name}: {self.dtype} ({size}){unit}"


@dataclass(frozen=True, eq=False)
class Exportable:
    """A function of arrays with an example of its input.

    Arguments:
        function: of as many arrays as there are `inputs`; any dictionaries, lists and tuples of
            arrays come out.
        example: arrays to check the file with.
        inputs: one for each array.
        units: of outputs, by name.
        contains: whether each row of the first input is valid, where a box does not say it all.
        precision: "float64" or "float32", in which the function is traced.
        description: one line for people.
        weights: names of arrays in the function, as pairs (name, array).
    """

    function: Callable
    example: tuple[np.ndarray, ...]
    inputs: tuple[Variable, ...]
    units: Mapping[str, tuple[str, ...]]
    contains: Callable | None = None
    precision: str = "float32"
    description: str = ""
    weights: Sequence[tuple[str, Any]] = ()


def exportable(
    thing: Any, example: Any, expressions: Any, batch: Any, units: Any, domain: Any
) -> Exportable:
    """Any exportable thing as an `Exportable`; arguments as of `export`."""
    if hasattr(thing, "__export__"):
        given = {"batch": batch is not True, "units": units, "domain": domain}
        if extra := [name for name, value in given.items() if value]:
            raise ValueError(
                f"`{extra[0]}` is for functions: {type(thing).__name__} says it itself."
            )
        return thing.__export__(example, expressions)
    if expressions is not None:
        raise ValueError("`expressions` is for solutions: a function is exported as it is.")
    if not callable(thing):
        raise TypeError(
            "`export` takes a model, a function of arrays or a solution; got "
            f"{type(thing).__name__}."
        )
    return _of_function(thing, example, batch, dict(units or {}), dict(domain or {}))


def _of_function(thing: Callable, example: Any, batch: Any, units: dict, domain: dict):
    if example is None:
        raise ValueError("`example` is missing: give an array that the function takes, or a tuple.")
    arguments = example if isinstance(example, tuple) else (example,)
    leaves, structure = jax.tree.flatten(arguments)
    leaves = [_checked(leaf) for leaf in leaves]
    scope = _precision(thing)
    with precision(scope):
        arrays = tuple(np.asarray(jnp.asarray(leaf)) for leaf in leaves)
    names = _names(thing, arguments)
    shapes = _shapes(names, arrays, batch)
    inputs = tuple(
        Variable(n, s, a.dtype.name) for n, s, a in zip(names, shapes, arrays, strict=True)
    )
    inputs = tuple(_described(v, units, domain) for v in inputs)
    if domain:
        raise ValueError(f"`domain` names {next(iter(domain))!r}; the inputs are {names}.")
    paths = jax.tree_util.tree_flatten_with_path(eqx.filter(thing, eqx.is_array))[0]
    return Exportable(
        lambda *flat: thing(*jax.tree.unflatten(structure, flat)),
        arrays,
        inputs,
        units,
        precision=scope,
        description=getattr(thing, "__name__", type(thing).__name__),
        weights=[(jax.tree_util.keystr(k, simple=True, separator="."), a) for k, a in paths],
    )


def _checked(leaf: Any) -> Any:
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return np.ones(leaf.shape, leaf.dtype)
    array = np.asarray(leaf)
    if array.dtype.kind not in "biufcV":
        raise TypeError(f"`example` holds {type(leaf).__name__} {leaf!r:.60}, which is no array.")
    return array


def _precision(thing: Any) -> str:
    """float64 where the caller or a weight asks for it."""
    leaves = [leaf for leaf in jax.tree.leaves(thing) if eqx.is_inexact_array(leaf)]
    wide = any(leaf.dtype.name in ("float64", "complex128") for leaf in leaves)
    return "float64" if wide else default_dtype().name


def _names(thing: Callable, arguments: tuple) -> list[str]:
    """The function's own names for its arguments, with the path in each."""
    try:
        parameters = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    named += [f"input_{i}" for i in range(len(named), len(arguments))]
    paths = jax.tree_util.tree_flatten_with_path(dict(enumerate(arguments)))[0]
    return [
        ".".join([named[first.key], *(jax.tree_util.keystr((k,), simple=True) for k in rest)])
        for (first, *rest), _ in paths
    ]


def _shapes(names: list[str], arrays: Sequence[np.ndarray], batch: Any) -> list[tuple]:
    if batch is False:
        return [a.shape for a in arrays]
    if batch is True:
        sizes = {a.shape[0] for a in arrays if a.ndim}
        if len(sizes) > 1:
            lengths = {n: a.shape for n, a in zip(names, arrays, strict=True)}
            raise ValueError(
                "`batch=True` lets the first axis of all inputs vary together, and those of the "
                f'example differ: {lengths}. Give one text for each input, as ("nodes, _", '
                '"edges, ..."), or batch=False.'
            )
        return [(BATCH, *a.shape[1:]) if a.ndim else () for a in arrays]
    texts = (batch,) if isinstance(batch, str) else tuple(batch)
    if len(texts) != len(arrays) or not all(isinstance(t, str) for t in texts):
        raise ValueError(f"`batch` needs one text for each of the inputs {names}; got {batch!r}.")
    return [_shape(n, a, t) for n, a, t in zip(names, arrays, texts, strict=True)]


def _shape(name: str, array: np.ndarray, text: str) -> tuple[int | str, ...]:
    """`"b, _, 3"` or `"b, ..."` against the example."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if parts[-1:] == ["..."]:
        parts = parts[:-1] + ["_"] * (array.ndim - len(parts) + 1)
    sizes = [int(p) if p.isdigit() else n if p == "_" else p for p, n in zip(parts, array.shape)]  # noqa: B905
    fits = all(isinstance(s, str) or s == n for s, n in zip(sizes, array.shape))  # noqa: B905
    sound = all(p.isidentifier() or p.isdigit() for p in parts)
    if len(parts) != array.ndim or not fits or not sound:
        raise ValueError(f"`batch` {text!r} does not fit `{name}` of shape {array.shape}.")
    return tuple(sizes)


def _described(variable: Variable, units: dict, domain: dict) -> Variable:
    unit = units.pop(variable.name, ())
    lower, upper = domain.pop(variable.name, (None, None))
    last = variable.shape[-1] if variable.shape else 1

    def tupled(name: str, value: Any) -> Any:
        value = (value,) if isinstance(value, str) or np.ndim(value) == 0 else tuple(value)
        if len(value) not in (0, 1, last):
            raise ValueError(
                f"`{name}` of `{variable.name}` is one value, or one for each of its {last} "
                f"columns; got {len(value)}."
            )
        return value

    bounds = [None if b is None else tuple(map(float, tupled("domain", b))) for b in (lower, upper)]
    if None not in bounds and not np.all(np.asarray(bounds[0]) < np.asarray(bounds[1])):
        raise ValueError(f"`domain` of `{variable.name}` needs lower < upper; got {bounds}.")
    return replace(variable, units=tupled("units", unit), lower=bounds[0], upper=bounds[1])
