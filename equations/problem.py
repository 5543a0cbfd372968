"""`Problem`: a statement as immutable data, ignorant of how it will be solved."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from . import check, kind, printing, structure, weak
from .compile import Compiled, compile_expressions
from .elsewhere import canonical_fields, settle
from .equation import Eq
from .expressions import as_expression
from .interior import Interior
from .laws.law import Law
from .regions import indicator
from .symbols import Parameter, fields_in
from .units import checked_units


@dataclass(frozen=True)
class Condition:
    """An equation that holds on a part of the boundary, at the initial time, or at a point.

    `part` is None where the statement names a part that the domain does not have; `problem.check()`
    says so."""

    label: str
    part: Any
    equation: Eq


@dataclass(frozen=True, eq=False)
class Data:
    """Measured values of expressions at points.

    Arguments:
        points: (n, d), or (n,) in one dimension.
        values: `{expression: (n,)}`.
        noise: standard deviation of the values, in their unit, if known.

    Raises:
        ValueError for lengths that do not match and values that are not finite, TypeError for
        what is no array of numbers and no expression.
    """

    points: Any
    values: Mapping[Any, Any]
    noise: float | None = None

    def __post_init__(self):
        points = _numbers("points", self.points).astype(float)
        points = points[:, None] if points.ndim == 1 else points
        if not isinstance(self.values, Mapping):
            raise TypeError(f"`Data` takes values as `{{u: (n,)}}`; got {self.values!r}.")
        values = {
            as_expression(k, "Data"): _numbers(f"values of {k}", v) for k, v in self.values.items()
        }
        for expression, v in values.items():
            if v.shape != points.shape[:1]:
                raise ValueError(
                    f"`Data` needs one value of {expression} a point; got {v.shape} for "
                    f"{len(points)} points."
                )
            if not np.isfinite(v).all():
                raise ValueError(f"`Data` values of {expression} must be finite; drop the others.")
        if not np.isfinite(points).all():
            raise ValueError("`Data` points must be finite.")
        if self.noise is not None and not self.noise > 0:
            raise ValueError(f"`noise` is a standard deviation above 0; got {self.noise}.")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "values", values)


def _numbers(what: str, value: Any) -> np.ndarray:
    """An array of one or two axes of real or complex numbers."""
    array = np.asarray(value)
    if array.ndim not in (1, 2) or array.dtype.kind not in "biufc":
        raise TypeError(f"`Data` needs its {what} as an array of numbers; got {value!r}.")
    return array


@dataclass(frozen=True)
class Problem:
    """A physics problem: a domain, equations for unknown fields, conditions on named parts, data.

    Arguments:
        domain: a shape, or a space-time domain `shape.over(t, a, b)`.
        equations: a law, an `Eq`, or a list of them; or `{region: equations}` where regions of the
            domain have equations of their own, `{"fluid": flow, "solid": heat}`. An unknown lives
            where its equations hold; conditions on `domain["fluid|solid"]` tie unknowns together.
        conditions: `{where: equation(s)}`; `where` is the name of a part, a tuple of names, a part,
            or a point; "domain" or a shape for what holds inside it. An inequality `u >= g` is a
            condition too, and so is an integral over the domain or a part, under "domain".
        data: `Data(...)` or a list of them.
        name: used for the run folder and in reports.
        units: `{x: "m", u: "m/s"}`, what the numbers of the statement count; the doctor checks that
            terms agree. Needs `pint`.
        law: kept where the equations are those of a law.
        scaling: the way back, of a problem made by `nondimensionalize`.

    Notes:
        Building never fails for a slip in the physics; `check()` lists all slips at once and
        `solve` refuses a problem with errors. Equal statements compare equal.

    Raises:
        TypeError for values that are no shape, equations, laws or data.

    Example:
        >>> import equations as eq, geometry as geo
        >>> x = eq.coordinates("x")
        >>> u = eq.field("u", x)
        >>> ends = {("left", "right"): eq.Eq(u, 0)}
        >>> p = Problem(geo.Interval(0, 1), eq.Eq(eq.diff(u, x, 2), 1), ends)
        >>> p.fields, len(p.conditions), [str(f) for f in p.check()]
        ((u(x),), 1, [])
    """

    domain: Any
    equations: Any
    conditions: Any = ()
    data: Any = ()
    name: str | None = None
    units: Any = ()
    law: Any = field(default=None, compare=False)
    scaling: Any = field(default=None, compare=False)

    def __post_init__(self):
        if isinstance(self.domain, type) or not hasattr(self.domain, "sample_interior"):
            raise TypeError(
                f"`domain` must be a shape, as `Rectangle((0, 0), (1, 1))`; got {self.domain!r}."
            )
        law = self.law if not isinstance(self.equations, Law) else self.equations
        object.__setattr__(self, "law", law)
        object.__setattr__(self, "equations", _equations(self.equations))
        object.__setattr__(self, "conditions", tuple(_conditions(self.domain, self.conditions)))
        object.__setattr__(self, "data", _data(self.data))
        object.__setattr__(self, "units", checked_units(self.units))
        self._settle()

    def _settle(self) -> None:
        """Write fields that are taken elsewhere, as `u.subs(x, 0)`, in the one form that all else
        reads."""
        equations = (*self.equations, *(c.equation for c in self.conditions))
        measured = (e for data in self.data for e in data.values)
        canonical = canonical_fields([*equations, *measured], self.domain.axes)
        settled = partial(settle, canonical=canonical, coordinates=self.coordinates)
        conditions = (dataclasses.replace(c, equation=settled(c.equation)) for c in self.conditions)
        object.__setattr__(self, "equations", tuple(map(settled, self.equations)))
        object.__setattr__(self, "conditions", tuple(conditions))
        object.__setattr__(self, "data", tuple(_settled_data(d, settled) for d in self.data))

    @property
    def fields(self) -> tuple[AppliedUndef, ...]:
        """The unknown fields: those of the law in its order, then as they appear."""
        found: dict[AppliedUndef, None] = {}
        for equation in self.equations:
            found.update(dict.fromkeys(fields_in(equation)))
        return tuple(sorted(found, key=lambda f: (-len(f.args), list(found).index(f))))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of equations and conditions, by name; not those that the domain ranges
        over, which are coordinates."""
        statements = [*self.equations, *(c.equation for c in self.conditions)]
        symbols = set().union(*(s.free_symbols for s in statements))
        own = (s for s in symbols if isinstance(s, Parameter) and s.name not in self.domain.axes)
        return tuple(sorted(own, key=lambda s: s.name))

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """The coordinates as symbols, in the order of the domain's axes."""
        known = {
            a.name: a for f in self._all_fields() for a in f.args if isinstance(a, sympy.Symbol)
        }
        return tuple(known.get(a, sympy.Symbol(a, real=True)) for a in self.domain.axes)

    def _all_fields(self) -> Iterable[AppliedUndef]:
        for statement in (*self.equations, *(c.equation for c in self.conditions)):
            yield from fields_in(statement)

    def defines(self, expression: Any, points: Any) -> np.ndarray:
        """Which of the points (n, d) lie in the regions where all unknowns of an expression live;
        all of them where the unknowns live everywhere."""
        if not any(e.region for e in self.equations):
            return np.full(len(points), True)
        lives, defined = structure.regions(self), np.full(len(points), True)
        for names in {lives[f] for f in fields_in(expression) if f in lives}:
            inside = [self.domain.regions[name].contains(points) for name in names]
            defined &= np.any(np.asarray(inside), axis=0)
        return defined

    def compile(self, expressions: Sequence[Any]) -> Compiled:
        """Expressions of this problem's fields as one JAX function; see `compile_expressions`."""
        return compile_expressions(
            expressions, self.coordinates, domain=self.domain, fields=self.fields
        )

    @property
    def residuals(self) -> tuple[sympy.Expr, ...]:
        """Left minus right of every scalar equation; zero outside the region of an equation."""
        return tuple(r for e in self.equations for r in self._residuals(e))

    def _residuals(self, equation: Eq) -> tuple[sympy.Expr, ...]:
        name = equation.region
        if name is None or name not in self.domain.regions:  # of which the doctor tells
            return equation.residuals
        inside = indicator(self.domain, name, self.coordinates)
        return tuple(inside * r for r in equation.residuals)

    def check(self, resolution: float | None = None) -> check.Findings:
        """What is wrong or doubtful in the statement, all at once, each with its remedy;
        `resolution` is the length that the chosen method carries, as the size of its mesh."""
        return check.check(self, resolution)

    def replace(self, **changes: Any) -> Problem:
        """The same problem with some of its parts changed, as `problem.replace(conditions=...)`."""
        return dataclasses.replace(self, **changes)

    def add(self, conditions: Any = (), data: Any = (), equations: Any = ()) -> Problem:
        """The same problem with further conditions, data and equations, given as to `Problem`."""
        further = _conditions(self.domain, conditions) if conditions else ()
        return self.replace(
            equations=(*self.equations, *_equations(equations)),
            conditions=(*self.conditions, *further),
            data=(*self.data, *_data(data)),
        )

    def restrict(self, region: Any) -> Problem:
        """The problem on the part of its domain that lies in `region`, a shape or the name of a
        region; see `equations.restrict`."""
        from .restrict import restrict

        return restrict(self, region)

    def linearize(self, about: Mapping[AppliedUndef, Any] | None = None) -> Problem:
        """The tangent of the problem at the state `about`, an expression for each field; see
        `equations.linearize`."""
        from .linearize import linearize

        return linearize(self, about)

    @property
    def is_linear(self) -> bool:
        """Whether equations and conditions are affine in all fields together."""
        return structure.is_linear(self)

    @property
    def time_order(self) -> int:
        """The highest order of time derivative in the equations; 0 in a steady problem."""
        return max((structure.time_order(self, f) for f in self.fields), default=0)

    @property
    def space_order(self) -> int:
        """The highest order of spatial derivatives in one term of the equations."""
        return max((structure.space_order(self, f) for f in self.fields), default=0)

    @property
    def is_divergence_form(self) -> bool:
        """Whether every equation reads s = div F, with s free of derivatives in space."""
        return kind.is_divergence_form(self)

    @property
    def kind(self) -> str | None:
        """Either "elliptic", "parabolic", "hyperbolic", "mixed" or None; see `equations.kind`."""
        return kind.kind(self)

    def weak_form(self) -> weak.WeakForm:
        """The weak form, read off the divergences of the statement; see `equations.weak_form`."""
        return weak.weak_form(self)

    def manufactured(self, exact: Mapping[AppliedUndef, Any]) -> Problem:
        """The problem with sources and conditions for which `exact`, an expression for each field,
        is a solution; see `equations.manufactured`."""
        from .manufactured import manufactured

        return manufactured(self, exact)

    def nondimensionalize(self) -> Problem:
        """The problem in numbers of order one, with the way back as its `scaling`; itself where its
        numbers are of order one. See `equations.scaling`."""
        from .scaling import nondimensionalize

        return nondimensionalize(self)

    def residual(
        self,
        fields: Mapping[AppliedUndef, Callable],
        points: Any,
        parameters: Mapping[Any, float] | None = None,
    ) -> np.ndarray:
        """The residuals of the equations for given functions, (points, equations); zero outside the
        region of an equation.

        Arguments:
            fields: `{u: function of a point (d,) -> scalar}` in `jax.numpy`, its coordinates in the
                order of the field's arguments.
            points: (n, d).
            parameters: values of parameters, by symbol or name.
        """
        from .evaluate import evaluate_functions

        named = {str(k): v for k, v in (parameters or {}).items()}
        return evaluate_functions(self.compile(self.residuals), fields, points, named)

    def __str__(self) -> str:
        return printing.text(self)

    def _repr_latex_(self) -> str:
        return printing.latex(self)


