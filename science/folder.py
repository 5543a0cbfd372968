"""The run folder: what a run leaves on disk, and how it goes on after a kill.

`configuration.json` says what is solved, with what, by which versions; `log.jsonl` has a line for
each moment reported; `checkpoint.npz` is the state from which the run goes on; `solution.npz`,
`solution.vtu`, `report.md`, `report.html` and `pictures/` are written at the end. A folder belongs
to one statement, method and key.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import re
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields, is_dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import jax
import numpy as np

import diffcore
from diffcore import checkpoint
from equations import Problem
from equations.serialize import SerializationError, to_json
from solvers import Progress, Solution
from solvers.files import METHODS, load

CONFIGURATION, SOLUTION, CHECKPOINT = "configuration.json", "solution.npz", "checkpoint.npz"
LOG, PICTURES = "log.jsonl", "pictures"
PRODUCTS = ("solution.vtu", "report.md", "report.html")
CHECKPOINT_SECONDS = 1.0  # at least between two checkpoints
VERSIONS = ("sciml-toolkit", "jax", "numpy", "sympy")


class RunFolder:
    """The folder of one run: a monitor's memory. Nothing is created before the run starts."""

    def __init__(self, path: str | os.PathLike, problem: Problem, method: Any, key: Any):
        self.path = Path(path)
        self.problem, self.method = problem, method
        self.identity = identity(problem, method, key)
        self.written = -math.inf  # when the last checkpoint was, and how long it took
        self.write_seconds = 0.0
        self._refuse_others()

    def _refuse_others(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise ValueError(f"`folder`: {str(self.path)!r} is a file; name a folder.")
        if not self.path.exists() or not any(self.path.iterdir()):
            return
        stored = self.configuration.get("identity")
        if stored is None:
            raise ValueError(
                f"`folder`: {str(self.path)!r} holds other files and no run; name a new folder."
            )
        other = [part for part, mark in self.identity.items() if stored.get(part) != mark]
        if other:
            raise ValueError(
                f"`folder`: {str(self.path)!r} holds a run with another {' and '.join(other)}; "
                "name another folder, or pass `fresh=True` (`--fresh`) to replace that run."
            )

    @property
    def configuration(self) -> dict[str, Any]:
        """What `configuration.json` says; empty if there is none."""
        return read_configuration(self.path)

    def finished(self, target: dict[str, Any]) -> Solution | None:
        """The solution of a run that ended, if it aimed at the same target."""
        stored = self.configuration
        if stored.get("target") != target or not (self.path / SOLUTION).exists():
            return None
        solution = replace(load(self.path / SOLUTION), problem=self.problem)  # which has its law
        if not stored.get("finished"):
            self.finish(solution)
        return solution

    def require_writable(self) -> None:
        """Refuse a folder that cannot hold the run, before anything is computed."""
        place = self.path.absolute()
        nearest = next(p for p in (place, *place.parents) if p.exists())
        try:
            tempfile.TemporaryDirectory(dir=nearest, prefix=".science-").cleanup()
        except OSError as error:
            raise ValueError(
                f"`folder`: {str(self.path)!r} cannot be written ({error.strerror} in "
                f"{str(nearest)!r}); name another folder."
            ) from None

    def begin(self, target: dict[str, Any]) -> None:
        """Create the folder and say what is going to be solved."""
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / SOLUTION).unlink(missing_ok=True)  # of another target
        self._configure(
            identity=self.identity,
            statement=str(self.problem),
            method="chosen by solve" if self.method is None else repr(self.method),
            target=target,
            versions={"python": platform.python_version(), **_versions()},
            device=f"{jax.devices()[0].device_kind}, {os.cpu_count()} processors",
            started=_now(),
            finished=None,
        )

    def log(self, progress: Progress) -> None:
        """Append a moment to the log."""
        moment = {k: v for k, v in asdict(progress).items() if v not in (None, "")}
        moment = {k: str(v) if v != v or v in _ENDLESS else v for k, v in moment.items()}
        with open(self.path / LOG, "a", encoding="utf-8") as file:
            file.write(json.dumps({"time": _now(), **moment}) + "\n")

    def checkpoint(self, state: Any) -> None:
        """Keep the state, if it is time: writing takes at most a twentieth of the run."""
        start = time.monotonic()
        if start - self.written < max(CHECKPOINT_SECONDS, 20 * self.write_seconds):
            return
        checkpoint.save(self.path / CHECKPOINT, state)
        self.written = time.monotonic()
        self.write_seconds = self.written - start

    def restore(self, like: Any) -> Any | None:
        """The last checkpoint, or None."""
        path = self.path / CHECKPOINT
        return checkpoint.load(path, like) if path.exists() else None

    def finish(self, solution: Solution) -> None:
        """Write the solution, then what is made from it; trouble there is a warning."""
        _attempt(SOLUTION, lambda: solution.save(self.path / SOLUTION))
        pictures = self._pictures(solution)
        _attempt("solution.vtu", lambda: solution.save(self.path / "solution.vtu"))
        for name in ("report.md", "report.html"):
            _attempt(name, partial(self._report, solution, name, pictures))
        self._configure(
            method=repr(solution.method),
            status=solution.status.value,
            error_estimate=solution.error_estimate,
            seconds=solution.seconds,
            finished=_now(),
        )

    def _report(self, solution: Solution, name: str, pictures: dict[str, Path]) -> None:
        solution.report().save(self.path / name, pictures)

    def _pictures(self, solution: Solution) -> dict[str, Path]:
        folder = self.path / PICTURES
        folder.mkdir(exist_ok=True)
        found = {}
        for name, draw in _drawings(solution):
            path = folder / f"{file_name(name)}.png"
            if _attempt(path.name, partial(_draw, draw, path)):
                found[name] = path
        return found

    def _configure(self, **entries: Any) -> None:
        path = self.path / CONFIGURATION
        temporary = path.with_suffix(".tmp")
        content = {**self.configuration, **entries}
        temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        os.replace(temporary, path)


