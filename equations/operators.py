"""Vector calculus on SymPy expressions, in Cartesian or orthogonal curvilinear coordinates.

`div` stays as it is written, a `Divergence` node, so that a weak form can be read off the
equation; `.doit()` expands it. Everything else is expanded at once. In a curvilinear system `div`
is the plain divergence, among the coordinates, of a flux times the scale factors, divided by these.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from .curvilinear import (
    Metric,
    fluxes,
    jacobian,
    metric,
    scale_factors,
    turning,
    unit_normal,
)
from .expansion import expanded, rate_along
from .expressions import as_expression
from .symbols import fields_in, normal, space_of

Scalar = sympy.Expr
Vector = sympy.Matrix


def is_vector(value: Any) -> bool:
    """Whether `value` is a vector: a SymPy matrix, or a tuple or list of expressions."""
    return isinstance(value, sympy.MatrixBase | tuple | list | sympy.Tuple)


def as_vector(value: Any) -> sympy.Matrix:
    """`value` as an immutable column; tuples and lists are taken component by component."""
    return sympy.ImmutableMatrix([as_expression(component, "vector") for component in value])


class Divergence(sympy.Expr):
    """The divergence of a flux, kept as written: `Divergence((F_x, F_y), (x, y))`."""

    is_commutative = True

    def __new__(cls, flux, space):
        flux, space = as_expression(tuple(flux), "div"), as_expression(tuple(space), "div")
        if len(flux) != len(space):
            raise ValueError(
                f"`div` needs one flux component for each coordinate; got {len(flux)} components "
                f"and coordinates {tuple(space)}. Name them: `div(flux, (x, y))`."
            )
        return sympy.Expr.__new__(cls, flux, space)

    @property
    def flux(self) -> sympy.Matrix:
        return sympy.ImmutableMatrix(list(self.args[0]))

    @property
    def space(self) -> tuple[sympy.Symbol, ...]:
        return tuple(self.args[1])

    def doit(self, **hints):
        """The expanded sum of derivatives."""
        flux = [expanded(f, **hints) if hints.get("deep", True) else f for f in self.args[0]]
        return sympy.Add(*(rate_along(f, s) for f, s in zip(flux, self.space, strict=True)))

    def _eval_derivative(self, symbol):
        return sympy.diff(self.doit(), symbol)

    def _potential(self) -> sympy.Expr | None:
        """u where the flux is grad(u), so that the node prints as a Laplacian."""
        first = self.args[0][0]
        if isinstance(first, sympy.Derivative) and first.variables == (self.space[0],):
            u = first.expr
            if tuple(self.args[0]) == tuple(sympy.diff(u, s) for s in self.space):
                return u
        return None

    def _sympystr(self, printer):
        u = self._potential()
        if u is not None:
            return f"laplacian({printer.doprint(u)})"
        return f"div({', '.join(printer.doprint(f) for f in self.args[0])})"

    def _latex(self, printer, exp=None):
        u = self._potential()
        if u is not None:
            text = rf"\Delta {printer.parenthesize(u, 100)}"
        else:
            inner = r"\\ ".join(printer.doprint(f) for f in self.args[0])
            text = rf"\nabla\cdot\begin{{pmatrix}}{inner}\end{{pmatrix}}"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"


def diff(expression: Any, *variables: Any) -> Any:
    """The partial derivative, as SymPy writes it: `diff(u, x)`, `diff(u, x, 2)`, `diff(u, x, t)`;
    of vectors component by component.

    Raises:
        ValueError where the expression holds fields and neither they nor anything else in it
        depends on the variable: SymPy would give a silent zero.
    """
    expression = as_expression(expression, "diff")
    if isinstance(expression, sympy.MatrixBase):
        return sympy.ImmutableMatrix(expression.applyfunc(lambda e: diff(e, *variables)))
    if is_vector(expression):
        return as_vector([diff(component, *variables) for component in expression])
    for variable in _variables(variables):
        _require_dependence("diff", (expression,), variable)
    return sympy.diff(expression, *variables)


def _variables(given: Sequence[Any]) -> Iterator[sympy.Expr]:
    """What `diff` differentiates by, in SymPy's forms: `x`, `x, 2` and `(x, 2)`."""
    for item in given:
        if isinstance(item, tuple | list | sympy.Tuple):
            yield from _variables(item)
        elif isinstance(item, sympy.Symbol | AppliedUndef):
            yield item
        elif item is given[0] or not isinstance(item, int | sympy.Integer):
            raise TypeError(
                f"`diff` takes coordinates and orders, as `diff(u, x, 2)`; got {item!r} "
                f"({type(item).__name__})."
            )


def _require_dependence(
    operator: str, expressions: Sequence[sympy.Expr], variable: sympy.Expr
) -> None:
    unknown = [f for e in expressions for f in fields_in(e)]
    if unknown and not any(e.has(variable) for e in expressions):
        raise ValueError(
            f"`{operator}` with respect to {variable}: none of {', '.join(map(str, unknown))} "
            "depends on it, so the derivative would be zero. Give the field that coordinate, as "
            f'in `field("{unknown[0].func.__name__}", ..., {variable})`, or drop the term.'
        )


