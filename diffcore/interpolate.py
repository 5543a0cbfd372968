"""Interpolation on regular grids by tensor-product splines, in any number of dimensions.

A spline of odd degree k passes through the values and has k - 1 continuous derivatives: degree 1 is
multilinear, 3 cubic (with "not-a-knot" ends), 5 quintic. It is a function of JAX arrays that can be
differentiated by the point and, as the fit is linear, by the values.

Source: C. de Boor, A Practical Guide to Splines, 1978, chapters IX, XIII and XVII.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from diffcore._inputs import check_floating, is_complex, is_traced

_OUTSIDE = ("nan", "nearest", "extrapolate")


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["knots", "coefficients"],
    meta_fields=["degree", "outside", "is_scalar"],
)
@dataclass(frozen=True, eq=False)
class Spline:
    """A spline made by `spline`; call it with points. A pytree: it may be an argument of `jit`."""

    knots: tuple[jax.Array, ...]
    coefficients: jax.Array
    degree: int
    outside: str
    is_scalar: bool

    def __call__(self, points: jax.Array) -> jax.Array:
        """The values at points of shape (..., d), or of any shape if there is one plain axis."""
        check_floating("Spline", "points", points)
        x = jnp.asarray(points)
        x = x[..., None] if self.is_scalar else x
        if is_complex(x) or x.ndim == 0 or x.shape[-1] != len(self.knots):
            raise ValueError(
                f"this spline takes real points of shape (..., {len(self.knots)}); got {x.dtype} "
                f"of shape {x.shape}."
            )
        values = _evaluate(self, x.reshape(-1, x.shape[-1]))
        return values.reshape(x.shape[:-1] + values.shape[1:])


def spline(
    axes: jax.Array | Sequence[jax.Array],
    values: jax.Array,
    *,
    degree: int = 3,
    outside: str = "nan",
) -> Spline:
    """The spline of the given degree through values on a grid, as a function of points.

    Arguments:
        axes: the coordinates of the grid along each axis, strictly increasing, shapes (n_1,), ...,
            (n_d,), each at least degree + 1 long. One array instead of a sequence makes a function
            of scalars.
        values: real or complex, shape (n_1, ..., n_d, ...).
        degree: 1, 3 or 5.
        outside: what a point outside the grid gets: "nan", the value of the "nearest" point of the
            grid, or "extrapolate" the outermost polynomial.

    Raises:
        ValueError: axes that do not increase, are too short or do not match the values; an even
            degree.

    Notes:
        The error falls as h^(degree + 1) for smooth functions. Fitting solves a dense system for
        each axis; evaluation costs (degree + 1)^d products a point.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> x = jnp.linspace(0, 1, 6)
        >>> f = spline(x, x**3)
        >>> round(f(0.5).item(), 5), round(jax.grad(f)(0.5).item(), 4)
        (0.125, 0.75)
    """
    if degree not in (1, 3, 5):
        raise ValueError(f"`spline` needs `degree` 1, 3 or 5; got {degree!r}.")
    if outside not in _OUTSIDE:
        raise ValueError(f"`spline` needs `outside` to be one of {_OUTSIDE}; got {outside!r}.")
    is_scalar = hasattr(axes, "ndim")
    grid = (axes,) if is_scalar else tuple(axes)
    check_floating("spline", "", {"axes": grid, "values": values})
    grid, values = tuple(map(jnp.asarray, grid)), jnp.asarray(values)
    for i, axis in enumerate(grid):
        _check_axis(i, axis, values, degree)
    knots = tuple(_knots(axis, degree) for axis in grid)
    coefficients = values if degree == 1 else _fit(grid, knots, values, degree)
    return Spline(knots, coefficients, degree, outside, is_scalar)


def _check_axis(i: int, axis: jax.Array, values: jax.Array, degree: int) -> None:
    if axis.ndim != 1 or values.ndim <= i or axis.shape[0] != values.shape[i]:
        raise ValueError(
            f"axis {i} of the grid has shape {axis.shape}; values of shape {values.shape} need one "
            f"of shape ({values.shape[i] if values.ndim > i else '?'},)."
        )
    if axis.shape[0] <= degree:
        raise ValueError(
            f"axis {i} of the grid has {axis.shape[0]} points; degree {degree} needs at least "
            f"{degree + 1}: lower `degree`."
        )
    if not is_traced(axis) and not np.all(np.diff(axis) > 0):
        raise ValueError(f"axis {i} of the grid needs to increase strictly; got {axis}.")


def _knots(axis: jax.Array, degree: int) -> jax.Array:
    """As many B-splines as points: the inner knots next to the ends are left out (not-a-knot)."""
    half = (degree + 1) // 2
    ends = jnp.repeat(axis[:1], degree + 1), jnp.repeat(axis[-1:], degree + 1)
    return jnp.concatenate([ends[0], axis[half:-half], ends[1]])


@partial(jax.jit, static_argnums=3)
def _fit(
    grid: tuple[jax.Array, ...], knots: tuple[jax.Array, ...], values: jax.Array, degree: int
) -> jax.Array:
    """The coefficients of the spline through the values, one axis after the other."""
    for i, (axis, t) in enumerate(zip(grid, knots, strict=True)):
        starts, weights = jax.vmap(lambda x, t=t: _basis(t, x, degree))(axis)
        rows, columns = jnp.arange(axis.size)[:, None], starts[:, None] + jnp.arange(degree + 1)
        matrix = jnp.zeros((axis.size, axis.size), values.dtype).at[rows, columns].set(weights)
        right = jnp.moveaxis(values, i, 0)
        solution = jnp.linalg.solve(matrix, right.reshape(axis.size, -1))
        values = jnp.moveaxis(solution.reshape(right.shape), 0, i)
    return values


@jax.jit
def _evaluate(spline: Spline, points: jax.Array) -> jax.Array:
    """Values at points of shape (n, d)."""
    lower, upper = (jnp.stack([t[i] for t in spline.knots]) for i in (0, -1))
    n_axes, shape = len(spline.knots), spline.coefficients.shape

    def at(x: jax.Array) -> jax.Array:
        used = x if spline.outside == "extrapolate" else jnp.clip(x, lower, upper)
        local = [_basis(t, used[i], spline.degree) for i, t in enumerate(spline.knots)]
        starts = [start for start, _ in local]
        starts += [jnp.zeros_like(starts[0])] * (len(shape) - n_axes)
        sizes = (spline.degree + 1,) * n_axes + shape[n_axes:]
        value = jax.lax.dynamic_slice(spline.coefficients, starts, sizes)
        for _, weights in local:
            value = jnp.tensordot(weights.astype(value.dtype), value, 1)
        if spline.outside != "nan":
            return value
        return jnp.where(jnp.all((x >= lower) & (x <= upper)), value, jnp.nan)

    return jax.vmap(at)(points)


def _basis(t: jax.Array, x: jax.Array, degree: int) -> tuple[jax.Array, jax.Array]:
    """The first B-spline that is not zero at x, and the values of the degree + 1 from there on."""
    last = t.size - degree - 2
    i = jnp.clip(jnp.searchsorted(t, jax.lax.stop_gradient(x), side="right") - 1, degree, last)
    weights = [jnp.ones_like(x)]
    for j in range(1, degree + 1):  # Cox-de Boor, raising the degree
        carried, raised = jnp.zeros_like(x), []
        for r in range(j):
            right, left = t[i + r + 1], t[i + 1 - j + r]
            share = weights[r] / (right - left)
            raised.append(carried + (right - x) * share)
            carried = (x - left) * share
        weights = [*raised, carried]
    return i - degree, jnp.stack(weights)
