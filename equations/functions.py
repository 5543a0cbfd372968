"""SymPy's special functions, by the name of their class, as JAX functions.

What is not here and not among the elementary functions that SymPy prints for JAX is refused when an
expression is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from sympy.printing.numpy import JaxPrinter

from diffcore import special

JAX_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "conjugate": jnp.conjugate,
    "erf": special.erf,
    "erfc": special.erfc,
    "erfinv": special.erfinv,
    "gamma": special.gamma,
    "loggamma": special.gammaln,
    "beta": special.beta,
    "factorial": lambda n: special.gamma(n + 1),
    "polygamma": lambda n, x: special.polygamma(int(n), x),
    "besselj": special.jv,
    "bessely": special.yv,
    "besseli": special.iv,
    "besselk": special.kv,
    "airyai": lambda x: special.airy(x)[0],
    "airyaiprime": lambda x: special.airy(x)[1],
    "airybi": lambda x: special.airy(x)[2],
    "airybiprime": lambda x: special.airy(x)[3],
    "elliptic_k": special.ellipk,
    "elliptic_e": special.ellipe,
    "LambertW": special.lambertw,
    "Ei": special.expi,
    "Si": lambda x: special.sici(x)[0],
    "Ci": lambda x: special.sici(x)[1],
}


def printer() -> JaxPrinter:
    """A printer for JAX that raises PrintMethodNotImplementedError for what JAX does not have."""
    return JaxPrinter({"strict": True, "user_functions": {name: name for name in JAX_FUNCTIONS}})
