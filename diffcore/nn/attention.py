"""Attention: the function, masks, rotary positions, and the multi-head layer with its cache."""

from __future__ import annotations

from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from diffcore.keys import as_key
from diffcore.nn._shapes import check_sizes
from diffcore.nn.dropout import Dropout
from diffcore.nn.linear import Linear
from diffcore.nn.module import LATER, Module
from diffcore.precision import default_dtype


def scaled_dot_product_attention(
    queries: jax.Array,
    keys: jax.Array,
    values: jax.Array,
    *,
    mask: Any = None,
    causal: bool = False,
    dropout: Dropout | None = None,
) -> jax.Array:
    """Returns softmax(Q K' / √d + mask) V, over the last two axes (length, size).

    Arguments:
        mask: of a shape that broadcasts to (..., queries, keys): booleans, true where a query may
            look at a key (torch's `MultiheadAttention` has it the other way round), or numbers to
            be added to the scores.
        causal: whether each query only looks at keys up to its own place.

    Notes: A query that may look nowhere gives zeros.

    Source: Vaswani et al., Attention is all you need (2017), eq. (1).

    Example:
        >>> x = jnp.array([[1.0], [3.0]])
        >>> scaled_dot_product_attention(0 * x, x, x, causal=True).tolist()
        [[1.0], [2.0]]
    """
    scores = queries @ jnp.swapaxes(keys, -1, -2) * queries.shape[-1] ** -0.5
    scores = scores.astype(jnp.promote_types(scores.dtype, jnp.float32))
    allowed = None
    if mask is not None:
        mask = jnp.asarray(mask)
        if mask.dtype == bool:
            allowed = mask
        else:
            scores = scores + mask
    if causal:
        below = causal_mask(scores.shape[-2], scores.shape[-1])
        allowed = below if allowed is None else allowed & below
    if allowed is not None:
        scores = jnp.where(allowed, scores, jnp.finfo(scores.dtype).min)
    weights = jax.nn.softmax(scores, axis=-1)
    if allowed is not None:
        weights = jnp.where(allowed, weights, 0)
    weights = weights.astype(values.dtype)
    return (weights if dropout is None else dropout(weights)) @ values


def causal_mask(n_queries: int, n_keys: int | None = None) -> np.ndarray:
    """Returns booleans (queries, keys), true where the key is not later than the query."""
    return np.tri(n_queries, n_queries if n_keys is None else n_keys, dtype=bool)


def padding_mask(lengths: Any, size: int) -> jax.Array:
    """Returns booleans (..., 1, size), true at the first `lengths` of `size` keys."""
    return jnp.arange(size) < jnp.asarray(lengths)[..., None, None]


def sinusoidal_positions(length: int, size: int) -> jax.Array:
    """Returns (length, size): sin and cos, in turns, of position / 10000^(2 i / size).

    Source: Vaswani et al., Attention is all you need (2017), section 3.5.
    """
    rates = 10000.0 ** (-np.arange(0, size, 2) / size)
    phase = np.arange(length)[:, None] * rates
    table = np.stack([np.sin(phase), np.cos(phase)], axis=-1).reshape(length, -1)
    return jnp.asarray(table[:, :size], default_dtype())


def rotate(x: jax.Array, positions: jax.Array, base: float = 10000.0) -> jax.Array:
    """Returns x (..., length, size) with each pair (x_i, x_{i + size/2}) turned by its position.

    The angle is position · base^(-2 i / size), so that scalar products depend on differences of
    positions alone.

    Source: Su et al., RoFormer: enhanced transformer with rotary position embedding (2021), eq.
    (34); pairs half the size apart.
    """
    half = x.shape[-1] // 2
    rates = jnp.asarray(base ** (-np.arange(half) / half), x.dtype)
    angle = jnp.asarray(positions, x.dtype)[..., None] * rates
    cos, sin = jnp.cos(angle), jnp.sin(angle)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


class KVCache(Module):
    """Keys and values of the positions seen so far, in arrays of a fixed length.

    Attributes:
        keys, values: (..., heads, capacity, size of a head).
        length: number of positions filled.
    """

    keys: jax.Array
    values: jax.Array
    length: jax.Array


