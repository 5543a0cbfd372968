"""Derivatives of functions of pytrees, with one convention for complex numbers.

**The convention.** C^n is R^2n with the inner product <a, b> = Re sum conj(a) b.

- Forward mode (`jvp`, `linearize`, `directional`) is the derivative along a real parameter t of
  f(z + t v): it needs no convention.
- Reverse mode (`vjp`, `grad`, `hvp`) is its adjoint in this inner product. So `grad` of a
  real-valued f is the vector G with d/dt f(z + t v) = <G, v>, the direction of steepest ascent,
  G = df/dx + i df/dy = 2 df/d(conj z), and z - step * G descends. `jax.grad` gives the conjugate of
  G, along which an optimizer diverges.
- With `holomorphic=True` one gets the complex derivative df/dz itself, of functions that have one.
  It is checked (Cauchy-Riemann equations in one random direction) whenever the numbers are at hand,
  that is outside of `jit` and `vmap`.
- `wirtinger` gives df/dz and df/d(conj z) of any function.

For real arguments all of this is the usual derivative.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import jax
import jax.numpy as jnp

from diffcore._inputs import (
    as_count,
    check_complex,
    check_floating,
    control_flow_explained,
    is_complex,
    is_traced,
)
from diffcore.complex import is_holomorphic
from diffcore.taylor import partials

Function = Callable[..., Any]


def grad(
    f: Function,
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Function:
    """The gradient of a scalar function, a function of the same arguments.

    Arguments:
        f: returns a real scalar (a complex one if `holomorphic`), or (scalar, anything) if
            `has_aux`.
        argnums: the positional arguments to differentiate by; several give a tuple.
        holomorphic: give df/dz instead of 2 df/d(conj z).

    Raises:
        TypeError: integer arguments, a value that is no scalar, a complex value without
            `holomorphic`.
        ValueError: `holomorphic` but the Cauchy-Riemann equations do not hold.

    Notes:
        Reverse mode: a small multiple of the cost of `f`, whatever the number of arguments.

    Example:
        >>> import jax.numpy as jnp
        >>> grad(lambda z: jnp.abs(z) ** 2)(1 + 2j).item()    # jax.grad: (2-4j)
        (2+4j)
    """
    both = _value_and_grad("grad", f, argnums, has_aux, holomorphic)

    @wraps(f)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, result = both(*args, **kwargs)
        return (result, value[1]) if has_aux else result

    return gradient


def value_and_grad(
    f: Function,
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Function:
    """The value and the gradient of a scalar function; arguments, errors and convention as `grad`.

    Example:
        >>> import jax.numpy as jnp
        >>> value_and_grad(lambda x: jnp.sum(x**2))(jnp.array([1.0, 2.0]))[1]
        Array([2., 4.], dtype=...)
    """
    return _value_and_grad("value_and_grad", f, argnums, has_aux, holomorphic)


def _value_and_grad(
    name: str, f: Function, argnums: Any, has_aux: bool, holomorphic: bool
) -> Function:
    @wraps(f)
    def scalar(*args: Any, **kwargs: Any) -> Any:
        result = f(*args, **kwargs)
        _check_scalar(name, result[0] if has_aux else result, holomorphic)
        return result

    both = jax.value_and_grad(scalar, argnums, has_aux=has_aux, holomorphic=holomorphic)

    @wraps(f)
    def checked(*args: Any, **kwargs: Any) -> Any:
        _check_arguments(name, _selected(args, argnums), holomorphic)
        if holomorphic:
            _check_holomorphic(name, f, args, kwargs, argnums, has_aux)
        with control_flow_explained():
            value, gradient = both(*args, **kwargs)
        return value, gradient if holomorphic else _conjugate(gradient)

    return checked


def jacobian(
    f: Function, argnums: int | Sequence[int] = 0, *, holomorphic: bool = False
) -> Function:
    """All first derivatives of f: for each output leaf, a tree like the argument.

    A leaf of output shape S and argument shape T gives shape S + T. Forward or reverse mode,
    whichever needs fewer passes. Complex values of real arguments are fine.

    Arguments:
        f: any function of pytrees.
        argnums: the positional arguments to differentiate by; several give a tuple.
        holomorphic: the arguments are complex and f has a complex derivative.

    Raises:
        TypeError: integer arguments; complex arguments without `holomorphic`.
        ValueError: `holomorphic` but the Cauchy-Riemann equations do not hold.

    Example:
        >>> import jax.numpy as jnp
        >>> jacobian(lambda x: jnp.stack([x[0] * x[1], x[1]]))(jnp.array([2.0, 3.0]))
        Array([[3., 2.],
               [0., 1.]], dtype=...)
    """

    @wraps(f)
    def derivative(*args: Any, **kwargs: Any) -> Any:
        _check_arguments("jacobian", _selected(args, argnums), holomorphic, complex_needs=True)
        if holomorphic:
            _check_holomorphic("jacobian", f, args, kwargs, argnums)
        with control_flow_explained():
            outputs = jax.tree.leaves(jax.eval_shape(f, *args, **kwargs))
            n_in = sum(math.prod(jnp.shape(x)) for x in jax.tree.leaves(_selected(args, argnums)))
            n_out = sum(math.prod(y.shape) for y in outputs)
            in_reverse = n_out < n_in and all(_is_real(y) for y in outputs)
            mode = jax.jacrev if in_reverse else jax.jacfwd
            return mode(f, argnums, holomorphic=holomorphic)(*args, **kwargs)

    return derivative


def hessian(
    f: Function, argnums: int | Sequence[int] = 0, *, holomorphic: bool = False
) -> Function:
    """All second derivatives of f, nested as `jacobian` of `jacobian`; errors as `jacobian`.

    Notes:
        For a real function of complex arguments use `hvp`, which has one meaning, or the
        real and imaginary part as arguments.

    Example:
        >>> import jax.numpy as jnp
        >>> hessian(lambda x: x[0] ** 2 * x[1])(jnp.array([2.0, 3.0]))
        Array([[6., 4.],
               [4., 0.]], dtype=...)
    """

    @wraps(f)
    def derivative(*args: Any, **kwargs: Any) -> Any:
        _check_arguments("hessian", _selected(args, argnums), holomorphic, complex_needs=True)
        if holomorphic:
            _check_holomorphic("hessian", f, args, kwargs, argnums)
        with control_flow_explained():
            outputs = jax.tree.leaves(jax.eval_shape(f, *args, **kwargs))
            inner = jax.jacrev if all(_is_real(y) for y in outputs) else jax.jacfwd
            first = inner(f, argnums, holomorphic=holomorphic)
            return jax.jacfwd(first, argnums, holomorphic=holomorphic)(*args, **kwargs)

    return derivative


def jvp(f: Function, primals: Sequence, tangents: Sequence) -> tuple[Any, Any]:
    """The value of f and its derivative along `tangents`: d/dt f(primals + t tangents) at t = 0.

    Arguments:
        f: any function of pytrees.
        primals: the tuple of arguments.
        tangents: a tuple of the same structure and shapes.

    Example:
        >>> import jax.numpy as jnp
        >>> jvp(lambda x: x**3, (2.0,), (1.0,))[1].item()
        12.0
    """
    primals, tangents = _matching("jvp", "primals", primals, "tangents", tangents)
    with control_flow_explained():
        return jax.jvp(f, primals, tangents)


def vjp(f: Function, *primals: Any) -> tuple[Any, Function]:
    """The value of f and the adjoint of its derivative, in <a, b> = Re sum conj(a) b.

    The adjoint maps a cotangent like the value to a tuple of cotangents like `primals`; for
    f(z) = A z it is w -> A^H w.
    """
    check_floating("vjp", "primals", primals)
    with control_flow_explained():
        value, transpose = jax.vjp(f, *primals)

    def adjoint(cotangent: Any) -> tuple:
        _, cotangent = _matching("vjp", "the value of f", value, "the cotangent", cotangent)
        return _conjugate(transpose(_conjugate(cotangent)))

    return value, adjoint


def linearize(f: Function, *primals: Any) -> tuple[Any, Function]:
    """The value of f and its derivative as a function of tangents, with f evaluated only once.

    Notes:
        Cheaper than `jvp` when many tangents are pushed through one point, at the memory of a
        reverse pass.
    """
    check_floating("linearize", "primals", primals)
    with control_flow_explained():
        value, push = jax.linearize(f, *primals)

    def pushforward(*tangents: Any) -> Any:
        return push(*_matching("linearize", "primals", primals, "tangents", tangents)[1])

    return value, pushforward


def hvp(f: Function, x: Any, v: Any) -> Any:
    """The derivative of `grad(f)` at x along v; for real x, the Hessian times v.

    Arguments:
        f: a real scalar function of one pytree.
        x: the point, real or complex.
        v: a tree of the same structure and shapes.

    Notes:
        Forward over reverse: a small multiple of the cost of f; no matrix is formed.

    Example:
        >>> import jax.numpy as jnp
        >>> hvp(lambda x: jnp.sum(x**3), jnp.array([1.0, 2.0]), jnp.array([1.0, 1.0]))
        Array([ 6., 12.], dtype=...)
    """
    (x,), (v,) = _matching("hvp", "x", (x,), "v", (v,))
    return jvp(grad(f), (x,), (v,))[1]


def directional(f: Function, direction: Any, order: int = 1) -> Function:
    """The derivative of the given order along a direction: x -> d^k/dt^k f(x + t v) at t = 0.

    Arguments:
        f: a function of one pytree.
        direction: v, a tree like x.
        order: k >= 0.

    Notes:
        One pass of univariate Taylor arithmetic; the cost grows as k^2 at worst, not as 2^k.

    Example:
        >>> import jax.numpy as jnp
        >>> directional(lambda x: jnp.sum(x**4), jnp.array([1.0, 2.0]), 4)(jnp.zeros(2)).item()
        408.0
    """
    order = as_count("directional", "order", order, at_least=0)

    @wraps(f)
    def derivative(x: Any) -> Any:
        (start,), (v,) = _matching("directional", "x", (x,), "direction", (direction,))

        def along(t: jax.Array) -> Any:
            return f(jax.tree.map(lambda a, b: a + t[0] * b, start, v))

        return partials(along, [(order,)])(jnp.zeros(1, _real_type(start)))[(order,)]

    return derivative


def _check_holomorphic(
    name: str, f: Function, args: tuple, kwargs: dict, argnums: Any, has_aux: bool = False
) -> None:
    if is_traced(args, kwargs):
        return
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    def of_selected(*selected: Any) -> Any:
        full = list(args)
        for number, value in zip(numbers, selected, strict=True):
            full[number] = value
        result = f(*full, **kwargs)
        return result[0] if has_aux else result

    if not is_holomorphic(of_selected, *(args[n] for n in numbers)):
        raise ValueError(
            f"`{name}(f, holomorphic=True)`: f violates the Cauchy-Riemann equations at this point "
            "(conj, abs, real and imag are not holomorphic): use `wirtinger(f)`, or the gradient "
            "of a real-valued function."
        )


def _check_arguments(
    name: str, selected: tuple, holomorphic: bool, complex_needs: bool = False
) -> None:
    check_floating(name, "argument ", selected)
    if holomorphic:
        check_complex(name, selected)
    elif complex_needs and any(map(is_complex, jax.tree.leaves(selected))):
        raise TypeError(
            f"`{name}(f)` of a complex argument needs `holomorphic=True`; if f is not "
            "holomorphic, use `wirtinger(f)`, `jvp` or `hvp`."
        )


def _check_scalar(name: str, value: Any, holomorphic: bool) -> None:
    leaves = jax.tree.leaves(value)
    if len(leaves) != 1 or jnp.shape(leaves[0]) != ():
        shapes = jax.tree.map(jnp.shape, value)
        raise TypeError(
            f"`{name}(f)` needs f to return one scalar; it returned shape {shapes}: reduce it "
            "(jnp.sum, jnp.mean), or use `jacobian(f)`."
        )
    if not holomorphic and is_complex(leaves[0]):
        raise TypeError(
            f"`{name}(f)` needs f to return a real number; it returned "
            f"{jnp.result_type(leaves[0])}: take its real part, or pass `holomorphic=True`."
        )


def _matching(
    name: str, first_name: str, first: Any, second_name: str, second: Any
) -> tuple[Any, Any]:
    """Both trees as arrays, after checking that they have one structure, shape and kind."""
    check_floating(name, first_name, first)
    wanted: Any = jax.tree.structure(first)
    given: Any = jax.tree.structure(second)
    if given != wanted:
        raise TypeError(
            f"`{name}` needs {second_name} with the structure of {first_name}; got {given} and "
            f"{wanted}."
        )

    def match(a: Any, b: Any) -> jax.Array:
        a, b = jnp.asarray(a), jnp.asarray(b)
        if a.shape != b.shape or (is_complex(b) and not is_complex(a)):
            raise ValueError(
                f"`{name}` needs {second_name} like {first_name}; got shape {b.shape}, {b.dtype} "
                f"for shape {a.shape}, {a.dtype}."
            )
        return b.astype(a.dtype)

    second = jax.tree.map(match, first, second)
    return jax.tree.map(jnp.asarray, first), second


def _selected(args: tuple, argnums: int | Sequence[int]) -> tuple:
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if any(not -len(args) <= n < len(args) for n in numbers):
        raise TypeError(
            f"`argnums` is {argnums}, but the call has {len(args)} positional arguments."
        )
    return tuple(args[n] for n in numbers)


def _conjugate(tree: Any) -> Any:
    return jax.tree.map(lambda leaf: jnp.conj(leaf) if is_complex(leaf) else leaf, tree)


def _is_real(leaf: Any) -> bool:
    return bool(jnp.issubdtype(leaf.dtype, jnp.floating))


def _real_type(tree: Any) -> Any:
    return jnp.finfo(jnp.result_type(*jax.tree.leaves(tree))).dtype
