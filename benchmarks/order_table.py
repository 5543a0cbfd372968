"""Writes docs/order_table.md: derivatives of orders 1 to 6 of each operation against mpmath.

    python -m benchmarks.order_table             # all
    python -m benchmarks.order_table tanh eigh   # some, prints only

Every row is a function of one real variable: an elementwise function, or an operation on arrays
that depend on it. One pass of `diffcore.taylor.partials` in double precision gives all orders;
reverse mode on top of each gives the next. The references are the same functions written again
for mpmath, differentiated numerically with 60 digits.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
import mpmath as mp  # noqa: E402
import numpy as np  # noqa: E402

from benchmarks.order_excluded import ALIASES, EXCLUDED  # noqa: E402
from benchmarks.order_rows import ARRAYS, ELEMENTWISE, NAMESPACES, Row  # noqa: E402
from diffcore.taylor import partials  # noqa: E402

ORDERS = range(1, 7)
TARGET = Path(__file__).parents[1] / "docs" / "order_table.md"
EXPLANATION = (
    "Errors relative to the largest derivative of that order. `reverse` is the largest error of "
    "the gradient of any of the orders, compared with the next order."
)
LIMITS = (
    "Each row stands for one point, not for all arguments; `tail` rows are where the formula of "
    "the value cancels. Known to lose digits: dawsn at large arguments (see its tail row), "
    "spence at exactly 1, where JAX has no derivative. gammainc, gammaincc and betainc have all "
    "orders in their last argument; in a parameter gammainc and gammaincc have the first only "
    "and betainc none, hyp1f1 and hyp2f1 the first and then no reverse mode, as in JAX."
)


def derivatives(row: Row) -> tuple[np.ndarray, np.ndarray]:
    """All orders of the function in one pass, and reverse mode through each."""

    def all_orders(x: Any) -> Any:
        results = partials(row.function, list(ORDERS))(x)
        return jnp.stack([jnp.ravel(results[n]) for n in ORDERS])

    x = jnp.asarray(row.at)
    forward, reverse = jax.jit(lambda x: (all_orders(x), jax.jacrev(all_orders)(x)))(x)
    return np.asarray(forward), np.asarray(reverse)


def references(row: Row) -> np.ndarray:
    """The derivatives of orders 1 to 7, of shape (7, components)."""

    def component(i: int) -> Callable[[Any], Any]:
        return lambda x: np.ravel(np.array(row.reference(x), dtype=object))[i]

    with mp.workdps(60):
        n = np.size(np.array(row.reference(mp.mpf(row.at)), dtype=object))
        series = [mp.taylor(component(i), row.at, max(ORDERS) + 1)[1:] for i in range(n)]
        factors = [mp.factorial(k + 1) for k in range(len(series[0]))]
        return np.array(
            [
                [float(mp.re(c * f)) for c in column]
                for *column, f in zip(*series, factors, strict=True)
            ]
        )


def errors(row: Row) -> list[float]:
    """Largest error of each order, then of reverse mode on top, relative to the derivative."""
    forward, reverse = derivatives(row)
    exact = references(row)
    scale = np.abs(exact).max(1, keepdims=True)
    scale[scale == 0] = 1
    relative = [np.abs(forward - exact[:-1]) / scale[:-1], np.abs(reverse - exact[1:]) / scale[1:]]
    return [*relative[0].max(1), relative[1].max()]


def cell(error: float) -> str:
    return "0" if error == 0 else f"{error:.0e}"


def table(title: str, rows: list[Row]) -> list[str]:
    lines = [
        f"## {title}",
        "",
        "| function | at | " + " | ".join(map(str, ORDERS)) + " | reverse |",
    ]
    lines.append("|---" * (len(ORDERS) + 3) + "|")
    for row in rows:
        cells = map(cell, errors(row))
        lines.append(f"| {row.name} | {row.at} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return [*lines, "", *without_a_row(title)]


def without_a_row(title: str) -> list[str]:
    lines = [f"- {one.reason}: {', '.join(sorted(one.names))}" for one in EXCLUDED.get(title, ())]
    names = [f"{alias} ({name})" for alias, name in ALIASES.get(title, {}).items()]
    lines += [f"- other names: {', '.join(names)}"] if names else []
    return ["Without a row:", "", *lines, ""] if lines else []


def is_wanted(title: str, row: Row, names: list[str]) -> bool:
    """Whether the row is asked for, of functions that the installed JAX has."""
    namespace = NAMESPACES.get(title)
    exists = namespace is None or any(hasattr(namespace, name) for name in row.names)
    return exists and (not names or bool(set(names) & {*row.names, row.name}))


def main(names: list[str]) -> None:
    sections = {**ELEMENTWISE, "Operations on arrays": ARRAYS}
    about = " ".join(__doc__.split("\n\n")[2].split())
    lines = ["# Orders and operations", "", about, "", EXPLANATION, "", LIMITS, ""]
    for title, rows in sections.items():
        chosen = [row for row in rows if is_wanted(title, row, names)]
        lines += table(title, chosen) if chosen else []
    if not names:
        TARGET.write_text("\n".join(lines))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    main(parser.parse_args().names)
