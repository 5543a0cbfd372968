"""Recurrent networks, attention and transformers against loops in NumPy and their symmetries."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from diffcore import nn, precision

RANDOM = np.random.default_rng(0)
run = jax.jit(lambda model, *inputs, **options: model(*inputs, **options))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def affine(cell, x, h):
    w = {name: np.asarray(array) for name, array in nn.state(cell).items()}
    return w["weight_ih"] @ x + w["bias_ih"], w["weight_hh"] @ h + w["bias_hh"]


def rnn_step(cell, x, state):
    a, b = affine(cell, x, state)
    return np.tanh(a + b), np.tanh(a + b)


def lstm_step(cell, x, state):
    h, c = state
    i, f, g, o = np.split(np.add(*affine(cell, x, h)), 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    h = sigmoid(o) * np.tanh(c)
    return h, (h, c)


def gru_step(cell, x, state):
    (xr, xz, xn), (hr, hz, hn) = (np.split(a, 3) for a in affine(cell, x, state))
    z = sigmoid(xz + hz)
    h = (1 - z) * np.tanh(xn + sigmoid(xr + hr) * hn) + z * state
    return h, h


KINDS = {
    "RNN": (nn.RNN, rnn_step, np.zeros(4)),
    "LSTM": (nn.LSTM, lstm_step, (np.zeros(4), np.zeros(4))),
    "GRU": (nn.GRU, gru_step, np.zeros(4)),
}


@pytest.mark.parametrize("name", KINDS)
def test_recurrent_networks_equal_loops_in_both_directions(name):
    make, step, state = KINDS[name]
    network = make(3, 4, bidirectional=True, key=0)
    x = RANDOM.normal(size=(5, 3))
    outputs, final = run(network, jnp.stack([x, 2 * x])[None])
    assert outputs.shape == (1, 2, 5, 8)
    for direction, times in enumerate((range(5), range(4, -1, -1))):
        s, expected = state, np.zeros((5, 4))
        for t in times:
            expected[t], s = step(network.cells[0][direction], x[t], s)
        half = slice(4 * direction, 4 * direction + 4)
        np.testing.assert_allclose(outputs[0, 0, :, half], expected, rtol=1e-12, atol=1e-14)
        last = jax.tree.leaves(final[0][direction])[-1]
        np.testing.assert_allclose(last[0, 0], jax.tree.leaves(s)[-1], rtol=1e-12)


def test_a_sequence_in_two_pieces_equals_the_whole():
    network = nn.LSTM(3, 4, layers=2, key=0)
    x = RANDOM.normal(size=(2, 6, 3))
    first, state = run(network, x[:, :3])
    second, _ = run(network, x[:, 3:], state)
    whole = jnp.concatenate([first, second], axis=1)
    np.testing.assert_allclose(whole, run(network, x)[0], rtol=1e-12, atol=1e-14)


def test_padded_sequences_equal_their_shorter_selves():
    network = nn.GRU(3, 4, bidirectional=True, key=0)
    x = RANDOM.normal(size=(2, 5, 3))
    outputs, state = run(network, x, lengths=jnp.array([3, 5]))
    short, short_state = run(network, x[:1, :3])
    np.testing.assert_allclose(outputs[:1, :3], short, rtol=1e-12)
    np.testing.assert_array_equal(outputs[0, 3:], 0)
    for a, b in zip(jax.tree.leaves(state), jax.tree.leaves(short_state), strict=True):
        np.testing.assert_allclose(a[:1], b, rtol=1e-12)


def test_recurrent_layers_stand_in_a_sequence_of_layers():
    layers = [nn.Embedding(9, 3), nn.LSTM(3, 4, dropout=0.5, layers=2, return_state=False)]
    model = nn.Sequential([*layers, nn.Linear(4, 9)], key=0)
    tokens = jnp.zeros((2, 7), int)
    y, _ = jax.eval_shape(lambda t: nn.apply(model, t, key=0), tokens)
    assert y.shape == (2, 7, 9)


def attended(q, k, v, allowed):
    scores = np.where(allowed, q @ k.T / np.sqrt(q.shape[-1]), -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def test_attention_equals_its_formula_with_masks():
    q, k, v = (RANDOM.normal(size=(2, 5, 4)) for _ in range(3))
    mask = RANDOM.random((5, 5)) < 0.5
    mask[:, 0] = True
    y = nn.scaled_dot_product_attention(q, k, v, mask=mask, causal=True)
    for i in range(2):
        expected = attended(q[i], k[i], v[i], mask & np.tri(5, dtype=bool))
        np.testing.assert_allclose(y[i], expected, rtol=1e-12, atol=1e-14)
    nothing = nn.scaled_dot_product_attention(q, k, v, mask=np.zeros((5, 5), bool))
    np.testing.assert_array_equal(nothing, 0)


def test_rotary_attention_depends_on_differences_of_positions_alone():
    q, k = RANDOM.normal(size=(2, 1, 6))
    at = lambda i, j: nn.rotate(q, [i]) @ nn.rotate(k, [j]).T  # noqa: E731
    np.testing.assert_allclose(at(3, 1), at(103, 101), rtol=1e-10)
    np.testing.assert_allclose(at(0, 0), q @ k.T, rtol=1e-12)


def test_padding_keys_do_not_change_the_others():
    layer = nn.MultiHeadAttention(8, 2, key=0)
    x = RANDOM.normal(size=(2, 5, 8))
    y = run(layer, x, mask=nn.padding_mask([3, 5], 5))
    np.testing.assert_allclose(y[0, :3], run(layer, x[0, :3]), rtol=1e-11, atol=1e-14)


def test_grouped_queries_with_equal_heads_equal_full_attention():
    grouped = nn.MultiHeadAttention(8, 4, kv_heads=2, key=0)
    full = nn.MultiHeadAttention(8, 4, key=0)
    twice = lambda a: jnp.repeat(a.reshape(2, 2, -1), 2, axis=0).reshape(8, *a.shape[1:])  # noqa: E731
    arrays = nn.state(grouped)
    for part in ("key.weight", "key.bias", "value.weight", "value.bias"):
        arrays[part] = twice(arrays[part])
    full = nn.load_state(full, arrays)
    x = RANDOM.normal(size=(5, 8))
    np.testing.assert_allclose(run(grouped, x), run(full, x), rtol=1e-11, atol=1e-14)


def test_a_cached_transformer_continues_as_if_it_saw_all_at_once():
    model = nn.TransformerEncoder(8, 2, 2, causal=True, rotary=True, norm_first=True, key=0)
    x = RANDOM.normal(size=(2, 6, 8))
    cache, pieces = model.cache((2,), 8), []
    for t in range(6):
        y, cache = run(model, x[:, t : t + 1], cache=cache)
        pieces.append(y)
    np.testing.assert_allclose(jnp.concatenate(pieces, 1), run(model, x), rtol=1e-9, atol=1e-12)
    with pytest.raises(ValueError, match="holds 8 positions; 6 are filled, 3 come"):
        model(x[:, :3], cache=cache)


def test_an_encoder_without_positions_commutes_with_permutations():
    model = nn.TransformerEncoder(8, 2, 1, key=0)
    x, order = RANDOM.normal(size=(6, 8)), RANDOM.permutation(6)
    np.testing.assert_allclose(run(model, x[order]), run(model, x)[order], rtol=1e-10, atol=1e-13)


def test_a_decoder_does_not_look_ahead():
    model = nn.Transformer(8, 2, 1, key=0)
    source, target = RANDOM.normal(size=(2, 4, 8))
    changed = target.copy()
    changed[2:] += 1.0
    np.testing.assert_allclose(
        run(model, source, target)[:2], run(model, source, changed)[:2], rtol=1e-13
    )


def test_sinusoidal_positions_equal_their_formula():
    table = nn.sinusoidal_positions(4, 6)
    np.testing.assert_allclose(
        table[3, 2:4], [np.sin(3 / 10000 ** (1 / 3)), np.cos(3 / 10000 ** (1 / 3))]
    )


def test_half_precision_attention_keeps_its_type():
    with precision("float32"):
        x = jnp.ones((3, 4), jnp.bfloat16)
        assert nn.scaled_dot_product_attention(x, x, x).dtype == jnp.bfloat16


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: nn.MultiHeadAttention(8, 3, key=0), "`heads` must divide the size 8"),
        (lambda: nn.MultiHeadAttention(6, 2, rotary=True, key=0), "heads of even size; got 6 / 2"),
        (lambda: nn.MultiHeadAttention(8, 2, key=0).cache((), 4), "needs causal attention"),
        (lambda: nn.LSTM(3, 4, key=0)(jnp.ones(3)), "takes (..., time, features)"),
        (lambda: nn.GRU(3, 4, key=0)(jnp.ones((5, 2))), "last axis has size 3; got shape (5, 2)"),
        (lambda: nn.LSTM(3, 0, key=0), "`hidden_size` must be a positive whole number; got 0"),
        (lambda: nn.TransformerLayer(8, 2, cross=True, key=0)(jnp.ones((2, 8))), "`context` is"),
    ],
)
def test_impossible_settings_are_refused(make, text):
    import re

    with pytest.raises(ValueError, match=re.escape(text)):
        make()
