"""A training does what its arguments say, to the last bit, and goes on where it was stopped."""

import csv
import json
import os
import struct
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import diffcore as dc
from diffcore import data, nn, optim, train

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(40, 3))
VALUES = POINTS @ np.array([[1.0], [-2.0], [0.5]]) + 0.3
BATCHES = data.arrays(POINTS, VALUES).shuffle(0).batch(16)  # two full ones and one of 8


def net(seed=0):
    return nn.Sequential([nn.Linear(3, 8), nn.tanh, nn.Dropout(0.2), nn.Linear(8, 1)], key=seed)


def trainer(model=None, **options):
    options = {"loss": nn.mse_loss, "optimizer": optim.adam(1e-2), "key": 1} | options
    if options.get("loss") is None:
        options.pop("loss")
    return train.Trainer(net() if model is None else model, **options)


def leaves(tree):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(nn.split(tree)[0])]


def assert_same(a, b, **tolerance):
    for x, y in zip(leaves(a), leaves(b), strict=True):
        np.testing.assert_allclose(x, y, **({"rtol": 0, "atol": 0} | tolerance))


def by_hand(model, optimizer, batches, epochs, clip=None):
    """The same training written out, without the trainer."""
    parameters, rest = nn.split(model)
    state = optimizer.init(parameters)
    for epoch in range(epochs):
        for x, y in batches.epoch(epoch):
            loss = lambda p: nn.mse_loss(nn.merge(p, rest)(x), y)  # noqa: B023, E731
            updates, state = optimizer.update(jax.grad(loss)(parameters), state, parameters)
            parameters = optax.apply_updates(parameters, updates)
    return nn.merge(parameters, rest)


LINEAR = nn.Linear(3, 1, key=3)


@pytest.mark.parametrize("streamed", [False, True])
def test_a_training_takes_the_steps_of_the_loop_written_out(streamed):
    batches = BATCHES.map(lambda batch: batch) if streamed else BATCHES
    own = trainer(LINEAR)
    own.fit(batches, epochs=3)
    # rounding of compiled and uncompiled programs
    assert_same(own.model, by_hand(LINEAR, optax.adam(1e-2), BATCHES, 3), rtol=1e-12)
    assert own.steps == 9 and own.reason == "all epochs done"


@pytest.mark.parametrize("optimizer", [optim.adam(1e-2), optim.sgd(1e-1)])
def test_accumulated_batches_move_like_one_large_batch(optimizer):
    small, large = (data.arrays(POINTS, VALUES).batch(size) for size in (10, 40))
    one = trainer(LINEAR, optimizer=optimizer, accumulate=4, clip=0.1)
    two = trainer(LINEAR, optimizer=optimizer, clip=0.1)
    one.fit(small, epochs=3)
    two.fit(large, epochs=3)
    assert_same(one.model, two.model, rtol=1e-10)  # the order of sums; Adam divides by small ones


def test_a_clipped_gradient_has_at_most_its_norm():
    own = trainer(LINEAR, optimizer=optim.sgd(1.0), clip=0.01)
    own.fit(data.arrays(POINTS, VALUES).batch(40), epochs=1)
    moved = [a - b for a, b in zip(leaves(own.model), leaves(LINEAR), strict=True)]
    assert np.sqrt(sum((m**2).sum() for m in moved)) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("average", "expected"),
    [
        (0.9, lambda w: 0.9 * (0.9 * (0.9 * w[0] + 0.1 * w[1]) + 0.1 * w[2]) + 0.1 * w[3]),
        (train.swa(start=2), lambda w: (w[2] + w[3]) / 2),
        (train.swa(), lambda w: (w[1] + w[2] + w[3]) / 3),
    ],
)
def test_averages_of_parameters_follow_their_formula(average, expected):
    path = [LINEAR]
    watch = train.Callback()
    watch.every, watch.step = 1, lambda trainer: path.append(trainer.model)
    own = trainer(LINEAR, average=average, callbacks=[watch])
    own.fit(BATCHES, epochs=1)
    weights = [np.asarray(model.weight) for model in path]
    np.testing.assert_allclose(own.averaged.weight, expected(weights), rtol=1e-12)  # rounding
    used = own.predict(POINTS)
    np.testing.assert_allclose(used, own.averaged(POINTS), rtol=1e-12)


