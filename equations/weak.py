"""Weak forms, read off the unexpanded divergences of a statement.

An equation whose residual is s - div F, with source s and flux F depending on coordinates, fields
and first derivatives, is multiplied by a test function v and integrated by parts:

    ∫ (s v + F · grad v) dx - ∮ g v ds = 0   for every v that vanishes where the field is given.

Conditions are sorted into essential ones, which give the field's value, and natural ones, which
give g = F · n: a Neumann or Robin condition is solved for the flux through the boundary. The time
derivative stays inside s, so that no form of storage term is singled out.

An unknown without second derivatives that an equation of first order determines through the others,
as the pressure through div u = 0, is a multiplier: its gradient is integrated by parts into the
fluxes of the others, and its own equation is tested as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from .fluxes import Reason, outermost, owners, source_and_flux, steps_of
from .nonlocal_terms import is_local
from .structure import all_jets, initial_rate, jet_expression, only_derivatives
from .symbols import NormalComponent, Parameter, fields_in, is_time

__all__ = ["BoundaryValue", "NoWeakForm", "WeakForm", "outermost", "weak_form"]


ROUNDING = 1e-12  # of coefficients, relative to the largest


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
        initial, initial_rates: values and time derivatives at the first time.
        multipliers: the unknowns that make the others meet an equation of first order.
        floating: the unknowns that are determined up to a constant, but for `gauges`.
        gauges: the conditions that give these constants.
        sizes: the conditions that give an eigenfunction its size.
    """

    unknowns: tuple[AppliedUndef, ...]
    space: tuple[sympy.Symbol, ...]
    time: sympy.Symbol | None
    sources: tuple[sympy.Expr, ...]
    fluxes: tuple[tuple[sympy.Expr, ...], ...]
    essential: tuple[BoundaryValue, ...]
    natural: tuple[BoundaryValue, ...]
    initial: tuple[BoundaryValue, ...]
    initial_rates: tuple[BoundaryValue, ...] = ()
    multipliers: tuple[AppliedUndef, ...] = ()
    floating: tuple[AppliedUndef, ...] = ()
    gauges: tuple[Any, ...] = ()
    sizes: tuple[Any, ...] = ()

    @property
    def time_orders(self) -> tuple[int, ...]:
        """For each unknown the highest order of its time derivative in its own equation."""
        pairs = zip(self.sources, self.unknowns, strict=True)
        return tuple(steps_of(source, u, self.time) for source, u in pairs)

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
        rows += [f"initial     d{b.unknown.func.__name__}/dt = {b}" for b in self.initial_rates]
        head = "weak form   ∫ (s v + F · grad v) dx - ∮ (F · n) v ds = 0 for all v"
        return "\n".join([head, *rows])


