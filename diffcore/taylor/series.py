"""Values in the algebra of a request: a number at the point, and its other coefficients.

A coefficient that is not there is exactly zero and costs nothing. A coefficient that is a NumPy
array is known while tracing, like the derivatives of the coordinates; NumPy keeps it so, and
zeros among them are recognized and dropped.
"""

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from diffcore.taylor.algebra import Algebra

Array = Any
Parts = dict[int, Array]
Value = Any  # an Array, or a Series


@jax.tree_util.register_pytree_node_class
@dataclass(frozen=True)
class Series:
    """u_0 = `primal` and the nonzero u_k = `parts[k]`, all of one shape."""

    primal: Array
    parts: Parts

    def tree_flatten(self) -> tuple[list[Array], tuple[int, ...]]:
        keys = tuple(sorted(self.parts))
        return [self.primal, *(self.parts[k] for k in keys)], keys

    @classmethod
    def tree_unflatten(cls, keys: tuple[int, ...], leaves: Any) -> "Series":
        primal, *parts = leaves
        return cls(primal, dict(zip(keys, parts, strict=True)))


def series(primal: Array, parts: Mapping[int, Array | None]) -> Value:
    """The value with these coefficients; a plain array if none of them can be nonzero."""
    shape = np.shape(primal)
    kept = {k: _broadcast(part, shape) for k, part in parts.items() if not _is_zero(part)}
    return Series(primal, kept) if kept else primal


def primal_of(value: Value) -> Array:
    """u_0."""
    return value.primal if isinstance(value, Series) else value


def parts_of(value: Value) -> Parts:
    """The coefficients of u - u_0."""
    return value.parts if isinstance(value, Series) else {}


def map_parts(function: Callable[[Array], Array], value: Value, primal: Array) -> Value:
    """The value with a linear function applied to the coefficients other than u_0."""
    return series(primal, {k: function(part) for k, part in parts_of(value).items()})


def dense(value: Value, keys: Collection[int]) -> Value:
    """The value with exactly these coefficients; those that are not there become zeros."""
    primal = primal_of(value)
    if not keys:
        return primal
    zero = jnp.zeros_like(primal)
    return Series(primal, {k: parts_of(value).get(k, zero) for k in keys})


def add(*values: Value) -> Value:
    """The sum of values."""
    total: Parts = {}
    for value in values:
        for k, part in parts_of(value).items():
            total[k] = _plus(total.get(k), part)
    return series(sum(map(primal_of, values[1:]), primal_of(values[0])), total)


def subtract(u: Value, v: Value) -> Value:
    """u - v."""
    difference = dict(parts_of(u))
    for k, part in parts_of(v).items():
        difference[k] = difference[k] - part if k in difference else -part
    return series(primal_of(u) - primal_of(v), difference)


def multiply(
    space: Algebra, u: Value, v: Value, times: Callable[[Array, Array], Array] = operator.mul
) -> Value:
    """The product by a bilinear `times`."""
    u0, v0, m, n = primal_of(u), primal_of(v), parts_of(u), parts_of(v)
    product: Parts = {k: times(u0, part) for k, part in n.items()}
    for k, part in m.items():
        product[k] = _plus(product.get(k), times(part, v0))
    if m and n:
        for k, part in _nilpotent_product(space, m, n, times).items():
            product[k] = _plus(product.get(k), part)
    return series(times(u0, v0), product)


def divide(space: Algebra, u: Value, v: Value) -> Value:
    """u / v, solving q v = u one coefficient after the other."""
    return solve_bilinear(
        space, u, v, lambda right: right / primal_of(v), lambda v_k, q_k: v_k * q_k
    )


def solve_bilinear(
    space: Algebra,
    right: Value,
    left: Value,
    solve: Callable[[Array], Array],
    times: Callable[[Array, Array], Array],
) -> Value:
    """The q with times(left, q) = right, where `solve` inverts times(left_0, ·).

    The product of two coefficients only reaches coefficients of higher degree, so the system
    is triangular in the order of the basis.
    """
    q0, m = solve(primal_of(right)), parts_of(left)
    quotient: Parts = {}
    for k in range(1, space.size):
        known = [times(m[k], q0)] if k in m else []
        rest = minus(parts_of(right).get(k), known)
        rest = minus(rest, product_terms(space, k, m, quotient, times))
        if rest is not None:
            quotient[k] = solve(rest)
    return series(q0, quotient)


def compose(space: Algebra, u: Value, taylor: Callable[[Array, int], list[Array]]) -> Value:
    """φ(u) elementwise, where taylor(x, n) gives φ^(k)(x) / k! for k = 0 ... n."""
    powers = list(nilpotent_powers(space, parts_of(u)))
    if not powers:
        return taylor(primal_of(u), 0)[0]
    coefficients = taylor(primal_of(u), len(powers))
    total: Parts = {}
    for coefficient, power in zip(coefficients[1:], powers, strict=True):
        for k, part in power.items():
            total[k] = _plus(total.get(k), coefficient * part)
    return series(coefficients[0], total)


def nilpotent_powers(space: Algebra, n: Parts) -> Iterator[Parts]:
    """n, n², n³, ... as long as they are not zero; even powers as squares, which are cheaper."""
    powers = [n]
    while powers[-1]:
        yield powers[-1]
        k = len(powers) + 1
        factors = (n, powers[-1]) if k % 2 else (powers[k // 2 - 1],) * 2
        product = _nilpotent_product(space, *factors, operator.mul)
        powers.append({k: part for k, part in product.items() if not _is_zero(part)})


def multiply_parts(space: Algebra, m: Parts, v: Value) -> Parts:
    """The coefficients of the product of v and a value without constant part."""
    product = {k: part * primal_of(v) for k, part in m.items()}
    for k, part in _nilpotent_product(space, m, parts_of(v), operator.mul).items():
        product[k] = _plus(product.get(k), part)
    return product


def _nilpotent_product(space: Algebra, m: Parts, n: Parts, times: Callable) -> Parts:
    product: Parts = {}
    for k in range(1, space.size):
        for term in product_terms(space, k, m, n, times):
            product[k] = _plus(product.get(k), term)
    return product


def product_terms(space: Algebra, k: int, m: Parts, n: Parts, times: Callable) -> Iterator[Array]:
    """The terms of the k-th coefficient of the product of m and n, without constant parts."""
    for i, j, c in space.products[k]:
        both = times(m[i], n[j]) if i in m and j in n else None
        if i != j and m is n and times is operator.mul:
            c = 2 * c
        elif i != j and j in m and i in n:
            both = _plus(both, times(m[j], n[i]))
        if both is not None:
            yield both if c == 1 else c * both


def _plus(a: Array | None, b: Array) -> Array:
    return b if a is None else a + b


def minus(a: Array | None, terms: Iterable[Array]) -> Array | None:
    """a - Σ terms, where None is zero."""
    for term in terms:
        a = -term if a is None else a - term
    return a


def _is_zero(part: Array | None) -> bool:
    return part is None or (isinstance(part, np.ndarray | np.generic) and not part.any())


def _broadcast(part: Array, shape: tuple[int, ...]) -> Array:
    if np.shape(part) == shape:
        return part
    return (np if isinstance(part, np.ndarray) else jnp).broadcast_to(part, shape)