def test_frozen_parts_stay_and_rates_follow_paths():
    model = nn.freeze(nn.Sequential([nn.Linear(3, 4), nn.tanh, nn.Linear(4, 1)], key=0), "layers.0")
    slow = optim.scale_by_path({"layers.2.bias": 0.0})
    own = trainer(model, optimizer=optim.first_order(optax.chain(optax.sgd(0.1), slow)))
    own.fit(BATCHES, epochs=1)
    moved = {
        path: not np.array_equal(array, nn.state(model)[path])
        for path, array in nn.state(own.model).items()
    }
    assert moved == {
        "layers.0.weight": False,
        "layers.0.bias": False,
        "layers.2.weight": True,
        "layers.2.bias": False,
    }


def test_batch_statistics_come_out_and_are_used():
    own = trainer(nn.Sequential([nn.BatchNorm(3, momentum=1.0), nn.Linear(3, 1)], key=0))
    own.fit(data.arrays(POINTS, VALUES).batch(40), epochs=1)
    # rounding
    np.testing.assert_allclose(own.model[0].running_mean.array, POINTS.mean(0), atol=1e-14)


def test_convolutions_run_step_by_step_and_agree_with_the_loop_written_out():
    images = POINTS[:, None, :, None] * np.ones((1, 1, 1, 3))
    model = nn.Sequential([nn.Conv2d(1, 2, 2), nn.Flatten(), nn.Linear(8, 1)], key=0)
    batches = data.arrays(images, VALUES).batch(16)
    own = trainer(model)
    own.fit(batches, epochs=2)
    assert_same(own.model, by_hand(model, optax.adam(1e-2), batches, 2), rtol=1e-10)


# Precision


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_half_precision_trains_parameters_in_full_precision(precision):
    with dc.precision("float32"):
        own = trainer(LINEAR_32(), precision=precision, optimizer=optim.adam(0.05))
        own.fit(data.arrays(POINTS, VALUES).batch(40), epochs=200)
        assert {leaf.dtype.name for leaf in leaves(own.model)} == {"float32"}
        # numbers of size 3 are rounded by 2^-9 of their size: (3 / 512)^2, twice that in bfloat16
        assert own.evaluate((POINTS, VALUES))["loss"] < 1e-4
        assert own.predict(POINTS).dtype == "float32"


def LINEAR_32():
    return nn.Linear(3, 1, key=3)


def test_the_scale_of_float16_halves_at_an_overflow_and_the_step_is_not_taken():
    with dc.precision("float32"):
        own = trainer(LINEAR_32(), precision="float16", loss=lambda p, t: 1e4 * nn.mse_loss(p, t))
        before = own.state
        own.fit(data.arrays(POINTS, 100 * VALUES).batch(40), epochs=1)
        after = own.state
    assert float(after.scale.factor) == float(before.scale.factor) / 2 == 2.0**14
    assert own.history[0]["skipped"] == 1
    assert_same(after.model, before.model)


# Not finite


def test_a_batch_with_nan_leaves_the_state_of_the_last_good_step():
    broken = [(POINTS[:8], VALUES[:8]), (POINTS[:8] * np.nan, VALUES[:8])]
    good, bad = trainer(LINEAR), trainer(LINEAR)
    good.fit(broken[:1], epochs=1)
    bad.fit(broken, epochs=1)
    assert_same(good.model, bad.model)
    assert_same(good.state.optimizer, bad.state.optimizer)
    assert bad.history[0]["skipped"] == 1 and np.isfinite(bad.history[0]["loss"])


def test_a_training_without_any_finite_step_ends_and_says_so(monkeypatch):
    monkeypatch.setattr("diffcore.train.trainer._MOMENT", 0.0)
    own = trainer(LINEAR)
    own.fit([(POINTS * np.nan, VALUES)] * 60, epochs=9)
    assert own.reason.startswith("loss not finite") and own.steps == 50
    assert_same(own.model, LINEAR)


# Resume


