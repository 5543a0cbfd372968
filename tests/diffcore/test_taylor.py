"""The Taylor engine against JAX's own nested forward mode, one compiled program for each case."""

import warnings
from functools import partial

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from jax import lax

from diffcore.taylor import operator, operators, partials

POINT = jnp.array([0.3, 0.7])
A = jnp.array([[2.0, 0.3, 0.1], [0.3, 3.0, 0.2], [0.1, 0.2, 1.5]])
WEIGHTS = [jnp.array(np.random.default_rng(0).normal(size=s) / 3) for s in [(2, 8), (8, 8), (8, 3)]]


def nested(f, orders):
    for i, n in enumerate(orders):
        for _ in range(n):
            f = directional(f, jnp.eye(len(orders))[i])
    return f


def directional(f, direction):
    return lambda x: jax.jvp(f, (x,), (direction,))[1]


def compare(f, orders, x=POINT, rtol=1e-10):
    ours, theirs = jax.jit(
        lambda x: (partials(f, orders)(x), {each: nested(f, each)(x) for each in orders})
    )(x)
    for each in orders:
        for a, b in zip(jax.tree.leaves(ours[each]), jax.tree.leaves(theirs[each]), strict=True):
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol, err_msg=str(each))


def network(x, activation=jnp.tanh):
    for w in WEIGHTS[:-1]:
        x = activation(x @ w)
    return x @ WEIGHTS[-1]


def three(x):
    return jnp.array([x[1], x[0], x[0] * x[1]])


def matrix(x):
    return A + x[0] * x[1] * jnp.eye(3) + jnp.outer(three(x), three(x))


@jax.custom_jvp
def straight_through(x):
    return jnp.round(x)


straight_through.defjvp(lambda x, t: (straight_through(x[0]), t[0] * jnp.cos(x[0])))

