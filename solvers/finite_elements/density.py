"""Expressions and their derivatives with respect to the fields, at quadrature points.

The jet of a field at a point is (u, du/dx_1, ..., du/dx_d, du/dt, ...). Every expression of a weak
form is a pointwise function of the coordinates and the fields' jets; JAX differentiates it, so that
the tangent of any nonlinear flux or source is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from equations import compile_expressions

BLOCK = 1024  # points a call: of one size, so that every mesh runs the same compiled program


class Density:
    """A list of expressions as a function of points and jets, with its derivative."""

    def __init__(self, expressions: Sequence[Any], weak: Any) -> None:
        time = [] if weak.time is None else [weak.time]
        self.coordinates = (*weak.space, *time)
        self.shape = (len(weak.unknowns), 1 + len(weak.space) + max(weak.time_orders))
        compiled = compile_expressions(expressions, self.coordinates, collapse=False)
        slots = [_slot(f, weak) for f in compiled.functionals]

        def at_point(point, normal, jets):
            values = [jets[slot] for slot in slots]
            return jnp.stack(compiled(point, values, normals=normal))

        def with_slope(point, normal, jets):
            slope = jax.jacfwd(at_point, argnums=2)(point, normal, jets)
            return at_point(point, normal, jets), slope

        self._evaluate = jax.jit(jax.vmap(with_slope))

    def __call__(
        self, points: np.ndarray, jets: np.ndarray, t: float | None, normals: Any = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Values (..., e) and their derivatives by the jets (..., e, k, j).

        `points` (..., d) in space, `jets` (..., k, j), `normals` (..., d)."""
        lead = points.shape[:-1]
        flat = points.reshape(-1, points.shape[-1])
        if t is not None:
            flat = np.concatenate([flat, np.full((len(flat), 1), t)], axis=1)
        outward = np.zeros_like(flat)
        if normals is not None:
            outward[:, : points.shape[-1]] = normals.reshape(-1, points.shape[-1])
        values, slopes = self._blocks(flat, outward, jets.reshape(-1, *self.shape))
        return values.reshape(*lead, *values.shape[1:]), slopes.reshape(*lead, *slopes.shape[1:])

    def _blocks(self, *arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = len(arrays[0])
        padding = -n % BLOCK
        padded = [np.concatenate([a, np.repeat(a[-1:], padding, axis=0)]) for a in arrays]
        starts = range(0, n + padding, BLOCK)
        pairs = [self._evaluate(*(a[i : i + BLOCK] for a in padded)) for i in starts]
        values = np.concatenate([np.asarray(value) for value, _ in pairs])
        slopes = np.concatenate([np.asarray(slope) for _, slope in pairs])
        return values[:n], slopes[:n]


def _slot(functional: Any, weak: Any) -> tuple[int, int]:
    """Where the value of a functional is found among the jets."""
    ((orders, _),) = functional.terms
    derived = [(a, n) for a, n in zip(functional.field.args, orders, strict=True) if n]
    index = 0
    for argument, n in derived:
        in_time = argument == weak.time
        index = len(weak.space) + n if in_time else 1 + weak.space.index(argument)
    return weak.unknowns.index(functional.field), index
