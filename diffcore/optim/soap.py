"""SOAP: Adam in the eigenbasis of Shampoo's preconditioner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from diffcore.optim.first_order import FirstOrder, Rate, first_order


class Basis(NamedTuple):
    """For one side of a matrix: the mean of G G', and an estimate of its eigenvectors."""

    covariance: jax.Array
    vectors: jax.Array


class SoapState(NamedTuple):
    """Step count, moments (the second in the eigenbasis), and bases of each parameter."""

    steps: jax.Array
    first: Any
    second: Any
    bases: Any


def scale_by_soap(
    b1: float = 0.95, b2: float = 0.95, eps: float = 1e-8, every: int = 10, largest: int = 1024
) -> optax.GradientTransformation:
    """Returns the transformation of gradients; see `soap`."""

    def init(parameters):
        zeros = optax.tree.zeros_like(parameters)
        real = jax.tree.map(lambda p: jnp.zeros(p.shape, p.real.dtype), parameters)
        bases = jax.tree.map(lambda p: _bases(p, largest), parameters)
        return SoapState(jnp.array(0), zeros, real, bases)

    def update(gradients, state, parameters=None):
        steps = state.steps + 1

        def one(gradient, first, second, bases):
            bases = _follow(gradient, bases, b2, state.steps, every)
            first = b1 * first + (1 - b1) * gradient
            rotated = _rotate(gradient, bases)
            second = b2 * second + (1 - b2) * (rotated * rotated.conj()).real
            mean = _rotate(first, bases) / (1 - b1**steps)
            step = mean / (jnp.sqrt(second / (1 - b2**steps)) + eps)
            return _rotate_back(step, bases), first, second, bases

        results = jax.tree.map(one, gradients, *state[1:])
        updates, first, second, bases = (
            jax.tree.map(lambda _, result, k=k: result[k], gradients, results) for k in range(4)
        )
        return updates, SoapState(steps, first, second, bases)

    return optax.GradientTransformation(init, update)


def _bases(parameter: jax.Array, largest: int) -> tuple[Basis | None, Basis | None] | tuple[()]:
    if parameter.ndim != 2:
        return ()

    def basis(size):
        if size > largest:
            return None
        return Basis(jnp.zeros((size, size), parameter.dtype), jnp.eye(size, dtype=parameter.dtype))

    return basis(parameter.shape[0]), basis(parameter.shape[1])


def _follow(gradient: jax.Array, bases: tuple, b2: float, count: jax.Array, every: int) -> tuple:
    """Returns the bases after this gradient; the eigenvectors turn in each `every`-th step.

    One power iteration and a QR factorization keep up with the covariance; the first step
    computes the eigenvectors outright.
    """
    if not bases:
        return bases

    def follow(basis, square):
        if basis is None:
            return None
        weight = jnp.where(count == 0, 1.0, 1 - b2)
        covariance = basis.covariance + weight * (square - basis.covariance)
        which = jnp.where(count == 0, 2, jnp.where(count % every == 0, 1, 0))
        vectors = jax.lax.switch(
            which,
            [
                lambda c, v: v,
                lambda c, v: jnp.linalg.qr(c @ v)[0],
                lambda c, v: jnp.linalg.eigh(c)[1][:, ::-1],
            ],
            covariance,
            basis.vectors,
        )
        return Basis(covariance, vectors)

    left, right = bases
    g = gradient
    return follow(left, g @ g.conj().T), follow(right, (g.conj().T @ g).conj())


def _rotate(matrix: jax.Array, bases: tuple) -> jax.Array:
    return _apply(matrix, bases, lambda q: q.conj().T)


def _rotate_back(matrix: jax.Array, bases: tuple) -> jax.Array:
    return _apply(matrix, bases, lambda q: q)


def _apply(matrix: jax.Array, bases: tuple, of: Callable) -> jax.Array:
    if not bases:
        return matrix
    left, right = bases
    matrix = matrix if left is None else of(left.vectors) @ matrix
    return matrix if right is None else matrix @ of(right.vectors).T


def soap(
    learning_rate: Rate = 3e-3,
    *,
    b1: float = 0.95,
    b2: float = 0.95,
    eps: float = 1e-8,
    every: int = 10,
    largest: int = 1024,
) -> FirstOrder:
    """Returns SOAP for matrices, which is Adam for all other parameters.

    Arguments:
        every: steps between updates of the eigenvectors.
        largest: a side longer than this is not rotated.

    Source: Vyas et al., SOAP: improving and stabilizing Shampoo using Adam (2024), Algorithm 3.
    Unlike theirs, the first step is taken, and the second moments are kept when the basis turns.
    """
    return first_order(
        _soap, learning_rate=learning_rate, b1=b1, b2=b2, eps=eps, every=every, largest=largest
    )


def _soap(learning_rate: Rate, **options: Any) -> optax.GradientTransformation:
    return optax.chain(scale_by_soap(**options), optax.scale_by_learning_rate(learning_rate))
