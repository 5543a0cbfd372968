"""Batches of a dataset: what a training loop iterates over, and resumes in the middle of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from diffcore.data.dataset import Dataset, _check_callable, in_memory
from diffcore.data.random import Words, key_of, key_words
from diffcore.data.workers import Workers


@dataclass(frozen=True, eq=False)
class Batches:
    """A dataset in batches, as made by `dataset.batch(size)`.

    Iterating gives the batches of the first epoch; `epoch(e)` those of another one, `stream()` one
    epoch after the other with a state to resume from.
    """

    dataset: Dataset
    size: int
    last: str = "keep"
    maps: tuple[tuple[Callable[..., Any], Words | None], ...] = ()
    ahead: int = 0
    workers: int = 1
    processes: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, (int, np.integer)):
            raise TypeError(f"`size` of a batch is a whole number; got {self.size!r}.")
        if self.size < 1:
            raise ValueError(f"`size` of a batch is at least 1; got {self.size}.")
        if self.last not in ("keep", "drop"):
            raise ValueError(f'`last` is "keep" or "drop"; got {self.last!r}.')

    def __len__(self) -> int:
        n = len(self.dataset)
        return n // self.size if self.last == "drop" else -(-n // self.size)

    def map(self, f: Callable[..., Any], *, key: Any = None) -> Batches:
        """The batches f(batch), or f(batch, key) with a key for each batch if `key` is given."""
        _check_callable(f)
        words = None if key is None else key_words(key)
        return replace(self, maps=(*self.maps, (f, words)))

    def prefetch(self, ahead: int = 2, *, workers: int = 1, processes: bool = False) -> Batches:
        """The same batches in the same order, made ahead of use by other threads or processes.

        Arguments:
            ahead: how many batches are made before they are asked for.
            workers: of the threads or processes that make them.
            processes: whether they are processes, for maps that are slow in Python. Functions must
                be such that `pickle` can send them, and the script needs the usual
                `if __name__ == "__main__":`. In workers JAX runs on the CPU.
        """
        if ahead < 1 or workers < 1:
            raise ValueError(f"`ahead` and `workers` are at least 1; got {ahead} and {workers}.")
        return replace(self, ahead=max(ahead, workers), workers=workers, processes=processes)

    def get(self, epoch: int, number: int) -> Any:
        """The batch with this number in this epoch."""
        start = number * self.size
        stop = min(start + self.size, len(self.dataset))
        batch = self.dataset.read(epoch, np.arange(start, stop))
        for f, words in self.maps:
            batch = f(batch) if words is None else f(batch, key_of(words, epoch, number))
        return batch

    def epoch(self, epoch: int = 0, start: int = 0) -> Iterator[Any]:
        """An iterator over the batches of an epoch, from number `start` on."""
        numbers = range(start, len(self))
        if not self.ahead:
            return (self.get(epoch, number) for number in numbers)
        return self._workers.ordered(epoch, numbers, self.ahead)

    @cached_property
    def _workers(self) -> Workers:
        """Started with the first batch, and kept for the next epoch."""
        return Workers(replace(self, ahead=0), self.workers, self.processes)

    def __iter__(self) -> Iterator[Any]:
        return self.epoch()

    def stream(self, state: dict[str, int] | None = None) -> Stream:
        """An endless iterator, epoch after epoch; its `state` resumes it after the last batch.

        Example:
            >>> from diffcore import data
            >>> batches = data.arrays(np.arange(6)).shuffle(0).batch(2)
            >>> stream = batches.stream()
            >>> _ = next(stream), next(stream)
            >>> stream.state
            {'epoch': 0, 'batch': 2, 'batches': 3}
            >>> rest = batches.stream(stream.state)
            >>> bool((next(rest) == next(stream)).all())
            True
        """
        return Stream(self, state)

    def rows(self, epoch: int) -> tuple[Any, np.ndarray] | None:
        """(arrays, row numbers (batches, size)) of the full batches that are rows of arrays in
        memory, or None if batches are made otherwise."""
        found = None if self.maps or self.ahead else in_memory(self.dataset, epoch)
        if found is None:
            return None
        tree, numbers = found
        full = len(numbers) // self.size
        return tree, numbers[: full * self.size].reshape(full, self.size)


class Stream:
    """The batches of one epoch after the other, with a `state` that JSON can hold."""

    def __init__(self, batches: Batches, state: dict[str, int] | None = None):
        if not len(batches):
            raise ValueError("there are no batches: the dataset is empty, or smaller than one.")
        self._batches = batches
        self._epoch, self._number = 0, 0
        if state is not None:
            if state.get("batches") != len(batches):
                raise ValueError(
                    f"`state` is of a stream with {state.get('batches')} batches an epoch; here "
                    f"there are {len(batches)}: build the data as before."
                )
            self._epoch, self._number = int(state["epoch"]), int(state["batch"])
        self._iterator = batches.epoch(self._epoch, self._number)

    @property
    def state(self) -> dict[str, int]:
        """Where the next batch is."""
        return {"epoch": self._epoch, "batch": self._number, "batches": len(self._batches)}

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> Any:
        if self._number == len(self._batches):
            self._epoch, self._number = self._epoch + 1, 0
            self._iterator = self._batches.epoch(self._epoch)
        batch = next(self._iterator)
        self._number += 1
        return batch