def _space(operator: str, space: Any, *expressions: sympy.Expr) -> tuple[sympy.Symbol, ...]:
    """The coordinates that an operator differentiates by: those named, or all that there are."""
    if space is None:
        return space_of(*expressions)
    named = (space,) if isinstance(space, sympy.Symbol) else tuple(space)
    for symbol in named:
        if not isinstance(symbol, sympy.Symbol):
            raise TypeError(f"`{operator}` takes coordinates as its space; got {symbol!r}.")
        _require_dependence(operator, expressions, symbol)
    return named


def _gradient(u: sympy.Expr, space: Sequence[sympy.Symbol]) -> sympy.Matrix:
    pairs = zip(space, scale_factors(space), strict=True)
    return sympy.ImmutableMatrix([sympy.diff(u, s) / h for s, h in pairs])


def _jacobian(vector: Sequence[sympy.Expr], space: Sequence[sympy.Symbol]) -> sympy.Matrix:
    g = metric(space)
    if g is not None:
        return jacobian(g, _of_space("grad", vector, space))
    return sympy.ImmutableMatrix([[sympy.diff(c, s) for s in space] for c in vector])


def _of_space(operator: str, vector: Sequence[sympy.Expr], space: Sequence[sympy.Symbol]) -> Any:
    if len(vector) != len(space):
        raise ValueError(
            f"`{operator}` needs one component for each coordinate {tuple(space)}; got "
            f"{len(vector)}. Name the coordinates, if these are others."
        )
    return vector


def grad(u: Any, space: Sequence[sympy.Symbol] | None = None) -> sympy.Matrix:
    """The gradient with respect to the spatial coordinates: a column for a scalar, the Jacobian
    matrix, e_i · (e_j · grad) v, for a vector: du_i/dx_j in Cartesian coordinates.

    Notes:
        In a curvilinear system the matrix has all components of the system, those along
        coordinates that are left out too: the hoop strain v_r / r is among them."""
    u = as_expression(u, "grad")
    if is_vector(u):
        return _jacobian(u, _space("grad", space, *u))
    space = _space("grad", space, u)
    if not space:
        raise ValueError(f"`grad({u})`: no spatial coordinate in it; name them: `grad(u, (x, y))`.")
    return _gradient(u, space)


def _divergence(flux: Sequence[sympy.Expr], space: Sequence[sympy.Symbol]) -> sympy.Expr:
    g = metric(space)
    if g is None:
        return Divergence(tuple(flux), space)
    densities, volume = fluxes(g, _of_space("div", flux, space))
    return Divergence(tuple(densities), space) / volume


def div(flux: Any, space: Sequence[sympy.Symbol] | None = None) -> Any:
    """The divergence of a vector (a scalar `Divergence` node, kept as written), or of a matrix,
    row by row. `.doit()` expands it.

    Example:
        >>> from equations import coordinates, field
        >>> x, y = coordinates("x y")
        >>> u = field("u", x, y)
        >>> div(x * grad(u))
        div(x*Derivative(u(x, y), x), x*Derivative(u(x, y), y))
    """
    flux = as_expression(flux, "div")
    if not is_vector(flux):
        raise TypeError(f"`div` needs a vector, as `div(k * grad(u))`; got the scalar {flux}.")
    space = _space("div", space, *flux)
    if isinstance(flux, sympy.MatrixBase) and flux.shape[1] > 1:
        g = metric(space)
        if g is not None:
            return _curved_divergence(g, flux)
        rows = [Divergence(tuple(flux[i, :]), space) for i in range(flux.shape[0])]
        return sympy.ImmutableMatrix(rows)
    return _divergence(flux, space)


def _curved_divergence(g: Metric, tensor: sympy.Matrix) -> sympy.Matrix:
    """The divergence of a tensor of a curvilinear system, along the coordinates in use."""
    size = len(g.symbols)
    if tensor.shape == (len(g.places),) * 2 and len(g.places) < size:
        full = sympy.zeros(size)
        for (i, row), (j, column) in itertools.product(enumerate(g.places), repeat=2):
            full[row, column] = tensor[i, j]
        tensor = full
    if tensor.shape != (size, size):
        raise ValueError(
            f"`div` needs a tensor of {size} rows and columns here; got {tensor.shape}."
        )
    space = tuple(g.symbols[i] for i in g.places)
    return sympy.ImmutableMatrix(
        [
            _divergence([tensor[i, j] for j in g.places], space) + turning(g, tensor, i)
            for i in g.places
        ]
    )


