"""Manufactured solutions: a problem changed so that given expressions solve it exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from . import structure
from .compile import lambdify
from .equation import Eq
from .expressions import as_expression
from .operators import normal_derivative
from .symbols import fields_in, spatial

TIME_PARTS = ("initial", "final")


def manufactured(problem: Any, exact: Mapping[AppliedUndef, Any]) -> Any:
    """The problem with sources and boundary values for which `exact` is a solution.

    Arguments:
        exact: an expression in the coordinates for each unknown field.

    Notes:
        Every equation and condition keeps its form and gets what `exact` leaves of it on the right.
        A problem without conditions gets values on the whole boundary (and normal derivatives where
        the order asks for them) and at the initial time. Data keep their points and take exact
        values.
        A coordinate that is constant on a flat face, and the time at an instant, is replaced by its
        value. A method may extend boundary values into the domain, and so those of a curved face
        tell it the solution: take accuracy from domains with flat faces.

    Raises:
        ValueError for a field without an expression, or an expression that holds a field.

    Source:
        Roache, Code verification by the method of manufactured solutions, J. Fluids Eng. 124 (2002)
        4-10.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x = eq.coordinates("x")
        >>> u = eq.field("u", x)
        >>> problem = eq.Problem(geo.Interval(0, 1), eq.Eq(eq.diff(u, x, 2), u))
        >>> print(manufactured(problem, {u: x**2}))
        Problem
          domain      Interval(0, 1)
          unknowns    u(x)
          equations   Derivative(u(x), (x, 2)) = -x**2 + u(x) + 2
          conditions  on left: u(x) = 0
                      on right: u(x) = 1
    """
    exact = {as_expression(f, "exact"): as_expression(e, "exact") for f, e in exact.items()}
    _require_complete(problem, exact)
    given = problem.conditions or problem.replace(conditions=_usual(problem)).conditions
    return problem.replace(
        equations=tuple(_balanced(e, exact) for e in problem.equations),
        conditions=tuple(c for condition in given for c in _stated(problem, condition, exact)),
        data=tuple(_measured(problem, data, exact) for data in problem.data),
    )


def _require_complete(problem: Any, exact: Mapping) -> None:
    missing = [f for f in problem.fields if f not in exact]
    if missing:
        raise ValueError(f"`exact` lacks an expression for {', '.join(map(str, missing))}.")
    for f, expression in exact.items():
        if fields_in(expression):
            raise ValueError(
                f"`exact` of {f} must be known; got {expression}, which holds the unknown "
                f"{fields_in(expression)[0]}."
            )


def _stated(problem: Any, condition: Any, exact: Mapping) -> Iterator[Any]:
    """The condition with what `exact` leaves of it, one for each set of faces with equal values."""
    faces: dict[Eq, list[Any]] = {}
    for face in _faces(condition.part):
        equation = _balanced(condition.equation, exact, _fixed(problem, face))
        faces.setdefault(equation, []).append(face)
    for equation, alike in faces.items():
        if len(faces) == 1:
            yield replace(condition, equation=equation)
        else:
            part = replace(condition.part, names=tuple(face.names[0] for face in alike))
            yield replace(condition, label=part.label, part=part, equation=equation)


def _faces(part: Any) -> tuple[Any, ...]:
    """The named faces of a part; a piece of a part and a point stay whole."""
    names = getattr(part, "names", ())
    if len(names) < 2 or part.condition:
        return (part,)
    return tuple(replace(part, names=(name,)) for name in names)


def _fixed(problem: Any, part: Any) -> dict[sympy.Symbol, sympy.Expr]:
    """The coordinates that have one value on a part, as x on the left side of a rectangle."""
    if getattr(part, "dimension", None) != problem.domain.dimension:
        return {}
    points = np.asarray(part.sample(16, key=0).points)
    ends = np.array(problem.domain.bounds)
    close = 1e-12 * np.max(np.abs(ends))
    fixed = {}
    for coordinate, column, bounds in zip(problem.coordinates, points.T, ends.T, strict=True):
        if np.ptp(column) <= close:
            end = bounds[np.argmin(np.abs(bounds - column[0]))]
            value = float(end if abs(end - column[0]) <= close else column[0])
            fixed[coordinate] = sympy.Integer(value) if value.is_integer() else sympy.Float(value)
    return fixed


def _balanced(equation: Eq, exact: Mapping, fixed: Mapping = MappingProxyType({})) -> Eq:
    """The equation with what `exact` leaves of it added on the right, where `fixed` holds."""
    return equation.with_components(
        (left, _added(right, _at(left - right, exact), fixed))
        for left, right in equation.components
    )


def _added(right: sympy.Expr, rest: sympy.Expr, fixed: Mapping) -> sympy.Expr:
    known = not fields_in(right)
    return (right + rest).subs(fixed) if known else right + rest.subs(fixed)


def _at(expression: sympy.Expr, exact: Mapping) -> sympy.Expr:
    return expression.doit().subs(exact).doit()


def _usual(problem: Any) -> dict[Any, list[Eq]]:
    """Values, and normal derivatives where the order is four, on all sides; rates at the start."""
    sides: list[Eq] = []
    start: list[Eq] = []
    for f in problem.fields:
        time = next((a for a in f.args if a not in spatial(f.args)), None)
        start += [Eq(sympy.diff(f, time, k)) for k in range(structure.time_order(problem, f))]
        order = structure.space_order(problem, f)
        sides += [Eq(f)] if order > 1 else []
        sides += [Eq(normal_derivative(f))] if order > 3 else []
    names = tuple(name for name in problem.domain.parts if name not in TIME_PARTS)
    conditions = {names: sides} if names and sides else {}
    return conditions | ({"initial": start} if start else {})


def _measured(problem: Any, data: Any, exact: Mapping) -> Any:
    columns = data.points.T
    values = {}
    for expression in data.values:
        compiled = lambdify(problem.coordinates, [_at(expression, exact)], modules=["numpy"])
        values[expression] = np.broadcast_to(compiled(*columns)[0], len(data.points))
    return type(data)(data.points, values, data.noise)