def run(folder, epochs=4, resume=None, fail_at=None, **options):
    callbacks = [train.Checkpoint(folder, "validation_loss", every=4), train.ReduceOnPlateau()]
    if fail_at:
        stop = train.Callback()
        stop.every, stop.epoch = fail_at, lambda *args: None

        def fail(trainer):
            if trainer.steps == fail_at:
                raise KeyboardInterrupt

        stop.step = fail
        callbacks.append(stop)
    own = trainer(callbacks=callbacks, average=0.9, metrics=[train.r2()], **options)
    if fail_at:
        with pytest.raises(KeyboardInterrupt):
            own.fit(BATCHES, epochs=epochs, validation=(POINTS, VALUES))
        return own
    own.fit(BATCHES, epochs=epochs, validation=(POINTS, VALUES), resume=resume)
    return own


def without_time(history):
    return [{k: v for k, v in logs.items() if k != "seconds"} for logs in history]


def test_an_interrupted_training_goes_on_to_the_same_bits(tmp_path):
    whole = run(tmp_path / "a")
    run(tmp_path / "b", fail_at=7)  # in the third epoch, three steps after a checkpoint

    class Memory(train.Callback):
        """In the place of the one that failed."""

    callbacks = [train.Checkpoint(tmp_path / "b", "validation_loss", every=4)]
    callbacks += [train.ReduceOnPlateau(), Memory()]
    own = trainer(callbacks=callbacks, average=0.9, metrics=[train.r2()])
    last = tmp_path / "b" / "last.npz"
    own.fit(BATCHES, epochs=4, validation=(POINTS, VALUES), resume=last)
    for a, b in zip(jax.tree.leaves(whole.state), jax.tree.leaves(own.state), strict=True):
        assert (
            (jax.random.key_data(a) == jax.random.key_data(b)).all()
            if is_key(a)
            else (a == b).all()
        )
    assert without_time(whole.history) == without_time(own.history)


def is_key(leaf):
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


SCRIPT = """
import os, sys
import numpy as np
from diffcore import data, nn, optim, train

folder, kill = sys.argv[1], int(sys.argv[2])
x = np.linspace(-1, 1, 48, dtype=np.float32)[:, None]


class Kill(train.Callback):
    every = 1

    def step(self, trainer):
        if trainer.steps == kill:
            os._exit(9)


model = nn.Sequential([nn.Linear(1, 8), nn.tanh, nn.Dropout(0.1), nn.Linear(8, 1)], key=0)
trainer = train.Trainer(model, loss=nn.mse_loss, optimizer=optim.adam(1e-2),
                        callbacks=[train.Checkpoint(folder, every=3), Kill()])
batches = data.arrays(x, np.sin(3 * x)).shuffle(0).batch(10)
trainer.fit(batches, epochs=3, resume=folder + "/last.npz")
np.savez(folder + "/end.npz", *[a for a in nn.state(trainer.model).values()])
"""


def test_a_killed_process_resumes_to_the_same_bits(tmp_path):
    def start(folder, kill):
        return subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path / folder), str(kill)],
            env=os.environ | {"JAX_PLATFORMS": "cpu"},
        ).returncode

    assert start("whole", -1) == 0
    assert start("killed", 8) == 9
    assert start("killed", -1) == 0
    one, two = (np.load(tmp_path / folder / "end.npz") for folder in ("whole", "killed"))
    for name in one.files:
        np.testing.assert_array_equal(one[name], two[name])


def test_a_checkpoint_of_another_model_is_refused(tmp_path):
    own = trainer(LINEAR)
    own.fit(BATCHES, epochs=1)
    own.save(tmp_path / "c.npz")
    with pytest.raises(dc.checkpoint.CheckpointError, match="structure|shape"):
        trainer().restore(tmp_path / "c.npz")
    dc.checkpoint.save(tmp_path / "d.npz", {"a": 1})
    with pytest.raises(dc.checkpoint.CheckpointError, match="no checkpoint of a training"):
        own.restore(tmp_path / "d.npz")


# Steps of one's own


