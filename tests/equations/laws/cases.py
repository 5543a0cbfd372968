"""What a row of the tables of laws is: a law, and fields that solve it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from jax.scipy.special import erf
from sympy import I, Rational, cos, sin

import geometry as geo
from equations import Problem, is_time, normal, spatial

LOWER, UPPER = 0.2, 1.2  # away from zero, where logarithms and poles of exact solutions lie


@dataclass(frozen=True)
class Case:
    """A law and an exact solution; without one, a solution is manufactured."""

    name: str
    law: Any
    exact: Mapping | None = None

    @cached_property
    def problem(self):
        return Problem(domain_of(self.law.coordinates), self.law)


def domain_of(coordinates):
    """A box over the space coordinates, in time from 0 to 1."""
    space = spatial(coordinates)
    times = [c for c in coordinates if is_time(c)]
    if not space:
        return geo.Time(0, 1)
    axes, n = tuple(s.name for s in space), len(space)
    box = geo.Box((LOWER,) * n, (UPPER,) * n, axes=axes)
    return box.over(times[0], 0, 1) if times else box


def some_fields(unknowns, shift=0):
    """Smooth fields without any structure, all of them positive; complex where the unknown is."""
    fields = {}
    for i, u in enumerate(unknowns, start=shift):
        waves = [Rational(3 + (i + 2 * j) % 5, 5) * a for j, a in enumerate(u.args)]
        value = Rational(3, 2) + sin(sum(waves) + i) / 3 + cos(waves[0] - 2 * waves[-1]) / 5
        fields[u] = value if u.is_real else value + I * cos(sum(waves) - i)
    return fields


def stated(unknowns, *values):
    """The values of unknowns, `{u: expression}`."""
    flat = [c for u in unknowns for c in (u if isinstance(u, sympy.MatrixBase) else (u,))]
    return dict(zip(flat, map(sympy.sympify, values), strict=True))


def as_functions(values):
    """`{u: expression}` as JAX functions of a point in the order of the field's arguments."""

    def function(u, expression):
        compiled = sympy.lambdify(u.args, expression, modules=[{"erf": erf}, "jax"])
        return lambda point: compiled(*point) + 0 * point[0]

    return {u: function(u, expression) for u, expression in values.items()}


def numbers(expressions, variables, points):
    """Expressions at points (n, d) by NumPy, (n, expressions)."""
    compiled = sympy.lambdify(variables, list(expressions), modules=["numpy", "scipy"])
    return np.stack([np.broadcast_to(c, len(points)) for c in compiled(*points.T)], axis=-1)


def by_sympy(expressions, fields, variables, points):
    """Expressions of fields at points, with the fields replaced in SymPy itself."""
    replaced = [sympy.sympify(e).doit().subs(fields).doit() for e in expressions]
    return numbers(replaced, variables, points)


def on_boundary(expressions, fields, space, points, normals):
    """Expressions of fields and of the normal at points of a boundary."""
    points, normals = np.atleast_2d(points), np.atleast_2d(normals)
    both = np.concatenate([points, normals], axis=1)
    return by_sympy(expressions, fields, (*space, *normal(space)), both)


def vanishes(expression, fields):
    """Whether SymPy finds an expression of the fields to be zero."""
    return sympy.simplify(sympy.sympify(expression).doit().subs(fields).doit()) == 0
