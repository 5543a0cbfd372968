"""Time, compile time and memory of derivatives of networks, and their ratios, in one run.

    python benchmarks/derivatives.py            # all, writes benchmarks/DERIVATIVES.md
    python benchmarks/derivatives.py W1 W4      # some of the workloads, prints only

One step is the gradient with respect to the parameters of the mean squared residual in float32.
Every strategy gets the same network, points and residual. One thread; the strategies take turns
and each keeps the least process time of its turns. Read ratios, not milliseconds.
"""

import os
import sys

if __name__ == "__main__":
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import platform
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import jet

from diffcore.chunked import sum_value_and_grad
from diffcore.taylor import operators

Array = Any
CHUNK = 256
STEPS = 5  # in one call, where steps are scanned
SECONDS = 1.5  # of turns for one strategy
TARGET = Path(__file__).with_suffix(".md").with_name("DERIVATIVES.md")


# --- Networks ------------------------------------------------------------------------------


def parameters(d: int, outputs: int, hidden: tuple[int, ...]) -> list:
    rng = np.random.default_rng(0)
    sizes = [d, *hidden, outputs]
    return [
        (jnp.array(rng.normal(size=(a, b)) / np.sqrt(a), jnp.float32), jnp.zeros(b, jnp.float32))
        for a, b in zip(sizes, sizes[1:], strict=False)
    ]


def network(weights: list, x: Array) -> Array:
    for w, b in weights[:-1]:
        x = jnp.tanh(x @ w + b)
    return x @ weights[-1][0] + weights[-1][1]


FREQUENCIES = np.random.default_rng(1).normal(size=(2, 32)).astype(np.float32) * 3


def fourier_network(weights: list, x: Array) -> Array:
    phase = x @ FREQUENCIES
    return network(weights, jnp.concatenate([jnp.sin(phase), jnp.cos(phase)], -1))


def hard_network(weights: list, x: Array) -> Array:
    bubble = x * (1 - x)
    return bubble[..., :1] * bubble[..., 1:] * network(weights, x)


# --- The yardstick: collapsed Taylor arithmetic by hand, one array for each coefficient ----


def by_hand(weights: list, x: Array, tangents: list, second: Array | None, squares: list) -> tuple:
    """u, ∂_i u and Σ_i squares_i ∂_ii u for x with these; tangents of x need not be mapped."""
    value, last = x, len(weights) - 1
    for layer, (w, b) in enumerate(weights):
        value, tangents = value @ w + b, [t @ w for t in tangents]
        second = None if second is None else second @ w
        if layer < last:
            value = jnp.tanh(value)
            slope = 1 - value * value
            curved = sum(c * t * t for c, t in zip(squares, tangents, strict=True) if c)
            curved = -2 * value * slope * curved
            second = curved if second is None else curved + slope * second
            tangents = [slope * t for t in tangents]
    return value, tangents, second


def second_order_by_hand(squares: list) -> Callable:
    def values(weights: list, x: Array) -> list:
        u, slopes, second = by_hand(
            weights, x, list(np.eye(x.shape[-1], dtype=x.dtype)), None, squares
        )
        return [u, *slopes, second]

    return values


def fourier_by_hand(weights: list, x: Array) -> list:
    phase = x @ FREQUENCIES
    sin, cos = jnp.sin(phase), jnp.cos(phase)
    tangents = [jnp.concatenate([cos * k, -sin * k], -1) for k in FREQUENCIES]
    second = jnp.concatenate([sin, cos], -1) * -np.tile((FREQUENCIES**2).sum(0), 2)
    features = jnp.concatenate([sin, cos], -1)
    u, slopes, second = by_hand(weights, features, tangents, second, [1, 1])
    return [u, *slopes, second]


def hard_by_hand(weights: list, x: Array) -> list:
    """Δ(b n) = b Δn + 2 ∇b·∇n + n Δb for the bubble b = x (1 - x) y (1 - y)."""
    n, (n_x, n_y), n_second = by_hand(weights, x, list(np.eye(2, dtype=x.dtype)), None, [1, 1])
    x, y = x[:, :1], x[:, 1:]
    b, b_x, b_y = x * (1 - x) * y * (1 - y), (1 - 2 * x) * y * (1 - y), x * (1 - x) * (1 - 2 * y)
    b_second = -2 * (x * (1 - x) + y * (1 - y))
    second = b * n_second + 2 * (b_x * n_x + b_y * n_y) + n * b_second
    return [b * n, b_x * n + b * n_x, b_y * n + b * n_y, second]


