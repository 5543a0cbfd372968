"""Fields as sums of random features, linear in their weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from sympy.core.function import AppliedUndef

from equations import Functional, Problem

from ..pinn.ansatz import Unknown
from .features import Features, bandwidth, draw, numpy_for

BLOCK = 2048  # points at a time


class Branch(eqx.Module):
    """Fields of the same coordinates and the features that they share; a complex field has two
    rows of weights, for its real and its imaginary part."""

    features: Features
    weights: jax.Array  # (rows, features)
    columns: tuple[int, ...] = eqx.field(static=True)
    fields: tuple[AppliedUndef, ...] = eqx.field(static=True)

    def rows(self, field: AppliedUndef) -> tuple[int, ...]:
        """The rows of weights of a field."""
        start = sum(_n_rows(f) for f in self.fields[: self.fields.index(field)])
        return tuple(range(start, start + _n_rows(field)))

    def basis(self, functional: Functional, points: jax.Array) -> jax.Array:
        """The functional of every feature at points of the problem: (n, features)."""
        return self.features.basis(functional.terms, points[:, np.array(self.columns)])

    def value(self, functional: Functional, points: jax.Array) -> jax.Array:
        """The functional at points: (n,)."""
        weights = numpy_for(points, self.weights).asarray(self.weights)
        parts = self.basis(functional, points) @ weights[np.array(self.rows(functional.field))].T
        return parts[:, 0] if parts.shape[1] == 1 else parts[:, 0] + 1j * parts[:, 1]


class Expansion(eqx.Module):
    """All fields and the numbers to identify."""

    branches: tuple[Branch, ...]
    raw: jax.Array  # (unknowns,)
    unknowns: tuple[Unknown, ...] = eqx.field(static=True)

    def branch(self, field: AppliedUndef) -> int:
        """The index of the branch that carries a field."""
        return next(i for i, b in enumerate(self.branches) if field in b.fields)

    def jets(self, functionals: Sequence[Functional], points: Any) -> list[jax.Array]:
        """The values of functionals at points (n, d): what every method supplies."""
        points = numpy_for(points, self.raw).asarray(points)
        n = points.shape[0]
        if not isinstance(n, int):  # a symbol, while the solution is exported
            return [self.branches[self.branch(f.field)].value(f, points) for f in functionals]
        blocks = [points[i : i + BLOCK] for i in range(0, max(n, 1), BLOCK)]
        return [
            jnp.concatenate([self.branches[self.branch(f.field)].value(f, b) for b in blocks])
            for f in functionals
        ]

    def rates(self) -> jax.Array:
        """The derivatives of the numbers to identify by the raw ones."""
        return jnp.array(
            [jax.grad(u.value)(r) for u, r in zip(self.unknowns, self.raw, strict=True)]
        )

    def parameters(self) -> Mapping[str, jax.Array]:
        """The numbers to identify, by name."""
        return {u.name: u.value(self.raw[i]) for i, u in enumerate(self.unknowns)}

    @property
    def vector(self) -> jax.Array:
        """Everything that is solved for: the weights, branch by branch and row by row, and then the
        raw numbers."""
        return jnp.concatenate([*(b.weights.reshape(-1) for b in self.branches), self.raw])

    def with_vector(self, vector: jax.Array) -> Expansion:
        """The same features with other weights and numbers."""
        branches, start = [], 0
        for b in self.branches:
            stop = start + b.weights.size
            weights = vector[start:stop].reshape(b.weights.shape)
            branches.append(eqx.tree_at(lambda own: own.weights, b, weights))
            start = stop
        return Expansion(tuple(branches), vector[start:], self.unknowns)

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays from which it can be rebuilt."""
        found = {"raw": np.asarray(self.raw)}
        for i, b in enumerate(self.branches):
            found[f"frequencies{i}"] = np.asarray(b.features.frequencies)
            found[f"phases{i}"] = np.asarray(b.features.phases)
            found[f"weights{i}"] = np.asarray(b.weights)
            found[f"patches{i}"] = np.asarray(b.features.patches)
        return found


def expansion(
    problem: Problem,
    size: int,
    key: jax.Array,
    *,
    half_waves: float | None = None,
    share: float = 1.0,
    patches: Mapping[str, int] | None = None,
) -> Expansion:
    """Zero, as an expansion of all fields of a problem in `size` features for each patch."""
    branches = []
    for i, (columns, fields) in enumerate(_groups(problem)):
        lower, upper = _box(problem, columns)
        axes = [problem.domain.axes[c] for c in columns]
        periodic = [i for i, axis in enumerate(axes) if axis in problem.domain.periods]
        filled = _filled(problem.domain) if len(columns) == len(problem.coordinates) else 1.0
        widest = bandwidth(size / filled, len(columns))
        if half_waves is not None:
            widest = np.pi / 2 * half_waves
        features = draw(
            jax.random.fold_in(key, i),
            size,
            (lower, upper),
            widest=share * widest,
            patches=[(patches or {}).get(axis, 1) for axis in axes],
            periodic=periodic,
        )
        rows = sum(map(_n_rows, fields))
        branches.append(Branch(features, jnp.zeros((rows, features.size)), columns, fields))
    unknowns = unknowns_of(problem)
    return Expansion(tuple(branches), jnp.zeros(len(unknowns)), unknowns)


def _box(problem: Problem, columns: tuple[int, ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    lower, upper = problem.domain.bounds
    return tuple(float(lower[c]) for c in columns), tuple(float(upper[c]) for c in columns)


def _filled(domain: Any) -> float:
    """The share of its box that a domain fills: fewer waves can be told apart there."""
    lower, upper = map(np.asarray, domain.bounds)
    return float(domain.measure / np.prod(upper - lower))


def rebuilt(problem: Problem, state: Mapping[str, np.ndarray]) -> Expansion:
    """The expansion with the arrays of `Expansion.arrays`."""
    branches = []
    for i, (columns, fields) in enumerate(_groups(problem)):
        lower, upper = _box(problem, columns)
        waves, phases = (jnp.asarray(state[f"{name}{i}"]) for name in ("frequencies", "phases"))
        features = Features(waves, phases, lower, upper, tuple(map(int, state[f"patches{i}"])))
        branches.append(Branch(features, jnp.asarray(state[f"weights{i}"]), columns, fields))
    return Expansion(tuple(branches), jnp.asarray(state["raw"]), unknowns_of(problem))


def unknowns_of(problem: Problem) -> tuple[Unknown, ...]:
    """The numbers to identify."""
    return tuple(
        Unknown(p.name, float(p.initial), bool(p.is_positive))
        for p in problem.parameters
        if p.initial is not None
    )


def _groups(problem: Problem) -> list[tuple[tuple[int, ...], tuple[AppliedUndef, ...]]]:
    """The fields by their coordinates, as columns of the problem's points."""
    groups: dict[tuple[int, ...], tuple[AppliedUndef, ...]] = {}
    for f in problem.fields:
        columns = tuple(problem.coordinates.index(a) for a in f.args)
        groups[columns] = (*groups.get(columns, ()), f)
    return list(groups.items())


def _n_rows(field: AppliedUndef) -> int:
    return 1 if field.is_real else 2
