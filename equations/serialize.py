"""Statements and methods as JSON trees, and back, without executing anything that a file says.

A tree can only name constructors from a fixed list: SymPy's sums, products, powers, derivatives
and mathematical functions, the nodes of this package, and frozen dataclasses that belong to
packages which the caller names. Text in a file never reaches `sympify`, which evaluates it.
Numbers, symbols with their assumptions and unevaluated forms come back exactly, so a statement
that was read equals the one that was written.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy
from sympy.core.function import Application, AppliedUndef
from sympy.core.symbol import Str

from geometry import Part, Point
from geometry.condition import Condition as Where

from .call import Call, Component, Given
from .elsewhere import At
from .equation import Eq
from .history import CaputoDerivative, FractionalLaplacian
from .integrals import GaussIntegral, Region, RegionIntegral
from .interior import Interior
from .operators import Divergence
from .problem import Condition, Data, Problem
from .regions import Depth
from .symbols import NormalComponent, Parameter, identifier
from .systems import Coordinate, System
from .traces import Trace
from .units import Quantity

PACKAGES = ("geometry",)  # whose shapes a statement may hold


class SerializationError(ValueError):
    """A value cannot be written as JSON, or a JSON tree is not one of ours."""


def to_json(value: Any, *, packages: Sequence[str] = PACKAGES) -> Any:
    """The value as a tree that `json.dumps` takes.

    Arguments:
        value: a `Problem`, an expression, an array, a container of such, or a frozen dataclass,
            function, class or `functools.partial` of such out of one of the `packages`. Fields with
            the metadata `{"stored": False}` are left out, and have their defaults when read.

    Raises:
        SerializationError for anything else, such as a class of the user's own.

    Example:
        >>> from equations import coordinates, field
        >>> x = coordinates("x")
        >>> to_json(2 * field("u", x))
        {'sympy': ['Mul', 2, ['field', 'u', {'real': True}, ['symbol', 'x', {'real': True}]]]}
    """
    return _Writer(tuple(packages)).value(value)


def from_json(tree: Any, *, packages: Sequence[str] = PACKAGES) -> Any:
    """The value that `to_json` wrote as `tree`.

    Raises:
        SerializationError for trees that name anything outside the list and `packages`.
    """
    try:
        return _Reader(tuple(packages)).value(tree)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError) as error:
        if isinstance(error, SerializationError):
            raise
        raise SerializationError(f"the tree is not a stored statement: {error}") from error


# SymPy

_CONSTANTS = {
    "pi": sympy.pi,
    "E": sympy.E,
    "I": sympy.I,
    "oo": sympy.oo,
    "-oo": -sympy.oo,
    "GoldenRatio": sympy.GoldenRatio,
    "EulerGamma": sympy.EulerGamma,
    "true": sympy.true,
    "false": sympy.false,
}
_NODES: tuple[type, ...] = (
    *(sympy.Add, sympy.Mul, sympy.Pow, sympy.Derivative, sympy.Integral, sympy.Tuple),
    *(sympy.Piecewise, sympy.functions.elementary.piecewise.ExprCondPair, sympy.Subs),
    *(sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge, sympy.Ne, sympy.Equality),
    *(sympy.And, sympy.Or, sympy.Not, Divergence, Eq),
    *(At, GaussIntegral, RegionIntegral, Trace, CaputoDerivative, FractionalLaplacian, Call),
)
_KEEP_ORDER = (sympy.Add, sympy.Mul, sympy.Pow, sympy.Piecewise, sympy.Function)
_ASSUMPTIONS: tuple[dict[str, bool], ...] = (
    {"real": True},
    {"positive": True},
    {"complex": True},
    {},
)


@functools.cache
def _constructors() -> dict[str, type]:
    """The allowed classes of nodes by name: `_NODES` and SymPy's mathematical functions."""
    functions = (getattr(sympy, name, None) for name in sympy.functions.__all__)
    allowed = {f.__name__: f for f in functions if isinstance(f, type)}
    allowed = {k: f for k, f in allowed.items() if issubclass(f, Application)}
    return allowed | {node.__name__: node for node in _NODES}


