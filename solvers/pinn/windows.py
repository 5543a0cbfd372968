"""Time windows: a long time cut into windows that are solved one after the other.

Each window takes over the fields, and the derivatives in time that its equations need, from the end
of the one before, and starts from its parameters. Errors are handed over as well: the estimate of
a window solves for the error with the error of the one before as its initial value, so that growth
from window to window counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import sympy

from diffcore import nn
from equations import Compiled, Condition, Problem, structure
from equations.symbols import is_time
from geometry import Part

from ..monitor import Monitor, Progress, Target
from ..status import Status
from . import estimate
from .ansatz import Trial
from .gauge import DOUBTFUL, Gauge
from .setup import Setup
from .terms import Batch, Term
from .training import State


def reasons_against(problem: Problem) -> tuple[str, ...]:
    """Why time cannot be cut into windows; empty if it can."""
    reasons = []
    if problem.domain.time is None:
        reasons.append("time windows need a time: write the domain as `shape.over(t, a, b)`.")
    elif not _is_product(problem.domain):
        reasons.append("time windows need a shape that stays as it is over time.")
    if any(p.initial is not None for p in problem.parameters):
        reasons.append("time windows cannot share numbers to identify.")
    if any(f.args != problem.coordinates for f in problem.fields):
        reasons.append("time windows need fields of all coordinates.")
    if any("final" in getattr(c.part, "names", ()) for c in problem.conditions):
        reasons.append("time windows need conditions at the start, not at the end.")
    if problem.domain.time is not None and not problem.compile(problem.residuals).is_local:
        reasons.append("time windows need equations that take fields at one point.")
    return tuple(reasons)


def _is_product(domain: Any) -> bool:
    return hasattr(domain, "lower") or hasattr(domain, "start")


def edges(problem: Problem, count: int) -> np.ndarray:
    """The times at which windows start and end, (count + 1,)."""
    _, start, end = problem.domain.time
    return np.linspace(start, end, count + 1)


class Piece(NamedTuple):
    """The problem of a window, and by how much its time lags behind that of the statement."""

    problem: Problem
    lag: float = 0.0


def cut(problem: Problem, count: int) -> list[Piece]:
    """The problem in windows of time. Where nothing in the statement depends on the time itself,
    all windows after the first state the same problem as the second, and share what is compiled.
    """
    times = edges(problem, count)
    pieces = [Piece(during(problem, a, b)) for a, b in itertools.pairwise(times)]
    if count < 3 or _tells_time(pieces[1].problem):
        return pieces
    return [*pieces[:2], *(Piece(pieces[1].problem, t - times[1]) for t in times[2:-1])]


def _tells_time(problem: Problem) -> bool:
    """Whether time stands in equations or conditions other than as a field's argument."""
    conditions = (r for c in problem.conditions for r in c.equation.residuals)
    return any(
        jets.expression.has(c)
        for jets in map(structure.jet_expression, (*problem.residuals, *conditions))
        for c in problem.coordinates
        if is_time(c)
    )


def during(problem: Problem, start: float, end: float) -> Problem:
    """The problem between two times: conditions at the start only where it is the first."""
    domain, (_, first, _) = problem.domain, problem.domain.time
    names = ("start", "end") if hasattr(domain, "start") else ("lower", "upper")
    window = replace(domain, **dict(zip(names, (start, end), strict=True)))
    kept = [c for c in problem.conditions if start == first or not _is_initial(c)]
    conditions = [c for given in kept for c in _moved(given, window)]
    return problem.replace(domain=window, conditions=tuple(conditions), data=())


def _is_initial(condition: Condition) -> bool:
    return "initial" in getattr(condition.part, "names", ())


def _moved(condition: Condition, window: Any) -> Iterator[Condition]:
    part = condition.part
    if isinstance(part, Part):
        yield replace(condition, part=replace(part, shape=window))
    elif part is None or bool(np.all(window.contains(part.sample(1, key=0).points))):
        yield condition


def handed_over(problem: Problem) -> list[sympy.Expr]:
    """The fields and derivatives in time that the next window starts from."""
    time = next(c for c in problem.coordinates if is_time(c))
    return [
        f.diff(time, order) if order else f
        for f in problem.fields
        for order in range(structure.time_order(problem, f))
    ]


