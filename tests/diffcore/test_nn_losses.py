"""Losses against their formulas; what cannot be right is refused."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from diffcore import nn

RANDOM = np.random.default_rng(0)
A, B = RANDOM.normal(size=(2, 6, 4))
CLASSES = np.array([0, 3, 2, 2, -100, 1])


def test_cross_entropy_equals_its_formula_with_weights_smoothing_and_ignored_places():
    weight = np.array([1.0, 2.0, 0.5, 3.0])
    p = np.exp(A) / np.exp(A).sum(1, keepdims=True)
    target = 0.9 * np.eye(4)[CLASSES.clip(0)] + 0.1 / 4
    values = -np.sum(weight * target * np.log(p), axis=1)
    kept = CLASSES >= 0
    expected = values[kept].sum() / weight[CLASSES[kept]].sum()
    loss = nn.cross_entropy(A, CLASSES, weight=weight, label_smoothing=0.1)
    np.testing.assert_allclose(loss, expected, rtol=1e-12)
    none = nn.cross_entropy(A, CLASSES, weight=weight, label_smoothing=0.1, reduction="none")
    np.testing.assert_allclose(none, np.where(kept, values, 0), rtol=1e-12)


def test_cross_entropy_takes_classes_on_any_axis_and_probabilities():
    pixels = nn.cross_entropy(A.T.reshape(1, 4, 6), CLASSES[None], axis=1)
    np.testing.assert_allclose(pixels, nn.cross_entropy(A, CLASSES), rtol=1e-13)
    kept = CLASSES >= 0
    one_hot = nn.cross_entropy(A[kept], np.eye(4)[CLASSES[kept]])
    np.testing.assert_allclose(one_hot, nn.cross_entropy(A, CLASSES), rtol=1e-13)


def test_a_class_that_does_not_exist_gives_nan_instead_of_another_class():
    assert np.isnan(nn.cross_entropy(A, np.array([0, 1, 2, 3, 0, 4])))
    assert np.isnan(nn.nll_loss(A, np.array([0, 1, 2, 3, 0, -1])))


def test_losses_with_logits_do_not_overflow():
    logits, targets = jnp.array([1e4, -1e4]), jnp.array([0.0, 1.0])
    loss = nn.binary_cross_entropy_with_logits(logits, targets)
    np.testing.assert_allclose(loss, 1e4, rtol=1e-15)
    slope = jax.jit(jax.grad(lambda z: nn.cross_entropy(z[None], jnp.array([1]))))(logits)
    np.testing.assert_allclose(slope, [1, -1])


D = np.abs(A - B)
P, Q = RANDOM.dirichlet(np.ones(4), (2, 6))
LOSSES = {
    "mse": (nn.mse_loss(A, B), np.mean(D**2)),
    "mse, complex": (nn.mse_loss(A + 1j * B, 0j * A), np.mean(A**2 + B**2)),
    "l1": (nn.l1_loss(A, B, reduction="sum"), np.sum(D)),
    "huber": (
        nn.huber_loss(A, B, delta=0.7),
        np.mean(np.where(D < 0.7, D**2 / 2, 0.7 * (D - 0.35))),
    ),
    "smooth l1": (
        nn.smooth_l1_loss(A, B, beta=0.7),
        np.mean(np.where(D < 0.7, D**2 / 1.4, D - 0.35)),
    ),
    "relative l2": (
        nn.relative_l2(A, B),
        np.mean(np.linalg.norm(A - B, axis=1) / np.linalg.norm(B, axis=1)),
    ),
    "binary": (
        nn.binary_cross_entropy(P, Q),
        -np.mean(Q * np.log(P) + (1 - Q) * np.log(1 - P)),
    ),
    "divergence": (
        nn.kl_div(np.log(P), Q, reduction="batchmean"),
        np.sum(Q * np.log(Q / P)) / 6,
    ),
    "cosine": (
        nn.cosine_similarity(A, B),
        np.sum(A * B, 1) / np.linalg.norm(A, axis=1) / np.linalg.norm(B, axis=1),
    ),
    "triplet": (
        nn.triplet_margin_loss(A, B, P, margin=0.5),
        np.mean(np.maximum(np.linalg.norm(A - B, axis=1) - np.linalg.norm(A - P, axis=1) + 0.5, 0)),
    ),
    "gaussian": (
        nn.gaussian_nll_loss(A, B, P),
        np.mean(np.log(P) / 2 + (A - B) ** 2 / (2 * P)),
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses_equal_their_formulas(name):
    loss, formula = LOSSES[name]
    # The triplet distance has an offset of 1e-6 in each component, as PyTorch's.
    np.testing.assert_allclose(loss, formula, rtol=1e-5 if name == "triplet" else 1e-12)


def test_ctc_sums_over_all_alignments():
    logits = RANDOM.normal(size=(1, 3, 3))
    p = np.exp(logits[0]) / np.exp(logits[0]).sum(1, keepdims=True)
    # "1" in three frames, with blanks (0) around: 110 011 111 100 010 001.
    paths = [(1, 1, 0), (0, 1, 1), (1, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    total = sum(np.prod([p[t, c] for t, c in enumerate(path)]) for path in paths)
    loss = nn.ctc_loss(logits, np.array([[1]]), np.array([3]), np.array([1]))
    np.testing.assert_allclose(loss, -np.log(total), rtol=1e-10)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: nn.mse_loss(A, B[:, :1]), r"must have one shape; got \(6, 4\) and \(6, 1\)"),
        (lambda: nn.mse_loss(A, B, reduction="average"), "`reduction` is .* got 'average'"),
        (lambda: nn.cross_entropy(A, CLASSES[:5]), r"without the axis of .*\(6,\); got \(5,\)"),
    ],
)
def test_shapes_and_options_that_do_not_fit_are_refused(make, text):
    with pytest.raises(ValueError, match=text):
        make()
