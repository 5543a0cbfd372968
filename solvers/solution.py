"""`Solution`: what every method returns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import sympy

import diffcore
from equations import Parameter, Problem, as_expression
from geometry import Part, Point, Wire, WireInTime

from . import verify
from .status import Status


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """The solution of a problem: evaluate it, differentiate it, integrate it, plot it, save it.

    Attributes:
        problem, method: what was solved and how.
        jets(functionals, points): the numbers that the discretization supplies, one array for each
            functional.
        parameters: values of the parameters, by name.
        status: how the run ended.
        seconds: wall time.
        history: columns of numbers recorded during the run.
        errors: estimated relative L2 error of each group of fields.
        choices: sentences on what was chosen and why.
        state: arrays from which the solution can be rebuilt.
        deviations: `(expressions, points) -> standard deviations`, for inverse problems.
        scaling: the scales of the dimensionless form that was solved; None without one.
    """

    problem: Problem
    method: Any
    jets: Callable
    status: Status
    seconds: float
    parameters: Mapping[str, float] = field(default_factory=dict)
    history: Mapping[str, np.ndarray] = field(default_factory=dict)
    errors: Mapping[tuple, float] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    state: Any = None
    deviations: Callable | None = None
    scaling: Any = None

    def __call__(self, expression: Any, points: Any, **parameters: float) -> np.ndarray:
        """Values of any expression in the fields, their derivatives and the coordinates.

        Arguments:
            expression: a SymPy scalar, or a vector or matrix.
            points: (..., d) in the order of the domain's axes; (n,) in one dimension.
            parameters: values of ranged parameters, as `Re=120`.

        Returns:
            (...) for a scalar, (..., k) for a vector, (..., k, m) for a matrix; nan where an
            unknown of one region is asked for in another.

        Raises:
            TypeError for what is no expression, and inside `jax.jit` or `jax.grad`; ValueError for
            points of a wrong length or not finite, expressions with foreign symbols, and
            parameters that the problem does not have.
        """
        expressions, shape = _components(expression)
        self._require_known(parameters, expressions)
        points = self._points(points)
        values = self._evaluate(expressions, points, parameters)
        return values.reshape((*points.shape[:-1], *shape))[()]  # one point: a number

    def __repr__(self) -> str:
        method, error = type(self.method).__name__, self.error_estimate
        estimate = "no estimate" if error is None else f"estimate {error:.2g}"
        name = f"{self.problem.name!r}, " if self.problem.name else ""
        return f"Solution({name}{method}, {self.status.name}, {estimate}, {self.seconds:.3g} s)"

    def __getitem__(self, parameter: Any) -> float:
        """The value of a parameter, identified or given."""
        name = str(parameter)
        if name not in self.parameters:
            known = ", ".join(self.parameters) or "none"
            raise KeyError(f"`solution[{name}]`: the problem's parameters are: {known}.")
        return float(self.parameters[name])

    def at(self, **parameters: float) -> Solution:
        """The solution for values of ranged parameters, as `solution.at(Re=120)`, to report on, to
        save for other programs and to plot as any other."""
        self._require_known(parameters, [])
        values = {**self.parameters, **parameters}
        return replace(self, jets=self._jets(values), parameters=values)

    def _jets(self, values: Mapping[str, float]) -> Callable:
        """The jets for values of the parameters."""
        return self.jets.at(values) if hasattr(self.jets, "at") else self.jets

    @property
    def _whole(self) -> tuple[Problem, Callable]:
        """The problem that was solved and its jets: with ranged parameters as coordinates."""
        jets: Any = self.jets
        return (jets.family, jets.jets) if hasattr(jets, "family") else (self.problem, jets)

    def deviation(self, expression: Any, points: Any = None) -> Any:
        """The standard deviation of an identified parameter, or of an expression at points, that
        the noise of the data leaves (first order, from the curvature of the misfit)."""
        if self.deviations is None:
            raise ValueError(
                "`deviation` needs a problem with `data`, and a method that fits them; this "
                "solution has none."
            )
        expressions, shape = _components(expression)
        if isinstance(expression, Parameter):
            points = np.asarray(self.problem.domain.bounds[0], dtype=float)[None]
            return float(self.deviations(expressions, points)[0, 0])
        values = self.deviations(expressions, self._points(points))
        return values.reshape((*values.shape[:-1], *shape))[()]

    def integrate(
        self, expression: Any, over: Any = None, *, n: int = 20_000, **parameters: float
    ) -> Any:
        """The integral of an expression over the domain, or over a part of its boundary.

        Arguments:
            expression: a scalar, vector or matrix; over a part it may hold the normal.
            over: a part, its name, or a tuple of names; or a `Wire`.
            n: number of quadrature points.
            parameters: values of ranged parameters.

        Returns:
            a number, or an array of the shape of the expression. Space-time domains are integrated
            over time too.
        """
        expressions, shape = _components(expression)
        self._require_known(parameters, expressions)
        domain = self.problem.domain
        if over is None:
            sample, normals = domain.sample_interior(n, key=0), None
        else:
            sample = _part(domain, over).sample(n, key=0)
            self._warn_outside(np.asarray(sample.points))
            normals = sample.normals
        values = self._evaluate(expressions, np.asarray(sample.points), parameters, normals)
        values[self._nowhere(expressions, sample.points)] = 0
        result = np.asarray(sample.weights) @ values
        return result.reshape(shape) if shape else result.item()

    @property
    def error_estimate(self) -> float | None:
        """The estimated relative L2 error of the fields with the highest derivatives; the others
        are in `errors`. None where the method has no estimate."""
        return next(iter(self.errors.values()), None)

    @cached_property
    def residuals(self) -> tuple[verify.Misfit, ...]:
        """The misfit of each equation on fresh points."""
        return verify.equation_misfits(*self._whole, self.parameters)

    @cached_property
    def condition_errors(self) -> tuple[verify.Misfit, ...]:
        """The misfit of each condition on fresh points of its part."""
        return verify.condition_misfits(*self._whole, self.parameters)

    @property
    def residual_norm(self) -> float:
        """Root mean square of all equations' residuals on fresh points."""
        return float(np.sqrt(sum(m.rms**2 for m in self.residuals)))

    def report(self) -> Any:
        """The statement, the method, the errors and the cost, as Markdown (`print` it)."""
        from .report import report

        return report(self)

    def plot(self, expression: Any = None, **options: Any) -> Any:
        """A picture of an expression over the domain, as a Matplotlib figure; see `plot`."""
        from .plot import plot

        return plot(self, expression, **options)

    def save(self, path: str | Path, expressions: Any = None) -> Path:
        """Write the solution: `.npz` can be loaded again by `science.load`; `.vtu` and `.csv` hold
        values of the fields (or of `expressions`) for other programs."""
        from .files import save

        return save(self, Path(path), expressions)

    def __export__(self, example: Any, expressions: Any) -> diffcore.Exportable:
        """What `diffcore.export` writes."""
        from .exported import exportable

        return exportable(self, example, expressions)

    def _require_known(self, parameters: Mapping[str, float], expressions: list) -> None:
        used = {s for e in expressions for s in e.free_symbols if isinstance(s, Parameter)}
        known = sorted({p.name for p in (*self.problem.parameters, *used)})
        for name in parameters:
            if name not in known:
                there = ", ".join(known) or "none"
                raise ValueError(f"`{name}` is no parameter of the problem; those are: {there}.")

    def _points(self, points: Any) -> np.ndarray:
        points = _numbers(points)
        d = len(self.problem.coordinates)
        if d == 1 and (points.ndim <= 1 or points.shape[-1] != 1):
            points = points[..., None]
        if points.ndim == 0 or points.shape[-1] != d:
            axes = ", ".join(map(str, self.problem.coordinates))
            raise ValueError(
                f"`points` must have {d} columns, the coordinates ({axes}); got {points.shape}."
            )
        if not np.isfinite(points).all():
            wrong = points[~np.isfinite(points).all(axis=-1)][0].tolist()
            raise ValueError(f"`points` must be finite numbers; got {wrong}: leave those rows out.")
        self._warn_outside(points.reshape(-1, d))
        return points

    def _warn_outside(self, points: np.ndarray) -> None:
        outside = ~np.asarray(self.problem.domain.contains(points))
        if outside.any():
            warnings.warn(
                f"{outside.sum()} of {outside.size} points lie outside the domain, where the "
                "solution is extrapolated.",
                stacklevel=4,
            )

    def _evaluate(self, expressions, points, parameters, normals=None) -> np.ndarray:
        compiled = self.problem.compile(expressions)
        flat = points.reshape(-1, points.shape[-1])
        if not len(flat):
            return np.zeros((*points.shape[:-1], len(expressions)))
        with diffcore.precision("float64"):
            given = {**self.parameters, **parameters}
            normals = None if normals is None else jnp.asarray(normals)
            values = compiled.values(self._jets(given), jnp.asarray(flat), given, normals)
            results = compiled(jnp.asarray(flat), values, given, normals)
            stacked = np.stack([np.asarray(jax.device_get(r)) for r in results], axis=-1)
        unknown = ~np.isfinite(stacked).all(axis=-1)
        if unknown.any():
            warnings.warn(
                f"the expression is not finite at {unknown.sum()} of {unknown.size} points, as "
                "the logarithm or root of a negative number, or a division by zero.",
                stacklevel=3,
            )
        nowhere = self._nowhere(expressions, flat)
        if nowhere.any():
            stacked = np.where(nowhere, np.nan, stacked)
        return stacked.reshape(*points.shape[:-1], len(expressions))

    def _nowhere(self, expressions: list, points: np.ndarray) -> np.ndarray:
        """At which points which expressions hold unknowns that do not live there, (n, k)."""
        return np.stack([~self.problem.defines(e, points) for e in expressions], axis=-1)


