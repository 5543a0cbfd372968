"""A function of arrays as a jaxpr with its weights apart, for sizes that may vary."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import jax
import numpy as np
from jax import export as jax_export

from diffcore.deploy.exportable import Exportable, ExportError, Variable
from diffcore.precision import precision


@dataclass(frozen=True, eq=False)
class Traced:
    """Weights and inputs go in, flat outputs come out."""

    jaxpr: Any  # open: its constants are the weights
    weights: list[Any]
    names: list[str]  # of the weights
    specs: list[jax.ShapeDtypeStruct]  # of the inputs
    outputs: list[Variable]
    tree: Any  # how outputs are nested, as JSON

    def __call__(self, weights: Sequence[Any], *inputs: Any) -> list[Any]:
        closed = jax.extend.core.ClosedJaxpr(self.jaxpr, list(weights))
        return jax.extend.core.jaxpr_as_fun(closed)(*inputs)


def trace(item: Exportable) -> Traced:
    """The exportable's function, traced once.

    Raises:
        ExportError: a function that needs numbers, calls Python, or does not take the example.
    """
    specs = symbolic(item.inputs)
    with precision(item.precision), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Explicitly requested dtype")  # weights in float64
        try:
            closed, shapes = jax.make_jaxpr(item.function, return_shape=True)(*specs)
        except ExportError:
            raise
        except Exception as error:
            raise ExportError(explained(error, item)) from error
    if closed.effects:
        raise ExportError(
            f"{item.description} calls back into Python (or prints) while it runs, which a file "
            "cannot do: leave that out."
        )
    for weight in closed.consts:
        if not isinstance(weight, (jax.Array, np.ndarray, np.generic)) or jax.dtypes.issubdtype(
            weight.dtype, jax.dtypes.extended
        ):
            raise ExportError(f"{item.description} holds {weight!r:.60}, which is no array.")
    counter = count()
    tree = _skeleton(shapes, counter)
    return Traced(
        closed.jaxpr,
        list(closed.consts),
        list(_weight_names(closed.consts, item)),
        specs,
        _outputs(shapes, item),
        tree,
    )


def symbolic(variables: Sequence[Variable]) -> list[jax.ShapeDtypeStruct]:
    """Shapes and data types, with symbols for the sizes that may vary."""
    scope = jax_export.SymbolicScope()
    return [
        jax.ShapeDtypeStruct(
            jax_export.symbolic_shape(", ".join(map(str, v.shape)), scope=scope), np.dtype(v.dtype)
        )
        for v in variables
    ]


def explained(error: Exception, item: Exportable) -> str:
    """Why tracing or lowering failed, and what to do."""
    reasons = {
        "InconclusiveDimensionOperation": "it compares or divides sizes that may vary: pass "
        "batch=False, or name the sizes with `batch`",
        "TracerArrayConversionError": "it calls NumPy, which needs the numbers: write it with "
        "`jax.numpy`",
        "ConcretizationTypeError": "it branches on numbers: use `jnp.where` or `jax.lax.cond`",
        "TracerBoolConversionError": "it branches on numbers: use `jnp.where` or `jax.lax.cond`",
        "TracerIntegerConversionError": "it uses a number as an index or size in Python",
    }
    named = [reasons[c.__name__] for c in type(error).__mro__ if c.__name__ in reasons]
    first = (str(error).splitlines() or [""])[0][:300]
    reason = named[0] if named else f"{type(error).__name__}: {first}".rstrip(".: ")
    return f"{item.description} cannot be exported: {reason}."


def _outputs(shapes: Any, item: Exportable) -> list[Variable]:
    outputs = []
    for path, leaf in jax.tree_util.tree_flatten_with_path(shapes)[0]:
        name = jax.tree_util.keystr(path, simple=True, separator=".") or "output"
        shape = tuple(n if isinstance(n, int) else str(n) for n in leaf.shape)
        units = item.units.get(name, ())
        units = (units,) if isinstance(units, str) else tuple(units)
        outputs.append(Variable(name, shape, np.dtype(leaf.dtype).name, units=units))
    if not outputs:
        raise ExportError(f"{item.description} returns no array.")
    if unknown := [n for n in item.units if n not in {v.name for v in (*outputs, *item.inputs)}]:
        raise ValueError(
            f"`units` names {unknown[0]!r}; there are the inputs {[v.name for v in item.inputs]} "
            f"and the outputs {[v.name for v in outputs]}."
        )
    return outputs


def _weight_names(constants: Sequence[Any], item: Exportable) -> Iterator[str]:
    known = {id(array): name for name, array in item.weights}
    for i, constant in enumerate(constants):
        yield known.get(id(constant), f"constant.{i}")


def _skeleton(tree: Any, counter: Iterator[int]) -> Any:
    """Dictionaries, lists and tuples as JSON, with the number of each leaf."""
    if tree is None:
        return None
    if isinstance(tree, dict):
        return {"dict": [[str(k), _skeleton(tree[k], counter)] for k in sorted(tree)]}
    children = jax.tree.leaves(tree, is_leaf=lambda node: node is not tree)
    if len(children) == 1 and children[0] is tree:
        return next(counter)
    kind = "list" if isinstance(tree, list) else "tuple"
    return {kind: [_skeleton(child, counter) for child in children]}


def nested(skeleton: Any, leaves: Sequence[Any]) -> Any:
    """The inverse: leaves in their places."""
    if skeleton is None:
        return None
    if isinstance(skeleton, int):
        return leaves[skeleton]
    ((kind, children),) = skeleton.items()
    if kind == "dict":
        return {str(name): nested(child, leaves) for name, child in children}
    return {"list": list, "tuple": tuple}[kind](nested(child, leaves) for child in children)
