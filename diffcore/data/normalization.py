"""Normalization with statistics that are kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from diffcore import checkpoint
from diffcore.nn.module import Module
from diffcore.nn.parameters import Fixed
from diffcore.precision import default_dtype


class Normalization(Module):
    """(x - mean) / deviation, with statistics that are not trained; a layer like any other.

    Example:
        >>> from diffcore import data
        >>> normal = data.Normalization.of(np.array([[0.0, 5.0], [2.0, 5.0]]))
        >>> normal(np.array([2.0, 6.0])).tolist(), normal.inverse(np.zeros(2)).tolist()
        ([1.0, 1.0], [1.0, 5.0])
    """

    mean: Fixed
    deviation: Fixed

    def __init__(self, mean: Any, deviation: Any):
        self.mean = Fixed(jnp.asarray(mean, default_dtype()))
        self.deviation = Fixed(jnp.asarray(deviation, default_dtype()))

    @classmethod
    def of(
        cls,
        values: Any,
        *,
        axis: int | tuple[int, ...] | None = -1,
        part: Callable[[Any], Any] = lambda batch: batch,
    ) -> Normalization:
        """The normalization that gives these values mean 0 and deviation 1.

        Arguments:
            values: an array, or batches of arrays such as `dataset.batch(1024)`.
            axis: of the features, which have statistics of their own: -1 for tables, 1 for images
                (batch, channels, ...), None for one pair of numbers.
            part: takes the array from a batch, such as `lambda batch: batch[0]`.

        Notes: A feature that is constant is only shifted. Sums are in float64, batch by batch.
        """
        batches: Iterable = (values,) if hasattr(values, "shape") else values
        total = None
        for batch in batches:
            moments = _moments(np.asarray(part(batch)), axis)
            total = moments if total is None else _joined(total, moments)
        if total is None or not total[0]:
            raise ValueError("`values` is empty: there are no statistics of nothing.")
        count, mean, squares = total
        deviation = np.sqrt(squares / count)
        # Rounding leaves a constant feature with a deviation that is not quite zero.
        constant = deviation <= 1e-12 * np.abs(mean)
        return cls(mean, np.where(constant, 1.0, deviation))

    def __call__(self, x: jax.Array) -> jax.Array:
        return (x - self.mean.array) / self.deviation.array

    def inverse(self, x: jax.Array) -> jax.Array:
        """x · deviation + mean."""
        return x * self.deviation.array + self.mean.array

    def save(self, path: str | os.PathLike) -> None:
        """Write the statistics to a checkpoint, from which `Normalization.load` reads them."""
        checkpoint.save(path, {"mean": self.mean.array, "deviation": self.deviation.array})

    @classmethod
    def load(cls, path: str | os.PathLike) -> Normalization:
        """The normalization that `save` wrote."""
        stored = checkpoint.load(path)
        if not isinstance(stored, dict) or stored.keys() != {"mean", "deviation"}:
            raise ValueError(f"{path} holds no normalization.")
        return cls(**stored)


def _moments(x: np.ndarray, axis: Any) -> tuple[int, np.ndarray, np.ndarray]:
    """Count, mean and sum of squared deviations, shaped to be broadcast against batches."""
    if x.dtype.kind not in "biuf":
        raise TypeError(f"`values` needs real numbers; got {x.dtype}.")
    kept = () if axis is None else (axis,) if isinstance(axis, int) else axis
    own = {a % x.ndim for a in kept}
    others = tuple(a for a in range(x.ndim) if a not in own)
    mean = x.mean(others, dtype=np.float64, keepdims=True)
    squares = ((x - mean) ** 2).sum(others, keepdims=True)
    count = int(np.prod([x.shape[a] for a in others]))
    # The first axis is that of the batch, which single records lack.
    drop = (lambda a: a[0]) if x.ndim and 0 in others else (lambda a: a)
    return count, drop(mean), drop(squares)


def _joined(a: tuple, b: tuple) -> tuple:
    """The moments of two sets together.

    Source: Chan, Golub, LeVeque, Updating formulae and a pairwise algorithm for computing sample
    variances (1979), eq. (2.1).
    """
    n = a[0] + b[0]
    difference = b[1] - a[1]
    mean = a[1] + difference * (b[0] / n)
    return n, mean, a[2] + b[2] + difference**2 * (a[0] * b[0] / n)
