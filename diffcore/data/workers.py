"""Batches made ahead by threads or processes, handed out in their order."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import jax
import numpy as np

from diffcore.precision import default_dtype, precision


def ordered(
    batches: Any, epoch: int, numbers: range, ahead: int, workers: int, processes: bool
) -> Iterator[Any]:
    """An iterator over `batches.get(epoch, number)`, `ahead` of them under way."""
    pool, get = _processes(batches, workers) if processes else _threads(batches, workers)
    waiting: deque = deque()
    try:
        for number in numbers:
            waiting.append(pool.submit(get, epoch, number))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=processes, cancel_futures=True)


def _threads(batches: Any, workers: int) -> tuple[Executor, Any]:
    # JAX keeps its precision for each thread.
    return ThreadPoolExecutor(workers, "batches"), precision(default_dtype().name)(batches.get)


def _processes(batches: Any, workers: int) -> tuple[Executor, Any]:
    # Not forked: JAX has threads of its own, and a fork of them may wait forever.
    context = multiprocessing.get_context("spawn")
    arguments = (batches, default_dtype().name)
    return ProcessPoolExecutor(workers, context, initializer=_start, initargs=arguments), _get


_own: list[Any] = []  # the batches and the data type of this worker process


def _start(batches: Any, dtype: str) -> None:
    jax.config.update("jax_platforms", "cpu")  # the accelerator belongs to the one that trains
    _own[:] = [batches, dtype]


def _get(epoch: int, number: int) -> Any:
    batches, dtype = _own
    with precision(dtype):
        return jax.tree.map(np.asarray, batches.get(epoch, number))
