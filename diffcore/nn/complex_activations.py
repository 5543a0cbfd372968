"""Activations of complex numbers. `tanh`, `sine` and other analytic functions take them as well."""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp

from diffcore.nn.activations import relu
from diffcore.nn.module import Module
from diffcore.precision import default_dtype


def split_activation(activation: Callable) -> Callable:
    """Returns z ↦ f(Re z) + i f(Im z)."""
    return lambda z: jax.lax.complex(activation(jnp.real(z)), activation(jnp.imag(z)))


def complex_relu(z: jax.Array) -> jax.Array:
    """Returns relu(Re z) + i relu(Im z), the CReLU.

    Source: Trabelsi et al., Deep complex networks (2018), eq. (7).
    """
    return split_activation(relu)(z)


def zrelu(z: jax.Array) -> jax.Array:
    """Returns z in the first quadrant, 0 elsewhere.

    Source: Guberman, On complex valued convolutional neural networks (2016).
    """
    return jnp.where((jnp.real(z) >= 0) & (jnp.imag(z) >= 0), z, 0)


def cardioid(z: jax.Array) -> jax.Array:
    """Returns z (1 + cos arg z) / 2, and 0 at 0.

    Source: Virtue, Yu, Lustig, Better than real: complex-valued neural nets for MRI fingerprinting
    (2017), eq. (1).
    """
    modulus = _modulus(z)
    return z * (0.5 + 0.5 * jnp.real(z) / jnp.where(modulus > 0, modulus, 1))


class ModReLU(Module):
    """z relu(|z| + b) / |z|, with a trained b for each of `size` channels on the last axis.

    Source: Arjovsky, Shah, Bengio, Unitary evolution recurrent neural networks (2016), eq. (8).
    """

    bias: jax.Array
    size: int = eqx.field(static=True)

    def __init__(self, size: int):
        self.size = size
        self.bias = jnp.zeros(size, default_dtype())

    def __call__(self, z: jax.Array) -> jax.Array:
        modulus = _modulus(z)
        return z * (relu(modulus + self.bias) / jnp.where(modulus > 0, modulus, 1))


def _modulus(z: jax.Array) -> jax.Array:
    """|z|, with derivative 0 at 0."""
    square = jnp.real(z) ** 2 + jnp.imag(z) ** 2
    return jnp.where(square > 0, jnp.sqrt(jnp.where(square > 0, square, 1)), 0)