class MultiHeadAttention(Module):
    """Attention of several heads: W_o concat(attention(x W_q, y W_k, y W_v)).

    Called as `layer(x, context=None, mask=None, cache=None)` with x (..., length, size). It looks
    at `context` (..., keys, context_size), at x itself by default. The mask is as in
    `scaled_dot_product_attention`.
    With a `cache` from `layer.cache(batch_shape, capacity)`, x are the positions that follow those
    in the cache, and the call returns (y, cache).

    Arguments:
        heads: number of heads, which divides `size`.
        kv_heads: number of heads of keys and values, fewer for grouped queries.
        causal: whether positions only look back.
        rotary: whether queries and keys are turned by their positions, see `rotate`.
        dropout: rate for the attention weights, in training.

    Source: Vaswani et al., Attention is all you need (2017), section 3.2.2; Ainslie et al., GQA
    (2023) for grouped queries.

    Example:
        >>> from diffcore import nn
        >>> layer = nn.MultiHeadAttention(8, 2, causal=True, rotary=True, key=0)
        >>> x = jnp.ones((3, 5, 8))
        >>> first, cache = layer(x[:, :4], cache=layer.cache((3,), 10))
        >>> last, cache = layer(x[:, 4:], cache=cache)
        >>> bool(jnp.allclose(layer(x)[:, 4:], last, atol=1e-6)), int(cache.length)
        (True, 5)
    """

    query: Linear
    key: Linear
    value: Linear
    output: Linear
    dropout: Dropout
    heads: int = eqx.field(static=True)
    kv_heads: int = eqx.field(static=True)
    causal: bool = eqx.field(static=True)
    rotary: bool = eqx.field(static=True)

    def __init__(
        self,
        size: int,
        heads: int,
        *,
        context_size: int | None = None,
        kv_heads: int | None = None,
        causal: bool = False,
        rotary: bool = False,
        bias: bool = True,
        dropout: float = 0.0,
        key: Any = LATER,
    ):
        self.heads, self.kv_heads = heads, heads if kv_heads is None else kv_heads
        check_sizes(size=size, heads=heads, kv_heads=self.kv_heads)
        if size % heads or heads % self.kv_heads:
            raise ValueError(
                f"`heads` must divide the size {size}, and `kv_heads` the heads; "
                f"got {heads} and {self.kv_heads}."
            )
        if rotary and (size // heads) % 2:
            raise ValueError(f"`rotary` needs heads of even size; got {size} / {heads}.")
        keys = jax.random.split(as_key(key), 4)
        context = size if context_size is None else context_size
        narrow = size // heads * self.kv_heads
        linear = partial(Linear, bias=bias)
        self.query, self.output = (linear(size, size, key=keys[i]) for i in (0, 3))
        self.key, self.value = (linear(context, narrow, key=keys[i]) for i in (1, 2))
        self.dropout = Dropout(dropout)
        self.causal, self.rotary = causal, rotary

    def __call__(
        self, x: jax.Array, context: Any = None, *, mask: Any = None, cache: Any = None
    ) -> Any:
        if context is not None and (cache is not None or self.causal or self.rotary):
            raise ValueError(
                "`context` does not go with a cache, nor with causal or rotary attention."
            )
        x = jnp.asarray(x)
        context = x if context is None else context
        queries = _heads(self.query(x), self.heads)  # (..., heads, length, size / heads)
        keys, values = (_heads(f(context), self.kv_heads) for f in (self.key, self.value))
        start = 0 if cache is None else cache.length
        if self.rotary:
            places = start + jnp.arange(x.shape[-2])
            queries, keys = rotate(queries, places), rotate(keys, places)
        if mask is not None and jnp.ndim(mask) > 2:
            mask = jnp.expand_dims(mask, -3)  # the same for all heads
        if cache is not None:
            cache = _extended(cache, keys, values)
            keys, values = cache.keys, cache.values
            seen = jnp.arange(keys.shape[-2]) <= start + jnp.arange(x.shape[-2])[:, None]
            mask = seen if mask is None else _both(mask, seen)
        group = self.heads // self.kv_heads
        if group > 1:
            keys, values = (jnp.repeat(a, group, axis=-3) for a in (keys, values))
        causal = self.causal and cache is None
        y = scaled_dot_product_attention(
            queries, keys, values, mask=mask, causal=causal, dropout=self.dropout
        )
        y = jnp.swapaxes(y, -2, -3)
        y = self.output(y.reshape(*y.shape[:-2], -1))
        return y if cache is None else (y, cache)

    def cache(self, batch_shape: tuple[int, ...], capacity: int) -> KVCache:
        """Returns an empty cache for up to `capacity` positions of causal attention."""
        if not self.causal:
            raise ValueError("`cache` needs causal attention: MultiHeadAttention(causal=True).")
        size = self.key.weight.shape[0] // self.kv_heads
        empty = jnp.zeros((*batch_shape, self.kv_heads, capacity, size), self.key.weight.dtype)
        return KVCache(empty, empty, jnp.zeros((), jnp.int32))


def _heads(x: jax.Array, heads: int) -> jax.Array:
    """(..., length, heads * size) as (..., heads, length, size)."""
    return jnp.swapaxes(x.reshape(*x.shape[:-1], heads, -1), -2, -3)


def _extended(cache: KVCache, keys: jax.Array, values: jax.Array) -> KVCache:
    added, capacity = keys.shape[-2], cache.keys.shape[-2]
    full = not isinstance(cache.length, jax.core.Tracer) and int(cache.length) + added > capacity
    if full or added > capacity:
        raise ValueError(
            f"the cache holds {capacity} positions; {cache.length} are filled, {added} come: "
            "make it with a larger `capacity`."
        )
    put = partial(jax.lax.dynamic_update_slice_in_dim, start_index=cache.length, axis=-2)
    return KVCache(
        put(cache.keys, keys.astype(cache.keys.dtype)),
        put(cache.values, values.astype(cache.values.dtype)),
        cache.length + added,
    )


def _both(mask: Any, seen: jax.Array) -> jax.Array:
    mask = jnp.asarray(mask)
    if mask.dtype == bool:
        return mask & seen
    return jnp.where(seen, mask, jnp.finfo(mask.dtype).min)
