"""Metrics that add up on the device: three functions, from nothing to a number.

Predictions are scores, such as logits, with the classes on an axis of their own, or, for two
classes, one score for each target, positive for class 1. Targets are class numbers; negative ones
are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from diffcore.nn.losses import cross_entropy
from diffcore.nn.losses import relative_l2 as relative_l2_loss
from diffcore.precision import default_dtype


@dataclass(frozen=True)
class Metric:
    """A figure of predictions and targets, gathered batch by batch.

    Called with predictions and targets it gives the figure of these.

    Attributes:
        name: in the logs.
        start: () ↦ state, a pytree of arrays.
        add: (state, prediction, target) ↦ state.
        value: state ↦ figure.
    """

    name: str
    start: Callable[[], Any]
    add: Callable[[Any, Any, Any], Any]
    value: Callable[[Any], Any]

    def __call__(self, prediction: Any, target: Any) -> Any:
        prediction, target = jax.tree.map(jnp.asarray, (prediction, target))
        return self.value(self.add(self.start(), prediction, target))


def mean_of(name: str, values: Callable[[Any, Any], jax.Array]) -> Metric:
    """The mean of values(prediction, target), an array of one number for each sample, or more."""

    def weighed(prediction: Any, target: Any) -> tuple[jax.Array, jax.Array]:
        found = values(prediction, target)
        return found, jnp.ones(jnp.shape(found), bool)

    return _mean(name, weighed)


def _mean(name: str, values: Callable, final: Callable = lambda mean: mean) -> Metric:
    """final(mean of values where valid), for a function that returns (values, valid)."""

    def start() -> tuple:
        return jnp.zeros((), jnp.int32), jnp.zeros((), default_dtype())

    def add(state: Any, prediction: Any, target: Any) -> tuple:
        found, valid = values(prediction, target)
        new = jnp.sum(valid, dtype=jnp.int32)
        total = state[0] + new
        # A running mean keeps its digits where a running sum would lose them.
        own = jnp.sum(jnp.where(valid, found, 0).astype(state[1].dtype))
        change = (own - new * state[1]) / jnp.maximum(total, 1)
        return total, state[1] + change

    return Metric(name, start, add, lambda state: final(jnp.where(state[0] > 0, state[1], jnp.nan)))


def as_metric(metric: Any) -> Metric:
    """The metric meant by a metric, or by a function of (prediction, target)."""
    if isinstance(metric, Metric):
        return metric
    if not callable(metric):
        raise TypeError(
            "`metrics` are such as train.accuracy, or functions of (prediction, target); got "
            f"{type(metric).__name__} {metric!r}."
        )
    name = getattr(metric, "__name__", type(metric).__name__)
    # The mean of a batch counts once for each sample.
    return mean_of(
        name, lambda p, t: jnp.broadcast_to(metric(p, t), (len(jax.tree.leaves(t)[0]), 1))
    )


def top_k(k: int, *, axis: int = -1) -> Metric:
    """The share of targets among the `k` classes with the highest scores; `axis`: of the classes.

    Example:
        >>> scores = jnp.array([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0]])
        >>> float(top_k(2)(scores, jnp.array([1, 2])))
        0.5
    """

    def values(scores: jax.Array, target: jax.Array) -> tuple[jax.Array, jax.Array]:
        if scores.shape == target.shape:
            return (scores > 0) == (target > 0.5), target >= 0
        scores = jnp.moveaxis(scores, axis, -1)
        _check_classes(scores, target)
        valid = target >= 0
        own = jnp.take_along_axis(scores, jnp.where(valid, target, 0)[..., None], -1)
        # Of equal scores the first counts as higher, as in argmax.
        before = jnp.arange(scores.shape[-1]) < jnp.where(valid, target, 0)[..., None]
        rank = jnp.sum((scores > own) | ((scores == own) & before), axis=-1)
        return rank < k, valid

    return _mean("accuracy" if k == 1 else f"top_{k}", values)


accuracy = top_k(1)
"""The share of targets with the highest score; for classes on another axis `top_k(1, axis=1)`."""


def _check_classes(scores: jax.Array, target: jax.Array) -> None:
    if scores.shape[:-1] != target.shape or not jnp.issubdtype(target.dtype, jnp.integer):
        raise ValueError(
            "metrics of classes need class numbers of the shape of the scores without the axis of "
            f"the classes; got scores {scores.shape}, targets {target.shape} of {target.dtype}."
        )


def _classes(prediction: jax.Array, target: jax.Array, axis: int) -> tuple[jax.Array, jax.Array]:
    if prediction.shape == target.shape:
        return (prediction > 0).astype(jnp.int32), target.astype(jnp.int32)
    scores = jnp.moveaxis(prediction, axis, -1)
    _check_classes(scores, target)
    return jnp.argmax(scores, -1), target


def confusion_matrix(classes: int, *, axis: int = -1) -> Metric:
    """Counts (true class, predicted class).

    Example:
        >>> confusion_matrix(2)(jnp.array([1.0, -1.0, 2.0]), jnp.array([1, 1, 0])).tolist()
        [[0, 1], [1, 1]]
    """
    return _of_confusion("confusion_matrix", classes, axis, lambda matrix: matrix)


def _of_confusion(name: str, classes: int, axis: int, value: Callable) -> Metric:
    if classes < 2:
        raise ValueError(f"`classes` is at least 2; got {classes}.")

    def add(matrix: jax.Array, prediction: Any, target: Any) -> jax.Array:
        predicted, true = _classes(prediction, target, axis)
        valid = ((true >= 0) & (true < classes)).astype(jnp.int32)
        return matrix.at[true.ravel(), predicted.ravel()].add(valid.ravel(), mode="drop")

    return Metric(name, lambda: jnp.zeros((classes, classes), jnp.int32), add, value)


def _rates(name: str, classes: int, average: str, axis: int, rate: Callable) -> Metric:
    if average not in ("macro", "micro", "none"):
        raise ValueError(f'`average` is "macro", "micro" or "none"; got {average!r}.')

    def value(matrix: jax.Array) -> jax.Array:
        hits = jnp.diagonal(matrix)
        predicted, true = jnp.sum(matrix, axis=0), jnp.sum(matrix, axis=1)
        if average == "micro":
            return rate(jnp.sum(hits), jnp.sum(predicted), jnp.sum(true))
        each = rate(hits, predicted, true)
        if classes == 2 and average == "macro":
            return each[1]
        return each if average == "none" else jnp.mean(each)

    return _of_confusion(name, classes, axis, value)


def _ratio(a: jax.Array, b: jax.Array) -> jax.Array:
    return jnp.where(b > 0, a / jnp.maximum(b, 1), 0.0)


def precision(classes: int = 2, *, average: str = "macro", axis: int = -1) -> Metric:
    """The share of the predictions of a class that are right.

    Arguments:
        classes: for two of them the figure of class 1 is given.
        average: for more, "macro" averages the classes, "micro" all samples, "none" neither.
        axis: of the classes.
    """
    return _rates("precision", classes, average, axis, lambda hits, p, t: _ratio(hits, p))


def recall(classes: int = 2, *, average: str = "macro", axis: int = -1) -> Metric:
    """The share of the samples of a class that are found; arguments as `precision`."""
    return _rates("recall", classes, average, axis, lambda hits, p, t: _ratio(hits, t))


def f1(classes: int = 2, *, average: str = "macro", axis: int = -1) -> Metric:
    """The harmonic mean of precision and recall; arguments as `precision`.

    Example:
        >>> float(f1()(jnp.array([1.0, 1.0, -1.0]), jnp.array([1, 0, 1])))
        0.5
    """
    return _rates("f1", classes, average, axis, lambda hits, p, t: _ratio(2 * hits, p + t))


def auc() -> Metric:
    """The area under the receiver operating characteristic: how often a sample of class 1 has a
    higher score than one of class 0.

    Scores are counted in 65536 intervals, those of the leading 16 bits of float32: scores that
    differ by less than 1/128 of their size may count as equal, which is half a hit. Give logits,
    not probabilities, which crowd at 1.

    Example:
        >>> float(auc()(jnp.array([0.1, 0.4, 0.35, 0.8]), jnp.array([0, 0, 1, 1])))
        0.75
    """

    def add(counts: jax.Array, scores: jax.Array, target: jax.Array) -> jax.Array:
        if scores.shape != target.shape:
            raise ValueError(
                "`auc` needs one score for each target, that of class 1; got shapes "
                f"{scores.shape} and {target.shape}."
            )
        valid = (target >= 0).astype(jnp.int32).ravel()
        true = (target > 0.5).astype(jnp.int32).ravel()
        return counts.at[true, _interval(scores.ravel())].add(valid)

    def value(counts: jax.Array) -> jax.Array:
        real = counts.astype(default_dtype())
        negative, positive = real / jnp.maximum(jnp.sum(real, axis=1, keepdims=True), 1)
        below = jnp.cumsum(negative) - negative / 2
        found = jnp.all(jnp.sum(counts, axis=1) > 0)
        return jnp.where(found, jnp.sum(positive * below), jnp.nan)

    return Metric("auc", lambda: jnp.zeros((2, 1 << 16), jnp.int32), add, value)


def _interval(scores: jax.Array) -> jax.Array:
    """The leading bits of a number as an integer that orders like it."""
    bits = jax.lax.bitcast_convert_type(scores.astype(jnp.float32) + 0.0, jnp.uint32)
    ordered = jnp.where(bits >> 31, ~bits, bits | jnp.uint32(1 << 31))
    return (ordered >> 16).astype(jnp.int32)


def r2(outputs: int = 1) -> Metric:
    """1 - Σ (prediction - target)² / Σ (target - mean)², averaged over `outputs` columns."""

    def start() -> tuple:
        zero = jnp.zeros(outputs, default_dtype())
        return jnp.zeros((), jnp.int32), zero, zero, zero

    def add(state: tuple, prediction: jax.Array, target: jax.Array) -> tuple:
        n, mean, spread, error = state
        if prediction.shape != target.shape or target.size % outputs:
            raise ValueError(
                f"`r2` of {outputs} outputs got shapes {prediction.shape} and {target.shape}."
            )
        rows, guess = target.reshape(-1, outputs), prediction.reshape(-1, outputs)
        rows, guess = rows.astype(mean.dtype), guess.astype(mean.dtype)
        count = rows.shape[0]
        own = jnp.mean(rows, axis=0)
        total = n + count
        share = count / total.astype(mean.dtype)  # of whole numbers it would be a float32
        shift = own - mean
        spread = spread + jnp.sum((rows - own) ** 2, axis=0) + shift**2 * (n * share)
        return (
            total,
            mean + shift * share,
            spread,
            error + jnp.sum((guess - rows) ** 2, 0),
        )

    def value(state: tuple) -> jax.Array:
        _, _, spread, error = state
        return jnp.mean(1 - error / jnp.where(spread > 0, spread, jnp.nan))

    return Metric("r2", start, add, value)


def perplexity(*, axis: int = -1) -> Metric:
    """exp of the mean cross entropy of the targets that are not negative."""

    def values(scores: jax.Array, target: jax.Array) -> tuple[jax.Array, jax.Array]:
        valid = target >= 0
        picked = jnp.where(valid, target, 0)
        return cross_entropy(scores, picked, axis=axis, reduction="none"), valid

    return _mean("perplexity", values, jnp.exp)


relative_l2 = mean_of("relative_l2", lambda p, t: relative_l2_loss(p, t, reduction="none"))
"""The mean of ‖prediction - target‖ / ‖target‖ of the samples."""
