"""Partial derivatives and linear differential operators of functions of a point."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from numbers import Integral, Number
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from diffcore._inputs import control_flow_explained, is_complex, is_traced
from diffcore.complex import is_holomorphic
from diffcore.taylor.algebra import Algebra, Orders, Terms, algebra
from diffcore.taylor.interpret import evaluate
from diffcore.taylor.series import Array, Value, parts_of, primal_of, series

Function = Callable[[Array], Any]
OperatorTerms = Mapping[Orders | int, Any]

_HIGHEST = 170  # the last factorial that double precision can hold


def partials(f: Function, orders: Iterable[Orders | int]) -> Callable[[Array], dict]:
    """The function x ↦ {orders: ∂^orders f(x)}, all orders in one pass.

    Arguments:
        f: maps a point of shape (d,), or a scalar if d = 1, to any pytree of arrays.
        orders: multi-indices of length d, such as `[(2, 0), (0, 2), (1, 1)]`; an int for d = 1.

    Raises:
        ValueError: orders of different lengths or negative; a point of another shape; a complex
            point where f violates the Cauchy-Riemann equations.
        TypeError: orders or points that are not of the right kind; an f whose Python control
            flow depends on values.

    Notes:
        A complex x asks for complex derivatives: f must be holomorphic there, which is checked
        outside of `jit` and `vmap`, where the numbers are at hand. Kinks have the
        derivatives that JAX gives them: 0 for relu and 1 for abs at 0, the mean for max of equals.
        Several points: `jax.vmap`; to compile: `jax.jit`. f is traced anew at each call, so it may
        close over anything, parameters that are being differentiated included.

    Example:
        >>> import jax.numpy as jnp
        >>> second = partials(lambda x: x[0] ** 3 * x[1] ** 2, [(2, 0), (1, 1)])
        >>> result = second(jnp.array([1.0, 2.0]))
        >>> {orders: float(value) for orders, value in result.items()}
        {(2, 0): 24.0, (1, 1): 12.0}
    """
    names = _names(orders)
    evaluate_all = operators(f, [{each: 1} for each in names])

    def derivatives(x: Array) -> dict:
        if len(names) > 1 and np.shape(x) == (len(names),) and _are_integers(names):
            raise ValueError(
                f"`orders` must hold a tuple for each derivative at a point of shape {np.shape(x)}"
                f"; got {orders!r}: did you mean [{tuple(names)}]?"
            )
        return dict(zip(names, evaluate_all(x), strict=True))

    return derivatives


def operator(f: Function, terms: OperatorTerms) -> Callable[[Array], Any]:
    """The function x ↦ Σ coefficient ∂^orders f(x) for the terms {orders: coefficient}.

    The sum is propagated as one quantity: a Laplacian in d dimensions costs d + 2 arrays for each
    value, not 2 d + 1. Coefficients are numbers, or arrays that broadcast against the result.

    Arguments, Raises, Notes: as for `partials`.

    Example:
        >>> import jax.numpy as jnp
        >>> laplacian = operator(lambda x: jnp.sum(x**4), {(2, 0): 1, (0, 2): 1})
        >>> float(laplacian(jnp.array([1.0, 2.0])))
        60.0
    """
    evaluate_all = operators(f, [terms])
    return lambda x: evaluate_all(x)[0]


def operators(f: Function, terms: Sequence[OperatorTerms]) -> Callable[[Array], list]:
    """The function x ↦ [operator(f, each)(x) for each of the terms], in one pass.

    Arguments, Raises, Notes: as for `operator`.
    """
    if not callable(f):
        raise TypeError(f"`f` must be a function of a point; got {type(f).__name__} {f!r}.")
    _check_takes_a_point(f)
    checked = [_checked_terms(each) for each in terms]
    dimension = _common_length([orders for one in checked for orders in one])
    requests: dict[Terms, int] = {}
    recipes = [_recipe(one, requests) for one in checked]

    def evaluate_all(x: Array) -> list:
        x = _checked_point(x, dimension)
        if not requests:
            return [jax.tree.map(jnp.zeros_like, f(x)) for _ in recipes]
        space = algebra(tuple(requests), dimension)
        leaves, tree = _values(f, space, x)
        _check_holomorphic(f, x)
        return [
            tree.unflatten([_read(space, leaf, recipe) for leaf in leaves]) for recipe in recipes
        ]

    return evaluate_all


Recipe = list[tuple[Any, int]]
"""An operator as [(factor, number of the request), ...]."""


def _recipe(terms: Mapping[Orders, Any], requests: dict[Terms, int]) -> Recipe:
    """Numbers are put into requests, real and imaginary parts apart; arrays multiply monomials."""

    def number_of(request: Terms) -> int:
        return requests.setdefault(request, len(requests))

    numbers = {
        orders: complex(terms[orders]) for orders in sorted(terms) if _is_number(terms[orders])
    }
    real = tuple((orders, _finite(c.real)) for orders, c in numbers.items() if c.real)
    imaginary = tuple((orders, _finite(c.imag)) for orders, c in numbers.items() if c.imag)
    recipe: Recipe = [(c, number_of(part)) for c, part in ((1, real), (1j, imaginary)) if part]
    arrays = {orders: c for orders, c in terms.items() if orders not in numbers}
    return recipe + [(c, number_of(((orders, 1),))) for orders, c in arrays.items()]


def _values(f: Function, space: Algebra, x: Array) -> tuple[list[Value], Any]:
    """The leaves of f at the series of the coordinates, and the structure of its result."""

    def of_arrays(x: Array) -> Any:
        result = f(x)
        for leaf in jax.tree.leaves(result):
            if not isinstance(leaf, jax.Array | np.ndarray | Number | np.generic):
                raise TypeError(
                    f"`f` must return arrays; it returned a {type(leaf).__name__}: {leaf!r}."
                )
        return result

    with control_flow_explained():
        closed, shape = jax.make_jaxpr(of_arrays, return_shape=True)(x)
    seeds = np.asarray(space.seeds, x.dtype).reshape(-1, *x.shape)
    point = series(x, dict(enumerate(seeds[1:], start=1)))
    return evaluate(space, closed, [point]), jax.tree.structure(shape)


def _read(space: Algebra, value: Value, recipe: Recipe) -> Array:
    known = {0: primal_of(value), **parts_of(value)}
    total = None
    for factor, request in recipe:
        weights = [(c * factor, known[k]) for k, c in space.readouts[request] if k in known]
        terms = [part if isinstance(w, int) and w == 1 else w * part for w, part in weights]
        for term in terms or [jnp.zeros_like(factor * primal_of(value))]:  # for shape and type
            total = term if total is None else total + term
    return jnp.zeros_like(primal_of(value)) if total is None else jnp.asarray(total)


def _names(orders: Any) -> list[Orders | int]:
    """The orders as keys of a dictionary: lists and rows of arrays as tuples."""
    if not isinstance(orders, Iterable) or isinstance(orders, str):
        hint = f": did you mean [{orders!r}]?" if isinstance(orders, Integral) else "."
        raise TypeError(
            f"`orders` must be a list of orders, one for each derivative; got {orders!r}{hint}"
        )
    return [_name(each) for each in orders]


def _name(orders: Any) -> Any:
    plain = orders.tolist() if isinstance(orders, np.ndarray | jax.Array) else orders
    return tuple(map(_name, plain)) if isinstance(plain, list | tuple) else plain


def _check_takes_a_point(f: Function) -> None:
    try:
        signature = inspect.signature(f)
    except ValueError:  # some compiled functions have none
        return
    try:
        signature.bind(None)
    except TypeError as error:
        raise TypeError(
            f"`f` must take the point as one array; it takes {signature}: "
            "write `lambda p: f(*p)` for a function of several coordinates."
        ) from error


def _are_integers(values: Iterable[Any]) -> bool:
    return all(isinstance(each, Integral) for each in values)


def _checked_terms(terms: Any) -> dict[Orders, Any]:
    if not isinstance(terms, Mapping):
        raise TypeError(
            "`terms` must be a dictionary {orders: coefficient}, such as {(2, 0): 1, (0, 2): 1}; "
            f"got {terms!r}. For derivatives one by one use `partials`."
        )
    checked: dict[Orders, Any] = {}
    for orders, c in terms.items():
        key, coefficient = _checked_orders(orders), _checked_coefficient(c)
        checked[key] = checked[key] + coefficient if key in checked else coefficient  # 2 and (2,)
    return checked


def _checked_coefficient(c: Any) -> Any:
    """Numbers of NumPy without axes as Python's, which do not widen a result."""
    if isinstance(c, np.ndarray | np.generic) and c.ndim == 0 and c.dtype.kind in "biufc":
        return c.item()
    if not isinstance(c, Number | np.ndarray | jax.Array):
        raise TypeError(
            f"`terms` must have numbers or arrays as coefficients; got {type(c).__name__} {c!r}."
        )
    return c