DIRECTIONS = np.array([[1, 0], [0.5, 3**0.5 / 2], [-0.5, 3**0.5 / 2]], np.float32)


def biharmonic_by_hand(weights: list, x: Array) -> list:
    """Δ²u = 8/9 of the sum of the fourth derivatives along three directions 60° apart.

    Three jets of order 3, and the fourth coefficients as one sum: 11 arrays.
    """
    w, b = weights[0]
    value, jets, fourth = x @ w + b, [[k @ w] for k in DIRECTIONS], None
    for w, b in weights[1:]:
        t = jnp.tanh(value)
        d1 = 1 - t * t
        d2, d3 = -t * d1, d1 * (t * t - 1 / 3)  # Taylor coefficients of tanh
        d4 = t * d1 * (2 / 3 - t * t)
        total = 0 if fourth is None else d1 * fourth
        after = []
        for jet_ in jets:
            a, square = jet_[0], jet_[0] * jet_[0]
            if len(jet_) == 1:
                after.append([d1 * a, d2 * square, d3 * square * a])
                total = total + d4 * square * square
            else:
                _, second, third = jet_
                after.append(
                    [d1 * a, d1 * second + d2 * square,
                     d1 * third + 2 * d2 * a * second + d3 * square * a]
                )  # fmt: skip
                total = total + d2 * (2 * a * third + second * second)
                total = total + d3 * (3 * square * second) + d4 * square * square
        value, fourth = t @ w + b, total @ w
        jets = [[c @ w for c in coefficients] for coefficients in after]
    return [fourth * (24 * 8 / 9)]


# --- What people write: derivatives of a function of one point or of the batch -------------


def directional(f: Callable, v: Array) -> Callable:
    return lambda x: jax.jvp(f, (x,), (v,))[1]


def units(d: int) -> Array:
    return jnp.eye(d, dtype=jnp.float32)


def nested_forward(f: Callable, x: Array, squares: list, order: int) -> list:
    def laplacian(f: Callable) -> Callable:
        twice = [
            (c, directional(directional(f, e), e))
            for c, e in zip(squares, units(d), strict=True)
            if c
        ]
        return lambda x: sum(c * g(x) for c, g in twice)

    d = x.shape[-1]
    if order == 4:
        return [laplacian(laplacian(f))(x)]
    return [f(x), *(directional(f, e)(x) for e in units(d)), laplacian(f)(x)]


def full_hessian(f: Callable, x: Array, squares: list, order: int) -> list:
    def trace(f: Callable) -> Callable:
        hessian = jax.jacfwd(jax.jacrev(f))
        return lambda x: jnp.einsum("...ii,i->...", hessian(x), jnp.array(squares, x.dtype))

    if order == 4:
        return [trace(trace(f))(x)]
    slopes = jax.jacrev(f)(x)
    return [f(x), *(slopes[..., i] for i in range(x.shape[-1])), trace(f)(x)]


def with_jet(f: Callable, x: Array, squares: list, order: int) -> list:
    zero = jnp.zeros_like(x)
    if order == 4:
        series = lambda v: jet.jet(f, (x,), ((v, zero, zero, zero),))[1][3]  # noqa: E731
        return [sum(series(k) for k in DIRECTIONS) * (8 / 9)]
    results = [jet.jet(f, (x,), ((e, zero),)) for e in units(len(x))]
    second = sum(c * s[1] for c, (_, s) in zip(squares, results, strict=True) if c)
    return [results[0][0], *(s[0] for _, s in results), second]


def nested_reverse(f: Callable, x: Array, squares: list, order: int) -> list:
    """On the batch: the gradient of a sum over points is the gradient at each point."""

    def slopes(g: Callable) -> Callable:
        return jax.grad(lambda x: jnp.sum(g(x)))

    def laplacian(g: Callable) -> Callable:
        first = slopes(g)
        each = [(c, i) for i, c in enumerate(squares) if c]
        return lambda x: sum(c * slopes(lambda x, i=i: first(x)[:, i])(x)[:, i] for c, i in each)

    u = f(x)
    outputs = [lambda x, k=k: f(x)[:, k] for k in range(u.shape[-1])]
    if order == 4:
        return [jnp.stack([laplacian(laplacian(g))(x) for g in outputs], -1)]
    gradients = [slopes(g)(x) for g in outputs]
    first = [jnp.stack([g[:, i] for g in gradients], -1) for i in range(x.shape[-1])]
    return [u, *first, jnp.stack([laplacian(g)(x) for g in outputs], -1)]


