"""What each JAX primitive is in ONNX.

A rule takes the graph, the equation of the jaxpr and the names of its inputs, and returns the names
of its outputs (or the name, where there is one).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from diffcore.deploy.exportable import ExportError
from diffcore.deploy.onnx.graph import Graph

Rule = Callable[[Graph, Any, list[str]], Any]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Registers a function as the rule of these primitives."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return register


def translate(
    graph: Graph, jaxpr: Any, constants: Sequence[str], inputs: Sequence[str]
) -> list[str]:
    """The outputs of a jaxpr whose constants and inputs have these names.

    Raises:
        ExportError: a primitive without a rule, or numbers that ONNX does not have.
    """
    names = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *inputs), strict=True))

    def read(atom: Any) -> str:
        if isinstance(atom, jax.extend.core.Literal):
            return graph.constant(np.asarray(atom.val, atom.aval.dtype))  # type: ignore[attr-defined]
        return names[atom]

    for equation in jaxpr.eqns:
        found = _applied(graph, equation, [read(atom) for atom in equation.invars])
        found = [found] if isinstance(found, str) else found
        names.update(zip(equation.outvars, found, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def _applied(graph: Graph, equation: Any, inputs: list[str]) -> Any:
    name = equation.primitive.name
    kinds = {_kind(v.aval) for v in (*equation.invars, *equation.outvars)}
    if "key" in kinds:
        raise ExportError("ONNX has no random keys: draw random numbers outside of the function.")
    if "c" in kinds:
        raise ExportError(
            f"ONNX has no complex numbers, and `{name}` computes with them: export as StableHLO, "
            "with any other ending."
        )
    if name not in RULES:
        raise ExportError(
            f"`{name}` has no translation to ONNX: export as StableHLO, with any other ending, or "
            "write the function without it."
        )
    return RULES[name](graph, equation, inputs)


def _kind(aval: Any) -> str:
    return "key" if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.extended) else aval.dtype.kind
