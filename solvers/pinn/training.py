"""The training loop: phases in compiled chunks of steps, between them new points, estimates and
checkpoints. The only state of a run is `State`, which a checkpoint holds entirely."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from diffcore import devices, nn, optim

from ..monitor import Monitor, Progress, Target
from ..status import Status
from . import balance, points
from .ansatz import Trial
from .balance import Balance
from .identify import identify
from .objective import Objective
from .phases import Phase
from .terms import Batch

ESTIMATES = 12  # error estimates in a run, evenly spread over the steps
UNASKED = 4  # of them where no tolerance waits for one
COUNTERS = ("phase", "step", "stalls", "recoveries", "extensions")
EXTENSIONS = 8  # of the last phase while a tolerance waits, each of as many steps as all phases
WORTH = 0.7  # of the estimate that an extension must leave at most for another to follow
STALLS = 3  # chunks in a row that an optimizer ends early, after which its phase is over
RECOVERIES = 3  # from losses that are not finite, before a run gives up


@dataclass(frozen=True)
class State:
    """A moment of training from which it can go on exactly."""

    trial: Trial
    optimizer: Any
    batches: tuple[Batch, ...]
    weights: Any = None  # `balance.Weights`
    phase: int = 0
    step: int = 0  # within the phase
    stalls: int = 0  # chunks in a row that an optimizer ended early
    recoveries: int = 0  # from losses that were not finite
    extensions: int = 0  # of the last phase
    seconds: float = 0.0
    losses: tuple[tuple[int, float], ...] = ()
    estimates: tuple[tuple[int, float], ...] = ()

    @property
    def total_steps(self) -> int:
        """Steps taken over all phases."""
        return self.losses[-1][0] if self.losses else 0

    @property
    def remarks(self) -> tuple[str, ...]:
        """What happened on the way, in sentences for the report."""
        found = []
        if self.extensions:
            found.append(
                f"The last phase was taken up {self.extensions} times more, as the tolerance was "
                f"not reached: {self.total_steps} steps in all."
            )
        if self.recoveries:
            found.append(f"Training went back to its last finite state {self.recoveries} times.")
        return tuple(found)

    @property
    def history(self) -> dict[str, np.ndarray]:
        """The columns of numbers that a solution keeps."""
        losses = np.array(self.losses, dtype=float).reshape(-1, 2)
        estimates = np.array(self.estimates, dtype=float).reshape(-1, 2)
        return {
            "step": losses[:, 0],
            "loss": losses[:, 1],
            "estimate_step": estimates[:, 0],
            "error_estimate": estimates[:, 1],
        }


@dataclass(frozen=True, eq=False)
class Training:
    """What does not change during a run. `weights` are those of rows at its start, `sampling` that
    of `points.renew`; `estimate(trial)` is the relative error estimate."""

    objective: Objective
    weights: list[np.ndarray]
    balances: tuple[Balance, ...]
    phases: tuple[Phase, ...]
    sampling: str
    key: jax.Array
    estimate: Callable[[Trial], float]
    goes_on: bool = False  # beyond its phases while a tolerance waits
    chunk_steps: int = 100
    _started: float = field(default_factory=time.perf_counter)

    def run(self, trial: Trial, target: Target, monitor: Monitor) -> tuple[State, Status]:
        """Train from `trial`, or from the monitor's last checkpoint."""
        state = self._extended(self._resume(trial, monitor) or self._fresh(trial), target)
        before = state.seconds
        while state.phase < len(self.phases):
            new, finite = self._advance(state)
            seconds = devices.agreed(before + time.perf_counter() - self._started)
            if not finite and state.recoveries == RECOVERIES:
                return replace(state, seconds=seconds), Status.NOT_FINITE
            state = replace(new if finite else self._recovered(state), seconds=seconds)
            if self._is_due(state, ESTIMATES if target.tolerance else UNASKED):
                estimate = self.estimate(state.trial)
                done = (state.total_steps, estimate)
                state = replace(state, estimates=(*state.estimates, done))
            status = self._reached(state, target)
            state = self._extended(state, target)
            monitor.report(self._progress(state, target))
            monitor.checkpoint(self._arrays(state))
            if status is not None:
                return state, status
        return state, Status.STEPS_SPENT

    def _extended(self, state: State, target: Target) -> State:
        """At the end of the phases, with a tolerance ahead: the last phase once more."""
        if not target.tolerance or not self._is_worth_more(state, target.tolerance):
            return state
        return replace(state, phase=state.phase - 1, extensions=state.extensions + 1)

    def _is_worth_more(self, state: State, tolerance: float) -> bool:
        """At the end of the phases: whether more steps of the last can be expected to help."""
        if not self.goes_on or state.phase < len(self.phases) or state.stalls >= STALLS:
            return False
        now = state.estimates[-1][1]
        if now < tolerance:
            return False
        if not state.extensions:
            return True
        begun = state.total_steps - self._total
        before = [estimate for step, estimate in state.estimates if step <= begun]
        return state.extensions < EXTENSIONS and now < WORTH * before[-1]

    @property
    def _total(self) -> int:
        return sum(phase.steps for phase in self.phases)

    def _room(self, state: State) -> int:
        """Steps of the phase that the state is in."""
        return self._total if state.extensions else self.phases[state.phase].steps

    @cached_property
    def _objectives(self) -> tuple[Objective, ...]:
        """One for each phase, the same for all its chunks, so that it is compiled once."""
        whole = self.objective
        return tuple(replace(whole, only=p.only) if p.only else whole for p in self.phases)

    def _fresh(self, trial: Trial) -> State:
        batches = points.draw(self.objective.terms, self.key)
        weights = balance.begin(self.balances, self.weights, self._moment(trial, batches))
        return State(trial, self._initial(0, trial), batches, weights)

    def _moment(self, trial: Trial, batches: tuple[Batch, ...], steps: int = 0) -> balance.Moment:
        key = jax.random.fold_in(jax.random.fold_in(self.key, steps), 1)
        return balance.Moment(self.objective.terms, trial, batches, key)

    def _initial(self, phase: int, trial: Trial) -> Any:
        return self.phases[phase].optimizer.init(nn.split(trial)[0])

    def _advance(self, state: State) -> tuple[State, bool]:
        phase = self.phases[state.phase]
        until_redraw = phase.redraw - state.step % phase.redraw
        turns = (b.every - state.total_steps % b.every for b in self.balances if b.every)
        steps = min(self.chunk_steps, self._room(state) - state.step, until_redraw, *turns)
        if steps > 0:
            result = self._steps(state, steps)
            if not result.is_finite:
                return state, False
            start = state.total_steps
            state = replace(
                state,
                trial=result.parameters,
                optimizer=result.state,
                step=state.step + steps,
                stalls=state.stalls + 1 if result.stopped else 0,
                losses=(*state.losses, (start + steps, float(result.losses[-1]))),
            )
            moment = self._moment(state.trial, state.batches, start + steps)
            weights = balance.renewed(self.balances, state.weights, moment, start + steps)
            state = replace(state, weights=weights)
        return self._next_points(state, phase), True

    def _steps(self, state: State, steps: int) -> optim.Run:
        """Steps of the optimizer, on all devices where there are several."""
        objective, mesh = self._objectives[state.phase], self.objective.mesh
        weights = state.weights
        arrays = (state.trial, state.optimizer, (weights.on(state.batches), weights.rows))
        if mesh is not None:
            arrays = devices.replicate(arrays, mesh)
        trial, optimizer, args = arrays
        with devices.loss_explained():
            result = optim.run(
                self.phases[state.phase].optimizer,
                objective,
                trial,
                steps=steps,
                state=optimizer,
                args=args,
            )
            if mesh is None:
                return result
            whole = devices.gather((result.parameters, result.state, result.losses))
        parameters, after, losses = jax.tree.map(_here, whole)
        return optim.Run(parameters, after, losses, result.reason)

    def _recovered(self, state: State) -> State:
        """The last good state with an optimizer that remembers nothing, on new points."""
        optimizer = self._initial(state.phase, state.trial)
        new = replace(state, optimizer=optimizer, stalls=0, recoveries=state.recoveries + 1)
        return self._redrawn(new)

    def _next_points(self, state: State, phase: Phase) -> State:
        if state.step >= self._room(state) or state.stalls >= STALLS:
            is_last = state.phase + 1 == len(self.phases)
            stalls = state.stalls if is_last else 0
            state = replace(state, phase=state.phase + 1, step=0, stalls=stalls)
            if phase.only and "equation" not in phase.only:
                state = replace(state, trial=self._identified(state))
            if state.phase < len(self.phases):
                state = replace(state, optimizer=self._initial(state.phase, state.trial))
        elif state.step % phase.redraw and not state.stalls:
            return state
        if state.phase == len(self.phases):
            return state
        return self._redrawn(state)

    def _redrawn(self, state: State) -> State:
        if any(b.keeps_points for b in self.balances):
            return state
        key = jax.random.fold_in(self.key, 1 + state.total_steps)
        key = jax.random.fold_in(key, state.recoveries) if state.recoveries else key
        terms, rows = self.objective.terms, state.weights.rows
        batches = points.renew(self.sampling, terms, state.trial, rows, key, state.batches)
        moment = self._moment(state.trial, batches)
        weights = balance.moved(self.balances, state.weights, moment)
        return replace(state, batches=batches, weights=weights)

    def _identified(self, state: State) -> Trial:
        rows = state.weights.rows
        return identify(self.objective.terms, state.trial, state.batches, rows)

    def _is_due(self, state: State, count: int) -> bool:
        last = state.estimates[-1][0] if state.estimates else 0
        return state.phase == len(self.phases) or state.total_steps - last >= self._total / count

    def _progress(self, state: State, target: Target) -> Progress:
        name = self.phases[min(state.phase, len(self.phases) - 1)].name
        fraction = state.total_steps / max(self._total * (1 + state.extensions), 1)
        if target.seconds:
            fraction = max(fraction, state.seconds / target.seconds)
        estimate = state.estimates[-1][1] if state.estimates else None
        loss = state.losses[-1][1] if state.losses else float("nan")
        done = (state.total_steps, loss, state.seconds, min(fraction, 1.0), estimate)
        return Progress(name, *done, self._in_words(state))

    def _in_words(self, state: State) -> str:
        said = state.weights.in_words() if any(b.every for b in self.balances) else ""
        if not state.recoveries:
            return said
        return f"{said + ', ' if said else ''}{state.recoveries} times back to finite numbers"

    def _reached(self, state: State, target: Target) -> Status | None:
        if target.tolerance and state.estimates and state.estimates[-1][1] < target.tolerance:
            return Status.TOLERANCE_REACHED
        if target.seconds and state.seconds >= target.seconds:
            return Status.BUDGET_SPENT
        return None

    def _arrays(self, state: State) -> dict[str, Any]:
        """The state as plain arrays, for a checkpoint."""
        return {
            "vector": nn.flatten_parameters(state.trial)[0],
            "optimizer": jax.tree.leaves(state.optimizer),
            "batches": jax.tree.leaves(state.batches),
            "weights": jax.tree.leaves(state.weights),
            "counters": np.array([getattr(state, name) for name in COUNTERS]),
            "seconds": np.array(state.seconds),
            "losses": np.array(state.losses, dtype=float).reshape(-1, 2),
            "estimates": np.array(state.estimates, dtype=float).reshape(-1, 2),
        }

    def _resume(self, trial: Trial, monitor: Monitor) -> State | None:
        saved = monitor.restore(None)
        if saved is None:
            return None
        phase = int(saved["counters"][0])
        trial = nn.flatten_parameters(trial)[1](jnp.asarray(saved["vector"]))
        like = self._initial(min(phase, len(self.phases) - 1), trial)
        optimizer = jax.tree.unflatten(
            jax.tree.structure(like), list(map(jnp.asarray, saved["optimizer"]))
        )
        fresh = self._fresh(trial)
        batches, weights = (
            jax.tree.unflatten(jax.tree.structure(own), list(map(jnp.asarray, saved[name])))
            for name, own in (("batches", fresh.batches), ("weights", fresh.weights))
        )
        losses, estimates = (
            tuple((int(a), float(b)) for a, b in saved[k]) for k in ("losses", "estimates")
        )
        counters = zip(COUNTERS, map(int, saved["counters"]), strict=True)
        return State(
            trial,
            optimizer,
            batches,
            weights,
            seconds=float(saved["seconds"]),
            losses=losses,
            estimates=estimates,
            **dict(counters),
        )


def _here(leaf: Any) -> Any:
    return jnp.asarray(leaf) if isinstance(leaf, np.ndarray) else leaf
