"""A loss that is a sum of squares, which keeps its residuals for the methods that need them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from diffcore.functional import value_and_grad
from diffcore.nn.parameters import merge, split
from diffcore.optim.vector import flatten

# Points whose rows of the Jacobian are computed together: a compromise of vector length and cache.
_BATCH = 256

Residual = Callable[[Any, Any], jax.Array]


@dataclass(frozen=True, init=False)
class LeastSquares:
    """The loss Σ_k mean_i |r_k(θ, p_i)|², one term for each residual function r_k.

    Called as `loss(parameters, *points)`, with one set of points for each function, it returns
    (value, gradient), so that every optimizer takes it; least-squares methods take the residuals.

    Arguments:
        residuals: functions of (parameters, point) for one point, that return a number or an
            array, real or complex. A point is a pytree; a weight or a measured value can be a
            part of it.

    Example:
        >>> from diffcore import optim
        >>> line = optim.LeastSquares(lambda p, point: p[0] * point["x"] + p[1] - point["y"])
        >>> data = {"x": jnp.array([0.0, 1, 2]), "y": jnp.array([1.0, 3, 5])}
        >>> fit = optim.run(optim.levenberg_marquardt(), line, jnp.zeros(2), steps=20, args=(data,))
        >>> fit.parameters.round(4).tolist()
        [2.0, 1.0]
    """

    residuals: tuple[Residual, ...]

    def __init__(self, *residuals: Residual):
        object.__setattr__(self, "residuals", residuals)

    def __call__(self, parameters: Any, *points: Any) -> tuple[jax.Array, Any]:
        parameters, rest = split(parameters)

        def loss(parameters):
            return jnp.sum(self.vector(merge(parameters, rest), *points) ** 2)

        return value_and_grad(loss)(parameters)

    def vector(self, parameters: Any, *points: Any) -> jax.Array:
        """Returns all residuals as one real vector R, scaled so that the loss is R·R."""
        blocks = [
            jax.vmap(lambda p, r=r: _row(r(parameters, p)))(p) / _size(p) ** 0.5
            for r, p in zip(self.residuals, points, strict=True)
        ]
        return jnp.concatenate([block.ravel() for block in blocks])

    def linearize(self, parameters: Any, *points: Any) -> tuple[jax.Array, jax.Array]:
        """Returns (R, J): the residuals, and their derivatives by the parameters as one vector.

        Notes: reverse mode for each point, as many passes as a point has residuals.
        """
        parameters, rest = split(parameters)
        vector, unflatten = flatten(parameters)
        rows, jacobians = [], []
        for residual, p in zip(self.residuals, points, strict=True):

            def row(v, point, residual=residual):
                value = _row(residual(merge(unflatten(v), rest), point))
                return value, value

            derivative = jax.jacrev(row, has_aux=True)
            jacobian, value = jax.lax.map(
                lambda point, d=derivative: d(vector, point), p, batch_size=_BATCH
            )
            scale = _size(p) ** -0.5
            rows.append(scale * value.ravel())
            jacobians.append(scale * jacobian.reshape(-1, vector.size))
        return jnp.concatenate(rows), jnp.concatenate(jacobians)


def _row(value: jax.Array) -> jax.Array:
    value = jnp.ravel(value)
    return jnp.concatenate([value.real, value.imag]) if jnp.iscomplexobj(value) else value


def _size(points: Any) -> int:
    return jax.tree.leaves(points)[0].shape[0]
