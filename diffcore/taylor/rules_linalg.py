"""Rules of linear algebra: implicit equations, solved for one coefficient after the other.

A product of two coefficients only reaches coefficients of higher degree. So in A x = b or
L Lᴴ = A the k-th coefficient is the linearized problem at the point with a known right side.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from diffcore.taylor.algebra import Algebra
from diffcore.taylor.interpret import evaluate
from diffcore.taylor.nested import nested_forward
from diffcore.taylor.registry import bind, rule
from diffcore.taylor.series import (
    Parts,
    Value,
    add,
    map_parts,
    minus,
    multiply,
    parts_of,
    primal_of,
    product_terms,
    series,
    solve_bilinear,
    subtract,
)


@rule("triangular_solve")
def _triangular_solve(space: Algebra, values: list[Value], equation: Any) -> Value:
    a, b = values
    params = equation.params

    def times(a_k: Any, x: Any) -> Any:
        matrix = _strict_or_full(a_k, params["lower"], params["unit_diagonal"])
        matrix = jnp.swapaxes(matrix, -1, -2) if params["transpose_a"] else matrix
        matrix = jnp.conj(matrix) if params["conjugate_a"] else matrix
        return matrix @ x if params["left_side"] else x @ matrix

    return solve_bilinear(space, b, a, lambda right: bind(equation, primal_of(a), right), times)


def _strict_or_full(a: Any, lower: bool, unit_diagonal: bool) -> Any:
    return jnp.tril(a, -int(unit_diagonal)) if lower else jnp.triu(a, int(unit_diagonal))


@rule("cholesky")
def _cholesky(space: Algebra, values: list[Value], equation: Any) -> Value:
    (a,) = values
    factor, linearized = jax.linearize(lambda m: bind(equation, m), primal_of(a))
    parts: Parts = {}
    for k in range(1, space.size):
        known = product_terms(space, k, parts, parts, lambda p, q: p @ _adjoint(q))
        rest = minus(parts_of(a).get(k), known)
        if rest is not None:
            parts[k] = linearized(rest)
    return series(factor, parts)


@rule("lu")
def _lu(space: Algebra, values: list[Value], equation: Any) -> list[Value]:
    """L₀⁻¹ P A U₀⁻¹ = M N with M₀ = N₀ = 1, M unit lower and N upper triangular."""
    (a,) = values
    packed, pivots, permutation = bind(equation, primal_of(a))
    if packed.shape[-1] != packed.shape[-2]:
        return nested_forward(space, lambda m: bind(equation, m), values)
    lower = jnp.tril(packed, -1) + jnp.eye(packed.shape[-1], dtype=packed.dtype)
    upper = jnp.triu(packed)
    left: Parts = {}
    right: Parts = {}
    parts: Parts = {}
    for k in range(1, space.size):
        known = product_terms(space, k, left, right, jnp.matmul)
        rest = minus(_turned(parts_of(a).get(k), lower, upper, permutation), known)
        if rest is not None:
            left[k], right[k] = jnp.tril(rest, -1), jnp.triu(rest)
            parts[k] = lower @ left[k] + right[k] @ upper
    return [series(packed, parts), pivots, permutation]


def _turned(part: Any, lower: Any, upper: Any, permutation: Any) -> Any:
    """L⁻¹ P A U⁻¹."""
    if part is None:
        return None
    rows = jnp.take_along_axis(jnp.asarray(part), permutation[..., None], -2)
    options = dict(left_side=False, lower=False)
    half = lax.linalg.triangular_solve(upper, rows, **options)
    return lax.linalg.triangular_solve(lower, half, left_side=True, lower=True)


@rule("qr")
def _qr(space: Algebra, values: list[Value], equation: Any) -> list[Value]:
    """With B = A R₀⁻¹, whose B₀ = Q₀ is orthonormal: SᴴS = BᴴB, S₀ = 1, and R = S R₀, Q S = B."""
    (a,) = values
    q, r, *pivots = bind(equation, primal_of(a))
    if pivots or q.shape[-1] != r.shape[-1]:
        return nested_forward(space, lambda m: bind(equation, m), values)
    solve = partial(lax.linalg.triangular_solve, r, left_side=False, lower=False)
    b = map_parts(lambda part: solve(jnp.asarray(part)), a, q)
    gram = multiply(space, map_parts(_adjoint, b, _adjoint(q)), b, jnp.matmul)
    unit = jnp.eye(r.shape[-1], dtype=r.dtype)
    parts: Parts = {}
    for k in range(1, space.size):
        known = product_terms(space, k, _adjoints(parts), parts, jnp.matmul)
        rest = minus(parts_of(gram).get(k), known)
        if rest is not None:
            parts[k] = jnp.triu(rest) - unit * rest / 2
    stretch = series(jnp.broadcast_to(unit, r.shape), parts)
    quotient = solve_bilinear(space, b, stretch, lambda m: m, lambda s, q: q @ s)
    return [quotient, map_parts(lambda part: part @ r, stretch, r)]


@rule("eigh")
def _eigh(space: Algebra, values: list[Value], equation: Any) -> list[Value]:
    """B X = X Λ and XᴴX = 1 for B = V₀ᴴ A V₀ and V = V₀ X, where B₀ = Λ₀ is diagonal.

    Eigenvalues must be distinct. The phases of complex eigenvectors are such that the diagonal
    of X is real.
    """
    (a,) = values
    vectors, roots = bind(equation, primal_of(a))
    if vectors.shape[-1] != vectors.shape[-2]:
        return nested_forward(space, lambda m: bind(equation, m), values)
    turned = {k: _adjoint(vectors) @ part @ vectors for k, part in parts_of(a).items()}
    unit = jnp.eye(vectors.shape[-1], dtype=roots.dtype)
    gap = roots[..., None, :] - roots[..., :, None] + unit
    x: Parts = {}
    shifts: Parts = {}
    for k in range(1, space.size):
        rest = minus(turned.get(k), product_terms(space, k, x, shifts, _times_columns))
        for term in product_terms(space, k, turned, x, jnp.matmul):
            rest = term if rest is None else rest + term
        if rest is not None:
            shifts[k] = jnp.diagonal(rest, axis1=-2, axis2=-1).real
            excess = minus(None, product_terms(space, k, _adjoints(x), x, jnp.matmul))
            diagonal = 0 if excess is None else unit * excess.real / 2
            x[k] = rest * (1 - unit) / gap + diagonal
    rotated = {k: vectors @ m for k, m in x.items()}
    return [series(vectors, rotated), series(roots, shifts)]


def _times_columns(m: Any, factors: Any) -> Any:
    return m * factors[..., None, :]


def _adjoints(matrices: Parts) -> Parts:
    return {k: _adjoint(m) for k, m in matrices.items()}


def _adjoint(m: Any) -> Any:
    return jnp.conj(m.swapaxes(-1, -2))


@rule("svd")
def _svd(space: Algebra, values: list[Value], equation: Any) -> list[Value]:
    """The eigenpairs s, (u, v) / √2 of [[0, A], [Aᴴ, 0]], with -s, (u, -v) / √2 and the null space.

    Singular values must be distinct, and not zero where A is not square. The phases of complex
    vectors are those of `eigh`.
    """
    (a,) = values
    a0, params = primal_of(a), equation.params
    rows, columns = a0.shape[-2:]
    is_square, with_vectors = rows == columns, params["compute_uv"]
    if with_vectors and params["full_matrices"] and not is_square:
        return nested_forward(space, lambda matrix: bind(equation, matrix), values)
    thin = equation.replace(params={**params, "compute_uv": True, "full_matrices": False})
    s, u, vh = bind(thin, a0)
    v = _adjoint(vh)
    plus = jnp.concatenate([u, v], -2) * 0.5**0.5
    opposite = jnp.concatenate([u, -v], -2) * 0.5**0.5
    unit = jnp.eye(s.shape[-1], dtype=s.dtype)
    roots, others = s[..., None, :], s[..., :, None]
    gap = roots - others + unit

    def times(part: Any, w: Any) -> Any:
        upper, lower = w[..., :rows, :], w[..., rows:, :]
        return jnp.concatenate([part @ lower, _adjoint(jnp.asarray(part)) @ upper], -2)

    vectors: Parts = {}
    shifts: Parts = {}
    for k in range(1, space.size):
        rest = minus(None, product_terms(space, k, vectors, shifts, _times_columns))
        known = [times(parts_of(a)[k], plus)] if k in parts_of(a) else []
        for term in [*known, *product_terms(space, k, parts_of(a), vectors, times)]:
            rest = term if rest is None else rest + term
        if rest is None:
            continue
        along, across = _adjoint(plus) @ rest, _adjoint(opposite) @ rest
        shifts[k] = jnp.diagonal(along, axis1=-2, axis2=-1).real
        excess = minus(None, product_terms(space, k, _adjoints(vectors), vectors, jnp.matmul))
        diagonal = 0 if excess is None else unit * excess.real / 2
        step = plus @ (along * (1 - unit) / gap + diagonal) + opposite @ (across / (roots + others))
        outside = 0 if is_square else (rest - plus @ along - opposite @ across) / roots
        vectors[k] = step + outside
    values_of_a = series(s, shifts)
    if not with_vectors:
        return [values_of_a]
    left = {k: w[..., :rows, :] * 2**0.5 for k, w in vectors.items()}
    right = {k: _adjoint(w[..., rows:, :]) * 2**0.5 for k, w in vectors.items()}
    return [values_of_a, series(u, left), series(vh, right)]


@rule("custom_linear_solve")
def _linear_solve(space: Algebra, values: list[Value], equation: Any) -> list[Value]:
    """x of degree n from b - A x, evaluated with the coefficients of x of degree below n."""
    lengths, jaxprs = equation.params["const_lengths"], equation.params["jaxprs"]
    n = sum(lengths)
    constants, right = [primal_of(value) for value in values[:n]], values[n:]
    x = list(bind(equation, *constants, *map(primal_of, right)))
    for degree in range(1, space.order + 1):
        product = evaluate(space, jaxprs.matvec, [*values[: lengths.matvec], *x])
        residual = [parts_of(subtract(b, p)) for b, p in zip(right, product, strict=True)]
        keys = sorted({k for parts in residual for k in parts if space.degrees[k] == degree})
        for k in keys:
            zeros = [jnp.zeros_like(primal_of(value)) for value in x]
            known = [parts.get(k, zero) for parts, zero in zip(residual, zeros, strict=True)]
            step = bind(equation, *constants, *known)
            x = [add(u, series(z, {k: s})) for u, z, s in zip(x, zeros, step, strict=True)]
    return x