# --- Workloads ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Workload:
    """A residual of the values [u, ∂_1 u, ..., ∂_d u, Σ squares_i ∂_ii u], or of [Δ²u]."""

    title: str
    n_points: int
    outputs: int
    squares: list  # of the second derivatives in the operator
    residual: Callable[..., Array]
    hand: Callable[..., list]
    requests: list  # what our engine is asked for
    from_requests: Callable[..., Array]  # the residual of the answers
    order: int = 2
    hidden: tuple[int, ...] = (64,) * 5
    function: Callable = network

    @property
    def d(self) -> int:
        return len(self.squares)


def unit(d: int, i: int, n: int = 1) -> tuple[int, ...]:
    return tuple(n * int(i == j) for j in range(d))


def first_order(d: int, n: int) -> list:
    return [{(0,) * d: 1}, *({unit(d, i): 1} for i in range(n))]


def steady_flow(w: Array, w_x: Array, w_y: Array, laplacian: Array) -> Array:
    u, v = w[..., 0], w[..., 1]
    momentum = [
        u * w_x[..., i] + v * w_y[..., i] + p_i[..., 2] - 0.01 * laplacian[..., i]
        for i, p_i in ((0, w_x), (1, w_y))
    ]
    return jnp.stack([*momentum, w_x[..., 0] + w_y[..., 1]], -1)


def unsteady_flow(w: Array, w_x: Array, w_y: Array, w_z: Array, linear: Array) -> Array:
    """`linear` is ∂_t w - ν Δw."""
    slopes = [w_x, w_y, w_z]
    momentum = [
        linear[..., i] + sum(w[..., j] * slopes[j][..., i] for j in range(3)) + slopes[i][..., 3]
        for i in range(3)
    ]
    return jnp.stack([*momentum, sum(slopes[i][..., i] for i in range(3))], -1)


NU = 0.01 / np.pi
POISSON = dict(
    n_points=4096,
    outputs=1,
    squares=[1, 1],
    residual=lambda u, u_x, u_y, second: second + 1,
    requests=[{(2, 0): 1, (0, 2): 1}],
    from_requests=lambda second: second + 1,
)
WORKLOADS = {
    "W1": Workload("Poisson 2-D", hand=second_order_by_hand([1, 1]), **POISSON),
    "W2": Workload(
        "Burgers",
        n_points=8192,
        outputs=1,
        squares=[1, 0],
        residual=lambda u, u_x, u_t, u_xx: u_t + u * u_x - NU * u_xx,
        hand=second_order_by_hand([1, 0]),
        requests=[{(0, 0): 1}, {(1, 0): 1}, {(0, 1): 1, (2, 0): -NU}],
        from_requests=lambda u, u_x, heat: heat + u * u_x,
    ),
    "W3": Workload(
        "steady Navier-Stokes 2-D",
        n_points=4096,
        outputs=3,
        squares=[1, 1],
        residual=steady_flow,
        hand=second_order_by_hand([1, 1]),
        requests=[*first_order(2, 2), {(2, 0): 1, (0, 2): 1}],
        from_requests=steady_flow,
    ),
    "W4": Workload(
        "biharmonic",
        n_points=2048,
        outputs=1,
        squares=[1, 1],
        order=4,
        residual=lambda fourth: fourth - 1,
        hand=biharmonic_by_hand,
        requests=[{(4, 0): 1, (2, 2): 2, (0, 4): 1}],
        from_requests=lambda fourth: fourth - 1,
    ),
    "W5": Workload(
        "unsteady Navier-Stokes 3-D",
        n_points=4096,
        outputs=4,
        squares=[1, 1, 1, 0],
        residual=lambda w, x, y, z, t, second: unsteady_flow(w, x, y, z, t - 0.01 * second),
        hand=second_order_by_hand([1, 1, 1, 0]),
        requests=[
            *first_order(4, 3),
            {unit(4, 3): 1, **{unit(4, i, 2): -0.01 for i in range(3)}},
        ],
        from_requests=unsteady_flow,
    ),
    "W1 4×128": Workload(
        "Poisson 2-D", hand=second_order_by_hand([1, 1]), hidden=(128,) * 4, **POISSON
    ),
    "Fourier": Workload(
        "Poisson 2-D, Fourier features", hand=fourier_by_hand, function=fourier_network, **POISSON
    ),
    "hard": Workload(
        "Poisson 2-D, hard conditions", hand=hard_by_hand, function=hard_network, **POISSON
    ),
}


