"""Weak forms, read off the unexpanded divergences of a statement.

An equation whose residual is s - div F, with source s and flux F depending on coordinates, fields
and first derivatives, is multiplied by a test function v and integrated by parts:

    ∫ (s v + F · grad v) dx - ∮ g v ds = 0   for every v that vanishes where the field is given.

Conditions are sorted into essential ones, which give the field's value, and natural ones, which
give g = F · n: a Neumann or Robin condition is solved for the flux through the boundary. The time
derivative stays inside s, so that no form of storage term is singled out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from .nonlocal_terms import is_local
from .operators import Divergence
from .structure import jet_expression
from .symbols import NormalComponent, fields_in, is_time


class NoWeakForm(ValueError):
    """A problem has no weak form of this kind; lists all reasons."""

    def __init__(self, reasons: tuple[str, ...]):
        self.reasons = reasons
        super().__init__("no weak form:\n" + "\n".join(f"  - {reason}" for reason in reasons))


@dataclass(frozen=True)
class BoundaryValue:
    """A value on a named part: of the field `unknown`, or of the flux F · n of its equation."""

    part: str
    unknown: AppliedUndef
    value: sympy.Expr

    def __str__(self) -> str:
        return f"{self.value} on {self.part}"


@dataclass(frozen=True)
class WeakForm:
    """∫ (s v + F · grad v) dx - ∮ g v ds = 0, one such equation for each unknown.

    Attributes:
        unknowns: the fields, each paired with one equation.
        space, time: the coordinates; `time` is None in a steady problem.
        sources: s, one for each unknown; holds the time derivative.
        fluxes: F, one tuple for each unknown.
        essential: values of fields, on parts.
        natural: g on parts; it may depend on the fields.
        initial: values at the first time.
    """

    unknowns: tuple[AppliedUndef, ...]
    space: tuple[sympy.Symbol, ...]
    time: sympy.Symbol | None
    sources: tuple[sympy.Expr, ...]
    fluxes: tuple[tuple[sympy.Expr, ...], ...]
    essential: tuple[BoundaryValue, ...]
    natural: tuple[BoundaryValue, ...]
    initial: tuple[BoundaryValue, ...]

    @property
    def expressions(self) -> tuple[sympy.Expr, ...]:
        """All sources, components of fluxes, and natural boundary values."""
        fluxes = (component for flux in self.fluxes for component in flux)
        return (*self.sources, *fluxes, *(b.value for b in self.natural))

    @property
    def is_linear(self) -> bool:
        """Whether s, F and g are affine in the fields, with coefficients that time leaves alone."""
        for held in map(jet_expression, self.expressions):
            varying = {*held.symbols.values(), self.time}
            if any(held.slope(jet).free_symbols & varying for jet in held.symbols):
                return False
        return True

    @property
    def is_autonomous(self) -> bool:
        """Whether time enters s, F and g through the fields alone."""
        held = map(jet_expression, self.expressions)
        return not any(self.time in h.expression.free_symbols for h in held)

    def __str__(self) -> str:
        rows = [f"unknowns    {', '.join(map(str, self.unknowns))}"]
        for u, s, flux in zip(self.unknowns, self.sources, self.fluxes, strict=True):
            name = u.func.__name__
            rows.append(f"source      s_{name} = {s}")
            rows.append(f"flux        F_{name} = ({', '.join(map(str, flux))})")
        rows += [f"essential   {b.unknown.func.__name__} = {b}" for b in self.essential]
        rows += [f"natural     F_{b.unknown.func.__name__} · n = {b}" for b in self.natural]
        rows += [f"initial     {b.unknown.func.__name__} = {b}" for b in self.initial]
        head = "weak form   ∫ (s v + F · grad v) dx - ∮ (F · n) v ds = 0 for all v"
        return "\n".join([head, *rows])


def weak_form(problem: Any) -> WeakForm:
    """The weak form of a problem whose equations are of second order, in divergence form.

    Arguments:
        problem: one equation for each unknown. Where each equation has the time derivative (in a
            steady problem: the flux) of one unknown of its own, it is paired with that unknown;
            else the i-th equation is paired with the i-th unknown.

    Notes:
        A factor c of a divergence is taken inside, c div F = div(c F) - grad(c) · F, and so is the
        factor of a second derivative that was written without `div`.

    Raises:
        NoWeakForm listing all reasons: third and higher derivatives, second ones that do not enter
        linearly, no diffusion, conditions that give neither a field nor its flux, parts of the
        boundary without a condition.

    Source:
        Brenner & Scott, The Mathematical Theory of Finite Element Methods, 2008, chapter 0.

    Example:
        >>> import geometry as geo
        >>> from equations import Eq, Problem, coordinates, diff, div, field, grad
        >>> x = coordinates("x")
        >>> u = field("u", x)
        >>> ends = {"left": Eq(u, 0), "right": Eq(u + diff(u, x), 2)}
        >>> print(weak_form(Problem(geo.Interval(0, 1), Eq(-div(x * grad(u)), 1), ends)))
        weak form   ∫ (s v + F · grad v) dx - ∮ (F · n) v ds = 0 for all v
        unknowns    u(x)
        source      s_u = -1
        flux        F_u = (x*Derivative(u(x), x))
        essential   u = 0 on left
        natural     F_u · n = x*(2 - u(x)) on right
    """
    return _Reader(problem).read()


class _Reason(ValueError):
    pass


class _Reader:
    """Reads one problem; `reasons` collects what stands against it."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.space = tuple(c for c in problem.coordinates if not is_time(c))
        self.time = next((c for c in problem.coordinates if is_time(c)), None)
        self.reasons: list[str] = []

    def read(self) -> WeakForm:
        unknowns = self.problem.fields
        self._check_arguments(unknowns)
        self._check_local()
        read = [self._try(source_and_flux, r, self.space) for r in self.problem.residuals]
        if len(read) != len(unknowns):
            self.reasons.append(f"{len(read)} equations for {len(unknowns)} unknowns")
        if self.reasons:
            raise NoWeakForm(tuple(self.reasons))
        pairs = _pair(read, unknowns, self.space, self.time)
        for u, (source, flux) in zip(unknowns, pairs, strict=True):
            self._try(self._check_equation, u, source, flux)
        fluxes = {u: flux for u, (_, flux) in zip(unknowns, pairs, strict=True)}
        essential, natural, initial = self._conditions(fluxes)
        self._check_complete(unknowns, essential, natural, initial)
        if self.reasons:
            raise NoWeakForm(tuple(dict.fromkeys(self.reasons)))
        sources = tuple(source for source, _ in pairs)
        return WeakForm(
            unknowns, self.space, self.time, sources, tuple(fluxes.values()),
            tuple(essential), tuple(natural), tuple(initial),
        )  # fmt: skip

    def _try(self, function, *arguments):
        try:
            return function(*arguments)
        except _Reason as reason:
            self.reasons.append(str(reason))
            return None

    def _check_arguments(self, unknowns) -> None:
        for u in unknowns:
            if set(u.args) != {*self.space, *([self.time] if self.time else [])}:
                self.reasons.append(f"{u} does not depend on exactly the domain's coordinates")
        if not self.space:
            self.reasons.append("there is no space coordinate, so nothing to integrate by parts")

    def _check_local(self) -> None:
        conditions = (r for c in self.problem.conditions for r in c.equation.residuals)
        for residual in (*self.problem.residuals, *conditions):
            if not is_local(residual.doit(integrals=False)):
                self.reasons.append(
                    f"{residual} = 0 holds an integral, a delay, or a field at another point"
                )

    def _check_equation(self, u, source, flux) -> None:
        if not any(f.has(*(sympy.Derivative(u, s) for s in self.space)) for f in flux):
            raise _Reason(f"the equation of {u} has no flux that depends on its gradient")
        for f in (source, *flux):
            for d in f.atoms(sympy.Derivative):
                counts = dict(d.variable_count)
                steps = counts.get(self.time, 0) if self.time else 0
                if steps > 1 or (steps and d.derivative_count > 1):
                    raise _Reason(f"{d}: only first derivatives in time are stepped")
        if self.time and not source.has(sympy.Derivative(u, self.time)):
            raise _Reason(f"the equation of {u} has no time derivative of it")

    def _conditions(self, fluxes):
        sorted_out: tuple[list, list, list] = ([], [], [])
        for condition in self.problem.conditions:
            names = getattr(condition.part, "names", ()) if condition.part is not None else ()
            known = [name for name in names if name in self.problem.domain.parts]
            if not known:
                self.reasons.append(
                    f"the condition at {condition.label} is not on a part of the boundary, and a "
                    "single point carries no integral"
                )
            for name in known:
                for residual in condition.equation.residuals:
                    self._try(self._condition, name, residual.doit(), fluxes, sorted_out)
        return sorted_out

    def _condition(self, name, residual, fluxes, sorted_out) -> None:
        essential, natural, initial = sorted_out
        derivatives = residual.atoms(sympy.Derivative)
        if name == "final":
            raise _Reason("a condition at the final time: the equation is stepped forward in time")
        if any(self.time in d.variables for d in derivatives):
            raise _Reason(f"the condition {residual} = 0 on {name} holds a time derivative")
        if not derivatives:
            (initial if name == "initial" else essential).append(_field_value(name, residual))
        elif name == "initial":
            raise _Reason(f"the initial condition {residual} = 0 does not give the field's value")
        else:
            natural.append(_flux_value(name, residual, fluxes, self._fixed_normal(name)))

    def _fixed_normal(self, name: str) -> dict[sympy.Symbol, sympy.Expr]:
        """The components of the normal as numbers, where the part is flat."""
        normals = self.problem.domain[name].sample(64, key=0).normals
        if abs(normals - normals[0]).max() > 1e-9:
            return {}
        return {
            NormalComponent(f"n_{s.name}"): sympy.nsimplify(float(n), tolerance=1e-12)
            if abs(n - round(n)) < 1e-12
            else sympy.Float(float(n))
            for s, n in zip(self.problem.coordinates, normals[0], strict=True)
        }

    def _check_complete(self, unknowns, essential, natural, initial) -> None:
        for u in unknowns:
            covered = {b.part for b in (*essential, *natural, *initial) if b.unknown == u}
            needed = [p for p in self.problem.domain.parts if p != "final"]
            missing = [p for p in needed if p not in covered]
            if missing and not self.reasons:
                self.reasons.append(f"no condition gives {u} or its flux on {', '.join(missing)}")