def test_a_users_step_with_two_optimizers_moves_both_networks():
    model = {"one": nn.Linear(3, 1, key=0), "two": nn.Linear(3, 1, key=1)}
    optimizers = {"one": optim.sgd(0.1), "two": optim.adam(0.1)}

    def squares(model, x, y):
        return nn.mse_loss(model(x), y)

    def step(state, batch):
        models, memory, logs = dict(state.model), dict(state.optimizer), {}
        for name, optimizer in optimizers.items():
            value, models[name], memory[name] = train.descend(
                squares, models[name], optimizer, memory[name], *batch
            )
            logs[f"loss_{name}"] = value
        new = train.State(models, memory, state.step, state.key, state.rate)
        return new, logs

    own = trainer(model, loss=None, step=step, optimizer=optimizers)
    own.fit(BATCHES, epochs=2)
    assert_same(own.model["one"], by_hand(model["one"], optax.sgd(0.1), BATCHES, 2), rtol=1e-12)
    assert_same(own.model["two"], by_hand(model["two"], optax.adam(0.1), BATCHES, 2), rtol=1e-12)
    assert {"loss_one", "loss_two"} <= own.history[0].keys()


def test_an_objective_gets_model_batch_and_key_and_returns_logs():
    def objective(model, batch, key):
        x, y = batch
        noise = 0 * jax.random.normal(key, x.shape)
        return nn.mse_loss(model(x + noise), y), {"size": jnp.float32(len(x))}

    own = trainer(LINEAR, loss=None, objective=objective)
    own.fit(BATCHES, epochs=2)
    assert_same(own.model, by_hand(LINEAR, optax.adam(1e-2), BATCHES, 2), rtol=1e-12)
    assert own.history[0]["size"] == pytest.approx((16 * 16 * 2 + 8 * 8) / 40)


# Metrics

SCORES, CLASSES = RNG.normal(size=(60, 4)), RNG.integers(0, 4, 60)
BINARY, TRUTH = RNG.normal(size=60), RNG.integers(0, 2, 60)


def counts():
    matrix = np.zeros((4, 4), int)
    np.add.at(matrix, (CLASSES, SCORES.argmax(1)), 1)
    return matrix


def ranked(k):
    return np.mean([c in np.argsort(-s)[:k] for s, c in zip(SCORES, CLASSES, strict=True)])


def pairs():
    positive, negative = BINARY[TRUTH == 1], BINARY[TRUTH == 0]
    return (positive[:, None] > negative).mean()


M = counts()
HITS = np.diag(M)
METRICS = [
    (train.accuracy, SCORES, CLASSES, ranked(1)),
    (train.top_k(2), SCORES, CLASSES, ranked(2)),
    (train.top_k(1, axis=0), SCORES.T[None].swapaxes(0, 1), CLASSES[None], ranked(1)),
    (train.accuracy, BINARY, TRUTH, np.mean((BINARY > 0) == TRUTH)),
    (train.confusion_matrix(4), SCORES, CLASSES, M),
    (train.precision(4), SCORES, CLASSES, (HITS / M.sum(0)).mean()),
    (train.recall(4, average="none"), SCORES, CLASSES, HITS / M.sum(1)),
    (train.f1(4), SCORES, CLASSES, (2 * HITS / (M.sum(0) + M.sum(1))).mean()),
    (train.f1(4, average="micro"), SCORES, CLASSES, HITS.sum() / 60),
    (train.precision(), BINARY, TRUTH, TRUTH[BINARY > 0].mean()),
    (train.auc(), BINARY, TRUTH, pairs()),
    (train.r2(), BINARY, 5 + 0.1 * BINARY**2, 1 - ((BINARY - 5 - 0.1 * BINARY**2) ** 2).sum()
     / (60 * (0.1 * BINARY**2).var())),
    (train.perplexity(), SCORES, CLASSES, float(np.exp(nn.cross_entropy(SCORES, CLASSES)))),
    (train.relative_l2, SCORES, SCORES * [1.1, 1.1, 1.1, 1.1], 0.1 / 1.1),
    (train.mean_of("largest", lambda p, t: p.max(-1)), SCORES, CLASSES, SCORES.max(1).mean()),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(METRICS)))
