"""The rows of the least-squares problem: residuals of a term and their derivatives by all weights.

Values of functionals at the points are linear in the weights, with matrices that are computed once;
the compiled residual supplies the rest of the chain rule.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import numpy as np

from equations import Functional

from ..pinn.terms import Batch, Term
from .expansion import Expansion

BLOCK = 512  # points of a term that are evaluated at a time
ELSEWHERE = 16  # points of a term with quadrature that are differentiated at a time

Block = tuple[int, np.ndarray]  # where its weights start, and its matrix (n, features)


class Rows:
    """One term at a batch of points, for expansions with the same features as `expansion`."""

    def __init__(self, term: Term, batch: Batch, expansion: Expansion):
        self.term, self.batch = term, batch
        is_local = term.compiled.is_local
        self.numbers = _numbers(term, batch, expansion) if is_local else None

    def residuals(self, expansion: Expansion) -> np.ndarray:
        """(rows, n)."""
        if self.numbers is None:
            return np.asarray(_elsewhere(self.term, expansion, self.batch)).T
        return _in_blocks(_here, self.term, *self._values(expansion), self.batch).T

    def slopes(self, expansion: Expansion) -> np.ndarray:
        """The derivatives of the residuals by the vector of the expansion: (rows, n, unknowns)."""
        if self.numbers is None:
            found = _slopes_elsewhere(self.term, expansion, self.batch)
            return np.asarray(found).transpose(1, 0, 2)
        outer = _in_blocks(_slopes_here, self.term, *self._values(expansion), self.batch)
        n, rows, _ = outer.shape
        result = np.zeros((rows, n, expansion.vector.size))
        for k, blocks in enumerate(self.numbers):
            for r in np.flatnonzero(outer[:, :, k].any(axis=0)):
                for start, matrix in blocks:
                    result[r, :, start : start + matrix.shape[1]] += outer[:, r, k, None] * matrix
        if expansion.unknowns:
            by_parameter = outer[:, :, len(self.numbers) :] * expansion.rates()
            result[:, :, -len(expansion.unknowns) :] = by_parameter.swapaxes(0, 1)
        return result

    def _values(self, expansion: Expansion) -> tuple[tuple[str, ...], np.ndarray]:
        """The names of the parameters, and the numbers at each point, (n, numbers): functionals in
        real and imaginary parts and then the parameters."""
        vector, n = np.asarray(expansion.vector), len(self.batch.points)
        parameters = expansion.parameters()
        columns = [np.full(n, float(value)) for value in parameters.values()]
        for blocks in reversed(self.numbers or []):
            parts = [matrix @ vector[start : start + matrix.shape[1]] for start, matrix in blocks]
            columns.insert(0, sum(parts, np.zeros(n)))
        return tuple(parameters), np.reshape(columns, (len(columns), n)).T


def _numbers(term: Term, batch: Batch, expansion: Expansion) -> list[list[Block]]:
    """For each real number that the term needs at a point the blocks of weights that make it."""
    starts = np.cumsum([0, *(b.weights.size for b in expansion.branches)])
    known: dict[Any, np.ndarray] = {}
    found: list[list[Block]] = []
    for functional in term.compiled.local:
        index = expansion.branch(functional.field)
        branch, request = expansion.branches[index], (index, functional.terms)
        if request not in known:
            known[request] = np.asarray(branch.basis(functional, batch.points))
        rows = branch.rows(functional.field)
        places = [int(starts[index]) + row * branch.features.size for row in rows]
        if not _is_complex(functional):
            found.append([(places[0], known[request])])
            continue
        parts = [(place, 1j**i * known[request]) for i, place in enumerate(places)]
        found.append([(place, matrix.real.copy()) for place, matrix in parts])
        found.append([(place, matrix.imag.copy()) for place, matrix in parts])
    return found


def _is_complex(functional: Functional) -> bool:
    return not functional.field.is_real or any(complex(c).imag for _, c in functional.terms)


def _row(term: Term, names: tuple[str, ...], numbers: jax.Array, batch: Batch) -> jax.Array:
    """The residuals at one point: (rows,)."""
    places = iter(numbers)
    values = [
        jax.lax.complex(next(places), next(places))[None] if _is_complex(f) else next(places)[None]
        for f in term.compiled.local
    ]
    parameters = dict(zip(names, places, strict=True))
    return term.residuals(values, parameters, jax.tree.map(lambda leaf: leaf[None], batch))[0]


def _in_blocks(function, term, names, numbers, batch) -> np.ndarray:
    """`function` of all points, some at a time: compiled once, whatever their number."""
    n = len(numbers)
    padding = np.minimum(np.arange(n + -n % BLOCK), n - 1)
    padded = jax.tree.map(lambda leaf: np.asarray(leaf)[padding], (numbers, batch))
    starts = range(0, len(padding), BLOCK)
    pieces = [
        function(term, names, *jax.tree.map(lambda leaf, at=i: leaf[at : at + BLOCK], padded))
        for i in starts
    ]
    return np.concatenate([np.asarray(piece) for piece in pieces])[:n]


@eqx.filter_jit
def _here(term, names, numbers, batch):
    return jax.vmap(lambda own, one: _row(term, names, own, one))(numbers, batch)


@eqx.filter_jit
def _slopes_here(term, names, numbers, batch):
    slope = jax.jacfwd(lambda own, one: _row(term, names, own, one))
    return jax.vmap(slope)(numbers, batch)


def _at_one(term: Term, expansion: Expansion, one: Batch) -> jax.Array:
    batch = jax.tree.map(lambda leaf: leaf[None], one)
    parameters = expansion.parameters()
    return term.residuals(term.values(expansion.jets, parameters, batch), parameters, batch)[0]


@eqx.filter_jit
def _elsewhere(term, expansion, batch):
    return jax.lax.map(lambda one: _at_one(term, expansion, one), batch, batch_size=ELSEWHERE)


@eqx.filter_jit
def _slopes_elsewhere(term, expansion, batch):
    def slopes(one):
        rows = jax.jacrev(lambda vector: _at_one(term, expansion.with_vector(vector), one))
        return rows(expansion.vector)

    return jax.lax.map(slopes, batch, batch_size=ELSEWHERE)
