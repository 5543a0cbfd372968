"""What a running method tells the outside world and gets back: progress and checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Target:
    """When a run may stop: at an estimated relative error, or after so many seconds."""

    tolerance: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Progress:
    """A moment of a run. `fraction` is of the whole run, 0 to 1; unknown values are None."""

    phase: str
    step: int
    loss: float | None
    seconds: float
    fraction: float
    error_estimate: float | None = None
    message: str = ""


class Monitor(Protocol):
    """Receives progress and checkpoints; hands back the last checkpoint of an unfinished run."""

    def report(self, progress: Progress) -> None:
        """Called some times a second at most."""

    def checkpoint(self, state: Any) -> None:
        """`state` is a pytree of arrays from which the run can go on exactly."""

    def restore(self, like: Any) -> Any | None:
        """The last checkpoint, in the structure of `like`, or None if there is none.

        Where `like` is None, it comes as plain dictionaries, lists and arrays."""


class Silent:
    """A monitor that does nothing."""

    def report(self, progress: Progress) -> None:
        pass

    def checkpoint(self, state: Any) -> None:
        pass

    def restore(self, like: Any) -> Any | None:
        return None