def test_metrics_of_batches_are_those_of_the_whole(case):
    metric, prediction, target, expected = METRICS[case]
    state, axis = metric.start(), -1 if case == 2 else 0
    for part in np.array_split(np.arange(60), 7):
        own = (jnp.asarray(np.take(whole, part, axis=axis)) for whole in (prediction, target))
        state = metric.add(state, *own)
    # rounding; the intervals of auc, of which few hold two of 60 scores
    tolerance = 5e-3 if metric.name == "auc" else 1e-12
    np.testing.assert_allclose(metric.value(state), expected, rtol=tolerance)
    if metric.name == "accuracy":
        ignored = metric(prediction, np.where(target == 0, -1, target))
        assert ignored != metric(prediction, target)


def test_metrics_count_on_where_float32_sums_would_stand_still():
    with dc.precision("float32"):
        state = (jnp.int32(2**25), jnp.float32(0.5))
        state = train.accuracy.add(state, jnp.ones((2**14, 1)), jnp.zeros(2**14, jnp.int32))
        mean = train.accuracy.value(state)
    assert int(state[0]) == 2**25 + 2**14
    # 2^14 hits among 2^25 of mean 1/2 add 2^-12; float32 at 0.5 has steps of 2^-25
    assert float(mean) == pytest.approx(0.5 + 2**-12, abs=2**-23)


def test_training_and_evaluation_show_the_metrics_of_their_samples():
    own = trainer(LINEAR, metrics=[train.r2(), nn.l1_loss], optimizer=optim.sgd(0.0))
    own.fit(BATCHES, epochs=1, validation=data.arrays(POINTS, VALUES).batch(7))
    found, residual = own.history[0], np.asarray(LINEAR(POINTS)) - VALUES
    for name in ("loss", "validation_loss"):
        assert found[name] == pytest.approx((residual**2).mean())
    for name in ("l1_loss", "validation_l1_loss"):
        assert found[name] == pytest.approx(np.abs(residual).mean())
    assert found["r2"] == pytest.approx(1 - (residual**2).mean() / VALUES.var())
    assert own.evaluate((POINTS, VALUES))["r2"] == pytest.approx(found["validation_r2"])


# Callbacks


def flat_losses(*values):
    """A trainer whose callbacks see these validation losses."""
    return [{"epoch": i + 1, "step": i, "validation_loss": v} for i, v in enumerate(values)]


def test_early_stopping_waits_for_its_patience():
    stop, own = train.EarlyStopping(patience=2, change=0.1), trainer(LINEAR)
    for logs in flat_losses(1.0, 0.95, 0.8, 0.75, 0.74):
        assert own.reason == ""
        stop.epoch(own, logs)
    assert own.reason == "validation_loss has not improved for 2 epochs"


def test_rates_fall_on_a_plateau_and_by_schedule():
    own, reduce = trainer(LINEAR), train.ReduceOnPlateau(factor=0.5, patience=2, smallest=0.3)
    for logs in flat_losses(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0):
        reduce.epoch(own, logs)
    assert own.rate == 0.3
    half = trainer(LINEAR, callbacks=[train.Schedule(lambda epoch: 0.5)], optimizer=optim.sgd(0.1))
    half.fit(BATCHES, epochs=2)
    assert_same(half.model, by_hand(LINEAR, optax.sgd(0.05), BATCHES, 2), rtol=1e-12)


def test_the_best_epoch_is_kept(tmp_path):
    keep = train.Checkpoint(tmp_path, "loss")
    own = trainer(LINEAR, optimizer=optim.sgd(-0.01), callbacks=[keep])  # goes up
    own.fit(BATCHES, epochs=3)
    assert own.epoch == 3
    own.restore(keep.best)
    assert own.epoch == 1 and len(own.history) == 1


def test_logs_are_read_back(tmp_path):
    logs = [train.Log(tmp_path / "a" / "log.csv"), train.Log(tmp_path / "log.jsonl")]
    own = trainer(LINEAR, callbacks=logs)
    own.fit(BATCHES, epochs=2, validation=(POINTS, VALUES))
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert lines == own.history
    with open(tmp_path / "a" / "log.csv") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["validation_loss"]) for row in rows] == [h["validation_loss"] for h in lines]


