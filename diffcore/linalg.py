"""Linear algebra: dense through JAX, matrix-free through lineax; real and complex.

Everything is differentiable: solves by the implicit function theorem (the derivative of a solve is
a solve, so iterations are never unrolled), eigenvalues and singular values where they are simple.
Derivatives of eigenvectors and singular vectors exist up to their phase only; those of `eigh` and
`svd` are infinite where values coincide, and `eig` has none for its vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.numpy.linalg import (
    cholesky,
    cond,
    det,
    eig,
    eigvals,
    eigvalsh,
    inv,
    matrix_power,
    matrix_rank,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
)
from jax.scipy.linalg import block_diag, expm, lu, solve_triangular

from diffcore._inputs import as_count, check_floating, is_traced

__all__ = [
    "Eigenpairs",
    "Solved",
    "block_diag",
    "cg",
    "cholesky",
    "cond",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "gmres",
    "inv",
    "lsmr",
    "lstsq",
    "lu",
    "matrix_power",
    "matrix_rank",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
]

Product = Callable[[Any], Any]


class Eigenpairs(NamedTuple):
    """Eigenvalues in ascending order and the eigenvectors as columns."""

    values: jax.Array
    vectors: jax.Array


class Solved(NamedTuple):
    """The solution that an iteration found, whether it met the tolerance, and its steps."""

    value: Any
    converged: jax.Array
    steps: jax.Array


def lstsq(a: jax.Array, b: jax.Array) -> jax.Array:
    """The x of least norm among those that minimize |a x - b|.

    Arguments:
        a: shape (m, n), of any rank; singular values below eps max(m, n) times the largest count
            as zero.
        b: shape (m,) or (m, k).

    Notes:
        By singular values. Derivatives hold where the rank does not change.

    Example:
        >>> import jax.numpy as jnp
        >>> x = lstsq(jnp.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), jnp.array([1.0, 3.0, 5.0]))
        >>> x.round(3).tolist()
        [1.0, 2.0]
    """
    check_floating("lstsq", "a", a)
    check_floating("lstsq", "b", b)
    dtype = jnp.result_type(a, b)
    a, b = jnp.asarray(a, dtype), jnp.asarray(b, dtype)
    if a.ndim != 2 or b.ndim not in (1, 2) or a.shape[0] != b.shape[0]:
        raise ValueError(
            f"`lstsq` needs a of shape (m, n) and b of shape (m,) or (m, k); got {a.shape} and "
            f"{b.shape}."
        )
    return pinv(a, rtol=max(a.shape) * float(jnp.finfo(dtype).eps)) @ b


def eigh(a: jax.Array, b: jax.Array | None = None) -> Eigenpairs:
    """The eigenvalues and eigenvectors of a v = λ b v, a Hermitian and b positive definite.

    Arguments:
        a: shape (n, n); rounding errors of its symmetry are averaged away.
        b: shape (n, n), the identity by default. The vectors satisfy V^H b V = 1.

    Raises:
        ValueError: an a or b that is not Hermitian, checked outside of `jit` and `vmap`.

    Example:
        >>> import jax.numpy as jnp
        >>> eigh(jnp.diag(jnp.array([3.0, 1.0])), 2 * jnp.eye(2)).values.round(6).tolist()
        [0.5, 1.5]
    """
    a = _hermitian("eigh", "a", a)
    if b is None:
        return Eigenpairs(*jnp.linalg.eigh(a))
    b = _hermitian("eigh", "b", b)
    if b.shape != a.shape:
        raise ValueError(f"`eigh` needs a and b of one shape; got {a.shape} and {b.shape}.")
    lower = jnp.linalg.cholesky(b)
    reduced = solve_triangular(lower, a, lower=True)
    reduced = solve_triangular(lower, reduced.conj().T, lower=True).conj().T
    values, vectors = jnp.linalg.eigh(reduced)
    return Eigenpairs(values, solve_triangular(lower, vectors, lower=True, trans="C"))


def norm(x: jax.Array, axis: int | Sequence[int] | None = None) -> jax.Array:
    """The Euclidean norm over the given axes (all by default), with derivative 0 at 0.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> jax.grad(norm)(jnp.zeros(2)).tolist()       # jnp.linalg.norm: NaN
        [0.0, 0.0]
    """
    check_floating("norm", "x", x)
    x = jnp.asarray(x)
    axes = tuple(axis) if isinstance(axis, Sequence) else axis
    square = jnp.sum(jnp.real(x) ** 2 + jnp.imag(x) ** 2, axes)
    is_zero = square == 0
    return jnp.where(is_zero, 0, jnp.sqrt(jnp.where(is_zero, 1, square)))


def cg(
    product: Product,
    b: Any,
    *,
    tolerance: float | None = None,
    max_steps: int | None = None,
    preconditioner: Product | None = None,
) -> Solved:
    """The solution of A x = b for a Hermitian positive definite A known by its products.

    Arguments:
        product: x -> A x, linear, on pytrees like b. May close over what is differentiated by.
        b: right-hand side.
        tolerance: of the residual relative to b; by default eps^(2/3), 4e-11 in float64.
        max_steps: by default ten times the number of unknowns.
        preconditioner: r -> M r, an approximate inverse of A, Hermitian positive definite.

    Notes:
        Conjugate gradients; the error falls by (sqrt(κ) - 1) / (sqrt(κ) + 1) a step.

    Example:
        >>> import jax.numpy as jnp
        >>> x, converged, steps = cg(lambda x: 2 * x, jnp.ones(3))
        >>> x.tolist(), bool(converged)
        ([0.5, 0.5, 0.5], True)
    """
    import lineax

    rtol, steps = _limits("cg", b, tolerance, max_steps)
    tag = lineax.positive_semidefinite_tag
    operator = _operator("cg", product, b, tag)
    options = (
        {}
        if preconditioner is None
        else {"preconditioner": _operator("cg", preconditioner, b, tag)}
    )
    return _solve(operator, b, lineax.CG(rtol, rtol**2, max_steps=steps), options)


def gmres(
    product: Product,
    b: Any,
    *,
    tolerance: float | None = None,
    max_steps: int | None = None,
    restart: int = 30,
    preconditioner: Product | None = None,
) -> Solved:
    """The solution of A x = b for any invertible A known by its products.

    Arguments:
        product, b, tolerance, max_steps: as `cg`.
        restart: number of vectors kept; more is more robust and costs memory.
        preconditioner: r -> M r, an approximate inverse of A.

    Notes:
        Restarted GMRES. In exact arithmetic it ends after as many steps as unknowns if not
        restarted; restarts may stagnate, which shows as not converged.
    """
    import lineax

    restart = as_count("gmres", "restart", restart)
    rtol, steps = _limits("gmres", b, tolerance, max_steps)
    operator = _operator("gmres", product, b)
    options = (
        {} if preconditioner is None else {"preconditioner": _operator("gmres", preconditioner, b)}
    )
    solver = lineax.GMRES(rtol, rtol**2, max_steps=steps, restart=min(restart, _size(b)))
    return _solve(operator, b, solver, options)


def lsmr(
    product: Product,
    b: Any,
    like: Any,
    *,
    tolerance: float | None = None,
    max_steps: int | None = None,
) -> Solved:
    """The x of least norm among those that minimize |A x - b|, A known by its products.

    Arguments:
        product: x -> A x, linear, from trees like `like` to trees like b; its adjoint is derived.
        b: right-hand side.
        like: a tree of the shape and data type of x (arrays or `jax.ShapeDtypeStruct`).
        tolerance, max_steps: as `cg`.

    Source:
        D. C.-L. Fong, M. Saunders, LSMR: an iterative algorithm for sparse least-squares problems,
        2011.
    """
    import lineax

    rtol, steps = _limits("lsmr", b, tolerance, max_steps)
    operator = _operator("lsmr", product, like, like=b)
    return _solve(operator, b, lineax.LSMR(rtol, rtol, max_steps=steps), {})


def _solve(operator: Any, b: Any, solver: Any, options: dict[str, Any]) -> Solved:
    import lineax

    result = lineax.linear_solve(operator, b, solver, options=options, throw=False)
    converged = result.result == lineax.RESULTS.successful
    return Solved(result.value, converged, result.stats["num_steps"])


def _operator(name: str, product: Product, argument: Any, *tags: Any, like: Any = None) -> Any:
    """`product` as a lineax operator, after checking what it returns."""
    import lineax

    structure = jax.eval_shape(lambda tree: jax.tree.map(jnp.asarray, tree), argument)
    result = jax.eval_shape(product, structure)
    wanted = structure if like is None else jax.eval_shape(lambda: jax.tree.map(jnp.asarray, like))
    if result != wanted and _shapes(result) != _shapes(wanted):
        raise ValueError(
            f"`{name}` needs a product that returns a tree like b; got {_shapes(result)} for "
            f"{_shapes(wanted)}."
        )
    return lineax.FunctionLinearOperator(product, structure, tags)


def _shapes(tree: Any) -> Any:
    return jax.tree.map(lambda leaf: f"{leaf.dtype}{list(leaf.shape)}", tree)


def _limits(name: str, b: Any, tolerance: float | None, max_steps: int | None) -> tuple[float, int]:
    check_floating(name, "b", b)
    eps = max(float(jnp.finfo(jnp.result_type(leaf)).eps) for leaf in jax.tree.leaves(b))
    tolerance = eps ** (2 / 3) if tolerance is None else tolerance
    if not 0 < tolerance < 1:
        raise ValueError(f"`{name}` needs 0 < tolerance < 1; got {tolerance}.")
    return tolerance, as_count(name, "max_steps", 10 * _size(b) if max_steps is None else max_steps)


def _size(tree: Any) -> int:
    return sum(jnp.size(leaf) for leaf in jax.tree.leaves(tree))


def _square(function: str, name: str, a: jax.Array) -> jax.Array:
    check_floating(function, name, a)
    a = jnp.asarray(a)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"`{function}` needs a square matrix `{name}`; got shape {a.shape}.")
    return a


def _hermitian(function: str, name: str, a: jax.Array) -> jax.Array:
    a = _square(function, name, a)
    if not is_traced(a):
        excess, size = (jnp.max(jnp.abs(m), initial=0) for m in (a - a.conj().T, a))
        if excess > size * jnp.finfo(a.dtype).eps ** 0.5:
            raise ValueError(
                f"`{function}` needs a Hermitian matrix `{name}`; it differs from its adjoint by "
                f"{float(excess):.2g}: pass ({name} + {name}.conj().T) / 2, or use `eig`."
            )
    return a
