"""The derivative of Taylor coefficients: c_k' = (k + 1) c_{k+1}.

Loops, recurrences that run backwards and JAX's own derivatives do not stand in the way of reverse
mode then, and it loses no digits.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero


def shifted_derivative(taylor: Callable[..., list]) -> Callable[..., list]:
    """taylor(*parameters, x, n) with that derivative in x; in the parameters, the one it has."""

    @partial(jax.custom_jvp, nondiff_argnums=(0,))
    def coefficients(n: int, *arguments: Any) -> list:
        return taylor(*arguments, n)

    def derivative(n: int, primals: tuple, tangents: tuple) -> tuple[list, list]:
        *c, beyond = coefficients(n + 1, *primals)
        *directions, dx = tangents
        slopes = [jnp.zeros_like(each) for each in c]
        if not isinstance(dx, SymbolicZero):
            higher = enumerate([*c[1:], beyond], start=1)
            slopes = [k * each * dx for k, each in higher]
        moving = [i for i, d in enumerate(directions) if not isinstance(d, SymbolicZero)]
        if moving:
            fixed = list(primals)

            def of_parameters(*parameters: Any) -> list:
                for i, parameter in zip(moving, parameters, strict=True):
                    fixed[i] = parameter
                return taylor(*fixed, n)

            points, steps = [primals[i] for i in moving], [directions[i] for i in moving]
            _, changes = jax.jvp(of_parameters, points, steps)
            slopes = [a + b for a, b in zip(slopes, changes, strict=True)]
        return c, slopes

    coefficients.defjvp(derivative, symbolic_zeros=True)
    return lambda *arguments: coefficients(arguments[-1], *arguments[:-1])
