"""What a training does besides its steps: stop, keep checkpoints, change rates, write logs."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np


class Callback:
    """Something that a training calls; override what you need.

    `every` is a number of steps, after which `step` is called. `memory` and `recall` are what a
    checkpoint keeps of a callback, as JSON.
    """

    every: int | None = None

    def start(self, trainer: Any) -> None:
        """At the start of `fit`."""

    def step(self, trainer: Any) -> None:
        """After each `every` steps."""

    def epoch(self, trainer: Any, logs: Mapping[str, Any]) -> None:
        """After an epoch and its validation, with its figures."""

    def end(self, trainer: Any) -> None:
        """At the end of `fit`, also when it fails."""

    def memory(self) -> Any:
        """What must be known to go on."""
        return None

    def recall(self, memory: Any) -> None:
        """Take over what `memory` gave."""


_LOW = ("loss", "perplexity", "relative_l2", "error")
_HIGH = ("accuracy", "top_", "precision", "recall", "f1", "auc", "r2")


class Best:
    """The best value of a figure so far.

    Arguments:
        monitor: name of the figure in the logs.
        better: "low" or "high"; may be left out for figures that are known.
    """

    def __init__(self, monitor: str, better: str | None, change: float = 0.0):
        if better not in ("low", "high", None):
            raise ValueError(f'`better` is "low" or "high"; got {better!r}.')
        plain = monitor.removeprefix("validation_")
        if better is None and not plain.startswith(_LOW + _HIGH):
            raise ValueError(
                f'`better="low"` or `better="high"` must say which values of {monitor!r} are good.'
            )
        low = plain.startswith(_LOW) if better is None else better == "low"
        self.monitor, self.sign, self.change = monitor, 1 if low else -1, change
        self.value: float | None = None
        self.waited = 0

    def improved(self, logs: Mapping[str, Any]) -> bool:
        """Whether the figure is better than ever; if not, one epoch more was waited."""
        if self.monitor not in logs:
            raise ValueError(
                f"`monitor` {self.monitor!r} is not among the figures {', '.join(logs)}: give "
                '`validation=` to fit, or monitor="loss".'
            )
        new = self.sign * float(logs[self.monitor])
        better = new == new and (self.value is None or new < self.value - self.change)
        self.value = new if better else self.value
        self.waited = 0 if better else self.waited + 1
        return better


class _Watching(Callback):
    watch: Best

    def memory(self) -> Any:
        return [self.watch.value, self.watch.waited]

    def recall(self, memory: Any) -> None:
        self.watch.value, self.watch.waited = memory


class EarlyStopping(_Watching):
    """Ends a training when a figure has not improved for `patience` epochs.

    Arguments:
        monitor: name of the figure.
        change: by how much it must improve to count.
        better: "low" or "high".

    Notes: To go back to the best epoch, keep it: `trainer.restore(checkpoint.best)`.
    """

    def __init__(
        self,
        monitor: str = "validation_loss",
        *,
        patience: int = 10,
        change: float = 0.0,
        better: str | None = None,
    ):
        self.watch, self.patience = Best(monitor, better, change), patience

    def epoch(self, trainer: Any, logs: Mapping[str, Any]) -> None:
        if not self.watch.improved(logs) and self.watch.waited >= self.patience:
            trainer.stop(f"{self.watch.monitor} has not improved for {self.patience} epochs")


class ReduceOnPlateau(_Watching):
    """Multiplies all learning rates by `factor` when a figure has not improved for `patience`
    epochs.

    Arguments:
        monitor, change, better: as in `EarlyStopping`.
        smallest: of the product of all factors.
    """

    def __init__(
        self,
        monitor: str = "validation_loss",
        *,
        factor: float = 0.1,
        patience: int = 10,
        change: float = 0.0,
        smallest: float = 0.0,
        better: str | None = None,
    ):
        if not 0 < factor < 1:
            raise ValueError(f"`factor` lies between 0 and 1; got {factor}.")
        self.watch, self.patience = Best(monitor, better, change), patience
        self.factor, self.smallest = factor, smallest

    def epoch(self, trainer: Any, logs: Mapping[str, Any]) -> None:
        if not self.watch.improved(logs) and self.watch.waited >= self.patience:
            trainer.rate = max(trainer.rate * self.factor, self.smallest)
            self.watch.waited = 0


class Schedule(Callback):
    """Sets the factor of all learning rates by the epoch: factor(epochs done).

    Schedules by the step are part of the optimizer: optim.adam(optim.cosine_decay_schedule(...)).
    """

    def __init__(self, factor: Callable[[int], float]):
        self.factor = factor

    def start(self, trainer: Any) -> None:
        trainer.rate = self.factor(trainer.epoch)

    def epoch(self, trainer: Any, logs: Mapping[str, Any]) -> None:
        trainer.rate = self.factor(trainer.epoch)


class Checkpoint(_Watching):
    """Keeps `last.npz` and `best.npz` in a folder, from which `fit(resume=...)` goes on.

    Arguments:
        folder: made if need be.
        monitor: the figure that says which epoch was best; None keeps the last one only.
        every: steps after which the last one is written; in any case after each epoch.
        better: "low" or "high".
    """

    def __init__(
        self,
        folder: str | os.PathLike,
        monitor: str | None = None,
        *,
        every: int | None = None,
        better: str | None = None,
    ):
        if every is not None and every < 1:
            raise ValueError(f"`every` is at least 1; got {every}.")
        self.last, self.best = Path(folder) / "last.npz", Path(folder) / "best.npz"
        self.watched = monitor is not None
        self.watch = Best(monitor or "loss", better)
        self.every = every

    def start(self, trainer: Any) -> None:
        self.last.parent.mkdir(parents=True, exist_ok=True)

    def step(self, trainer: Any) -> None:
        trainer.save(self.last)

    def epoch(self, trainer: Any, logs: Mapping[str, Any]) -> None:
        improved = self.watched and self.watch.improved(logs)
        trainer.save(self.last)
        if improved:
            trainer.save(self.best)


class Log(Callback):
    """Writes the figures of all epochs to a file: .csv, or .jsonl with a JSON object a line."""

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)
        if self.path.suffix not in (".csv", ".jsonl"):
            raise ValueError(f"`path` of a log ends in .csv or .jsonl; got {self.path.name!r}.")

    def epoch(self, trainer: Any, logs: Mapping[str, Any]) -> None:
        # Written anew each time: a training that was resumed leaves no line twice.
        self.path.parent.mkdir(parents=True, exist_ok=True)
        rows = [
            {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in row.items()}
            for row in trainer.history
        ]
        with open(self.path, "w", newline="", encoding="utf-8") as file:
            if self.path.suffix == ".jsonl":
                file.writelines(json.dumps(row) + "\n" for row in rows)
                return
            names = list(dict.fromkeys(name for row in rows for name in row))
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(rows)
