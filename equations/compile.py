"""The residual compiler: where equations meet numbers.

A partial differential equation is a function on jet space: an expression in coordinates,
parameters and linear functionals of the unknown fields at the point. `compile_expressions` finds
those functionals and turns the expressions into one JAX function of their values. Any method that
supplies the values, a network by Taylor arithmetic, a finite element by its basis, can evaluate any
statement.

Terms that are linear in one field and differ by numeric factors are collected into one functional
(u_t - 0.01 u_xx is one number, not two; so is the Laplacian in k(x) (u_xx + u_yy)), which the
derivative engine propagates as one quantity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import sympy
from sympy.core.function import AppliedUndef
from sympy.printing.codeprinter import PrintMethodNotImplementedError

from .expressions import as_expression
from .functions import JAX_FUNCTIONS, printer
from .symbols import NormalComponent, Parameter

Orders = tuple[int, ...]


@dataclass(frozen=True)
class Functional:
    """A linear constant-coefficient differential operator of one field, at the point.

    `terms` holds pairs (orders, coefficient); orders count derivatives in the order of the field's
    own arguments."""

    field: AppliedUndef
    terms: tuple[tuple[Orders, complex], ...]

    @property
    def order(self) -> int:
        """The highest order of derivative in it."""
        return max(sum(orders) for orders, _ in self.terms)

    def expression(self) -> sympy.Expr:
        """The functional as a SymPy expression."""
        return sympy.Add(*(c * _derivative(self.field, orders) for orders, c in self.terms))


@dataclass(frozen=True)
class Compiled:
    """Expressions as one JAX function of coordinates, values of functionals and parameters."""

    expressions: tuple[sympy.Expr, ...]
    coordinates: tuple[sympy.Symbol, ...]
    functionals: tuple[Functional, ...]
    parameters: tuple[Parameter, ...]
    normals: tuple[NormalComponent, ...]
    _function: Any

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
            values: one array (...) for each of `functionals`.
            parameters: by name.
            normals: (..., d), where needed.

        Returns:
            one array (...) for each expression.
        """
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
        along = [normals[..., axes.index(n.axis)] for n in self.normals]  # type: ignore[index]
        numbers = [(parameters or {})[p.name] for p in self.parameters]
        results = self._function(*columns, *values, *numbers, *along)
        return [jnp.broadcast_to(jnp.asarray(r), points.shape[:-1]) for r in results]


def compile_expressions(
    expressions: Iterable[Any],
    coordinates: Sequence[sympy.Symbol],
    *,
    collapse: bool = True,
) -> Compiled:
    """The expressions as one JAX function; see `Compiled`.

    Arguments:
        expressions: scalar SymPy expressions in coordinates, parameters, fields, their derivatives
            and normal components.
        coordinates: the columns of the points.
        collapse: collect the terms of each expression that are linear in one field and proportional
            into one functional.

    Raises:
        ValueError for symbols that are neither coordinates nor parameters, and for fields taken
        elsewhere than at their coordinates, functions that JAX does not have.

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
    expanded = [expand(e) for e in expressions]
    coordinates = tuple(coordinates)
    for expression in expanded:
        require_compilable(expression, coordinates)
    planner = _Planner()
    reduced = [planner.reduce(e, collapse) for e in expanded]
    free = set().union(*(e.free_symbols for e in reduced)) - set(planner.symbols)
    parameters = tuple(sorted((s for s in free if isinstance(s, Parameter)), key=lambda s: s.name))
    normals = tuple(
        sorted((s for s in free if isinstance(s, NormalComponent)), key=lambda s: s.name)
    )
    arguments = [*coordinates, *planner.symbols, *parameters, *normals]
    function = lambdify(arguments, reduced, modules=[JAX_FUNCTIONS, "jax"], cse=True)
    return Compiled(
        tuple(expanded), coordinates, tuple(planner.functionals), parameters, normals, function
    )


def lambdify(arguments: Sequence[sympy.Symbol], expressions: Any, **options: Any) -> Any:
    """SymPy's `lambdify`, also for arguments that are named as functions, such as `exp`."""
    own = {a: sympy.Dummy(a.name, **a.assumptions0) for a in arguments}
    replaced = [e.xreplace(own) for e in expressions]
    return sympy.lambdify(list(own.values()), replaced, **options)


def expand(expression: Any) -> sympy.Expr:
    """A scalar expression with its divergences and derivatives carried out."""
    expression = as_expression(expression, "expressions").doit()
    if not isinstance(expression, sympy.Expr) or isinstance(expression, sympy.MatrixBase):
        raise TypeError(f"a scalar expression is needed; got {expression!r}.")
    return expression


