"""Transformers: stacks of attention and of two-layer networks, on (..., length, size)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import equinox as eqx
import jax

from diffcore.keys import as_key
from diffcore.nn.activations import as_module, relu
from diffcore.nn.attention import MultiHeadAttention
from diffcore.nn.dropout import Dropout
from diffcore.nn.linear import Linear
from diffcore.nn.module import LATER, Module
from diffcore.nn.normalization import LayerNorm


class TransformerLayer(Module):
    """Self-attention, attention to a context if `cross`, and a network linear2(σ(linear1(x))).

    Each is added to its input, with `LayerNorm` before it if `norm_first`, otherwise after the sum.

    Arguments:
        hidden_size: of the network, by default 4 size.
        dropout: rate, in training, for attention weights, hidden values and the three outputs.
        causal, rotary: see `MultiHeadAttention`.

    Source: Vaswani et al., Attention is all you need (2017), section 3.1; Xiong et al., On layer
    normalization in the transformer architecture (2020) for `norm_first`.
    """

    self_attention: MultiHeadAttention
    cross_attention: MultiHeadAttention | None
    linear1: Linear
    linear2: Linear
    norm1: LayerNorm
    norm2: LayerNorm
    norm3: LayerNorm | None
    dropout: Dropout
    activation: Callable
    norm_first: bool = eqx.field(static=True)

    def __init__(
        self,
        size: int,
        heads: int,
        *,
        hidden_size: int | None = None,
        cross: bool = False,
        causal: bool = False,
        rotary: bool = False,
        dropout: float = 0.0,
        activation: Callable = relu,
        norm_first: bool = False,
        key: Any = LATER,
    ):
        keys = jax.random.split(as_key(key), 4)
        hidden = 4 * size if hidden_size is None else hidden_size
        self.self_attention = MultiHeadAttention(
            size, heads, causal=causal, rotary=rotary, dropout=dropout, key=keys[0]
        )
        self.cross_attention = (
            MultiHeadAttention(size, heads, dropout=dropout, key=keys[1]) if cross else None
        )
        self.linear1 = Linear(size, hidden, key=keys[2])
        self.linear2 = Linear(hidden, size, key=keys[3])
        self.norm1, self.norm2 = LayerNorm(size), LayerNorm(size)
        self.norm3 = LayerNorm(size) if cross else None
        self.dropout = Dropout(dropout)
        self.activation = as_module(activation)
        self.norm_first = norm_first

    def __call__(
        self,
        x: jax.Array,
        context: Any = None,
        *,
        mask: Any = None,
        context_mask: Any = None,
        cache: Any = None,
    ) -> Any:
        if (context is None) != (self.cross_attention is None):
            raise ValueError(
                "`context` is what a layer made with `cross=True` attends to, and no other; got "
                f"{'none' if context is None else 'one'}."
            )

        def attend(x: jax.Array) -> jax.Array:
            nonlocal cache
            if cache is None:
                return self.self_attention(x, mask=mask)
            y, cache = self.self_attention(x, mask=mask, cache=cache)
            return y

        had_cache = cache is not None
        x = self._added(x, attend, self.norm1)
        norm = self.norm2
        if self.cross_attention is not None and self.norm3 is not None:
            look = self.cross_attention
            x = self._added(x, lambda x: look(x, context, mask=context_mask), norm)
            norm = self.norm3
        x = self._added(x, self._network, norm)
        return (x, cache) if had_cache else x

    def _added(self, x: jax.Array, branch: Callable, norm: LayerNorm) -> jax.Array:
        if self.norm_first:
            return x + self.dropout(branch(norm(x)))
        return norm(x + self.dropout(branch(x)))

    def _network(self, x: jax.Array) -> jax.Array:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class _Stack(Module):
    """`depth` layers, then `LayerNorm` (by default if `norm_first`); arguments as of the layer."""

    layers: tuple[TransformerLayer, ...]
    norm: LayerNorm | None
    cross: eqx.AbstractClassVar[bool]

    def __init__(
        self,
        size: int,
        heads: int,
        depth: int,
        *,
        hidden_size: int | None = None,
        causal: bool | None = None,
        rotary: bool = False,
        dropout: float = 0.0,
        activation: Callable = relu,
        norm_first: bool = False,
        final_norm: bool | None = None,
        key: Any = LATER,
    ):
        self.layers = tuple(
            TransformerLayer(
                size,
                heads,
                hidden_size=hidden_size,
                cross=self.cross,
                causal=self.cross if causal is None else causal,
                rotary=rotary,
                dropout=dropout,
                activation=activation,
                norm_first=norm_first,
                key=k,
            )
            for k in jax.random.split(as_key(key), depth)
        )
        wanted = norm_first if final_norm is None else final_norm
        self.norm = LayerNorm(size) if wanted else None

    def _run(self, x: jax.Array, cache: Any, *context: Any, **masks: Any) -> Any:
        caches = []
        for i, layer in enumerate(self.layers):
            if cache is None:
                x = layer(x, *context, **masks)
            else:
                x, filled = layer(x, *context, cache=cache[i], **masks)
                caches.append(filled)
        x = x if self.norm is None else self.norm(x)
        return x if cache is None else (x, tuple(caches))

    def cache(self, batch_shape: tuple[int, ...], capacity: int) -> tuple:
        """Returns empty caches of the layers, for up to `capacity` positions."""
        return tuple(layer.self_attention.cache(batch_shape, capacity) for layer in self.layers)


class TransformerEncoder(_Stack):
    """A stack of `depth` layers of self-attention; with `causal=True` the body of a GPT.

    Called as `encoder(x, mask=None, cache=None)`; with a cache from
    `encoder.cache(batch_shape, capacity)` it continues a sequence and returns (y, cache).

    Arguments:
        causal: whether positions only look back, by default not.
        final_norm: whether a `LayerNorm` ends the stack, by default if `norm_first`.
        hidden_size, rotary, dropout, activation, norm_first: see `TransformerLayer`.

    Example:
        >>> import jax.numpy as jnp
        >>> from diffcore import nn
        >>> nn.TransformerEncoder(8, 2, 3, key=0)(jnp.zeros((4, 10, 8))).shape
        (4, 10, 8)
    """

    cross: ClassVar[bool] = False

    def __call__(self, x: jax.Array, *, mask: Any = None, cache: Any = None) -> Any:
        return self._run(x, cache, mask=mask)


class TransformerDecoder(_Stack):
    """A stack of `depth` layers of causal self-attention and attention to a context.

    Called as `decoder(x, context, mask=None, context_mask=None, cache=None)`; arguments as of
    `TransformerEncoder`, but causal by default.
    """

    cross: ClassVar[bool] = True

    def __call__(
        self,
        x: jax.Array,
        context: jax.Array,
        *,
        mask: Any = None,
        context_mask: Any = None,
        cache: Any = None,
    ) -> Any:
        return self._run(x, cache, context, mask=mask, context_mask=context_mask)


class Transformer(Module):
    """An encoder and a decoder, each ended by `LayerNorm`: `model(source, target)`.

    Arguments:
        depth: number of layers of each.
        hidden_size, dropout, activation, norm_first: see `TransformerLayer`.

    Source: Vaswani et al., Attention is all you need (2017).
    """

    encoder: TransformerEncoder
    decoder: TransformerDecoder

    def __init__(
        self,
        size: int,
        heads: int,
        depth: int,
        *,
        hidden_size: int | None = None,
        dropout: float = 0.0,
        activation: Callable = relu,
        norm_first: bool = False,
        key: Any = LATER,
    ):
        encoder_key, decoder_key = jax.random.split(as_key(key))
        options: dict[str, Any] = {
            "hidden_size": hidden_size,
            "dropout": dropout,
            "activation": activation,
            "norm_first": norm_first,
            "final_norm": True,
        }
        self.encoder = TransformerEncoder(size, heads, depth, key=encoder_key, **options)
        self.decoder = TransformerDecoder(size, heads, depth, key=decoder_key, **options)

    def __call__(
        self,
        source: jax.Array,
        target: jax.Array,
        *,
        source_mask: Any = None,
        target_mask: Any = None,
        context_mask: Any = None,
    ) -> jax.Array:
        context = self.encoder(source, mask=source_mask)
        return self.decoder(target, context, mask=target_mask, context_mask=context_mask)
