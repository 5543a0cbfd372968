"""New shapes for the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from diffcore.deploy.onnx.graph import Graph
from diffcore.deploy.onnx.pieces import broadcasted, stretched
from diffcore.deploy.onnx.rules import rule


@rule("reshape")
def _reshape(graph, equation, inputs):
    return _reshaped(graph, inputs[0], equation.outvars[0].aval.shape)


def _reshaped(graph: Graph, value: str, shape: Sequence[Any]) -> str:
    free = [not isinstance(n, int) for n in shape]
    if sum(free) == 1 and 0 not in shape:
        shape = [-1 if is_free else n for n, is_free in zip(shape, free, strict=True)]
    return graph.add("Reshape", [value, graph.shape(shape)])


@rule("broadcast_in_dim")
def _broadcast(graph, equation, inputs):
    return broadcasted(
        graph, inputs[0], equation.params["shape"], equation.params["broadcast_dimensions"]
    )


@rule("squeeze")
def _squeeze(graph, equation, inputs):
    return graph.add("Squeeze", [inputs[0], graph.numbers(equation.params["dimensions"])])


@rule("transpose")
def _transpose(graph, equation, inputs):
    return graph.add("Transpose", inputs, perm=list(equation.params["permutation"]))


@rule("concatenate")
def _concatenate(graph, equation, inputs):
    return graph.add("Concat", inputs, axis=equation.params["dimension"])


@rule("stack")
def _stack(graph, equation, inputs):
    (axis,) = {k: v for k, v in equation.params.items() if k in ("axis", "dimension")}.values()
    wide = [graph.add("Unsqueeze", [value, graph.numbers([axis])]) for value in inputs]
    return graph.add("Concat", wide, axis=axis)


@rule("split")
def _split(graph, equation, inputs):
    sizes = graph.shape(equation.params["sizes"])
    names = [graph.new() for _ in equation.outvars]
    return graph.add_many("Split", [inputs[0], sizes], names, axis=equation.params["axis"])


@rule("slice")
def _slice(graph, equation, inputs):
    p, rank = equation.params, len(equation.invars[0].aval.shape)
    bounds = [graph.shape(p["start_indices"]), graph.shape(p["limit_indices"])]
    steps = graph.numbers(p["strides"] or [1] * rank)
    return graph.add("Slice", [inputs[0], *bounds, graph.numbers(range(rank)), steps])


@rule("rev")
def _rev(graph, equation, inputs):
    axes = equation.params["dimensions"]
    least = np.iinfo(np.int64).min
    bounds = [graph.numbers([n] * len(axes)) for n in (-1, least)]
    return graph.add(
        "Slice", [inputs[0], *bounds, graph.numbers(axes), graph.numbers([-1] * len(axes))]
    )


@rule("dynamic_slice")
def _dynamic_slice(graph, equation, inputs):
    value, *starts = inputs
    whole, sizes = equation.invars[0].aval.shape, equation.params["slice_sizes"]
    axes = [i for i, (n, m) in enumerate(zip(whole, sizes, strict=True)) if n != m]
    if not axes:
        return value
    lower = []
    for axis in axes:
        start = graph.add("Cast", [starts[axis]], to=graph.dtype(np.int64))
        start = graph.add("Reshape", [start, graph.numbers([1])])
        start = graph.add("Max", [start, graph.numbers([0])])
        last = graph.add("Sub", [graph.size(whole[axis]), graph.size(sizes[axis])])
        lower.append(graph.add("Min", [start, last]))
    start = graph.add("Concat", lower, axis=0)
    stop = graph.add("Add", [start, graph.shape([sizes[i] for i in axes])])
    return graph.add("Slice", [value, start, stop, graph.numbers(axes)])


@rule("pad")
def _pad(graph, equation, inputs):
    value, filler = inputs
    padding = equation.params["padding_config"]
    value = stretched(
        graph, value, equation.invars[0].aval.shape, [i + 1 for *_, i in padding], filler
    )
    ends = [graph.shape([ends[k] for ends in padding]) for k in (0, 1)]
    return graph.add("Pad", [value, graph.add("Concat", ends, axis=0), filler])


@rule("iota")
def _iota(graph, equation, inputs):
    p = equation.params
    end = graph.add("Squeeze", [graph.size(p["shape"][p["dimension"]])])
    zero, one = (graph.constant(np.int64(n)) for n in (0, 1))
    numbers = graph.add("Range", [zero, end, one])
    numbers = graph.add("Cast", [numbers], to=graph.dtype(p["dtype"]))
    return broadcasted(graph, numbers, p["shape"], [p["dimension"]])


@rule("dim_as_value")
def _dim_as_value(graph, equation, inputs):
    size = graph.add("Squeeze", [graph.size(equation.params["dim"])])
    return graph.add("Cast", [size], to=graph.dtype(equation.outvars[0].aval.dtype))
