"""Functions in functions, branches and loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from diffcore.deploy.exportable import ExportError
from diffcore.deploy.onnx.graph import Graph
from diffcore.deploy.onnx.rules import rule, translate


@rule(
    "pjit", "jit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call",
    "custom_vjp_call_jaxpr", "remat", "remat2", "checkpoint",
)  # fmt: skip
def _call(graph, equation, inputs):
    inner = next(
        equation.params[k] for k in ("jaxpr", "call_jaxpr", "fun_jaxpr") if k in equation.params
    )
    constants = [graph.constant(np.asarray(c)) for c in getattr(inner, "consts", ())]
    return translate(graph, getattr(inner, "jaxpr", inner), constants, inputs)


@rule("cond")
def _cond(graph, equation, inputs):
    branches = equation.params["branches"]
    if len(branches) != 2:
        raise ExportError("`switch` among more than two has no translation to ONNX.")
    index, *operands = inputs
    chosen = graph.add("Cast", [index], to=graph.dtype(bool))

    def body(branch: Any) -> Any:
        inner = Graph(graph.onnx, graph)
        constants = [graph.constant(np.asarray(c)) for c in branch.consts]
        found = [
            inner.add("Identity", [v]) for v in translate(inner, branch.jaxpr, constants, operands)
        ]
        return inner.finished("branch", [], _descriptions(inner, found, branch.jaxpr.outvars))

    names = [graph.new() for _ in equation.outvars]
    otherwise, then = map(body, branches)
    return graph.add_many("If", [chosen], names, then_branch=then, else_branch=otherwise)


@rule("scan")
def _scan(graph, equation, inputs):
    p = equation.params
    n_consts, n_carry = p["num_consts"], p["num_carry"]
    fixed, carry, sequences = (
        inputs[:n_consts],
        inputs[n_consts : n_consts + n_carry],
        inputs[n_consts + n_carry :],
    )
    inner, closed = Graph(graph.onnx, graph), p["jaxpr"]
    jaxpr = closed.jaxpr
    moving = jaxpr.invars[n_consts:]
    names = [inner.new() for _ in moving]
    constants = [graph.constant(np.asarray(c)) for c in closed.consts]
    found = translate(inner, jaxpr, constants, [*fixed, *names])
    found = [inner.add("Identity", [value]) for value in found]
    inputs_told = _descriptions(inner, names, moving)
    if not sequences:  # ONNX counts steps by a sequence
        sequences = [graph.add("Expand", [graph.numbers([0]), graph.size(p["length"])])]
        inputs_told.append(inner.described(inner.new(), (), np.int64))
    body = inner.finished("step", inputs_told, _descriptions(inner, found, jaxpr.outvars))
    direction, n_out = int(p["reverse"]), len(equation.outvars) - n_carry
    directions = {"scan_input_directions": [direction] * len(sequences)}
    directions |= {"scan_output_directions": [direction] * n_out} if n_out else {}
    return graph.add_many(
        "Scan",
        [*carry, *sequences],
        [graph.new() for _ in equation.outvars],
        body=body,
        num_scan_inputs=len(sequences),
        **directions,
    )


def _descriptions(graph: Graph, names: Sequence[str], variables: Sequence[Any]) -> list[Any]:
    return [
        graph.described(name, v.aval.shape, v.aval.dtype)
        for name, v in zip(names, variables, strict=True)
    ]
