"""Convolutions and pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from diffcore.deploy.exportable import ExportError
from diffcore.deploy.onnx.graph import Graph
from diffcore.deploy.onnx.pieces import number, stretched
from diffcore.deploy.onnx.rules import RULES, Rule, rule


@rule("conv_general_dilated")
def _convolution(graph, equation, inputs):
    p = equation.params
    if p["batch_group_count"] != 1:
        raise ExportError("a convolution with groups of the batch has no translation to ONNX.")
    numbers, (x, kernel) = p["dimension_numbers"], inputs
    shape = [equation.invars[0].aval.shape[i] for i in numbers.lhs_spec]
    x = graph.add("Transpose", [x], perm=list(numbers.lhs_spec))
    kernel = graph.add("Transpose", [kernel], perm=list(numbers.rhs_spec))
    x = stretched(graph, x, shape, (1, 1, *p["lhs_dilation"]), number(graph, equation, 0))
    pads = [ends[k] for k in (0, 1) for ends in p["padding"]]
    if min(pads, default=0) < 0:  # which Conv does not take
        rank = len(shape)
        cut = [0, 0, *(min(lower, 0) for lower, _ in p["padding"])]
        cut += [0, 0, *(min(upper, 0) for _, upper in p["padding"])]
        x = graph.add("Pad", [x, graph.numbers(cut), number(graph, equation, 0)])
        pads = [max(n, 0) for n in pads]
        assert len(cut) == 2 * rank
    y = graph.add(
        "Conv",
        [x, kernel],
        strides=list(p["window_strides"]),
        dilations=list(p["rhs_dilation"]),
        pads=pads,
        group=p["feature_group_count"],
    )
    return graph.add("Transpose", [y], perm=np.argsort(numbers.out_spec).tolist())


def _pooling(kind: str) -> Rule:
    def apply(graph: Graph, equation: Any, inputs: list[str]) -> str:
        p = equation.params
        window, strides, padding = p["window_dimensions"], p["window_strides"], p["padding"]
        dilation = p["window_dilation"]
        is_spatial = len(window) > 2 and window[:2] == strides[:2] == (1, 1)
        if not is_spatial or any(n != 1 for n in p["base_dilation"]) or any(map(any, padding[:2])):
            raise ExportError(
                f"`{equation.primitive.name}` over the first two axes, or of dilated values, has "
                "no translation to ONNX."
            )
        options: dict[str, Any] = {
            "kernel_shape": list(window[2:]),
            "strides": list(strides[2:]),
            "pads": [ends[k] for k in (0, 1) for ends in padding[2:]],
        }
        if kind == "MaxPool":
            return graph.add(kind, inputs, dilations=list(dilation[2:]), **options)
        if any(n != 1 for n in dilation):
            raise ExportError("sums over dilated windows have no translation to ONNX.")
        mean = graph.add(kind, inputs, count_include_pad=1, **options)
        return graph.add("Mul", [mean, number(graph, equation, float(np.prod(window)))])

    return apply


RULES |= {"reduce_window_max": _pooling("MaxPool"), "reduce_window_sum": _pooling("AveragePool")}
