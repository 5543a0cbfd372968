"""Losses with torch's names, formulas and options.

Each takes the prediction first, then the target, and reduces all values by `reduction`: "mean",
"sum" or "none". A prediction and a target of different shapes are refused, not broadcast.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax


def _reduced(values: jax.Array, reduction: str, weights: Any = None) -> jax.Array:
    if reduction == "none":
        return values
    if reduction == "sum":
        return jnp.sum(values)
    if reduction == "mean":
        return jnp.mean(values) if weights is None else jnp.sum(values) / jnp.sum(weights)
    raise ValueError(f'`reduction` is "mean", "sum" or "none"; got {reduction!r}.')


def _pair(prediction: Any, target: Any) -> tuple[jax.Array, jax.Array]:
    prediction, target = jnp.asarray(prediction), jnp.asarray(target)
    if prediction.shape != target.shape:
        raise ValueError(
            "`prediction` and `target` must have one shape; "
            f"got {prediction.shape} and {target.shape}."
        )
    return prediction, target


def _modulus2(x: jax.Array) -> jax.Array:
    return jnp.real(x) ** 2 + jnp.imag(x) ** 2 if jnp.iscomplexobj(x) else x * x


def mse_loss(prediction: jax.Array, target: jax.Array, *, reduction: str = "mean") -> jax.Array:
    """Returns |prediction - target|², also of complex numbers.

    Example:
        >>> float(mse_loss(jnp.array([1.0, 2.0]), jnp.array([1.0, 4.0])))
        2.0
    """
    a, b = _pair(prediction, target)
    return _reduced(_modulus2(a - b), reduction)


def l1_loss(prediction: jax.Array, target: jax.Array, *, reduction: str = "mean") -> jax.Array:
    """Returns |prediction - target|."""
    a, b = _pair(prediction, target)
    return _reduced(jnp.abs(a - b), reduction)


def huber_loss(
    prediction: jax.Array, target: jax.Array, *, delta: float = 1.0, reduction: str = "mean"
) -> jax.Array:
    """Returns d²/2 where d = |prediction - target| is at most `delta`, else delta (d - delta/2)."""
    a, b = _pair(prediction, target)
    d = jnp.abs(a - b)
    near = jnp.minimum(d, delta)
    return _reduced(near * (d - near / 2), reduction)


def smooth_l1_loss(
    prediction: jax.Array, target: jax.Array, *, beta: float = 1.0, reduction: str = "mean"
) -> jax.Array:
    """Returns huber_loss(delta=beta) / beta: it has slope 1 far away."""
    return huber_loss(prediction, target, delta=beta, reduction=reduction) / beta


def relative_l2(prediction: jax.Array, target: jax.Array, *, reduction: str = "mean") -> jax.Array:
    """Returns ‖prediction - target‖ / ‖target‖ for each sample, the first axis."""
    a, b = _pair(prediction, target)
    axes = tuple(range(1, a.ndim))
    ratio = jnp.sum(_modulus2(a - b), axes) / jnp.sum(_modulus2(b), axes)
    safe = jnp.where(ratio > 0, ratio, 1)
    return _reduced(jnp.where(ratio > 0, jnp.sqrt(safe), 0), reduction)


def cross_entropy(
    logits: jax.Array,
    target: jax.Array,
    *,
    weight: Any = None,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    axis: int = -1,
    reduction: str = "mean",
) -> jax.Array:
    """Returns -Σ_c p_c log softmax(logits)_c, with p the target's distribution.

    Arguments:
        logits: scores of the classes along `axis` (the last by default; torch has 1).
        target: whole numbers, the classes, without that axis; or probabilities, of the same shape
            as the logits.
        weight: of each class; the mean over classes given by number divides by their weights' sum.
        ignore_index: a class number that marks places to leave out.
        label_smoothing: part of p that is spread evenly over all classes.

    Source: Szegedy et al., Rethinking the inception architecture (2016), section 7 for smoothing.

    Example:
        >>> logits = jnp.log(jnp.array([[0.5, 0.25, 0.25], [0.2, 0.2, 0.6]]))
        >>> print(f"{cross_entropy(logits, jnp.array([0, 2])):.4f}")
        0.6020
    """
    logits, target = jnp.moveaxis(jnp.asarray(logits), axis, -1), jnp.asarray(target)
    classes = logits.shape[-1]
    log_p = jax.nn.log_softmax(logits, axis=-1)
    w = jnp.ones(classes, log_p.dtype) if weight is None else jnp.asarray(weight, log_p.dtype)
    if not jnp.issubdtype(target.dtype, jnp.integer):
        target = jnp.moveaxis(target, axis, -1)
        _pair(logits, target)
        p = target * (1 - label_smoothing) + label_smoothing / classes
        return _reduced(-jnp.sum(w * p * log_p, axis=-1), reduction)
    own = _own_class(log_p * w, target, ignore_index, axis)
    spread = -jnp.sum(w * log_p, axis=-1)
    values = (1 - label_smoothing) * own + label_smoothing / classes * spread
    weights = _weights(w, target, ignore_index)
    return _reduced(jnp.where(target == ignore_index, 0, values), reduction, weights)


def nll_loss(
    log_probabilities: jax.Array,
    target: jax.Array,
    *,
    weight: Any = None,
    ignore_index: int = -100,
    axis: int = -1,
    reduction: str = "mean",
) -> jax.Array:
    """Returns minus the log-probability of the class `target`; arguments as `cross_entropy`."""
    log_p, target = jnp.moveaxis(jnp.asarray(log_probabilities), axis, -1), jnp.asarray(target)
    if not jnp.issubdtype(target.dtype, jnp.integer):
        raise TypeError(f"`target` must be class numbers; got {target.dtype}.")
    w = jnp.ones(log_p.shape[-1], log_p.dtype) if weight is None else jnp.asarray(weight)
    values = _own_class(log_p * w, target, ignore_index, axis)
    return _reduced(values, reduction, _weights(w, target, ignore_index))


def _own_class(scores: jax.Array, target: jax.Array, ignore: int, axis: int) -> jax.Array:
    """Minus the score of each target's class, 0 where it is ignored, NaN where there is none."""
    if scores.shape[:-1] != target.shape:
        raise ValueError(
            f"`target` of class numbers must have the shape of the prediction without the axis of "
            f"the classes, `axis={axis}`: {scores.shape[:-1]}; got {target.shape}."
        )
    index = jnp.where(target == ignore, 0, target)
    picked = jnp.take_along_axis(scores, index[..., None], axis=-1, mode="fill")[..., 0]
    return jnp.where(target == ignore, 0, jnp.where(index < 0, jnp.nan, -picked))


