"""Derivatives in many dimensions: along one coordinate at a time, and sums of them from a sample.

The Taylor engine carries one array for each derivative, which is right for a few and hopeless for
hundreds. Here the gradient comes from one reverse pass, and second derivatives from one forward
pass that is mapped over coordinates. A long sum of second derivatives, as the Laplacian, is in
training estimated from a few coordinates of each point: one at random out of each of as many equal
stretches, so that the estimate has no bias. The draw depends on the point alone, so that a run can
be resumed and residuals are functions of points as ever.

The square of an estimate is larger than that of the sum by its variance; where that matters, ask
for exact sums: `PINN(exact_sums=True)`.

A Gaussian in many dimensions has nearly all its points at one distance from the mean. Half of them
are drawn inward, so that the solution is known in between; and networks see the distance as well.

Source: Z. Shi, Z. Hu, M. Lin & K. Kawaguchi, Stochastic Taylor Derivative Estimator (2024), where
coordinates are drawn without stretches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import diffcore
from equations import Problem, spatial
from geometry import Gaussian

MANY = 20  # coordinates, from which on derivatives are taken this way
SAMPLES = 16  # coordinates of a point from which a longer sum is estimated
SENTENCE = (
    f"Sums of more than {SAMPLES} second derivatives are estimated from {SAMPLES} coordinates of "
    "each point in training, and networks see the squared distance in space as well."
)

Request = Mapping[tuple[int, ...], complex]


def applies(requests: Sequence[Request], dimension: int) -> bool:
    """Whether the derivatives are of this kind: values, first, and unmixed second ones."""
    kinds = {tuple(sorted(o))[-2:] for request in requests for o in request}
    return dimension >= MANY and kinds <= {(0, 0), (0, 1), (0, 2)}


def derivatives(
    f: Callable, requests: Sequence[Request], x: jax.Array, *, exact: bool
) -> list[jax.Array]:
    """One linear combination of derivatives of f at the point x for each request.

    Arguments:
        f: from (d,) to (k,).
        exact: whether long sums are taken in full.
    """
    rows = [_coefficients(request, x.size) for request in requests]
    values, gradient = f(x), None
    if any(first.any() for _, first, _ in rows):
        gradient = jax.jacrev(f)(x)  # (k, d)
    found, columns = [], _shared([second for _, _, second in rows], exact)
    curvatures = dict(zip(columns, _second(f, x, np.array(columns, int)), strict=True))
    for constant, first, second in rows:
        total = constant * values
        if gradient is not None and first.any():
            total = total + gradient @ jnp.asarray(first)
        held = np.flatnonzero(second).tolist()
        if len(held) > SAMPLES and not exact:
            total = total + _estimated(f, x, held, second[held])
        else:
            total = total + sum(second[i] * curvatures[i] for i in held)
        found.append(total)
    return found


def _coefficients(request: Request, d: int) -> tuple[complex, np.ndarray, np.ndarray]:
    """The factors of the value and of the first and second derivatives."""
    constant: complex = 0.0
    slopes = np.zeros((2, d), complex)
    for orders, c in request.items():
        total = sum(orders)
        if total:
            slopes[total - 1, int(np.argmax(orders))] += c
        else:
            constant += c
    if not np.any(np.imag(slopes)):
        slopes = slopes.real
    return constant, *slopes


def _shared(seconds: Sequence[np.ndarray], exact: bool) -> list[int]:
    """The coordinates along which second derivatives are needed one by one."""
    needed: set[int] = set()
    for second in seconds:
        held = np.flatnonzero(second)
        if exact or len(held) <= SAMPLES:
            needed |= set(map(int, held))
    return sorted(needed)


def _second(f: Callable, x: jax.Array, columns: jax.Array | np.ndarray) -> jax.Array:
    """Second derivatives along coordinates, (columns, k)."""

    def along(i: jax.Array) -> jax.Array:
        v = jax.nn.one_hot(i, x.size, dtype=x.dtype)
        return jax.jvp(lambda y: jax.jvp(f, (y,), (v,))[1], (x,), (v,))[1]

    return jax.vmap(along)(jnp.asarray(columns)) if len(columns) else jnp.zeros((0,))


def _estimated(f: Callable, x: jax.Array, held: Sequence[int], factors: np.ndarray) -> jax.Array:
    n = len(held)
    shifts = jax.random.uniform(_key(x), (SAMPLES,), x.dtype)
    drawn = jnp.floor((jnp.arange(SAMPLES) + shifts) * (n / SAMPLES)).astype(int)
    drawn = jnp.minimum(drawn, n - 1)
    curvatures = _second(f, x, jnp.asarray(held)[drawn])
    return (n / SAMPLES) * (jnp.asarray(factors)[drawn] @ curvatures)


def _key(x: jax.Array) -> jax.Array:
    """A random key that belongs to a point."""
    mixed = jnp.sum(jax.lax.stop_gradient(x) * jnp.sin(1.0 + jnp.arange(x.size, dtype=x.dtype)))
    bits = jax.lax.bitcast_convert_type(mixed.astype(jnp.float32), jnp.uint32)
    return jax.random.fold_in(jax.random.key(0), bits)


# Points, and what a network sees


def space_columns(problem: Problem) -> list[int]:
    """The columns of the coordinates of space."""
    return [problem.coordinates.index(c) for c in spatial(problem.coordinates)]


def is_wide(problem: Problem) -> bool:
    """Whether the space of a problem has many dimensions."""
    return len(space_columns(problem)) >= MANY


def inward(problem: Problem, points: Any, key: Any) -> jax.Array:
    """Points (n, d) of which every other one is moved towards the mean of a Gaussian, by a random
    factor."""
    shape = getattr(problem.domain, "space", problem.domain)
    points = jnp.asarray(points)
    if not isinstance(shape, Gaussian) or not is_wide(problem):
        return points
    factors = jax.random.uniform(jax.random.fold_in(diffcore.as_key(key), 17), (len(points), 1))
    factors = jnp.where(jnp.arange(len(points))[:, None] % 2 == 0, 1.0, factors)
    columns, mean = jnp.array(space_columns(problem)), jnp.asarray(shape.mean)
    return points.at[:, columns].set(mean + factors * (points[:, columns] - mean))


class WithDistance(eqx.Module):
    """The coordinates, and the squared distance in the first `n` of them from zero, in units in
    which it is of order one."""

    n: int = eqx.field(static=True)
    middle: float = eqx.field(static=True)
    spread: float = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        squared = jnp.sum(x[: self.n] ** 2)
        return jnp.append(x, (squared - self.middle) / self.spread)


def box(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """The corners of a box, two deviations to each side, that takes the place of the bounds, which
    in many dimensions points hardly come near."""
    points = _typical(problem)
    lower, upper = (np.array(b, dtype=float) for b in problem.domain.bounds)
    for i in space_columns(problem):
        middle, deviation = points[:, i].mean(), points[:, i].std()
        lower[i], upper[i] = middle - 2 * deviation, middle + 2 * deviation
    return lower, upper


def distance_feature(problem: Problem) -> WithDistance:
    """The feature for networks of all coordinates; those of space come first."""
    lower, upper = box(problem)
    n = len(space_columns(problem))
    scaled = (2 * _typical(problem) - (lower + upper)) / (upper - lower)
    squared = np.sum(scaled[:, :n] ** 2, axis=1)
    return WithDistance(n, float(squared.mean()), float(2 * squared.std()))


def _typical(problem: Problem) -> np.ndarray:
    points = problem.domain.sample_interior(1024, key=0).points
    return np.asarray(inward(problem, points, 0))
