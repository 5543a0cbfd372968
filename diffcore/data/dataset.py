"""Datasets of records by number, and the steps that reorder and change them.

Everything is random access: a step maps numbers of records, or the records, and nothing is read
before it is asked for. The order of an epoch is a function of its number, so that a run resumes
in the middle of an epoch from two integers, and threads or processes cannot change what comes out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from diffcore.data.random import key_of, key_words, permutation, uniform

if TYPE_CHECKING:
    from diffcore.data.batches import Batches

Numbers = np.ndarray


class Dataset(ABC):
    """Records by number: pytrees of arrays, which `read` stacks along a new first axis."""

    @abstractmethod
    def __len__(self) -> int:
        """The number of records of an epoch."""

    @abstractmethod
    def read(self, epoch: int, numbers: Numbers) -> Any:
        """The records with these numbers in this epoch, stacked."""

    def __getitem__(self, number: int) -> Any:
        """One record of the first epoch."""
        n = len(self)
        if not -n <= number < n:
            raise IndexError(f"there are {n} records; got number {number}.")
        return jax.tree.map(lambda a: a[0], self.read(0, np.array([number % n])))

    def map(self, f: Callable[..., Any], *, key: Any = None) -> Dataset:
        """The dataset of f(record), called in Python for each record.

        Arguments:
            f: of a record, and of a random key if `key` is given.
            key: an int or a JAX key; each record of each epoch gets a key of its own.

        Notes: What is batched is faster mapped after `batch`.
        """
        _check_callable(f)
        return _Mapped(self, f, None if key is None else key_words(key))

    def shuffle(self, key: Any) -> Dataset:
        """The dataset in a random order, another one for each epoch."""
        return _Reordered(self, len(self), _Shuffle(key_words(key)))

    def sample(self, weights: Any, *, key: Any, count: int | None = None) -> Dataset:
        """A dataset of records drawn with replacement, anew for each epoch, with these odds.

        Arguments:
            weights: one number for each record, not negative; need not add up to one.
            count: of the draws; by default as many as there are records.

        Example:
            >>> from diffcore import data
            >>> rare = data.arrays([0, 1, 2]).sample([0.0, 1.0, 0.0], key=0, count=4)
            >>> [int(record) for record in rare.records()]
            [1, 1, 1, 1]
        """
        odds = np.asarray(weights, float)
        if odds.shape != (len(self),) or not (odds >= 0).all() or not 0 < odds.sum() < np.inf:
            raise ValueError(
                f"`weights` needs {len(self)} numbers, not negative and not all zero; got shape "
                f"{odds.shape}" + (f" from {odds.min()} to {odds.max()}." if odds.size else ".")
            )
        count = len(self) if count is None else _count("count", count)
        return _Reordered(self, count, _Draw(key_words(key), odds.cumsum() / odds.sum(), count))

    def take(self, count: int) -> Dataset:
        """The first `count` records, or all if there are fewer."""
        return self._part(0, min(_count("count", count), len(self)))

    def split(self, size: float | int, *, key: Any = None) -> tuple[Dataset, Dataset]:
        """Two datasets without common records, the first with `size` of them.

        Arguments:
            size: a number of records, or a share between 0 and 1.
            key: divides at random, and the same in all epochs; without it the first records make
                the first part.

        Example:
            >>> from diffcore import data
            >>> train, test = data.arrays(np.arange(10)).split(0.8, key=0)
            >>> len(train), len(test)
            (8, 2)
        """
        n = len(self)
        share = isinstance(size, float)
        first = round(size * n) if share and 0 <= size <= 1 else size
        if not isinstance(first, (int, np.integer)) or not 0 <= first <= n:
            raise ValueError(
                f"`size` is a share from 0.0 to 1.0 or a number of records up to {n}; got {size!r}."
            )
        if key is None:
            return self._part(0, int(first)), self._part(int(first), n)
        order = permutation(key_words(key), 0, n)
        return tuple(
            _Reordered(self, len(part), _Fixed(part)) for part in (order[:first], order[first:])
        )  # type: ignore[return-value]

    def shard(self, index: int | None = None, count: int | None = None) -> Dataset:
        """Every `count`-th record, from number `index` on: the share of one of `count` processes.

        By default of this process among those of `jax.distributed`. All shares have the same
        length, so that no process waits for another: up to count - 1 records are left out.
        """
        index = jax.process_index() if index is None else index
        count = jax.process_count() if count is None else count
        if not 0 <= index < count:
            raise ValueError(f"`shard(index, count)` needs 0 <= index < count; got {index, count}.")
        return _Reordered(self, len(self) // count, _Stride(index, count))

    def batch(self, size: int, *, last: str = "keep") -> Batches:
        """The records in batches.

        Arguments:
            size: records of a batch.
            last: "keep" or "drop" the last batch if it is smaller.
        """
        from diffcore.data.batches import Batches

        return Batches(self, size, last)

    def records(self, epoch: int = 0):
        """An iterator over the records, one by one."""
        for number in range(len(self)):
            yield jax.tree.map(lambda a: a[0], self.read(epoch, np.array([number])))

    def _part(self, start: int, stop: int) -> Dataset:
        return _Reordered(self, stop - start, _Shift(start))


@dataclass(frozen=True, eq=False)
class Arrays(Dataset):
    """Records that lie in memory: the rows of a pytree of arrays."""

    tree: Any
    length: int

    def __len__(self) -> int:
        return self.length

    def read(self, epoch: int, numbers: Numbers) -> Any:
        return jax.tree.map(lambda a: a[numbers], self.tree)


def arrays(*trees: Any) -> Dataset:
    """A dataset whose records are the rows of arrays: (images[i], labels[i]).

    Arguments:
        trees: arrays or pytrees of arrays, of one length. Of a single one the records are its
            rows, of several they are tuples.

    Example:
        >>> from diffcore import data
        >>> points, values = np.zeros((5, 2)), np.ones(5)
        >>> [x.shape for x, y in data.arrays(points, values).batch(3)]
        [(3, 2), (2, 2)]
    """
    if not trees:
        raise TypeError("`arrays` needs at least one array; got none.")
    tree = jax.tree.map(_as_array, trees[0] if len(trees) == 1 else trees, is_leaf=_is_list)
    shapes = [a.shape for a in jax.tree.leaves(tree)]
    if not shapes or () in shapes or len({shape[0] for shape in shapes}) > 1:
        raise ValueError(
            f"`arrays` needs arrays with first axes of one length, the records; got {shapes}."
        )
    return Arrays(tree, shapes[0][0])


def _is_list(node: Any) -> bool:
    return isinstance(node, list)


def _as_array(leaf: Any) -> np.ndarray:
    array = np.asarray(leaf)
    if array.dtype.kind not in "biufcV":
        raise TypeError(
            f"`arrays` needs numbers; got {array.dtype}: number the classes, for example by "
            "np.unique(labels, return_inverse=True)."
        )
    return array


@dataclass(frozen=True, eq=False)
class Records(Dataset):
    """Records that are made one by one: `make(number)`, such as from files."""

    make: Callable[[int], Any]
    length: int
    classes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.length

    def read(self, epoch: int, numbers: Numbers) -> Any:
        return stack([self.make(int(number)) for number in numbers])


def records(make: Callable[[int], Any], count: int) -> Dataset:
    """A dataset of the records make(0), make(1), ..., make(count - 1), made when they are read.

    Arguments:
        make: a function of the number that returns a pytree of numbers and arrays, of the same
            shapes each time. For worker processes it must be one that `pickle` can send.
    """
    _check_callable(make)
    return Records(make, _count("count", count))


def stack(items: Sequence[Any]) -> Any:
    """The records along a new first axis."""
    try:
        return jax.tree.map(lambda *leaves: np.stack(leaves), *items)
    except ValueError as error:
        shapes = sorted({str(jax.tree.map(np.shape, item)) for item in items})
        raise ValueError(
            f"the records of a batch must have the same shapes; got {'; '.join(shapes[:4])}: crop, "
            "pad or resize them by `.map(...)` before `.batch(...)`."
        ) from error


@dataclass(frozen=True, eq=False)
class _Mapped(Dataset):
    parent: Dataset
    function: Callable[..., Any]
    words: tuple[int, int] | None

    def __len__(self) -> int:
        return len(self.parent)

    def read(self, epoch: int, numbers: Numbers) -> Any:
        together = self.parent.read(epoch, numbers)
        rows = [jax.tree.map(lambda a, i=i: a[i], together) for i in range(len(numbers))]
        if self.words is None:
            return stack([self.function(row) for row in rows])
        keys = [key_of(self.words, epoch, int(number)) for number in numbers]
        return stack([self.function(row, key) for row, key in zip(rows, keys, strict=True)])


@dataclass(frozen=True, eq=False)
class _Reordered(Dataset):
    """Other numbers for the same records: `order(epoch, numbers, n)` gives the parent's."""

    parent: Dataset
    length: int
    order: Callable[[int, Numbers, int], Numbers]

    def __len__(self) -> int:
        return self.length

    def read(self, epoch: int, numbers: Numbers) -> Any:
        return self.parent.read(epoch, self.numbers(epoch, numbers))

    def numbers(self, epoch: int, numbers: Numbers) -> Numbers:
        return self.order(epoch, numbers, len(self.parent))


