"""An ONNX graph in the making: nodes, constants, and sizes that are known when it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from diffcore.deploy.sizes import value_of

OPSET = 18


class Graph:
    """Nodes in order; values are their names. A graph in a graph sees the values outside."""

    def __init__(self, onnx: Any, parent: Graph | None = None) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.root: Graph = parent.root if parent else self
        self.symbols: dict[str, Size] = dict(parent.symbols) if parent else {}
        if parent is None:
            self.constants: list[Any] = []
            self._known: dict[tuple, str] = {}
            self._count = 0

    def new(self) -> str:
        """A name that is not used yet."""
        self.root._count += 1
        return f"v{self.root._count}"

    def add(
        self, kind: str, inputs: Sequence[str], *, output: str | None = None, **attributes: Any
    ) -> str:
        """The value of a new node with one output."""
        return self.add_many(kind, inputs, [output or self.new()], **attributes)[0]

    def add_many(
        self, kind: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any
    ) -> list[str]:
        """The values of a new node, by the names given."""
        node = self.onnx.helper.make_node(kind, list(inputs), list(outputs), **attributes)
        self.nodes.append(node)
        return list(outputs)

    def constant(self, array: Any, name: str | None = None) -> str:
        """The value of a constant; small ones are kept once."""
        array = np.asarray(array)
        root = self.root
        key = (array.dtype.str, array.shape, array.tobytes()) if array.size <= 16 else None
        if name is None and key in root._known:
            return root._known[key]
        name = f"{name or 'c'}:{len(root.constants)}"
        root.constants.append(
            self.onnx.numpy_helper.from_array(
                np.ascontiguousarray(array).reshape(array.shape), name
            )
        )
        if key is not None:
            root._known[key] = name
        return name

    def numbers(self, values: Sequence[int]) -> str:
        """A constant vector of whole numbers, as ONNX takes axes and sizes."""
        return self.constant(np.asarray(values, np.int64).reshape(len(values)))

    def size_of(self, value: str, axis: int) -> Size:
        """The size of a value along an axis, when the graph runs."""
        shape = self.add("Shape", [value])
        return Size(self, self.add("Gather", [shape, self.numbers([axis])], axis=0))

    def size(self, size: Any) -> str:
        """A size as a vector of length one."""
        if isinstance(size, int | np.integer):
            return self.numbers([int(size)])
        found = value_of(str(size), self.symbols, _FUNCTIONS)
        return found.name if isinstance(found, Size) else self.numbers([found])

    def shape(self, sizes: Sequence[Any]) -> str:
        """A shape as a vector."""
        if all(isinstance(n, int | np.integer) for n in sizes):
            return self.numbers(list(map(int, sizes)))
        return self.add("Concat", [self.size(n) for n in sizes], axis=0)

    def dtype(self, dtype: Any) -> int:
        """ONNX's number for a data type."""
        return self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))

    def described(self, name: str, shape: Sequence[Any] | None, dtype: Any) -> Any:
        """The description of an input or output."""
        sizes = None if shape is None else [n if isinstance(n, int) else str(n) for n in shape]
        return self.onnx.helper.make_tensor_value_info(name, self.dtype(dtype), sizes)

    def finished(self, name: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
        """The graph."""
        constants = self.constants if self.root is self else []
        return self.onnx.helper.make_graph(self.nodes, name, list(inputs), list(outputs), constants)


@dataclass(frozen=True)
class Size:
    """A whole number that is known when the graph runs, a vector of length one."""

    graph: Graph
    name: str

    def _with(self, kind: str, other: Any, *, first: bool = False, **attributes: Any) -> Size:
        value = other.name if isinstance(other, Size) else self.graph.numbers([other])
        pair = [value, self.name] if first else [self.name, value]
        return Size(self.graph, self.graph.add(kind, pair, **attributes))

    def __add__(self, other: Any) -> Size:
        return self._with("Add", other)

    def __sub__(self, other: Any) -> Size:
        return self._with("Sub", other)

    def __rsub__(self, other: Any) -> Size:
        return self._with("Sub", other, first=True)

    def __mul__(self, other: Any) -> Size:
        return self._with("Mul", other)

    def __pow__(self, power: int) -> Size:
        return self._with("Pow", power)

    __radd__, __rmul__ = __add__, __mul__


def _binary(kind: str) -> Any:
    def apply(a: Any, b: Any) -> Any:
        return a._with(kind, b) if isinstance(a, Size) else b._with(kind, a, first=True)

    return apply


def _floordiv(a: Any, b: Any) -> Any:
    """Rounds down; ONNX divides towards zero, and sizes are not negative."""
    return _binary("Div")(a, b)


_FUNCTIONS = {
    "floordiv": _floordiv,
    "mod": _binary("Mod"),
    "max": _binary("Max"),
    "min": _binary("Min"),
}
