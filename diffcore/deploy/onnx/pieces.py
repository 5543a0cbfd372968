"""Groups of nodes that several rules need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from diffcore.deploy.onnx.graph import Graph


def number(graph: Graph, equation: Any, value: float) -> str:
    """A number of the data type of the equation's first input."""
    return graph.constant(np.asarray(value, equation.invars[0].aval.dtype))


def broadcasted(graph: Graph, value: str, shape: Sequence[Any], axes: Sequence[int]) -> str:
    """The value with its axes at `axes`, repeated along all others."""
    new = [i for i in range(len(shape)) if i not in axes]
    if new:
        value = graph.add("Unsqueeze", [value, graph.numbers(new)])
    return graph.add("Expand", [value, graph.shape(shape)]) if shape else value


def stretched(
    graph: Graph, value: str, shape: Sequence[Any], steps: Sequence[int], filler: str
) -> str:
    """The value with `steps - 1` fillers between its neighbors along each axis."""
    axes = [i for i, step in enumerate(steps) if step > 1]
    if not axes:
        return value
    # (..., n, ...) to (..., n, 1, ...), filled to (..., n, step, ...), then flat without the end
    value = graph.add("Unsqueeze", [value, graph.numbers([a + k + 1 for k, a in enumerate(axes)])])
    wide: list[int] = []
    for step in steps:
        wide += [0, step - 1] if step > 1 else [0]
    value = graph.add("Pad", [value, graph.numbers([0] * len(wide) + wide), filler])
    flat = [n * step for n, step in zip(shape, steps, strict=True)]
    value = graph.add("Reshape", [value, graph.shape(flat)])
    ends = [1 - steps[a] for a in axes]
    return graph.add(
        "Slice", [value, graph.numbers([0] * len(axes)), graph.numbers(ends), graph.numbers(axes)]
    )
