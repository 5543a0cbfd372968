"""Recurrent cells, and networks of them over sequences (..., time, features), by `lax.scan`.

Weights, gates and their order are torch's. The inputs of all times are multiplied by the weights at
once, outside of the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from diffcore.keys import as_key
from diffcore.nn._shapes import check_sizes
from diffcore.nn.dropout import Dropout
from diffcore.nn.module import LATER, Module
from diffcore.precision import default_dtype


class _Cell(Module):
    """One step of a recurrence: `cell(x, state)` is the next state.

    `project` is the part that does not depend on the state, `step` the rest.
    """

    weight_ih: eqx.AbstractVar[jax.Array]  # (gates * hidden, in)
    weight_hh: eqx.AbstractVar[jax.Array]  # (gates * hidden, hidden)
    bias_ih: eqx.AbstractVar[jax.Array | None]
    bias_hh: eqx.AbstractVar[jax.Array | None]

    def project(self, x: jax.Array) -> jax.Array:
        if jnp.shape(x)[-1:] != self.weight_ih.shape[1:]:
            raise ValueError(
                f"{type(self).__name__} takes arrays whose last axis has size "
                f"{self.weight_ih.shape[1]}; got shape {jnp.shape(x)}."
            )
        return _affine(x, self.weight_ih, self.bias_ih)

    def __call__(self, x: jax.Array, state: Any = None) -> Any:
        projected = self.project(x)
        return self.step(projected, self.start(projected) if state is None else state)

    def start(self, projected: jax.Array) -> Any:
        """Returns the state of zeros for projected inputs (..., gates * hidden) like these."""
        return self.zeros(projected)

    def zeros(self, projected: jax.Array) -> jax.Array:
        """Returns zeros for the hidden values, (..., hidden)."""
        return jnp.zeros((*projected.shape[:-1], self.weight_hh.shape[1]), projected.dtype)

    def output(self, state: Any) -> jax.Array:
        """Returns the values that the next layer sees."""
        return jax.tree.leaves(state)[0]

    def step(self, projected: jax.Array, state: Any) -> Any:
        """Returns the next state."""
        raise NotImplementedError


class RNNCell(_Cell):
    """h' = σ(W x + b + U h + c), with σ = tanh or another `activation`."""

    weight_ih: jax.Array
    weight_hh: jax.Array
    bias_ih: jax.Array | None
    bias_hh: jax.Array | None
    activation: Callable = eqx.field(static=True)

    def __init__(
        self,
        in_size: int,
        hidden_size: int,
        *,
        activation: Callable = jnp.tanh,
        bias: bool = True,
        dtype: Any = None,
        key: Any = LATER,
    ):
        weights = _weights(1, in_size, hidden_size, bias, dtype, key)
        self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh = weights
        self.activation = activation

    def step(self, projected: jax.Array, state: jax.Array) -> jax.Array:
        return self.activation(projected + _affine(state, self.weight_hh, self.bias_hh))