def source_and_flux(residual: sympy.Expr, space) -> tuple[sympy.Expr, tuple[sympy.Expr, ...]]:
    """(s, F) with residual = s - div F, second derivatives only inside the divergence."""
    nodes = list(outermost(residual, Divergence))
    dummies = {node: sympy.Dummy() for node in nodes}
    rest = residual.xreplace(dummies)
    flux = dict.fromkeys(space, sympy.S.Zero)
    for node, dummy in dummies.items():
        factor = _linear_factor(rest, dummy, node)
        rest = rest.subs(dummy, 0)
        for s, component in zip(node.space, node.flux, strict=True):
            component = component.doit()
            flux[s] -= factor * component
            rest -= sympy.diff(factor, s) * component
    rest = rest.doit()
    for d in sorted(rest.atoms(sympy.Derivative), key=str):
        directions = [v for v in d.variables if v in flux]
        if len(directions) != 2 or len(d.variables) > 2:
            continue
        dummy = sympy.Dummy()
        factor = _linear_factor(rest.xreplace({d: dummy}), dummy, d)
        rest = rest.xreplace({d: sympy.S.Zero})
        for i, s in enumerate(directions):  # half of each order of derivatives
            first = sympy.diff(d.expr, directions[1 - i]) / 2
            flux[s] -= factor * first
            rest -= sympy.diff(factor, s) * first
    result = rest, tuple(flux.values())
    for expression in (rest, *result[1]):
        for d in expression.atoms(sympy.Derivative):
            if sum(n for v, n in d.variable_count if v in flux) > 1:
                raise _Reason(
                    f"{d} is left after integrating by parts: of higher order than the second, or "
                    "multiplied by a derivative"
                )
    return result


