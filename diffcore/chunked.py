"""Batches of points in chunks that fit the cache.

A step on all points at once allocates and streams its intermediate values through main memory.
A scan over chunks of a few hundred points reuses one small buffer: two to three times faster on
CPU, and the memory does not grow with the number of points.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend import core

from diffcore._inputs import as_count
from diffcore.functional import _value_and_grad


def map_points(f: Callable[[Any], Any], points: Any, *, chunk: int | None = None) -> Any:
    """f(points), evaluated chunk after chunk, so that memory does not grow with the points.

    Arguments:
        f: takes points (a pytree of arrays with one leading axis) and returns a pytree of arrays
            with the same leading axis; each result depends on its own point only.
        points: the pytree of arrays.
        chunk: points in a chunk; by default `chunk_size(f, points)`.

    Raises:
        ValueError: arrays of different lengths; a chunk below 1; a result without the points' axis.

    Notes:
        Differentiated in reverse, each chunk is evaluated again instead of stored.

    Example:
        >>> import jax.numpy as jnp
        >>> map_points(lambda x: x**2, jnp.arange(5.0), chunk=2).tolist()
        [0.0, 1.0, 4.0, 9.0, 16.0]
    """
    n = _length(points)
    size = chunk_size(f, points) if chunk is None else as_count("map_points", "chunk", chunk)

    def checked(part: Any) -> Any:
        values = f(part)
        _check_results(values, _length(part))
        return values

    if size >= n:
        return checked(points)
    n_chunks = -(-n // size)
    missing = -(-n // n_chunks) * n_chunks - n
    filled = jax.tree.map(lambda x: jnp.concatenate([x, x[:missing]]) if missing else x, points)
    values = lax.map(jax.checkpoint(checked), _split(filled, n_chunks))
    return jax.tree.map(lambda v: v.reshape(-1, *v.shape[2:])[:n], values)


def sum_value_and_grad(
    f: Callable[..., Any], *, has_aux: bool = False, chunk: int | None = None
) -> Callable[..., Any]:
    """The function (parameters, points) ↦ (f, ∂f/∂parameters) of a sum f over points.

    Value and gradient are accumulated over chunks of points in one scan, so the memory of the
    step is that of a chunk.

    Arguments:
        f: f(parameters, points) is a scalar, the sum over the points (a pytree of arrays with one
            leading axis) of what each contributes; with `has_aux` a pair of it and a pytree of
            further sums.
        has_aux: whether f returns such a pair; the value is then the pair.
        chunk: points in a chunk; by default `chunk_size` of f.

    Raises:
        ValueError: arrays of different lengths; a chunk below 1.
        TypeError: a chunk that is no int; integer parameters; an f that returns no real scalar.

    Notes:
        The gradient with respect to complex parameters is that of `value_and_grad`, the direction
        of steepest ascent, the conjugate of that of `jax.grad`. A number of points that no
        suitable chunk divides costs a second compilation for the rest.

    Example:
        >>> import jax.numpy as jnp
        >>> square = sum_value_and_grad(lambda a, x: jnp.sum((a * x) ** 2), chunk=2)
        >>> value, gradient = square(3.0, jnp.arange(5.0))
        >>> float(value), float(gradient)
        (270.0, 180.0)
    """
    name = "sum_value_and_grad"
    size_given = None if chunk is None else as_count(name, "chunk", chunk)
    differentiate = _value_and_grad(name, f, 0, has_aux, holomorphic=False)

    def value_and_grad(parameters: Any, points: Any) -> tuple[Any, Any]:
        n = _length(points)
        size = size_given or chunk_size(partial(f, parameters), points)
        if size >= n:
            return differentiate(parameters, points)
        size = _divisor_near(n, size) or size
        n_chunks, rest = divmod(n, size)

        def accumulate(total: Any, part: Any) -> tuple[Any, None]:
            return jax.tree.map(jnp.add, total, differentiate(parameters, part)), None

        # Starting from the rest, or from zeros of the right types.
        if rest:
            tail = jax.tree.map(lambda x: x[n - rest :], points)
            start = differentiate(parameters, tail)
        else:
            first = jax.tree.map(lambda x: x[:size], points)
            shapes = jax.eval_shape(differentiate, parameters, first)
            start = jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), shapes)
        whole = jax.tree.map(lambda x: x[: n - rest], points)
        return lax.scan(accumulate, start, _split(whole, n_chunks))[0]

    return value_and_grad


def chunk_size(f: Callable[[Any], Any], points: Any) -> int:
    """The number of points whose matrix products, stored for a gradient, fill the cache.

    A model: the arrays that XLA keeps between its fused loops are the results of matrix products
    and the like, which a trace of f counts; with what else a gradient stores they take about 2.4
    times as much. On a CPU the step is fastest, and flat within 5 %, while all of it takes 1 to 6
    MB; an accelerator needs many points at once to be busy.
    """
    n = min(_length(points) or _SAMPLE, _SAMPLE)
    sample = jax.tree.map(lambda x: jax.ShapeDtypeStruct((n, *x.shape[1:]), x.dtype), points)
    jaxpr = jax.make_jaxpr(f)(sample).jaxpr
    stored = _stored(jaxpr, n) + sum(_bytes(v.aval) for v in jaxpr.outvars)
    budget = 2**21 if jax.default_backend() == "cpu" else 2**28
    exponent = round(np.log2(budget * n / max(stored, 1)))
    return int(2 ** np.clip(exponent, 4, 20))


_SAMPLE = 37  # an axis of this length is one of points
_FUSED = {"broadcast_in_dim", "convert_element_type", "reshape", "select_n", "slice", "squeeze"}


def _stored(jaxpr: core.Jaxpr, n: int) -> int:
    """Bytes of the results for n points that do not end in a fused elementwise loop."""
    total = 0
    for equation in jaxpr.eqns:
        inner = list(core.jaxprs_in_params(equation.params))
        if inner:
            total += max(_stored(each, n) for each in inner)
        elif not _is_elementwise(equation):
            total += sum(_bytes(v.aval) for v in equation.outvars if n in _shape(v))
    return total


def _is_elementwise(equation: Any) -> bool:
    shapes = {_shape(v) for v in equation.outvars} | {()}
    return equation.primitive.name in _FUSED or all(_shape(v) in shapes for v in equation.invars)


def _shape(variable: Any) -> tuple[int, ...]:
    return getattr(variable.aval, "shape", ())


def _bytes(aval: Any) -> int:
    return int(np.prod(aval.shape)) * np.dtype(aval.dtype).itemsize


def _length(points: Any) -> int:
    lengths = {np.shape(x)[0] if np.ndim(x) else -1 for x in jax.tree.leaves(points)}
    if len(lengths) != 1 or -1 in lengths:
        raise ValueError(
            "`points` must be arrays with one leading axis of the same length; got shapes "
            f"{[np.shape(x) for x in jax.tree.leaves(points)]}."
        )
    return lengths.pop()


def _check_results(values: Any, n: int) -> None:
    shapes = [np.shape(v) for v in jax.tree.leaves(values)]
    if any(shape[:1] != (n,) for shape in shapes):
        raise ValueError(
            f"`map_points` needs f to return one result for each point, along the leading axis; "
            f"for {n} points it returned shapes {shapes}. For a sum over points, use "
            "`sum_value_and_grad`."
        )


def _divisor_near(n: int, size: int) -> int | None:
    """The divisor of n nearest to size within a factor of two, if there is one."""
    divisors = [m for m in range(-(-size // 2), 2 * size + 1) if n % m == 0]
    return min(divisors, key=lambda m: max(m / size, size / m), default=None)


def _split(points: Any, n_chunks: int) -> Any:
    return jax.tree.map(lambda x: x.reshape(n_chunks, len(x) // n_chunks, *x.shape[1:]), points)
