"""How equations, conditions and data are weighed against each other while a network trains.

A balance is a value; `PINN(balance=...)` takes one, or several that act one after the other, as
`(GradientNorms(), Causal())`. Weights hold for `every` steps and are renewed between, so that the
loss is one fixed function for as long and each balance goes with each optimizer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from diffcore import nn
from equations.symbols import is_time

from .ansatz import Trial
from .objective import balanced_weights
from .terms import Batch, Term, bundles, evaluate


class Weights(NamedTuple):
    """Weights of squared residuals: of the rows of each term, (rows,), and of its points, (n,);
    `memory` is what a balance remembers."""

    rows: tuple[jax.Array, ...]
    points: tuple[jax.Array, ...]
    memory: tuple[Any, ...] = ()

    def on(self, batches: Sequence[Batch]) -> tuple[Batch, ...]:
        """The batches with the weights of their points in the factors of the residuals."""
        pairs = zip(batches, self.points, strict=True)
        return tuple(b._replace(factors=b.factors * jnp.sqrt(w)) for b, w in pairs)

    def in_words(self) -> str:
        """The weights of rows, and how far those of points spread, for the log."""
        rows = ", ".join(f"{w:.2g}" for own in self.rows for w in np.asarray(own))
        spread = max(float(jnp.max(p) / jnp.min(p)) for p in self.points)
        return f"weights {rows}" + (f", of points 1 to {spread:.2g}" if spread > 1 else "")


class Moment(NamedTuple):
    """What a balance sees of a run: terms, trial functions and the points of the terms."""

    terms: tuple[Term, ...]
    trial: Trial
    batches: tuple[Batch, ...]
    key: Any


@dataclass(frozen=True)
class Balance:
    """The weights of a run: as they are at the start.

    `every`: steps for which weights hold, None for all. `weighs_points`: whether it weighs single
    points; `keeps_points`: and remembers them, so that they are not drawn anew.
    """

    every: int | None = None
    weighs_points = keeps_points = False

    def __post_init__(self) -> None:
        if self.every is not None and self.every < 1:
            name = type(self).__name__
            raise ValueError(
                f"`every` of {name} is a number of steps, 1 or more; got {self.every}."
            )

    def start(self, weights: Weights, moment: Moment) -> Weights:
        """The weights before the first step; by default those that let all rows learn at the
        same rate."""
        return weights

    def renew(self, weights: Weights, moment: Moment) -> Weights:
        """The weights of the next `every` steps."""
        return weights


@dataclass(frozen=True)
class Fixed(Balance):
    """The same weight for all rows of a kind."""

    equation: float = 1.0
    condition: float = 1.0
    data: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("equation", "condition", "data"):
            if not getattr(self, name) > 0:
                raise ValueError(f"`{name}` of Fixed must be above 0; got {getattr(self, name)}.")

    def start(self, weights: Weights, moment: Moment) -> Weights:
        pairs = zip(moment.terms, weights.rows, strict=True)
        return weights._replace(
            rows=tuple(jnp.full_like(w, getattr(self, t.kind)) for t, w in pairs)
        )


@dataclass(frozen=True)
class TangentKernel(Balance):
    """All rows of equations and conditions learn at the same rate: weights in inverse proportion to
    the trace of the neural tangent kernel. The default, with `every=None`: measured at the start.

    Source: Wang, Yu & Perdikaris, J. Comput. Phys. 449 (2022) 110768.
    """

    def renew(self, weights: Weights, moment: Moment) -> Weights:
        found = balanced_weights(moment.terms, moment.trial, moment.key)
        return weights._replace(rows=tuple(map(jnp.asarray, found)))


@dataclass(frozen=True)
class GradientNorms(Balance):
    """All rows pull the parameters with gradients of the same norm: a moving average of the sum of
    all norms divided by the row's own.

    Arguments:
        momentum: share of the weights before in the new ones.

    Source: Wang, Teng & Perdikaris, SIAM J. Sci. Comput. 43 (2021) A3055-A3081, with norms as in
    Wang, Sankaran, Wang & Perdikaris, arXiv:2308.08468.
    """

    every: int | None = 100
    momentum: float = 0.9

    def start(self, weights: Weights, moment: Moment) -> Weights:
        return self._mixed(weights, moment, 0.0)

    def renew(self, weights: Weights, moment: Moment) -> Weights:
        return self._mixed(weights, moment, self.momentum)

    def _mixed(self, weights: Weights, moment: Moment, kept: float) -> Weights:
        batches = weights.on(moment.batches)
        norms: dict[int, jax.Array] = {}
        for bundle in bundles(moment.terms):
            own = tuple(moment.terms[i] for i in bundle), tuple(batches[i] for i in bundle)
            found = _gradient_norms(own[0], moment.trial, own[1])
            norms.update(zip(bundle, _split(found, [weights.rows[i] for i in bundle]), strict=True))
        total = jnp.sum(jnp.concatenate(list(norms.values())))
        pairs = ((w, norms[i]) for i, w in enumerate(weights.rows))
        rows = (jnp.where(n > 0, kept * w + (1 - kept) * total / n, w) for w, n in pairs)
        return weights._replace(rows=tuple(rows))


@dataclass(frozen=True)
class RelativeLosses(Balance):
    """Rows that fall slower than others gain weight (ReLoBRaLo): the softmax of the loss of each
    over that before and over that at the start.

    Arguments:
        temperature: of the softmax; below 1 sharper.
        momentum: share of the weights before in the new ones.
        look_back: share of the comparison with the last weights in place of that with the start;
            the published method throws a coin with these odds.

    Source: Bischof & Kraus, Comput. Methods Appl. Mech. Eng. 439 (2025) 117914.
    """

    every: int | None = 100
    temperature: float = 0.1
    momentum: float = 0.9
    look_back: float = 0.99

    def start(self, weights: Weights, moment: Moment) -> Weights:
        losses = self._losses(weights, moment)
        rows = tuple(map(jnp.ones_like, weights.rows))
        return weights._replace(rows=rows, memory=(losses, losses))

    def renew(self, weights: Weights, moment: Moment) -> Weights:
        losses, (first, last) = self._losses(weights, moment), weights.memory
        kept = self.look_back * jnp.concatenate(weights.rows)
        past = kept + (1 - self.look_back) * self._shares(losses, first)
        new = self.momentum * past + (1 - self.momentum) * self._shares(losses, last)
        return weights._replace(rows=tuple(_split(new, weights.rows)), memory=(first, losses))

    def _losses(self, weights: Weights, moment: Moment) -> jax.Array:
        found = _residuals(moment.terms, moment.trial, weights.on(moment.batches))
        return jnp.concatenate([jnp.mean(r**2, axis=0) for r in found])

    def _shares(self, losses: jax.Array, before: jax.Array) -> jax.Array:
        tiny = jnp.finfo(losses.dtype).tiny
        return len(losses) * jax.nn.softmax(losses / (self.temperature * before + tiny))


@dataclass(frozen=True)
class ResidualAttention(Balance):
    """Points whose residual stays large gain weight: at each step a share of the residual, relative
    to the largest, is added to a decaying memory.

    Arguments:
        rate: share that one step adds.
        decay: of the memory in one step; weights stay below (rate / (1 - decay)) squared.

    Source: Anagnostopoulos, Toscano, Stergiopulos & Karniadakis, Comput. Methods Appl. Mech. Eng.
    421 (2024) 116805; weights enter by their square, as there.
    """

    every: int | None = 10
    rate: float = 0.01
    decay: float = 0.999
    weighs_points = keeps_points = True

    def renew(self, weights: Weights, moment: Moment) -> Weights:
        kept = self.decay ** (self.every or 1)
        gain = self.rate * (1 - kept) / (1 - self.decay)
        sizes = _sizes(moment, weights)
        pairs = zip(weights.points, sizes, strict=True)
        points = ((kept * jnp.sqrt(w) + gain * s / _largest(s)) ** 2 for w, s in pairs)
        return weights._replace(points=tuple(points))


@dataclass(frozen=True)
class SelfAdaptive(Balance):
    """Weights of points climb the loss that the network descends: they only grow, fastest where the
    residual is large.

    Arguments:
        rate: of the ascent in one step, for residuals of their own mean square.

    Source: McClenny & Braga-Neto, J. Comput. Phys. 474 (2023) 111722, with the square as mask.
    """

    every: int | None = 10
    rate: float = 1e-3
    weighs_points = keeps_points = True

    def renew(self, weights: Weights, moment: Moment) -> Weights:
        steps = self.rate * (self.every or 1)
        squares = [s**2 for s in _sizes(moment, weights)]
        mean = sum(jnp.mean(s) for s in squares)
        pairs = zip(weights.points, squares, strict=True)
        return weights._replace(points=tuple(w * (1 + 2 * steps * s / mean) ** 2 for w, s in pairs))


@dataclass(frozen=True)
class Causal(Balance):
    """Equations count late only where they hold early: the weight of a time is the exponential of
    minus what is left at all times before it.

    Arguments:
        pieces: of time that share a weight.
        tolerances: the factors of what is left; from one the run goes to the next when all weights
            are above 0.99.

    Source: Wang, Sankaran & Perdikaris, Comput. Methods Appl. Mech. Eng. 421 (2024) 116813.
    """

    every: int | None = 50
    pieces: int = 32
    tolerances: tuple[float, ...] = (0.01, 0.1, 1.0, 10.0, 100.0)
    weighs_points = True

    def start(self, weights: Weights, moment: Moment) -> Weights:
        if all(_time_column(t) is None for t in moment.terms):
            raise ValueError("`Causal` weighs times; the problem has none.")
        return self.renew(weights._replace(memory=(jnp.zeros(()),)), moment)

    def renew(self, weights: Weights, moment: Moment) -> Weights:
        (stage,) = weights.memory
        factor = jnp.asarray(self.tolerances)[stage.astype(int)]
        ones = weights._replace(points=tuple(map(jnp.ones_like, weights.points)))
        sizes, points = _sizes(moment, ones), list(ones.points)
        for i, term in enumerate(moment.terms):
            if term.kind == "equation":
                column = moment.batches[i].points[:, _time_column(term)]
                points[i] = self._in_order(column, sizes[i] ** 2, factor)
        least = min(jnp.min(p) for p in points)
        stage = jnp.where(least > 0.99, jnp.minimum(stage + 1, len(self.tolerances) - 1), stage)
        return weights._replace(points=tuple(points), memory=(stage,))

    def _in_order(self, times: jax.Array, squares: jax.Array, factor: jax.Array) -> jax.Array:
        first, last = jnp.min(times), jnp.max(times)
        place = jnp.clip((times - first) / (last - first) * self.pieces, 0, self.pieces - 1)
        piece = place.astype(int)
        count = jnp.zeros(self.pieces).at[piece].add(1.0)
        means = jnp.zeros(self.pieces).at[piece].add(squares) / jnp.maximum(count, 1)
        before = jnp.cumsum(means) - means
        return jnp.exp(-factor * before)[piece]


def begin(balances: Sequence[Balance], rows: Sequence[Any], moment: Moment) -> Weights:
    """The weights before the first step, from those of the rows that let all learn at the same
    rate."""
    ones = tuple(jnp.ones(len(b.points)) for b in moment.batches)
    weights, memories = Weights(tuple(map(jnp.asarray, rows)), ones), []
    for own in balances:
        weights = own.start(weights._replace(memory=()), moment)
        memories.append(weights.memory)
    return weights._replace(memory=tuple(memories))


def renewed(balances: Sequence[Balance], weights: Weights, moment: Moment, steps: int) -> Weights:
    """The weights after so many steps: renewed by the balances whose turn it is."""
    memories: list[Any] = list(weights.memory)
    for i, own in enumerate(balances):
        if own.every and steps % own.every == 0:
            weights = own.renew(weights._replace(memory=memories[i]), moment)
            memories[i] = weights.memory
    return weights._replace(memory=tuple(memories))


def moved(balances: Sequence[Balance], weights: Weights, moment: Moment) -> Weights:
    """The weights on points drawn anew."""
    weights = weights._replace(points=tuple(jnp.ones(len(b.points)) for b in moment.batches))
    memories = weights.memory
    for i, own in enumerate(balances):
        if own.weighs_points:
            weights = own.renew(weights._replace(memory=memories[i]), moment)
    return weights._replace(memory=memories)


def _time_column(term: Term) -> int | None:
    axes = enumerate(term.compiled.coordinates)
    return next((i for i, c in axes if is_time(c)), None)


def _split(numbers: jax.Array, like: Sequence[jax.Array]) -> list[jax.Array]:
    """The numbers in pieces as long as those of `like`."""
    return jnp.split(numbers, np.cumsum([len(piece) for piece in like])[:-1])


def _largest(sizes: jax.Array) -> jax.Array:
    return jnp.maximum(jnp.max(sizes), jnp.finfo(sizes.dtype).tiny)


def _sizes(moment: Moment, weights: Weights) -> list[jax.Array]:
    """The weighed residual of each point, (n,) for each term, without the weights of points."""
    found = _residuals(moment.terms, moment.trial, moment.batches)
    pairs = zip(weights.rows, found, strict=True)
    return [jnp.sqrt(jnp.sum(w * r**2, axis=-1)) for w, r in pairs]


def _residuals(terms: Sequence[Term], trial: Trial, batches: Sequence[Batch]) -> list[jax.Array]:
    found: dict[int, jax.Array] = {}
    for bundle in bundles(terms):
        own = tuple(terms[i] for i in bundle), trial, tuple(batches[i] for i in bundle)
        found.update(zip(bundle, _evaluated(*own), strict=True))
    return [found[i] for i in range(len(terms))]


_evaluated = eqx.filter_jit(evaluate)


@eqx.filter_jit
def _gradient_norms(terms: Sequence[Term], trial: Trial, batches: Sequence[Batch]) -> jax.Array:
    """The norms (rows,) of the gradients of the mean squared residuals of all rows."""
    vector, unflatten = nn.flatten_parameters(trial)

    def losses(vector: jax.Array) -> jax.Array:
        found = evaluate(terms, unflatten(vector), batches)
        return jnp.concatenate([jnp.mean(r**2, axis=0) for r in found])

    value, pull = jax.vjp(losses, vector)
    return jax.lax.map(lambda row: jnp.linalg.norm(pull(row)[0]), jnp.eye(len(value)))