def _equations(value: Any, what: str = "`equations`") -> tuple[Eq, ...]:
    if isinstance(value, Eq):
        return (value,)
    if isinstance(value, Mapping) and what == "`equations`":
        return tuple(e for region, item in value.items() for e in _equations_within(region, item))
    if isinstance(value, type):
        raise TypeError(
            f"{what} got the class {value.__name__}; make a law of it with its coordinates, as "
            f"`{value.__name__}((x, y), ...)`."
        )
    if isinstance(value, Law):
        return tuple(value.equations)
    if isinstance(value, sympy.core.relational.Equality):
        return (Eq(value.lhs, value.rhs),)
    if isinstance(value, sympy.core.relational.GreaterThan | sympy.core.relational.LessThan):
        return (Eq(sympy.Min(value.gts - value.lts, 0), 0),)
    if isinstance(value, list | tuple):
        return tuple(e for item in value for e in _equations(item, what))
    if isinstance(value, bool | sympy.logic.boolalg.BooleanAtom):
        raise TypeError(
            f"{what} takes `Eq(...)`; got {value}, which a comparison gives. Write `Eq(u, 0)` "
            "in place of `u == 0`."
        )
    raise TypeError(
        f"{what} takes `Eq(...)`, a law, or a list of them; got {value!r} "
        f"({type(value).__name__}). Write `Eq(expression, 0)` for an expression that vanishes, "
        "`Eq(u, 1)` for a value."
    )


