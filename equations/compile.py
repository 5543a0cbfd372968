"""The residual compiler: where equations meet numbers.

A partial differential equation is a function on jet space: an expression in coordinates,
parameters and linear functionals of the unknown fields. `compile_expressions` finds those
functionals and turns the expressions into one JAX function of their values. Any method that
supplies the values, a network by Taylor arithmetic, a finite element by its basis, can evaluate any
statement.

Terms that are linear in one field and differ by numeric factors are collected into one functional
(u_t - 0.01 u_xx is one number, not two; so is the Laplacian in k(x) (u_xx + u_yy)), which the
derivative engine propagates as one quantity. Integrals, delays and values at other points ask for
functionals at further points; `Compiled.values` puts these to the method as it puts those at the
points themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import sympy
from sympy.core.function import AppliedUndef
from sympy.printing.codeprinter import PrintMethodNotImplementedError

from .call import Call, with_stand_ins
from .elsewhere import canonical_fields, settle
from .functions import JAX_FUNCTIONS, printer
from .nonlocal_terms import outermost, parts
from .planner import (
    AXIS_SUM,
    Functional,
    Orders,
    Planner,
    Quadrature,
    expand,
    field_and_orders,
    jet_atoms,
    known_symbols,
)
from .symbols import NormalComponent, Parameter

__all__ = [
    "Compiled",
    "Functional",
    "Orders",
    "compile_expressions",
    "expand",
    "field_and_orders",
    "jet_atoms",
    "lambdify",
    "require_compilable",
]

Jets = Callable[[tuple[Functional, ...], jax.Array], Sequence[jax.Array]]


@dataclass(frozen=True)
class Compiled:
    """Expressions as one JAX function of coordinates, values of functionals and parameters."""

    expressions: tuple[sympy.Expr, ...]
    coordinates: tuple[sympy.Symbol, ...]
    functionals: tuple[Functional, ...]
    parameters: tuple[Parameter, ...]
    normals: tuple[NormalComponent, ...]
    _function: Any
    _places: Any = None  # the points of all functionals that are taken elsewhere
    _quadratures: tuple[Quadrature, ...] = ()
    _depth: int = 0  # axes of quadrature

    @property
    def local(self) -> tuple[Functional, ...]:
        """The functionals at the points themselves."""
        return tuple(f for f in self.functionals if f.place is None)

    @property
    def is_local(self) -> bool:
        """Whether all functionals are taken at the points themselves."""
        return not self._depth and len(self.local) == len(self.functionals)

    def values(
        self,
        jets: Jets,
        points: jax.Array,
        parameters: Mapping[str, Any] | None = None,
        normals: jax.Array | None = None,
        *,
        local: Sequence[jax.Array] | None = None,
    ) -> list[jax.Array]:
        """The values of `functionals`, from a method's `jets(functionals, points)`.

        Arguments:
            points: (n, d).
            local: the values at the points themselves, where they are known already.

        Returns:
            arrays (n,), for functionals elsewhere with axes for the points of quadrature.
        """
        plain, elsewhere = self.local, [f for f in self.functionals if f.place is not None]
        if local is None:
            local = jets(plain, points) if plain else []
        found = dict(zip(plain, local, strict=True))
        if elsewhere:
            places = dict.fromkeys(f.place for f in elsewhere)
            arguments = self._arguments(points, parameters, normals)
            for place, at in zip(places, self._places(*arguments), strict=True):
                own = [f for f in elsewhere if f.place == place]
                columns = jnp.broadcast_arrays(*(jnp.asarray(c, points.dtype) for c in at))
                flat = jnp.stack([c.reshape(-1) for c in columns], axis=-1)
                numbers = jets(tuple(replace(f, place=None) for f in own), flat)
                for f, value in zip(own, numbers, strict=True):
                    found[f] = jnp.reshape(value, columns[0].shape)
        return [found[f] for f in self.functionals]

    def __call__(
        self,
        points: jax.Array,
        values: Sequence[jax.Array],
        parameters: Mapping[str, Any] | None = None,
        normals: jax.Array | None = None,
    ) -> list[jax.Array]:
        """The expressions at `points`.

        Arguments:
            points: (..., d) in the order of `coordinates`.
            values: one array for each of `functionals`, (...) or as `values` gives them.
            parameters: by name.
            normals: (..., d), where needed.

        Returns:
            one array (...) for each expression.
        """
        batch = points.shape[:-1]
        numbers = [
            self._lift(v) if f.place is None else v
            for f, v in zip(self.functionals, values, strict=True)
        ]
        results = self._function(*self._arguments(points, parameters, normals), *numbers)
        shape = batch + (1,) * self._depth
        return [jnp.broadcast_to(jnp.asarray(r), shape).reshape(batch) for r in results]

    def _lift(self, value: Any) -> jax.Array:
        """An array over points, with axes for the points of quadrature."""
        value = jnp.asarray(value)
        return value.reshape(value.shape + (1,) * self._depth) if value.ndim else value

    def _arguments(self, points, parameters, normals) -> list[Any]:
        """What the compiled functions take in front of the values of functionals."""
        if self.normals and normals is None:
            raise ValueError(
                f"{', '.join(map(str, self.normals))}: the normal has a value on the boundary "
                "only; give the expression in a condition or integrate it over a part."
            )
        missing = [p.name for p in self.parameters if p.name not in (parameters or {})]
        if missing:
            raise ValueError(f"`parameters` lacks values for {', '.join(missing)}.")
        axes = [c.name for c in self.coordinates]
        columns = [points[..., i] for i in range(len(self.coordinates))]
        along = [normals[..., axes.index(n.axis)] for n in self.normals]
        given = [(parameters or {})[p.name] for p in self.parameters]
        spread = [
            jnp.asarray(a, points.dtype).reshape((-1,) + (1,) * (self._depth - q.depth - 1))
            for q in self._quadratures
            for a in q.arrays
        ]
        return [*map(self._lift, [*columns, *given, *along]), *spread]


def compile_expressions(
    expressions: Iterable[Any],
    coordinates: Sequence[sympy.Symbol],
    *,
    collapse: bool = True,
    domain: Any = None,
    fields: Iterable[AppliedUndef] = (),
) -> Compiled:
    """The expressions as one JAX function; see `Compiled`.

    Arguments:
        expressions: scalar SymPy expressions in coordinates, parameters, fields, their derivatives,
            integrals, and normal components.
        coordinates: the columns of the points.
        collapse: collect the terms of each expression that are linear in one field and proportional
            into one functional.
        domain: where integrals over named parts are taken.
        fields: the fields with their coordinates, where the expressions hold them only elsewhere.

    Raises:
        ValueError for symbols that are neither coordinates nor parameters, and functions that JAX
        does not have.

    Example:
        >>> from equations import coordinates, diff, field
        >>> x, t = coordinates("x t")
        >>> u = field("u", x, t)
        >>> burgers = compile_expressions([diff(u, t) + u * diff(u, x) - diff(u, x, 2) / 8], (x, t))
        >>> for functional in burgers.functionals:
        ...     print(functional.expression())
        Derivative(u(x, t), t) - 0.125*Derivative(u(x, t), (x, 2))
        u(x, t)
        Derivative(u(x, t), x)
    """
    coordinates, given = tuple(coordinates), list(expressions)
    canonical = canonical_fields([*fields, *map(sympy.sympify, given)], coordinates)
    expanded = [settle(expand(e), canonical, coordinates) for e in given]
    for expression in expanded:
        require_compilable(expression, coordinates)
    planner = Planner(coordinates, domain, collapse)
    reduced = [planner.reduce(e) for e in expanded]
    functionals = tuple(planner.functionals)
    places = list(dict.fromkeys(f.place for f in functionals if f.place is not None))
    quadratures = tuple(planner.quadratures.values())
    parameters, normals = known_symbols([*reduced, *(e for place in places for e in place)])
    parameters = tuple(p for p in parameters if p not in coordinates)  # those of a family
    inputs = [*coordinates, *parameters, *normals, *(s for q in quadratures for s in q.symbols)]
    summation = {AXIS_SUM: partial(_sum_axis, planner.depth)}
    modules = [{**JAX_FUNCTIONS, **summation}, "jax"]
    make = partial(lambdify, modules=modules, cse=True)
    return Compiled(
        tuple(expanded),
        coordinates,
        functionals,
        parameters,
        normals,
        make([*inputs, *planner.functionals.values()], reduced),
        make(inputs, places) if places else None,
        quadratures,
        planner.depth,
    )


def _sum_axis(axes: int, depth: Any, values: jax.Array) -> jax.Array:
    """The sum over one axis of quadrature, the last `axes` of the array."""
    return jnp.sum(values, axis=int(depth) - axes, keepdims=True)


def lambdify(
    arguments: Sequence[sympy.Symbol], expressions: Any, *, modules: Sequence[Any], **options: Any
) -> Any:
    """SymPy's `lambdify`, also for arguments that are named as functions, such as `exp`, and for
    expressions that hold functions of the user's."""
    own = {a: sympy.Symbol(f"argument_{i}", **a.assumptions0) for i, a in enumerate(arguments)}
    functions: dict[str, Callable] = {}

    def renamed(e: Any) -> Any:
        if isinstance(e, tuple):
            return tuple(map(renamed, e))
        return with_stand_ins(e.xreplace(own), functions)

    inner = [renamed(e) for e in expressions]
    return sympy.lambdify(list(own.values()), inner, modules=[functions, *modules], **options)