def weak_form(problem: Any) -> WeakForm:
    """The weak form of a problem whose equations are of second order, in divergence form.

    Arguments:
        problem: one equation for each unknown. An equation belongs to the unknown whose time
            derivative it has, else to the one whose gradient is in its flux along every axis, else
            to the one in the same place.

    Notes:
        A factor c of a divergence is taken inside, c div F = div(c F) - grad(c) · F, and so is the
        factor of a second derivative that was written without `div`. The value of a multiplier on
        a part is put into the fluxes there; the one component of a velocity that such a part
        leaves open has no other force on it.

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


class _Reader:
    """Reads one problem; `reasons` collects what stands against it."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.space = tuple(c for c in problem.coordinates if not is_time(c))
        self.time = next((c for c in problem.coordinates if is_time(c)), None)
        self.reasons: list[str] = []
        self.gauges = tuple(c for c in problem.conditions if _is_gauge(problem, c))
        self.sizes = tuple(c for c in problem.conditions if _is_size(problem, c))
        apart = (*self.gauges, *self.sizes)
        self.conditions = tuple(c for c in problem.conditions if c not in apart)

    def read(self) -> WeakForm:
        unknowns = self.problem.fields
        self._check_arguments(unknowns)
        self._check_local()
        self._check_one_region()
        read = [self._try(source_and_flux, r, self.space) for r in self.problem.residuals]
        if len(read) != len(unknowns):
            self.reasons.append(f"{len(read)} equations for {len(unknowns)} unknowns")
        self._refuse()
        own = owners(read, unknowns, self.space, self.time)
        residuals = [self.problem.residuals[i] for i in own]
        pairs = [read[i] for i in own]
        multipliers = tuple(
            u
            for u, pair, r in zip(unknowns, pairs, residuals, strict=True)
            if self._is_multiplier(u, pair, r.doit())
        )
        if multipliers:
            pairs = [
                (r.doit(), (sympy.S.Zero,) * len(self.space))
                if u in multipliers
                else self._try(source_and_flux, r, self.space, multipliers)
                for u, r in zip(unknowns, residuals, strict=True)
            ]
            self._refuse()
        for u, (source, flux) in zip(unknowns, pairs, strict=True):
            if u not in multipliers:
                self._try(self._check_equation, u, source, flux)
        self._check_motion(unknowns, pairs)
        fluxes = {u: flux for u, (_, flux) in zip(unknowns, pairs, strict=True)}
        given = self._conditions(fluxes)
        self._put_in_fluxes(multipliers, fluxes, given)
        form = WeakForm(
            unknowns, self.space, self.time, tuple(source for source, _ in pairs),
            tuple(fluxes.values()), tuple(given.essential), tuple(given.natural),
            tuple(given.initial), tuple(given.rates), multipliers, self._floating(), self.gauges,
            self.sizes,
        )  # fmt: skip
        self._check_complete(form)
        self._refuse()
        return form

    def _refuse(self) -> None:
        if self.reasons:
            raise NoWeakForm(tuple(dict.fromkeys(self.reasons)))

    def _try(self, function, *arguments):
        try:
            return function(*arguments)
        except Reason as reason:
            self.reasons.append(str(reason))
            return None

    def _check_arguments(self, unknowns) -> None:
        for u in unknowns:
            if set(u.args) != {*self.space, *([self.time] if self.time else [])}:
                self.reasons.append(f"{u} does not depend on exactly the domain's coordinates")
        if not self.space:
            self.reasons.append("there is no space coordinate, so nothing to integrate by parts")

    def _check_one_region(self) -> None:
        if any(e.region for e in self.problem.equations):
            self.reasons.append(
                "equations hold in single regions; for one unknown give one equation with "
                "coefficients by `piecewise(domain, ...)`, or solve `problem.restrict(region)`"
            )

    def _check_local(self) -> None:
        conditions = (r for c in self.conditions for r in c.equation.residuals)
        for residual in (*self.problem.residuals, *conditions):
            if not is_local(residual.doit(integrals=False)):
                self.reasons.append(
                    f"{residual} = 0 holds an integral, a delay, or a field at another point"
                )

    def _is_multiplier(self, u, pair, residual) -> bool:
        """Whether the equation of u is of first order in the others, and u in theirs."""
        if self.time and steps_of(pair[0], u, self.time):
            return False
        held = jet_expression(residual)
        others = [j for j in held.symbols if j.field != u]
        own = [j for r in self.problem.residuals for j in jet_expression(r).symbols if j.field == u]
        return (
            len(self.problem.fields) > 1
            and held.is_linear
            and all(j.is_value for j in held.symbols if j.field == u)
            and any(j.order(*self.space) == 1 for j in others)
            and all(j.order() <= 1 for j in others)
            and all(j.order() <= 1 for j in own)
            and any(j.order(*self.space) == 1 for j in own)
        )

    def _check_equation(self, u, source, flux) -> None:
        along = [sympy.Derivative(u, s) for s in self.space]
        steps = steps_of(source, u, self.time)
        if not any(f.has(*along) for f in flux) and (not steps or source.has(*along)):
            raise Reason(f"the equation of {u} has no flux that depends on its gradient")
        for f in (source, *flux):
            for d in f.atoms(sympy.Derivative):
                in_time = dict(d.variable_count).get(self.time, 0) if self.time else 0
                if in_time > 2 or (in_time and d.derivative_count > in_time):
                    raise Reason(f"{d}: only first and second derivatives in time are stepped")

    def _check_motion(self, unknowns, pairs) -> None:
        """That each unknown moves, if it does, by the highest time derivative that there is."""
        orders = {u: steps_of(s, u, self.time) for u, (s, _) in zip(unknowns, pairs, strict=True)}
        if self.time and not any(orders.values()):
            self.reasons.append(f"the equation of {unknowns[0]} has no time derivative of it")
        for expression in (e for source, flux in pairs for e in (source, *flux)):
            for u, order in orders.items():
                if steps_of(expression, u, self.time) > order:
                    self.reasons.append(f"the equation of {u} lacks its highest time derivative")

    def _conditions(self, fluxes):
        given = _Given([], [], [], [])
        for condition in self.conditions:
            names = getattr(condition.part, "names", ()) if condition.part is not None else ()
            known = [name for name in names if name in self.problem.domain.parts]
            if not known:
                self._misplaced(condition)
            for name in known:
                for residual in condition.equation.residuals:
                    self._try(self._condition, name, residual.doit(), fluxes, given)
            if known == ["initial"]:
                rates = initial_rate(condition).items()
                given.rates.extend(BoundaryValue("initial", u, value) for u, value in rates)
        return given

    def _condition(self, name, residual, fluxes, given) -> None:
        derivatives = residual.atoms(sympy.Derivative)
        if name == "final":
            raise Reason("a condition at the final time: the equation is stepped forward in time")
        if not derivatives:
            value = _field_value(name, residual)
            (given.initial if name == "initial" else given.essential).append(value)
        elif name == "initial":
            if any(set(d.variables) != {self.time} for d in derivatives):
                raise Reason(
                    f"the initial condition {residual} = 0 gives neither the field's value nor its "
                    "rate"
                )
        else:
            given.natural.append(_flux_value(name, residual, fluxes, self._fixed_normal(name)))

    def _floating(self) -> tuple[AppliedUndef, ...]:
        """The unknowns whose value no equation and no condition holds, but for gauges; a gauge of
        another one is no condition that a weak form has."""
        residuals = (r for c in self.conditions for r in c.equation.residuals)
        statements = (*self.problem.residuals, *residuals)
        held = {jet.field for jet in all_jets(statements) if jet.is_value}
        for condition in self.gauges:
            if held & set(fields_in(condition.equation)):
                self._misplaced(condition)
        return tuple(u for u in self.problem.fields if u not in held)

    def _misplaced(self, condition: Any) -> None:
        self.reasons.append(
            f"the condition at {condition.label} is not on a part of the boundary, and a single "
            "point carries no integral"
        )

    def _put_in_fluxes(self, multipliers, fluxes, given) -> None:
        """The values of multipliers on parts, put into the fluxes there."""
        for b in [b for b in given.essential if b.unknown in multipliers]:
            given.essential.remove(b)
            here = {c.unknown for c in (*given.essential, *given.natural) if c.part == b.part}
            missing = [u for u, flux in fluxes.items() if u not in here and _has(flux, b.unknown)]
            if len(missing) == 1:
                normal = self._fixed_normal(b.part)
                given.natural.append(_without_gradients(b.part, missing[0], fluxes, normal))
            replaced = [c for c in given.natural if c.part == b.part and c.value.has(b.unknown)]
            for c in replaced:
                given.natural.remove(c)
                value = c.value.subs(b.unknown, b.value)
                given.natural.append(BoundaryValue(c.part, c.unknown, value))
            if not replaced and not missing:
                self.reasons.append(
                    f"the value of {b.unknown} on {b.part} stands beside those of all the other "
                    "unknowns there, which determine it"
                )

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

    def _check_complete(self, form: WeakForm) -> None:
        if self.reasons:
            return
        rows = zip(form.unknowns, form.fluxes, form.time_orders, strict=True)
        sides = [p for p in self.problem.domain.parts if p not in ("initial", "final")]
        values = (*form.essential, *form.natural)
        for u, flux, steps in rows:
            needed = sides if any(flux) else []
            missing = [p for p in needed if p not in {b.part for b in values if b.unknown == u}]
            if steps and u not in {b.unknown for b in form.initial}:
                missing.append("initial")
            if missing and not self.reasons:
                self.reasons.append(f"no condition gives {u} or its flux on {', '.join(missing)}")
            if steps > 1 and u not in {b.unknown for b in form.initial_rates}:
                self.reasons.append(f"no condition gives the time derivative of {u} at the start")


