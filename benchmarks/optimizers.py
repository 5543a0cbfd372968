"""Error against CPU time of the optimizers on two small physics problems, in float64.

`python -m benchmarks.optimizers [poisson|burgers] [NAME ...]` prints a table; SECONDS_EACH says
how long each runs; levenberg_marquardt is for poisson alone. One thread, so that
CPU time means something on a shared machine.
"""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # LAPACK; its threads wait by spinning
os.environ.setdefault(
    "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)

import jax
import jax.numpy as jnp
import numpy as np

import diffcore as dc
from diffcore import nn, optim, partials
from diffcore.precision import precision

OPTIMIZERS = {
    "adam": optim.adam(optim.cosine_decay_schedule(5e-3, 4000)),
    "soap": optim.soap(optim.cosine_decay_schedule(5e-3, 4000)),
    "lbfgs": optim.lbfgs(),
    "bfgs": optim.bfgs(),
    "self_scaled_bfgs": optim.self_scaled_bfgs(),
    "self_scaled_broyden": optim.self_scaled_broyden(),
    "levenberg_marquardt": optim.levenberg_marquardt(),
}


# --- Poisson: Δu = f on the unit square, u = 0 on its boundary as a condition of weight 100.


def poisson_exact(x):
    return jnp.sin(2 * jnp.pi * x[..., 0]) * jnp.sin(jnp.pi * x[..., 1])


def poisson_interior(model, x):
    laplacian = partials(model, [(2, 0), (0, 2)])(x)
    return laplacian[2, 0] + laplacian[0, 2] + 5 * jnp.pi**2 * poisson_exact(x)


def poisson_boundary(model, x):
    return 10 * model(x)


def poisson(optimizer, seconds, seed=0):
    rng = np.random.default_rng(seed)
    interior, boundary = rng.random((900, 2)), rng.random((120, 2))
    boundary[np.arange(120), np.arange(120) % 2] = np.arange(120) // 2 % 2
    test = jnp.asarray(rng.random((5000, 2)))
    model = nn.MLP(2, 1, 30, 2, key=seed)  # 1051 parameters
    args = (jnp.asarray(interior), jnp.asarray(boundary))
    loss = optim.LeastSquares(poisson_interior, poisson_boundary)

    def error(model):
        exact = poisson_exact(test)
        return float(jnp.linalg.norm(model(test)[:, 0] - exact) / jnp.linalg.norm(exact))

    return train(optimizer, loss, model, lambda model, key: args, error, seconds)


# --- Burgers: u_t + u u_x = 0.01/π u_xx, u(x, 0) = -sin(πx), u(±1, t) = 0, built in.


def burgers_solution(model, x):
    return -jnp.sin(jnp.pi * x[..., 0]) + x[..., 1] * (1 - x[..., 0] ** 2) * model(x)[..., 0]


def burgers_residual(model, x):
    u = partials(partial(burgers_solution, model), [(0, 0), (1, 0), (2, 0), (0, 1)])
    d = jax.vmap(u)(x)
    return d[0, 1] + d[0, 0] * d[1, 0] - 0.01 / jnp.pi * d[2, 0]


def burgers_loss(model, x):
    return jnp.mean(burgers_residual(model, x) ** 2)


@jax.jit
def burgers_points(model, key):
    """Returns 3000 of 30000 uniform points, chosen with probability ~ |r| / mean |r| + 1."""
    pool_key, choice_key = jax.random.split(key)
    pool = jax.random.uniform(pool_key, (30000, 2), float) * jnp.array([2.0, 1.0])
    pool -= jnp.array([1.0, 0.0])
    r = jnp.abs(burgers_residual(model, pool))
    p = r / r.mean() + 1
    # Gumbel top-k: a sample without replacement.
    score = jnp.log(p) + jax.random.gumbel(choice_key, (30000,), float)
    return pool[jax.lax.top_k(score, 3000)[1]]


def burgers(optimizer, seconds, seed=0):
    path = Path(__file__).parents[1] / "science/references/burgers_nu001pi.npz"
    data = np.load(path)
    grid = np.meshgrid(data["x"], data["t"], indexing="ij")
    test = jnp.asarray(np.stack([g.ravel() for g in grid], -1))
    exact = jnp.asarray(data["u"].T.ravel())
    model = nn.MLP(2, 1, 20, 3, key=seed)  # 921 parameters

    @jax.jit
    def error(model):
        u = burgers_solution(model, test)
        return jnp.linalg.norm(u - exact) / jnp.linalg.norm(exact)

    points = lambda model, key: (burgers_points(model, key),)  # noqa: E731
    return train(optimizer, dc.value_and_grad(burgers_loss), model, points, error, seconds)


def train(optimizer, value_and_grad, model, points, error, seconds):
    """Returns rows of (steps, CPU seconds without compilation, loss, error)."""
    chunk = 5 if optimizer == OPTIMIZERS["levenberg_marquardt"] else 200
    args = points(model, jax.random.key(0))
    optim.run(optimizer, value_and_grad, model, steps=1, args=args)
    error(model)
    state, spent, rows, target = None, 0.0, [], 1.0
    for k in range(10**6):
        begin = time.process_time()
        args = points(model, jax.random.key(k))
        result = optim.run(optimizer, value_and_grad, model, steps=chunk, state=state, args=args)
        model, state = result.parameters, result.state
        spent += time.process_time() - begin
        done = result.stopped or spent > seconds
        if spent > target or done:
            target = spent * 1.5
            rows.append(((k + 1) * chunk, spent, float(result.losses[-1]), float(error(model))))
        if done:
            return rows, result.reason


def main(problem="poisson", *names):
    seconds = float(os.environ.get("SECONDS_EACH", 15))
    with precision("float64"):
        for name in names or OPTIMIZERS:
            rows, reason = globals()[problem](OPTIMIZERS[name], seconds)
            print(f"{problem}, {name}: {reason}")
            for steps, spent, loss, error in rows:
                print(f"  {steps:6d} steps {spent:6.1f} s   loss {loss:.1e}   error {error:.1e}")


if __name__ == "__main__":
    main(*sys.argv[1:])