class LSTMCell(_Cell):
    """Long short-term memory; its state is (h, c).

    With gates (i, f, g, o) = W x + b + U h + d: c' = σ(f) c + σ(i) tanh g and h' = σ(o) tanh c'.

    Source: Hochreiter and Schmidhuber, Long short-term memory, Neural Comput. 9 (1997); Gers,
    Schmidhuber, Cummins, Learning to forget, Neural Comput. 12 (2000).
    """

    weight_ih: jax.Array
    weight_hh: jax.Array
    bias_ih: jax.Array | None
    bias_hh: jax.Array | None

    def __init__(
        self,
        in_size: int,
        hidden_size: int,
        *,
        bias: bool = True,
        dtype: Any = None,
        key: Any = LATER,
    ):
        weights = _weights(4, in_size, hidden_size, bias, dtype, key)
        self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh = weights

    def start(self, projected: jax.Array) -> tuple[jax.Array, jax.Array]:
        return self.zeros(projected), self.zeros(projected)

    def step(self, projected: jax.Array, state: Any) -> tuple[jax.Array, jax.Array]:
        h, c = state
        gates = projected + _affine(h, self.weight_hh, self.bias_hh)
        i, f, g, o = jnp.split(gates, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return jax.nn.sigmoid(o) * jnp.tanh(c), c


class GRUCell(_Cell):
    """Gated recurrent unit: h' = (1 - z) n + z h.

    With r = σ(W₁ x + U₁ h), z = σ(W₂ x + U₂ h) and n = tanh(W₃ x + b + r (U₃ h + c)).

    Source: Cho et al., Learning phrase representations using RNN encoder-decoder (2014), eqs.
    (5)-(8); the place of r as in torch.
    """

    weight_ih: jax.Array
    weight_hh: jax.Array
    bias_ih: jax.Array | None
    bias_hh: jax.Array | None

    def __init__(
        self,
        in_size: int,
        hidden_size: int,
        *,
        bias: bool = True,
        dtype: Any = None,
        key: Any = LATER,
    ):
        weights = _weights(3, in_size, hidden_size, bias, dtype, key)
        self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh = weights

    def step(self, projected: jax.Array, state: jax.Array) -> jax.Array:
        xr, xz, xn = jnp.split(projected, 3, axis=-1)
        hr, hz, hn = jnp.split(_affine(state, self.weight_hh, self.bias_hh), 3, axis=-1)
        z = jax.nn.sigmoid(xz + hz)
        n = jnp.tanh(xn + jax.nn.sigmoid(xr + hr) * hn)
        return n + z * (state - n)


class Recurrent(Module):
    """Layers of recurrent cells over sequences (..., time, in_size).

    Called as `network(x, state=None, lengths=None)`, it returns (outputs, state): the outputs of
    the last layer at all times, (..., time, hidden_size), twice that if bidirectional, and the
    final states, `state[layer][direction]`, with which the next piece of a sequence can begin.

    Arguments:
        cell: called as cell(in_size, hidden_size, key=key), such as `LSTMCell`.
        layers: how many lie on top of each other.
        dropout: rate between layers, in training.
        return_state: if not, the call returns the outputs alone, as `Sequential` needs it.
        lengths: numbers of valid times, of the batch shape; later outputs are zero and leave the
            states as they are.
    """

    cells: tuple[tuple[Any, ...], ...]  # [layer][direction]
    dropout: Dropout
    return_state: bool = eqx.field(static=True)

    def __init__(
        self,
        cell: Callable,
        in_size: int,
        hidden_size: int,
        *,
        layers: int = 1,
        bidirectional: bool = False,
        dropout: float = 0.0,
        return_state: bool = True,
        key: Any = LATER,
    ):
        check_sizes(in_size=in_size, hidden_size=hidden_size, layers=layers)
        directions = 2 if bidirectional else 1
        sizes = [in_size] + [directions * hidden_size] * (layers - 1)
        keys = jax.random.split(as_key(key), (layers, directions))
        self.cells = tuple(
            tuple(cell(size, hidden_size, key=k) for k in row)
            for size, row in zip(sizes, keys, strict=True)
        )
        self.dropout = Dropout(dropout)
        self.return_state = return_state

    def __call__(self, x: jax.Array, state: Any = None, *, lengths: Any = None) -> Any:
        x = jnp.asarray(x)
        if x.ndim < 2:
            raise ValueError(f"Recurrent takes (..., time, features); got shape {x.shape}.")
        final = []
        for i, cells in enumerate(self.cells):
            x = x if i == 0 else self.dropout(x)
            start = [None] * len(cells) if state is None else state[i]
            runs = [
                _run(cell, x, s, lengths, reverse=bool(direction))
                for direction, (cell, s) in enumerate(zip(cells, start, strict=True))
            ]
            x = jnp.concatenate([outputs for outputs, _ in runs], axis=-1)
            final.append(tuple(last for _, last in runs))
        return (x, tuple(final)) if self.return_state else x


def _run(
    cell: Any, x: jax.Array, state: Any, lengths: Any, *, reverse: bool
) -> tuple[jax.Array, Any]:
    """The outputs of one cell at all times of (..., time, in), and its last state."""
    projected = jnp.moveaxis(cell.project(x), -2, 0)  # (time, ..., gates * hidden)
    if state is None:
        state = cell.start(jax.eval_shape(lambda a: a.sum(0), projected))
    if lengths is None:
        valid = None
    else:
        times = jnp.arange(x.shape[-2]).reshape(-1, *(1,) * (x.ndim - 2))
        valid = jnp.broadcast_to(times < jnp.asarray(lengths), projected.shape[:-1])

    def step(state: Any, inputs: Any) -> tuple[Any, jax.Array]:
        here, is_valid = inputs
        new = cell.step(here, state)
        if is_valid is None:
            return new, cell.output(new)
        new = jax.tree.map(lambda a, b: jnp.where(is_valid[..., None], a, b), new, state)
        return new, jnp.where(is_valid[..., None], cell.output(new), 0)

    last, outputs = jax.lax.scan(step, state, (projected, valid), reverse=reverse)
    return jnp.moveaxis(outputs, 0, -2), last


def RNN(
    in_size: int,
    hidden_size: int,
    *,
    layers: int = 1,
    bidirectional: bool = False,
    activation: Callable = jnp.tanh,
    dropout: float = 0.0,
    return_state: bool = True,
    key: Any = LATER,
) -> Recurrent:
    """Returns a network of `RNNCell`; see `Recurrent`."""
    return Recurrent(
        partial(RNNCell, activation=activation),
        in_size,
        hidden_size,
        layers=layers,
        bidirectional=bidirectional,
        dropout=dropout,
        return_state=return_state,
        key=key,
    )


def LSTM(
    in_size: int,
    hidden_size: int,
    *,
    layers: int = 1,
    bidirectional: bool = False,
    dropout: float = 0.0,
    return_state: bool = True,
    key: Any = LATER,
) -> Recurrent:
    """Returns a network of `LSTMCell`; see `Recurrent`.

    Example:
        >>> from diffcore import nn
        >>> outputs, state = nn.LSTM(3, 8, layers=2, key=0)(jnp.zeros((5, 20, 3)))
        >>> outputs.shape, state[1][0][0].shape
        ((5, 20, 8), (5, 8))
    """
    return Recurrent(
        LSTMCell,
        in_size,
        hidden_size,
        layers=layers,
        bidirectional=bidirectional,
        dropout=dropout,
        return_state=return_state,
        key=key,
    )


def GRU(
    in_size: int,
    hidden_size: int,
    *,
    layers: int = 1,
    bidirectional: bool = False,
    dropout: float = 0.0,
    return_state: bool = True,
    key: Any = LATER,
) -> Recurrent:
    """Returns a network of `GRUCell`; see `Recurrent`."""
    return Recurrent(
        GRUCell,
        in_size,
        hidden_size,
        layers=layers,
        bidirectional=bidirectional,
        dropout=dropout,
        return_state=return_state,
        key=key,
    )


def _weights(
    gates: int, in_size: int, hidden_size: int, bias: bool, dtype: Any, key: Any
) -> tuple[jax.Array, jax.Array, jax.Array | None, jax.Array | None]:
    """Weights and biases uniform within ±1/√hidden, as in torch."""
    check_sizes(in_size=in_size, hidden_size=hidden_size)
    dtype = jax.dtypes.canonicalize_dtype(default_dtype() if dtype is None else dtype)
    keys = jax.random.split(as_key(key), 4)
    rows, limit = gates * hidden_size, hidden_size**-0.5

    def draw(k: jax.Array, *shape: int) -> jax.Array:
        if not jnp.issubdtype(dtype, jnp.complexfloating):
            return jax.random.uniform(k, shape, dtype, -limit, limit)
        parts = jax.random.uniform(k, (2, *shape), jnp.finfo(dtype).dtype, -limit, limit)
        return jax.lax.complex(parts[0], parts[1]) * 0.5**0.5

    return (
        draw(keys[0], rows, in_size),
        draw(keys[1], rows, hidden_size),
        draw(keys[2], rows) if bias else None,
        draw(keys[3], rows) if bias else None,
    )


def _affine(x: jax.Array, weight: jax.Array, bias: jax.Array | None) -> jax.Array:
    y = x @ weight.T
    return y if bias is None else y + bias
