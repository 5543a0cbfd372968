"""Nested forward mode on the polynomial lift: any function of series, slowly.

U(ε) = Σ u_k e_k(ε) with the dual basis e_k has b_k(∂) U(0) = u_k, and so, for any function g,
b_k(∂) [g(U(ε))] at ε = 0 is the k-th coefficient of g(u). JAX differentiates g as it likes:
custom derivative rules are honored.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from typing import Any

import jax
import jax.numpy as jnp

from diffcore.taylor.algebra import Algebra, Orders
from diffcore.taylor.series import Array, Series, Value, parts_of, primal_of, series


def nested_forward(space: Algebra, function: Callable[..., Any], values: Sequence[Value]) -> Any:
    """The values of function(*values), an array or a list of arrays, by nested `jax.jvp`."""
    primal, tree = jax.tree.flatten(function(*map(primal_of, values)))
    smooth = [i for i, leaf in enumerate(primal) if jnp.issubdtype(leaf.dtype, jnp.inexact)]

    def lifted(*epsilon: Array) -> list[Array]:
        leaves = jax.tree.leaves(function(*[_lift(space, value, epsilon) for value in values]))
        return [leaves[i] for i in smooth]

    origin = [jnp.zeros((), _real_dtype(values))] * len(space.seeds[0])
    orders = {alpha for b in space.basis[1:] for alpha, _ in b}
    derivatives = {alpha: _derivative(lifted, alpha)(*origin) for alpha in orders}
    for position, i in enumerate(smooth):
        parts = [
            sum(c * derivatives[alpha][position] for alpha, c in b if any(alpha))
            + sum(c * primal[i] for alpha, c in b if not any(alpha))
            for b in space.basis[1:]
        ]
        primal[i] = series(primal[i], dict(enumerate(parts, start=1)))
    return jax.tree.unflatten(tree, primal)


def _lift(space: Algebra, value: Value, epsilon: tuple[Array, ...]) -> Array:
    lifted = primal_of(value)
    for k, part in parts_of(value).items():
        lifted = lifted + sum(
            c * prod(e**n for e, n in zip(epsilon, alpha, strict=True) if n)
            for alpha, c in space.dual[k]
        ) * jnp.asarray(part)
    return lifted.astype(primal_of(value).dtype) if isinstance(value, Series) else lifted


def _derivative(function: Callable[..., Any], orders: Orders) -> Callable[..., Any]:
    directions = [i for i, n in enumerate(orders) for _ in range(n)]
    return reduce(_partial, directions, function)


def _partial(function: Callable[..., Any], i: int) -> Callable[..., Any]:
    def derivative(*x: Array) -> Any:
        return jax.jvp(lambda x_i: function(*x[:i], x_i, *x[i + 1 :]), (x[i],), (x[i] * 0 + 1,))[1]

    return derivative


def _real_dtype(values: Sequence[Value]) -> Any:
    return next(v.primal.real.dtype for v in values if isinstance(v, Series))