class _Planner:
    """Collects the functionals that expressions need and replaces them by symbols."""

    def __init__(self) -> None:
        self.functionals: list[Functional] = []
        self.symbols: list[sympy.Dummy] = []

    def symbol(self, functional: Functional) -> sympy.Dummy:
        if functional not in self.functionals:
            self.functionals.append(functional)
            self.symbols.append(sympy.Dummy(f"value_{len(self.symbols)}"))
        return self.symbols[self.functionals.index(functional)]

    def reduce(self, expression: sympy.Expr, collapse: bool) -> sympy.Expr:
        """The expression with every functional replaced by its symbol."""
        atoms = jet_atoms(expression)
        stand_in = {atom: sympy.Dummy() for atom in atoms}
        inner = expression.xreplace(stand_in)
        back: dict[sympy.Expr, sympy.Expr] = {}
        if collapse:
            inner = self._collapse(inner, stand_in, back)
        for atom, dummy in stand_in.items():
            if dummy in inner.free_symbols:
                f, orders = field_and_orders(atom)
                back[dummy] = self.symbol(Functional(f, ((orders, 1),)))
        return inner.xreplace(back)

    def _collapse(self, inner, stand_in, back) -> sympy.Expr:
        """Replace sums `slope * (c1 d1 + c2 d2 + ...)` over atoms d of a field, with numeric c."""
        groups: list[tuple[AppliedUndef, sympy.Expr, list]] = []
        for atom, dummy in stand_in.items():
            slope = sympy.diff(inner, dummy)
            if slope == 0 or dummy in slope.free_symbols:
                continue
            f, orders = field_and_orders(atom)
            for other, factor, terms in groups:
                ratio = slope / factor
                if f == other and ratio.is_number:
                    terms.append((dummy, orders, _number(ratio)))
                    break
            else:
                groups.append((f, slope, [(dummy, orders, 1)]))
        for f, _, terms in groups:
            dummies = [dummy for dummy, _, _ in terms]
            factor = sympy.diff(inner, dummies[0])  # anew: it may hold sums replaced before
            if len(terms) < 2 or factor.free_symbols & set(dummies):
                continue
            whole = sympy.Dummy()
            inner = inner.subs(dict.fromkeys(dummies, 0)) + factor * whole
            back[whole] = self.symbol(Functional(f, tuple(sorted((o, c) for _, o, c in terms))))
        return inner


def _number(value: sympy.Expr) -> complex | float | int:
    number = complex(value)
    if number.imag:
        return number
    return int(number.real) if value.is_Integer else number.real


def jet_atoms(expression: sympy.Expr) -> list[sympy.Expr]:
    """Fields and derivatives of fields in it, outermost first (a derivative hides its field)."""
    found: dict[sympy.Expr, None] = {}
    walk = sympy.preorder_traversal(expression)
    for node in walk:
        if isinstance(node, sympy.Derivative | AppliedUndef):
            found[node] = None
            walk.skip()
        elif isinstance(node, sympy.Subs):
            raise ValueError(f"a derivative taken at a point, {node}, has no value in a residual.")
    return sorted(found, key=_order_of_atom)


def _order_of_atom(atom: sympy.Expr) -> tuple[int, str]:
    return (atom.derivative_count if isinstance(atom, sympy.Derivative) else 0, str(atom))


def field_and_orders(atom: sympy.Expr) -> tuple[AppliedUndef, Orders]:
    """The field of a jet atom and its derivative orders, in the order of the field's arguments.

    Raises:
        ValueError for derivatives of anything but a field, and fields taken elsewhere.
    """
    if isinstance(atom, AppliedUndef):
        f, counts = atom, {}
    else:
        f, counts = atom.expr, dict(atom.variable_count)
        if not isinstance(f, AppliedUndef):
            raise ValueError(f"{atom} is no derivative of a field; expand it by `.doit()`.")
    for argument in f.args:
        if not isinstance(argument, sympy.Symbol):
            raise ValueError(
                f"{f}: a field stands for its value at the point; taken at {argument} it is a "
                "condition or a term that this version cannot state."
            )
    return f, tuple(int(counts.get(a, 0)) for a in f.args)


def _derivative(f: AppliedUndef, orders: Orders) -> sympy.Expr:
    pairs = [(a, n) for a, n in zip(f.args, orders, strict=True) if n]
    return sympy.Derivative(f, *pairs) if pairs else f


def require_compilable(expression: sympy.Expr, coordinates: Sequence[sympy.Symbol]) -> None:
    """Refuse an expanded expression that cannot become numbers, saying what in it cannot.

    Raises:
        ValueError for symbols that are neither coordinates nor parameters, fields taken elsewhere
        than at their coordinates, functions that JAX does not have, and numbers not finite.
    """
    if expression.has(*_INFINITE):
        raise ValueError(
            f"{expression} holds a coefficient that is not finite. Look for a division by zero, "
            "as 1/(x - x), and for inf and nan among the numbers."
        )
    stand_in = {atom: sympy.Dummy() for atom in jet_atoms(expression)}
    for atom in stand_in:
        field_and_orders(atom)
    inner = expression.xreplace(stand_in)
    known = {*coordinates, *stand_in.values()}
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
    try:
        printer().doprint(inner)
    except PrintMethodNotImplementedError as error:
        name = str(error).splitlines()[0].rsplit(": ", 1)[-1].rsplit(".", 1)[-1].strip("'>")
        raise ValueError(
            f"{name} in {expression} cannot be computed here. Write it by functions that can."
        ) from error


_KNOWN = (Parameter, NormalComponent)
_INFINITE = (sympy.zoo, sympy.oo, -sympy.oo, sympy.nan)
