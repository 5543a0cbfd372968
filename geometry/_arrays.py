"""Array helpers shared by the geometry package.

Functions of points are written once for both array libraries: `namespace(points)` is `jax.numpy`
for JAX arrays and tracers and `numpy` otherwise. So a query outside a trace costs no compilation
and runs in the data type of its input, and the same code is differentiable inside a trace.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from diffcore.precision import precision


def namespace(*arrays: Any) -> Any:
    """Returns the array module that the given arrays belong to."""
    return jnp if any(isinstance(a, jax.Array) for a in arrays) else np


def as_points(points: Any, dimension: int) -> Any:
    """Returns `points` as a floating-point array with a last axis of length `dimension`."""
    if not isinstance(points, jax.Array):
        points = np.asarray(points)
        if not np.issubdtype(points.dtype, np.floating):
            points = _as_float(points)
    if points.ndim == 0 or points.shape[-1] != dimension:
        raise ValueError(
            f"`points` needs a last axis with one entry for each of the {dimension} coordinates; "
            f"got an array of shape {points.shape}. One point is a list of {dimension} numbers."
        )
    return points


def _as_float(points: np.ndarray) -> np.ndarray:
    try:
        if points.dtype.kind in "USc":
            raise TypeError
        return points.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"`points` needs real numbers; got an array of type {points.dtype}."
        ) from error


def nearest_index(tree: Any, points: np.ndarray) -> np.ndarray:
    """Returns the number of the entry of a k-d tree nearest to each point: any one for points that
    are not finite, or so far away that their distance is not."""
    return np.minimum(tree.query(np.nan_to_num(points))[1], tree.n - 1)


def query(method: Any) -> Any:
    """Wraps a method of points so that lists and NumPy arrays give NumPy arrays back."""

    @functools.wraps(method)
    def wrapped(self: Any, points: Any, *args: Any, **options: Any) -> Any:
        return method(self, as_points(points, self.dimension), *args, **options)

    return wrapped


def gradient(function: Any, points: Any) -> Any:
    """Returns the derivatives `(..., d)` of a scalar function of points `(..., d)`.

    Compilations are kept by function, so pass a method rather than a new lambda.
    """
    return _derived(_gradient, function, points)


def laplacian(function: Any, points: Any) -> Any:
    """Returns the Laplacian `(...)` of a scalar function of points `(..., d)`."""
    return _derived(_laplacian, function, points)


def _derived(derivative: Any, function: Any, points: Any) -> Any:
    if isinstance(points, jax.Array):
        return derivative(function, points)
    with precision(points.dtype.name):
        return np.asarray(derivative(function, jnp.asarray(points)))


@functools.partial(jax.jit, static_argnums=0)
def _gradient(function: Any, points: Any) -> Any:
    _, pullback = jax.vjp(function, points)
    return pullback(jnp.ones(points.shape[:-1], points.dtype))[0]


@functools.partial(jax.jit, static_argnums=0)
def _laplacian(function: Any, points: Any) -> Any:
    total = jnp.zeros(points.shape[:-1], points.dtype)
    for axis in range(points.shape[-1]):
        direction = jnp.zeros_like(points).at[..., axis].set(1)
        _, change = jax.jvp(functools.partial(_gradient, function), (points,), (direction,))
        total = total + change[..., axis]
    return total


def norm(vectors: Any) -> Any:
    """Returns the Euclidean length along the last axis, with a zero derivative at zero."""
    xp = namespace(vectors)
    return safe_sqrt(xp.sum(vectors * vectors, axis=-1))


def safe_sqrt(values: Any) -> Any:
    """Returns the square root of values >= 0, with a zero (not infinite) derivative at zero."""
    xp = namespace(values)
    positive = ~(values <= 0)  # so that what is not a number stays that
    return xp.where(positive, xp.sqrt(xp.where(positive, values, 1)), 0)


def relative_tolerance(points: Any) -> float:
    """Returns the rounding tolerance for points of this data type, relative to the size."""
    return float(np.finfo(points.dtype).eps ** 0.75)  # 2e-12 in float64, 6e-6 in float32


def without_caches(instance: Any) -> dict[str, Any]:
    """Returns the attributes of an instance but those that a `cached_property` keeps.

    As `__getstate__`, it lets instances pickle whose caches hold functions.
    """
    cls = type(instance)
    return {
        name: value
        for name, value in vars(instance).items()
        if not isinstance(getattr(cls, name, None), functools.cached_property)
    }


def number(value: Any, what: str) -> float | int:
    """Returns a finite Python number for an int, float, array scalar or SymPy number."""
    if isinstance(value, (bool, np.bool_, str)) or value is None:
        raise TypeError(f"{what} needs a number; got {value!r}.")
    if isinstance(value, (int, np.integer)):
        return int(value)
    try:
        result = float(value)
    except TypeError as error:
        raise TypeError(f"{what} needs a number; got {value!r}.") from error
    if not np.isfinite(result):
        raise ValueError(f"{what} needs a finite number; got {value!r}.")
    return result


def is_symbolic(value: Any) -> bool:
    """Returns whether a value is a SymPy expression with symbols in it."""
    return bool(getattr(value, "free_symbols", ()))


def motion(value: Any, what: str, size: int | None = None) -> tuple[Any, ...]:
    """Returns a tuple like `vector`, or with expressions of time in it."""
    if hasattr(value, "__iter__") and any(is_symbolic(v) for v in value):
        vector([0 if is_symbolic(v) else v for v in value], what, size)
        return tuple(v if is_symbolic(v) else number(v, what) for v in value)
    return vector(value, what, size)


def unknown_functions(expression: Any) -> set[Any]:
    """Returns the fields in a SymPy expression, whose names must not be compiled as source."""
    from sympy.core.function import AppliedUndef

    return expression.atoms(AppliedUndef)


def compiled(expressions: Any, names: Any) -> Any:
    """Returns a function of points `(..., n)` for SymPy expressions of the coordinates named.

    Its values have the shape `(...)` for one expression and `(..., k)` for a tuple of k.
    """
    import sympy

    several = isinstance(expressions, tuple)
    listed = [sympy.sympify(e) for e in (expressions if several else (expressions,))]
    unknown = {str(f) for e in listed for f in unknown_functions(e)}
    if unknown:
        raise ValueError(
            f"a shape needs expressions of its coordinates alone; got {expressions} with the "
            f"unknown {', '.join(sorted(unknown))}."
        )
    by_name = {str(s): s for e in listed for s in e.free_symbols}
    symbols = [by_name.get(name, sympy.Dummy(name)) for name in names]
    plain, traced = (sympy.lambdify(symbols, listed, modules=m, cse=True) for m in ("numpy", "jax"))

    def function(points: Any) -> Any:
        xp = namespace(points)
        columns = (points[..., i] for i in range(len(names)))
        values = (plain if xp is np else traced)(*columns)
        shaped = [xp.broadcast_to(xp.asarray(v), points.shape[:-1]) for v in values]
        return xp.stack(shaped, axis=-1) if several else shaped[0]

    return function


def vector(value: Any, what: str, size: int | None = None) -> tuple[float | int, ...]:
    """Returns a tuple of finite Python numbers, of the given size."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"{what} needs a sequence of numbers, one for each axis; got {value!r}.")
    result = tuple(number(v, what) for v in value)
    if size is not None and len(result) != size:
        raise ValueError(f"{what} needs {size} numbers; got {len(result)}: {value!r}.")
    return result
