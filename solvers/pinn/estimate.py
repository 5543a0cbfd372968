"""The error estimate: the linearized problem for the error, solved in the network's tangent space.

If u is the trial function and u + e the solution, then to first order the residuals' derivative in
the direction e is minus the residual. The derivatives of u with respect to its parameters span a
space of thousands of functions, adapted to the solution; the best e in it, in the least-squares
sense over fresh points, estimates the error. Directions that hardly change the residuals are
damped, by two strengths of which the larger error counts. The strengths were chosen by hand at
seven moments of training on two problems with known solutions, the cavity and Burgers' equation:
there the stronger one gave 0.3 to 3 times the true error, the weaker one 0.7 to 5 times. Short runs
on other problems were found up to 8 times too small, and more where training failed.

The estimate is blind to errors that no small change of the parameters can mend (a network too
small, a feature that no point has seen).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import diffcore
from diffcore import nn
from equations import Functional, Problem, structure

from .ansatz import Trial
from .terms import Batch, Term, bundles, slopes

DAMPINGS = (1e-4, 1e-6)  # relative to the largest diagonal element of the normal matrix
ROUNDING = 1e-13  # damping where only rounding is to be kept out


@dataclass(frozen=True)
class Linearization:
    """Weighted residuals and their derivatives on fresh points, reduced to normal equations."""

    normal: jax.Array  # (P, P)
    gradient: jax.Array  # (P,)

    def solve(self, right: jax.Array, damping: float) -> jax.Array:
        """The damped normal matrix's inverse applied to `right`."""
        shift = damping * jnp.max(jnp.diag(self.normal))
        damped = self.normal + shift * jnp.eye(len(self.gradient))
        return jax.scipy.linalg.solve(damped, right, assume_a="pos")

    def correction(self, damping: float) -> jax.Array:
        """The change of parameters that would bring the linearized residuals to their least."""
        return self.solve(-self.gradient, damping)


def linearize(
    terms: Sequence[Term], trial: Trial, batches: Sequence[Batch], weights: Sequence[Any]
) -> Linearization:
    """The weighted least-squares problem around `trial`."""
    normal: Any = 0
    gradient: Any = 0
    for bundle in bundles(terms):
        own = tuple(terms[i] for i in bundle)
        scales = [jnp.sqrt(jnp.asarray(weights[i]) / len(batches[i].points)) for i in bundle]
        n, g = _normal(own, trial, [batches[i] for i in bundle], scales)
        normal, gradient = normal + n, gradient + g
    return Linearization(normal, gradient)


@eqx.filter_jit
def _normal(terms, trial: Trial, batches, scales):
    normal: Any = 0
    gradient: Any = 0
    for (residuals, jacobian), scale in zip(slopes(terms, trial, batches), scales, strict=True):
        rows = (residuals * scale).reshape(-1)
        matrix = (jacobian * scale[:, None]).reshape(len(rows), -1)
        normal, gradient = normal + matrix.T @ matrix, gradient + matrix.T @ rows
    return normal, gradient


def relative_errors(
    problem: Problem, trial: Trial, change: jax.Array, points: jax.Array
) -> dict[tuple, float]:
    """The relative L2 size of the fields' first-order change, for each group of fields."""
    squares = mean_squares(problem, trial, change, points)
    return {
        group: float(np.sqrt(error / value)) if value > 0 else float("inf")
        for group, (value, error) in squares.items()
    }


def mean_squares(
    problem: Problem, trial: Trial, change: jax.Array, points: jax.Array
) -> dict[tuple, tuple[float, float]]:
    """The mean squares of the fields and of their first-order change, for each group of fields."""
    groups = structure.groups(problem)
    functionals = tuple(
        Functional(f, (((0,) * len(f.args), 1),)) for group in groups for f in group
    )
    pairs = zip(*first_order(functionals, trial, change, points), strict=True)
    sizes = iter([[float(jnp.mean(jnp.abs(a) ** 2)) for a in pair] for pair in pairs])
    found = {tuple(group): np.sum([next(sizes) for _ in group], axis=0) for group in groups}
    return {group: (float(value), float(error)) for group, (value, error) in found.items()}


@eqx.filter_jit
def first_order(functionals, trial, change, points):
    """The values of functionals at points and their first-order change with the parameters."""
    vector, unflatten = nn.flatten_parameters(trial)
    return jax.jvp(lambda v: unflatten(v).jets(functionals, points), (vector,), (change,))


def deviations(
    problem: Problem, trial: Trial, covariance: np.ndarray
) -> Callable[[Sequence[Any], np.ndarray], np.ndarray]:
    """Standard deviations of expressions at points, (points, expressions), to first order."""

    @diffcore.precision("float64")
    def evaluate(expressions, points):
        compiled = problem.compile(expressions)
        vector, unflatten = nn.flatten_parameters(trial)

        def at(vector, point):
            model = unflatten(vector)
            parameters = model.parameters()
            values = compiled.values(model.jets, point[None], parameters)
            return jnp.stack([r[0] for r in compiled(point[None], values, parameters)])

        slopes = jax.vmap(jax.jacrev(at), (None, 0))(vector, jnp.asarray(points))
        variance = jnp.einsum("nkp,pq,nkq->nk", slopes, jnp.asarray(covariance), slopes)
        return np.sqrt(np.maximum(np.asarray(variance), 0))

    return evaluate
