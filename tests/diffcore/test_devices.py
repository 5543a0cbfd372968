"""Points divided among devices and processes give the loss curve of one device."""

import json
import os
import signal
import socket
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import diffcore as dc
from diffcore import devices, nn

RUN = """
import json, os, sys
import jax, jax.numpy as jnp, numpy as np
import diffcore as dc
from diffcore import checkpoint, devices, nn, optim

address, count, rank, folder, chunks = json.loads(sys.argv[1])
if count > 1:
    assert dc.distributed(address, count, rank, patience=5) == (rank, count)
mesh = devices.mesh("all")
with dc.precision("float64"):
    model = nn.MLP(2, 1, 8, 1, key=0)
    points = np.random.default_rng(0).normal(size=(48, 2))  # as each process draws them

    def loss(parameters, points):
        return jnp.sum((nn.merge(parameters, rest)(points)[:, 0] - jnp.sin(points[:, 0])) ** 2)

    parameters, rest = nn.split(model)
    step = devices.sum_over_devices(dc.sum_value_and_grad(loss, chunk=2), mesh)
    state, args = devices.replicate((optim.adam(1e-2).init(parameters), points), mesh)
    parameters = devices.replicate(parameters, mesh)
    losses = []
    for chunk in range(chunks):
        with devices.loss_explained():
            run = optim.run(optim.adam(1e-2), step, parameters, steps=5, state=state, args=(args,))
            losses += devices.gather(run.losses).tolist()
        parameters, state = run.parameters, run.state
        if devices.is_first_process():
            checkpoint.save(os.path.join(folder, "a.npz"), devices.gather(nn.state(parameters)))
        print("curve", json.dumps(losses), flush=True)
assert mesh.size == jax.device_count() and abs(devices.agreed(rank) - 0) < 1e-9
"""


def start(folder, *, count=1, rank=0, address="", chunks=2, simulated=1):
    flags = f"--xla_force_host_platform_device_count={simulated}"
    cache = {"JAX_COMPILATION_CACHE_DIR": jax.config.jax_compilation_cache_dir or ""}
    return subprocess.Popen(
        [sys.executable, "-c", RUN, json.dumps([address, count, rank, str(folder), chunks])],
        env=os.environ | cache | {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def curve(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err[-2000:]
    return np.array(losses_in(out.splitlines()[-1]))


def losses_in(line):
    return json.loads(line.removeprefix("curve ")) if line.startswith("curve") else []


def free_address():
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return f"localhost:{s.getsockname()[1]}"


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return curve(start(tmp_path_factory.mktemp("alone")))


def test_eight_devices_give_the_loss_curve_of_one(alone, tmp_path):
    losses = curve(start(tmp_path, simulated=8))
    # ten steps, sums in another order
    assert len(losses) == 10 and np.allclose(losses, alone, rtol=1e-12)


def test_two_processes_give_the_loss_curve_of_one(alone, tmp_path):
    address = free_address()
    pair = [start(tmp_path, count=2, rank=rank, address=address) for rank in range(2)]
    curves = [curve(process) for process in pair]
    assert np.array_equal(*curves) and np.allclose(curves[0], alone, rtol=1e-12)


def test_the_loss_of_a_process_is_told_and_leaves_a_checkpoint(tmp_path):
    address = free_address()
    pair = [start(tmp_path, count=2, rank=r, address=address, chunks=10**6) for r in range(2)]
    try:
        while len(losses_in(pair[0].stdout.readline())) < 10:
            assert pair[0].poll() is None
        pair[1].send_signal(signal.SIGKILL)
        _, err = pair[0].communicate(timeout=60)
    finally:
        for process in pair:
            process.kill()
            process.communicate()
    assert pair[0].returncode != 0
    assert "process 0 of 2 lost another one" in err and "from its last checkpoint" in err
    weights = dc.checkpoint.load(tmp_path / "a.npz")
    assert all(np.isfinite(w).all() for w in weights.values())


# One process, one device


def test_parameters_are_divided_by_path():
    mesh = devices.mesh(data=-1, model=1)
    model = devices.place(nn.MLP(2, 1, 8, 2, key=0), mesh, {"layers.*.weight": ("model", None)})
    assert model.layers[0].weight.sharding.spec == jax.sharding.PartitionSpec("model", None)
    assert model.layers[0].bias.sharding.is_fully_replicated
    with pytest.raises(ValueError, match="match no array"):
        devices.place(model, mesh, {"head.*": ("model",)})


def test_shards_come_back_whole():
    x = np.arange(12.0).reshape(6, 2)
    there = devices.shard({"x": x}, devices.mesh())
    assert isinstance(there["x"], jax.Array)
    assert np.array_equal(devices.gather(there)["x"], x)


def test_sums_over_devices_are_sums_over_points():
    def f(a, x):
        return {"value": jnp.sum(a * x), "gradient": jax.grad(lambda a: jnp.sum(a * x**2))(a)}

    x = jnp.arange(4.0)
    found = devices.sum_over_devices(f, devices.mesh())(3.0, x)
    assert found["value"] == 18 and found["gradient"] == 14


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: devices.mesh(10**6), ValueError, "`devices` is from 1 to"),
        (lambda: devices.mesh("gpu"), TypeError, '"all", a number, or a list'),
        (lambda: devices.mesh(data=10**6), ValueError, "do not make up"),
        (lambda: devices.shard(np.float64(1), devices.mesh()), ValueError, "multiple of"),
        (lambda: dc.distributed("localhost:1"), ValueError, "go together"),
    ],
)
def test_what_means_nothing_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
