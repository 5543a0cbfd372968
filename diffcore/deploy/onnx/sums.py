"""Sums, products, extrema, products of matrices."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from diffcore.deploy.onnx.graph import Graph
from diffcore.deploy.onnx.rules import RULES, Rule, rule


def _reduction(kind: str) -> Rule:
    def apply(graph: Graph, equation: Any, inputs: list[str]) -> str:
        axes = equation.params["axes"]
        return graph.add(kind, [inputs[0], graph.numbers(axes)], keepdims=0) if axes else inputs[0]

    return apply


for _word in ("Sum", "Max", "Min", "Prod"):
    RULES[f"reduce_{_word.lower()}"] = _reduction(f"Reduce{_word}")


def _bool_reduction(kind: str) -> Rule:
    def apply(graph: Graph, equation: Any, inputs: list[str]) -> str:
        number = graph.add("Cast", inputs, to=graph.dtype(np.int32))
        found = graph.add(kind, [number, graph.numbers(equation.params["axes"])], keepdims=0)
        return graph.add("Cast", [found], to=graph.dtype(bool))

    return apply


RULES |= {"reduce_and": _bool_reduction("ReduceMin"), "reduce_or": _bool_reduction("ReduceMax")}


def _argument(kind: str) -> Rule:
    def apply(graph: Graph, equation: Any, inputs: list[str]) -> str:
        (axis,) = equation.params["axes"]
        found = graph.add(kind, inputs, axis=axis, keepdims=0)
        return graph.add("Cast", [found], to=graph.dtype(equation.params["index_dtype"]))

    return apply


RULES |= {"argmax": _argument("ArgMax"), "argmin": _argument("ArgMin")}


@rule("cumsum")
def _cumsum(graph, equation, inputs):
    axis = graph.constant(np.int64(equation.params["axis"]))
    return graph.add("CumSum", [inputs[0], axis], reverse=int(equation.params["reverse"]))


@rule("dot_general")
def _dot(graph, equation, inputs):
    ((left, right), (left_batch, right_batch)) = equation.params["dimension_numbers"]
    ranks = [len(v.aval.shape) for v in equation.invars]
    if not left_batch and (*left,) == (ranks[0] - 1,) and ranks[1] == 2:
        a, b = inputs
        b = b if right == (0,) else graph.add("Transpose", [b], perm=[1, 0])
        return _typed(graph, equation, graph.add("MatMul", [a, b]))
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    names: list[list[str]] = [[""] * rank for rank in ranks]
    for i, j in itertools.chain(
        zip(left_batch, right_batch, strict=True), zip(left, right, strict=True)
    ):
        names[0][i] = names[1][j] = next(letters)
    free = [[i for i, name in enumerate(side) if not name] for side in names]
    for side, axes in zip(names, free, strict=True):
        for i in axes:
            side[i] = next(letters)
    kept = [names[0][i] for i in left_batch]
    kept += [side[i] for side, axes in zip(names, free, strict=True) for i in axes]
    text = f"{''.join(names[0])},{''.join(names[1])}->{''.join(kept)}"
    return _typed(graph, equation, graph.add("Einsum", inputs, equation=text))


def _typed(graph: Graph, equation: Any, value: str) -> str:
    """The value in the data type of the equation's output."""
    wanted = equation.outvars[0].aval.dtype
    if wanted == equation.invars[0].aval.dtype:
        return value
    return graph.add("Cast", [value], to=graph.dtype(wanted))