def _components(expression: Any) -> tuple[list[sympy.Expr], tuple[int, ...]]:
    """The scalars in an expression, and its shape: (), (k,) for a row or column, or (k, m)."""
    value = as_expression(expression, "expression")
    if not isinstance(value, sympy.MatrixBase | sympy.Tuple):
        return [value], ()
    if not len(value):
        raise ValueError("`expression` is empty: give an expression, or a vector of some.")
    is_table = isinstance(value, sympy.MatrixBase) and 1 not in value.shape
    return list(value), value.shape if is_table else (len(value),)


def _numbers(points: Any) -> np.ndarray:
    if isinstance(points, jax.core.Tracer):
        raise TypeError(
            "`points` are traced: a solution is evaluated outside `jax.jit`, `jax.vmap` and "
            "`jax.grad`. It takes whole arrays of points, and derivatives as expressions: "
            "`solution(diff(u, x), points)`. Inside a trace a network has "
            "`solution.jets(functionals, points)`."
        )
    try:
        if points is None:
            raise TypeError
        return np.asarray(points, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(
            f"`points` is an array of numbers, one row a point; got {type(points).__name__} "
            f"{points!r:.60}."
        ) from None


def _part(domain: Any, over: Any) -> Part | Point | Wire | WireInTime:
    """The part that `over` means."""
    if isinstance(over, Part | Point | Wire | WireInTime):
        return over
    names = over if isinstance(over, tuple) else (over,)
    if names and all(isinstance(name, str) for name in names):
        return domain[over]
    raise TypeError(
        "`over` is a part, its name, or a tuple of names, as `domain['left']` or 'left'; got "
        f"{over!r:.60}."
    )
