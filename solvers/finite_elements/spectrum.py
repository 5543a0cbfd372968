"""Eigenvalue problems: K u = lambda M u on meshes of size 4h, 2h and h.

The weak form is linear and homogeneous in the fields and affine in the eigenvalue, so that its
tangent at lambda = 0 is K and its slope by lambda is -M. Eigenvalues converge with twice the order
of the gradients; their errors, and those of the eigenfunctions, are estimated from the three meshes
as those of other solutions are. Eigenfunctions of one multiple eigenvalue are any basis of their
span; the error of each is its distance from the span of those on the coarser mesh.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
import sympy

from equations import Parameter, Problem, WeakForm
from equations.structure import jet_expression

from .eigen import lowest, nearest
from .estimate import Estimate, estimate
from .grid import Grid
from .space import Product, make_spaces
from .system import Densities, System

CLUSTER = 1e-2  # eigenvalues so near to each other, relative, are taken for one on a coarse mesh
NOTHING = 1e-6  # of the largest eigenvalue: below that one is zero


def eigenvalues_of(problem: Problem) -> tuple[Parameter, ...]:
    """The eigenvalues among the parameters."""
    return tuple(p for p in problem.parameters if p.role == "eigenvalue")


def reasons_against_modes(weak: WeakForm, eigenvalue: Parameter) -> list[str]:
    """Why the weak form is no linear eigenvalue problem; empty if it is one."""
    if weak.time is not None:
        return ["an eigenvalue is sought of an equation in time: state it for the steady modes"]
    reasons = []
    held = [jet_expression(e) for e in weak.expressions]
    if not weak.is_linear:
        reasons.append("an eigenvalue is sought of equations that are not linear in the fields")
    sources = (h.rest() for h in held)
    if any(b.value != 0 for b in weak.essential) or any(s != 0 for s in sources):
        reasons.append("an eigenvalue is sought beside sources or boundary values that are not 0")
    if any(sympy.diff(h.expression, eigenvalue, 2) != 0 for h in held):
        reasons.append(
            f"{eigenvalue} enters by another function than c {eigenvalue}: state the problem for "
            "that function, as for omega² in place of omega"
        )
    return reasons


@dataclass(frozen=True, eq=False)
class Modes:
    """Eigenpairs on one mesh, with only the free degrees of freedom filled in: `vectors`
    (modes, dofs), normalized in L2."""

    space: Product
    values: np.ndarray
    vectors: np.ndarray
    complete: bool | None


class Spectrum:
    """The eigenvalue problem of a weak form, compiled once for all meshes."""

    def __init__(self, weak: WeakForm, eigenvalue: Parameter) -> None:
        self.weak = weak
        self.stiffness = Densities(_mapped(weak, lambda e: e.subs(eigenvalue, 0)))
        self.mass = Densities(_mapped(weak, lambda e: -sympy.diff(e, eigenvalue)))

    def on(self, shape: Any, size: Any, degrees: Any, count: int, near: float | None) -> Modes:
        """The lowest `count` modes on a mesh, or those next to a number."""
        space = make_spaces(shape, size, degrees)
        free = System(space, self.stiffness).free
        rest = (np.zeros(space.size),)
        stiffness, mass = (
            System(space, d).tangent(rest, None, (1.0,))[free][:, free]
            for d in (self.stiffness, self.mass)
        )
        count = min(count, free.size - 2)
        if near is None:
            pairs = lowest(stiffness, mass, count, space.main.dimension)
        else:
            pairs = nearest(stiffness, mass, count, near)
        vectors = np.zeros((count, space.size))
        vectors[:, free] = pairs.vectors.T
        return Modes(space, pairs.values, _normalized(space, vectors), pairs.complete)


def estimates(levels: list[Modes], degrees: Any) -> tuple[Estimate, Estimate]:
    """The estimated relative errors of the eigenvalues (modes,), and of the eigenfunctions
    (modes, unknowns)."""
    last = levels[-3:]
    sizes = np.maximum(np.abs(last[-1].values), NOTHING * np.abs(last[-1].values).max())
    steps = [np.abs(a.values - b.values) / sizes for a, b in zip(last, last[1:], strict=False)]
    shapes = [_distances(a, b) for a, b in zip(last, last[1:], strict=False)]
    order = 2 * max(degrees) - 1  # one more is added for functions
    return estimate(steps, order), estimate(shapes, np.asarray(degrees))


def _mapped(weak: WeakForm, change: Any) -> WeakForm:
    return replace(
        weak,
        sources=tuple(map(change, weak.sources)),
        fluxes=tuple(tuple(map(change, flux)) for flux in weak.fluxes),
        natural=tuple(replace(b, value=change(sympy.sympify(b.value))) for b in weak.natural),
    )


def _normalized(space: Product, vectors: np.ndarray) -> np.ndarray:
    """The vectors with the norm one in L2 of all unknowns together, and a sign that does not depend
    on the mesh."""
    masses = scipy.sparse.block_diag([own.mass for own in space.spaces], format="csr")
    norms = np.sqrt(np.einsum("mi,im->m", vectors, masses @ vectors.T))
    vectors = vectors / norms[:, None]
    places = np.concatenate([own.grid.nodes for own in space.spaces])
    ones = np.ones(space.size)
    slanted = (places - places.mean(axis=0)) @ np.sqrt(1.0 + np.arange(places.shape[1]))
    tests = np.stack([masses @ ones, masses @ slanted, masses @ slanted**2])
    moments = vectors @ tests.T / np.linalg.norm(tests, axis=1)
    which = np.argmax(np.abs(moments) > 0.1 * np.abs(moments).max(axis=1, keepdims=True), axis=1)
    return vectors * np.sign(moments[np.arange(len(vectors)), which])[:, None]


def _distances(coarse: Modes, fine: Modes) -> np.ndarray:
    """For each mode and unknown the L2 distance, relative, of the fine eigenfunction from the span
    of the coarse ones of its eigenvalue."""
    space = fine.space.main
    points = space.interior.points.reshape(-1, space.dimension)
    weights = np.sqrt(space.interior.weights.ravel())
    old, new = (_at(modes, points) * weights for modes in (coarse, fine))
    count, unknowns, _ = new.shape
    result = np.zeros((count, unknowns))
    for i, value in enumerate(fine.values):
        near = np.abs(fine.values - value) <= CLUSTER * np.abs(fine.values).max()
        basis = old[near].reshape(near.sum(), -1).T
        flat = new[i].ravel()
        misfit = flat - basis @ np.linalg.lstsq(basis, flat, rcond=None)[0]
        sizes = np.linalg.norm(new[i], axis=-1)
        sizes = np.maximum(sizes, NOTHING * sizes.max())
        result[i] = np.linalg.norm(misfit.reshape(unknowns, -1), axis=-1) / sizes
    return result


def _at(modes: Modes, points: np.ndarray) -> np.ndarray:
    """The eigenfunctions at points, (modes, unknowns, points)."""
    grid: Grid = modes.space.main.grid
    places = grid.locate(points)
    rows = []
    for space, own in zip(modes.space.spaces, modes.space.split(modes.vectors), strict=True):
        found = space.grid.at(places)
        rows.append(np.einsum("pb,mpb->mp", found.values, own[:, found.dofs]))
    return np.stack(rows, axis=1)