def _equations_within(region: Any, value: Any) -> Iterable[Eq]:
    names = (region,) if isinstance(region, str) else region
    if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
        raise TypeError(
            f"a key of `equations` is the name of a region, or a tuple of names; got {region!r}."
        )
    if isinstance(value, Mapping):
        raise TypeError(f"`equations` of {region!r} are an `Eq`, a law, or a list; got {value!r}.")
    yield from (e.within(name) for e in _equations(value) for name in names)


def _settled_data(data: Data, settled: Callable) -> Data:
    values = {settled(e): v for e, v in data.values.items()}
    return data if values.keys() == data.values.keys() else dataclasses.replace(data, values=values)


def _data(value: Any) -> tuple[Data, ...]:
    items = tuple(value) if isinstance(value, list | tuple) else (value,)
    for item in items:
        if not isinstance(item, Data):
            raise TypeError(f"`data` takes `Data(points, {{u: values}})`; got {item!r}.")
    return items


def _conditions(domain: Any, value: Any) -> Iterable[Condition]:
    if not isinstance(value, Mapping):
        for condition in value if isinstance(value, list | tuple) else (value,):
            if not isinstance(condition, Condition):
                raise TypeError(
                    f"`conditions` takes {{where: equation}}; got {condition!r}. Write them as "
                    '`{"left": Eq(u, 0), ...}`.'
                )
            yield condition
        return
    for where, equations in value.items():
        label, part = _locate(domain, where)
        for equation in _equations(equations, f"`conditions` at {label!r}"):
            yield Condition(label, part, equation)


def _locate(domain: Any, where: Any) -> tuple[str, Any]:
    """The label of a place and, where the domain has it, the part itself."""
    if where is None or (where == "domain" and "domain" not in domain.parts) or where == domain:
        return "domain", Interior(domain)
    if hasattr(where, "sample_interior") and not isinstance(where, type):
        return str(where), Interior(where)
    names = (where,) if isinstance(where, str) else where
    if isinstance(names, tuple) and names and all(isinstance(n, str) for n in names):
        try:
            return ", ".join(names), domain[names if len(names) > 1 else names[0]]
        except (KeyError, ValueError):
            return ", ".join(names), None
    if not hasattr(where, "sample"):
        raise TypeError(
            f"a key of `conditions` is the name of a part, a tuple of names, a part, a `Point`, "
            f'"domain", or a shape; got {where!r}. The parts are {", ".join(domain.parts)}; '
            "`domain.boundary.where(x < 0.5)` is a piece, `Point(0.5)` a point."
        )
    owner = getattr(where, "shape", None)
    label = str(where) if owner is None else where.label
    if owner is not None and owner != domain and owner == getattr(domain, "space", None):
        return label, dataclasses.replace(domain[where.names], condition=where.condition)
    return label, where
