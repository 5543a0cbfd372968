"""Scripts that state and solve problems, run with their calls of `solve` answered from outside.

An example is a plain script: it states a problem, calls `solve` and looks at the result. The
command line runs that same script, once, and answers its first call of `solve` with other settings
(another folder, `--set method.width=64`), or stops there to check the statement. So an example
needs no flags and no second form for the command line, and the tests run it in a small form.
"""

from __future__ import annotations

import ast
import dataclasses
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equations import Problem
from solvers import Solution, choose

from .running import STEERING, Call, run


@dataclass(frozen=True)
class Outcome:
    """What a script left: its names, and the solutions of its calls of `solve` in order."""

    names: Mapping[str, Any]
    solutions: tuple[Solution, ...]
    calls: tuple[Call, ...]


class SettingError(ValueError):
    """A setting from outside does not fit the call of `solve`."""


class _Stopped(Exception):
    """The script reached its first `solve`, and nobody wants to know more."""


@dataclass
class _Steering:
    """Answers the calls of `solve` of one script."""

    change: Callable[[Call], Call]
    calls: list[Call] = field(default_factory=list)
    solutions: list[Solution] = field(default_factory=list)

    def __call__(self, call: Call) -> Any:
        call = self.change(call) if not self.calls else call
        self.calls.append(call)
        found = run(call)
        self.solutions.extend(found if isinstance(found, tuple) else (found,))
        return found


def run_script(path: Path, change: Callable[[Call], Call] = lambda call: call) -> Outcome:
    """Run a script as Python would, with the first call of `solve` changed by `change`.

    A script that defines `problem` (and `method`, if it likes) and solves nothing is solved.
    """
    steering = _Steering(change)
    with _steered(steering):
        names = _execute(path)
        if not steering.calls:
            steering(Call(_problem_in(names, path), names.get("method")))
    return Outcome(names, tuple(steering.solutions), tuple(steering.calls))


def statement(path: Path) -> Problem:
    """The problem of a script, which runs up to its first call of `solve`."""
    found: list[Any] = []

    def stop(call: Call) -> Solution:
        found.append(call.problem)
        raise _Stopped

    with _steered(stop):
        try:
            return _problem_in(_execute(path), path)
        except _Stopped:
            return _problem_in({"problem": found[0]}, path)


def setting(call: Call, path: str, value: str) -> Call:
    """The call with one setting changed, as `setting(call, "method.width", "64")`.

    Raises:
        SettingError for a path that names nothing, with the names there are, and for values of
        another kind.
    """
    names = path.split(".")
    if names[0] != "method" or len(names) < 2:
        raise SettingError(f"`--set {path}`: settings are those of the method, as method.width=64.")
    method = choose(call.problem)[0] if call.method is None else call.method
    return dataclasses.replace(call, method=_changed(method, names[1:], value, path))


def _changed(thing: Any, names: list[str], value: str, path: str) -> Any:
    fields = [f.name for f in dataclasses.fields(thing)] if dataclasses.is_dataclass(thing) else []
    if names[0] not in fields:
        there = ", ".join(fields) or "no settings"
        raise SettingError(f"`--set {path}`: {type(thing).__name__} has {there}.")
    old = getattr(thing, names[0])
    new = _changed(old, names[1:], value, path) if len(names) > 1 else _value(value, old, path)
    return dataclasses.replace(thing, **{names[0]: new})


def _value(text: str, old: Any, path: str) -> Any:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = text
    if isinstance(old, float) and type(value) is int:
        value = float(value)
    if old is not None and type(value) is not type(old):
        wanted, got = type(old).__name__, type(value).__name__
        raise SettingError(f"`--set {path}={text}`: needs {wanted} like {old!r}; got {got}.")
    return value


@contextmanager
def _steered(answer: Callable[[Call], Solution]) -> Iterator[None]:
    token = STEERING.set(answer)
    try:
        yield
    finally:
        STEERING.reset(token)


def _execute(path: Path) -> dict[str, Any]:
    """The names of the script after it ran as `python path` does."""
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        return runpy.run_path(str(path), run_name="__main__")
    finally:
        sys.path.pop(0)


def _problem_in(names: Mapping[str, Any], path: Path) -> Problem:
    problem = names.get("problem")
    if not isinstance(problem, Problem):
        raise ValueError(f"{path} neither calls `solve` nor defines `problem = Problem(...)`.")
    return problem
