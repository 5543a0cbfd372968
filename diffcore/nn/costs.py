"""What a model consists of: its modules with their output shapes, parameters and operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import numpy as np
from jax.extend import core

from diffcore.nn.module import Module
from diffcore.nn.parameters import Fixed, count_parameters
from diffcore.nn.paths import map_parts, plain


@dataclass(frozen=True)
class Row:
    """A module: its path, class, shape of the output ("" if it was not called), and costs."""

    path: str
    kind: str
    output: str
    parameters: int
    flops: int


@dataclass(frozen=True)
class Summary:
    """What `summary` found, as a table when printed."""

    rows: tuple[Row, ...]
    parameters: int
    flops: int

    def __str__(self) -> str:
        table = [("", "module", "output", "parameters", "flops")]
        for row in self.rows:
            costs = f"{row.parameters:,}", f"{row.flops:,}"
            table.append((row.path, row.kind, row.output, *costs))
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if i < 3 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in table
        ]
        return "\n".join(lines)


def summary(model: Any, *inputs: Any) -> Summary:
    """Returns the modules of a model called on these inputs; nothing is computed.

    Arguments:
        inputs: arrays, or `jax.ShapeDtypeStruct`s.

    Notes: `flops` counts two for each multiplication with addition in matrix products and
    convolutions, and 5 n log₂ n for an FFT of n points; all else is left out. A module called
    several times counts each time, and its first output is shown.

    Example:
        >>> from diffcore import nn
        >>> model = nn.Sequential([nn.Conv2d(1, 4, 3), nn.Flatten(), nn.Linear(144, 10)], key=0)
        >>> print(nn.summary(model, np.zeros((1, 1, 8, 8), np.float32)))
                  module      output        parameters  flops
                  Sequential  (1, 10)            1,490  5,472
        layers.0  Conv2d      (1, 4, 6, 6)          40  2,592
        layers.1  Flatten     (1, 144)               0      0
        layers.2  Linear      (1, 10)            1,450  2,880
    """
    model = plain(model)
    calls = _Calls()
    modules: dict[str, Any] = {}

    def probe(path: str, part: Any) -> Any:
        if not isinstance(part, Module) or isinstance(part, (Fixed, _Probe)):
            return part
        modules[path] = part
        below = map_parts(
            lambda p, q: q if q is part else probe(f"{path}.{p}".lstrip("."), q), part
        )
        return _Probe(below, path, calls)

    jax.eval_shape(map_parts(probe, model), *inputs)
    rows = tuple(
        Row(
            path,
            type(module).__name__,
            calls.outputs.get(path, ""),
            count_parameters(module),
            calls.flops.get(path, 0),
        )
        for path, module in modules.items()
    )
    total = calls.flops.get("", 0)
    return Summary(rows, count_parameters(model), total)


class _Calls:
    def __init__(self) -> None:
        self.outputs: dict[str, str] = {}
        self.flops: dict[str, int] = {}
        self.counting = False


class _Probe(eqx.Module):
    """A module that notes its calls."""

    module: Any
    path: str = eqx.field(static=True)
    calls: _Calls = eqx.field(static=True)

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        outputs = self.module(*inputs, **options)
        if not self.calls.counting:
            self.calls.counting = True
            try:
                work = count_flops(lambda x, o: self.module(*x, **o), inputs, options)
            finally:
                self.calls.counting = False
            self.calls.flops[self.path] = self.calls.flops.get(self.path, 0) + work
            shapes = [str(tuple(np.shape(leaf))) for leaf in jax.tree.leaves(outputs)]
            self.calls.outputs.setdefault(self.path, ", ".join(shapes))
        return outputs

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "module":
            raise AttributeError(name)
        return getattr(self.module, name)

    def __getitem__(self, index: Any) -> Any:
        return self.module[index]

    def __len__(self) -> int:
        return len(self.module)


def count_flops(function: Callable[..., Any], *inputs: Any) -> int:
    """Returns the operations of matrix products, convolutions and FFTs in function(*inputs).

    Notes: Two for a multiplication with addition, times the length of a `scan`; the body of a
    `while` loop counts once.

    Example:
        >>> count_flops(lambda x: x @ x, np.zeros((10, 10), np.float32))
        2000
    """
    dynamic, static = eqx.partition(inputs, _is_arraylike)
    closed = jax.make_jaxpr(lambda d: function(*eqx.combine(d, static)))(dynamic)
    return _flops(closed.jaxpr)


def _is_arraylike(leaf: Any) -> bool:
    return isinstance(leaf, (jax.Array, np.ndarray, jax.ShapeDtypeStruct))


def _flops(jaxpr: core.Jaxpr) -> int:
    total = 0
    for equation in jaxpr.eqns:
        inner = sum(_flops(sub) for sub in core.jaxprs_in_params(equation.params))
        name = equation.primitive.name
        total += inner * (equation.params["length"] if name == "scan" else 1)
        if name in _WORK:
            total += _WORK[name](equation)
    return total


def _product(equation: Any) -> int:
    (contracted, _), _ = equation.params["dimension_numbers"]
    shape = equation.invars[0].aval.shape
    return 2 * equation.outvars[0].aval.size * math.prod(shape[i] for i in contracted)


def _convolution(equation: Any) -> int:
    kernel = equation.invars[1].aval.shape
    axes = equation.params["dimension_numbers"].rhs_spec
    weights = math.prod(kernel[i] for i in axes[1:])  # of one output channel
    return 2 * equation.outvars[0].aval.size * weights // math.prod(equation.params["lhs_dilation"])


def _fft(equation: Any) -> int:
    lengths = equation.params["fft_lengths"]
    points = math.prod(lengths)
    largest = max(v.aval.size for v in (*equation.invars, *equation.outvars))
    return round(5 * largest * math.log2(max(points, 1)))


_WORK = {"dot_general": _product, "conv_general_dilated": _convolution, "fft": _fft}
