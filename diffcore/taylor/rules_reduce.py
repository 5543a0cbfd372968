"""Rules of reductions, cumulative operations and sorting."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from diffcore.taylor.algebra import Algebra
from diffcore.taylor.registry import bind, rule
from diffcore.taylor.rules_elementwise import logaddexp, maximum, minimum
from diffcore.taylor.series import Value, dense, map_parts, multiply, parts_of, primal_of


@rule("reduce_max", "reduce_min")
def _extremum(space: Algebra, values: list[Value], equation: Any) -> Value:
    """The derivatives at the extremum; their mean where there are several, as in JAX."""
    (x,), axes = values, equation.params["axes"]
    x0 = primal_of(x)
    extremum = bind(equation, x0)
    is_extreme = (x0 == jnp.expand_dims(extremum, axes)).astype(x0.dtype)
    weight = is_extreme / is_extreme.sum(axes, keepdims=True)
    return map_parts(lambda part: (weight * part).sum(axes), x, extremum)


@rule("reduce_window_max", "reduce_window_min")
def _pooled_extremum(space: Algebra, values: list[Value], equation: Any) -> Value:
    """The derivatives at the extremum of each window, as JAX chooses it."""
    pooled, move = jax.linearize(partial(bind, equation), primal_of(values[0]))
    return map_parts(lambda part: move(jnp.asarray(part)), values[0], pooled)


@rule("reduce_prod")
def _reduce_prod(space: Algebra, values: list[Value], equation: Any) -> Value:
    """Products of halves of the axis, so that a factor 0 needs no division."""
    value = values[0]
    for axis in sorted(equation.params["axes"], reverse=True):
        value = _product_along(space, value, axis)
    return value


def _product_along(space: Algebra, value: Value, axis: int) -> Value:
    n = primal_of(value).shape[axis]
    if n == 0:
        return jnp.prod(primal_of(value), axis)
    while n > 1:
        half = n // 2
        first, second = _take(value, axis, 0, half), _take(value, axis, half, 2 * half)
        rest = _take(value, axis, 2 * half, n)
        value = _join(multiply(space, first, second), rest, axis)
        n = n - half
    return _each(lambda x: jnp.squeeze(x, axis), value)


def _take(value: Value, axis: int, start: int, stop: int) -> Value:
    return _each(lambda x: lax.slice_in_dim(x, start, stop, axis=axis), value)


def _join(a: Value, b: Value, axis: int) -> Value:
    if primal_of(b).shape[axis] == 0:
        return a
    keys = {*parts_of(a), *parts_of(b)}
    join = lambda x, y: jnp.concatenate([x, y], axis)  # noqa: E731
    return jax.tree.map(join, dense(a, keys), dense(b, keys))


def _each(function: Callable[[Any], Any], value: Value) -> Value:
    return map_parts(function, value, function(primal_of(value)))


@rule("cumprod")
def _cumprod(space: Algebra, values: list[Value], equation: Any) -> Value:
    return _cumulative(space, values[0], equation, partial(multiply, space))


@rule("cumlogsumexp")
def _cumlogsumexp(space: Algebra, values: list[Value], equation: Any) -> Value:
    return _cumulative(space, values[0], equation, partial(logaddexp, space))


def _cumulative(space: Algebra, value: Value, equation: Any, combine: Callable) -> Value:
    keys = range(1, space.size)
    options = {name: equation.params[name] for name in ("axis", "reverse")}
    return lax.associative_scan(
        lambda a, b: dense(combine(a, b), keys), dense(value, keys), **options
    )


@rule("cummax")
def _cummax(space: Algebra, values: list[Value], equation: Any) -> Value:
    return _cumulative(space, values[0], equation, maximum)


@rule("cummin")
def _cummin(space: Algebra, values: list[Value], equation: Any) -> Value:
    return _cumulative(space, values[0], equation, minimum)


@rule("sort")
def _sort(space: Algebra, values: list[Value], equation: Any) -> list[Value]:
    """The coefficients move with the values."""
    axis = equation.params["dimension"]
    arrays = [primal_of(value) for value in values]
    places = lax.broadcasted_iota(jnp.int32, arrays[0].shape, axis)
    options = {name: equation.params[name] for name in ("dimension", "is_stable", "num_keys")}
    *ordered, places = lax.sort([*arrays, places], **options)
    move = lambda part: jnp.take_along_axis(jnp.asarray(part), places, axis)  # noqa: E731
    return [map_parts(move, value, array) for value, array in zip(values, ordered, strict=True)]


@rule("top_k")
def _top_k(space: Algebra, values: list[Value], equation: Any) -> list[Value]:
    (x,), axis = values, equation.params.get("axis", -1)
    largest, places = bind(equation, primal_of(x))
    move = lambda part: jnp.take_along_axis(jnp.asarray(part), places, axis)  # noqa: E731
    return [map_parts(move, x, largest), places]
