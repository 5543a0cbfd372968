"""Derivatives of sums of products of functions of one variable, on a whole tensor grid at once.

f(x_1, ..., x_d) = sum_r prod_i φ_i(x_i)_r on a grid of n^d points needs only d n evaluations of the
factors; so do its derivatives, from univariate Taylor arithmetic in each factor.

Source: J. Cho, S. Nam, H. Yang, S.-B. Yun, Y. Hong, E. Park, Separable physics-informed neural
networks, 2023, eq. (5).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from string import ascii_lowercase

import jax
import jax.numpy as jnp

from diffcore._inputs import check_floating
from diffcore.taylor import partials

Orders = tuple[int, ...]


def separable_partials(
    factors: Sequence[Callable[[jax.Array], jax.Array]], orders: Collection[Orders]
) -> Callable[..., dict[Orders, jax.Array]]:
    """The derivatives of f = sum_r prod_i φ_i(x_i)_r on a grid, as a function of its axes.

    Arguments:
        factors: φ_1, ..., φ_d; each maps a scalar to shape (rank,), or (rank, ...) for several
            values.
        orders: multi-indices of length d; (0, ..., 0) is f itself.

    Returns:
        A function of d arrays of shapes (n_1,), ..., (n_d,) that gives {orders: values}, the values
        of shape (n_1, ..., n_d, ...).

    Raises:
        ValueError: a multi-index or a number of axes that does not match the factors; factors of
            different rank.

    Example:
        >>> import jax.numpy as jnp
        >>> f = separable_partials([lambda x: jnp.stack([x**2, x]), lambda y: jnp.stack([y, y**3])],
        ...                        [(1, 0), (0, 2)])       # x² y + x y³
        >>> values = f(jnp.array([1.0, 2.0]), jnp.array([3.0]))
        >>> values[1, 0].tolist(), values[0, 2].tolist()
        ([[33.0], [39.0]], [[18.0], [36.0]])
    """
    wanted = [tuple(each) for each in orders]
    if not wanted or not factors:
        raise ValueError("`separable_partials` needs at least one factor and one multi-index.")
    for each in wanted:
        if len(each) != len(factors):
            raise ValueError(
                f"`orders` needs multi-indices of length {len(factors)}, one for each factor; "
                f"got {each}."
            )

    def on_grid(*axes: jax.Array) -> dict[Orders, jax.Array]:
        if len(axes) != len(factors):
            raise ValueError(f"the grid needs {len(factors)} axes; got {len(axes)}.")
        tables = [
            _table(i, factor, axis, sorted({each[i] for each in wanted}))
            for i, (factor, axis) in enumerate(zip(factors, axes, strict=True))
        ]
        _check_ranks([next(iter(table.values())) for table in tables])
        return {
            each: _product([table[k] for table, k in zip(tables, each, strict=True)])
            for each in wanted
        }

    return on_grid


def _table(i: int, factor: Callable, axis: jax.Array, orders: list[int]) -> dict[int, jax.Array]:
    """Derivatives of one factor along its axis, each of shape (n, rank, ...)."""
    check_floating("separable_partials", f"axis {i}", axis)
    axis = jnp.asarray(axis)
    if axis.ndim != 1:
        raise ValueError(f"axis {i} of the grid needs shape (n,); got {axis.shape}.")
    return jax.vmap(partials(factor, orders))(axis)


def _product(tables: list[jax.Array]) -> jax.Array:
    """sum_r of the outer product: (n_1, r, ...), (n_2, r, ...), ... -> (n_1, n_2, ..., ...)."""
    letters = ascii_lowercase[: len(tables)]
    inputs = ",".join(f"{letter}R..." for letter in letters)
    return jnp.einsum(f"{inputs}->{letters}...", *tables)


def _check_ranks(values: list[jax.Array]) -> None:
    shapes = [value.shape[1:] for value in values]
    if any(shape != shapes[0] or not shape for shape in shapes):
        raise ValueError(f"the factors need to return one shape (rank, ...); got {shapes}.")