@dataclass(frozen=True)
class _Given:
    """What the conditions give."""

    essential: list[BoundaryValue]
    natural: list[BoundaryValue]
    initial: list[BoundaryValue]
    rates: list[BoundaryValue]


def _is_gauge(problem: Any, condition: Any) -> bool:
    """Whether a condition gives no more than the constant of a field that enters the equations by
    its derivatives: its value at a point, or its mean."""
    names = getattr(condition.part, "names", ())
    on_part = any(name in problem.domain.parts for name in names)
    for residual in condition.equation.residuals:
        jets = jet_expression(residual).symbols
        floats = {j.field for j in jets if j.is_value and only_derivatives(problem, j.field)}
        if len(floats) != 1 or {j.field for j in jets} != floats:
            return False
        if not jet_expression(residual).is_linear:
            return False
        if is_local(residual.doit(integrals=False)) and (on_part or not _is_point(condition)):
            return False
    return True


def _is_point(condition: Any) -> bool:
    return condition.part is not None and not hasattr(condition.part, "domain")


def _is_size(problem: Any, condition: Any) -> bool:
    """Whether a condition gives an eigenfunction its size: an integral of fields."""
    if not any(isinstance(p, Parameter) and p.role == "eigenvalue" for p in problem.parameters):
        return False
    return all(not is_local(r.doit(integrals=False)) for r in condition.equation.residuals)