def _write_expression(e: Any) -> Any:
    if isinstance(e, sympy.MatrixBase):
        return ["matrix", *e.shape, *map(_write_expression, e.flat())]
    if isinstance(e, sympy.Integer):
        return int(e)
    if isinstance(e, sympy.Rational) and e.is_finite:
        return ["rational", int(e.p), int(e.q)]
    if isinstance(e, sympy.Float):
        return _write_float(e)
    if isinstance(e, Parameter):
        between = list(e.between or ())
        return ["parameter", e.name, e.initial, between, bool(e.is_positive), e.role]
    if isinstance(e, Coordinate):
        system = e.system
        factors = [_write_expression(f) for f in (*system.scales, *system.spans)]
        return ["coordinate", e.name, system.name, list(system.axes), factors]
    if isinstance(e, Region):
        return ["region", to_json(e.place)]
    if isinstance(e, Given):
        return ["given", e.name, e.function.index, *_write_function(e.function.function)]
    if isinstance(e, NormalComponent):
        return ["normal", e.name]
    if isinstance(e, Str):
        return ["text", e.name]
    if isinstance(e, Quantity):
        return ["quantity", e.value, e.unit]
    if type(e) is sympy.Symbol:
        return ["symbol", e.name, _assumptions(e, lambda a: sympy.Symbol(e.name, **a))]
    if isinstance(e, AppliedUndef):
        name = e.func.__name__
        assumed = _assumptions(e.func, lambda a: sympy.Function(name, **a))
        return ["field", name, assumed, *map(_write_expression, e.args)]
    for name, constant in _CONSTANTS.items():
        if e is constant:
            return [name]
    name = type(e).__name__
    known: Any = _constructors().get(name)
    if known is not type(e):
        raise SerializationError(f"{e} holds a {name}, for which there is no stored form.")
    return [name, *map(_write_expression, e.args)]


def _write_function(function: Any) -> list[Any]:
    """The function of a `call`: the depth of a point in a region is the one that can be stored."""
    if isinstance(function, Depth):
        return ["depth", to_json(function.shape)]
    raise SerializationError(
        f"the statement calls {function!r:.80}, which has no stored form; save values instead, as "
        ".vtu or .csv."
    )


def _read_function(name: Any, index: Any, kind: Any, shape: Any) -> Given:
    if kind != "depth":
        raise SerializationError(f"{kind!r} is not among the functions that a file may hold.")
    return Given(Component(Depth(from_json(shape)), int(index)), _identifier(name))


def _write_float(e: sympy.Float) -> Any:
    if e._prec == 53:
        return float(e)
    sign, mantissa, exponent, bits = e._mpf_
    return ["float", int(sign), int(mantissa), int(exponent), int(bits), e._prec]


def _assumptions(target: Any, make: Any) -> dict[str, bool]:
    """The shortest assumptions that make the same symbol or function again."""
    for assumed in _ASSUMPTIONS:
        if make(assumed) == target:
            return assumed
    known = getattr(target, "assumptions0", None) or dict(getattr(target, "_kwargs", {}))
    return {k: v for k, v in known.items() if v is not None}


def _read_expression(tree: Any) -> Any:
    if isinstance(tree, bool) or not isinstance(tree, int | float | list):
        raise SerializationError(f"{tree!r} stands where an expression belongs.")
    if not isinstance(tree, list):
        return sympy.Integer(tree) if isinstance(tree, int) else sympy.Float(tree)
    head, *rest = tree
    if head in _LEAVES:
        return _LEAVES[head](*rest)
    if head in _CONSTANTS and not rest:
        return _CONSTANTS[head]
    if head not in _constructors():
        raise SerializationError(f"{head!r} is not among the expressions that a file may hold.")
    constructor = _constructors()[head]
    options = {"evaluate": False} if issubclass(constructor, _KEEP_ORDER) else {}
    return constructor(*map(_read_expression, rest), **options)


def _read_symbol(name: Any, assumptions: Any) -> sympy.Symbol:
    return sympy.Symbol(_identifier(name), **_flags(assumptions))


def _read_field(name: Any, assumptions: Any, *arguments: Any) -> AppliedUndef:
    function = sympy.Function(_identifier(name), **_flags(assumptions))
    return function(*map(_read_expression, arguments))


def _read_coordinate(name: Any, system: Any, axes: Any, factors: Any) -> Coordinate:
    found = tuple(map(_read_expression, factors))
    names, size = tuple(map(_identifier, axes)), len(axes)
    return Coordinate(_identifier(name), System(_text(system), names, found[:size], found[size:]))


def _read_parameter(
    name: Any, initial: Any, between: Any, positive: Any, role: Any = None
) -> Parameter:
    initial = None if initial is None else float(initial)
    limits = (float(between[0]), float(between[1])) if between else None
    role = None if role is None else _text(role)
    return Parameter(_identifier(name), initial, limits, bool(positive), role)


def _read_matrix(rows: int, columns: int, *entries: Any) -> sympy.Matrix:
    return sympy.ImmutableMatrix(rows, columns, [_read_expression(e) for e in entries])


def _read_float(sign: int, mantissa: int, exponent: int, bits: int, precision: int) -> sympy.Float:
    return sympy.Float((sign, mantissa, exponent, bits), precision=precision)