def laplacian(u: Any, space: Sequence[sympy.Symbol] | None = None) -> Any:
    """The Laplacian div(grad(u)) of a scalar or vector."""
    u = as_expression(u, "laplacian")
    if not is_vector(u):
        space = _space("laplacian", space, u)
        return _divergence(grad(u, space), space)
    space = _space("laplacian", space, *u)
    g = metric(space)
    if isinstance(u, sympy.MatrixBase) and 1 not in u.shape:
        if g is not None:
            raise ValueError(
                f"`laplacian` of a tensor is stated in Cartesian coordinates; got {space}."
            )
        return sympy.ImmutableMatrix(u.applyfunc(lambda e: _divergence(_gradient(e, space), space)))
    if g is not None:
        return _curved_divergence(g, _jacobian(u, space))
    return sympy.ImmutableMatrix([Divergence(_gradient(c, space), space) for c in u])


def curl(v: Any, space: Sequence[sympy.Symbol] | None = None) -> Any:
    """The curl: of a vector in three dimensions a vector; in two, its one component dv/dx - du/dy;
    of a scalar in two dimensions the vector (du/dy, -du/dx).

    Example:
        >>> from equations import coordinates, vector_field
        >>> x, y = coordinates("x y")
        >>> curl(vector_field("v", x, y))
        -Derivative(v_x(x, y), y) + Derivative(v_y(x, y), x)
    """
    v = as_expression(v, "curl")
    components = list(v) if is_vector(v) else [v]
    space = _space("curl", space, *components)
    if len(space) not in (2, 3) or (len(space) == 3 and not is_vector(v)):
        raise ValueError(
            f"`curl` needs two or three coordinates and as many components, or a scalar of two "
            f"coordinates; got {len(components)} and {tuple(space)}."
        )
    if not is_vector(v):
        along, across = _gradient(v, space)
        return sympy.ImmutableMatrix([across, -along])
    _of_space("curl", components, space)
    g = metric(space)
    if g is not None and len(g.symbols) == 3:
        whole = [_rotation(g.fill(components), g.scales, g.symbols, i) for i in range(3)]
        return sympy.ImmutableMatrix(whole) if len(space) == 3 else whole[_left_out(g)]
    scales = scale_factors(space)
    if len(space) == 3:
        return sympy.ImmutableMatrix([_rotation(components, scales, space, i) for i in range(3)])
    (a, b), (h, k), (x, y) = components, scales, space
    return (sympy.diff(k * b, x) - sympy.diff(h * a, y)) / (h * k)


def _rotation(v, h, q, i: int) -> sympy.Expr:
    """Component i of the curl."""
    j, k = (i + 1) % 3, (i + 2) % 3
    return (sympy.diff(h[k] * v[k], q[j]) - sympy.diff(h[j] * v[j], q[k])) / (h[j] * h[k])


def _left_out(g: Metric) -> int:
    return next(i for i in range(3) if i not in g.places)


def dot(a: Any, b: Any) -> Any:
    """The scalar product of two vectors (no conjugate), or matrix times vector."""
    a, b = as_expression(a, "dot"), as_expression(b, "dot")
    if not is_vector(a) or not is_vector(b):
        raise TypeError(f"`dot` needs two vectors, as `dot((1, 0), grad(u))`; got {a} and {b}.")
    if isinstance(a, sympy.MatrixBase) and a.shape[1] > 1:
        return a * as_vector(b)
    if len(a) != len(b):
        raise ValueError(f"`dot` needs vectors of one length; got {len(a)} and {len(b)}.")
    return sympy.Add(*(p * q for p, q in zip(a, b, strict=True)))


def advect(velocity: Any, u: Any, space: Sequence[sympy.Symbol] | None = None) -> Any:
    """The advective derivative (velocity · grad) u of a scalar or vector."""
    velocity, u = as_expression(velocity, "advect"), as_expression(u, "advect")
    if not is_vector(velocity):
        raise TypeError(
            f"`advect` needs a vector as its velocity, `advect((a, b), u)`, in one dimension "
            f"`advect([a], u)`; got the scalar {velocity}."
        )
    if not is_vector(u):
        return dot(velocity, _gradient(u, _space("advect", space, *velocity, u)))
    whole = _space("advect", space, *velocity, *u)
    if metric(whole) is None:
        return as_vector([advect(velocity, component, space) for component in u])
    return _along(_of_space("advect", velocity, whole), u, whole)


def _along(direction: Sequence[sympy.Expr], u: Sequence[sympy.Expr], space: Any) -> sympy.Matrix:
    """(direction · grad) u of a vector, in a curvilinear system."""
    g = metric(space)
    assert g is not None
    whole = _jacobian(u, space) * sympy.Matrix(g.fill(direction))
    return sympy.ImmutableMatrix([whole[i] for i in g.places])


def normal_derivative(u: Any) -> Any:
    """The derivative along the outward normal, n · grad(u), of a scalar or vector; it has a
    meaning in conditions and in integrals over the boundary."""
    u = as_expression(u, "normal_derivative")
    if not is_vector(u):
        space = space_of(u)
        return dot(unit_normal(space), grad(u, space))
    space = space_of(*u)
    if metric(space) is not None:
        return _along(unit_normal(space), u, space)
    return as_vector([dot(normal(space), _gradient(c, space)) for c in u])