def start_term(
    window: Problem, before: Callable, count: int, compiled: Compiled | None = None
) -> Term:
    """The term that holds a window's start to the jets of the window before."""
    statements = handed_over(window)
    compiled = compiled or window.compile(statements)
    part = window.domain["initial"]

    def draw(n: int, key: Any) -> Batch:
        points = jnp.asarray(part.sample(n, key=key).points)
        targets = jnp.stack(compiled(points, compiled.values(before, points, {}), {}), axis=-1)
        none = jnp.zeros((len(points), 0))
        return Batch(points, none, targets, jnp.ones(len(points)))

    rows = tuple(map(str, statements))
    count = len(np.asarray(draw(count, 0).points))
    return Term("condition", "start of the window", rows, compiled, count, draw)


class Window(NamedTuple):
    """A trained window, and the first-order errors of its fields, one change of the parameters for
    each damping."""

    setup: Setup
    state: State
    status: Status
    changes: tuple[jax.Array, ...]


def solve(
    setup: Callable[..., Setup],
    jets_of: Callable[[Trial], Callable],
    problem: Problem,
    count: int,
    target: Target,
    monitor: Monitor,
) -> list[Window]:
    """Train the windows of a problem; `setup(problem, before=trial, jets=...)` makes one ready."""
    saved = monitor.restore(None) or {"done": (), "seconds_done": ()}
    vectors, seconds = list(saved["done"]), list(map(float, saved["seconds_done"]))
    pieces = cut(problem, count)
    done: list[Window] = []
    for i, piece in enumerate(pieces):
        start = _setup(setup, jets_of, pieces, done)
        if i < len(vectors):
            trial = nn.flatten_parameters(start.trial)[1](jnp.asarray(vectors[i]))
            state, status = State(trial, None, (), seconds=seconds[i]), Status.STEPS_SPENT
        else:
            inside = InWindow(monitor, i, count, tuple(vectors), tuple(seconds))
            state, status = start.train(_share(target, sum(seconds), count - i), inside)
            vectors.append(np.asarray(nn.flatten_parameters(state.trial)[0]))
            seconds.append(state.seconds)
        lag = piece.lag - pieces[i - 1].lag if i else 0.0
        changes = _changes(start.gauge, state.trial, done[-1] if done else None, lag)
        done.append(Window(start, state, status, changes))
    return done


def _setup(setup: Callable, jets_of: Callable, pieces: list[Piece], done: list[Window]) -> Setup:
    """The next window, made ready; from that of the window before if it states the same."""
    piece = pieces[len(done)]
    if not done:
        return setup(piece.problem)
    before, trial = pieces[len(done) - 1], done[-1].state.trial
    jets = lagging(jets_of(trial), piece.problem, before.lag - piece.lag)
    if before.problem is not piece.problem:
        return setup(piece.problem, before=trial, jets=jets)
    last = done[-1].setup.terms[-1]
    term = start_term(piece.problem, jets, last.count, last.compiled)
    return done[-1].setup.going_on(trial, term)


def lagging(jets: Callable, problem: Problem, lag: float) -> Callable:
    """The jets in a time that lags behind by `lag`."""
    if not lag:
        return jets
    shift = jnp.array([lag if is_time(c) else 0.0 for c in problem.coordinates])
    return lambda functionals, at: jets(functionals, jnp.asarray(at) - shift)


def _share(target: Target, spent: float, left: int) -> Target:
    """What one of the windows that are left may take of the time that is left."""
    seconds = target.seconds and max((target.seconds - spent) / left, 1e-3)
    return replace(target, seconds=seconds)


def _changes(
    gauge: Gauge, trial: Trial, before: Window | None, lag: float
) -> tuple[jax.Array, ...]:
    """The changes that estimate the error of a window, that of its start included."""
    changes = []
    for i, damping in enumerate(estimate.DAMPINGS):
        batches = list(gauge.batches)
        if before is not None:
            last, change = gauge.terms[-1], before.changes[i]
            trial_before = before.state.trial
            batches[-1] = _with_error(gauge.problem, last, batches[-1], trial_before, change, lag)
        linear = estimate.linearize(gauge.terms, trial, batches, gauge.weights)
        changes.append(linear.correction(damping))
    return tuple(changes)