_LEAVES: dict[str, Callable[..., Any]] = {
    "symbol": _read_symbol,
    "field": _read_field,
    "parameter": _read_parameter,
    "coordinate": _read_coordinate,
    "given": _read_function,
    "region": lambda place: Region(from_json(place)),
    "normal": lambda name: NormalComponent(_identifier(name)),
    "text": lambda name: Str(_text(name)),
    "matrix": _read_matrix,
    "quantity": lambda value, unit: Quantity(float(value), _text(unit)),
    "rational": lambda p, q: sympy.Rational(int(p), int(q)),
    "float": _read_float,
}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise SerializationError(f"a name is text; got {value!r}.")
    return value


def _identifier(value: Any) -> str:
    """A name that can stand in a program: any other text could become one."""
    return identifier(_text(value), "a name in a file")


def _flags(value: Any) -> dict[str, bool]:
    return {_text(k): bool(v) for k, v in value.items()}


# Values


class _Writer:
    """Writes values; the parts of a statement have forms of their own."""

    def __init__(self, packages: tuple[str, ...]):
        self.packages = packages

    def value(self, value: Any) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if np.isfinite(value) else {"float": str(value)}
        if isinstance(value, complex):
            return {"complex": [value.real, value.imag]}
        if isinstance(value, list):
            return [self.value(v) for v in value]
        if isinstance(value, tuple):
            return {"tuple": [self.value(v) for v in value]}
        if isinstance(value, dict):
            return {"dict": [[self.value(k), self.value(v)] for k, v in value.items()]}
        if isinstance(value, sympy.Basic | sympy.MatrixBase):
            return {"sympy": _write_expression(value)}
        if hasattr(value, "__array__"):
            return _write_array(np.asarray(value))
        return self.thing(value)

    def thing(self, value: Any) -> Any:
        if isinstance(value, Problem):
            return {"problem": self.problem(value)}
        if isinstance(value, Data):
            return {"data": self.fields(value)}
        if isinstance(value, Point):
            return {"point": list(value.coordinates)}
        if isinstance(value, functools.partial):
            name = _public_name(value.func, self.packages)
            return {"partial": [name, self.value(value.args), self.value(value.keywords)]}
        if not dataclasses.is_dataclass(value) or isinstance(value, type):
            return {"name": _public_name(value, self.packages)}
        return {"class": _class_name(type(value), self.packages), "fields": self.fields(value)}

    def fields(self, value: Any) -> dict[str, Any]:
        if hasattr(value, "constructor_arguments"):  # its constructor is its own
            return {name: self.value(v) for name, v in value.constructor_arguments.items()}
        stored = (
            f.name for f in dataclasses.fields(value) if f.init and f.metadata.get("stored", True)
        )
        return {name: self.value(getattr(value, name)) for name in stored}

    def problem(self, problem: Problem) -> dict[str, Any]:
        """Everything but the law, which has done its work when its equations are there."""
        conditions = [
            [c.label, self.place(problem.domain, c.part), self.value(c.equation)]
            for c in problem.conditions
        ]
        return {
            "domain": self.value(problem.domain),
            "equations": self.value(list(problem.equations)),
            "conditions": conditions,
            "data": self.value(list(problem.data)),
            "name": problem.name,
            "units": self.value(problem.units),
        }

    def place(self, domain: Any, part: Any) -> Any:
        """A part of the domain without the domain, so that it is read as a part of that domain."""
        if isinstance(part, Part) and part.shape == domain:
            where = {"where": self.value(list(part.condition))} if part.condition else {}
            return {"names": list(part.names), **where}
        if isinstance(part, Interior):
            return {"inside": None if part.domain == domain else self.value(part.domain)}
        return self.value(part)