def require_compilable(
    expression: sympy.Expr,
    coordinates: Sequence[sympy.Symbol],
    bound: tuple[sympy.Symbol, ...] = (),
) -> None:
    """Refuse an expanded expression that cannot become numbers, saying what in it cannot.

    Raises:
        ValueError for symbols that are neither coordinates nor parameters nor `bound` by an
        integral, fields taken at no place, functions that JAX does not have, and numbers not
        finite.
    """
    nodes = outermost(expression)
    for node in nodes:
        for inner, more in parts(node):
            require_compilable(inner, coordinates, (*bound, *more))
    inner = expression.xreplace({node: sympy.Dummy() for node in nodes}) if nodes else expression
    if inner.has(*_INFINITE):
        raise ValueError(
            f"{expression} holds a coefficient that is not finite. Look for a division by zero, "
            "as 1/(x - x), and for inf and nan among the numbers."
        )
    stand_in = {atom: sympy.Dummy() for atom in jet_atoms(inner)}
    for atom in stand_in:
        field_and_orders(atom)
    inner = inner.xreplace(stand_in)
    known = {*coordinates, *bound}
    strangers = [s for s in inner.free_symbols - known if not isinstance(s, _KNOWN)]
    namesakes = [s for s in strangers if s.name in {c.name for c in coordinates}]
    if namesakes:
        raise ValueError(
            f"{namesakes[0]}: another symbol than the coordinate of that name (SymPy compares "
            "their assumptions too). Make it once, by `coordinates(...)`, and use it throughout."
        )
    if strangers:
        names = ", ".join(sorted(s.name for s in strangers))
        raise ValueError(
            f"{names}: neither a coordinate ({', '.join(map(str, coordinates))}) nor a parameter. "
            "Give it a number, or make it by `parameter(...)`."
        )
    if all(isinstance(node, _ARITHMETIC) for node in sympy.preorder_traversal(inner)):
        return
    try:
        printer().doprint(
            inner.replace(lambda e: isinstance(e, Call), lambda e: sympy.Add(*e.values))
        )
    except PrintMethodNotImplementedError as error:
        name = str(error).splitlines()[0].rsplit(": ", 1)[-1].rsplit(".", 1)[-1].strip("'>")
        raise ValueError(
            f"{name} in {expression} cannot be computed here. Write it by functions that can."
        ) from error


_ARITHMETIC = (sympy.Add, sympy.Mul, sympy.Pow, sympy.Symbol, sympy.Number)
_KNOWN = (Parameter, NormalComponent, sympy.Dummy)
_INFINITE = (sympy.zoo, sympy.oo, -sympy.oo, sympy.nan)
