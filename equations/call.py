"""`call`: any JAX function, or a trained network, inside an equation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import sympy

import diffcore

from .expressions import as_expression
from .symbols import identifier


@dataclass(frozen=True)
class Component:
    """One number out of the values of a function of a point."""

    function: Callable
    index: int = 0

    def __hash__(self):
        try:
            return hash((self.function, self.index))
        except TypeError:  # a network holds arrays, and is equal to itself alone
            return hash((id(self.function), self.index))

    def __eq__(self, other):
        if not isinstance(other, Component) or self.index != other.index:
            return False
        try:
            hash(self.function)
        except TypeError:
            return self.function is other.function
        return bool(self.function == other.function)

    def __call__(self, point):
        return jnp.ravel(self.function(point))[self.index]


class Given(sympy.Atom):
    """A function of a point as a leaf of a SymPy tree."""

    function: Component
    name: str

    def __new__(cls, function, name):
        self = sympy.Atom.__new__(cls)
        self.function, self.name = function, name
        return self

    def __getnewargs__(self):
        return (self.function, self.name)

    def _hashable_content(self):
        return (self.function, self.name)

    def compare(self, other):
        """SymPy's order of factors, in which a function itself has no place."""
        if not isinstance(other, Given) or self == other:
            return 0 if self == other else super().compare(other)
        mine, theirs = ((g.name, g.function.index, hash(g.function)) for g in (self, other))
        return (mine > theirs) - (mine < theirs)

    def doit(self, **hints):
        """A leaf is itself."""
        return self

    def _sympystr(self, printer):
        return self.name


class Call(sympy.Expr):
    """A function, or a derivative of it, at values: `Call(function, orders, *values)`."""

    is_commutative = True
    is_real = True

    def __new__(cls, function, orders, *values):
        return sympy.Expr.__new__(cls, function, sympy.Tuple(*orders), *values)

    @property
    def values(self) -> tuple[sympy.Expr, ...]:
        """The arguments of the function."""
        return self.args[2:]

    def _eval_derivative(self, symbol):
        function, orders, *values = self.args
        terms = []
        for i, value in enumerate(values):
            slope = sympy.diff(value, symbol)
            if slope != 0:
                raised = [n + (i == j) for j, n in enumerate(orders)]
                terms.append(Call(function, raised, *values) * slope)
        return sympy.Add(*terms)

    def rewritten(self, rewriting):
        """The same in other units: the function takes numbers in its own."""
        function, orders, *values = self.args
        return Call(function, orders, *map(rewriting, values))

    def numbers(self, *values: Any) -> Any:
        """The function at arrays of numbers that broadcast against each other; NumPy in, NumPy
        out."""
        if not any(isinstance(v, jax.Array) for v in values):
            with diffcore.precision("float64"):
                return np.asarray(self.numbers(*map(jnp.asarray, values)))
        orders = tuple(int(n) for n in self.args[1])
        columns = jnp.broadcast_arrays(*map(jnp.asarray, values))
        kind = jnp.result_type(*columns, float)
        points = jnp.stack([c.astype(kind) for c in columns], axis=-1)
        function = self.args[0].function

        def at(point):
            if any(orders):
                return jnp.reshape(diffcore.partials(function, [orders])(point)[orders], ())
            return jnp.reshape(function(point), ())

        return jax.vmap(at)(points.reshape(-1, points.shape[-1])).reshape(points.shape[:-1])

    def _sympystr(self, printer) -> str:
        function, orders, *values = self.args
        marks = "".join(f"_{i + 1}" * int(n) for i, n in enumerate(orders))
        prefix = f"d{marks} " if marks else ""
        return f"{prefix}{function.name}({', '.join(map(printer.doprint, values))})"

    def _latex(self, printer) -> str:
        function, orders, *values = self.args
        name = rf"\operatorname{{{function.name}}}".replace("_", r"\_")
        if any(orders):
            name = f"{name}^{{({', '.join(map(str, orders))})}}"
        return rf"{name}\left({', '.join(map(printer.doprint, values))}\right)"


def call(function: Callable, *arguments: Any, name: str | None = None, component: int = 0) -> Call:
    """A JAX function or a trained network, as an expression: `call(net, x, u)`.

    Arguments:
        function: of a point (k,) that holds the k arguments, in `jax.numpy`, with a number as its
            value, or a vector.
        arguments: expressions; they may hold fields, so that a learned material law is
            `call(law, grad(u)[0])`.
        name: how it prints; the function's own name by default.
        component: which of the components of a vector.

    Notes:
        Derivatives are taken by the derivative engine, of any order. The expression holds the
        function itself: saved statements cannot hold one that is not public.

    Example:
        >>> import jax.numpy as jnp
        >>> from equations import coordinates, diff, field
        >>> x = coordinates("x")
        >>> u = field("u", x)
        >>> diff(call(lambda p: jnp.tanh(p[0]), u, name="f"), x)
        d_1 f(u(x))*Derivative(u(x), x)
    """
    if not callable(function):
        raise TypeError(f"`call` needs a function of a point; got {function!r:.60}.")
    if not arguments:
        raise ValueError("`call` needs the expressions at which the function is taken.")
    values = [as_expression(a, "call") for a in arguments]
    if name is None:
        own = getattr(function, "__name__", type(function).__name__)
        name = own if own.isidentifier() else "f"
    identifier(name, "a function")
    values = [v for a in values for v in (a if isinstance(a, sympy.MatrixBase) else (a,))]
    given = Given(Component(function, component), name)
    return Call(given, (0,) * len(values), *values)


def with_stand_ins(expression: sympy.Expr, functions: dict[str, Callable]) -> sympy.Expr:
    """The expression with calls replaced by applied functions, which are added to `functions` by
    name."""

    def stand_in(node: Call) -> sympy.Expr:
        key = f"given_{len(functions)}"
        functions[key] = node.numbers
        return sympy.Function(key)(*node.values)

    if not expression.has(Call):
        return expression
    return expression.replace(lambda n: isinstance(n, Call), stand_in)