def _has(flux: tuple, unknown: AppliedUndef) -> bool:
    return any(f.has(unknown) for f in flux)


def _without_gradients(part: str, u: AppliedUndef, fluxes: Any, normal: Any) -> BoundaryValue:
    """The flux of u through a part, without the share of gradients."""
    through = _through(u, fluxes[u]).subs(normal)
    derivatives = through.atoms(sympy.Derivative)
    return BoundaryValue(part, u, through.xreplace(dict.fromkeys(derivatives, sympy.S.Zero)))


def _through(u: AppliedUndef, flux: tuple) -> sympy.Expr:
    """F · n."""
    normals = (NormalComponent(f"n_{s.name}") for s in u.args if not is_time(s))
    return sympy.Add(*(n * f for n, f in zip(normals, flux, strict=True)))


def _field_value(name: str, residual: sympy.Expr) -> BoundaryValue:
    """The value that a condition without derivatives gives to its field."""
    unknown = fields_in(residual)
    if len(unknown) == 1:
        slope = sympy.diff(residual, unknown[0])
        if slope != 0 and not slope.has(AppliedUndef):
            return BoundaryValue(name, unknown[0], -residual.subs(unknown[0], 0) / slope)
    raise Reason(f"the condition {residual} = 0 on {name} does not give the value of one field")


def _flux_value(name: str, residual: sympy.Expr, fluxes, normal) -> BoundaryValue:
    """The flux through the boundary that a condition on derivatives gives."""
    for u, flux in fluxes.items():
        derivatives = set().union(*(e.atoms(sympy.Derivative) for e in (residual, *flux)))
        slopes = [d for d in derivatives if not any(map(is_time, d.variables))]
        stand_in = {d: sympy.Dummy(real=True) for d in slopes}
        given, wanted = (e.subs(normal).xreplace(stand_in) for e in (residual, _through(u, flux)))
        value = _solve_for_flux(given, wanted, set(stand_in.values()))
        if value is not None:
            return BoundaryValue(name, u, value.xreplace({v: d for d, v in stand_in.items()}))
    raise Reason(
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
    rest = _without(gradient, _chopped(sympy.expand(residual - factor * through), residual))
    return None if rest is None else -rest / factor


def _chopped(difference: sympy.Expr, whole: sympy.Expr) -> sympy.Expr:
    """The difference without terms that are rounding of those of the whole."""
    sizes = [abs(term.as_coeff_Mul()[0]) for term in sympy.Add.make_args(sympy.expand(whole))]
    least = ROUNDING * max(sizes, default=0)
    terms = sympy.Add.make_args(difference)
    return sympy.Add(*(term for term in terms if abs(term.as_coeff_Mul()[0]) > least))


def _without(symbols: set, expression: sympy.Expr) -> sympy.Expr | None:
    """The expression, simplified only if needed, or None where it depends on the symbols."""
    if expression.free_symbols & symbols:
        expression = sympy.simplify(expression)
    return None if expression.free_symbols & symbols else expression