def _weights(w: jax.Array, target: jax.Array, ignore: int) -> jax.Array:
    return jnp.where(target == ignore, 0, w.at[target].get(mode="clip"))


def binary_cross_entropy(
    probability: jax.Array, target: jax.Array, *, weight: Any = None, reduction: str = "mean"
) -> jax.Array:
    """Returns -(t log p + (1 - t) log(1 - p)), logarithms not below -100 as in torch."""
    p, t = _pair(probability, target)
    log = lambda x: jnp.maximum(jnp.log(x), -100)  # noqa: E731
    values = -(t * log(p) + (1 - t) * log(1 - p))
    return _reduced(values if weight is None else values * weight, reduction)


def binary_cross_entropy_with_logits(
    logits: jax.Array,
    target: jax.Array,
    *,
    weight: Any = None,
    positive_weight: Any = None,
    reduction: str = "mean",
) -> jax.Array:
    """Returns `binary_cross_entropy` of sigmoid(logits), without loss of digits.

    Arguments:
        positive_weight: factor of the term with t, above 1 for the recall of rare positives.
    """
    x, t = _pair(logits, target)
    positive = -t * jax.nn.log_sigmoid(x)
    positive = positive if positive_weight is None else positive * positive_weight
    values = positive - (1 - t) * jax.nn.log_sigmoid(-x)
    return _reduced(values if weight is None else values * weight, reduction)