def ours(load: Workload, weights: list, x: Array) -> Array:
    f = partial(load.function, weights)
    return load.from_requests(*jax.vmap(operators(f, load.requests))(x))


def by_hand_(load: Workload, weights: list, x: Array) -> Array:
    return load.residual(*load.hand(weights, x))


def per_point(strategy: Callable, load: Workload, weights: list, x: Array) -> Array:
    f = partial(load.function, weights)
    return load.residual(*jax.vmap(lambda x: strategy(f, x, load.squares, load.order))(x))


def on_batch(strategy: Callable, load: Workload, weights: list, x: Array) -> Array:
    return load.residual(*strategy(partial(load.function, weights), x, load.squares, load.order))


STRATEGIES = {
    "by hand": by_hand_,
    "diffcore": ours,
    "jacfwd(jacrev) per point": partial(per_point, full_hessian),
    "reverse over reverse, batch": partial(on_batch, nested_reverse),
    "nested forward per point": partial(per_point, nested_forward),
    "jax.experimental.jet": partial(per_point, with_jet),
}


# --- Measurement ----------------------------------------------------------------------------


def problem(load: Workload, n: int | None = None) -> tuple[list, Array]:
    n = n or load.n_points
    inputs = 2 * FREQUENCIES.shape[1] if load.function is fourier_network else load.d
    weights = parameters(inputs, load.outputs, load.hidden)
    points = np.random.default_rng(2).uniform(size=(n, load.d)).astype(np.float32)
    return weights, jnp.asarray(points)


def sum_of_squares(strategy: Callable, load: Workload) -> Callable:
    return lambda weights, x: jnp.sum(strategy(load, weights, x) ** 2)


def step(strategy: Callable, load: Workload, chunk: int | None) -> Callable:
    """(weights, points) ↦ (value, gradient) of the mean; chunk None: all points at once."""
    f = sum_of_squares(strategy, load)
    differentiate = jax.value_and_grad(f) if chunk is None else sum_value_and_grad(f, chunk=chunk)

    def mean(weights: list, x: Array) -> Any:
        return jax.tree.map(lambda total: total / len(x), differentiate(weights, x))

    return mean


def scanned(one_step: Callable) -> Callable:
    """STEPS steps of gradient descent in one call."""

    def run(weights: list, x: Array) -> Any:
        def body(weights: list, _: None) -> tuple:
            value, gradient = one_step(weights, x)
            return jax.tree.map(lambda w, g: w - 1e-6 * g, weights, gradient), value

        return lax.scan(body, weights, None, length=STEPS)

    return run


def compiled(function: Callable, arguments: tuple) -> tuple[Callable, float]:
    start = time.process_time()
    executable = jax.jit(function).lower(*arguments).compile()
    return executable, time.process_time() - start


def take_turns(functions: dict[Any, Callable], arguments: tuple, rounds: int) -> dict[Any, float]:
    """The least process time of each in milliseconds; the slow ones stop after SECONDS."""
    best, spent = dict.fromkeys(functions, np.inf), dict.fromkeys(functions, 0.0)
    for turn in range(rounds + 1):
        for name, function in functions.items():
            if turn < 2 or spent[name] < SECONDS:
                start = time.process_time()
                jax.block_until_ready(function(*arguments))
                seconds = time.process_time() - start
                best[name], spent[name] = min(best[name], 1e3 * seconds), spent[name] + seconds
    return best


def agree(functions: dict[Any, Callable], arguments: tuple) -> None:
    """Every strategy computes the same gradient."""
    flat = lambda tree: np.concatenate([np.ravel(x) for x in jax.tree.leaves(tree)])  # noqa: E731
    gradients = {name: flat(f(*arguments)[1]) for name, f in functions.items()}
    expected = gradients["by hand"]
    for name, got in gradients.items():
        error = np.abs(got - expected).max() / np.abs(expected).max()
        assert error < 2e-3, (name, error)


def compare(load: Workload, rounds: int) -> dict[str, dict[Any, float]]:
    """Milliseconds a step by setting and strategy; seconds to compile."""
    arguments = problem(load)
    steps = {name: step(s, load, None) for name, s in STRATEGIES.items()}
    for name in ("by hand", "diffcore"):
        steps[name] = step(STRATEGIES[name], load, CHUNK)
    programs = {name: compiled(f, arguments) for name, f in steps.items()}
    agree({name: f for name, (f, _) in programs.items()}, arguments)
    chunked = {
        name: compiled(scanned(step(s, load, CHUNK)), arguments)[0]
        for name, s in STRATEGIES.items()
    }
    calls = take_turns({name: f for name, (f, _) in programs.items()}, arguments, rounds)
    scans = take_turns(chunked, arguments, 3)
    return {
        "call": calls,
        "scan": {name: t / STEPS for name, t in scans.items()},
        "compile": {name: seconds for name, (_, seconds) in programs.items()},
    }


