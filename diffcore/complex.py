"""Wirtinger derivatives, and a check of the Cauchy-Riemann equations."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
import jax.numpy as jnp

from diffcore._inputs import check_complex, check_floating, control_flow_explained, is_complex
from diffcore.keys import as_key


def wirtinger(f: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, Any]]:
    """The two Wirtinger derivatives of f, z -> (df/dz, df/d(conj z)).

    df/dz = (df/dx - i df/dy)/2 and df/d(conj z) = (df/dx + i df/dy)/2 with z = x + i y. A
    holomorphic f has df/d(conj z) = 0; a real-valued f has `grad(f)` = 2 df/d(conj z).

    Arguments:
        f: a function of one complex array of shape T; leaves of shape S give shape S + T.

    Example:
        >>> dz, dz_conj = wirtinger(lambda z: z**2 * z.conj())(1 + 1j)
        >>> complex(dz), complex(dz_conj)
        ((4+0j), 2j)
    """

    @wraps(f)
    def derivatives(z: Any) -> tuple[Any, Any]:
        check_floating("wirtinger", "z", z)
        z = jnp.asarray(z)
        z = z if is_complex(z) else jax.lax.complex(z, jnp.zeros_like(z))

        with control_flow_explained():
            dx = jax.jacfwd(lambda x: f(jax.lax.complex(x, z.imag)))(z.real)
            dy = jax.jacfwd(lambda y: f(jax.lax.complex(z.real, y)))(z.imag)
        dz = jax.tree.map(lambda a, b: (a - 1j * b) / 2, dx, dy)
        return dz, jax.tree.map(lambda a, b: (a + 1j * b) / 2, dx, dy)

    return derivatives


def is_holomorphic(f: Callable[..., Any], *primals: Any) -> bool:
    """Whether f satisfies the Cauchy-Riemann equations at `primals`, along one random direction.

    The derivative along i v is compared with i times the derivative along v, to 1000 rounding
    errors. The numbers need to be known: not under `jit`, `vmap` or `grad`.

    Raises:
        TypeError: a leaf of `primals` is not complex.

    Example:
        >>> import jax.numpy as jnp
        >>> is_holomorphic(jnp.sin, 1 + 2j), is_holomorphic(jnp.abs, 1 + 2j)
        (True, False)
    """
    check_complex("is_holomorphic", primals)
    primals = jax.tree.map(jnp.asarray, primals)
    leaves, structure = jax.tree.flatten(primals)
    keys = jax.random.split(as_key(0), len(leaves))
    v = jax.tree.unflatten(
        structure,
        [jax.random.normal(k, z.shape, z.dtype) for k, z in zip(keys, leaves, strict=True)],
    )
    along = jax.jvp(f, primals, v)[1]
    across = jax.jvp(f, primals, jax.tree.map(lambda a: 1j * a, v))[1]
    error, size = 0.0, 0.0
    for a, b in zip(jax.tree.leaves(along), jax.tree.leaves(across), strict=True):
        error += float(jnp.linalg.norm(b - 1j * a))
        size += float(jnp.linalg.norm(a)) + float(jnp.linalg.norm(b))
    return error <= 1e3 * float(jnp.finfo(leaves[0].dtype).eps) * size