def read_events(content):
    """(step, {tag: value}) of the events of a file, whose checksums are computed bit by bit."""

    def checksum(text):
        crc = 0xFFFFFFFF
        for bit in (byte >> i & 1 for byte in text for i in range(8)):
            crc = crc >> 1 ^ (0x82F63B78 if (crc ^ bit) & 1 else 0)
        crc ^= 0xFFFFFFFF
        return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF

    def fields(text):
        i, found = 0, []
        while i < len(text):
            key, i = varint(text, i)
            kind = key & 7
            if kind == 0:
                value, i = varint(text, i)
            else:
                size, i = varint(text, i) if kind == 2 else ({1: 8, 5: 4}[kind], i)
                value, i = text[i : i + size], i + size
            found.append((key >> 3, value))
        return found

    def varint(text, i):
        value = shift = 0
        while True:
            value |= (text[i] & 0x7F) << shift
            shift, i = shift + 7, i + 1
            if text[i - 1] < 0x80:
                return value, i

    events = []
    while content:
        (size,) = struct.unpack("<Q", content[:8])
        assert struct.unpack("<I", content[8:12])[0] == checksum(content[:8])
        body, content = content[12 : 12 + size], content[12 + size :]
        assert struct.unpack("<I", content[:4])[0] == checksum(body)
        content = content[4:]
        message = fields(body)
        step = dict(message)[2]
        scalars = [dict(fields(v)) for k, text in message if k == 5 for _, v in fields(text)]
        events.append((step, {s[1].decode(): struct.unpack("<f", s[2])[0] for s in scalars}))
    return events


def test_event_files_hold_the_figures_in_tensorboards_format(tmp_path):
    own = trainer(LINEAR, callbacks=[train.TensorBoard(tmp_path)])
    own.fit(BATCHES, epochs=2)
    (path,) = tmp_path.iterdir()
    (_, nothing), *events = read_events(path.read_bytes())
    assert nothing == {} and b"brain.Event:2" in path.read_bytes()
    assert [step for step, _ in events] == [3, 6]
    for (_, scalars), logs in zip(events, own.history, strict=True):
        assert scalars["loss"] == pytest.approx(logs["loss"], rel=1e-7)  # float32


def test_progress_is_written_where_it_is_wanted(capsys):
    trainer(LINEAR).fit(BATCHES, epochs=2, progress=True)
    assert "epoch 2 of 2: loss " in capsys.readouterr().err
    trainer(LINEAR).fit(BATCHES, epochs=1)
    assert capsys.readouterr() == ("", "")


# Wrong use


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: trainer(loss=None), "one of `loss`, `objective` and `step`; got none"),
        (lambda: trainer(objective=nn.mse_loss), "got loss and objective"),
        (lambda: trainer(loss=None, step=print, clip=1.0), "belong to the step"),
        (lambda: trainer(precision="float8"), "`precision` is"),
        (lambda: trainer(accumulate=0), "at least 1"),
        (lambda: trainer(average=1.0), "a decay"),
        (lambda: trainer(optimizer=optim.lbfgs()), "optim.run"),
        (lambda: trainer(nn.freeze(LINEAR)), "no parameters to train"),
        (lambda: trainer(metrics=[train.accuracy, train.accuracy]), "different names"),
        (lambda: trainer(metrics=["accuracy"]), "`metrics` are such as"),
        (lambda: trainer().fit((POINTS, VALUES), epochs=1), r"\.batch\(64\)"),
        (lambda: trainer().fit(data.arrays(POINTS, VALUES), epochs=1), r"\.batch\(64\)"),
        (lambda: trainer().fit(iter([]), epochs=1), "again and again"),
        (lambda: trainer().fit([], epochs=1), "no batches"),
        (lambda: trainer(LINEAR).fit([POINTS], epochs=1), r"\(inputs, target\)"),
        (lambda: trainer(LINEAR).predict(POINTS[:0]), "empty"),
        (lambda: train.EarlyStopping("speed"), 'better="low"'),
        (lambda: train.EarlyStopping().epoch(None, {"loss": 1.0}), "not among the figures loss"),
        (lambda: train.Log("log.txt"), "ends in .csv or .jsonl"),
        (
            lambda: trainer(LINEAR, loss=lambda p, t: p - t).fit(BATCHES, epochs=1),
            "rank|scalar",
        ),
    ],
)
def test_wrong_use_is_refused_in_words(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