def growth(load: Workload) -> list[tuple[int, float, float, float]]:
    """(points, microseconds a point, MB of temporaries, MB of growth of the process); the sizes
    take turns of about a million points each, and the median turn counts."""
    sizes, function = (1_000, 10_000, 100_000, 1_000_000), step(ours, load, CHUNK)
    programs, memory = {}, {}
    for n in sizes:
        arguments = problem(load, n)
        executable, _ = compiled(function, arguments)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        jax.block_until_ready(executable(*arguments))
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        temporary = executable.memory_analysis().temp_size_in_bytes
        programs[n] = partial(executable, *arguments)
        memory[n] = (temporary / 2**20, (after - before) / 2**10)
    turns: dict[int, list[float]] = {n: [] for n in sizes}
    for _ in range(5):
        for n, program in programs.items():
            start = time.process_time()
            for _ in range(max(sizes) // n):
                jax.block_until_ready(program())
            turns[n].append(1e6 * (time.process_time() - start) / max(sizes))
    return [(n, float(np.median(turns[n])), *memory[n]) for n in sizes]


AIMS = (
    "Short of one aim: with the same chunks and scan, `jax.experimental.jet` should be 3 times",
    "slower on W4 and W5. Tried: products of tanh as polynomials, rematerialised compositions;",
    "4 % at most. On W4 matrix products take about 80 % of the step; fusing those of one degree",
    "comes next.",
)

# --- Report ---------------------------------------------------------------------------------


def ratio_rows(results: dict[str, dict], setting: str) -> list[str]:
    rows = []
    for name in STRATEGIES:
        cells = []
        for result in results.values():
            t = result[setting][name]
            cells.append(f"{t:.1f} ({t / result[setting]['diffcore']:.2f})")
        rows.append("| " + " | ".join([name, *cells]) + " |")
    return rows


def header(first: str, columns: list[str]) -> list[str]:
    return ["| " + " | ".join([first, *columns]) + " |", "|---" * (len(columns) + 1) + "|"]


def report(results: dict[str, dict], rows: list[tuple]) -> str:
    columns = [f"{k}: {WORKLOADS[k].title}, {WORKLOADS[k].n_points}" for k in results]
    machine = f"{platform.machine()}, Python {platform.python_version()}, jax {jax.__version__}"
    lines = [
        "# Derivatives of networks: time, compile time, memory",
        "",
        f"Written by `python benchmarks/derivatives.py` on one thread of {machine}. "
        + " ".join(__doc__.split("\n\n")[2].split()),
        "",
        f"Tanh networks 5×64 where no other is named. `by hand` and `diffcore` run in chunks of "
        f"{CHUNK} points. In brackets the ratio to `diffcore`.",
        "",
        "## Milliseconds a step, one compiled step a call; the others on all points at once",
        "",
        *header("strategy", columns),
        *ratio_rows(results, "call"),
        "",
        f"## Milliseconds a step, the same chunks for all and {STEPS} steps in one call",
        "",
        *header("strategy", columns),
        *ratio_rows(results, "scan"),
        "",
        "## Seconds to trace and compile the step",
        "",
        *header("strategy", columns),
        *ratio_rows(results, "compile"),
    ]
    lines += ["", *AIMS]
    if rows:
        lines += ["", "## Growth with the number of points: W1, `diffcore`", ""]
        lines += header("points", ["µs a point", "MB of temporaries", "MB the process grew"])
        lines += [f"| {n:,} | {t:.2f} | {m:.1f} | {g:.1f} |" for n, t, m, g in rows]
    return "\n".join(lines) + "\n"


def main(names: list[str]) -> None:
    rows = [] if names else growth(WORKLOADS["W1"])
    results = {}
    for name in names or WORKLOADS:
        results[name] = compare(WORKLOADS[name], rounds=8)
        print(
            name,
            {k: {s: round(t, 2) for s, t in v.items()} for k, v in results[name].items()},
            flush=True,
        )
    text = report(results, rows)
    print(text)
    if not names:
        TARGET.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
