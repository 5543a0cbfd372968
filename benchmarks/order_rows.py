"""The rows of docs/order_table.md: functions of one real variable, and the same for mpmath."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import mpmath as mp
import numpy as np
from jax import lax, nn
from jax.scipy import special

from diffcore import special as ours

HALF = mp.mpf(1) / 2


@dataclass(frozen=True)
class Row:
    """Functions and what tells the row from others, the same for mpmath, and where."""

    name: str
    function: Callable[[Any], Any]
    reference: Callable[[Any], Any]
    at: float = 0.4

    @property
    def names(self) -> list[str]:
        """The functions that the row is about."""
        return self.name.partition(" (")[0].split(", ")


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def normal(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def softplus(x: Any) -> Any:
    return mp.log(1 + mp.exp(x))


def dawson(x: Any) -> Any:
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def scaled_erfc(x: Any) -> Any:
    return mp.exp(x * x) * mp.erfc(x)


def owens_t(h: Any, a: Any) -> Any:
    def density(t: Any) -> Any:
        return mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t)

    return mp.quad(density, [0, a]) / (2 * mp.pi)


ALPHA, SCALE = mp.mpf(1.6732632423543772848170429916717), mp.mpf(1.0507009873554804934193349852946)

ELEMENTWISE = {
    "jax.numpy": [
        Row("abs, fabs", lambda x: jnp.abs(x) * jnp.fabs(x), lambda x: x * x, -0.4),
        Row("add, subtract, multiply", lambda x: (x + 2 - 3 * x) * x, lambda x: (2 - 2 * x) * x),
        Row("angle", lambda x: jnp.angle(x + 1j * x**2), mp.atan),
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
        Row(
            "conj, imag, real",
            lambda x: jnp.real(jnp.exp(1j * x) * jnp.conj(x + 1j)) + jnp.imag(jnp.exp(2j * x)),
            lambda x: x * mp.cos(x) + mp.sin(x) + mp.sin(2 * x),
        ),
        Row("copysign", lambda x: jnp.copysign(x**3, -1.0), lambda x: -(x**3)),
        Row("cos", jnp.cos, mp.cos),
        Row("cosh", jnp.cosh, mp.cosh),
        Row("deg2rad, rad2deg", lambda x: jnp.deg2rad(x) * jnp.rad2deg(x), lambda x: x * x),
        Row("divide", lambda x: (x + 1) / (x**2 + 1), lambda x: (x + 1) / (x**2 + 1)),
        Row("exp", jnp.exp, mp.exp),
        Row("exp2", jnp.exp2, lambda x: mp.mpf(2) ** x),
        Row("expm1", jnp.expm1, mp.expm1, 1e-3),
        Row("float_power", lambda x: jnp.float_power(x, 2.7), lambda x: x ** mp.mpf(2.7)),
        Row("frexp", lambda x: jnp.frexp(x**3)[0], lambda x: 8 * x**3),
        Row("hypot", lambda x: jnp.hypot(x, 0.7), lambda x: mp.hypot(x, mp.mpf(0.7))),
        Row("i0", jnp.i0, lambda x: mp.besseli(0, x)),
        Row("ldexp", lambda x: jnp.ldexp(x**3, 2), lambda x: 4 * x**3),
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
            "maximum, minimum, clip, fmax, fmin",
            lambda x: (
                jnp.maximum(x, 0)
                * jnp.minimum(x, 2)
                * jnp.clip(x, 0, 1)
                * jnp.fmax(x, 0)
                * jnp.fmin(x, 2)
            ),
            lambda x: x**5,
        ),
        Row("modf", lambda x: jnp.modf(x**3 + 3)[0], lambda x: x**3),
        Row(
            "nan_to_num, negative, positive",
            lambda x: jnp.nan_to_num(jnp.negative(jnp.positive(x**3))),
            lambda x: -(x**3),
        ),
        Row(
            "polyval",
            lambda x: jnp.polyval(jnp.array([1, -2, 3, 0.5]), x),
            lambda x: x**3 - 2 * x**2 + 3 * x + HALF,
        ),
        Row("power (constant exponent)", lambda x: x**2.7, lambda x: x ** mp.mpf(2.7)),
        Row("power (constant base)", lambda x: 1.3**x, lambda x: mp.mpf(1.3) ** x),
        Row("power (both)", lambda x: x**x, lambda x: x**x),
        Row("power (integer, at 0)", lambda x: x**4 + x**2.0, lambda x: x**4 + x**2, 0.0),
        Row("reciprocal", jnp.reciprocal, lambda x: 1 / x),
        Row(
            "remainder, fmod, mod, divmod",
            lambda x: (
                jnp.remainder(5 * x, 0.3)
                * jnp.fmod(5 * x, 0.3)
                * jnp.mod(5 * x, 0.3)
                * jnp.divmod(5 * x, 0.3)[1]
            ),
            lambda x: (5 * x - 6 * mp.mpf(0.3)) ** 4,
        ),
        Row("sin", jnp.sin, mp.sin),
        Row("sinc", jnp.sinc, mp.sincpi),
        Row("sinc (at 0)", jnp.sinc, mp.sincpi, 0.0),
        Row("sinh", jnp.sinh, mp.sinh),
        Row("sqrt", jnp.sqrt, mp.sqrt),
        Row("square", jnp.square, lambda x: x * x),
        Row("tan", jnp.tan, mp.tan),
        Row("tanh", jnp.tanh, mp.tanh),
        Row(
            "where, select, piecewise, choose",
            lambda x: (
                jnp.where(x > 0, jnp.sin(x), x)
                + jnp.select([x < 0, x >= 0], [x, jnp.cos(x)])
                + jnp.piecewise(x, [x < 0, x >= 0], [jnp.cos, jnp.exp])
                + jnp.choose(jnp.asarray(1), [x, x**2], mode="clip")
            ),
            lambda x: mp.sin(x) + mp.cos(x) + mp.exp(x) + x * x,
        ),
    ],
    "jax.nn": [
        Row("celu", nn.celu, mp.expm1, -0.4),
        Row("elu", nn.elu, mp.expm1, -0.4),
        Row("gelu (exact)", lambda x: nn.gelu(x, approximate=False), lambda x: x * normal(x)),
        Row(
            "gelu (tanh)",
            nn.gelu,
            lambda x: x / 2 * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (x + mp.mpf(0.044715) * x**3))),
        ),
        Row("glu", lambda x: nn.glu(jnp.stack([x, 2 * x]))[0], lambda x: x * sigmoid(2 * x)),
        Row(
            "hard_sigmoid, hard_silu, hard_tanh",
            lambda x: nn.hard_sigmoid(x) * nn.hard_silu(x) * nn.hard_tanh(x),
            lambda x: x**2 * ((x + 3) / 6) ** 2,
        ),
        Row(
            "leaky_relu, relu, relu6",
            lambda x: nn.leaky_relu(x) * nn.relu(x) * nn.relu6(x),
            lambda x: x**3,
        ),
        Row("log1mexp", nn.log1mexp, lambda x: mp.log(1 - mp.exp(-x))),
        Row(
            "log_softmax, softmax",
            lambda x: nn.log_softmax(vector_jax(x)) + nn.softmax(vector_jax(x)),
            lambda x: np.array([mp.log(p) + p for p in softmax_mp(x)]),
        ),
        Row(
            "logsumexp, logmeanexp",
            lambda x: nn.logsumexp(vector_jax(x)) * nn.logmeanexp(vector_jax(x)),
            lambda x: log_sum_exp_mp(x) * (log_sum_exp_mp(x) - mp.log(3)),
        ),
        Row("log_sigmoid", nn.log_sigmoid, lambda x: -softplus(-x)),
        Row("mish", nn.mish, lambda x: x * mp.tanh(softplus(x))),
        Row("relu (below 0)", nn.relu, lambda x: 0 * x, -0.4),
        Row("selu", nn.selu, lambda x: SCALE * ALPHA * mp.expm1(x), -0.4),
        Row("sigmoid", nn.sigmoid, sigmoid),
        Row("silu", nn.silu, lambda x: x * sigmoid(x)),
        Row("soft_sign", nn.soft_sign, lambda x: x / (1 + x)),
        Row("softplus", nn.softplus, softplus),
        Row("softplus (at 0)", nn.softplus, softplus, 0.0),
        Row(
            "sparse_plus, sparse_sigmoid",
            lambda x: nn.sparse_plus(x) * nn.sparse_sigmoid(x),
            lambda x: (x + 1) ** 3 / 8,
        ),
        Row("squareplus", nn.squareplus, lambda x: (x + mp.sqrt(x * x + 4)) / 2),
        Row(
            "standardize",
            lambda x: nn.standardize(vector_jax(x)),
            lambda x: normalized_mp(vector_mp(x)),
        ),
        Row("tanh", nn.tanh, mp.tanh),
    ],
    "jax.scipy.special": [
        Row("beta", lambda x: special.beta(x, 1.3), lambda x: mp.beta(x, mp.mpf(1.3))),
        Row("bessel_jn", lambda x: special.bessel_jn(x, v=3)[3], lambda x: mp.besselj(3, x)),
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
        Row(
            "boxcox1p",
            lambda x: special.boxcox1p(x, 0.3),
            lambda x: ((1 + x) ** mp.mpf(0.3) - 1) / mp.mpf(0.3),
        ),
        Row("comb", lambda x: special.comb(x + 3, 2.0), lambda x: (x + 3) * (x + 2) / 2),
        Row("dawsn", special.dawsn, dawson),
        Row("dawsn (tail)", special.dawsn, dawson, 6.0),
        Row("digamma", special.digamma, mp.digamma),
        Row("entr", special.entr, lambda x: -x * mp.log(x)),
        Row("erf", special.erf, mp.erf),
        Row("erfc", special.erfc, mp.erfc),
        Row("erfcinv", lambda x: special.erfcinv(x), lambda x: mp.erfinv(1 - x)),
        Row("erfcx", special.erfcx, scaled_erfc),
        Row("erfcx (tail)", special.erfcx, scaled_erfc, 10.0),
        Row("erfinv", special.erfinv, mp.erfinv),
        Row("exp1", special.exp1, mp.e1),
        Row("expi", special.expi, mp.ei),
        Row("expit", special.expit, sigmoid),
        Row("expn", lambda x: special.expn(3, x), lambda x: mp.expint(3, x)),
        Row("expn (tail)", lambda x: special.expn(3, x), lambda x: mp.expint(3, x), 20.0),
        Row("factorial", special.factorial, mp.factorial),
        Row(
            "fresnel",
            lambda x: jnp.stack(special.fresnel(x)),
            lambda x: [mp.fresnels(x), mp.fresnelc(x)],
        ),
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
        Row("gammaln, loggamma", special.gammaln, mp.loggamma),
        Row(
            "hyp1f1", lambda x: special.hyp1f1(0.5, 1.5, x), lambda x: mp.hyp1f1(HALF, 3 * HALF, x)
        ),
        Row(
            "hyp1f1 (tail)",
            lambda x: special.hyp1f1(0.5, 1.5, x),
            lambda x: mp.hyp1f1(HALF, 3 * HALF, x),
            -20.0,
        ),
        Row(
            "hyp2f1",
            lambda x: special.hyp2f1(0.5, 1.5, 2.25, x),
            lambda x: mp.hyp2f1(HALF, 3 * HALF, mp.mpf(2.25), x),
        ),
        Row("i0", special.i0, lambda x: mp.besseli(0, x)),
        Row("i0e", special.i0e, lambda x: mp.besseli(0, x) * mp.exp(-x)),
        Row("i0e (tail)", special.i0e, lambda x: mp.besseli(0, x) * mp.exp(-x), 20.0),
        Row("i1", special.i1, lambda x: mp.besseli(1, x)),
        Row("i1e", special.i1e, lambda x: mp.besseli(1, x) * mp.exp(-x)),
        Row(
            "kl_div, rel_entr",
            lambda x: special.kl_div(x, 0.7) + special.rel_entr(x, 0.7),
            lambda x: 2 * x * mp.log(x / mp.mpf(0.7)) - x + mp.mpf(0.7),
        ),
        Row("log_ndtr", special.log_ndtr, lambda x: mp.log(normal(x))),
        Row("log_ndtr (tail)", special.log_ndtr, lambda x: mp.log(normal(x)), -12.0),
        Row(
            "log_softmax, softmax, logsumexp",
            lambda x: (
                special.log_softmax(vector_jax(x))
                * special.softmax(vector_jax(x))
                * special.logsumexp(vector_jax(x))
            ),
            lambda x: np.array([mp.log(p) * p for p in softmax_mp(x)]) * log_sum_exp_mp(x),
        ),
        Row("logit", special.logit, lambda x: mp.log(x / (1 - x))),
        Row(
            "multigammaln",
            lambda x: special.multigammaln(x + 2, 3),
            lambda x: sum(mp.loggamma(x + 2 - mp.mpf(j) / 2) for j in range(3)),
        ),
        Row("ndtr", special.ndtr, normal),
        Row("ndtri", special.ndtri, lambda x: mp.sqrt(2) * mp.erfinv(2 * x - 1)),
        Row("owens_t (in h)", lambda x: special.owens_t(x, 0.7), lambda x: owens_t(x, mp.mpf(0.7))),
        Row("owens_t (in a)", lambda x: special.owens_t(0.7, x), lambda x: owens_t(mp.mpf(0.7), x)),
        Row("poch", lambda x: special.poch(x, 1.5), lambda x: mp.rf(x, mp.mpf(1.5))),
        Row("polygamma", lambda x: special.polygamma(1, x), lambda x: mp.polygamma(1, x)),
        Row("sici", lambda x: jnp.stack(special.sici(x)), lambda x: [mp.si(x), mp.ci(x)]),
        Row("spence", special.spence, lambda x: mp.polylog(2, 1 - x)),
        Row(
            "sph_harm_y",
            lambda x: special.sph_harm_y(*map(jnp.atleast_1d, (2, 1, x, 2 * x)), n_max=2)[0].real,
            lambda x: -mp.sqrt(15 / (32 * mp.pi)) * mp.sin(2 * x) * mp.cos(2 * x),
        ),
        Row(
            "wofz",
            lambda x: special.wofz(x + 0.5j).real,
            lambda x: (scaled_erfc(HALF - 1j * x) + scaled_erfc(HALF + 1j * x)) / 2,
        ),
        Row("xlog1py", lambda x: special.xlog1py(x, x), lambda x: x * mp.log(1 + x)),
        Row("xlogy", lambda x: special.xlogy(x, x), lambda x: x * mp.log(x)),
        Row("zeta", lambda x: special.zeta(2.5, x), lambda x: mp.zeta(mp.mpf(2.5), x)),
    ],
    "diffcore.special": [
        Row(
            "airy",
            lambda x: jnp.stack(ours.airy(x)),
            lambda x: [f(x, derivative=k) for f in (mp.airyai, mp.airybi) for k in (0, 1)],
        ),
        Row("ellipe", ours.ellipe, mp.ellipe),
        Row("ellipk", ours.ellipk, mp.ellipk),
        Row(
            "exp1, expn",
            lambda x: ours.exp1(x) * ours.expn(3, x),
            lambda x: mp.e1(x) * mp.expint(3, x),
        ),
        Row("iv", lambda x: ours.iv(3, x), lambda x: mp.besseli(3, x), 2.3),
        Row("jv", lambda x: ours.jv(3, x), lambda x: mp.besselj(3, x), 2.3),
        Row("kv", lambda x: ours.kv(3, x), lambda x: mp.besselk(3, x), 2.3),
        Row("lambertw", ours.lambertw, mp.lambertw),
        Row("yv", lambda x: ours.yv(3, x), lambda x: mp.bessely(3, x), 2.3),
    ],
}

NAMESPACES = {
    "jax.numpy": jnp,
    "jax.nn": nn,
    "jax.scipy.special": special,
    "diffcore.special": ours,
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


def log_sum_exp_mp(t: Any) -> Any:
    return mp.log(sum(mp.exp(x) for x in vector_mp(t)))


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
        "SVD, singular values",
        lambda t: jnp.linalg.svd(jnp.roll(matrix_jax(t), 1, 0), compute_uv=False),
        lambda t: list(mp.svd_r(mp.matrix(np.roll(matrix_mp(t), 1, 0)), compute_uv=False)),
    ),
    Row(
        "QR",
        lambda t: jnp.abs(jnp.linalg.qr(matrix_jax(t))[1]),
        lambda t: [abs(each) for each in list_of(mp.qr(mp.matrix(matrix_mp(t)))[1])],
    ),
    Row(
        "max pooling",
        lambda t: lax.reduce_window(vector_jax(t), -jnp.inf, lax.max, (2,), (1,), "VALID"),
        lambda t: [max(vector_mp(t)[i : i + 2]) for i in (0, 1)],
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