CASES = {
    "network": network,
    "softplus network": lambda x: network(x, jax.nn.softplus),
    "gelu network": lambda x: network(x, jax.nn.gelu),
    "checkpointed network": jax.checkpoint(network),
    "products and quotients": lambda x: x[0] ** 3 * jnp.sin(x[0] * x[1]) / jnp.exp(x[1]),
    "unpacking": lambda p: (lambda x, y: x * (1 - x) * jnp.sin(y))(*p),
    "activations": lambda x: jax.nn.silu(x[1]) + jax.nn.relu(x[0] ** 2) + jax.nn.mish(x[0]),
    "max and min": lambda x: (
        jnp.maximum(x[0] ** 2, x[1] ** 2) + jnp.minimum(x[0], x[1] ** 3) + jnp.abs(x[0] ** 3)
    ),
    "clip and remainder": lambda x: jnp.clip(x**2, 0.2, 0.4) + (x**2) % 0.3,
    "where": lambda x: jnp.where(x > 0.5, x**2, jnp.sin(x)),
    "reduce": lambda x: [jnp.max(three(x) ** 2), jnp.min(x**3), jnp.mean(x**2), jnp.var(three(x))],
    "powers": lambda x: x[0] ** x[1] + x[0] ** 2.5 + jnp.power(x[1], 3.0) + jnp.linalg.norm(x),
    "angles": lambda x: jnp.arctan2(x[0], x[1] ** 2) + jnp.hypot(x[0], x[1]),
    "softmax": lambda x: [jax.nn.softmax(three(x)), jax.nn.logsumexp(three(x))],
    "standardize": lambda x: jax.nn.standardize(three(x)),
    "mapped loop": lambda x: jax.vmap(  # each ends at its own step
        lambda a: lax.while_loop(lambda c: c < 3, lambda c: c * 2 + x[0] ** 2, a + x[1])
    )(jnp.array([0.1, 0.5, 2.0])),
    "cumulative": lambda x: [jnp.cumsum(three(x)), jnp.cumprod(three(x)), lax.cummax(three(x))],
    "cumulative logsumexp": lambda x: lax.cumlogsumexp(three(x)),
    "product": lambda x: jnp.prod(three(x)),
    "sort": lambda x: [jnp.sort(jnp.sin(three(x))), lax.top_k(three(x), 2)[0]],
    "indexing": lambda x: [x[jnp.array([0, 1, 1])] ** 2, three(x)[jnp.argmax(x)]],
    "scatter": lambda x: jnp.zeros(4).at[1:3].set(x).at[0].add(x[0] ** 2),
    "interpolation": lambda x: jnp.interp(x[0] * x[1], jnp.arange(3.0) / 2, jnp.arange(3.0) ** 2),
    "convolution": lambda x: jnp.convolve(three(x), x**2),
    "einsum": lambda x: jnp.einsum("i,j,ij->", three(x), three(x) ** 2, A),
    "fft": lambda x: jnp.abs(jnp.fft.fft(three(x))) ** 2,
    "complex": lambda x: jnp.abs(jnp.exp(1j * x[0]) * (x[1] + 1j * x[0] ** 2)),
    "complex result": lambda x: jnp.exp(1j * x[0]) * jnp.conj(x[1] + 1j * x[0] ** 2),
    "solve": lambda x: jnp.linalg.solve(matrix(x), three(x)),
    "cholesky": lambda x: jnp.linalg.cholesky(matrix(x)),
    "triangular solve": lambda x: jax.scipy.linalg.solve_triangular(
        matrix(x), three(x), lower=True, unit_diagonal=True
    ),
    "scan": lambda x: lax.scan(lambda c, t: (jnp.sin(c * t + x[0]), c), x[1], jnp.arange(3.0)),
    "fori_loop": lambda x: lax.fori_loop(0, 4, lambda i, c: jnp.sin(c + x[0]), 1.0),
    "eigh": lambda x: jnp.linalg.eigh(matrix(x)),
    "qr": lambda x: jnp.linalg.qr(matrix(x)[:, :2]),
    "logdet": lambda x: jnp.linalg.slogdet(matrix(x))[1],
    "while_loop": lambda x: lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), (0, x)
    ),
    "cond": lambda x: lax.cond(x[0] > 0, lambda a: jnp.sin(a[0] * a[1]), lambda a: a[0], x),
    "vmap inside": lambda x: jax.vmap(lambda a: jnp.sin(a * x[0]) * x[1])(jnp.arange(3.0)),
    "custom rule": lambda x: straight_through(x[0] * x[1]) + straight_through(x).sum(),
    "special functions": lambda x: [
        jax.scipy.special.i0e(x[0]),
        jax.scipy.special.xlogy(x[0], x[1]),
    ],
    "sinc": lambda x: jnp.sinc(x[0] * x[1]),
}


def image(x):
    return jnp.sin(jnp.arange(12.0).reshape(3, 4) * x[0] * x[1])


def wide(x):
    return jnp.concatenate([matrix(x), matrix(x**2) + 1], 1)


def pool(x, start, reduce):
    return lax.reduce_window(image(x), start, reduce, (2, 2), (1, 1), "SAME")


