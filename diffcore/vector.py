"""Vector calculus of functions of one point, in Cartesian coordinates, each in one Taylor pass.

All take a function of a point of shape (d,) and return a function of a point; map batches of points
with `jax.vmap`. Values may be complex, arrays or pytrees where that makes sense.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
import jax.numpy as jnp

from diffcore._inputs import as_point
from diffcore.taylor import operator, partials

PointFunction = Callable[[jax.Array], Any]
Terms = dict[tuple[int, ...] | int, Any]


def laplacian(f: PointFunction) -> PointFunction:
    """The Laplacian, the sum of d^2 f / dx_i^2, of every value of f.

    Notes:
        The sum is propagated as one quantity (forward Laplacian): the cost grows as d times that
        of f, with a smaller constant than a Hessian.

    Example:
        >>> import jax.numpy as jnp
        >>> laplacian(lambda x: jnp.sum(x**3))(jnp.array([1.0, 2.0])).item()
        18.0
    """

    @wraps(f)
    def result(x: jax.Array) -> Any:
        x = as_point("laplacian", x)
        terms: Terms = {_orders(x.size, (i, 2)): 1 for i in range(x.size)}
        return operator(f, terms)(x)

    return result


def biharmonic(f: PointFunction) -> PointFunction:
    """The Laplacian of the Laplacian, the sum of d^4 f / dx_i^2 dx_j^2, of every value of f.

    Example:
        >>> import jax.numpy as jnp
        >>> biharmonic(lambda x: x[0] ** 4 + x[0] ** 2 * x[1] ** 2)(jnp.array([1.0, 2.0])).item()
        32.0
    """

    @wraps(f)
    def result(x: jax.Array) -> Any:
        x = as_point("biharmonic", x)
        terms: Terms = {_orders(x.size, (i, 4)): 1 for i in range(x.size)}
        terms |= {_orders(x.size, (i, 2), (j, 2)): 2 for i in range(x.size) for j in range(i)}
        return operator(f, terms)(x)

    return result


def divergence(f: PointFunction) -> PointFunction:
    """The divergence, the sum of d f_i / dx_i, of a vector field (d,) -> (d,).

    Leading axes of the values are kept: a matrix field gives the divergence of its rows.

    Raises:
        ValueError: the last axis of the values is not d long.

    Example:
        >>> import jax.numpy as jnp
        >>> divergence(lambda x: x**2)(jnp.array([1.0, 2.0])).item()
        6.0
    """

    @wraps(f)
    def result(x: jax.Array) -> jax.Array:
        x = as_point("divergence", x)
        jacobian = jnp.stack(_first_derivatives("divergence", f, x), -1)
        return jnp.trace(jacobian, axis1=-2, axis2=-1)

    return result


def curl(f: PointFunction) -> PointFunction:
    """The curl of a vector field: a vector in three dimensions, a scalar in two.

    Raises:
        ValueError: the point or the values are not of dimension 2 or 3.

    Example:
        >>> import jax.numpy as jnp
        >>> curl(lambda x: jnp.stack([-x[1], x[0]]))(jnp.array([1.0, 2.0])).item()
        2.0
        >>> curl(lambda x: jnp.stack([x[1], x[2], x[0]]))(jnp.zeros(3)).tolist()
        [-1.0, -1.0, -1.0]
    """

    @wraps(f)
    def result(x: jax.Array) -> jax.Array:
        x = as_point("curl", x, (2, 3))
        d = _first_derivatives("curl", f, x)
        if x.size == 2:
            return d[0][..., 1] - d[1][..., 0]
        pairs = [(1, 2), (2, 0), (0, 1)]
        return jnp.stack([d[i][..., j] - d[j][..., i] for i, j in pairs], -1)

    return result


def _first_derivatives(name: str, f: PointFunction, x: jax.Array) -> list[jax.Array]:
    """d f / dx_i for every i, of a function whose values end with an axis as long as x."""
    values = partials(f, [_orders(x.size, (i, 1)) for i in range(x.size)])(x)
    first = list(values.values())
    shape = getattr(first[0], "shape", None)
    if not shape or shape[-1] != x.size:
        raise ValueError(
            f"`{name}` needs a vector field with {x.size} components at a point of dimension "
            f"{x.size}; f returned shape {shape}."
        )
    return first


def _orders(dimension: int, *powers: tuple[int, int]) -> tuple[int, ...]:
    orders = [0] * dimension
    for i, power in powers:
        orders[i] += power
    return tuple(orders)
