"""Writes docs/order_table.md: derivatives of orders 1 to 6 of each operation against mpmath.

    python benchmarks/order_table.py             # all
    python benchmarks/order_table.py tanh eigh   # some, prints only

Every row is a function of one real variable: an elementwise function, or an operation on arrays
that depend on it. One pass of `diffcore.taylor.partials` in double precision gives all orders;
reverse mode on top of each gives the next. The references are the same functions written again
for mpmath, differentiated numerically with 60 digits.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
import mpmath as mp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax, nn  # noqa: E402
from jax.scipy import special  # noqa: E402

import diffcore.special  # noqa: E402
from diffcore.taylor import partials  # noqa: E402

ORDERS = range(1, 7)
TARGET = Path(__file__).parents[1] / "docs" / "order_table.md"
EXPLANATION = (
    "Errors relative to the largest derivative of that order. `reverse` is the largest error of "
    "the gradient of any of the orders, compared with the next order. A dash: JAX itself "
    "raises an error, in reverse mode (while_loop inside)."
)
LIMITS = (
    "Each row stands for one benign point, not for all arguments. Known to lose digits: log_ndtr "
    "left of 0 (relative error of order 4: 2e-11 at -3, 2e-9 at -6, 2e-6 at -12, all digits at "
    "-25) and erfcx right of 0 (order 4: 2e-12 at 3, 1e-8 at 10, 7e-5 at 30), whose derivatives "
    "are small differences of large terms. gammainc, gammaincc and betainc have all orders in "
    "their last argument; in a parameter gammainc and gammaincc have the first only and "
    "betainc none, as in JAX."
)
HALF = mp.mpf(1) / 2


@dataclass(frozen=True)
class Row:
    """A function, the same for mpmath, and where it is differentiated."""

    name: str
    function: Callable[[Any], Any]
    reference: Callable[[Any], Any]
    at: float = 0.4


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def normal(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def softplus(x: Any) -> Any:
    return mp.log(1 + mp.exp(x))


ALPHA, SCALE = mp.mpf(1.6732632423543772848170429916717), mp.mpf(1.0507009873554804934193349852946)

ELEMENTWISE = {
    "jax.numpy": [
        Row("abs", jnp.abs, lambda x: -x, -0.4),
        Row("add, subtract, multiply", lambda x: (x + 2 - 3 * x) * x, lambda x: (2 - 2 * x) * x),
        Row("arccos", jnp.arccos, mp.acos),
        Row("arccosh", jnp.arccosh, mp.acosh, 1.7),
        Row("arcsin", jnp.arcsin, mp.asin),
        Row("arcsinh", jnp.arcsinh, mp.asinh),
        Row("arctan", jnp.arctan, mp.atan),
        Row(
            "arctan2",
            lambda x: jnp.arctan2(x, x**2 + 0.3),
            lambda x: mp.atan(x / (x**2 + mp.mpf(0.3))),
        ),
        Row("arctanh", jnp.arctanh, mp.atanh),
        Row("cbrt", jnp.cbrt, mp.cbrt),
        Row("cos", jnp.cos, mp.cos),
        Row("cosh", jnp.cosh, mp.cosh),
        Row("deg2rad, rad2deg", lambda x: jnp.deg2rad(x) * jnp.rad2deg(x), lambda x: x * x),
        Row("divide", lambda x: (x + 1) / (x**2 + 1), lambda x: (x + 1) / (x**2 + 1)),
        Row("exp", jnp.exp, mp.exp),
        Row("exp2", jnp.exp2, lambda x: mp.mpf(2) ** x),
        Row("expm1", jnp.expm1, mp.expm1, 1e-3),
        Row("float_power", lambda x: jnp.float_power(x, 2.7), lambda x: x ** mp.mpf(2.7)),
        Row("hypot", lambda x: jnp.hypot(x, 0.7), lambda x: mp.hypot(x, mp.mpf(0.7))),
        Row("i0", jnp.i0, lambda x: mp.besseli(0, x)),
        Row("log", jnp.log, mp.log),
        Row("log10", jnp.log10, mp.log10),
        Row("log1p", jnp.log1p, mp.log1p, 1e-3),
        Row("log2", jnp.log2, lambda x: mp.log(x) / mp.log(2)),
        Row(
            "logaddexp",
            lambda x: jnp.logaddexp(x, 0.4),
            lambda x: mp.log(mp.exp(x) + mp.exp(mp.mpf(0.4))),
        ),
        Row(
            "logaddexp2",
            lambda x: jnp.logaddexp2(x, 0.1),
            lambda x: mp.log(2**x + 2 ** mp.mpf(0.1)) / mp.log(2),
        ),
        Row(
            "maximum, minimum, clip",
            lambda x: jnp.maximum(x, 0) * jnp.minimum(x, 2) * jnp.clip(x, 0, 1),
            lambda x: x**3,
        ),
        Row("power, constant exponent", lambda x: x**2.7, lambda x: x ** mp.mpf(2.7)),
        Row("power, constant base", lambda x: 1.3**x, lambda x: mp.mpf(1.3) ** x),
        Row("power, both", lambda x: x**x, lambda x: x**x),
        Row("power, integer at 0", lambda x: x**4 + x**2.0, lambda x: x**4 + x**2, 0.0),
        Row("reciprocal", jnp.reciprocal, lambda x: 1 / x),
        Row(
            "remainder, fmod",
            lambda x: (5 * x % 0.3) * jnp.fmod(5 * x, 0.3),
            lambda x: (5 * x - 6 * mp.mpf(0.3)) ** 2,
        ),
        Row("sin", jnp.sin, mp.sin),
        Row("sinc", jnp.sinc, mp.sincpi),
        Row("sinc at 0", jnp.sinc, mp.sincpi, 0.0),
        Row("sinh", jnp.sinh, mp.sinh),
        Row("sqrt", jnp.sqrt, mp.sqrt),
        Row("square", jnp.square, lambda x: x * x),
        Row("tan", jnp.tan, mp.tan),
        Row("tanh", jnp.tanh, mp.tanh),
        Row("where", lambda x: jnp.where(x > 0, jnp.sin(x), x), mp.sin),
    ],
    "jax.nn": [
        Row("celu", nn.celu, mp.expm1, -0.4),
        Row("elu", nn.elu, mp.expm1, -0.4),
        Row("gelu, exact", lambda x: nn.gelu(x, approximate=False), lambda x: x * normal(x)),
        Row(
            "gelu, tanh",
            nn.gelu,
            lambda x: x / 2 * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (x + mp.mpf(0.044715) * x**3))),
        ),
        Row("glu", lambda x: nn.glu(jnp.stack([x, 2 * x]))[0], lambda x: x * sigmoid(2 * x)),
        Row(
            "hard_sigmoid, hard_silu",
            lambda x: nn.hard_sigmoid(x) * nn.hard_silu(x),
            lambda x: x * ((x + 3) / 6) ** 2,
        ),
        Row(
            "leaky_relu, relu, relu6",
            lambda x: nn.leaky_relu(x) * nn.relu(x) * nn.relu6(x),
            lambda x: x**3,
        ),
        Row("log1mexp", nn.log1mexp, lambda x: mp.log(1 - mp.exp(-x))),
        Row("log_sigmoid", nn.log_sigmoid, lambda x: -softplus(-x)),
        Row("mish", nn.mish, lambda x: x * mp.tanh(softplus(x))),
        Row("relu, below 0", nn.relu, lambda x: 0 * x, -0.4),
        Row("selu", nn.selu, lambda x: SCALE * ALPHA * mp.expm1(x), -0.4),
        Row("sigmoid", nn.sigmoid, sigmoid),
        Row("silu", nn.silu, lambda x: x * sigmoid(x)),
        Row("soft_sign", nn.soft_sign, lambda x: x / (1 + x)),
        Row("softplus", nn.softplus, softplus),
        Row("softplus at 0", nn.softplus, softplus, 0.0),
        Row(
            "sparse_plus, sparse_sigmoid",
            lambda x: nn.sparse_plus(x) * nn.sparse_sigmoid(x),
            lambda x: (x + 1) ** 3 / 8,
        ),
        Row("squareplus", nn.squareplus, lambda x: (x + mp.sqrt(x * x + 4)) / 2),
    ],
    "jax.scipy.special": [
        Row("beta", lambda x: special.beta(x, 1.3), lambda x: mp.beta(x, mp.mpf(1.3))),
        Row(
            "betainc",
            lambda x: special.betainc(1.5, 2.5, x),
            lambda x: mp.betainc(mp.mpf(1.5), mp.mpf(2.5), 0, x, regularized=True),
        ),
        Row("betaln", lambda x: special.betaln(x, 1.3), lambda x: mp.log(mp.beta(x, mp.mpf(1.3)))),
        Row(
            "boxcox",
            lambda x: special.boxcox(x, 0.3),
            lambda x: (x ** mp.mpf(0.3) - 1) / mp.mpf(0.3),
        ),
        Row("dawsn", special.dawsn, lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)),
        Row("digamma", special.digamma, mp.digamma),
        Row("entr", special.entr, lambda x: -x * mp.log(x)),
        Row("erf", special.erf, mp.erf),
        Row("erfc", special.erfc, mp.erfc),
        Row("erfcx", special.erfcx, lambda x: mp.exp(x * x) * mp.erfc(x)),
        Row("erfinv", special.erfinv, mp.erfinv),
        Row("exp1", diffcore.special.exp1, mp.e1),
        Row("expi", special.expi, mp.ei),
        Row("expit", special.expit, sigmoid),
        Row("expn", lambda x: diffcore.special.expn(3, x), lambda x: mp.expint(3, x)),
        Row("fresnel", lambda x: special.fresnel(x)[0], mp.fresnels),
        Row("gamma", special.gamma, mp.gamma),
        Row(
            "gammainc",
            lambda x: special.gammainc(1.5, x),
            lambda x: mp.gammainc(mp.mpf(1.5), 0, x, regularized=True),
        ),
        Row(
            "gammaincc",
            lambda x: special.gammaincc(1.5, x),
            lambda x: mp.gammainc(mp.mpf(1.5), x, mp.inf, regularized=True),
        ),
        Row("gammaln", special.gammaln, mp.loggamma),
        Row(
            "hyp1f1", lambda x: special.hyp1f1(0.5, 1.5, x), lambda x: mp.hyp1f1(HALF, 3 * HALF, x)
        ),
        Row("i0", special.i0, lambda x: mp.besseli(0, x)),
        Row("i0e", special.i0e, lambda x: mp.besseli(0, x) * mp.exp(-x)),
        Row("i1", special.i1, lambda x: mp.besseli(1, x)),
        Row("i1e", special.i1e, lambda x: mp.besseli(1, x) * mp.exp(-x)),
        Row(
            "kl_div, rel_entr",
            lambda x: special.kl_div(x, 0.7) + special.rel_entr(x, 0.7),
            lambda x: 2 * x * mp.log(x / mp.mpf(0.7)) - x + mp.mpf(0.7),
        ),
        Row("log_ndtr", special.log_ndtr, lambda x: mp.log(normal(x))),
        Row("logit", special.logit, lambda x: mp.log(x / (1 - x))),
        Row("ndtr", special.ndtr, normal),
        Row("ndtri", special.ndtri, lambda x: mp.sqrt(2) * mp.erfinv(2 * x - 1)),
        Row("poch", lambda x: special.poch(x, 1.5), lambda x: mp.rf(x, mp.mpf(1.5))),
        Row("polygamma", lambda x: special.polygamma(1, x), lambda x: mp.polygamma(1, x)),
        Row("sici", lambda x: special.sici(x)[0], mp.si),
        Row("spence", special.spence, lambda x: mp.polylog(2, 1 - x)),
        Row("xlog1py", lambda x: special.xlog1py(x, x), lambda x: x * mp.log(1 + x)),
        Row("xlogy", lambda x: special.xlogy(x, x), lambda x: x * mp.log(x)),
        Row("zeta", lambda x: special.zeta(2.5, x), lambda x: mp.zeta(mp.mpf(2.5), x)),
    ],
}

# Arrays that depend on t, with NumPy's object arrays of mpf numbers on the side of the reference.
C = np.array([[0.5, -1.0, 0.25], [1.5, 0.75, -0.5], [-0.25, 1.0, 2.0]])


def vector(t: Any, sin: Any, exp: Any) -> list:
    return [sin(t), exp(-t), t * t]


def vector_jax(t: Any) -> Any:
    return jnp.stack(vector(t, jnp.sin, jnp.exp))


def vector_mp(t: Any) -> Any:
    return np.array(vector(t, mp.sin, mp.exp))


def matrix_jax(t: Any) -> Any:
    v = vector_jax(t)
    return jnp.eye(3) * 3 + jnp.outer(v, v) + t * (C + C.T) / 4


def matrix_mp(t: Any) -> Any:
    v = vector_mp(t)
    return np.eye(3) * 3 + np.outer(v, v) + t * (C + C.T) / 4


def list_of(matrix: Any) -> list:
    return [matrix[i, j] for i in range(matrix.rows) for j in range(matrix.cols)]


def softmax_mp(t: Any) -> Any:
    e = np.array([mp.exp(x) for x in vector_mp(t)])
    return e / e.sum()


def normalized_mp(v: Any) -> Any:
    centered = v - v.sum() / len(v)
    return centered / mp.sqrt((centered**2).sum() / len(v) + mp.mpf(1e-5))


def group_norm_jax(t: Any) -> Any:
    groups = jnp.concatenate([vector_jax(t), vector_jax(2 * t)]).reshape(2, 3)
    mean, variance = groups.mean(1, keepdims=True), groups.var(1, keepdims=True)
    return (groups - mean) / jnp.sqrt(variance + 1e-5)


def fourier_mp(t: Any) -> Any:
    v = vector_mp(t)
    waves = [[mp.expjpi(-mp.mpf(2 * j * k) / 3) for k in range(3)] for j in range(3)]
    return [abs(sum(w * x for w, x in zip(row, v, strict=True))) ** 2 for row in waves]


def scan_mp(t: Any) -> Any:
    carry = t
    for k in range(4):
        carry = mp.sin(carry * (k + 1) / 2 + t)
    return carry


def interpolation_mp(t: Any) -> Any:
    """Linear between 0, 1/2, 1 of the values 1, 3, 2, at t² = 0.16."""
    return 1 + 4 * t * t


ARRAYS = [
    Row("softmax", lambda t: nn.softmax(vector_jax(t)), softmax_mp),
    Row(
        "log_softmax, logsumexp",
        lambda t: nn.log_softmax(vector_jax(t)),
        lambda t: [mp.log(x) for x in softmax_mp(t)],
    ),
    Row(
        "layer norm", lambda t: nn.standardize(vector_jax(t)), lambda t: normalized_mp(vector_mp(t))
    ),
    Row(
        "group norm",
        group_norm_jax,
        lambda t: [normalized_mp(vector_mp(t)), normalized_mp(vector_mp(2 * t))],
    ),
    Row(
        "matrix product",
        lambda t: matrix_jax(t) @ C @ matrix_jax(t),
        lambda t: matrix_mp(t) @ C @ matrix_mp(t),
    ),
    Row(
        "einsum",
        lambda t: jnp.einsum("ij,jk,ki->i", matrix_jax(t), C, matrix_jax(t)),
        lambda t: np.diag(matrix_mp(t) @ C @ matrix_mp(t)),
    ),
    Row(
        "convolution",
        lambda t: jnp.convolve(vector_jax(t), matrix_jax(t)[0]),
        lambda t: np.convolve(vector_mp(t), matrix_mp(t)[0]),
    ),
    Row("FFT", lambda t: jnp.abs(jnp.fft.fft(vector_jax(t))) ** 2, fourier_mp),
    Row(
        "solve",
        lambda t: jnp.linalg.solve(matrix_jax(t), vector_jax(t)),
        lambda t: list_of(mp.lu_solve(mp.matrix(matrix_mp(t)), mp.matrix(vector_mp(t)))),
    ),
    Row(
        "inverse",
        lambda t: jnp.linalg.inv(matrix_jax(t)),
        lambda t: list_of(mp.matrix(matrix_mp(t)) ** -1),
    ),
    Row(
        "Cholesky",
        lambda t: jnp.linalg.cholesky(matrix_jax(t)),
        lambda t: list_of(mp.cholesky(mp.matrix(matrix_mp(t)))),
    ),
    Row(
        "logdet",
        lambda t: jnp.linalg.slogdet(matrix_jax(t))[1],
        lambda t: mp.log(mp.det(mp.matrix(matrix_mp(t)))),
    ),
    Row(
        "eigh, eigenvalues",
        lambda t: jnp.linalg.eigh(matrix_jax(t))[0],
        lambda t: list(mp.eigsy(mp.matrix(matrix_mp(t)), eigvals_only=True)),
    ),
    Row(
        "norm",
        lambda t: jnp.linalg.norm(vector_jax(t)),
        lambda t: mp.sqrt((vector_mp(t) ** 2).sum()),
    ),
    Row(
        "prod, cumprod, cumsum",
        lambda t: jnp.cumsum(jnp.cumprod(vector_jax(t))) * jnp.prod(vector_jax(t)),
        lambda t: np.cumsum(np.cumprod(vector_mp(t))) * np.prod(vector_mp(t)),
    ),
    Row(
        "max, min, sort",
        lambda t: jnp.sort(vector_jax(t)) * jnp.max(vector_jax(t)) * jnp.min(vector_jax(t)),
        lambda t: np.sort(vector_mp(t)) * max(vector_mp(t)) * min(vector_mp(t)),
    ),
    Row(
        "linear interpolation",
        lambda t: jnp.interp(t * t, jnp.array([0, 0.5, 1]), jnp.array([1.0, 3, 2])),
        interpolation_mp,
    ),
    Row(
        "scan",
        lambda t: lax.scan(lambda c, k: (jnp.sin(c * (k + 1) / 2 + t), None), t, jnp.arange(4.0))[
            0
        ],
        scan_mp,
    ),
    Row(
        "cond",
        lambda t: lax.cond(t > 0, lambda t: jnp.sin(t * t), lambda t: t, t),
        lambda t: mp.sin(t * t),
    ),
]


def derivatives(row: Row) -> tuple[Any, Any]:
    """All orders of the function in one pass, and reverse mode through each."""

    def all_orders(x: Any) -> Any:
        results = partials(row.function, list(ORDERS))(x)
        return jnp.stack([jnp.ravel(results[n]) for n in ORDERS])

    x = jnp.asarray(row.at)
    return computed(all_orders, x), computed(jax.jacrev(all_orders), x)


def computed(function: Callable, x: Any) -> np.ndarray:
    """The result; nan where JAX's own derivative rule of the row's function raises."""
    try:
        return np.asarray(jax.jit(function)(x))
    except (NotImplementedError, TypeError, ValueError):
        return np.full((len(ORDERS), 1), np.nan)


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
    return "—" if np.isnan(error) else "0" if error == 0 else f"{error:.0e}"


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
    return [*lines, ""]


def main(names: list[str]) -> None:
    sections = {**ELEMENTWISE, "Operations on arrays": ARRAYS}
    about = " ".join(__doc__.split("\n\n")[2].split())
    lines = ["# Orders and operations", "", about, "", EXPLANATION, "", LIMITS, ""]
    for title, rows in sections.items():
        chosen = [row for row in rows if not names or set(names) & set(row.name.split(", "))]
        lines += table(title, chosen) if chosen else []
    if not names:
        TARGET.write_text("\n".join(lines))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    main(parser.parse_args().names)
