"""Solutions as functions of points, for `diffcore.export`: fields, derivatives, what follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from diffcore import Exportable, ExportError, Variable
from equations import Problem, fields_in
from equations.units import measure

from .files import _named
from .solution import Solution, _components

SAMPLE = 16  # points that the file is checked with


def exportable(solution: Solution, example: Any, expressions: Any) -> Exportable:
    """The solution as a function of points (batch, d), and of parameters that range, that returns
    {name: (batch, ...)}.

    Arguments:
        example: points in the data type that the function computes with; None for float64.
        expressions: an expression, a list, or {name: expression}; the unknown fields if None.

    Raises:
        ExportError: the method's numbers do not come from JAX; an expression of the boundary.
    """
    problem = solution.problem
    wanted = {name: _components(e) for name, e in _named(solution, expressions).items()}
    flat = [e for parts, _ in wanted.values() for e in parts]
    _require_known(problem, flat)
    compiled = problem.compile(flat)
    ranged = {p.name: p.between for p in problem.parameters if p.between is not None}

    def function(points: Any, *values: Any) -> dict[str, Any]:
        given = {**solution.parameters, **dict(zip(ranged, values, strict=True))}
        jets = compiled.values(_traceable(solution), points, given, None)
        results = iter(compiled(points, jets, given, None))
        found = {}
        for name, (parts, shape) in wanted.items():
            columns = [jnp.broadcast_to(next(results), points.shape[:1]) for _ in parts]
            found[name] = jnp.stack(columns, -1).reshape(points.shape[0], *shape)
        return found

    points = _points(problem, example)
    middles = [np.asarray(np.mean(ends), points.dtype) for ends in ranged.values()]
    name, method = problem.name or "a problem", type(solution.method).__name__
    return Exportable(
        function,
        (points, *middles),
        (
            _coordinates(problem, points.dtype.name),
            *(_ranged(name, ends, points.dtype.name) for name, ends in ranged.items()),
        ),
        {name: _units(problem, parts) for name, (parts, _) in wanted.items()},
        contains=problem.domain.contains,
        precision=points.dtype.name,
        description=f"solution of {name} by {method}",
    )


def _require_known(problem: Problem, expressions: list) -> None:
    found = {f.func for e in expressions for f in fields_in(e)}
    if foreign := sorted(map(str, found - {f.func for f in problem.fields})):
        known = ", ".join(map(str, problem.fields))
        raise ValueError(
            f"`expressions` holds {foreign[0]}; the fields of the problem are {known}."
        )


def _traceable(solution: Solution) -> Callable:
    """The jets, with a reason where they do not come from JAX."""

    def jets(functionals: Any, points: Any) -> Any:
        try:
            return solution.jets(functionals, points)
        except jax.errors.TracerArrayConversionError:
            raise ExportError(
                f"a solution by {type(solution.method).__name__} looks points up outside of JAX, "
                "so that it is no program to export: save values as .vtu or .csv, or solve with "
                "`PINN()`."
            ) from None

    return jets


def _points(problem: Problem, example: Any) -> np.ndarray:
    if example is None:
        return np.asarray(problem.domain.sample_interior(SAMPLE, key=0).points, np.float64)
    points = np.asarray(example)
    d = len(problem.coordinates)
    if points.ndim != 2 or points.shape[1] != d or points.dtype.name not in ("float32", "float64"):
        raise ValueError(
            f"`example` of a solution is float32 or float64 points (n, {d}); got {points.dtype} "
            f"{points.shape}."
        )
    return points


def _coordinates(problem: Problem, dtype: str) -> Variable:
    lower, upper = (tuple(map(float, bound)) for bound in problem.domain.bounds)
    columns = tuple(str(c) for c in problem.coordinates)
    units = dict(problem.units)
    known = tuple(units.get(c, "") for c in problem.coordinates) if units else ()
    shape = ("batch", len(columns))
    return Variable("points", shape, dtype, columns, known, lower, upper)


def _ranged(name: str, ends: tuple[float, float], dtype: str) -> Variable:
    lower, upper = map(float, ends)
    return Variable(name, (), dtype, lower=(lower,), upper=(upper,))


def _units(problem: Problem, parts: list) -> tuple[str, ...]:
    units: Mapping[Any, str] = dict(problem.units)
    if not units:
        return ()
    found = [units.get(e) or measure(e, units) for e in parts]
    return () if None in found else tuple(map(str, found))
