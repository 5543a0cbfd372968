"""What a person sees of a training: a bar in terminals and notebooks, else lines if wanted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

# show(epochs done, batches done, batches of an epoch, figures)
Show = Callable[[int, int, int | None, Mapping[str, Any]], None]


@contextmanager
def display(wanted: bool | None, epochs: int) -> Iterator[Show]:
    """A function that shows where a training of so many epochs is, while it goes on."""
    if wanted is None and _in_notebook():
        yield _notebook(epochs)
    elif wanted is None and sys.stderr.isatty():
        with _bar(epochs) as show:
            yield show
    elif wanted:
        yield _lines(epochs)
    else:
        yield lambda *moment: None


def describe(figures: Mapping[str, Any]) -> str:
    """Figures in one line: "loss 0.12, validation_accuracy 0.97"."""
    real = {
        name: float(value)
        for name, value in figures.items()
        if name not in ("epoch", "step", "seconds") and getattr(value, "ndim", 0) == 0
    }
    return ", ".join(f"{name} {value:.4g}" for name, value in real.items())


def _share(epoch: int, batch: int, batches: int | None) -> float:
    return epoch + (batch / batches if batches else 0)


def _lines(epochs: int) -> Show:
    def show(epoch: int, batch: int, batches: int | None, figures: Mapping[str, Any]) -> None:
        if not batch:
            sys.stderr.write(f"epoch {epoch} of {epochs}: {describe(figures)}\n")
            sys.stderr.flush()

    return show


@contextmanager
def _bar(epochs: int) -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("epoch {task.fields[epoch]}"),
        BarColumn(bar_width=20),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[numbers]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=epochs, epoch=1, numbers="")

        def show(epoch: int, batch: int, batches: int | None, figures: Mapping[str, Any]) -> None:
            numbers, done = describe(figures), _share(epoch, batch, batches)
            bar.update(task, completed=done, epoch=min(epoch + 1, epochs), numbers=numbers)

        yield show


def _notebook(epochs: int) -> Show:
    from IPython.display import Markdown
    from IPython.display import display as show_now

    handle = show_now(Markdown(""), display_id=True)

    def show(epoch: int, batch: int, batches: int | None, figures: Mapping[str, Any]) -> None:
        done = round(24 * _share(epoch, batch, batches) / max(epochs, 1))
        bar = f"`{'█' * done}{'░' * (24 - done)}`"
        handle.update(Markdown(f"{bar} epoch {min(epoch + 1, epochs)}: {describe(figures)}"))

    return show


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"
