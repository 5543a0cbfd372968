"""A network trained on eight devices follows the loss curve of one."""

import json
import os
import subprocess
import sys

import jax
import numpy as np
import pytest

from solvers import PINN

RUN = """
import json, jax, diffcore as dc
import geometry as geo
from diffcore import optim
from equations import Eq, Problem, coordinates, diff, field
from solvers import PINN
from solvers.monitor import Silent, Target
from solvers.pinn import Phase
from solvers.pinn.balance import Fixed
from solvers.pinn.objective import Objective
from solvers.pinn.training import Training

x = coordinates("x")
u = field("u", x)
law = Eq(-diff(u, x, 2), 1)
problem = Problem(geo.Interval(0, 1), law, {("left", "right"): Eq(u, 0)})
for devices in (None, "all"):
    phases = (Phase("Adam", optim.adam(1e-2), 6, redraw=3),)
    method = PINN(4, 1, points=61, boundary_points=10, hard=False, balance=Fixed(),
                  phases=phases, devices=devices)
    with dc.precision("float64"):
        setup = method._setup(problem, jax.random.key(0))
        objective = Objective(setup.terms, mesh=setup.mesh)
        training = Training(
            objective, setup.weights, setup.balances, phases, "uniform", setup.key, lambda _: 1.0
        )
        state, _ = training.run(setup.trial, Target(), Silent())
    size = 1 if setup.mesh is None else setup.mesh.size
    print(json.dumps([size, state.history["loss"].tolist()]))
"""


def test_eight_devices_follow_the_loss_curve_of_one():
    flags = "--xla_force_host_platform_device_count=8"
    cache = {"JAX_COMPILATION_CACHE_DIR": jax.config.jax_compilation_cache_dir or ""}
    settings = os.environ | cache | {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-c", RUN]
    run = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr[-2000:]
    (one, alone), (eight, together) = map(json.loads, run.stdout.splitlines())
    # 61 and 10 points, which eight does not divide; redrawn once; sums in another order
    assert (one, eight) == (1, 8) and len(alone) == 2
    assert np.allclose(alone, together, rtol=1e-10)


def test_devices_that_are_not_there_are_refused():
    with pytest.raises(TypeError, match="`devices` of PINN is"):
        PINN(devices="gpu")