def outermost(expression: sympy.Expr, kind: Any) -> Iterator[Any]:
    """The nodes of a kind, or of one of several, that lie in no other such node, each once."""
    walk = sympy.preorder_traversal(expression)
    found = set()
    for node in walk:
        if isinstance(node, kind):
            walk.skip()
            if node not in found:
                found.add(node)
                yield node


def _linear_factor(expression: sympy.Expr, symbol: sympy.Symbol, shown: Any) -> sympy.Expr:
    factor = sympy.diff(expression, symbol)
    if symbol in factor.free_symbols:
        raise _Reason(f"{shown} does not enter linearly")
    return factor


def _pair(read, unknowns, space, time):
    """The pairs (s, F) in the order of the unknowns they belong to."""

    def owners(source, flux):
        if time is not None:
            return [u for u in unknowns if source.has(sympy.Derivative(u, time))]
        gradients = {u: [sympy.Derivative(u, s) for s in space] for u in unknowns}
        return [u for u in unknowns if any(f.has(*gradients[u]) for f in flux)]

    owned = [owners(*pair) for pair in read]
    if all(len(o) == 1 for o in owned) and len({o[0] for o in owned}) == len(unknowns):
        by_unknown = {o[0]: pair for o, pair in zip(owned, read, strict=True)}
        return [by_unknown[u] for u in unknowns]
    return read


