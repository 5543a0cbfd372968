"""The shell around the compiled step: epochs, validation, callbacks, checkpoints."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from diffcore import checkpoint
from diffcore.data import Batches, Dataset, arrays
from diffcore.nn.module import replaced
from diffcore.nn.parameters import split
from diffcore.train import loop, totals
from diffcore.train.callbacks import Callback, Checkpoint
from diffcore.train.metrics import as_metric
from diffcore.train.progress import Show, display
from diffcore.train.state import (
    Outcome,
    State,
    averaged,
    free,
    gradient_step,
    guarded,
    start_state,
    supervised,
    transformation,
    use,
    users_step,
)

_HELD = 256  # samples of a batch in evaluation
_PRECISIONS = {
    None: None,
    "float32": jnp.float32,
    "bfloat16": jnp.bfloat16,
    "float16": jnp.float16,
}
_STUCK = 50  # steps in a row that are not finite, after which a training ends
_MOMENT = 0.3  # seconds between two looks at the numbers


class Trainer:
    """A model in training: what `fit` moves and `evaluate` and `predict` use.

    Arguments:
        model: a module. With `step` also a dictionary of modules, or any pytree.
        loss: loss(model(*inputs), target) of batches (*inputs, target).
        objective: in place of `loss`, for everything else that is to be minimized: a function of
            (model, batch, key) that returns a number, or (number, {name: number} for the logs).
        step: in place of both, for everything that is no descent on one number: a pure function
            (state, batch) ↦ (state, logs) of a `State`; `descend` is a step of one optimizer.
        optimizer: a first-order one, such as `optim.adam(1e-3)`, or a transformation of optax; for
            a `step` also a dictionary of them, for parts of the model by the same names.
        metrics: such as `accuracy`, or functions of (prediction, target).
        callbacks: such as `EarlyStopping()`, `Checkpoint("runs/digits")`.
        precision: data type of the computation, "float32", "bfloat16" or "float16"; parameters
            keep theirs, and in float16 the loss is scaled. By default all is as the model is.
        clip: largest norm of the gradient.
        accumulate: batches whose gradients are averaged for one step of the optimizer.
        average: of the parameters: the decay of an exponential average, such as 0.999, or `swa()`.
            Validation, `evaluate` and `predict` then use the average.
        key: an int or a JAX key, for layers that are random in training.

    A step whose loss or gradient is not finite is not taken: the state stays the last good one.
    `reason` says why a training ended.

    Example:
        >>> import jax.numpy as jnp
        >>> from diffcore import data, nn, optim, train
        >>> x = jnp.linspace(-1, 1, 64)[:, None]
        >>> trainer = train.Trainer(
        ...     nn.Linear(1, 1, key=0), loss=nn.mse_loss, optimizer=optim.adam(0.1)
        ... )
        >>> history = trainer.fit(data.arrays(x, 2 * x + 1).shuffle(0).batch(16), epochs=50)
        >>> trainer.predict(jnp.array([[3.0]])).round(2).tolist()
        [[7.0]]
    """

    def __init__(
        self,
        model: Any,
        *,
        optimizer: Any,
        loss: Callable[[Any, Any], Any] | None = None,
        objective: Callable[..., Any] | None = None,
        step: Callable[..., Any] | None = None,
        metrics: Sequence[Any] = (),
        callbacks: Sequence[Callback] = (),
        precision: str | None = None,
        clip: float | None = None,
        accumulate: int = 1,
        average: float | Callable[[jax.Array], jax.Array] | None = None,
        key: Any = 0,
    ):
        goals = {"loss": loss, "objective": objective, "step": step}
        given = [name for name, goal in goals.items() if goal is not None]
        if len(given) != 1:
            raise TypeError(
                "a Trainer needs one of `loss`, `objective` and `step`; got "
                f"{' and '.join(given) or 'none'}."
            )
        if step is not None and (precision or clip or accumulate != 1 or average is not None):
            raise TypeError(
                "`precision`, `clip`, `accumulate` and `average` belong to the step that a Trainer "
                "makes of a `loss`; a `step` of your own says all that itself."
            )
        if precision not in _PRECISIONS:
            raise ValueError(
                f'`precision` is "float32", "bfloat16" or "float16"; got {precision!r}.'
            )
        if accumulate < 1 or (clip is not None and not clip > 0):
            raise ValueError(
                f"`accumulate` is at least 1 and `clip` positive; got {accumulate} and {clip}."
            )
        self.metrics = tuple(as_metric(metric) for metric in metrics)
        _check_metrics(self.metrics, given[0])
        # Checkpoints come last, since they keep what the others know after the same epoch.
        self.callbacks = tuple(sorted(callbacks, key=lambda c: isinstance(c, Checkpoint)))
        self.epoch, self.batch = 0, 0  # where the next batch is
        self.history: list[dict[str, Any]] = []
        self.reason = ""
        dtype = _PRECISIONS[precision]
        self._names: Any = None  # of the logs, with data types
        self._done = 0  # steps, as the state counts them
        mean = _average(average)
        if step is not None:
            self._step = guarded(users_step(step))
            self._objective: Any = None
            own = optimizer
            _check_optimizers(model, optimizer)
        else:
            own = transformation(optimizer, clip, accumulate)
            self._objective = (
                supervised(loss, dtype) if loss else free(objective, dtype)  # type: ignore[arg-type]
            )
            self._step = guarded(
                gradient_step(self._objective, own, average=mean, accumulate=accumulate)
            )
        start = start_state(model, own, key, average=mean is not None, precision=dtype)
        if not jax.tree.leaves(eqx.filter(split(model)[0], eqx.is_array)):
            raise ValueError("`model` has no parameters to train: no arrays, or all are frozen.")
        self._carry = loop.pack((start, None))
        self._training: Any = None  # Loop, made with the first batch
        self._evaluation: Any = None
        self._use = eqx.filter_jit(lambda model, inputs: use(model, inputs, dtype))

    # What there is

    @property
    def state(self) -> State:
        """A copy of the state after the last step."""
        return jax.tree.map(
            lambda leaf: jnp.array(leaf) if eqx.is_array(leaf) else leaf, self._parts()[0]
        )

    @property
    def model(self) -> Any:
        """A copy of the model after the last step."""
        return self.state.model

    @property
    def averaged(self) -> Any:
        """A copy of the model with its averaged parameters; without `average` as it is."""
        return averaged(self.state)

    @property
    def steps(self) -> int:
        """How many batches were seen."""
        return int(self._parts()[0].step)

    @property
    def rate(self) -> float:
        """The factor of all learning rates; may be set."""
        return float(self._parts()[0].rate)

    @rate.setter
    def rate(self, factor: float) -> None:
        own, sums = self._parts()
        new = jnp.array(factor, own.rate.dtype)
        self._carry = loop.pack((replaced(own, rate=new), sums))

    def stop(self, reason: str) -> None:
        """End the training after this epoch, for a callback."""
        self.reason = reason

    def _parts(self) -> tuple[State, Any]:
        return loop.unpack(self._carry)

    # Training

    def fit(
        self,
        data: Any,
        *,
        epochs: int,
        validation: Any = None,
        resume: str | os.PathLike | None = None,
        progress: bool | None = None,
    ) -> list[dict[str, Any]]:
        """Train for `epochs` epochs, and return the figures of all epochs so far.

        Arguments:
            data: batches, such as `data.arrays(x, y).shuffle(0).batch(64)`, or another iterable of
                batches that can be iterated again and again.
            validation: batches, a dataset, or arrays (*inputs, target), evaluated after each
                epoch; figures are called "validation_loss" and so on.
            resume: a checkpoint of `save` or `Checkpoint`; if it is there, the training goes on
                from it until `epochs` epochs are done in total, and ends with the same bits as one
                that was never interrupted. Data must be as before.
            progress: None shows a bar in terminals and notebooks, True lines elsewhere, too, False
                nothing.
        """
        batches = _batches(data)
        if epochs < 0:
            raise ValueError(f"`epochs` is not negative; got {epochs}.")
        goal = self.epoch + epochs
        if resume is not None:
            goal = epochs
            if Path(resume).is_file():
                self.restore(resume)
        self.reason = ""
        held = None if validation is None else _held(validation)
        fast, held_fast = loop.resident(batches), loop.resident(held)
        with display(progress, goal) as show:
            self._tell("start")
            try:
                while self.epoch < goal and not self.reason:
                    start = time.perf_counter()
                    if not self._run_epoch(batches, fast, show):
                        break
                    logs: dict[str, Any] = {"epoch": self.epoch + 1, "step": self.steps}
                    logs |= totals.figures(self._parts()[1], self.metrics)
                    logs["seconds"] = time.perf_counter() - start
                    if held is not None:
                        found = self._evaluate(held, held_fast)
                        logs |= {f"validation_{name}": value for name, value in found.items()}
                    self.epoch, self.batch = self.epoch + 1, 0
                    self.history.append(logs)
                    show(self.epoch, 0, None, logs)
                    self._tell("epoch", logs)
            finally:
                self._tell("end")
        self.reason = self.reason or "all epochs done"
        return self.history

    def _tell(self, event: str, *args: Any) -> None:
        for callback in self.callbacks:
            getattr(callback, event)(self, *args)

    def _run_epoch(self, batches: Any, fast: loop.Resident | None, show: Show) -> bool:
        """Run to the end of an epoch, and return whether it was reached."""
        if self._training is None:
            self._prepare(next(iter(batches.epoch(self.epoch, self.batch)), None))
        if not self.batch:
            sums = totals.nothing(self._names, self.metrics)
            self._carry = loop.pack((self._parts()[0], sums))
        pace = _Pace(self, show, _count(batches))
        if fast is not None:
            self._run_rows(fast, pace)
        for batch in batches.epoch(self.epoch, self.batch):
            if self.reason:
                return False
            self._advance(self._training.batch([], self._carry.leaves, batch), 1)
            pace.look()
        return not self.reason

    def _run_rows(self, fast: loop.Resident, pace: _Pace) -> None:
        """All full batches of an epoch, by their rows in memory."""
        rows, count = fast.rows(self.epoch), 1
        while self.batch < len(rows) and not self.reason:
            stop = min(self.batch + count, self.batch + self._until_callback(), len(rows))
            start, n = time.perf_counter(), stop - self.batch
            leaves = self._training.rows(
                [], self._carry.leaves, fast.arrays, rows, self.batch, stop
            )
            jax.block_until_ready(leaves[0])
            self._advance(leaves, n)
            pace.look()
            if time.perf_counter() - start < _MOMENT / 2 and n == count:
                count *= 2
            elif time.perf_counter() - start > 2 * _MOMENT:
                count = max(count // 2, 1)

    def _until_callback(self) -> int:
        every = [callback.every for callback in self.callbacks if callback.every]
        return min((n - self._done % n for n in every), default=1 << 30)

    def _advance(self, leaves: list, count: int) -> None:
        self._carry = loop.Packed(leaves, self._carry.form)
        self.batch += count
        self._done += count
        for callback in self.callbacks:
            if callback.every and self._done % callback.every == 0:
                callback.step(self)

    def _prepare(self, batch: Any) -> None:
        """Make the programs for data like this batch."""
        own, sums = self._parts()
        if batch is None and sums is None:
            raise ValueError("`data` has no batches: it is empty, or smaller than one batch.")
        if sums is None:
            _, outcome = eqx.filter_eval_shape(self._step, own, batch)
            self._names = totals.log_types(outcome)
            self._carry = loop.pack((own, totals.nothing(self._names, self.metrics)))
        self._done = self.steps
        self._training = loop.Loop(self._body, [], self._parts())

    def _body(self, constants: Any, carry: Any, batch: Any) -> Any:
        own, sums = carry
        new, outcome = self._step(own, batch)
        return new, totals.add(sums, outcome, batch, self.metrics)

    # Use

    def evaluate(self, data: Any) -> dict[str, Any]:
        """The loss and the metrics, by name.

        Arguments:
            data: batches, a dataset, or arrays (*inputs, target).
        """
        if self._objective is None:
            raise TypeError("a Trainer with a `step` has no loss to evaluate: use its model.")
        held = _held(data)
        return self._evaluate(held, loop.resident(held))

    def _evaluate(self, batches: Any, fast: loop.Resident | None) -> dict[str, Any]:
        own = self._parts()[0]
        constants = loop.pack((averaged(own), own.key))
        first = next(iter(batches.epoch(0, 0)), None)
        if first is None:
            raise ValueError("there is nothing to evaluate: the data has no batches.")
        program, (leaves, form) = self._evaluation_of(constants, first)
        done = 0
        if fast is not None:
            rows = fast.rows(0)
            done = len(rows)
            leaves = program.rows(constants.leaves, leaves, fast.arrays, rows, 0, done)
        for batch in batches.epoch(0, done):
            leaves = program.batch(constants.leaves, leaves, batch)
        return totals.figures(loop.unpack(loop.Packed(leaves, form)), self.metrics)

    def _evaluation_of(self, constants: loop.Packed, batch: Any) -> tuple[loop.Loop, loop.Packed]:
        """The program that adds batches to totals, and totals of nothing."""

        def outcome(constants: Any, batch: Any) -> Outcome:
            value, (logs, prediction, target) = self._objective(constants[0], batch, constants[1])
            return Outcome({"loss": value, **logs}, jnp.array(True), prediction, target)

        def body(constants: Any, sums: totals.Totals, batch: Any) -> totals.Totals:
            return totals.add(sums, outcome(constants, batch), batch, self.metrics)

        if self._evaluation is None:
            found = eqx.filter_eval_shape(outcome, loop.unpack(constants), batch)
            names = totals.log_types(found)
            sums = totals.nothing(names, self.metrics)
            self._evaluation = loop.Loop(body, loop.unpack(constants), sums), names
        program, names = self._evaluation
        return program, loop.pack(totals.nothing(names, self.metrics))

    def predict(self, inputs: Any, *, batch: int = 256) -> Any:
        """model(inputs) as NumPy arrays, computed in batches.

        Arguments:
            inputs: an array, a tuple of arrays for a model of several inputs, a dataset of these,
                or batches.
            batch: samples computed at once.
        """
        model = averaged(self._parts()[0])
        if not isinstance(inputs, Batches | Dataset):
            inputs = arrays(*inputs) if isinstance(inputs, tuple) else arrays(inputs)
        if isinstance(inputs, Dataset):
            inputs = inputs.batch(batch)
        found = [
            jax.tree.map(np.asarray, self._use(model, part if isinstance(part, tuple) else (part,)))
            for part in inputs
        ]
        if not found:
            raise ValueError("`inputs` is empty: there is nothing to predict.")
        return jax.tree.map(lambda *parts: np.concatenate(parts), *found)

    # Files

    def save(self, path: str | os.PathLike) -> None:
        """Write all that `fit(resume=path)` and `restore` need, in one step."""
        own, sums = self._parts()
        checkpoint.save(
            path,
            {"state": own, "totals": sums},
            metadata={
                "epoch": self.epoch,
                "batch": self.batch,
                "logs": self._names,
                "history": [_plain(logs) for logs in self.history],
                "callbacks": [callback.memory() for callback in self.callbacks],
            },
        )

    def restore(self, path: str | os.PathLike) -> None:
        """Take over the state of a checkpoint, made by a Trainer of the same arguments."""
        stored = checkpoint.read_metadata(path)
        if not {"epoch", "batch", "logs", "history", "callbacks"} <= stored.keys():
            raise checkpoint.CheckpointError(f"{path} is no checkpoint of a training.")
        own, _ = self._parts()
        sums = None
        if stored["logs"] is not None:
            sums = totals.nothing(stored["logs"], self.metrics)
        tree = checkpoint.load(path, like={"state": own, "totals": sums})
        if len(stored["callbacks"]) != len(self.callbacks):
            raise ValueError(
                f"{path} has the memory of {len(stored['callbacks'])} callbacks; here are "
                f"{len(self.callbacks)}."
            )
        self._carry = loop.pack((tree["state"], tree["totals"]))
        self._names, self._training = stored["logs"], None
        self.epoch, self.batch, self.history = stored["epoch"], stored["batch"], stored["history"]
        for callback, memory in zip(self.callbacks, stored["callbacks"], strict=True):
            callback.recall(memory)


class _Pace:
    """Looks at the numbers now and then, since each look waits for the device."""

    def __init__(self, trainer: Trainer, show: Show, batches: int | None):
        self.trainer, self.show, self.batches = trainer, show, batches
        self.last = time.perf_counter()

    def look(self) -> None:
        now = time.perf_counter()
        if now - self.last < _MOMENT:
            return
        trainer = self.trainer
        _, sums = trainer._parts()
        if int(sums.stuck) >= _STUCK:
            trainer.stop("loss not finite: the state is that of the last good step")
        self.show(trainer.epoch, trainer.batch, self.batches, jax.device_get(sums.means))
        self.last = time.perf_counter()


def _plain(logs: Mapping[str, Any]) -> dict[str, Any]:
    """Logs as JSON has them."""
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in logs.items()
    }


def _batches(data: Any) -> Any:
    if isinstance(data, Batches):
        return data
    if isinstance(data, Dataset):
        raise TypeError("`data` must be in batches: write dataset.batch(64).")
    if isinstance(data, tuple):
        raise TypeError("`data` must be in batches: write data.arrays(*arrays).batch(64).")
    return loop.Reiterable(data)


def _held(data: Any) -> Any:
    """What is evaluated, in batches."""
    dataset = arrays(*data) if isinstance(data, tuple) else data
    return dataset.batch(_HELD) if isinstance(dataset, Dataset) else _batches(dataset)


def _count(batches: Any) -> int | None:
    return batches.count if isinstance(batches, loop.Reiterable) else len(batches)


def _average(average: Any) -> Callable[[jax.Array], jax.Array] | None:
    if average is None or callable(average):
        return average
    if not 0 <= average < 1:
        raise ValueError(f"`average` is a decay from 0 to below 1, or swa(); got {average!r}.")
    return lambda step: jnp.asarray(1.0 - average)


def swa(start: int = 0, every: int = 1) -> Callable[[jax.Array], jax.Array]:
    """Returns the plain average of the parameters from step `start` on, after each `every` steps.

    For `Trainer(average=...)`. Batch statistics are those of the model, not of the average.

    Source: Izmailov et al., Averaging weights leads to wider optima and better generalization
    (2018), Algorithm 1.
    """
    if start < 0 or every < 1:
        raise ValueError(f"`swa` needs start >= 0 and every >= 1; got {start} and {every}.")

    def weight(step: jax.Array) -> jax.Array:
        # Up to the start the average is the parameters themselves.
        past = step - max(start, 1)
        taken = (past < 0) | (past % every == 0)
        return jnp.where(taken, 1.0 / (1 + jnp.maximum(past, 0) // every), 0.0)

    return weight


def _check_metrics(metrics: tuple, kind: str) -> None:
    if metrics and kind != "loss":
        raise TypeError(
            f"`metrics` look at predictions and targets, which a Trainer with `{kind}` does not "
            "know: return the figures as logs."
        )
    names = [metric.name for metric in metrics]
    if len({*names, "loss"}) <= len(names):
        raise ValueError(f"`metrics` must have different names, none of them 'loss'; got {names}.")


def _check_optimizers(model: Any, optimizer: Any) -> None:
    if isinstance(optimizer, Mapping) and not (
        isinstance(model, Mapping) and optimizer.keys() <= model.keys()
    ):
        raise ValueError(
            f"`optimizer` names {list(optimizer)}, and so `model` must be a dictionary with these "
            "names."
        )
