"""`RandomFeatures`: least squares on features that are drawn once, as a method."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from time import perf_counter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import diffcore
from equations import Problem, structure

from ..monitor import Monitor, Progress, Target
from ..pinn.build import Plan
from ..pinn.terms import Term, terms
from ..solution import Solution
from ..status import Status
from .estimate import Estimate, differences, estimate
from .expansion import expansion, rebuilt
from .least_squares import Fit, fit, project
from .rows import Rows

FEATURES = {1: 800, 2: 2000, 3: 2400}  # of each field at most, by the number of coordinates
MOST_UNKNOWNS = 2400  # a dense factorization of so many takes some ten seconds
MOST_COORDINATES = 5
POINTS = 3  # in the interior, for each feature
BOUNDARY_POINTS = 0.4  # on the part of each condition, for each feature
FEWEST_POINTS = 20
LEVELS = 5  # solutions with ever more features, which give the error estimate
ENOUGH = 1e-8  # estimated error at which more features are not tried, without a tolerance
FAILED = 0.3  # estimated error that is no solution
FRESH_POINTS = 2000
# Bandwidths that are tried, relative to what the features resolve: with the fewest, then with more.
FIRST = (1.4, 1.0, 0.7, 0.5, 0.35, 0.25)
NEARBY = (1.4, 1.0, 0.7)


@dataclass(frozen=True)
class RandomFeatures:
    """Least squares on random features: plane waves with frequencies and phases that are drawn once
    and kept, weighted so that equations and conditions hold best at many points.

    A linear statement is one linear least-squares problem, a nonlinear one a few of them
    (Gauss-Newton). Smooth solutions on any domain of one to four coordinates, time among them, come
    with many digits in seconds; layers, shocks and singular corners slowly.

    Arguments:
        features: of each field, in each patch, at most; by default 800, 2000 or 2400 in one, two
            and more coordinates, fewer for many fields.
        patches: into how many pieces each axis is cut, as a number or `{"t": 4}`, each piece with
            features of its own; for solutions with more detail than the features of one can carry.
        points: in the interior; by default 3 for each feature.
        boundary_points: on the part of each condition; by default 0.4 for each feature.
        bandwidth: the largest frequency, in half waves along a patch; by default what the features
            can resolve, more with more of them.

    Notes:
        The problem is solved with ever more features, drawn anew and twice as many each time, until
        the estimated error is below 1e-8 or the tolerance. All of it is in float64. Cost grows with
        the cube of the features. Positive fields are not positive by construction.

    Source:
        Chen, Chi, E & Yang, J. Mach. Learn. 1 (2022) 268-298 (random feature method); Rahimi &
        Recht, Random features for large-scale kernel machines, NIPS 2007 (waves as features).
    """

    features: int | None = None
    patches: int | Mapping[str, int] = 1
    points: int | None = None
    boundary_points: int | None = None
    bandwidth: float | None = None

    def __post_init__(self):
        for name in ("features", "points", "boundary_points"):
            value = getattr(self, name)
            if value is not None:
                _require_count(name, value)
        for value in self.patches.values() if isinstance(self.patches, Mapping) else [self.patches]:
            _require_count("patches", value)
        if self.bandwidth is not None:
            is_number = isinstance(self.bandwidth, Real) and not isinstance(self.bandwidth, bool)
            if not is_number:
                raise TypeError(f"`bandwidth` is a number; got {self.bandwidth!r:.60}.")
            if not self.bandwidth > 0:
                raise ValueError(f"`bandwidth` must be above 0; got {self.bandwidth}.")

    def in_units(self, scaling: Any) -> RandomFeatures:
        """The method for a problem in dimensionless form: it holds no lengths."""
        return self

    def reasons_against(self, problem: Problem) -> tuple[str, ...]:
        """Why this method cannot take the problem; empty if it can."""
        reasons = []
        ranged = [p.name for p in problem.parameters if p.between is not None]
        if ranged:
            reasons.append(f"parameters that range between values: {', '.join(ranged)}.")
        if any(p.role == "eigenvalue" for p in problem.parameters):
            reasons.append("zero satisfies a problem of eigenvalues: use FiniteElements().")
        if len(problem.domain.regions):
            reasons.append("its functions are smooth, and regions have kinks where they meet.")
        if len(problem.coordinates) > MOST_COORDINATES:
            reasons.append(
                f"waves fill at most {MOST_COORDINATES} coordinates; the domain has "
                f"{len(problem.coordinates)}."
            )
        if isinstance(self.patches, Mapping):
            strangers = [a for a in self.patches if a not in problem.domain.axes]
            if strangers:
                reasons.append(f"`patches` along {', '.join(strangers)}, which is no axis.")
        return tuple(reasons)

    def solve(
        self, problem: Problem, *, key: jax.Array, target: Target, monitor: Monitor
    ) -> Solution:
        """Solve with ever more features, and compare; called by `solve`."""
        with diffcore.precision("float64"):
            return _Run(self, problem, key, target, monitor).solution()

    def rebuild(self, problem: Problem, state: Any) -> tuple[Any, dict[str, float]]:
        """The jets and the identified parameters of a saved solution, from its `state`."""
        with diffcore.precision("float64"):
            found = rebuilt(problem, state)
            return found.jets, {k: float(v) for k, v in found.parameters().items()}


class _Run:
    """One call of `solve`."""

    def __init__(
        self,
        method: RandomFeatures,
        problem: Problem,
        key: jax.Array,
        target: Target,
        monitor: Monitor,
    ):
        self.method, self.problem, self.key = method, problem, key
        self.target, self.monitor = target, monitor
        self.started = perf_counter()
        self.is_linear = structure.is_linear(problem) and not problem.parameters
        self.patches = _patches(method.patches, problem)
        self.share = 1.0
        self.goal = ENOUGH if target.tolerance is None else target.tolerance

    def solution(self) -> Solution:
        sizes = self._sizes
        fits: list[Fit] = []
        gaps: list[dict] = []
        result = estimate(gaps)
        for level, size in enumerate(sizes):
            fits.append(self._best(size, fits, is_last=size == sizes[-1]))
            if level:
                before, last = (f.expansion for f in fits[-2:])
                gaps.append(differences(self.problem, before, last, self._fresh))
                result = estimate(gaps, fits[-1].shrinking(fits[-2]))
            self._report(level, sizes, fits[-1], result)
            if self._is_late() or (len(gaps) > 1 and result.worst <= self.goal):
                break
        return self._finish(fits, result, size)

    @cached_property
    def _sizes(self) -> list[int]:
        """The numbers of features of the levels, doubled each time."""
        n = FEATURES.get(len(self.problem.coordinates), FEATURES[3]) // self._n_patches
        rows = sum(1 if f.is_real else 2 for f in self.problem.fields)
        size = self.method.features or max(min(n, MOST_UNKNOWNS // (rows * self._n_patches)), 8)
        return [max(size // 2**i, 2) for i in reversed(range(LEVELS))]

    @property
    def _n_patches(self) -> int:
        return math.prod(self.patches.values())

    @cached_property
    def _fresh(self) -> jax.Array:
        """Points at which solutions are compared."""
        return jnp.asarray(self.problem.domain.sample_interior(FRESH_POINTS, key=5).points)

    def _is_late(self) -> bool:
        seconds = self.target.seconds
        return seconds is not None and perf_counter() > self.started + seconds

    def _best(self, size: int, before: list[Fit], *, is_last: bool) -> Fit:
        """The fit with the bandwidth that leaves the least, in the mean weights of all that are
        tried; with all features that of before."""
        if self.method.bandwidth is not None:
            return self._fit(size, before, 1.0)
        factors = [f * self.share for f in NEARBY] if before else FIRST
        if before and is_last:
            factors = [self.share]
        found: dict[float, Fit] = {}
        for factor in factors:
            found[factor] = self._fit(size, before, factor)
            if self._is_late():
                break
        weights = np.exp(np.mean([np.log(f.weights) for f in found.values()], axis=0))
        self.share = min(found, key=lambda f: found[f].loss(weights))
        return found[self.share]

    def _fit(self, size: int, before: list[Fit], share: float) -> Fit:
        key = jax.random.fold_in(self.key, len(before))
        start = expansion(
            self.problem,
            size,
            key,
            half_waves=self.method.bandwidth,
            share=share,
            patches=self.patches,
        )
        if before and not self.is_linear:
            start = project(before[-1].expansion, start, self.problem, key)
        rows = [
            Rows(term, term.draw(self._count(term, size), jax.random.fold_in(key, i + 1)), start)
            for i, term in enumerate(self._terms)
        ]
        return fit(rows, start, is_linear=self.is_linear, is_late=self._is_late)

    @cached_property
    def _terms(self) -> tuple[Term, ...]:
        """The terms with the numbers of points that go with all features."""
        n = self._sizes[-1] * self._n_patches
        inner = self.method.points or POINTS * n
        outer = self.method.boundary_points or math.ceil(BOUNDARY_POINTS * n)
        return terms(self.problem, Plan(), inner, outer)

    def _count(self, term: Term, size: int) -> int:
        """The number of points of a term that go with fewer features."""
        return min(term.count, max(math.ceil(term.count * size / self._sizes[-1]), FEWEST_POINTS))

    def _report(self, level: int, sizes: list[int], last: Fit, result: Estimate) -> None:
        seconds, fraction = perf_counter() - self.started, 8.0 ** (level + 1 - len(sizes))
        loss = last.losses[-1] if last.losses else None
        error = result.worst if result.errors else None
        message = f"{sizes[level]} features"
        self.monitor.report(
            Progress("least squares", level, loss, seconds, fraction, error, message)
        )

    def _finish(self, fits: list[Fit], result: Estimate, size: int) -> Solution:
        last = fits[-1]
        return Solution(
            problem=self.problem,
            method=self.method,
            jets=last.expansion.jets,
            status=self._status(last, result),
            seconds=perf_counter() - self.started,
            parameters={k: float(v) for k, v in last.expansion.parameters().items()},
            history={
                "level": np.concatenate([np.full(len(f.losses), i) for i, f in enumerate(fits)]),
                "loss": np.concatenate([f.losses for f in fits]),
            },
            errors=result.errors,
            choices=tuple(self._choices(last, result, size)),
            state=last.expansion.arrays(),
        )

    def _status(self, last: Fit, result: Estimate) -> Status:
        wanted = self.target.tolerance
        if not last.losses:
            return Status.NOT_FINITE
        if last.converged and wanted is not None and result.worst <= wanted:
            return Status.TOLERANCE_REACHED
        if self._is_late():
            return Status.BUDGET_SPENT
        if not last.converged or result.worst > FAILED:
            return Status.NOT_CONVERGED
        return Status.SOLVED if wanted is None else Status.STEPS_SPENT

    def _choices(self, last: Fit, result: Estimate, size: int) -> Iterator[str]:
        for branch in last.expansion.branches:
            names = ", ".join(map(str, branch.fields))
            widest = float(jnp.max(jnp.linalg.norm(branch.features.frequencies, axis=0)))
            cut = {a: n for a, n in self.patches.items() if n > 1}
            each = f" in each of {self._n_patches} patches {cut}" if cut else ""
            yield (
                f"{names}: {size} plane waves{each}, with up to {2 * widest / np.pi:.3g} half "
                "waves along the box, drawn once; their weights are found by least squares, in "
                "float64."
            )
        for term in self._terms:
            yield f"{term.kind} on {term.label}: {self._count(term, size)} points."
        if not self.is_linear:
            yield f"{len(last.losses)} steps of Gauss-Newton with all features."
        yield result.explanation


def _patches(patches: int | Mapping[str, int], problem: Problem) -> dict[str, int]:
    """The number of pieces along each axis; one along a periodic axis."""
    axes = problem.domain.axes
    given = patches if isinstance(patches, Mapping) else dict.fromkeys(axes, patches)
    return {a: 1 if a in problem.domain.periods else given.get(a, 1) for a in axes}


def _require_count(name: str, value: Any) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"`{name}` of RandomFeatures is a whole number; got {value!r:.60}.")
    if value < 1:
        raise ValueError(f"`{name}` of RandomFeatures must be at least 1; got {value}.")
