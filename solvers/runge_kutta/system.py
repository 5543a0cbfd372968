"""A statement in one coordinate as a system of first order, y' = f(t, y), with its start.

The state holds each field and its derivatives up to one below the highest. The highest derivatives
enter the equations linearly, as `mass @ highest + rest = 0`, so that f is one small linear system
for each evaluation; the start comes from the initial conditions in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import sympy

from equations import Problem, structure
from equations.structure import Jet

STARTS = ("initial", "left")  # the part at which the coordinate begins


@dataclass(frozen=True, eq=False)
class System:
    """The statement as y' = f(t, y). `orders[i]` is the highest order of derivative of field i."""

    problem: Problem

    @cached_property
    def orders(self) -> tuple[int, ...]:
        return orders(self.problem)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Where the components of each field start in the state; its length at the end."""
        return tuple(int(n) for n in np.cumsum([0, *self.orders]))

    @property
    def size(self) -> int:
        """The number of components of the state."""
        return self.offsets[-1]

    @cached_property
    def is_complex(self) -> bool:
        statements = [*self.problem.equations, *(c.equation for c in self.problem.conditions)]
        fields = self.problem.fields
        return any(not f.is_real for f in fields) or any(s.has(sympy.I) for s in statements)

    @property
    def dtype(self) -> Any:
        return jnp.complex128 if self.is_complex else jnp.float64

    @cached_property
    def _equations(self) -> Any:
        return self.problem.compile(self.problem.residuals)

    @cached_property
    def _conditions(self) -> Any:
        return self.problem.compile(initial_residuals(self.problem))

    def rate(self, t: jax.Array, state: jax.Array) -> jax.Array:
        """f(t, y), (size,)."""
        highest = _root(lambda a: self._residuals(self._equations, t, state, a), self._n, state)
        pieces = []
        for i, (start, end) in enumerate(self._spans):
            pieces += [state[start + 1 : end], highest[i : i + 1]]
        return jnp.concatenate(pieces)

    def start(self) -> jax.Array:
        """The state where the coordinate begins."""
        t, nothing = jnp.asarray(span(self.problem)[0]), jnp.zeros(self._n, self.dtype)
        residuals = lambda y: self._residuals(self._conditions, t, y, nothing)  # noqa: E731
        return _root(residuals, self.size, jnp.zeros(self.size, self.dtype))

    def rates(self, order: int) -> Callable:
        """The derivative of that order along solutions, as a function of (t, y): the chain rule
        applied to f again and again."""
        found = lambda t, y: y  # noqa: E731
        for _ in range(order):
            found = self._along(found)
        return found

    def _along(self, function: Callable) -> Callable:
        def derivative(t, y):
            return jax.jvp(function, (t, y), (jnp.ones_like(t), self.rate(t, y)))[1]

        return derivative

    @property
    def _n(self) -> int:
        return len(self.problem.fields)

    @property
    def _spans(self) -> list[tuple[int, int]]:
        return list(zip(self.offsets[:-1], self.offsets[1:], strict=True))

    def _residuals(self, compiled: Any, t: Any, state: Any, highest: Any) -> jax.Array:
        def jet(field: Any, order: int) -> Any:
            i = self.problem.fields.index(field)
            return highest[i] if order == self.orders[i] else state[self.offsets[i] + order]

        values = [sum(c * jet(f.field, o) for (o,), c in f.terms) for f in compiled.functionals]
        return jnp.stack(compiled(t[None], values)).astype(self.dtype)


def _root(function: Callable, n: int, like: jax.Array) -> jax.Array:
    """Where an affine function of n numbers vanishes."""
    zero = jnp.zeros(n, like.dtype)
    rest, along = jax.linearize(function, zero)
    columns = jax.vmap(along)(jnp.eye(n, dtype=like.dtype))
    return jnp.linalg.solve(columns.T, -rest)


def span(problem: Problem) -> tuple[float, float]:
    """Where the coordinate begins and ends."""
    lower, upper = problem.domain.bounds
    return float(lower[0]), float(upper[0])


def orders(problem: Problem) -> tuple[int, ...]:
    """The highest order of derivative of each field."""
    found = structure.orders(problem)
    return tuple(sum(found[f].values()) for f in problem.fields)


def initial_residuals(problem: Problem) -> list[sympy.Expr]:
    """Left minus right of each initial condition."""
    return [r for c in problem.conditions for r in c.equation.residuals]


def reasons_against(problem: Problem) -> Iterator[str]:
    """Why the statement is no initial-value problem in one coordinate."""
    if len(problem.coordinates) != 1:
        axes = ", ".join(map(str, problem.coordinates))
        yield f"it steps along one coordinate; the domain has {axes}"
        return
    if len(problem.domain.regions):
        yield "the domain has regions, and it knows one law"
    if problem.parameters:
        names = ", ".join(p.name for p in problem.parameters)
        yield f"the parameters {names} have no value: give numbers"
    if problem.data:
        yield "it does not fit measured data"
    elsewhere = [c.label for c in problem.conditions if c.label not in STARTS]
    if elsewhere:
        yield f"conditions at {', '.join(elsewhere)}: it knows those where the coordinate begins"
    statements = [*problem.residuals, *initial_residuals(problem)]
    if any(j.place is not None for j in structure.all_jets(statements)):
        yield "fields are taken at other points than the current one (delay, memory, integral)"
        return
    yield from _against_equations(problem)
    yield from _against_start(problem)


def _against_equations(problem: Problem) -> Iterator[str]:
    algebraic = [str(f) for f, n in zip(problem.fields, orders(problem), strict=True) if n == 0]
    if algebraic:
        yield f"the equations hold no derivative of {', '.join(algebraic)}"
        return
    if len(problem.residuals) != len(problem.fields):
        yield f"{len(problem.residuals)} equations for {len(problem.fields)} unknowns"
        return
    highest = [Jet(f, (n,)) for f, n in zip(problem.fields, orders(problem), strict=True)]
    if not _are_linear(problem.residuals, highest):
        yield "the highest derivatives enter nonlinearly: solve the equations for them"
    elif _is_singular(_slopes(problem.residuals, highest)):
        yield "the equations do not determine all highest derivatives"


def _against_start(problem: Problem) -> Iterator[str]:
    residuals = initial_residuals(problem)
    fields = zip(problem.fields, orders(problem), strict=True)
    states = [Jet(f, (k,)) for f, n in fields for k in range(n)]
    if any(j not in states for j in structure.all_jets(residuals)):
        yield "initial conditions hold derivatives as high as those of the equations"
    elif len(residuals) != len(states):
        yield f"{len(residuals)} initial conditions for {len(states)} initial values"
    elif not _are_linear(residuals, states):
        yield "an initial condition is nonlinear in the fields: give their values"
    else:
        begin = {problem.coordinates[0]: span(problem)[0]}
        if _is_singular(_slopes(residuals, states).subs(begin)):
            yield "the initial conditions do not determine all initial values"


def _are_linear(residuals: Sequence[sympy.Expr], jets: Sequence[Jet]) -> bool:
    for held in map(structure.jet_expression, residuals):
        own = [j for j in jets if j in held.symbols]
        symbols = {held.symbols[j] for j in own}
        if any(held.slope(j).free_symbols & symbols for j in own):
            return False
    return True


def _slopes(residuals: Sequence[sympy.Expr], jets: Sequence[Jet]) -> sympy.Matrix:
    held = [structure.jet_expression(r) for r in residuals]
    return sympy.Matrix([[h.slope(j) if j in h.symbols else 0 for j in jets] for h in held])


def _is_singular(matrix: sympy.Matrix) -> bool:
    """Whether a square matrix of numbers is singular; one that varies is taken to be regular."""
    if any(entry.free_symbols for entry in matrix):
        return False
    numbers = np.array(matrix.evalf(), dtype=complex)
    return np.linalg.matrix_rank(numbers) < len(numbers)