EXACT = {
    "max pooling": lambda x: [pool(x, -jnp.inf, lax.max), pool(x, jnp.inf, lax.min)],
    "mean pooling": lambda x: pool(x, 0.0, lax.add) / 4,
    "svd": lambda x: jnp.linalg.svd(jnp.roll(matrix(x), 1, 0)),
    "wide svd": lambda x: jnp.linalg.svd(wide(x), full_matrices=False),
    "singular values": lambda x: jnp.linalg.svd(wide(x).T, compute_uv=False),
    "two-dimensional convolution": lambda x: lax.conv_general_dilated(
        image(x)[None, None], image(x[::-1])[None, None, :2, :2], (1, 1), "SAME"
    ),
    "lu": lambda x: jax.scipy.linalg.lu(matrix(x)),
    "sliding": lambda x: lax.dynamic_update_slice(
        lax.dynamic_slice(three(x) ** 2, (1,), (2,)), x[:1] ** 3, (0,)
    ),
    "cumulative, reversed": lambda x: [
        f(three(x), reverse=True)
        for f in (lax.cumsum, lax.cumprod, lax.cumlogsumexp, lax.cummax, lax.cummin)
    ],
    "complex fft": lambda x: jnp.fft.irfft(jnp.exp(1j * three(x)) * jnp.fft.fft(three(x) ** 2)),
}
WITHOUT_RULE = {
    "determinant": lambda x: jnp.linalg.det(matrix(x)),
    "scatter-mul": lambda x: jnp.ones(4).at[jnp.array([1, 2])].multiply(x**2, unique_indices=True),
    "scatter-max": lambda x: jnp.full(4, 0.3).at[jnp.array([1, 2])].max(x**2),
    "tridiagonal_solve": lambda x: lax.linalg.tridiagonal_solve(
        jnp.array([0, 1, 1]) * x[0], 4 + three(x), jnp.array([1, 1, 0]) * x[1], jnp.ones((3, 1))
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_those_of_nested_forward_mode(name):
    f = CASES[name]
    compare(
        lambda x: [v for v in jax.tree.leaves(f(x)) if v.dtype != int], [(2, 1), (0, 2), (1, 0)]
    )


@pytest.mark.parametrize("order", [1, 3])
def test_elementwise_functions_have_the_derivatives_of_nested_forward_mode(order):
    special = jax.scipy.special
    functions = [
        *(jnp.exp, jnp.exp2, jnp.expm1, jnp.log, jnp.log1p, jnp.sin, jnp.cos, jnp.tan, jnp.sinh),
        *(jnp.cosh, jnp.tanh, jnp.arcsin, jnp.arccos, jnp.arctan, jnp.arcsinh, jnp.arctanh),
        *(jnp.sqrt, lax.rsqrt, jnp.cbrt, jnp.abs, jnp.sign, jax.nn.sigmoid, jax.nn.softplus),
        *(special.erf, special.erfc, special.erfinv, special.gammaln, special.digamma),
        *(special.i1e, partial(special.gammaincc, 2.0), partial(special.betainc, 2.0, 3.0)),
        *(lambda x: jnp.arccosh(x + 1), lambda x: x**2.5, lambda x: x**-2, lambda x: 2.0**x),
        partial(special.polygamma, 1),
    ]
    compare(lambda x: [f(x[0]) for f in functions], [(order,)], x=jnp.array([0.3]), rtol=1e-9)


@pytest.mark.parametrize("name", EXACT)
def test_rules_hold_to_the_third_order_without_a_fallback(name):
    f = EXACT[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a fallback would warn
        compare(lambda x: jax.tree.leaves(f(x)), [(1, 2), (0, 1)], rtol=1e-9)


@pytest.mark.parametrize("name", WITHOUT_RULE)
def test_without_a_rule_nested_forward_mode_is_used(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(WITHOUT_RULE[name], [(1, 1), (0, 2)])


@pytest.mark.parametrize("name", ["svd", "wide svd", "max pooling"])
def test_reverse_mode_goes_through_what_is_solved_or_chosen(name):
    f = EXACT[name]

    def ours(x):
        return sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(partials(f, [(1, 0)])(x)))

    def theirs(x):
        return sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(nested(f, (1, 0))(x)))

    gradients = jax.jit(lambda x: (jax.grad(ours)(x), jax.grad(theirs)(x)))(POINT)
    np.testing.assert_allclose(*gradients, rtol=1e-9)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_laplacian_is_the_trace_of_the_hessian(d):
    f = lambda x: jnp.exp(jnp.sin(x).sum()) * jnp.prod(x)  # noqa: E731
    terms = {tuple(2 * int(i == j) for j in range(d)): 1 for i in range(d)}
    x = jnp.linspace(0.1, 0.9, d)
    ours, theirs = jax.jit(lambda x: (operator(f, terms)(x), jnp.trace(jax.hessian(f)(x))))(x)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_operators_of_mixed_order_are_the_sum_of_their_terms(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    orders = {tuple(map(int, rng.integers(0, 3, d))) for _ in range(4)} | {(0,) * d}
    terms = {each: float(rng.integers(1, 5)) for each in orders}
    weights = jnp.asarray(rng.normal(size=(3, d)))

    def f(x):
        return jnp.sum(jnp.tanh(weights @ x) ** 2) * jnp.exp(x[0])

    x = jnp.asarray(rng.normal(size=d))
    single = partials(f, list(terms))(x)  # one monomial each: no sums of orders
    expected = sum(c * single[each] for each, c in terms.items())
    np.testing.assert_allclose(operator(f, terms)(x), expected, rtol=1e-11)


def test_the_biharmonic_of_a_polynomial_is_exact():
    f = lambda x: x[0] ** 4 + 3 * x[0] ** 2 * x[1] ** 2 - x[1] ** 5  # noqa: E731
    terms = {(4, 0): 1, (2, 2): 2, (0, 4): 1}
    np.testing.assert_allclose(operator(f, terms)(POINT), 24 + 24 - 120 * POINT[1], rtol=1e-14)


def test_operators_share_one_pass_and_keep_their_order():
    f = lambda x: {"a": x[0] ** 2 * x[1], "b": jnp.stack([x[1], x[0]])}  # noqa: E731
    terms = [{(1, 0): 1, (0, 2): -0.1}, {(0, 0): 2}, {(0, 1): 1}]
    heat, value, slope = operators(f, terms)(POINT)
    np.testing.assert_allclose(heat["a"], 2 * POINT[0] * POINT[1])
    np.testing.assert_allclose(heat["b"], [0, 1])
    np.testing.assert_allclose(value["b"], 2 * POINT[::-1])
    np.testing.assert_allclose(slope["a"], POINT[0] ** 2)


def test_coefficients_may_be_complex_or_traced():
    f = lambda x: jnp.sin(x[0]) * jnp.exp(x[1])  # noqa: E731
    schroedinger = operator(f, {(1, 0): 1j, (0, 2): 0.5})(POINT)
    expected = (1j * jnp.cos(POINT[0]) + 0.5 * jnp.sin(POINT[0])) * jnp.exp(POINT[1])
    np.testing.assert_allclose(schroedinger, expected)
    of_coefficient = jax.grad(lambda c: operator(f, {(2, 0): c, (0, 2): 1})(POINT))
    np.testing.assert_allclose(of_coefficient(2.0), -f(POINT))


def test_a_scalar_point_takes_integer_orders():
    result = partials(lambda t: t**5, [0, 2, (3,)])(jnp.array(2.0))
    assert {orders: float(v) for orders, v in result.items()} == {0: 32, 2: 160, (3,): 240}


def test_complex_points_have_complex_derivatives():
    z = jnp.array([0.3 + 0.4j, -0.2j])
    f = lambda z: jnp.exp(z[0] * z[1]) / z[0]  # noqa: E731
    got = jax.jit(partials(f, [(0, 2), (1, 1)]))(z)
    np.testing.assert_allclose(got[0, 2], z[0] ** 2 * f(z), rtol=1e-12)
    np.testing.assert_allclose(got[1, 1], z[0] * z[1] * f(z), rtol=1e-12)


def test_it_composes_with_jit_vmap_grad_and_itself():
    def loss(weights, points):
        f = lambda x: jnp.sum(jnp.tanh(x @ weights) ** 2)  # noqa: E731
        return jnp.sum(jax.vmap(operator(f, {(2, 0): 1, (0, 2): 1}))(points) ** 2)

    def expected(weights, points):
        f = lambda x: jnp.sum(jnp.tanh(x @ weights) ** 2)  # noqa: E731
        return jnp.sum(jax.vmap(lambda x: jnp.trace(jax.hessian(f)(x)))(points) ** 2)

    points = jnp.array(np.random.default_rng(2).normal(size=(3, 2)))
    ours, theirs = jax.jit(lambda w, x: (jax.grad(loss)(w, x), jax.grad(expected)(w, x)))(
        WEIGHTS[0], points
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)

    laplacian = {(2, 0): 1, (0, 2): 1}
    biharmonic = {(4, 0): 1, (2, 2): 2, (0, 4): 1}
    twice = jax.jit(operator(operator(network, laplacian), laplacian))(POINT)
    at_once = jax.jit(operator(network, biharmonic))(POINT)
    np.testing.assert_allclose(twice, at_once, rtol=1e-10)


def test_the_derivative_at_a_kink_is_that_of_jax():
    f = lambda x: jax.nn.relu(x) + 2 * jnp.abs(x) + 4 * jnp.maximum(x, 0)  # noqa: E731
    np.testing.assert_allclose(partials(f, [1])(0.0)[1], jax.grad(f)(0.0))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: lax.clamp(x[0], x[1] ** 2, 1.0),  # 0 where two of the three are equal
        lambda x: lax.clamp(0.0, x, x[::-1] * 2),
        lambda x: lax.clamp(x[1] * 3, x[0] - 1, x[1]),  # the limits are equal
        lambda x: [lax.cummax(three(x)), lax.cummin(three(x))],  # means where they are equal
    ],
)
def test_the_derivative_where_arguments_are_equal_is_that_of_jax(f):
    compare(f, [(1, 0), (0, 1)], x=jnp.zeros(2))


def test_the_sign_of_a_complex_zero_is_zero_like_its_derivatives():
    f = lambda x: jnp.sign(x[0] + 1j * x[1])  # noqa: E731
    result = partials(f, [(0, 0), (1, 0), (1, 1)])(jnp.zeros(2))
    assert [complex(value) for value in result.values()] == [0, 0, 0]


def test_smooth_functions_have_their_derivatives_where_their_formula_has_a_kink():
    result = partials(jax.nn.softplus, [2, 4])(0.0)  # log(1 + e^x): 1/4 and -1/8
    np.testing.assert_allclose([result[2], result[4]], [1 / 4, -1 / 8])


def test_powers_at_zero_are_finite_where_they_are_smooth():
    result = partials(lambda x: x**3 + x**2.0 + x**4.0 * jnp.cos(x), [2, 3, 4])(0.0)
    assert [float(v) for v in result.values()] == [2, 6, 24]
    slope = jax.grad(lambda x: partials(lambda x: x**2.0, [1])(x)[1])  # reverse mode on top
    assert float(slope(0.0)) == 2


@pytest.mark.parametrize("at", [(0.0, 1.0), (0.0, 0.0), (0.4, 0.3), (0.5, 0.0)])
def test_powers_with_a_varying_exponent_agree_with_jax_at_zero_too(at):
    f = lambda x: x[0] ** (x[1] + 2)  # noqa: E731
    x = jnp.array(at)
    orders = [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
    ours = jax.jit(partials(f, orders))(x)
    gradient, h = jax.grad(f)(x), jax.hessian(f)(x)
    theirs = [*gradient, h[0, 0], 0.0 if at == (0.0, 0.0) else h[0, 1], h[1, 1]]
    if at == (0.0, 0.0):  # where JAX has 0 for the second derivative of x ** 2
        theirs[2] = 2.0
    np.testing.assert_allclose([ours[each] for each in orders], theirs, rtol=1e-13)


def test_the_gradient_of_a_power_s_derivative_knows_its_exponent_at_integers():
    second = lambda y: partials(lambda x: x**y, [2])(0.5)[2]  # noqa: E731
    np.testing.assert_allclose(jax.grad(second)(2.0), 3 + 2 * np.log(0.5), rtol=1e-14)


def test_roots_have_infinite_derivatives_at_zero():
    result = partials(lambda x: [jnp.sqrt(x), jnp.cbrt(x)], [1])(0.0)[1]
    assert [float(v) for v in result] == [np.inf, np.inf]


def test_special_functions_have_derivatives_of_full_accuracy():
    f = lambda x: [jnp.i0(x), jax.scipy.special.gammainc(3.0, x)]  # noqa: E731
    bessel, gamma = jax.jit(partials(f, [6]))(1e-3)[6]
    np.testing.assert_allclose(
        bessel, 20 / 64 + 70 / 256 / 2 * 1e-6, rtol=1e-12
    )  # its power series
    # γ(3, x)/2 = x³/6 - x⁴/8 + x⁵/20 - x⁶/72 + x⁷/336 - ...
    np.testing.assert_allclose(gamma, -720 / 72 + 5040 / 336 * 1e-3, rtol=2e-6)


@pytest.mark.parametrize("at", [0.0, 1e-4, 0.3, 1.59, 1.6, 7.0, -0.3])
def test_sinc_has_derivatives_of_full_accuracy_near_zero_too(at):
    orders = [1, 2, 3, 4, 6]
    ours = partials(jnp.sinc, orders)(at)
    with mpmath.workdps(60):
        theirs = [float(mpmath.diff(mpmath.sincpi, at, k)) for k in orders]
    scale = [np.pi**k for k in orders]
    np.testing.assert_allclose(
        np.array(list(ours.values())) / scale, np.array(theirs) / scale, rtol=1e-13, atol=1e-14
    )
    slope = jax.grad(lambda x: partials(jnp.sinc, [3])(x)[3])(at)
    np.testing.assert_allclose(slope, theirs[3], rtol=1e-12, atol=1e-12)


def test_derivatives_of_the_coordinates_do_not_depend_on_the_batch():
    # The first layer's tangents are constants: mapped over points, they must not be mapped.
    f = lambda x: jnp.sum(jnp.tanh(x @ WEIGHTS[0]))  # noqa: E731
    jaxpr = jax.make_jaxpr(jax.vmap(operator(f, {(2, 0): 1, (0, 2): 1})))(jnp.ones((50, 2)))
    products = [e for e in jaxpr.jaxpr.eqns if e.primitive.name == "dot_general"]
    assert sum(50 in e.outvars[0].aval.shape for e in products) == 1


def test_an_unknown_primitive_warns_once_and_names_itself():
    from diffcore.taylor import interpret

    interpret._warned.discard("scatter-mul")
    f = WITHOUT_RULE["scatter-mul"]
    with pytest.warns(UserWarning, match="`scatter-mul` has no Taylor rule"):
        jax.jit(partials(f, [(1, 0)]))(POINT)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jax.jit(partials(f, [(1, 0)]))(POINT)


@pytest.mark.parametrize(
    ("orders", "x", "error", "text"),
    [
        ([(1, 0), (1,)], POINT, ValueError, "one entry for each coordinate"),
        ([(-1, 0)], POINT, ValueError, "must not be negative"),
        ([(0.5, 0)], POINT, TypeError, "tuple of integers"),
        (
            [(1, 0)],
            jnp.array([1, 2]),
            TypeError,
            r"`x` must be floating point or complex .*astype\(float\)",
        ),
        ([(1, 0)], jnp.ones((5, 2)), ValueError, "one point of shape .* `jax.vmap`"),
        ([(1, 0, 0)], POINT, ValueError, r"one point of shape \(3,\).* each order 2 entries"),
        ([(200, 0)], POINT, ValueError, "must not exceed 170 in sum"),
        ([("a", 0)], POINT, TypeError, "tuple of integers"),
    ],
)
def test_wrong_orders_and_points_are_refused(orders, x, error, text):
    with pytest.raises(error, match=text):
        partials(lambda x: x**2, orders)(x)


def test_orders_may_be_lists_rows_of_an_array_and_generated():
    f = lambda x: x[0] ** 2 * x[1]  # noqa: E731
    rows = [[2, 0], [1, 1]]
    in_jax = [(jnp.array(2), 0), jnp.array([1, 1])]
    for orders in (rows, np.array(rows), jnp.array(rows), in_jax, iter([(2, 0), (1, 1)])):
        derivative = partials(f, orders)
        for _ in range(2):
            np.testing.assert_allclose(list(derivative(POINT).values()), [1.4, 0.6])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: partials(jnp.sum, (2, 0))(POINT), ValueError, r"did you mean \[\(2, 0\)\]"),
        (lambda: partials(jnp.sum, 2), TypeError, r"list of orders.*did you mean \[2\]"),
        (lambda: partials(jnp.sum, None), TypeError, r"one for each derivative; got None\.$"),
        (lambda: partials(3, [(1, 0)]), TypeError, "`f` must be a function of a point; got int"),
        (lambda: partials(lambda x, y: x, [(1, 0)]), TypeError, r"one array; it takes \(x, y\)"),
        (lambda: partials(lambda x: [1, 2][x[0]], [(1, 0)])(POINT), TypeError, "chooses its way"),
        (lambda: operator(jnp.sum, [(2, 0)]), TypeError, "must be a dictionary .*`partials`"),
        (lambda: operator(jnp.sum, {(2, 0): "a"}), TypeError, "as coefficients; got str 'a'"),
        (lambda: operator(jnp.sum, {(2, 0): None}), TypeError, "as coefficients; got NoneType"),
        (lambda: partials(jnp.sum, [1])({"a": 1.0}), TypeError, "one array.* got a dict"),
        (lambda: partials(lambda x: "a", [(1, 0)])(POINT), TypeError, "arrays; it returned a str"),
        (lambda: operator(jnp.sum, {})(jnp.arange(2)), TypeError, "floating point or complex"),
        (lambda: operator(jnp.sum, {(2, 0): 0})(jnp.ones(3)), ValueError, "one point of shape"),
        (
            lambda: partials(lambda x: jnp.sum(x[x > 0]), [(1, 0)])(POINT),
            TypeError,
            r"masks x\[x > 0\] as `jax.numpy.where`",
        ),
        (
            lambda: partials(lambda z: jnp.sum(jnp.abs(z)), [(1, 0)])(POINT + 1j),
            ValueError,
            "Cauchy-Riemann .*`diffcore.wirtinger",
        ),
    ],
)
def test_a_wrong_request_is_refused_with_the_remedy(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_no_orders_are_no_derivatives_and_repeated_orders_are_one():
    assert partials(jnp.sum, [])(POINT) == {}
    assert list(partials(jnp.sum, [(1, 0), (1, 0), (0, 1)])(POINT)) == [(1, 0), (0, 1)]


def test_a_coefficient_of_numpy_does_not_widen_the_result():
    laplacian = operator(lambda x: jnp.sum(x**2), {(2, 0): np.array(0.1), (0, 2): np.float64(1)})
    assert laplacian(POINT.astype(jnp.float32)).dtype == jnp.float32


def test_an_infinite_coefficient_is_refused():
    with pytest.raises(ValueError, match="finite coefficients; got inf"):
        operator(network, {(1, 0): float("inf")})


def test_python_control_flow_over_values_is_refused_with_the_remedy():
    with pytest.raises(TypeError, match="`jax.numpy.where`"):
        partials(lambda x: x[0] if x[0] > 0 else x[1], [(1, 0)])(POINT)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
def test_factorials_beyond_the_range_of_integers_are_numbers_too(dtype):
    result = partials(jnp.exp, [13, 21, 30])(dtype(0.0))  # all derivatives are 1
    np.testing.assert_allclose(list(result.values()), 1, rtol=10 * jnp.finfo(dtype).eps)


def test_a_derivative_that_vanishes_has_the_shape_and_type_of_its_coefficient():
    terms = {(1,): jnp.ones(3), (0,): 2.0}
    assert operator(lambda x: jnp.float64(1.0), terms)(jnp.ones(1)).tolist() == [2, 2, 2]
    assert operator(lambda x: x, {2: 1j})(1.0).dtype == complex


def test_orders_written_in_two_ways_are_added():
    assert float(operator(lambda x: x**3, {2: 1, (2,): 2})(1.0)) == 18