class _Reader:
    """Reads what `_Writer` wrote."""

    def __init__(self, packages: tuple[str, ...]):
        self.packages = packages

    def value(self, tree: Any) -> Any:
        if tree is None or isinstance(tree, bool | int | float | str):
            return tree
        if isinstance(tree, list):
            return [self.value(v) for v in tree]
        if "class" in tree:
            return self.instance(tree["class"], tree["fields"])
        ((kind, content),) = tree.items()
        readers: dict[str, Callable[[Any], Any]] = {
            "float": float,
            "complex": lambda c: complex(*map(float, c)),
            "tuple": lambda c: tuple(self.value(v) for v in c),
            "dict": lambda c: {self.value(k): self.value(v) for k, v in c},
            "sympy": _read_expression,
            "array": _read_array,
            "name": lambda c: _public(c, self.packages),
            "partial": self.partial,
            "point": lambda c: Point(*map(float, c)),
            "problem": self.problem,
            "data": self.data,
        }
        if kind not in readers:
            raise SerializationError(f"{kind!r} is not among the values that a file may hold.")
        return readers[kind](content)

    def instance(self, name: str, fields: dict[str, Any]) -> Any:
        cls = _class(name, self.packages)
        values = {_text(k): self.value(v) for k, v in fields.items()}
        return cls(**values)

    def partial(self, content: list[Any]) -> functools.partial:
        name, arguments, keywords = content
        function = _public(name, self.packages)
        return functools.partial(function, *self.value(arguments), **self.value(keywords))

    def problem(self, fields: dict[str, Any]) -> Problem:
        domain = self.value(fields["domain"])
        conditions = [
            Condition(_text(label), self.place(domain, part), _is(Eq, self.value(equation)))
            for label, part, equation in fields["conditions"]
        ]
        equations = [_is(Eq, self.value(e)) for e in fields["equations"]]
        data = [_is(Data, self.value(d)) for d in fields["data"]]
        name = None if fields["name"] is None else _text(fields["name"])
        units = self.value(fields.get("units", []))
        return Problem(domain, equations, conditions, data, name, units)

    def place(self, domain: Any, tree: Any) -> Any:
        if isinstance(tree, dict) and "inside" in tree:
            return Interior(domain if tree["inside"] is None else self.value(tree["inside"]))
        if isinstance(tree, dict) and "names" in tree:
            part = domain[tuple(map(_text, tree["names"]))]
            where = [_is(Where, c) for c in self.value(tree.get("where", []))]
            return dataclasses.replace(part, condition=tuple(where))
        return self.value(tree)

    def data(self, fields: dict[str, Any]) -> Data:
        points, values = self.value(fields["points"]), self.value(fields["values"])
        checked = {_is(sympy.Expr, expression): v for expression, v in values.items()}
        return Data(points, checked, self.value(fields["noise"]))


def _is(kind: type, value: Any) -> Any:
    """`value`, if it is of that kind: text must not get where it would be evaluated."""
    if not isinstance(value, kind):
        raise SerializationError(f"{value!r} stands where {kind.__name__} belongs.")
    return value


def _write_array(array: np.ndarray) -> dict[str, Any]:
    if array.dtype.kind not in "biufc":
        raise SerializationError(f"an array of {array.dtype} has no stored form.")
    array = np.ascontiguousarray(array)
    data = base64.b64encode(array.tobytes()).decode()
    return {"array": {"dtype": array.dtype.str, "shape": list(array.shape), "data": data}}


def _read_array(content: dict[str, Any]) -> np.ndarray:
    dtype = np.dtype(_text(content["dtype"]))
    if dtype.kind not in "biufc":
        raise SerializationError(f"an array of {dtype} is not among the values a file may hold.")
    flat = np.frombuffer(base64.b64decode(content["data"]), dtype)
    return flat.reshape(content["shape"]).copy()


# Names of classes and functions


def _class_name(cls: type, packages: tuple[str, ...]) -> str:
    """The public name of a class, as "geometry.Disk", else the name of its module and its own."""
    for package in packages:
        module = importlib.import_module(package)
        if getattr(module, cls.__name__, None) is cls:
            return f"{package}.{cls.__name__}"
        if cls.__module__.startswith(f"{package}."):
            return f"{cls.__module__}.{cls.__name__}"
    raise SerializationError(
        f"{cls.__module__}.{cls.__name__} is not of {', '.join(packages)}, so a file that names it "
        "could not be read back; save values instead, as .vtu or .csv."
    )


def _class(name: Any, packages: tuple[str, ...]) -> type:
    path, _, own = _text(name).rpartition(".")
    if any(path == package or path.startswith(f"{package}.") for package in packages):
        try:
            found: Any = getattr(importlib.import_module(path), own, None)
        except ImportError:
            found = None
        if _is_frozen_dataclass(found) and _class_name(found, packages) == name:
            return found
    raise SerializationError(
        f"{name!r} is no class of {', '.join(packages)} in this version; if the file is of a newer "
        "one, update."
    )


def _is_frozen_dataclass(cls: Any) -> bool:
    is_class = isinstance(cls, type) and dataclasses.is_dataclass(cls)
    return is_class and cls.__dataclass_params__.frozen


def _public_name(value: Any, packages: tuple[str, ...]) -> str:
    """The name of a function or class in a public namespace, as "diffcore.nn.tanh"."""
    for package in packages:
        module = importlib.import_module(package)
        for name in module.__all__:
            if getattr(module, name) is value:
                return f"{package}.{name}"
    raise SerializationError(
        f"{value!r} is no public name of {', '.join(packages)} and has no stored form."
    )


def _public(name: Any, packages: tuple[str, ...]) -> Any:
    path, _, own = _text(name).rpartition(".")
    if path in packages:
        module = importlib.import_module(path)
        if own in module.__all__:
            return getattr(module, own)
    raise SerializationError(f"{name!r} is no public name of {', '.join(packages)}.")
