"""Rules of linear algebra: implicit equations, solved for one coefficient after the other.

A product of two coefficients only reaches coefficients of higher degree. So in A x = b or
L Lᴴ = A the k-th coefficient is the linearized problem at the point with a known right side.
"""

from typing import Any

import jax
import jax.numpy as jnp

from diffcore.taylor.algebra import Algebra
from diffcore.taylor.interpret import evaluate
from diffcore.taylor.registry import bind, rule
from diffcore.taylor.series import (
    Value,
    add,
    minus,
    parts_of,
    primal_of,
    product_terms,
    series,
    solve_bilinear,
    subtract,
)


@rule("triangular_solve")
def _triangular_solve(space: Algebra, values: list[Value], equation: Any) -> Value:
    a, b = values
    params = equation.params

    def times(a_k: Any, x: Any) -> Any:
        matrix = _strict_or_full(a_k, params["lower"], params["unit_diagonal"])
        matrix = jnp.swapaxes(matrix, -1, -2) if params["transpose_a"] else matrix
        matrix = jnp.conj(matrix) if params["conjugate_a"] else matrix
        return matrix @ x if params["left_side"] else x @ matrix

    return solve_bilinear(space, b, a, lambda right: bind(equation, primal_of(a), right), times)


def _strict_or_full(a: Any, lower: bool, unit_diagonal: bool) -> Any:
    return jnp.tril(a, -int(unit_diagonal)) if lower else jnp.triu(a, int(unit_diagonal))


@rule("cholesky")
def _cholesky(space: Algebra, values: list[Value], equation: Any) -> Value:
    (a,) = values
    factor, linearized = jax.linearize(lambda m: bind(equation, m), primal_of(a))
    parts: dict[int, Any] = {}
    for k in range(1, space.size):
        known = product_terms(space, k, parts, parts, lambda p, q: p @ jnp.conj(q.mT))
        if rest := minus(parts_of(a).get(k), list(known)):
            parts[k] = linearized(rest[0])
    return series(factor, parts)


@rule("custom_linear_solve")
def _linear_solve(space: Algebra, values: list[Value], equation: Any) -> list[Value]:
    """x of degree n from b - A x, evaluated with the coefficients of x of degree below n."""
    lengths, jaxprs = equation.params["const_lengths"], equation.params["jaxprs"]
    n = sum(lengths)
    constants, right = [primal_of(value) for value in values[:n]], values[n:]
    x = list(bind(equation, *constants, *map(primal_of, right)))
    for degree in range(1, space.order + 1):
        product = evaluate(space, jaxprs.matvec, [*values[: lengths.matvec], *x])
        residual = [parts_of(subtract(b, p)) for b, p in zip(right, product, strict=True)]
        keys = sorted({k for parts in residual for k in parts if space.degrees[k] == degree})
        for k in keys:
            zeros = [jnp.zeros_like(primal_of(value)) for value in x]
            known = [parts.get(k, zero) for parts, zero in zip(residual, zeros, strict=True)]
            step = bind(equation, *constants, *known)
            x = [add(u, series(z, {k: s})) for u, z, s in zip(x, zeros, step, strict=True)]
    return x
