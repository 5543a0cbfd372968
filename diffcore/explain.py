"""What a function costs: operations, floating-point work, memory, and time by stage."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
from jax.extend import core

from diffcore._inputs import control_flow_explained


@dataclass(frozen=True)
class Cost:
    """What `explain` found; prints as a table.

    `operations` counts JAX primitives (the body of a loop once). `flops`, `bytes_accessed` and the
    memory are XLA's estimates for the compiled program, None where the backend gives none.
    `seconds` are wall times of the stages "trace", "lower", "compile", "first run" and "run".
    """

    name: str
    operations: Mapping[str, int]
    flops: float | None
    bytes_accessed: float | None
    argument_bytes: int | None
    output_bytes: int | None
    temporary_bytes: int | None
    seconds: Mapping[str, float]

    @property
    def peak_bytes(self) -> int | None:
        """Arguments, results and temporary buffers together: an upper bound of the peak."""
        parts = (self.argument_bytes, self.output_bytes, self.temporary_bytes)
        return None if None in parts else sum(part for part in parts if part is not None)

    def __str__(self) -> str:
        operations = sorted(self.operations.items(), key=lambda item: (-item[1], item[0]))
        shown = ", ".join(f"{count} {name}" for name, count in operations[:12])
        hidden = sum(count for _, count in operations[12:])
        lines = [
            f"{self.name}",
            f"  operations  {sum(self.operations.values())}: {shown}"
            + (f", {hidden} others" if hidden else ""),
            f"  work        {_scaled(self.flops, 'flop')}, "
            f"{_scaled(self.bytes_accessed, 'B')} read and written",
            f"  memory      {_scaled(self.peak_bytes, 'B')}: arguments "
            f"{_scaled(self.argument_bytes, 'B')}, results {_scaled(self.output_bytes, 'B')}, "
            f"temporary {_scaled(self.temporary_bytes, 'B')}",
            "  time        " + ", ".join(f"{k} {_scaled(v, 's')}" for k, v in self.seconds.items()),
        ]
        return "\n".join(lines)


def explain(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Cost:
    """The cost of f(*args, **kwargs): operations, work, memory and time by stage.

    Arguments:
        f: a function of pytrees of arrays; it is traced, compiled and run twice.

    Notes:
        With a compilation cache in use, "compile" may be the time of reading it.

    Example:
        >>> import jax.numpy as jnp
        >>> cost = explain(lambda x: jnp.sin(x) * jnp.sin(x), jnp.ones(100))
        >>> cost.operations["sin"], cost.operations["mul"], cost.flops is not None
        (2, 1, True)
    """
    seconds: dict[str, float] = {}

    def timed(stage: str, action: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = jax.block_until_ready(action())
        seconds[stage] = time.perf_counter() - start
        return result

    with control_flow_explained():
        traced = timed("trace", partial(jax.jit(f).trace, *args, **kwargs))
    lowered = timed("lower", traced.lower)
    compiled = timed("compile", lowered.compile)
    for stage in ("first run", "run"):
        timed(stage, partial(compiled, *args, **kwargs))
    work, memory = compiled.cost_analysis() or {}, compiled.memory_analysis()
    return Cost(
        name=getattr(f, "__name__", type(f).__name__),
        operations=dict(Counter(_primitives(traced.jaxpr.jaxpr))),
        flops=work.get("flops"),
        bytes_accessed=work.get("bytes accessed"),
        argument_bytes=getattr(memory, "argument_size_in_bytes", None),
        output_bytes=getattr(memory, "output_size_in_bytes", None),
        temporary_bytes=getattr(memory, "temp_size_in_bytes", None),
        seconds=seconds,
    )


def _primitives(jaxpr: core.Jaxpr) -> Iterator[str]:
    """The name of every primitive, calls and loops replaced by what they hold."""
    for equation in jaxpr.eqns:
        inner = list(core.jaxprs_in_params(equation.params))
        if not inner or equation.primitive.name in ("scan", "while", "cond"):
            yield equation.primitive.name
        for sub in inner:
            yield from _primitives(sub)


def _scaled(value: float | None, unit: str) -> str:
    """Three digits and a prefix: 1.23 MB, 45.6 ms."""
    if value is None:
        return f"unknown {unit}"
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, "")):
        if value >= factor:
            return f"{value / factor:.3g} {prefix}{unit}"
    if unit == "s" and value > 0:
        return f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} µs"
    return f"{value:.3g} {unit}"
