"""Batches made ahead by threads or processes, handed out in their order."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import jax
import numpy as np

from diffcore.precision import default_dtype, precision


class Workers:
    """Threads or processes that make the batches `batches.get(epoch, number)`."""

    def __init__(self, batches: Any, count: int, processes: bool):
        self._pool, self._get = (_processes if processes else _threads)(batches, count)

    def ordered(self, epoch: int, numbers: range, ahead: int) -> Iterator[Any]:
        """An iterator over the batches with these numbers, `ahead` of them under way."""
        waiting: deque = deque()
        dtype = default_dtype().name  # JAX keeps its precision for each thread
        try:
            for number in numbers:
                waiting.append(self._pool.submit(self._get, dtype, epoch, number))
                if len(waiting) > ahead:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _threads(batches: Any, count: int) -> tuple[Executor, Callable]:
    def get(dtype: str, epoch: int, number: int) -> Any:
        with precision(dtype):
            return batches.get(epoch, number)

    return ThreadPoolExecutor(count, "batches"), get


def _processes(batches: Any, count: int) -> tuple[Executor, Callable]:
    # Not forked: JAX has threads of its own, and a fork of them may wait forever.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, context, initializer=_start, initargs=(batches,)), _get


_own: list[Any] = []  # the batches of this worker process


def _start(batches: Any) -> None:
    jax.config.update("jax_platforms", "cpu")  # the accelerator belongs to the one that trains
    _own[:] = [batches]


def _get(dtype: str, epoch: int, number: int) -> Any:
    with precision(dtype):
        return jax.tree.map(np.asarray, _own[0].get(epoch, number))
