"""`solve` as people call it: with a progress bar and, if asked, a folder that outlives a kill."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import solvers
import solvers.files
from diffcore.devices import is_first_process
from equations import Problem
from solvers import Progress, Solution
from solvers.monitor import Silent

from .folder import SOLUTION, RunFolder, clear, read_configuration
from .progress import Display, display


@dataclass(frozen=True)
class Call:
    """The arguments of one call of `solve`."""

    problem: Any
    method: Any = None
    key: Any = 0
    tolerance: float | None = None
    budget: float | str | None = None
    folder: str | os.PathLike | None = None
    progress: bool | None = None
    fresh: bool = False
    modes: int | None = None


STEERING: ContextVar[Callable[[Call], Solution] | None] = ContextVar("steering", default=None)
"""Who answers the calls of `solve` in a script that the command line runs; see `scripts`."""


def solve(
    problem: Problem,
    method: Any = None,
    *,
    key: Any = 0,
    tolerance: float | None = None,
    budget: float | str | None = None,
    folder: str | os.PathLike | None = None,
    progress: bool | None = None,
    fresh: bool = False,
    modes: int | None = None,
) -> Any:
    """The solution of a problem, by the method given or by the one chosen for it.

    Arguments:
        problem: the statement.
        method: `PINN(...)`, `FiniteElements(...)`; chosen and explained in the report if not given.
        key: int seed or JAX key; the same key gives the same result.
        tolerance: stop at this estimated relative error.
        budget: seconds, or text as "3 min".
        folder: keep log, checkpoints, report, pictures and solution there; the same call goes on
            after a kill and returns a finished run as it is, and another `tolerance` or `budget`
            goes on from its end.
        progress: False shows nothing, True lines instead of a bar.
        fresh: forget what the folder holds.
        modes: of an eigenvalue problem so many solutions, those with the lowest eigenvalues; each
            has a folder `mode_1`, `mode_2`, ... of its own in `folder`.

    Returns:
        the `Solution`; with `modes` a tuple of them in the order of their eigenvalues.

    Raises:
        StatementError listing all errors of the statement; UnsupportedProblem listing why the
        method cannot take it; ValueError for a folder that holds another run. Trouble at run time
        is a `status` of the solution.

    Example:
        solution = solve(problem, folder="runs/cavity"); print(solution.report())
    """
    call = Call(problem, method, key, tolerance, budget, folder, progress, fresh, modes)
    answer = STEERING.get() or run
    return answer(call)


def run(call: Call) -> Any:
    """Carry out a call of `solve`."""
    first = is_first_process()  # of several, the one that speaks and writes
    with display(call.progress if first else False) as shown:
        if call.folder is None or not isinstance(call.problem, Problem):
            return _solved(call, _Monitor(shown))
        if isinstance(call.modes, int) and call.modes > 0:
            return _modes(call, shown)
        if call.fresh:
            clear(Path(call.folder))
        folder = RunFolder(call.folder, call.problem, call.method, call.key)
        target = {"tolerance": call.tolerance, "budget": call.budget}
        finished = folder.finished(target)
        if finished is not None:
            shown.say(f"{folder.path} holds this run, finished; `fresh=True` solves anew.")
            return finished
        if not first:
            return _solved(call, _Follower(folder))
        folder.require_writable()
        monitor = _Monitor(shown, folder, target)
        solution = _solved(call, monitor)
        monitor.begin()
        folder.finish(solution)
        return solution


def _modes(call: Call, shown: Display) -> tuple[Solution, ...]:
    """Several modes, each with a folder of its own."""
    paths = [Path(call.folder) / f"mode_{i + 1}" for i in range(call.modes)]  # type: ignore[arg-type]
    if call.fresh:
        for path in paths:
            clear(path)
    folders = [RunFolder(path, call.problem, call.method, call.key) for path in paths]
    target = {"tolerance": call.tolerance, "budget": call.budget, "modes": call.modes}
    finished = [folder.finished(target) for folder in folders]
    if all(solution is not None for solution in finished):
        shown.say(f"{call.folder} holds these modes, finished; `fresh=True` solves anew.")
        return tuple(finished)  # type: ignore[arg-type]
    folders[0].require_writable()
    solutions = _solved(call, _Monitor(shown))
    for folder, solution in zip(folders, solutions, strict=False):  # a coarse mesh may have less
        folder.begin(target)
        folder.finish(solution)
    return solutions


def load(path: str | os.PathLike) -> Solution:
    """The solution in a run folder, or in an `.npz` file that `solution.save` wrote.

    Raises:
        FileNotFoundError; ValueError for a run that has not finished, and for files that are
        damaged or not ours. Loading executes nothing that a file says.
    """
    path = Path(path)
    if not path.is_dir():
        return solvers.files.load(path)
    if not (path / SOLUTION).exists():
        started = read_configuration(path)
        remedy = "call the same `solve` again to go on." if started else "it is no run folder."
        raise FileNotFoundError(f"`load`: {str(path)!r} holds no finished run; {remedy}")
    return solvers.files.load(path / SOLUTION)


def _solved(call: Call, monitor: _Monitor | _Follower) -> Any:
    return solvers.solve(
        call.problem,
        call.method,
        key=call.key,
        tolerance=call.tolerance,
        budget=call.budget,
        modes=call.modes,
        monitor=monitor,
    )


class _Monitor:
    """Shows progress, logs it and keeps checkpoints. The folder comes into being with the first
    sign of life of the method, so that a refused statement leaves nothing behind."""

    def __init__(self, shown: Display, folder: RunFolder | None = None, target: Any = None):
        self.shown, self.folder, self.target = shown, folder, target
        self.begun = False

    def begin(self) -> None:
        if self.folder is not None and not self.begun:
            self.begun = True
            self.folder.begin(self.target)

    def report(self, progress: Progress) -> None:
        self.shown.show(progress)
        if self.folder is not None:
            self.begin()
            self.folder.log(progress)

    def checkpoint(self, state: Any) -> None:
        if self.folder is not None:
            self.begin()
            self.folder.checkpoint(state)

    def restore(self, like: Any) -> Any | None:
        if self.folder is None:
            return None
        self.begin()
        state = self.folder.restore(like)
        if state is not None:
            self.shown.say(f"going on from the last checkpoint in {self.folder.path}")
        return state


class _Follower(Silent):
    """The monitor of all processes but the first: it only starts where the others do."""

    def __init__(self, folder: RunFolder):
        self.folder = folder

    def restore(self, like: Any) -> Any | None:
        return self.folder.restore(like)