def _check_holomorphic(f: Function, x: Array) -> None:
    if is_complex(x) and not is_traced(x) and not is_holomorphic(f, x):
        raise ValueError(
            "`f` violates the Cauchy-Riemann equations at this complex `x` (conj, abs, real and "
            "imag are not holomorphic), so it has no complex derivatives there: use "
            "`diffcore.wirtinger(f)`, or the real and imaginary part of `x` as coordinates."
        )


def _checked_orders(orders: Any) -> Orders:
    numbers = (orders,) if isinstance(orders, Integral) else orders
    if not isinstance(numbers, Sequence) or not _are_integers(numbers):
        raise TypeError(
            f"`orders` must be a tuple of integers, one for each coordinate; got {orders!r}."
        )
    if any(n < 0 for n in numbers):
        raise ValueError(f"`orders` must not be negative; got {orders!r}.")
    if sum(numbers) > _HIGHEST:
        raise ValueError(
            f"`orders` must not exceed {_HIGHEST} in sum, where factorials overflow; got {orders}."
        )
    return tuple(int(n) for n in numbers)


def _common_length(orders: list[Orders]) -> int:
    lengths = sorted({len(each) for each in orders})
    if len(lengths) > 1 or lengths == [0]:
        raise ValueError(
            f"`orders` must have one entry for each coordinate, all the same number; got {orders}."
        )
    return lengths[0] if lengths else 0


def _is_number(c: Any) -> bool:
    return isinstance(c, Number)


def _finite(c: float) -> float:
    if not isfinite(c):
        raise ValueError(f"`terms` must have finite coefficients; got {c}.")
    return c


def _checked_point(x: Any, dimension: int) -> Array:
    """x as one floating-point array of shape (dimension,); of any shape without orders."""
    if not jax.tree_util.all_leaves([x]) and not isinstance(x, list | tuple):
        raise TypeError(
            f"`x` must be one array, the point; got a {type(x).__name__}: stack its entries, or "
            "use `diffcore.directional`, which takes trees."
        )
    x = jnp.asarray(x)
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        raise TypeError(
            f"`x` must be floating point or complex to have derivatives; got {x.dtype}. "
            "Convert it, for example by `x.astype(float)`."
        )
    if dimension and x.shape != (dimension,) and not (dimension == 1 and x.shape == ()):
        remedy = (
            f"Give each order {len(x)} entries, one for each coordinate"
            if x.ndim == 1
            else "Map over several points by `jax.vmap`"
        )
        raise ValueError(
            f"`x` must be one point of shape ({dimension},), as long as the orders; "
            f"got shape {x.shape}. {remedy}."
        )
    return x
