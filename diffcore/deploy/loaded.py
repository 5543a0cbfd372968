"""`load`: an exported function, to be called like the one that was exported."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from diffcore.deploy.exportable import ExportError, Variable
from diffcore.deploy.sizes import value_of
from diffcore.deploy.stablehlo import Content, backend, read
from diffcore.deploy.tracing import nested
from diffcore.precision import precision


class OutsideDomain(ValueError):
    """Points at which an exported function is not valid."""


@dataclass(frozen=True, eq=False, repr=False)
class Loaded:
    """A function from a file.

    Called with one array for each of the `inputs`, in their order or by name, it returns NumPy
    arrays, nested as they were (other containers than dictionaries and lists as tuples). Numbers
    are converted to the data types of the file. `anywhere=True` also takes points outside the
    domain; without it they raise `OutsideDomain`.

    Attributes:
        inputs, outputs: a `Variable` for each array: name, shape, data type, units, valid range.
        weights: arrays by name.
        precision: "float32" or "float64", in which it computes.
        platforms: where it runs.
        description: what was exported.
    """

    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    weights: Mapping[str, np.ndarray]
    precision: str
    platforms: tuple[str, ...]
    description: str
    _content: Content
    _call: Any
    _contains: Any

    def __repr__(self) -> str:
        lists = [", ".join(map(str, variables)) for variables in (self.inputs, self.outputs)]
        return f"Loaded({self.description}: {lists[0]} -> {lists[1]})"

    def __call__(self, *arrays: Any, anywhere: bool = False, **named: Any) -> Any:
        given = self._ordered(arrays, named)
        in_trace = any(isinstance(a, jax.core.Tracer) for a in given)
        with precision(self.precision):
            flat = [_converted(v, a) for v, a in zip(self.inputs, given, strict=True)]
            sizes = _sizes(self.inputs, flat)
            if not anywhere:
                self._require_inside(flat, in_trace)
            if 0 in sizes.values():
                results = [
                    np.zeros([value_of(n, sizes) for n in v.shape], v.dtype) for v in self.outputs
                ]
            else:
                results = self._call(*flat)
            if not in_trace:
                results = [np.asarray(r) for r in results]
        return nested(self._content.tree, results)

    def _ordered(self, arrays: tuple, named: dict[str, Any]) -> list[Any]:
        names = [v.name for v in self.inputs]
        rest = names[len(arrays) :]
        if len(arrays) > len(names) or set(named) != set(rest):
            raise TypeError(
                f"this function takes the arrays {names}; got {len(arrays)} and {sorted(named)}."
            )
        return [*arrays, *(named[name] for name in rest)]

    def _require_inside(self, arrays: list[Any], in_trace: bool) -> None:
        bounded = self._contains is not None or any(v.lower is not None for v in self.inputs)
        if not bounded:
            return
        if in_trace:
            raise TypeError(
                "inside `jax.jit` numbers cannot be compared with the domain: pass anywhere=True."
            )
        for variable, array in zip(self.inputs, arrays, strict=True):
            _require_in_range(variable, np.asarray(array))
        if self._contains is not None and arrays[0].size:
            inside = np.asarray(self._contains(arrays[0]))
            _refuse(~inside, self.inputs[0], np.asarray(arrays[0]), "the domain")


def load(path: str | os.PathLike) -> Loaded:
    """The function that `export` wrote to `path`.

    Arguments:
        path: any file; one that is damaged, foreign or made to do harm is refused.

    Raises:
        FileNotFoundError: no such file.
        ExportError: no exported function, a damaged one, or one that this version of JAX cannot
            read; JAX reads files of older versions, not of newer ones.

    Notes:
        Loading runs no code. The program is StableHLO without calls to anything but JAX's own
        numerical kernels, and runs when the function is called. It cannot be differentiated:
        export the derivatives that you need.
    """
    if str(path).endswith(".onnx"):
        raise ExportError(f"{path} is for ONNX runtimes: open it with `onnxruntime`.")
    content = read(path)
    if backend() not in content.platforms:
        raise ExportError(
            f"{path} was exported for {content.platforms}, and this process runs on {backend()}: "
            "export it with `platforms` that include it."
        )
    with precision(content.precision):
        weights = [jnp.asarray(w) for w in content.weights.values()]
    return Loaded(
        content.inputs,
        content.outputs,
        content.weights,
        content.precision,
        content.platforms,
        content.description,
        content,
        partial(jax.jit(content.call.call), weights),
        None if content.contains is None else jax.jit(content.contains.call),
    )


def _converted(variable: Variable, array: Any) -> Any:
    if not isinstance(array, jax.core.Tracer):
        array = np.asarray(array)
    kinds = {"b": "b", "i": "biu", "u": "biu", "f": "biuf", "c": "biufc", "V": "biufV"}
    target = np.dtype(variable.dtype)
    kind = np.dtype(array.dtype).kind
    if kind not in kinds[target.kind] and not jnp.issubdtype(array.dtype, np.floating):
        raise TypeError(
            f"`{variable.name}` holds {variable.dtype} numbers; got {array.dtype}: convert them."
        )
    return array.astype(target)


def _sizes(variables: tuple[Variable, ...], arrays: list[Any]) -> dict[str, int]:
    """The values of the sizes that may vary."""
    sizes: dict[str, int] = {}
    for variable, array in zip(variables, arrays, strict=True):
        for size, n in zip(variable.shape, array.shape, strict=False):
            if isinstance(size, str):
                sizes.setdefault(size, n)
        expected = tuple(value_of(size, sizes) for size in variable.shape[: array.ndim])
        if expected != array.shape or array.ndim != len(variable.shape):
            told = ", ".join(f"{k} = {n}" for k, n in sizes.items() if k in variable.shape)
            raise ValueError(
                f"`{variable.name}` must have shape ({', '.join(map(str, variable.shape))})"
                f"{' with ' + told if told else ''}; got {array.shape}."
            )
    return sizes


def _require_in_range(variable: Variable, array: np.ndarray) -> None:
    if variable.lower is None or variable.upper is None:
        return
    lower, upper = np.asarray(variable.lower), np.asarray(variable.upper)
    slack = 1e-6 if variable.dtype != "float64" else 1e-9  # rounding of points on the boundary
    wide = np.asarray(array, float)
    outside = ~(
        (wide >= lower - slack * (upper - lower)) & (wide <= upper + slack * (upper - lower))
    )
    _refuse(outside, variable, array, f"{_interval(lower)} to {_interval(upper)}")


def _interval(bound: np.ndarray) -> str:
    return str(bound[0].item() if len(bound) == 1 else tuple(bound.tolist()))


def _refuse(outside: np.ndarray, variable: Variable, array: np.ndarray, where: str) -> None:
    if not outside.any():
        return
    rows = outside.any(-1) if outside.ndim == array.ndim and array.ndim > 1 else outside
    first = array[tuple(np.argwhere(rows)[0])] if rows.ndim else array
    raise OutsideDomain(
        f"`{variable.name}` has {int(rows.sum())} of {rows.size} outside {where}, such as "
        f"{np.asarray(first).tolist()!r:.80}; pass anywhere=True to extrapolate."
    )
