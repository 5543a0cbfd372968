"""Activations, losses and initializers against PyTorch's functions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
import torch.nn.functional as F

from diffcore import nn, precision
from tests.torch.comparison import TOLERANCES, assert_close, from_torch

RANDOM = np.random.default_rng(0)
DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])


def compare(ours, theirs, arrays, dtype):
    """Asserts equal values and gradients, for the sum of weighted outputs."""
    arrays = [a.astype(dtype) for a in arrays]
    tensors = [torch.tensor(a, requires_grad=True) for a in arrays]
    y = theirs(*tensors)
    weights = np.random.default_rng(1).normal(size=y.shape).astype(dtype)
    (y * torch.tensor(weights)).sum().backward()
    with precision(dtype):
        values = ours(*arrays)
        slopes = jax.grad(lambda a: jnp.sum(ours(*a) * weights))(arrays)
        assert_close(values, from_torch(y), TOLERANCES[dtype], "values")
        for slope, tensor in zip(slopes, tensors, strict=True):
            assert_close(slope, from_torch(tensor.grad), TOLERANCES[dtype], "gradient")


ACTIVATIONS = {
    "celu": F.celu,
    "elu": F.elu,
    "gelu": lambda x: F.gelu(x, approximate="tanh"),
    "glu": F.glu,
    "hard_shrink": F.hardshrink,
    "hard_sigmoid": lambda x: F.relu6(x + 3) / 6,  # the gradient of F.hardsigmoid is in float32
    "hard_swish": F.hardswish,
    "hard_tanh": F.hardtanh,
    "leaky_relu": F.leaky_relu,
    "log_sigmoid": F.logsigmoid,
    "log_softmax": lambda x: F.log_softmax(x, -1),
    "mish": F.mish,
    "relu": F.relu,
    "relu6": F.relu6,
    "selu": F.selu,
    "sigmoid": torch.sigmoid,
    "silu": F.silu,
    "soft_shrink": F.softshrink,
    "soft_sign": F.softsign,
    "softmax": lambda x: F.softmax(x, -1),
    "softmin": lambda x: F.softmin(x, -1),
    "softplus": F.softplus,
    "tanh": torch.tanh,
    "tanh_shrink": F.tanhshrink,
}


@DTYPES
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation(name, dtype):
    x = RANDOM.uniform(-8, 8, (20, 6))
    compare(getattr(nn, name), ACTIVATIONS[name], [x], dtype)


@DTYPES
def test_prelu_has_one_slope_a_channel(dtype):
    slopes = RANDOM.normal(size=3)
    layer = nn.replace(nn.PReLU(3), "weight", slopes.astype(dtype))
    tensor = torch.tensor(slopes.astype(dtype))
    compare(layer, lambda x: F.prelu(x, tensor), [RANDOM.normal(size=(2, 3, 4))], dtype)


A, B = RANDOM.normal(size=(2, 6, 5))
SIGNS = np.array([1, -1, 1, 1, -1, -1])
CLASSES = np.array([0, 4, 2, 2, -100, 1])
WEIGHT = RANDOM.uniform(0.5, 2, 5)
PROBABILITIES = RANDOM.dirichlet(np.ones(5), 6)
UNIT = RANDOM.uniform(0.05, 0.95, (6, 5))


def theirs_classes(**options):
    return lambda x: F.cross_entropy(
        x,
        torch.tensor(CLASSES),
        **{k: torch.tensor(v, dtype=x.dtype) if k == "weight" else v for k, v in options.items()},
    )


def pair(ours, theirs, *arrays):
    return ours, theirs, arrays


LOSSES = {
    "mse": pair(nn.mse_loss, F.mse_loss, A, B),
    "mse sum": pair(
        lambda a, b: nn.mse_loss(a, b, reduction="sum"),
        lambda a, b: F.mse_loss(a, b, reduction="sum"),
        A,
        B,
    ),
    "mse none": pair(
        lambda a, b: nn.mse_loss(a, b, reduction="none"),
        lambda a, b: F.mse_loss(a, b, reduction="none"),
        A,
        B,
    ),
    "l1": pair(nn.l1_loss, F.l1_loss, A, B),
    "huber": pair(
        lambda a, b: nn.huber_loss(a, b, delta=0.7),
        lambda a, b: F.huber_loss(a, b, delta=0.7),
        A,
        B,
    ),
    "smooth l1": pair(
        lambda a, b: nn.smooth_l1_loss(a, b, beta=0.7),
        lambda a, b: F.smooth_l1_loss(a, b, beta=0.7),
        A,
        B,
    ),
    "cross entropy": pair(lambda a: nn.cross_entropy(a, CLASSES), theirs_classes(), A),
    "cross entropy, weights and smoothing": pair(
        lambda a: nn.cross_entropy(a, CLASSES, weight=WEIGHT, label_smoothing=0.1),
        theirs_classes(weight=WEIGHT, label_smoothing=0.1),
        A,
    ),
    "cross entropy, sum, ignored class": pair(
        lambda a: nn.cross_entropy(a, CLASSES, ignore_index=2, reduction="none")[:4],
        lambda a: F.cross_entropy(
            a[:4], torch.tensor(CLASSES[:4]), ignore_index=2, reduction="none"
        ),
        A,
    ),
    "cross entropy, probabilities": pair(
        lambda a, p: nn.cross_entropy(a, p, weight=WEIGHT, label_smoothing=0.1),
        lambda a, p: F.cross_entropy(
            a, p, weight=torch.tensor(WEIGHT, dtype=a.dtype), label_smoothing=0.1
        ),
        A,
        PROBABILITIES,
    ),
    "cross entropy of pixels": pair(
        lambda a: nn.cross_entropy(a.reshape(2, 5, 3, 1), CLASSES.reshape(2, 3, 1), axis=1),
        lambda a: F.cross_entropy(a.reshape(2, 5, 3, 1), torch.tensor(CLASSES.reshape(2, 3, 1))),
        A,
    ),
    "nll": pair(
        lambda a: nn.nll_loss(a, CLASSES, weight=WEIGHT),
        lambda a: F.nll_loss(a, torch.tensor(CLASSES), weight=torch.tensor(WEIGHT, dtype=a.dtype)),
        A,
    ),
    "bce": pair(nn.binary_cross_entropy, F.binary_cross_entropy, UNIT, UNIT[::-1].copy()),
    "bce with logits": pair(
        lambda a, t: nn.binary_cross_entropy_with_logits(40 * a, t, positive_weight=3.0),
        lambda a, t: F.binary_cross_entropy_with_logits(
            40 * a, t, pos_weight=torch.tensor(3.0, dtype=a.dtype)
        ),
        A,
        UNIT,
    ),
    "kl": pair(
        lambda a, p: nn.kl_div(a, p, reduction="batchmean"),
        lambda a, p: F.kl_div(a, p, reduction="batchmean"),
        A,
        PROBABILITIES,
    ),
    "kl of logarithms": pair(
        lambda a, p: nn.kl_div(a, p, log_target=True),
        lambda a, p: F.kl_div(a, p, log_target=True),
        A,
        B,
    ),
    "cosine": pair(
        lambda a, b: nn.cosine_embedding_loss(a, b, SIGNS, margin=0.1),
        lambda a, b: F.cosine_embedding_loss(a, b, torch.tensor(SIGNS), margin=0.1),
        A,
        B,
    ),
    "triplet": pair(
        lambda a, b, c: nn.triplet_margin_loss(a, b, c, swap=True),
        lambda a, b, c: F.triplet_margin_loss(a, b, c, swap=True),
        A,
        B,
        RANDOM.normal(size=(6, 5)),
    ),
    "gaussian nll": pair(nn.gaussian_nll_loss, F.gaussian_nll_loss, A, B, UNIT),
}


@DTYPES
@pytest.mark.parametrize("name", LOSSES)
def test_loss(name, dtype):
    ours, theirs, arrays = LOSSES[name]
    compare(ours, theirs, arrays, dtype)


def test_ctc():
    logits = RANDOM.normal(size=(3, 9, 5))
    targets = RANDOM.integers(1, 5, (3, 4))
    lengths, target_lengths = np.array([9, 7, 8]), np.array([4, 2, 3])

    def theirs(x):
        log_p = F.log_softmax(x, -1).transpose(0, 1)
        return F.ctc_loss(
            log_p, torch.tensor(targets), torch.tensor(lengths), torch.tensor(target_lengths)
        )

    compare(lambda x: nn.ctc_loss(x, targets, lengths, target_lengths), theirs, [logits], "float64")
