"""`known`: a field that is given by numbers at points, as an expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
import sympy

import diffcore
from diffcore import interpolate

from .call import Call, call


def known(name: str, *coordinates: sympy.Symbol, points: Any, values: Any) -> Call:
    """A field that is known from numbers: `known("T0", x, y, points=points, values=temperatures)`.

    Arguments:
        coordinates: those it depends on.
        points: (n, d), or (n,) in one dimension; for values on a grid the tuple of its axes.
        values: (n,), or (n_1, ..., n_d) on a grid.

    Notes:
        On a grid and in one dimension a cubic spline, elsewhere the interpolant of radial functions
        r³ with a linear polynomial, which solves a dense system of n + d + 1 equations. Outside the
        data both continue smoothly and mean little.

    Example:
        >>> from equations import coordinates
        >>> x = coordinates("x")
        >>> known("T0", x, points=[0, 1, 2, 3], values=[0, 1, 4, 9])
        T0(x)
    """
    if not coordinates or not all(isinstance(c, sympy.Symbol) for c in coordinates):
        raise TypeError(f"`known({name!r})` takes coordinates, then data; got {coordinates}.")
    numbers = _finite(name, "values", values)
    if isinstance(points, tuple) and len(points) == len(coordinates) == numbers.ndim:
        axes = [_finite(name, "points", a) for a in points]
        function = partial(_grid, axes)
        shape = tuple(map(len, axes))
    elif len(coordinates) == 1:
        line = _finite(name, "points", points).reshape(-1)
        order = np.argsort(line)
        function, shape = partial(_grid, [line[order]]), line.shape
        numbers = numbers[order] if numbers.shape == shape else numbers
    else:
        scattered = _finite(name, "points", points)
        if scattered.shape[1:] != (len(coordinates),):
            raise ValueError(
                f"`points` of {name!r} need {len(coordinates)} columns; got {scattered.shape}."
            )
        function, shape = partial(_radial, scattered), scattered.shape[:1]
    if numbers.shape != shape:
        raise ValueError(f"`values` of {name!r} need the shape {shape}; got {numbers.shape}.")
    return call(function(numbers), *coordinates, name=name)


def _finite(name: str, what: str, value: Any) -> np.ndarray:
    array = np.asarray(value, dtype=float)
    if not np.isfinite(array).all():
        raise ValueError(f"`{what}` of {name!r} must be finite; leave the others out.")
    return array


def _grid(axes: Sequence[np.ndarray], values: np.ndarray) -> Callable:
    with diffcore.precision("float64"):
        return interpolate.spline(
            [jnp.asarray(a) for a in axes],
            jnp.asarray(values),
            degree=3 if min(map(len, axes)) >= 4 else 1,
            outside="extrapolate",
        )


def _radial(points: np.ndarray, values: np.ndarray) -> Callable:
    """Σ c_i |x - x_i|³ + a + b · x through the values, the c_i orthogonal to linear functions."""
    center, size = points.mean(axis=0), np.ptp(points, axis=0).max() or 1.0
    nodes = (points - center) / size
    gaps = np.linalg.norm(nodes[:, None] - nodes[None], axis=-1)
    linear = np.column_stack([np.ones(len(nodes)), nodes])
    k = linear.shape[1]
    matrix = np.block([[gaps**3, linear], [linear.T, np.zeros((k, k))]])
    solved = np.linalg.lstsq(matrix, np.append(values, np.zeros(k)), rcond=None)[0]
    return partial(_radial_sum, nodes, solved, center, size)


def _radial_sum(nodes, coefficients, center, size, point):
    x = (point - center) / size
    squares = jnp.sum((x - jnp.asarray(nodes, x.dtype)) ** 2, axis=-1) + 1e-20  # smooth at nodes
    terms = jnp.concatenate([squares**1.5, jnp.ones(1, x.dtype), x])
    return jnp.dot(terms, jnp.asarray(coefficients, x.dtype))