def _with_error(
    problem: Problem, term: Term, batch: Batch, before: Trial, change: jax.Array, lag: float
) -> Batch:
    """What the start is held to, with the error of the window before added."""

    def errors(functionals, points):
        return estimate.first_order(tuple(functionals), before, change, points)[1]

    jets = lagging(errors, problem, -lag)
    values = term.compiled(batch.points, term.compiled.values(jets, batch.points, {}), {})
    return batch._replace(targets=batch.targets + jnp.stack(values, axis=-1))


def errors(windows: Sequence[Window]) -> dict[tuple, float]:
    """The relative L2 error of each group of fields over all windows."""
    worst: dict[tuple, float] = {}
    for i in range(len(estimate.DAMPINGS)):
        squares = [
            estimate.mean_squares(
                w.setup.problem, w.state.trial, w.changes[i], w.setup.gauge.points
            )
            for w in windows
        ]
        for group in squares[0]:
            value, error = (sum(own[group][k] for own in squares) for k in (0, 1))
            relative = float(np.sqrt(error / value)) if value > 0 else float("inf")
            worst[group] = max(worst.get(group, 0.0), relative)
    imbalance = max(w.setup.gauge.imbalance(w.state.trial) for w in windows)
    least = imbalance if imbalance > DOUBTFUL else 0.0
    return {group: max(least, error) for group, error in worst.items()}


def status(windows: Sequence[Window]) -> Status:
    """How the run ended: as its worst window."""
    order = (Status.NOT_FINITE, Status.NOT_CONVERGED, Status.BUDGET_SPENT, Status.STEPS_SPENT)
    found = {w.status for w in windows}
    return next((s for s in order if s in found), Status.TOLERANCE_REACHED)


def history(windows: Sequence[Window]) -> dict[str, np.ndarray]:
    """The columns of all windows, one below the other, with steps counted on."""
    columns: dict[str, list] = {}
    steps = 0
    for w in windows:
        for name, column in w.state.history.items():
            columns.setdefault(name, []).append(column + (steps if "step" in name else 0))
        steps += w.state.total_steps
    return {name: np.concatenate(pieces) for name, pieces in columns.items()}


def sentence(problem: Problem, count: int) -> str:
    """The choice in words, for the report."""
    _, start, end = problem.domain.time
    return (
        f"Time is cut into {count} windows of {(end - start) / count:.3g}, each from the end of "
        "the one before; the numbers below are those of the first."
    )


def joined(problem: Problem, jets: Sequence[Callable]) -> Callable:
    """The jets of all windows as one function of points: each point asks its own window."""
    inner = jnp.asarray(edges(problem, len(jets))[1:-1])
    column = next(i for i, c in enumerate(problem.coordinates) if is_time(c))
    pieces = cut(problem, len(jets))
    own_time = [lagging(f, problem, piece.lag) for f, piece in zip(jets, pieces, strict=True)]

    def values(functionals: Sequence[Any], at: Any) -> list[jax.Array]:
        at = jnp.asarray(at)
        own = jnp.searchsorted(inner, at[:, column], side="right")
        found = zip(*(f(functionals, at) for f in own_time), strict=True)
        return [jnp.stack(numbers)[own, jnp.arange(at.shape[0])] for numbers in found]

    return values


@dataclass(frozen=True)
class InWindow:
    """The monitor of one window: progress counts over all, and a checkpoint holds the windows that
    are done."""

    monitor: Any
    index: int
    count: int
    done: tuple[np.ndarray, ...]
    seconds: tuple[float, ...]

    def report(self, progress: Progress) -> None:
        """Progress over all windows."""
        fraction = (self.index + progress.fraction) / self.count
        phase = f"window {self.index + 1} of {self.count}, {progress.phase}"
        seconds = sum(self.seconds) + progress.seconds
        self.monitor.report(replace(progress, fraction=fraction, phase=phase, seconds=seconds))

    def checkpoint(self, state: Any) -> None:
        """The state of this window with the windows before it."""
        more = {"done": list(self.done), "seconds_done": np.array(self.seconds)}
        self.monitor.checkpoint({**state, **more})

    def restore(self, like: Any) -> Any | None:
        """The last checkpoint, if it is of this window."""
        saved = self.monitor.restore(like)
        return saved if saved is not None and len(saved["done"]) == self.index else None
