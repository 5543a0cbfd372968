"""Linear algebra against NumPy and SciPy; derivatives against identities."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

import diffcore as dc
from diffcore import linalg as la

RNG = np.random.default_rng(0)
REAL = jnp.asarray(RNG.normal(size=(5, 5))) + 4 * jnp.eye(5)
COMPLEX = REAL + 1j * jnp.asarray(RNG.normal(size=(5, 5)))
B = jnp.asarray(RNG.normal(size=5))
TALL = jnp.asarray(RNG.normal(size=(7, 3))) + 1j * jnp.asarray(RNG.normal(size=(7, 3)))
MATRICES = pytest.mark.parametrize("a", [REAL, COMPLEX], ids=["real", "complex"])


def close(actual, expected, tolerance=1e-12):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@MATRICES
def test_dense_functions_agree_with_numpy_and_scipy(a):
    @jax.jit
    def values(a):
        positive = a @ a.conj().T
        return {
            "solve": la.solve(a, B + 0 * a[0]),
            "inv": la.inv(a),
            "det": la.det(a),
            "slogdet": la.slogdet(a),
            "cholesky": la.cholesky(positive),
            "expm": la.expm(a / 4),
            "svdvals": la.svdvals(a),
            "eigvalsh": la.eigvalsh(positive),
            "pinv": la.pinv(a),
            "norm": la.norm(a),
        }

    actual = values(a)
    positive = np.asarray(a @ a.conj().T)
    for name, value in actual.items():
        module = scipy.linalg if name in ("expm", "svdvals") else np.linalg
        argument = {"cholesky": positive, "eigvalsh": positive, "expm": np.asarray(a / 4)}
        extra = (B,) if name == "solve" else ()
        expected = getattr(module, name)(argument.get(name, np.asarray(a)), *extra)
        for ours, theirs in zip(
            jax.tree.leaves(value), jax.tree.leaves(tuple([expected])), strict=True
        ):
            close(ours, theirs)


@MATRICES
def test_factorizations_multiply_to_the_matrix(a):
    q, r = la.qr(a)
    close(q @ r, a)
    u, s, vh = la.svd(a)
    close((u * s) @ vh, a)
    p, l, upper = la.lu(a)
    close(p @ l @ upper, a)
    values, vectors = la.eig(a)
    close(a @ vectors, vectors * values)


@MATRICES
def test_the_derivative_of_a_solve_is_a_solve(a):
    direction = jnp.flip(a)
    push = jax.jvp(lambda m: la.solve(m, B + 0 * m[0]), (a,), (direction,))[1]
    close(push, -np.linalg.solve(a, direction @ np.linalg.solve(a, B)))
    push = jax.jvp(lambda m: la.slogdet(m)[1], (a,), (direction,))[1]
    close(push, np.trace(np.linalg.solve(a, direction)).real)


@pytest.mark.parametrize("rank", [3, 2])
def test_least_squares_of_any_rank(rank):
    a = TALL.at[:, 2].set(TALL[:, 1]) if rank == 2 else TALL
    b = jnp.stack([jnp.arange(7.0), jnp.ones(7)], 1)
    expected = np.linalg.lstsq(a, b, rcond=None)[0]
    close(la.lstsq(a, b), expected)
    close(la.lstsq(a, b[:, 0]), expected[:, 0])
    wide = np.linalg.lstsq(a.T, np.ones(3), rcond=None)[0]
    close(la.lstsq(a.T, jnp.ones(3)), wide)


def test_derivatives_of_least_squares_match_the_normal_equations():
    b = jnp.arange(7.0)

    def normal(t):
        m = TALL.real * (1 + t * jnp.arange(3.0))
        return jnp.linalg.solve(m.T @ m, m.T @ b).sum()

    def ours(t):
        return la.lstsq(TALL.real * (1 + t * jnp.arange(3.0)), b).sum()

    @jax.jit
    def derivatives(t):
        return [(jax.grad(f)(t), jax.grad(jax.grad(f))(t)) for f in (ours, normal)]

    close(*derivatives(0.3))


@MATRICES
def test_the_generalized_eigenproblem_agrees_with_scipy(a):
    left, right = a + a.conj().T, a @ a.conj().T
    values, vectors = la.eigh(left, right)
    close(values, scipy.linalg.eigh(left, right, eigvals_only=True))
    close(left @ vectors, right @ vectors * values)
    close(vectors.conj().T @ right @ vectors, np.eye(5))
    close(la.eigh(left).values, np.linalg.eigvalsh(left))
    slope = jax.jvp(lambda t: la.eigh(left + t * right, right).values, (0.0,), (1.0,))[1]
    close(slope, np.ones(5))  # the spectrum moves by t


def test_the_norm_has_a_derivative_everywhere():
    x = jnp.array([[3.0, 4.0], [0.0, 0.0]])
    close(la.norm(x, axis=1), [5, 0])
    close(la.norm(x + 1j * x), np.sqrt(50))
    close(jax.grad(lambda x: la.norm(x, 1).sum())(x), [[0.6, 0.8], [0, 0]])
    assert jnp.isfinite(jax.jit(jax.hessian(la.norm))(jnp.zeros(2))).all()


def shifted(a):
    return lambda t: lambda x: a @ x + t * x


@pytest.mark.parametrize("name", ["cg", "gmres", "lsmr"])
def test_matrix_free_solves_and_their_derivatives_agree_with_dense_ones(name):
    a = COMPLEX @ COMPLEX.conj().T if name == "cg" else COMPLEX
    b = B.astype(complex)
    solver = {"cg": la.cg, "gmres": la.gmres, "lsmr": lambda f, b: la.lsmr(f, b, b)}[name]

    def size(solve):
        return lambda t: jnp.sum(jnp.abs(solve(t)))

    iterative = size(lambda t: solver(shifted(a)(t), b).value)
    dense = size(lambda t: jnp.linalg.solve(a + t * jnp.eye(5), b))

    @jax.jit
    def all_of(t):
        derivatives = [lambda f: f, jax.grad]
        if name == "cg":  # one second derivative: they take long to compile
            derivatives.append(lambda f: jax.grad(jax.grad(f)))
        return [[d(f)(t) for d in derivatives] for f in (iterative, dense)]

    for ours, expected in zip(*all_of(0.3), strict=True):
        close(ours, expected, 1e-8)  # the iterations' tolerance, 4e-11, times the condition
    solved = solver(shifted(a)(0.0), b)
    assert solved.converged and 1 <= solved.steps <= 50


def test_unfinished_iterations_say_so():
    stiff = jnp.geomspace(1e-8, 1.0, 50)
    solved = la.cg(lambda x: stiff * x, jnp.ones(50), max_steps=3)
    assert not solved.converged and solved.steps <= 3 and jnp.isfinite(solved.value).all()


def test_preconditioners_save_steps():
    stiff = jnp.geomspace(1e-4, 1.0, 50) + 0.0

    def product(x):
        return stiff * x + 1e-5 * (jnp.roll(x, 1) + jnp.roll(x, -1))

    for solver in (la.cg, la.gmres):
        plain = solver(product, jnp.ones(50))
        better = solver(product, jnp.ones(50), preconditioner=lambda r: r / stiff)
        close(product(better.value), jnp.ones(50), 1e-7)
        assert better.converged and better.steps < plain.steps


def test_unknowns_may_be_trees():
    b = {"u": jnp.ones(3), "p": jnp.array(2.0)}
    solved = la.gmres(lambda x: {"u": 2 * x["u"] + x["p"], "p": x["p"] - x["u"].sum()}, b)
    dense = np.block([[2 * np.eye(3), np.ones((3, 1))], [-np.ones((1, 3)), np.ones((1, 1))]])
    close(
        jnp.append(solved.value["u"], solved.value["p"]), np.linalg.solve(dense, [1, 1, 1, 2]), 1e-9
    )


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: la.lstsq(jnp.ones((3, 2)), jnp.ones(2)), ValueError, r"shape \(m, n\)"),
        (lambda: la.lstsq(jnp.ones((3, 2), int), jnp.ones(3)), TypeError, "data type int64"),
        (lambda: la.eigh(jnp.ones((3, 2))), ValueError, r"square matrix `a`; got shape \(3, 2\)"),
        (lambda: la.eigh(jnp.eye(3), jnp.eye(2)), ValueError, "of one shape"),
        (lambda: la.norm(jnp.arange(3)), TypeError, "data type int64"),
        (lambda: la.cg(lambda x: x, jnp.arange(3)), TypeError, "data type int64"),
        (lambda: la.cg(lambda x: x[:2], B), ValueError, r"got float64\[2\] for float64\[5\]"),
        (lambda: la.cg(lambda x: x, B, tolerance=0.0), ValueError, "0 < tolerance < 1"),
        (lambda: la.gmres(lambda x: x, B, max_steps=0), ValueError, "`max_steps` >= 1"),
        (lambda: la.gmres(lambda x: x, B, restart=0), ValueError, "`restart` >= 1"),
        (lambda: la.lsmr(lambda x: x, B, jnp.ones(3)), ValueError, "a tree like b"),
    ],
)
def test_bad_input_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_least_squares_has_taylor_derivatives_without_a_warning():
    a = jnp.array([[1.0, 0.2], [0.3, 1.0], [0.5, -0.4]])
    f = lambda t: la.lstsq(a * (1 + t) + t**2, jnp.cos(t * jnp.arange(3.0)))  # noqa: E731
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = jax.jit(dc.partials(f, [2]))(0.3)[2]

    def normal(t):
        m = a * (1 + t) + t**2
        return jnp.linalg.solve(m.T @ m, m.T @ jnp.cos(t * jnp.arange(3.0)))

    np.testing.assert_allclose(ours, jax.jacfwd(jax.jacfwd(normal))(0.3), rtol=1e-11)


def test_matrices_of_the_wrong_kind_are_refused_with_a_remedy():
    with pytest.raises(ValueError, match=r"Hermitian matrix `a`.*differs .* by 1.*`eig`"):
        la.eigh(jnp.array([[1.0, 1.0], [0.0, 1.0]]))
    with pytest.raises(TypeError, match="real or complex numbers; a has data type int64"):
        la.lstsq(jnp.ones((2, 2), int), jnp.ones(2))
