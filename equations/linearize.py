"""Tangents: a problem with each of its equations replaced by its linearization about a state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from .equation import Eq
from .expressions import as_expression
from .operators import Divergence
from .structure import jet_expression
from .symbols import fields_in
from .weak import outermost

ATOMS = (Divergence, sympy.conjugate, sympy.Derivative, AppliedUndef)


def linearize(problem: Any, about: Mapping[AppliedUndef, Any] | None = None) -> Any:
    """The problem with each equation F(u) = 0 replaced by F(a) + F'(a)(u - a) = 0.

    Arguments:
        about: the state a, an expression for each field; zero for those that are not named.

    Notes:
        Of complex fields F(u, u*) the tangent is F_u (u - a) + F_u* (u - a)*, with the conjugate.
        Equations and conditions that are linear stay as they are written, and divergences stay
        divergences, so that the weak form of the tangent can be read off. Newton's method solves
        the tangent about the last iterate again and again.

    Raises:
        ValueError for a state of fields that the problem does not have, or that holds unknowns;
        TypeError for what is no mapping of fields to expressions.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x = eq.coordinates("x")
        >>> u = eq.field("u", x)
        >>> problem = eq.Problem(geo.Interval(0, 1), eq.Eq(eq.diff(u, x, 2), u**2))
        >>> linearize(problem, {u: x}).equations
        (-2*x*u(x) + Derivative(u(x), (x, 2)) = -x**2,)
    """
    state = dict.fromkeys(problem.fields, sympy.S.Zero) | _state(problem, about or {})
    return problem.replace(
        equations=tuple(_tangent(e, state) for e in problem.equations),
        conditions=tuple(
            type(c)(c.label, c.part, _tangent(c.equation, state)) for c in problem.conditions
        ),
        law=None,
    )


def _state(problem: Any, about: Mapping) -> dict[AppliedUndef, sympy.Expr]:
    if not isinstance(about, Mapping):
        raise TypeError(f"`about` takes `{{u: expression}}`; got {about!r}.")
    state = {as_expression(f, "about"): as_expression(e, "about") for f, e in about.items()}
    for f, expression in state.items():
        if f not in problem.fields:
            known = ", ".join(map(str, problem.fields))
            raise ValueError(f"`about` has {f}, which is no unknown; those are {known}.")
        if fields_in(expression):
            raise ValueError(f"`about` of {f} must be known; got {expression}.")
    return state


def _tangent(equation: Eq, state: Mapping) -> Eq:
    if all(jet_expression(r).is_linear for r in equation.residuals):
        return equation
    return equation.with_components(_sides(residual, state) for residual in equation.residuals)


def _sides(residual: sympy.Expr, state: Mapping) -> tuple[sympy.Expr, sympy.Expr]:
    """What is linear in the fields on the left, what is known on the right."""
    linear, known = _parts(residual, state)
    return linear, -known


def _parts(e: sympy.Expr, state: Mapping) -> tuple[sympy.Expr, sympy.Expr]:
    """F'(a) u and F(a) - F'(a) a, with divergences kept."""
    e = _by_conjugates(e)
    stand_in = {atom: sympy.Dummy() for atom in outermost(e, ATOMS)}
    values = {stand_in[atom]: _at(atom, state) for atom in stand_in}
    inner = e.xreplace(stand_in)
    linear, known = sympy.S.Zero, inner.subs(values)
    for atom, dummy in stand_in.items():
        slope = sympy.diff(inner, dummy).subs(values)
        moving, fixed = (atom, sympy.S.Zero)
        if isinstance(atom, Divergence):
            moving, fixed = _tangent_divergence(atom, state)
        linear += slope * moving
        known += slope * (fixed - values[dummy])
    return linear, sympy.expand(known)


def _by_conjugates(e: sympy.Expr) -> sympy.Expr:
    """The expression with moduli, real and imaginary parts of complex fields written by these and
    their conjugates, which count as fields of their own."""

    def is_complex(node: Any) -> bool:
        return isinstance(node, _NOT_HOLOMORPHIC) and any(not f.is_real for f in fields_in(node))

    def written(node: Any) -> sympy.Expr:
        (a,), conjugate = node.args, sympy.conjugate(node.args[0])
        if isinstance(node, sympy.Abs):
            return sympy.sqrt(a * conjugate)
        if isinstance(node, sympy.re):
            return (a + conjugate) / 2
        return (a - conjugate) / (2 * sympy.I)

    return e.replace(is_complex, written)


_NOT_HOLOMORPHIC = (sympy.Abs, sympy.re, sympy.im)


def _tangent_divergence(node: Divergence, state: Mapping) -> tuple[sympy.Expr, sympy.Expr]:
    parts = [_parts(component.doit(), state) for component in node.flux]
    known = Divergence([fixed for _, fixed in parts], node.space).doit()
    return Divergence([moving for moving, _ in parts], node.space), known


def _at(atom: sympy.Expr, state: Mapping) -> sympy.Expr:
    return atom.doit().subs(state).doit()
