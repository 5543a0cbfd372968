"""Each layer against PyTorch's: values, gradients of inputs and parameters, running statistics."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from diffcore import nn
from tests.torch.comparison import compare

RANDOM = np.random.default_rng(0)
tnn = torch.nn


def normal(*shape):
    return RANDOM.normal(size=shape)


CONVOLUTIONS = {
    "plain 1d": (1, (4, 6, 3), {}),
    "plain 2d": (2, (4, 6, (3, 2)), {"stride": (2, 1), "padding": (1, 0)}),
    "plain 3d": (3, (2, 4, 3), {"padding": 1, "stride": 2}),
    "groups": (2, (4, 6, 3), {"groups": 2, "dilation": 2, "padding": 2}),
    "depthwise": (1, (4, 8, 5), {"groups": 4, "padding": "same"}),
    "same, even": (2, (4, 6, 4), {"padding": "same"}),
    "circular": (1, (4, 6, 3), {"padding": 2, "padding_mode": "circular"}),
    "reflect": (2, (4, 6, 3), {"padding": 2, "padding_mode": "reflect"}),
    "replicate": (3, (2, 2, 3), {"padding": (1, 2, 0), "padding_mode": "replicate"}),
    "no bias": (2, (4, 6, 3), {"bias": False}),
}
SPATIAL = {1: (11,), 2: (9, 8), 3: (5, 6, 7)}
DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])


@DTYPES
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolution(name, dtype):
    n, sizes, options = CONVOLUTIONS[name]
    x = normal(3, sizes[0], *SPATIAL[n])
    compare(
        lambda: getattr(nn, f"Conv{n}d")(*sizes, **options, key=0),
        lambda: getattr(tnn, f"Conv{n}d")(*sizes, **options),
        [x],
        dtype,
    )


TRANSPOSED = {
    "1d": (1, (4, 6, 3), {}),
    "2d": (2, (4, 6, (3, 2)), {"stride": (2, 3), "padding": (1, 0), "output_padding": (1, 2)}),
    "3d": (3, (2, 4, 2), {"stride": 2}),
    "groups": (2, (4, 6, 3), {"groups": 2, "dilation": 2, "padding": 1, "stride": 2}),
}


@DTYPES
@pytest.mark.parametrize("name", TRANSPOSED)
def test_transposed_convolution(name, dtype):
    n, sizes, options = TRANSPOSED[name]
    compare(
        lambda: getattr(nn, f"ConvTranspose{n}d")(*sizes, **options, key=0),
        lambda: getattr(tnn, f"ConvTranspose{n}d")(*sizes, **options),
        [normal(3, sizes[0], *SPATIAL[n])],
        dtype,
    )


POOLS = {
    "max 1d": (lambda m: m.MaxPool1d(2), 1),
    "max 2d": (lambda m: m.MaxPool2d(3, 2, padding=1), 2),
    "max 3d": (lambda m: m.MaxPool3d((1, 2, 3)), 3),
    "max ceil": (lambda m: m.MaxPool2d(2, ceil_mode=True), 2),
    "max dilated": (lambda m: m.MaxPool2d(3, 1, dilation=2), 2),
    "average 1d": (lambda m: m.AvgPool1d(3, 2), 1),
    "average 2d": (lambda m: m.AvgPool2d(3, 2, padding=1), 2),
    "average 3d": (lambda m: m.AvgPool3d(2), 3),
    "average ceil": (lambda m: m.AvgPool2d(3, 2, padding=1, ceil_mode=True), 2),
    "average without zeros": (
        lambda m: m.AvgPool2d(3, 2, padding=1, ceil_mode=True, count_include_pad=False),
        2,
    ),
    "norm 1d": (lambda m: m.LPPool1d(2, 3, 2) if m is tnn else m.LpPool1d(2, 3, 2), 1),
    "norm 2d": (lambda m: m.LPPool2d(2, 2) if m is tnn else m.LpPool2d(2, 2), 2),
    "adaptive average 1d": (lambda m: m.AdaptiveAvgPool1d(4), 1),
    "adaptive average 2d": (lambda m: m.AdaptiveAvgPool2d((4, 3)), 2),
    "adaptive average 3d": (lambda m: m.AdaptiveAvgPool3d(2), 3),
    "adaptive max 1d": (lambda m: m.AdaptiveMaxPool1d(4), 1),
    "adaptive max 2d": (lambda m: m.AdaptiveMaxPool2d((4, 3)), 2),
    "adaptive max 3d": (lambda m: m.AdaptiveMaxPool3d(2), 3),
}


@DTYPES
@pytest.mark.parametrize("name", POOLS)
def test_pooling(name, dtype):
    make, n = POOLS[name]
    compare(lambda: make(nn), lambda: make(tnn), [normal(2, 3, *SPATIAL[n])], dtype)


RESAMPLED = {
    "nearest": ({"scale": 2}, {"scale_factor": 2}, 2),
    "nearest down": ({"size": (4, 13)}, {"size": (4, 13)}, 2),
    "linear": (
        {"scale": 3, "mode": "linear", "dimension": 1},
        {"scale_factor": 3, "mode": "linear"},
        1,
    ),
    "bilinear": ({"scale": 2, "mode": "linear"}, {"scale_factor": 2, "mode": "bilinear"}, 2),
    "bilinear corners": (
        {"size": (5, 17), "mode": "linear", "align_corners": True},
        {"size": (5, 17), "mode": "bilinear", "align_corners": True},
        2,
    ),
    "trilinear": (
        {"scale": 2, "mode": "linear", "dimension": 3},
        {"scale_factor": 2, "mode": "trilinear"},
        3,
    ),
    "bicubic": ({"scale": 2, "mode": "cubic"}, {"scale_factor": 2, "mode": "bicubic"}, 2),
    "bicubic corners": (
        {"size": (20, 5), "mode": "cubic", "align_corners": True},
        {"size": (20, 5), "mode": "bicubic", "align_corners": True},
        2,
    ),
}


@DTYPES
@pytest.mark.parametrize("name", RESAMPLED)
def test_resampling(name, dtype):
    ours, theirs, n = RESAMPLED[name]
    compare(
        lambda: nn.Upsample(**ours),
        lambda: tnn.Upsample(**theirs),
        [normal(2, 3, *SPATIAL[n])],
        dtype,
    )


@DTYPES
def test_pixel_shuffle_and_back(dtype):
    compare(lambda: nn.PixelShuffle(3), lambda: tnn.PixelShuffle(3), [normal(2, 18, 4, 5)], dtype)
    compare(
        lambda: nn.PixelUnshuffle(2), lambda: tnn.PixelUnshuffle(2), [normal(2, 3, 4, 6)], dtype
    )


NORMS = {
    "batch, features": (lambda m: (m.BatchNorm if m is nn else m.BatchNorm1d)(4), (6, 4)),
    "batch 1d": (lambda m: m.BatchNorm1d(4, momentum=0.3), (6, 4, 5)),
    "batch 1d of features": (lambda m: m.BatchNorm1d(4), (6, 4)),
    "batch 2d": (lambda m: m.BatchNorm2d(4, momentum=None), (3, 4, 5, 6)),
    "batch 3d": (lambda m: m.BatchNorm3d(2, affine=False), (3, 2, 3, 4, 2)),
    "layer": (lambda m: m.LayerNorm((5, 6)), (3, 4, 5, 6)),
    "layer without bias": (lambda m: m.LayerNorm(6, bias=False), (3, 4, 6)),
    "group": (lambda m: m.GroupNorm(2, 6), (3, 6, 4, 5)),
    "instance 1d": (lambda m: m.InstanceNorm1d(3, affine=True), (2, 3, 7)),
    "instance 2d": (lambda m: m.InstanceNorm2d(3), (2, 3, 4, 5)),
    "rms": (
        lambda m: m.RMSNorm(6, epsilon=1e-5) if m is nn else m.RMSNorm(6, eps=1e-5),
        (3, 4, 6),
    ),
}


@DTYPES
@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("name", NORMS)
def test_normalization(name, train, dtype):
    make, shape = NORMS[name]
    compare(lambda: make(nn), lambda: make(tnn), [normal(*shape)], dtype, train=train)


@DTYPES
@pytest.mark.parametrize("train", [False, True])
def test_spectral_normalization(train, dtype):
    compare(
        lambda: nn.SpectralNorm(nn.Conv2d(2, 3, 3), key=0),
        lambda: tnn.utils.parametrizations.spectral_norm(tnn.Conv2d(2, 3, 3), eps=1e-12),
        [normal(2, 2, 5, 5)],
        dtype,
        train=train,
    )


@DTYPES
def test_weight_normalization(dtype):
    compare(
        lambda: nn.WeightNorm(nn.Linear(4, 3), key=0),
        lambda: tnn.utils.parametrizations.weight_norm(tnn.Linear(4, 3)),
        [normal(5, 4)],
        dtype,
    )


@DTYPES
def test_linear_bilinear_embedding(dtype):
    compare(lambda: nn.Linear(3, 4, key=0), lambda: tnn.Linear(3, 4), [normal(2, 5, 3)], dtype)
    compare(
        lambda: nn.Bilinear(3, 4, 5, key=0),
        lambda: tnn.Bilinear(3, 4, 5),
        [normal(2, 3), normal(2, 4)],
        dtype,
    )
    compare(
        lambda: nn.Embedding(7, 3, key=0),
        lambda: tnn.Embedding(7, 3),
        [RANDOM.integers(0, 7, (4, 5))],
        dtype,
    )


CELLS = {"RNN": {"nonlinearity": "relu"}, "LSTM": {}, "GRU": {}}


@DTYPES
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("name", CELLS)
def test_recurrent_networks(name, bidirectional, dtype):
    own = {"activation": nn.relu} if name == "RNN" else {}
    ours = getattr(nn, name)

    def joined(result):  # the outputs and all final states in one vector
        return jnp.concatenate([leaf.ravel() for leaf in jax.tree.leaves(result)])

    def joined_theirs(model, x):
        outputs, state = model(x)
        h, c = state if isinstance(state, tuple) else (state, None)
        pieces = [outputs.reshape(-1)]
        for k in range(len(h)):
            pieces += [h[k].reshape(-1)] + ([] if c is None else [c[k].reshape(-1)])
        return torch.cat(pieces)

    compare(
        lambda: ours(3, 4, layers=2, bidirectional=bidirectional, **own, key=0),
        lambda: getattr(tnn, name)(
            3, 4, 2, batch_first=True, bidirectional=bidirectional, **CELLS[name]
        ),
        [normal(2, 6, 3)],
        dtype,
        call=(lambda m, x: joined(m(x)), joined_theirs),
    )


@DTYPES
def test_sequences_of_several_lengths(dtype):
    lengths = np.array([2, 6, 1])

    def packed(model, x):
        rows = tnn.utils.rnn.pack_padded_sequence(
            x, torch.tensor(lengths), batch_first=True, enforce_sorted=False
        )
        return tnn.utils.rnn.pad_packed_sequence(model(rows)[0], batch_first=True)[0]

    compare(
        lambda: nn.GRU(3, 4, bidirectional=True, key=0),
        lambda: tnn.GRU(3, 4, batch_first=True, bidirectional=True),
        [normal(3, 6, 3)],
        dtype,
        call=(lambda m, x: m(x, lengths=lengths)[0], packed),
    )


@DTYPES
@pytest.mark.parametrize("name", ["RNNCell", "LSTMCell", "GRUCell"])
def test_cells(name, dtype):
    compare(
        lambda: getattr(nn, name)(3, 4, key=0),
        lambda: getattr(tnn, name)(3, 4),
        [normal(5, 3)],
        dtype,
        call=(
            lambda m, x: jax.tree.leaves(m(x))[-1],
            lambda m, x: m(x)[1] if name == "LSTMCell" else m(x),
        ),
    )


@DTYPES
@pytest.mark.parametrize("kind", ["self", "context", "mask", "added mask"])
def test_attention(kind, dtype):
    allowed = RANDOM.random((5, 5)) < 0.6
    allowed[:, 0] = True
    added = normal(5, 5).astype(dtype)
    masks = {"mask": (allowed, torch.tensor(~allowed)), "added mask": (added, torch.tensor(added))}
    ours_mask, theirs_mask = masks.get(kind, (None, None))
    x, context = normal(2, 5, 8), normal(2, 7, 8)
    inputs = [x, context] if kind == "context" else [x]

    compare(
        lambda: nn.MultiHeadAttention(8, 2, key=0),
        lambda: tnn.MultiheadAttention(8, 2, batch_first=True),
        inputs,
        dtype,
        call=(
            lambda m, *x: m(*x, mask=ours_mask),
            lambda m, *x: m(x[0], x[-1], x[-1], attn_mask=theirs_mask)[0],
        ),
    )


@DTYPES
@pytest.mark.parametrize("norm_first", [False, True])
def test_transformer(norm_first, dtype):
    own = partial(nn.Transformer, 8, 2, 2, hidden_size=12, norm_first=norm_first, key=0)
    causal = torch.nn.Transformer.generate_square_subsequent_mask(4)
    compare(
        own,
        lambda: tnn.Transformer(
            8, 2, 2, 2, 12, dropout=0.0, batch_first=True, norm_first=norm_first
        ),
        [normal(3, 5, 8), normal(3, 4, 8)],
        dtype,
        call=(lambda m, s, t: m(s, t), lambda m, s, t: m(s, t, tgt_mask=causal.to(t.dtype))),
    )


def test_a_file_of_torch_is_loaded_and_checked(tmp_path):
    theirs = tnn.Sequential(
        tnn.Conv2d(1, 4, 3), tnn.BatchNorm2d(4), tnn.ReLU(), tnn.Flatten(), tnn.Linear(144, 3)
    )
    theirs.half().float()  # weights that float16 holds as well
    x = torch.randn(5, 1, 8, 8)
    theirs(x)  # moves the running statistics
    theirs.eval()
    torch.save(theirs.state_dict(), tmp_path / "model.pt")
    torch.save({"epoch": 3, "model": theirs.half().state_dict()}, tmp_path / "checkpoint.pt")
    layers = [nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.relu, nn.Flatten(), nn.Linear(144, 3)]
    y = theirs.float()(x)
    loaded = nn.load_torch(
        nn.Sequential(layers, key=0),
        tmp_path / "model.pt",
        check=(x.numpy(), y.detach().numpy()),
        tolerance=1e-3,  # y is of statistics that went through float16
    )
    tensors = nn.read_tensors(tmp_path / "checkpoint.pt")
    assert tensors["model.0.weight"].dtype == np.float16
    np.testing.assert_array_equal(tensors["model.4.weight"], np.float16(loaded[4].weight))


def test_a_whole_pickled_model_is_refused(tmp_path):
    torch.save(tnn.Linear(2, 2), tmp_path / "model.pt")
    with pytest.raises(nn.TensorFileError, match="wants to run torch.nn.modules.linear.Linear"):
        nn.read_tensors(tmp_path / "model.pt")
