"""Everything that stands ready before a run: trial functions, terms, weights, gauge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np

from diffcore import nn
from equations import Problem

from ..monitor import Monitor, Target
from ..status import Status
from .ansatz import Trial
from .balance import Balance
from .build import Plan
from .gauge import FAILED, Gauge
from .objective import Objective
from .phases import Phase
from .terms import Term
from .training import State, Training


@dataclass(frozen=True, eq=False)
class Setup:
    """A run before its first step; `trial` are the trial functions that it starts from."""

    problem: Problem
    plan: Plan
    trial: Trial
    terms: tuple[Term, ...]
    weights: list[np.ndarray]
    balances: tuple[Balance, ...]
    phases: tuple[Phase, ...]
    sampling: str
    key: Any
    gauge: Gauge
    weigh: Callable[[tuple[Term, ...], Trial], list[np.ndarray]]
    goes_on: bool = False  # beyond the phases while a tolerance waits
    mesh: Any = None  # the devices that share the points, if several

    def going_on(self, trial: Trial, last: Term) -> Setup:
        """The same from other trial functions, with another last term."""
        terms = (*self.terms[:-1], last)
        weights = self.weigh(terms, trial)
        gauge = self.gauge.with_terms(terms, weights)
        return replace(self, trial=trial, terms=terms, weights=weights, gauge=gauge)

    def train(self, target: Target, monitor: Monitor) -> tuple[State, Status]:
        """Run the phases, or go on from the monitor's checkpoint."""
        key = jax.random.fold_in(self.key, 2)
        objective = Objective(self.terms, mesh=self.mesh)
        rows = self.weights, self.balances
        training = Training(
            objective, *rows, self.phases, self.sampling, key, self.gauge, self.goes_on
        )
        state, status = training.run(self.trial, target, monitor)
        if status is Status.STEPS_SPENT and self.gauge.imbalance(state.trial) > FAILED:
            status = Status.NOT_CONVERGED
        return state, status

    @property
    def choices(self) -> tuple[str, ...]:
        """What was chosen, in sentences for the report."""
        size = nn.count_parameters(self.trial)
        sentences = [*self.plan.sentences, f"The networks have {size} parameters, in float64."]
        for term, weight in zip(self.terms, self.weights, strict=True):
            shown = ", ".join(f"{w:.3g}" for w in weight)
            sentences.append(f"{term.kind} on {term.label}: {term.count} points, weight {shown}.")
        return tuple(sentences)
