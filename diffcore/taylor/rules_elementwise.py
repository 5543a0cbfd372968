"""Rules of elementwise primitives."""

from collections.abc import Callable
from functools import partial
from math import factorial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from diffcore.taylor import univariate, univariate_special
from diffcore.taylor.algebra import Algebra
from diffcore.taylor.nested import nested_forward
from diffcore.taylor.registry import bind, rule
from diffcore.taylor.series import (
    Series,
    Value,
    add,
    compose,
    divide,
    map_parts,
    multiply,
    multiply_parts,
    nilpotent_powers,
    parts_of,
    primal_of,
    series,
    subtract,
)


def _register(name: str, taylor: univariate.Taylor) -> None:
    @rule(name)
    def apply(space: Algebra, values: list[Value], equation: Any) -> Value:
        return compose(space, values[0], taylor)


for _name in (
    *("exp", "exp2", "expm1", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
    *("asin", "acos", "atan", "asinh", "acosh", "atanh", "logistic", "rsqrt", "cbrt"),
    *("erf", "erfc", "erf_inv", "lgamma", "digamma"),
):
    _register(_name, getattr(univariate, _name))
_register("bessel_i0e", univariate_special.bessel_i0e)
_register("bessel_i1e", univariate_special.bessel_i1e)
_register("log", univariate.log_)
_register("sqrt", univariate.sqrt_)


@rule("square")
def _square(space: Algebra, values: list[Value], equation: Any) -> Value:
    return multiply(space, values[0], values[0])


@rule("integer_pow")
def _integer_pow(space: Algebra, values: list[Value], equation: Any) -> Value:
    exponent = equation.params["y"]
    return compose(space, values[0], partial(univariate.power, exponent=exponent))


@rule("pow")
def _pow(space: Algebra, values: list[Value], equation: Any) -> Value:
    """x ** y by powers of x, so that x = 0 is right where it can be."""
    x, y = values
    y0 = primal_of(y)
    if isinstance(y0, np.ndarray) and y0.ndim == 0 and not np.iscomplexobj(y0):
        return compose(space, x, partial(univariate.power, exponent=float(y0)))
    result = compose(space, x, partial(_pow_taylor, exponent=jnp.asarray(y0)))
    for j, power in enumerate(nilpotent_powers(space, parts_of(y)), start=1):
        factor = compose(space, x, partial(_pow_taylor, exponent=y0, logs=j))
        result = add(result, series(jnp.zeros_like(y0), multiply_parts(space, power, factor)))
    return result


def _pow_taylor(x: Any, n: int, exponent: Any, logs: int = 0) -> list[Any]:
    """Of x ** y log(x) ** j / j!, the j-th coefficient in t of x ** (y + t)."""
    exponent = exponent.astype(x.dtype)
    binomial, c = [jnp.ones_like(exponent)], []  # (y + t over k) as a polynomial in t
    for k in range(n + 1):
        a = exponent - k
        terms = [b * _log_power(x, a, logs - i, b == 0) for i, b in enumerate(binomial)]
        c.append(sum(terms[1:], terms[0]))
        shifted = [0, *binomial][: logs + 1]
        scaled = [a * b for b in binomial] + [0] * (len(shifted) - len(binomial))
        binomial = [(u + v) / (k + 1) for u, v in zip(scaled, shifted, strict=True)]
    return c


def _log_power(x: Any, a: Any, p: int, unused: Any) -> Any:
    """x ** a log(x) ** p / p!, with its limit at 0, finite where it is multiplied by zero."""
    has_limit = (a == 0) if p == 0 else (a.real > 0)
    known = (x == 0) & (unused | has_limit)
    base, exponent = jnp.where(known, 1, x), jnp.where(known, 1, a)
    power = lax.pow(base, exponent)
    if p:
        power = power * lax.integer_pow(lax.log(base), p) * (1 / factorial(p))
    return jnp.where(known, 1 if p == 0 else 0, power)


@rule("div")
def _div(space: Algebra, values: list[Value], equation: Any) -> Value:
    return divide(space, *values)


@rule("atan2")
def _atan2(space: Algebra, values: list[Value], equation: Any) -> Value:
    """θ = atan2(y, x) + the angle of (x + i y) turned back by θ_0, which is near the real axis."""
    y, x = values
    y0, x0 = primal_of(y), primal_of(x)
    r2 = x0 * x0 + y0 * y0
    across = subtract(multiply(space, x0 / r2, y), multiply(space, y0 / r2, x))
    along = add(multiply(space, x0 / r2, x), multiply(space, y0 / r2, y))
    angle = compose(space, divide(space, across, along), univariate.atan)
    return series(bind(equation, y0, x0), parts_of(angle))


@rule("abs")
def _abs(space: Algebra, values: list[Value], equation: Any) -> Value:
    (x,) = values
    x0 = primal_of(x)
    if not jnp.iscomplexobj(x0):
        return map_parts(lambda part: jnp.where(x0 >= 0, part, -part), x, lax.abs(x0))
    real, imaginary = _real_and_imaginary(x)
    squares = add(multiply(space, real, real), multiply(space, imaginary, imaginary))
    modulus, is_zero = lax.abs(x0), x0 == 0
    safe = series(jnp.where(is_zero, 1, primal_of(squares)), parts_of(squares))
    root = compose(space, safe, univariate.sqrt_)
    return map_parts(lambda part: jnp.where(is_zero, 0, part), root, modulus)


@rule("sign")
def _sign(space: Algebra, values: list[Value], equation: Any) -> Value:
    (x,) = values
    if not jnp.iscomplexobj(primal_of(x)):
        return lax.sign(primal_of(x))
    modulus = _abs(space, values, equation)
    real, imaginary = (divide(space, part, modulus) for part in _real_and_imaginary(x))
    present = sorted({*parts_of(real), *parts_of(imaginary)})
    zero = jnp.zeros_like(primal_of(real))
    a, b = parts_of(real), parts_of(imaginary)
    parts = {k: lax.complex(a.get(k, zero), b.get(k, zero)) for k in present}
    is_zero = primal_of(modulus) == 0
    return series(
        lax.sign(primal_of(x)), {k: jnp.where(is_zero, 0, part) for k, part in parts.items()}
    )


def _real_and_imaginary(x: Value) -> tuple[Value, Value]:
    x0 = primal_of(x)
    return map_parts(jnp.real, x, jnp.real(x0)), map_parts(jnp.imag, x, jnp.imag(x0))


@rule("max")
def _max(space: Algebra, values: list[Value], equation: Any) -> Value:
    return maximum(*values)


@rule("min")
def _min(space: Algebra, values: list[Value], equation: Any) -> Value:
    return minimum(*values)


def maximum(a: Value, b: Value) -> Value:
    """The larger of a and b."""
    return _choose(a, b, lax.max(*_same(a, b)), primal_of(a) > primal_of(b))


def minimum(a: Value, b: Value) -> Value:
    """The smaller of a and b."""
    return _choose(a, b, lax.min(*_same(a, b)), primal_of(a) < primal_of(b))


def _same(a: Value, b: Value) -> list[Any]:
    return list(jnp.broadcast_arrays(primal_of(a), primal_of(b)))


def _choose(a: Value, b: Value, primal: Any, first: Any) -> Value:
    """The derivatives of the chosen argument; their mean where both are equal, as in JAX."""
    tie = primal_of(a) == primal_of(b)
    weight = jnp.where(tie, 0.5, first).astype(primal.dtype)
    weighted_a = map_parts(lambda part: weight * part, a, primal)
    weighted_b = map_parts(lambda part: (1 - weight) * part, b, jnp.zeros_like(primal))
    return add(weighted_a, weighted_b)


@rule("clamp")
def _clamp(space: Algebra, values: list[Value], equation: Any) -> Value:
    """The derivatives of x strictly between the limits and of a limit strictly beyond it."""
    lower, x, upper = values
    primal = bind(equation, *map(primal_of, values))
    x0, lower0, upper0 = primal_of(x), primal_of(lower), primal_of(upper)
    zero = jnp.zeros_like(primal)
    between = (lower0 < x0) & (x0 < upper0)
    terms = [(lower, (x0 < lower0) & (lower0 < upper0)), (upper, upper0 < x0), (x, between)]
    return add(primal, *(map_parts(partial(_masked, mask), v, zero) for v, mask in terms))


def _masked(mask: Any, part: Any) -> Any:
    return jnp.where(mask, part, 0)


@rule("rem")
def _rem(space: Algebra, values: list[Value], equation: Any) -> Value:
    x, y = values
    x0, y0 = primal_of(x), primal_of(y)
    quotient = jnp.trunc(x0 / y0)
    difference = subtract(x, multiply(space, quotient, y))
    return series(bind(equation, x0, y0), parts_of(difference))


@rule("floor", "ceil", "round", "nextafter", "random_gamma_grad")
def _piecewise_constant(space: Algebra, values: list[Value], equation: Any) -> Value:
    return bind(equation, *map(primal_of, values))


@rule("polygamma")
def _polygamma(space: Algebra, values: list[Value], equation: Any) -> Value:
    return compose(space, values[1], partial(univariate.polygamma, values[0]))


@rule("igamma", "igammac", "regularized_incomplete_beta", "zeta")
def _special(space: Algebra, values: list[Value], equation: Any) -> Value:
    """A closed form in the last argument; otherwise JAX's derivatives, by nested forward mode."""
    *fixed, x = values
    name = equation.primitive.name
    if name in _IN_LAST_ARGUMENT and not any(isinstance(value, Series) for value in fixed):
        return compose(space, x, partial(_IN_LAST_ARGUMENT[name], *fixed))
    return elementwise(space, lambda *arrays: bind(equation, *arrays), values)


_IN_LAST_ARGUMENT: dict[str, Callable[..., Any]] = {
    "igamma": univariate_special.igamma,
    "igammac": univariate_special.igammac,
    "regularized_incomplete_beta": univariate_special.betainc,
    "zeta": univariate_special.zeta,
}


def elementwise(space: Algebra, function: Callable[..., Any], values: list[Value]) -> Value:
    """An elementwise function that JAX differentiates: in one argument by repeated `jax.jvp`."""
    active = [i for i, value in enumerate(values) if isinstance(value, Series)]
    if len(active) > 1:
        return nested_forward(space, function, values)
    before, after = values[: active[0]], values[active[0] + 1 :]
    taylor = univariate.by_forward_mode(lambda x: function(*before, x, *after))
    return compose(space, values[active[0]], taylor)


def zeta(space: Algebra, s: Value, q: Value) -> Value:
    """Hurwitz's zeta function; in s, what JAX has."""
    if isinstance(s, Series):
        return nested_forward(space, jax.scipy.special.zeta, [s, q])
    return compose(space, q, partial(univariate_special.zeta, s))


def poch(space: Algebra, z: Value, m: Value) -> Value:
    """Γ(z + m) / Γ(z)."""
    if isinstance(m, Series):
        return nested_forward(space, jax.scipy.special.poch, [z, m])
    return compose(space, z, partial(univariate_special.poch, m))


def xlogy(space: Algebra, x: Value, y: Value) -> Value:
    """x log(y), which is 0 where x is."""
    result = multiply(space, x, compose(space, y, univariate.log_))
    return series(jax.scipy.special.xlogy(primal_of(x), primal_of(y)), parts_of(result))


def xlog1py(space: Algebra, x: Value, y: Value) -> Value:
    """x log(1 + y), which is 0 where x is."""
    result = multiply(space, x, compose(space, y, univariate.log1p))
    return series(jax.scipy.special.xlog1py(primal_of(x), primal_of(y)), parts_of(result))


def logaddexp(space: Algebra, a: Value, b: Value) -> Value:
    """log(eᵃ + eᵇ) = b + softplus(a - b), without loss where a and b are large."""
    difference = subtract(a, b)
    finite = jnp.where(jnp.isnan(primal_of(difference)), 0, primal_of(difference))  # ∞ - ∞
    above = compose(space, series(finite, parts_of(difference)), univariate.softplus)
    parts = parts_of(add(b, above)) if isinstance(difference, Series) else parts_of(b)
    return series(jnp.logaddexp(primal_of(a), primal_of(b)), parts)