def kl_div(
    log_probability: jax.Array,
    target: jax.Array,
    *,
    log_target: bool = False,
    reduction: str = "mean",
) -> jax.Array:
    """Returns t (log t - log p), the terms of the divergence of p from t.

    Arguments:
        log_target: whether `target` is log t.
        reduction: also "batchmean", the sum over the length of the first axis: the divergence.
    """
    log_p, t = _pair(log_probability, target)
    if log_target:
        values = jnp.exp(t) * (t - log_p)
    else:
        values = jnp.where(t > 0, t * (jnp.log(jnp.where(t > 0, t, 1)) - log_p), 0)
    if reduction == "batchmean":
        return jnp.sum(values) / values.shape[0]
    return _reduced(values, reduction)


def cosine_similarity(a: jax.Array, b: jax.Array, *, axis: int = -1) -> jax.Array:
    """Returns a · b / (|a| |b|), norms not below 1e-8."""
    return jnp.sum(a * b, axis) / (_norm(a, axis) * _norm(b, axis))


def _norm(x: jax.Array, axis: int) -> jax.Array:
    return jnp.sqrt(jnp.maximum(jnp.sum(x * x, axis), 1e-16))


def cosine_embedding_loss(
    first: jax.Array,
    second: jax.Array,
    target: jax.Array,
    *,
    margin: float = 0.0,
    reduction: str = "mean",
) -> jax.Array:
    """Returns 1 - cos(first, second) where target is 1, max(0, cos - margin) where it is -1."""
    cosine = cosine_similarity(first, second)
    values = jnp.where(target > 0, 1 - cosine, jnp.maximum(cosine - margin, 0))
    return _reduced(values, reduction)


def triplet_margin_loss(
    anchor: jax.Array,
    positive: jax.Array,
    negative: jax.Array,
    *,
    margin: float = 1.0,
    power: float = 2.0,
    swap: bool = False,
    reduction: str = "mean",
) -> jax.Array:
    """Returns max(0, d(anchor, positive) - d(anchor, negative) + margin), d the p-norm.

    Arguments:
        swap: whether d(positive, negative) counts if it is less than d(anchor, negative).

    Source: Balntas et al., Learning local feature descriptors with triplets and shallow
    convolutional neural networks (2016).
    """

    def distance(a: jax.Array, b: jax.Array) -> jax.Array:
        return jnp.sum(jnp.abs(a - b + 1e-6) ** power, axis=-1) ** (1 / power)  # torch's 1e-6

    far = distance(anchor, negative)
    far = jnp.minimum(far, distance(positive, negative)) if swap else far
    return _reduced(jnp.maximum(distance(anchor, positive) - far + margin, 0), reduction)


def gaussian_nll_loss(
    mean: jax.Array, target: jax.Array, variance: jax.Array, *, reduction: str = "mean"
) -> jax.Array:
    """Returns (log v + (mean - target)² / v) / 2, with v the variance but at least 1e-6."""
    a, b = _pair(mean, target)
    v = jnp.maximum(variance, 1e-6)
    return _reduced(0.5 * (jnp.log(v) + (a - b) ** 2 / v), reduction)


def ctc_loss(
    logits: jax.Array,
    targets: jax.Array,
    lengths: jax.Array,
    target_lengths: jax.Array,
    *,
    blank: int = 0,
    reduction: str = "mean",
) -> jax.Array:
    """Returns -log P(targets | logits) of connectionist temporal classification.

    Arguments:
        logits: (batch, time, classes).
        targets: (batch, labels), class numbers.
        lengths, target_lengths: (batch,), how many times and labels count.
        reduction: "mean" first divides by the number of labels, as torch does.

    Source: Graves et al., Connectionist temporal classification (2006), eq. (8).
    """
    logits, targets = jnp.asarray(logits), jnp.asarray(targets)
    lengths, target_lengths = jnp.asarray(lengths), jnp.asarray(target_lengths)
    beyond = jnp.arange(logits.shape[1]) >= lengths[:, None]
    no_label = jnp.arange(targets.shape[1]) >= target_lengths[:, None]
    values = optax.ctc_loss(
        logits, beyond.astype(logits.dtype), targets, no_label.astype(logits.dtype), blank_id=blank
    )
    if reduction == "mean":
        values = values / jnp.maximum(target_lengths, 1)
    return _reduced(values, reduction)
