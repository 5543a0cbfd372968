"""`PINN`: physics-informed networks as a method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import diffcore
from diffcore import nn
from equations import Problem, structure

from ..monitor import Monitor, Target
from ..solution import Solution
from . import build, many, objective, points, windows
from .ansatz import Trial
from .balance import Balance, TangentKernel
from .gauge import Gauge, deviations_from_noise, with_noise
from .phases import Phase, default_phases, phases_of_many
from .setup import Setup
from .terms import Term, terms

STEPS = 3000  # of training, where nothing else is asked for


@dataclass(frozen=True)
class PINN:
    """Physics-informed neural networks: trial functions trained to satisfy the equations.

    The statement's structure decides what is built into the trial functions (a solenoidal velocity,
    Dirichlet values, periodicity); the rest is a balanced loss, minimized by Adam and then by
    self-scaled Broyden in float64. Derivatives are taken in one Taylor pass.

    Arguments:
        width, depth: hidden neurons and layers of a tanh network.
        network: a factory `(in_size, out_size, key=) -> module` instead.
        points, boundary_points: collocation points in the interior and on each condition's part.
        steps: training steps of the default phases; None for 3000 and, while a tolerance waits and
            the estimate falls, as many again, eight times at most.
        phases: a tuple of `Phase` instead.
        hard: build Dirichlet values into the trial functions: True, False, or None to decide.
        solenoidal: stream function for a divergence-free velocity: False forbids it.
        sampling: how interior points are drawn anew: "RAD" denser where the residual is large,
            "RAR" some exchanged for those of the largest residual, "R3" those above the mean kept,
            or "uniform".
        balance: how equations, conditions and data are weighed: a `Balance` of
            `solvers.pinn.balance`, or several; None for `TangentKernel()`.
        start: a solution by the same networks to begin from in place of chance: of the same problem
            to go on, or of a neighbour, as one at a lower Reynolds number, to follow a parameter.
        windows: number of pieces of time that are solved one after the other.
        exact_sums: take sums of derivatives in full where they would be estimated from a sample, in
            many dimensions.
        devices: that share the points: "all", a number, or a list of `jax.devices()`; None for one.

    Notes:
        Every choice is told in the solution's report. The error estimate is that of
        `solvers.pinn.estimate`.

    Source:
        Raissi, Perdikaris & Karniadakis, J. Comput. Phys. 378 (2019) 686-707; Urbán, Stefanou &
        Pons, J. Comput. Phys. 523 (2025) 113656.
    """

    width: int = 24
    depth: int = 4
    network: Callable | None = None
    points: int | None = None
    boundary_points: int | None = None
    steps: int | None = None
    phases: tuple[Phase, ...] | None = field(default=None, metadata={"stored": False})
    hard: bool | None = None
    solenoidal: bool | None = None
    sampling: str = "RAD"
    balance: Balance | tuple[Balance, ...] | None = field(default=None, metadata={"stored": False})
    start: Solution | None = field(default=None, repr=False, metadata={"stored": False})
    windows: int = 1
    exact_sums: bool = False
    devices: Any = field(default=None, metadata={"stored": False})

    def __post_init__(self):
        for name in ("width", "depth", "windows"):
            self._require(name, _is_whole, "is a whole number", optional=False)
        for name in ("steps", "points", "boundary_points"):
            self._require(name, _is_whole, "is a whole number")
        for name in ("width", "depth", "steps", "points", "boundary_points", "windows"):
            self._require(name, lambda n: n >= 1, "must be at least 1", ValueError)
        self._require("hard", _is_flag, "is True, False, or None to decide")
        self._require("solenoidal", _is_flag, "is True, False, or None to decide")
        names = ", ".join(f'"{name}"' for name in points.SAMPLINGS)
        self._require("sampling", points.SAMPLINGS.__contains__, f"is one of {names}", ValueError)
        self._require("balance", _are_balances, "is a `Balance` or a tuple of them")
        if sum(b.weighs_points for b in self._balances) > 1:
            raise ValueError("`balance` of PINN: only one of several may weigh points.")
        self._require("exact_sums", _is_flag, "is True or False", optional=False)
        self._require("start", _is_trained, "is a solution by PINN, in one window of time")
        self._require("network", callable, "is a factory `(in_size, out_size, key=) -> module`")
        self._require("phases", _are_phases, "is a tuple of `Phase`")
        self._require("devices", _are_devices, 'is "all", a number, or a list of `jax.devices()`')

    def _require(self, name, holds, rule, error=TypeError, *, optional=True) -> None:
        value = getattr(self, name)
        if (value is None and optional) or holds(value):
            return
        raise error(f"`{name}` of PINN {rule}; got {value!r:.60}.")

    def in_units(self, scaling: Any) -> PINN:
        """The method for a problem in dimensionless form: it holds no lengths."""
        return self

    def reasons_against(self, problem: Problem) -> tuple[str, ...]:
        """Why this method cannot take the problem; empty if it can."""
        reasons = []
        if _needs_size(problem):
            reasons.append(
                "nothing gives the size of an eigenfunction, so that training would end at zero: "
                'add a condition as {"domain": Eq(integral(u**2), 1)}.'
            )
        if self.windows > 1:
            reasons.extend(windows.reasons_against(problem))
        return tuple(reasons)

    def solve(
        self, problem: Problem, *, key: jax.Array, target: Target, monitor: Monitor
    ) -> Solution:
        """Train, estimate, and hand back the solution; called by `solve`."""
        with diffcore.precision("float64"):
            if self.windows > 1:
                return self._solve_in_windows(problem, key, target, monitor)
            setup = self._setup(problem, key)
            state, status = setup.train(target, monitor)
            trial, gauge = state.trial.exact(), setup.gauge
            errors, deviations = gauge.errors(trial), None
            if problem.data:
                deviations = deviations_from_noise(problem, setup.terms, trial)
                errors = with_noise(errors, trial, deviations, gauge.points[:200])
            return Solution(
                problem=problem,
                method=self,
                jets=_compiled_jets(trial),
                status=status,
                seconds=state.seconds,
                parameters=_numbers(trial),
                history=state.history,
                errors=errors,
                choices=(*setup.choices, *state.remarks),
                state=np.asarray(nn.flatten_parameters(trial)[0]),
                deviations=deviations,
            )

    def _solve_in_windows(self, problem, key, target, monitor) -> Solution:
        setup = partial(self._setup, key=key)
        done = windows.solve(setup, _compiled_jets, problem, self.windows, target, monitor)
        return Solution(
            problem=problem,
            method=self,
            jets=windows.joined(problem, [_compiled_jets(w.state.trial) for w in done]),
            status=windows.status(done),
            seconds=sum(w.state.seconds for w in done),
            history=windows.history(done),
            errors=windows.errors(done),
            choices=(windows.sentence(problem, self.windows), *done[0].setup.choices),
            state=np.stack([nn.flatten_parameters(w.state.trial)[0] for w in done]),
        )

    def rebuild(self, problem: Problem, state: np.ndarray) -> tuple[Callable, dict[str, float]]:
        """The jets and the identified parameters of a saved solution, from its `state`."""
        with diffcore.precision("float64"):
            if self.windows > 1:
                cut = windows.cut(problem, self.windows)
                jets = [self._rebuilt(w.problem, v) for w, v in zip(cut, state, strict=True)]
                return windows.joined(problem, list(map(_compiled_jets, jets))), {}
            trial = self._rebuilt(problem, state)
            return _compiled_jets(trial), _numbers(trial)

    def deviations(self, problem: Problem, state: np.ndarray) -> Callable:
        """The standard deviations `(expressions, points) -> (points, expressions)` that the noise
        of the data leaves in a solution with this `state`."""
        with diffcore.precision("float64"):
            plan = self._plan(problem)
            parts = self._terms(problem, plan)
            return deviations_from_noise(problem, parts, self._rebuilt(problem, state))

    def _plan(self, problem: Problem) -> build.Plan:
        plan = build.plan(problem, hard=self.hard, solenoidal=self.solenoidal)
        if many.is_wide(problem) and not self.exact_sums:
            plan.sentences.append(many.SENTENCE)
        return plan

    def _default_phases(self, problem: Problem) -> tuple[Phase, ...]:
        steps = self.steps or STEPS
        if many.is_wide(problem):
            return phases_of_many(steps)
        return default_phases(steps, data=bool(problem.data), basin=self.start is None)

    def _trial(self, problem: Problem, plan: build.Plan, key: jax.Array) -> Trial:
        network = self.network or partial(nn.MLP, width=self.width, depth=self.depth)
        exact = self.exact_sums or not many.is_wide(problem)
        return build.trial(problem, plan, network, jax.random.fold_in(key, 1), exact_sums=exact)

    def _rebuilt(self, problem: Problem, state: np.ndarray) -> Trial:
        trial = self._trial(problem, self._plan(problem), jax.random.key(0))
        return nn.flatten_parameters(trial)[1](jnp.asarray(state))

    def _setup(
        self, problem: Problem, key: jax.Array, before: Trial | None = None, jets: Any = None
    ) -> Setup:
        """What a run on the problem needs; a window of time goes on from the trial functions
        `before` it, whose values are `jets`."""
        plan = self._plan(problem)
        trial, parts = self._trial(problem, plan, key), self._terms(problem, plan)
        if self.start is not None and before is None:
            trial = _begun(trial, self.start)
            plan.sentences.append("The networks start from those of another solution.")
        if before is not None:
            vector, _ = nn.flatten_parameters(before)
            trial = nn.flatten_parameters(trial)[1](vector)
            count = max(parts[0].count // 8, 50)
            parts = (*parts, windows.start_term(problem, jets, count))
        weigh = partial(objective.balanced_weights, key=jax.random.fold_in(key, 3))
        weights = weigh(parts, trial)
        phases = self.phases or self._default_phases(problem)
        mesh = None if self.devices is None else diffcore.devices.mesh(self.devices)
        gauge = Gauge(problem, parts, weights, jax.random.fold_in(key, 99))
        sampling = "uniform" if many.is_wide(problem) else self.sampling
        chosen = weights, self._balances, phases, sampling, key
        goes_on = self.steps is None and self.phases is None and not many.is_wide(problem)
        return Setup(problem, plan, trial, parts, *chosen, gauge, weigh, goes_on, mesh)

    @property
    def _balances(self) -> tuple[Balance, ...]:
        own = self.balance
        return own if isinstance(own, tuple) else (TangentKernel() if own is None else own,)

    def _terms(self, problem: Problem, plan: build.Plan) -> tuple[Term, ...]:
        dimension = len(problem.coordinates)
        usual = 500 if many.is_wide(problem) else {1: 300, 2: 2000}.get(dimension, 4000)
        n = self.points or usual
        return terms(problem, plan, n, self.boundary_points or max(n // 8, 50))


def _begun(trial: Trial, start: Solution) -> Trial:
    """The trial functions with the parameters of a solution."""
    vector, unflatten = nn.flatten_parameters(trial)
    if start.state.shape != vector.shape:
        raise ValueError(
            f"`start` of PINN has {start.state.size} parameters, but the networks here have "
            f"{vector.size}: give `width`, `depth` and what is built in as they were there."
        )
    return unflatten(jnp.asarray(start.state))


def _needs_size(problem: Problem) -> bool:
    """Whether an eigenvalue is sought and zero satisfies all conditions."""
    if all(p.role != "eigenvalue" for p in problem.parameters):
        return False
    held = [structure.jet_expression(r) for c in problem.conditions for r in c.equation.residuals]
    return not problem.data and all(h.rest() == 0 for h in held)


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _are_phases(value: Any) -> bool:
    is_sequence = isinstance(value, tuple | list) and len(value) > 0
    return is_sequence and all(isinstance(phase, Phase) for phase in value)


def _are_balances(value: Any) -> bool:
    found = value if isinstance(value, tuple) else (value,)
    return len(found) > 0 and all(isinstance(own, Balance) for own in found)


def _is_trained(value: Any) -> bool:
    is_network = isinstance(value, Solution) and isinstance(value.method, PINN)
    return is_network and value.method.windows == 1


def _are_devices(value: Any) -> bool:
    return value == "all" or _is_whole(value) or isinstance(value, list | tuple)


def _compiled_jets(trial: Trial) -> Callable:
    """The jets of trained functions, compiled once for each set of functionals and mapped over
    blocks of points."""
    block = 4096

    def jets(functionals, at):
        at = jnp.asarray(at)
        n = at.shape[0]
        if not isinstance(n, int):  # a symbol, while the solution is exported
            return trial.jets(functionals, at)
        padded = jnp.concatenate([at, jnp.broadcast_to(at[:1], (-n % block, at.shape[1]))])
        pieces = [
            _block_jets(trial, tuple(functionals), padded[i : i + block])
            for i in range(0, len(padded), block)
        ]
        return [jnp.concatenate(column)[:n] for column in zip(*pieces, strict=True)]

    return jets


@eqx.filter_jit
def _block_jets(trial, functionals, at):
    return trial.jets(functionals, at)


def _numbers(trial: Trial) -> dict[str, float]:
    return {name: float(value) for name, value in trial.parameters().items()}
