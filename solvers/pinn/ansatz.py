"""The trial functions of a physics-informed network: from network outputs to the unknown fields.

Fields of the same coordinates share one network (a `Branch`). A field is a linear differential
operator of the branch's *potentials*, in most cases the identity: a solenoidal velocity is the curl
of a stream function, a complex field is real plus i times imaginary part. A potential is
`lift(x) + distance(x) * scale * network(x)`, so that conditions can hold by construction, or the
exponential of that where the field is positive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from sympy.core.function import AppliedUndef

import diffcore
from equations import Functional

from . import many

Orders = tuple[int, ...]


@dataclass(frozen=True)
class Potential:
    """One output of a branch. `lift` and `distance` are functions of a point (d,) or None; `scale`
    is the size of the field; `positive` puts it through an exponential."""

    lift: Callable | None = None
    distance: Callable | None = None
    scale: float = 1.0
    positive: bool = False

    def __call__(self, x: jax.Array, raw: jax.Array) -> jax.Array:
        value = self.scale * raw
        if self.distance is not None:
            value = value * self.distance(x)
        if self.lift is not None:
            value = value + self.lift(x)
        return jnp.exp(value) if self.positive else value


@dataclass(frozen=True)
class Share:
    """A term of a field: `coefficient` times the derivative `orders` of potential `index`."""

    index: int
    orders: Orders
    coefficient: complex = 1


class Branch(eqx.Module):
    """Fields of the same coordinates and the network that carries them.

    `columns`: where the coordinates stand among those of the problem. `lower`, `upper`: box that is
    mapped to [-1, 1] in front of the network. `shares`: how each field is made of potentials.
    `exact_sums`: False estimates long sums of derivatives in many dimensions (`many`)."""

    network: Callable
    columns: tuple[int, ...] = eqx.field(static=True)
    lower: tuple[float, ...] = eqx.field(static=True)
    upper: tuple[float, ...] = eqx.field(static=True)
    potentials: tuple[Potential, ...] = eqx.field(static=True)
    shares: tuple[tuple[AppliedUndef, tuple[Share, ...]], ...] = eqx.field(static=True)
    exact_sums: bool = eqx.field(static=True, default=True)

    def outputs(self, x: jax.Array) -> jax.Array:
        """All potentials at a point of the branch's own coordinates: (d,) to (potentials,)."""
        lower, upper = jnp.asarray(self.lower, x.dtype), jnp.asarray(self.upper, x.dtype)
        raw = self.network((2 * x - (lower + upper)) / (upper - lower))
        return jnp.stack([p(x, raw[i]) for i, p in enumerate(self.potentials)])

    def values(self, functionals: Sequence[Functional], points: jax.Array) -> list[jax.Array]:
        """One array (n,) for each functional of this branch's fields, in one Taylor pass."""
        shares = dict(self.shares)
        requests: dict[tuple, int] = {}
        recipes = []
        for functional in functionals:
            recipe = []
            for share in shares[functional.field]:
                terms = tuple(
                    (tuple(a + b for a, b in zip(orders, share.orders, strict=True)), c)
                    for orders, c in functional.terms
                )
                place = requests.setdefault(terms, len(requests))
                recipe.append((place, share.index, share.coefficient))
            recipes.append(recipe)
        asked, local = [dict(terms) for terms in requests], points[:, jnp.array(self.columns)]
        evaluate = diffcore.operators(self.outputs, asked)
        if many.applies(asked, len(self.columns)):
            evaluate = partial(many.derivatives, self.outputs, asked, exact=self.exact_sums)
        numbers = jax.vmap(evaluate)(local)  # one (n, potentials) for each request
        return [sum(c * numbers[place][:, i] for place, i, c in recipe) for recipe in recipes]


@dataclass(frozen=True)
class Unknown:
    """A number to identify: `initial + scale * raw`, or `initial * exp(raw)` where positive."""

    name: str
    initial: float
    positive: bool

    def value(self, raw: jax.Array) -> jax.Array:
        if self.positive:
            return self.initial * jnp.exp(raw)
        return self.initial + max(abs(self.initial), 1.0) * raw


class Trial(eqx.Module):
    """Everything that is trained: the branches and the numbers to identify."""

    branches: tuple[Branch, ...]
    raw: dict[str, jax.Array]
    unknowns: tuple[Unknown, ...] = eqx.field(static=True)

    def jets(self, functionals: Sequence[Functional], points: jax.Array) -> list[jax.Array]:
        """The values of functionals at points (n, d): what every method supplies."""
        values: list[Any] = [None] * len(functionals)
        for branch in self.branches:
            own = {field for field, _ in branch.shares}
            places = [i for i, f in enumerate(functionals) if f.field in own]
            if places:
                found = branch.values([functionals[i] for i in places], points)
                for i, value in zip(places, found, strict=True):
                    values[i] = value
        return values

    def exact(self) -> Trial:
        """The same with exact sums of derivatives."""
        branches = tuple(replace(b, exact_sums=True) for b in self.branches)
        return replace(self, branches=branches)

    def parameters(self) -> Mapping[str, jax.Array]:
        """The numbers to identify, by name."""
        return {u.name: u.value(self.raw[u.name]) for u in self.unknowns}
