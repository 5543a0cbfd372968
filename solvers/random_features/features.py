"""Random features: plane waves whose frequencies and phases are drawn once and kept.

A feature is ψ(x) sin(w·ξ + b) with ξ the coordinates mapped to [-1, 1], w uniform in a ball and b
uniform. Waves of the box and somewhat longer, up to a bandwidth that their number can resolve,
approximate smooth functions on any part of the box to many digits; along a periodic axis only whole
waves are drawn. The windows ψ of a grid of patches add up to one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy

EXTENT = 2.0  # length, relative to the box, of the interval whose waves resolve a function on it
SHARPNESS = 4.0  # of the windows: they fall from one to zero over about half a patch

Terms = Sequence[tuple[tuple[int, ...], complex]]


class Features(eqx.Module):
    """The features of one set of coordinates.

    `frequencies` (d, features) and `phases` (features,), those of each patch one after another;
    `lower`, `upper`: the box that is mapped to [-1, 1]; `patches`: their number along each axis."""

    frequencies: jax.Array
    phases: jax.Array
    lower: tuple[float, ...] = eqx.field(static=True)
    upper: tuple[float, ...] = eqx.field(static=True)
    patches: tuple[int, ...] = eqx.field(static=True)

    @property
    def size(self) -> int:
        """The number of features."""
        return self.phases.shape[0]

    def basis(self, terms: Terms, points: jax.Array) -> jax.Array:
        """The linear differential operator `terms` of every feature at points (n, d): (n, size)."""
        xp = numpy_for(points, self.frequencies)
        frequencies, phases = xp.asarray(self.frequencies), xp.asarray(self.phases)
        lower, upper = xp.asarray(self.lower), xp.asarray(self.upper)
        places = (2 * xp.asarray(points) - (lower + upper)) / (upper - lower)
        waves = frequencies * (2 / (upper - lower))[:, None]  # in units of the coordinates
        phase = places @ frequencies + phases
        sine, cosine = xp.sin(phase), xp.cos(phase)
        total: Any = 0
        for orders, (even, odd) in self._leibniz(terms, waves).items():
            window = self._window(orders, places)
            total = total + window * (even * sine + odd * cosine)
        return total

    def _leibniz(self, terms: Terms, waves: jax.Array) -> Mapping[tuple[int, ...], list]:
        """For each derivative of the window its factors: (of sine, of cosine), each (features,)."""
        factors: dict[tuple[int, ...], list] = {}
        for orders, coefficient in terms:
            for own in product(*(range(n + 1 if p > 1 else 1) for n, p in self._along(orders))):
                rest = [n - m for n, m in zip(orders, own, strict=True)]
                factor = coefficient * math.prod(map(math.comb, orders, own))
                for wave, n in zip(waves, rest, strict=True):
                    factor = factor * wave**n
                sign = (1, 1, -1, -1)[sum(rest) % 4]  # derivatives of the sine: cos, -sin, -cos
                pair = factors.setdefault(own, [0.0, 0.0])
                pair[sum(rest) % 2] = pair[sum(rest) % 2] + sign * factor
        return factors

    def _along(self, orders: tuple[int, ...]) -> list[tuple[int, int]]:
        return list(zip(orders, self.patches, strict=True))

    def _window(self, orders: tuple[int, ...], places: jax.Array) -> Any:
        """The derivative `orders` of each feature's window, (n, size); one where all are one."""
        if math.prod(self.patches) == 1:
            return 1.0
        xp = numpy_for(places)
        whole = xp.ones((len(places), 1))
        for i, (n, patches) in enumerate(self._along(orders)):
            scale = (2 / (self.upper[i] - self.lower[i])) ** n
            along = scale * windows(places[:, i], patches, n)
            whole = (whole[:, :, None] * along[:, None, :]).reshape(len(places), -1)
        return xp.repeat(whole, self.size // whole.shape[1], axis=1)


def numpy_for(*arrays: Any) -> Any:
    """`jax.numpy` in traces; NumPy outside, where the many sizes in use would each be compiled."""
    return jnp if any(isinstance(a, jax.core.Tracer) for a in arrays) else np


def windows(places: jax.Array, patches: int, order: int) -> jax.Array:
    """The derivative of `order` of smooth functions on [-1, 1], one a patch, that add up to one:
    (n, patches)."""
    xp = numpy_for(places)
    edges = -1 + 2 * np.arange(1, patches) / patches
    slope = SHARPNESS * patches
    t = xp.tanh(slope * (places[:, None] - edges))
    polynomial = np.polynomial.Polynomial([0.5, 0.5])  # of t, for the step (1 + t) / 2
    for _ in range(order):
        polynomial = polynomial.deriv() * np.polynomial.Polynomial([1, 0, -1])
    steps = slope**order * xp.polyval(xp.asarray(polynomial.coef[::-1]), t)
    first = xp.full((len(places), 1), float(order == 0))
    return -xp.diff(xp.concatenate([first, steps, xp.zeros_like(first)], axis=1), axis=1)


def bandwidth(size: float, dimension: int) -> float:
    """The largest frequency that `size` waves resolve: the radius of the ball that holds so many
    waves of an interval `EXTENT` times the box, sine and cosine counted."""
    ball = math.pi ** (dimension / 2) / math.gamma(dimension / 2 + 1)
    return math.pi / EXTENT * (size / ball) ** (1 / dimension)


def draw(
    key: jax.Array,
    size: int,
    box: tuple[Sequence[float], Sequence[float]],
    *,
    widest: float,
    patches: Sequence[int] = (),
    periodic: Sequence[int] = (),
) -> Features:
    """Features on a box.

    Arguments:
        size: of each patch.
        widest: the largest frequency, for a patch as long as the box.
        patches: their number along each axis, one by default.
        periodic: the axes along which the features are periodic, with the length of the box.
    """
    d = len(box[0])
    patches = tuple(patches) or (1,) * d
    total = size * math.prod(patches)
    seed = int(jax.random.randint(key, (), 0, 2**31 - 1))
    cube = scipy.stats.qmc.Sobol(d + 2, seed=seed).random(2 ** math.ceil(math.log2(total)))[:total]
    normal = scipy.stats.norm.ppf(np.clip(cube[:, :d], 1e-12, 1 - 1e-12))
    radius = widest * cube[:, d] ** (1 / d) / np.linalg.norm(normal, axis=1)
    frequencies = normal.T * radius * np.array(patches)[:, None]
    for axis in periodic:
        frequencies[axis] = np.pi * np.round(frequencies[axis] / np.pi)
    lower, upper = (tuple(map(float, side)) for side in box)
    phases = jnp.asarray(2 * np.pi * cube[:, d + 1])
    return Features(jnp.asarray(frequencies), phases, lower, upper, patches)
