"""Values by index, and in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from diffcore.deploy.exportable import ExportError
from diffcore.deploy.onnx.graph import Graph
from diffcore.deploy.onnx.pieces import broadcasted
from diffcore.deploy.onnx.rules import RULES, Rule, rule


@rule("gather")
def _gather(graph, equation, inputs):
    numbers, sizes = equation.params["dimension_numbers"], equation.params["slice_sizes"]
    whole = equation.invars[0].aval.shape
    mapped, batching = numbers.start_index_map, numbers.operand_batching_dims
    rest = [i for i in range(len(whole)) if i not in (*mapped, *batching)]
    places = len(equation.invars[1].aval.shape) - 1  # axes of places, the last holds indices
    leading = numbers.start_indices_batching_dims == tuple(range(len(batching)))
    if any(whole[i] != sizes[i] for i in rest) or not leading:
        raise ExportError("`gather` of parts of slices has no translation to ONNX.")
    value = inputs[0]
    indices = graph.add("Cast", [inputs[1]], to=graph.dtype(np.int64))
    last = graph.add(
        "Sub", [graph.shape([whole[i] for i in mapped]), graph.shape([sizes[i] for i in mapped])]
    )
    clipped = graph.add("Min", [graph.add("Max", [indices, graph.constant(np.int64(0))]), last])
    kept = [i for i in range(len(whole)) if i not in (*numbers.collapsed_slice_dims, *batching)]
    out = equation.outvars[0].aval
    batch = [i for i in range(len(out.shape)) if i not in numbers.offset_dims]
    if all(sizes[i] == 1 for i in mapped):
        value = graph.add("Transpose", [value], perm=[*batching, *mapped, *rest])
        value = graph.add("GatherND", [value, clipped], batch_dims=len(batching))
        found = [*batch, *(numbers.offset_dims[kept.index(i)] for i in rest)]  # where axes belong
        value = graph.add("Transpose", [value], perm=np.argsort(found).tolist())
        single = [numbers.offset_dims[kept.index(i)] for i in mapped if i in kept]
        if single:
            value = graph.add("Unsqueeze", [value, graph.numbers(sorted(single))])
    elif not places:
        end = graph.add("Add", [clipped, graph.shape([sizes[i] for i in mapped])])
        value = graph.add("Slice", [value, clipped, end, graph.numbers(mapped)])
        if numbers.collapsed_slice_dims:
            value = graph.add("Squeeze", [value, graph.numbers(numbers.collapsed_slice_dims)])
    else:
        raise ExportError("`gather` of several slices of several rows has no translation to ONNX.")
    if "FILL" not in str(equation.params["mode"]).upper():
        return value
    same = graph.add("Cast", [graph.add("Equal", [clipped, indices])], to=graph.dtype(np.int32))
    same = graph.add("ReduceMin", [same, graph.numbers([-1])], keepdims=0)
    inside = graph.add("Cast", [same], to=graph.dtype(bool))
    inside = broadcasted(graph, inside, out.shape, batch)
    missing = np.nan if np.dtype(out.dtype).kind == "f" else equation.params["fill_value"] or 0
    return graph.add("Where", [inside, value, graph.constant(np.asarray(missing, out.dtype))])


def _scatter(reduction: str) -> Rule:
    def apply(graph: Graph, equation: Any, inputs: list[str]) -> str:
        """Whole slices, put or added where the indices say."""
        numbers = equation.params["dimension_numbers"]
        mapped, (target, _, source) = (
            numbers.scatter_dims_to_operand_dims,
            (v.aval.shape for v in equation.invars),
        )
        rest = [i for i in range(len(target)) if i not in mapped]
        window = numbers.update_window_dims
        is_whole = [target[i] for i in rest] == [source[i] for i in window]
        if sorted(mapped) != list(numbers.inserted_window_dims) or not is_whole:
            raise ExportError("`scatter` of other than whole slices has no translation to ONNX.")
        value, indices, updates = inputs
        order = [*mapped, *rest]
        value = graph.add("Transpose", [value], perm=order)
        indices = graph.add("Cast", [indices], to=graph.dtype(np.int64))
        places = [i for i in range(len(source)) if i not in window]
        updates = graph.add("Transpose", [updates], perm=[*places, *window])
        value = graph.add("ScatterND", [value, indices, updates], reduction=reduction)
        return graph.add("Transpose", [value], perm=np.argsort(order).tolist())

    return apply


RULES["scatter"] = _scatter("none")
for _word in ("add", "mul", "min", "max"):
    RULES[f"scatter-{_word}"] = RULES[f"scatter_{_word}"] = _scatter(_word)


@rule("sort")
def _sort(graph, equation, inputs):
    if equation.params["num_keys"] != 1:
        raise ExportError("`sort` by several keys has no translation to ONNX.")
    axis = equation.params["dimension"]
    count = graph.size(equation.invars[0].aval.shape[axis])
    names = [graph.new(), graph.new()]
    values, order = graph.add_many("TopK", [inputs[0], count], names, axis=axis, largest=0)
    return [values, *(graph.add("GatherElements", [v, order], axis=axis) for v in inputs[1:])]


@rule("top_k")
def _top_k(graph, equation, inputs):
    names = [graph.new(), graph.new()]
    values, order = graph.add_many("TopK", [inputs[0], graph.size(equation.params["k"])], names)
    return [values, graph.add("Cast", [order], to=graph.dtype(equation.outvars[1].aval.dtype))]
