"""Affine maps of the last axis."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from diffcore.keys import as_key
from diffcore.nn.initializers import Initializer, initialize
from diffcore.nn.module import LATER, Module
from diffcore.precision import default_dtype


class Linear(Module):
    """The affine map x W' + b of the last axis; any leading axes are batch axes.

    Arguments:
        in_size, out_size: sizes of the last axis before and after.
        bias: whether there is a b (it starts at zero).
        initializer: of the weight, a name or a function, see `initialize`.
        dtype: of weight and bias, by default the ambient float type; may be complex.

    Example:
        >>> from diffcore import nn
        >>> nn.Linear(3, 2, key=0)(jnp.ones((5, 4, 3))).shape
        (5, 4, 2)
    """

    weight: jax.Array  # (out, in), as in torch
    bias: jax.Array | None

    def __init__(
        self,
        in_size: int,
        out_size: int,
        *,
        bias: bool = True,
        initializer: Initializer = "glorot_uniform",
        dtype: Any = None,
        key: Any = LATER,
    ):
        self.weight = initialize(initializer, key, (out_size, in_size), dtype)
        self.bias = jnp.zeros(out_size, self.weight.dtype) if bias else None

    def __call__(self, x: jax.Array) -> jax.Array:
        if jnp.shape(x)[-1:] != self.weight.shape[1:]:
            raise ValueError(
                f"Linear takes arrays whose last axis has size {self.weight.shape[1]}; "
                f"got shape {jnp.shape(x)}."
            )
        y = x @ self.weight.T
        return y if self.bias is None else y + self.bias


class FactorizedLinear(Module):
    """An affine map whose weight is diag(exp(s)) V, with one trained log-scale s a neuron.

    The product starts as a usual random weight; the scales are drawn from N(mean, deviation²).

    Source: Wang, Wang, Seidman, Perdikaris, Random weight factorization improves the training of
    continuous neural representations (2022), eq. (3.2) and Algorithm 1.
    """

    direction: jax.Array  # V: (out, in)
    log_scale: jax.Array  # s: (out,)
    bias: jax.Array

    def __init__(
        self,
        in_size: int,
        out_size: int,
        *,
        mean: float = 1.0,
        deviation: float = 0.1,
        initializer: Initializer = "glorot_normal",
        key: Any = LATER,
    ):
        scale_key, weight_key = jax.random.split(as_key(key))
        noise = jax.random.normal(scale_key, (out_size,), default_dtype())
        self.log_scale = mean + deviation * noise
        weight = initialize(initializer, weight_key, (out_size, in_size))
        self.direction = weight / jnp.exp(self.log_scale)[:, None]
        self.bias = jnp.zeros(out_size, weight.dtype)

    def __call__(self, x: jax.Array) -> jax.Array:
        return x @ (jnp.exp(self.log_scale)[:, None] * self.direction).T + self.bias


class Bilinear(Module):
    """The bilinear map y_k = Σ_ij a_i W_kij b_j + c_k of the last axes of two arrays.

    Arguments:
        first_size, second_size, out_size: sizes of the last axes of a, b and y.
    """

    weight: jax.Array  # (out, first, second), as in torch
    bias: jax.Array | None

    def __init__(
        self,
        first_size: int,
        second_size: int,
        out_size: int,
        *,
        bias: bool = True,
        initializer: Initializer = "glorot_uniform",
        dtype: Any = None,
        key: Any = LATER,
    ):
        self.weight = initialize(initializer, key, (out_size, first_size, second_size), dtype)
        self.bias = jnp.zeros(out_size, self.weight.dtype) if bias else None

    def __call__(self, a: jax.Array, b: jax.Array) -> jax.Array:
        y = jnp.einsum("...i,kij,...j->...k", a, self.weight, b)
        return y if self.bias is None else y + self.bias


class Embedding(Module):
    """A trained vector for each of `count` whole numbers: (...) to (..., size).

    Arguments:
        padding: an index whose vector is zero and is not trained.

    Notes: Indices outside 0 to count - 1 give NaN, since an error cannot be raised in compiled
    code; NumPy indices are checked.

    Example:
        >>> from diffcore import nn
        >>> nn.Embedding(10, 4, key=0)(jnp.array([[1, 2, 9]])).shape
        (1, 3, 4)
    """

    weight: jax.Array  # (count, size)
    padding: int | None = eqx.field(static=True)

    def __init__(
        self,
        count: int,
        size: int,
        *,
        padding: int | None = None,
        initializer: Initializer = jax.random.normal,
        dtype: Any = None,
        key: Any = LATER,
    ):
        if padding is not None and not 0 <= padding < count:
            raise ValueError(f"`padding` must be an index from 0 to {count - 1}; got {padding}.")
        self.weight = initialize(initializer, key, (count, size), dtype)
        self.padding = padding

    def __call__(self, indices: jax.Array) -> jax.Array:
        if not jnp.issubdtype(jnp.result_type(indices), jnp.integer):
            raise TypeError(f"Embedding takes whole numbers; got {jnp.result_type(indices)}.")
        if isinstance(indices, np.ndarray) and indices.size:
            low, high = int(indices.min()), int(indices.max())
            if low < 0 or high >= len(self.weight):
                raise ValueError(
                    f"Embedding takes indices from 0 to {len(self.weight) - 1}; "
                    f"got {low} to {high}."
                )
        indices = jnp.asarray(indices)
        vectors = self.weight.at[indices].get(mode="fill", wrap_negative_indices=False)
        if self.padding is None:
            return vectors
        return jnp.where((indices == self.padding)[..., None], 0, vectors)
