"""Manufactured solutions: a problem changed so that given expressions solve it exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from . import structure
from .equation import Eq
from .operators import as_vector, is_vector, normal_derivative
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
          conditions  on left, right: u(x) = x**2
    """
    exact = {f: sympy.sympify(e) for f, e in exact.items()}
    _require_complete(problem, exact)
    conditions = tuple(
        type(c)(c.label, c.part, _balanced(c.equation, exact)) for c in problem.conditions
    )
    return problem.replace(
        equations=tuple(_balanced(e, exact) for e in problem.equations),
        conditions=conditions or _usual_conditions(problem, exact),
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


def _balanced(equation: Eq, exact: Mapping) -> Eq:
    """The equation with what `exact` leaves of it added on the right."""
    left = [_at(residual, exact) for residual in equation.residuals]
    if is_vector(equation.lhs):
        return Eq(equation.lhs, equation.rhs + as_vector(left))
    return Eq(equation.lhs, equation.rhs + left[0])


def _at(expression: sympy.Expr, exact: Mapping) -> sympy.Expr:
    return expression.doit().subs(exact).doit()


def _usual_conditions(problem: Any, exact: Mapping) -> dict[Any, list[Eq]]:
    """Values, and normal derivatives where the order is four, on all sides; rates at the start."""
    sides: list[Eq] = []
    start: list[Eq] = []
    for f in problem.fields:
        time = next((a for a in f.args if a not in spatial(f.args)), None)
        rates = range(structure.time_order(problem, f))
        start += [Eq(sympy.diff(f, time, k), sympy.diff(exact[f], time, k)) for k in rates]
        order = structure.space_order(problem, f)
        sides += [_balanced(Eq(f, 0), exact)] if order > 1 else []
        sides += [_balanced(Eq(normal_derivative(f), 0), exact)] if order > 3 else []
    names = tuple(name for name in problem.domain.parts if name not in TIME_PARTS)
    conditions = {names: sides} if names and sides else {}
    return conditions | ({"initial": start} if start else {})


def _measured(problem: Any, data: Any, exact: Mapping) -> Any:
    columns = data.points.T
    values = {}
    for expression in data.values:
        compiled = sympy.lambdify(problem.coordinates, _at(expression, exact), modules="numpy")
        values[expression] = np.broadcast_to(compiled(*columns), len(data.points))
    return type(data)(data.points, values, data.noise)