def read_configuration(path: Path) -> dict[str, Any]:
    """What the configuration of a run folder says; empty if there is none.

    Raises:
        ValueError for one that is damaged.
    """
    file = path / CONFIGURATION
    if not file.exists():
        return {}
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(content, dict):
            raise ValueError(f"it holds {type(content).__name__}, not the settings of a run")
        return content
    except ValueError as error:
        raise ValueError(f"{str(file)!r} is damaged: {error}; remove the folder.") from error


def clear(path: Path) -> None:
    """Remove what a run left in a folder, if it is one of ours."""
    if read_configuration(path):
        for name in (CONFIGURATION, LOG, CHECKPOINT, SOLUTION, *PRODUCTS):
            (path / name).unlink(missing_ok=True)
        shutil.rmtree(path / PICTURES, ignore_errors=True)


def identity(problem: Problem, method: Any, key: Any) -> dict[str, str]:
    """Marks of statement, method and key, by which a folder knows its run again."""
    number = np.asarray(jax.random.key_data(diffcore.as_key(key))).tolist()
    return {
        "statement": _mark(problem, ("geometry",)),
        "method": "chosen by solve" if method is None else _mark(method, METHODS),
        "key": str(number),
    }


def _mark(value: Any, packages: tuple[str, ...]) -> str:
    try:
        text = json.dumps(to_json(value, packages=packages))
    except SerializationError:  # of the user's own
        text = f"{value} {list(_contents(value))}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _contents(value: Any) -> Iterator[str]:
    """What a value consists of, as text that is the same in every run; functions by their code.
    Fields that do not count in comparisons of a dataclass do not count here."""
    if is_dataclass(value) and not isinstance(value, type):
        yield type(value).__qualname__
        value = [getattr(value, f.name) for f in fields(value) if f.compare]
    if isinstance(value, partial):
        value = (value.func, value.args, value.keywords)
    if isinstance(value, dict):
        value = list(value.items())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _contents(item)
    elif isinstance(value, FunctionType):
        yield value.__qualname__
        yield from _code(value.__code__)
        yield from _contents((value.__defaults__, value.__kwdefaults__))
        enclosed = (cell.cell_contents for cell in value.__closure__ or ())
        yield from _contents([held for held in enclosed if held is not value])
    elif hasattr(value, "__array__"):
        yield str(np.asarray(value).tolist())
    else:
        yield re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def _code(code: CodeType) -> Iterator[str]:
    yield f"{code.co_code.hex()} {code.co_names}"
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant)
        else:
            yield repr(constant)


_ENDLESS = (math.inf, -math.inf)


def _drawings(solution: Solution) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Names and makers of the pictures: the velocity of a flow, each field, the history."""
    from solvers.plot import plot, plot_history

    velocity = getattr(solution.problem.law, "velocity", None)
    if hasattr(velocity, "shape"):  # a vector
        yield "velocity", partial(plot, solution, velocity)
    for field in solution.problem.fields:
        yield field.func.__name__, partial(plot, solution, field)
    if any(len(solution.history.get(name, ())) for name in ("loss", "error_estimate")):
        yield "history", partial(plot_history, solution)


def _draw(draw: Callable[[], Any], path: Path) -> None:
    draw().savefig(path)


def _attempt(name: str, write: Callable[[], Any]) -> bool:
    """Whether it worked: what was computed must not be lost because a file cannot be made."""
    try:
        write()
    except Exception as error:
        warnings.warn(f"{name} was not written: {error}", stacklevel=3)
        return False
    return True


def file_name(text: str) -> str:
    """The text as a part of a file's name."""
    return re.sub(r"[^0-9A-Za-z]+", "_", text).strip("_")


def _versions() -> dict[str, str]:
    found = {}
    for name in VERSIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")