def _field_value(name: str, residual: sympy.Expr) -> BoundaryValue:
    """The value that a condition without derivatives gives to its field."""
    unknown = fields_in(residual)
    if len(unknown) == 1:
        slope = sympy.diff(residual, unknown[0])
        if slope != 0 and not slope.has(AppliedUndef):
            return BoundaryValue(name, unknown[0], -residual.subs(unknown[0], 0) / slope)
    raise _Reason(f"the condition {residual} = 0 on {name} does not give the value of one field")


def _flux_value(name: str, residual: sympy.Expr, fluxes, normal) -> BoundaryValue:
    """The flux through the boundary that a condition on derivatives gives."""
    for u, flux in fluxes.items():
        derivatives = set().union(*(e.atoms(sympy.Derivative) for e in (residual, *flux)))
        stand_in = {d: sympy.Dummy(real=True) for d in derivatives}
        space = (s for s in u.args if not is_time(s))
        normals = (NormalComponent(f"n_{s.name}") for s in space)
        through = sympy.Add(*(n * f for n, f in zip(normals, flux, strict=True)))
        given, wanted = (e.subs(normal).xreplace(stand_in) for e in (residual, through))
        value = _solve_for_flux(given, wanted, set(stand_in.values()))
        if value is not None:
            return BoundaryValue(name, u, value.xreplace({v: d for d, v in stand_in.items()}))
    raise _Reason(
        f"the condition {residual} = 0 on {name} does not give the flux through the boundary"
    )


def _solve_for_flux(residual, through, gradient: set[sympy.Symbol]) -> sympy.Expr | None:
    """g with residual = factor (through - g), where neither factor nor g depends on derivatives."""
    pivot = next((p for p in gradient if sympy.diff(through, p) != 0), None)
    if pivot is None:
        return None
    factor = _without(gradient, sympy.diff(residual, pivot) / sympy.diff(through, pivot))
    if factor is None or factor == 0:
        return None
    rest = _without(gradient, sympy.expand(residual - factor * through))
    return None if rest is None else -rest / factor


def _without(symbols: set, expression: sympy.Expr) -> sympy.Expr | None:
    """The expression, simplified only if needed, or None where it depends on the symbols."""
    if expression.free_symbols & symbols:
        expression = sympy.simplify(expression)
    return None if expression.free_symbols & symbols else expression
