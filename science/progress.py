"""What a person sees of a run: a bar in terminals and notebooks, else lines now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TextIO

from solvers import Progress
from solvers.report import duration

LINE_SECONDS = 5.0  # between two lines where there is no bar
LEAST_FRACTION = 0.005  # of a run from which the time left is foretold: first steps are no measure


class Display(Protocol):
    """Shows moments of a run and messages."""

    def show(self, progress: Progress) -> None:
        """A moment of the run."""

    def say(self, message: str) -> None:
        """A sentence, once."""


@contextmanager
def display(wanted: bool | None = None) -> Iterator[Display]:
    """The display that fits where we run, while a run goes on.

    Arguments:
        wanted: None shows a bar in terminals and notebooks and lines elsewhere, all on the standard
            error; True shows lines even there; False shows nothing.
    """
    if wanted is False:
        yield _Nothing()
    elif wanted is None and _in_notebook():
        yield _Notebook()
    elif wanted is None and sys.stderr.isatty():
        bar = _Bar()
        try:
            yield bar
        finally:
            bar.close()
    else:
        yield _Lines(sys.stderr)


def describe(progress: Progress) -> str:
    """A moment in one line: phase, step, loss, error estimate, share done, time left."""
    return f"{progress.phase}: {_numbers(progress)}, {_time_left(progress)}"


def _numbers(progress: Progress) -> str:
    parts = []
    if progress.loss is not None:
        parts.append(f"loss {progress.loss:.2e}")
    if progress.error_estimate is not None:
        parts.append(f"error estimate {progress.error_estimate:.2e}")
    parts.append(f"step {progress.step}")
    if progress.message:
        parts.append(progress.message)
    return ", ".join(parts)


def _time_left(progress: Progress) -> str:
    if not LEAST_FRACTION <= progress.fraction < 1:
        return f"{progress.fraction:.0%}"
    left = progress.seconds * (1 - progress.fraction) / progress.fraction
    return f"{progress.fraction:.0%}, {duration(round(left))} left"


class _Nothing:
    def show(self, progress: Progress) -> None:
        pass

    def say(self, message: str) -> None:
        pass


class _Lines:
    """A line every few seconds, and one whenever the phase changes."""

    def __init__(self, stream: TextIO):
        self.stream = stream
        self.phase, self.last = "", -float("inf")

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.phase != self.phase or now - self.last >= LINE_SECONDS:
            self.phase, self.last = progress.phase, now
            self.say(describe(progress))

    def say(self, message: str) -> None:
        self.stream.write(f"{message}\n")
        self.stream.flush()


class _Bar:
    """Rich's bar, which appears with the first moment."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress
        from rich.table import Column

        self.bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=10),
            TextColumn("{task.fields[left]}", table_column=Column(no_wrap=True, min_width=15)),
            TextColumn("[dim]{task.fields[numbers]}", table_column=Column(no_wrap=True)),
            console=Console(stderr=True),
        )
        self.task: Any = None

    def show(self, progress: Progress) -> None:
        fields: dict[str, Any] = {"numbers": _numbers(progress), "left": _time_left(progress)}
        if self.task is None:
            self.bar.start()
            self.task = self.bar.add_task(progress.phase, total=1.0, **fields)
        self.bar.update(
            self.task, description=progress.phase, completed=progress.fraction, **fields
        )

    def say(self, message: str) -> None:
        self.bar.console.print(message, highlight=False)

    def close(self) -> None:
        self.bar.stop()


class _Notebook:
    """One line under the cell, rewritten at most twice a second."""

    def __init__(self) -> None:
        self.handle: Any = None
        self.last = -float("inf")

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self.last >= 0.5 or progress.fraction >= 1:
            self.last = now
            done = round(24 * min(progress.fraction, 1.0))
            self._write(f"`{'█' * done}{'░' * (24 - done)}` {describe(progress)}")

    def say(self, message: str) -> None:
        self._write(message)

    def _write(self, text: str) -> None:
        from IPython.display import Markdown
        from IPython.display import display as show

        if self.handle is None:
            self.handle = show(Markdown(text), display_id=True)
        else:
            self.handle.update(Markdown(text))


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"
