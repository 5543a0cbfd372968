"""Functions of single numbers."""

from __future__ import annotations

from typing import Any

from diffcore.deploy.exportable import ExportError
from diffcore.deploy.onnx.graph import Graph
from diffcore.deploy.onnx.pieces import number
from diffcore.deploy.onnx.rules import RULES, Rule, rule

NODES = {
    "abs": "Abs",
    "acos": "Acos",
    "acosh": "Acosh",
    "add": "Add",
    "add_any": "Add",
    "asin": "Asin",
    "asinh": "Asinh",
    "atan": "Atan",
    "atanh": "Atanh",
    "ceil": "Ceil",
    "cos": "Cos",
    "cosh": "Cosh",
    "copy": "Identity",
    "copy_p": "Identity",
    "div": "Div",
    "eq": "Equal",
    "erf": "Erf",
    "exp": "Exp",
    "floor": "Floor",
    "ge": "GreaterOrEqual",
    "gt": "Greater",
    "le": "LessOrEqual",
    "log": "Log",
    "logistic": "Sigmoid",
    "lt": "Less",
    "max": "Max",
    "min": "Min",
    "mul": "Mul",
    "name": "Identity",
    "neg": "Neg",
    "pow": "Pow",
    "reduce_precision": "Identity",
    "sharding_constraint": "Identity",
    "sign": "Sign",
    "sin": "Sin",
    "sinh": "Sinh",
    "sqrt": "Sqrt",
    "stop_gradient": "Identity",
    "sub": "Sub",
    "tan": "Tan",
    "tanh": "Tanh",
}


def _node(kind: str) -> Rule:
    return lambda graph, equation, inputs: graph.add(kind, inputs)


RULES.update({name: _node(kind) for name, kind in NODES.items()})


def _logical(word: str) -> Rule:
    """On bits of whole numbers, or on truth values."""

    def apply(graph: Graph, equation: Any, inputs: list[str]) -> str:
        is_bool = equation.invars[0].aval.dtype == bool
        return graph.add(word if is_bool else f"Bitwise{word}", inputs)

    return apply


RULES.update({word.lower(): _logical(word) for word in ("And", "Or", "Xor", "Not")})


@rule("ne")
def _ne(graph, equation, inputs):
    return graph.add("Not", [graph.add("Equal", inputs)])


@rule("square")
def _square(graph, equation, inputs):
    return graph.add("Mul", inputs * 2)


@rule("rsqrt")
def _rsqrt(graph, equation, inputs):
    return graph.add("Reciprocal", [graph.add("Sqrt", inputs)])


@rule("log1p")
def _log1p(graph, equation, inputs):
    return graph.add("Log", [graph.add("Add", [*inputs, number(graph, equation, 1)])])


@rule("expm1")
def _expm1(graph, equation, inputs):
    return graph.add("Sub", [graph.add("Exp", inputs), number(graph, equation, 1)])


@rule("exp2")
def _exp2(graph, equation, inputs):
    return graph.add("Pow", [number(graph, equation, 2), *inputs])


@rule("erfc")
def _erfc(graph, equation, inputs):
    return graph.add("Sub", [number(graph, equation, 1), graph.add("Erf", inputs)])


@rule("cbrt")
def _cbrt(graph, equation, inputs):
    root = graph.add("Pow", [graph.add("Abs", inputs), number(graph, equation, 1 / 3)])
    return graph.add("Mul", [graph.add("Sign", inputs), root])


@rule("integer_pow")
def _integer_pow(graph, equation, inputs):
    return graph.add("Pow", [*inputs, number(graph, equation, equation.params["y"])])


@rule("round")
def _round(graph, equation, inputs):
    if int(equation.params["rounding_method"]) != 1:  # halves to even
        raise ExportError("`round` away from zero has no translation to ONNX: use `jnp.round`.")
    return graph.add("Round", inputs)


@rule("rem")
def _rem(graph, equation, inputs):
    return graph.add("Mod", inputs, fmod=1)


@rule("is_finite")
def _is_finite(graph, equation, inputs):
    wrong = [graph.add("IsInf", inputs), graph.add("IsNaN", inputs)]
    return graph.add("Not", [graph.add("Or", wrong)])


@rule("clamp")
def _clamp(graph, equation, inputs):
    lower, x, upper = inputs
    return graph.add("Min", [graph.add("Max", [x, lower]), upper])


@rule("select_n")
def _select(graph, equation, inputs):
    which, *cases = inputs
    if len(cases) != 2:
        raise ExportError("`select_n` among more than two has no translation to ONNX.")
    if equation.invars[0].aval.dtype != bool:
        which = graph.add("Cast", [which], to=graph.dtype(bool))
    return graph.add("Where", [which, cases[1], cases[0]])


@rule("convert_element_type")
def _cast(graph, equation, inputs):
    return graph.add("Cast", inputs, to=graph.dtype(equation.outvars[0].aval.dtype))


@rule("optimization_barrier")
def _identities(graph, equation, inputs):
    return inputs
