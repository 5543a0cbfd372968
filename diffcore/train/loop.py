"""Steps in compiled programs: one at a time, or many in a loop where the data lie in memory.

A body is a pure function (constants, carry, batch) ↦ carry. Its carry is handed to the program as a
list of arrays, whose memory the next carry takes over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

_RESIDENT = 1 << 30  # bytes of data that are kept on the device


class Packed(NamedTuple):
    """A pytree as its arrays, and all the rest of it."""

    leaves: list[jax.Array]
    form: Any


def pack(tree: Any) -> Packed:
    """The pytree as a list of arrays and a form."""
    arrays, rest = eqx.partition(tree, eqx.is_array)
    leaves, structure = jax.tree.flatten(arrays)
    return Packed(leaves, (structure, rest))


def unpack(packed: Packed) -> Any:
    """The pytree again."""
    structure, rest = packed.form
    return eqx.combine(jax.tree.unflatten(structure, packed.leaves), rest)


class Loop:
    """A body, compiled for carries (and constants) of one form."""

    def __init__(self, body: Callable[[Any, Any, Any], Any], constants: Any, carry: Any):
        fixed, form = pack(constants).form, pack(carry).form

        def step(constants: list, leaves: list, batch: Any) -> list:
            before = unpack(Packed(leaves, form))
            after = pack(body(unpack(Packed(constants, fixed)), before, batch)).leaves
            _check_same(before, leaves, after)
            return after

        def pick(arrays: Any, row: jax.Array) -> Any:
            return jax.tree.map(lambda a: a.at[row].get(mode="promise_in_bounds"), arrays)

        def one(constants: list, leaves: list, arrays: Any, rows: Any, i: Any) -> list:
            return step(constants, leaves, pick(arrays, rows[i]))

        def many(
            constants: list, leaves: list, arrays: Any, rows: Any, start: Any, stop: Any
        ) -> list:
            following = lambda i, leaves: one(constants, leaves, arrays, rows, i)  # noqa: E731
            return jax.lax.fori_loop(start, stop, following, leaves)

        # How a batch that was just made, or those in rows of arrays in memory, move the carry.
        self.batch = jax.jit(step, donate_argnums=1)
        self._one = jax.jit(one, donate_argnums=1)
        self._many = jax.jit(many, donate_argnums=1)
        self._program = one
        self._has_slow_loop: bool | None = None

    def is_slow_inside(self, constants: list, leaves: list, arrays: Any, rows: Any) -> bool:
        """Whether a loop around the step would slow it down: on the CPU, XLA's convolutions inside
        of loops take several times as long. The answer depends on the program alone, so that a
        training that is resumed runs the same program."""
        if self._has_slow_loop is None:
            program = jax.make_jaxpr(self._program)(constants, leaves, arrays, rows, 0)
            on_cpu = jax.default_backend() == "cpu"
            self._has_slow_loop = on_cpu and "conv_general_dilated" in str(program)
        return self._has_slow_loop

    def rows(
        self, constants: list, leaves: list, arrays: Any, rows: Any, start: int, stop: int
    ) -> list:
        """The carry after the batches arrays[rows[start]], ..., arrays[rows[stop - 1]]."""
        if start == stop:
            return leaves
        if not self.is_slow_inside(constants, leaves, arrays, rows):
            limits = np.int32(start), np.int32(stop)
            return self._many(constants, leaves, arrays, rows, *limits)
        for i in range(start, stop):
            leaves = self._one(constants, leaves, arrays, rows, np.int32(i))
        return leaves


def _check_same(tree: Any, before: list, after: list) -> None:
    kinds = [[(leaf.shape, leaf.dtype) for leaf in leaves] for leaves in (before, after)]
    if kinds[0] == kinds[1]:
        return
    paths = jax.tree_util.tree_flatten_with_path(eqx.filter(tree, eqx.is_array))[0]
    if len(before) != len(after):
        raise TypeError(
            f"a step must keep the structure of its state: {len(before)} arrays went in, "
            f"{len(after)} came out."
        )
    changed = [
        f"{jax.tree_util.keystr(path)} from {a[1]}{a[0]} to {b[1]}{b[0]}"
        for (path, _), a, b in zip(paths, *kinds, strict=True)
        if a != b
    ]
    raise TypeError(f"a step must keep shapes and data types; it changed {'; '.join(changed[:4])}.")


class Resident(NamedTuple):
    """Data on the device: arrays, and the rows of them that make the full batches of an epoch."""

    arrays: Any
    rows: Callable[[int], jax.Array]


def resident(batches: Any) -> Resident | None:
    """The data of batches on the device, or None where they are not in memory, or too large."""
    found = batches.rows(0) if hasattr(batches, "rows") else None
    if found is None or sum(leaf.nbytes for leaf in jax.tree.leaves(found[0])) > _RESIDENT:
        return None

    def rows(epoch: int) -> jax.Array:
        return jnp.asarray(batches.rows(epoch)[1], jnp.int32)

    return Resident(jax.tree.map(jnp.array, found[0]), rows)


class Reiterable:
    """Batches of any iterable that can be iterated again and again, such as a list."""

    def __init__(self, iterable: Any):
        if not hasattr(iterable, "__iter__") or iter(iterable) is iterable:
            raise TypeError(
                "batches come from dataset.batch(size), or from what can be iterated again and "
                f"again, such as a list; got {type(iterable).__name__}."
            )
        self.iterable = iterable

    @property
    def count(self) -> int | None:
        """How many batches there are, if that is known."""
        return len(self.iterable) if hasattr(self.iterable, "__len__") else None

    def epoch(self, epoch: int = 0, start: int = 0) -> Iterator[Any]:
        """The batches from number `start` on; an epoch is like the other."""
        from itertools import islice

        return islice(iter(self.iterable), start, None)