@dataclass(frozen=True)
class _Shuffle:
    words: tuple[int, int]

    def __call__(self, epoch: int, numbers: Numbers, n: int) -> Numbers:
        return permutation(self.words, epoch, n)[numbers]


@dataclass(frozen=True, eq=False)
class _Draw:
    words: tuple[int, int]
    cumulative: np.ndarray
    count: int

    def __call__(self, epoch: int, numbers: Numbers, n: int) -> Numbers:
        draws = uniform(self.words, epoch, self.count)[numbers]
        drawn = np.searchsorted(self.cumulative, draws, side="right")
        return np.minimum(drawn, n - 1)


@dataclass(frozen=True)
class _Shift:
    start: int

    def __call__(self, epoch: int, numbers: Numbers, n: int) -> Numbers:
        return numbers + self.start


@dataclass(frozen=True)
class _Stride:
    index: int
    count: int

    def __call__(self, epoch: int, numbers: Numbers, n: int) -> Numbers:
        return numbers * self.count + self.index


@dataclass(frozen=True, eq=False)
class _Fixed:
    order: np.ndarray

    def __call__(self, epoch: int, numbers: Numbers, n: int) -> Numbers:
        return self.order[numbers]


def in_memory(dataset: Dataset, epoch: int) -> tuple[Any, Numbers] | None:
    """(tree of arrays, numbers of its rows in the order of the epoch), None if records change."""
    numbers = np.arange(len(dataset))
    while isinstance(dataset, _Reordered):
        numbers, dataset = dataset.numbers(epoch, numbers), dataset.parent
    return (dataset.tree, numbers) if isinstance(dataset, Arrays) else None


def _check_callable(f: Any) -> None:
    if not callable(f):
        raise TypeError(f"a function is needed; got {type(f).__name__} {f!r}.")


def _count(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise ValueError(f"`{name}` needs a whole number, not negative; got {value!r}.")
    return int(value)
