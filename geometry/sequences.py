"""Point sequences and rules in the unit cube.

All randomness is drawn as 32-bit integers from a JAX key, so a key gives the same numbers on every
machine. A concrete key gives NumPy float64 arrays; a traced key gives JAX arrays of the default
data type, with shapes that depend on `n` and `dimension` alone.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy

from diffcore.keys import as_key
from diffcore.precision import default_dtype
from geometry._arrays import number

SAMPLERS = ("sobol", "random", "halton", "latin", "grid", "gauss", "poisson")
_MOST_POINTS = 2**24


def cube(
    n: int, dimension: int, *, key: Any, sampler: str, periodic: tuple[bool, ...] = ()
) -> tuple[Any, Any]:
    """Returns points `(n, dimension)` in the open unit cube and weights `(n,)` that sum to one.

    Arguments:
        n: number of points.
        key: an int seed or a JAX key.
        sampler: `"sobol"` (Owen-scrambled), `"random"`, `"halton"` (randomly shifted), `"latin"`
            (hypercube), `"grid"` (midpoints) or `"gauss"` (Gauss-Legendre; equispaced on the axes
            in `periodic`). The last two are tensor products: the largest with at most `n` points.
    """
    check_count(n)
    if sampler not in SAMPLERS:
        raise ValueError(f"`sampler` needs one of {', '.join(SAMPLERS)}; got {sampler!r}.")
    if sampler in ("grid", "gauss"):
        return _tensor(n, dimension, sampler, tuple(periodic) or (False,) * dimension)
    if isinstance(key, jax.core.Tracer):
        points = _SEQUENCES[sampler](n, dimension, as_key(key), jnp)
        return points, jnp.full(n, 1 / n)
    with jax.ensure_compile_time_eval():  # a concrete key gives numbers inside a trace too
        points = _SEQUENCES[sampler](n, dimension, as_key(key), np)
    return points, np.full(n, 1 / n)


def subkey(key: Any, index: int) -> Any:
    """Returns the key of one of several independent draws, concrete if `key` is."""
    if isinstance(key, jax.core.Tracer):
        return jax.random.fold_in(as_key(key), index)
    with jax.ensure_compile_time_eval():
        return jax.random.fold_in(as_key(key), index)


def check_count(n: Any) -> None:
    """Raises unless `n` is a usable number of points."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise TypeError(f"`n` needs a whole number of points; got {n!r}.")
    if not 1 <= n <= _MOST_POINTS:
        raise ValueError(f"`n` needs between 1 and {_MOST_POINTS} points; got {n}.")


def point_count(n: Any, density: Any, measure: float) -> Any:
    """Returns the number of points asked for: `n`, or `density` times the measure, one at least."""
    if (n is None) == (density is None):
        raise ValueError(
            "sampling needs `n`, a number of points, or `density=`, points for each unit of "
            f"measure; got n={n!r}, density={density!r}."
        )
    if density is not None:
        if not number(density, "`density`") > 0:
            raise ValueError(f"`density` needs a number above zero; got {density!r}.")
        n = max(1, round(density * measure))
    check_count(n)
    return n


def _bits(key: Any, shape: tuple[int, ...], xp: Any) -> Any:
    count = int(np.prod(shape))
    padded = 1 << max(count - 1, 0).bit_length()  # few distinct sizes, so few compilations
    return xp.asarray(jax.random.bits(key, (padded,), "uint32"))[:count].reshape(shape)


def _unit(integers: Any, xp: Any) -> Any:
    """Maps uint32 integers to the open interval (0, 1)."""
    if xp is np or default_dtype() == np.float64:
        return (integers.astype("float64") + 0.5) * 2.0**-32
    return ((integers >> 9).astype("float32") + 0.5) * jnp.float32(2.0**-23)


def _random(n: int, dimension: int, key: Any, xp: Any) -> Any:
    return _unit(_bits(key, (n, dimension), xp), xp)


def _latin(n: int, dimension: int, key: Any, xp: Any) -> Any:
    order, inside = _bits(key, (2, n, dimension), xp)
    ranks = xp.argsort(xp.argsort(order, axis=0), axis=0)
    inside = _unit(inside, xp)
    return (ranks.astype(inside.dtype) + inside) / n


def _halton(n: int, dimension: int, key: Any, xp: Any) -> Any:
    shift = _unit(_bits(key, (dimension,), xp), xp)
    columns = []
    for axis, base in enumerate(_primes(dimension)):
        index, value, scale = xp.arange(1, n + 1), 0 * shift[0], 1.0
        for _ in range(int(np.ceil(np.log(n + 1) / np.log(base))) + 1):
            scale /= base
            value = value + (index % base) * scale
            index = index // base
        columns.append((value + shift[axis]) % 1.0)
    points = xp.stack(columns, axis=-1).astype(shift.dtype)
    tiny = np.finfo(points.dtype).eps / 2
    return xp.clip(points, tiny, 1 - tiny)


def _sobol(n: int, dimension: int, key: Any, xp: Any) -> Any:
    """Sobol points with hash-based Owen scrambling.

    Source: B. Burley, Practical Hash-based Owen Scrambling, JCGT 9 (2020); the hash is N. Vegdahl's
    (2021) improvement of Laine and Karras (2011).
    """
    points = xp.asarray(_sobol_integers(n, dimension))
    seeds = _bits(key, (dimension,), xp)
    return _unit(_reverse(_hash(_reverse(points), seeds)), xp)


def _hash(x: Any, seed: Any) -> Any:
    x = x ^ (x * np.uint32(0x3D20ADEA))
    x = x + seed
    x = x * ((seed >> 16) | np.uint32(1))
    x = x ^ (x * np.uint32(0x05526C56))
    return x ^ (x * np.uint32(0x53A22864))


def _reverse(x: Any) -> Any:
    """Reverses the order of the 32 bits."""
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        x = ((x >> shift) & np.uint32(mask)) | ((x & np.uint32(mask)) << shift)
    return (x >> 16) | (x << 16)


def _sobol_integers(n: int, dimension: int) -> np.ndarray:
    """The first points of the sequence as 32-bit integers, in Gray-code order."""
    levels = max(1, int(n - 1).bit_length())
    index = np.arange(n, dtype=np.uint32)
    gray = index ^ (index >> 1)
    points = np.zeros((n, dimension), np.uint32)
    for level, direction in enumerate(_sobol_directions(dimension, levels)):
        points ^= ((gray >> level) & 1)[:, None] * direction
    return points


@functools.lru_cache(maxsize=64)
def _sobol_directions(dimension: int, levels: int) -> np.ndarray:
    """Joe and Kuo's direction numbers: consecutive Sobol points differ by one of them."""
    from scipy.stats import qmc  # half a second, and not needed by every statement

    sequence = qmc.Sobol(dimension, scramble=False, bits=32)
    directions = np.empty((levels, dimension), np.uint32)
    for level in range(levels):
        start = 2**level - 1
        sequence.reset()
        if start:
            sequence.fast_forward(start)
        pair = np.round(sequence.random(2) * 2.0**32).astype(np.uint32)
        directions[level] = pair[0] ^ pair[1]
    return directions


@functools.lru_cache(maxsize=64)
def _primes(count: int) -> tuple[int, ...]:
    primes: list[int] = []
    candidate = 2
    while len(primes) < count:
        if all(candidate % p for p in primes):
            primes.append(candidate)
        candidate += 1
    return tuple(primes)


_SEQUENCES = {"sobol": _sobol, "random": _random, "halton": _halton, "latin": _latin}


def _tensor(n: int, dimension: int, rule: str, periodic: tuple[bool, ...]) -> tuple[Any, Any]:
    if dimension == 0:
        return np.zeros((1, 0)), np.ones(1)
    count = int(np.floor(n ** (1 / dimension) + 1e-9))
    axes = [
        _gauss(count) if rule == "gauss" and not periodic[axis] else _midpoints(count)
        for axis in range(dimension)
    ]
    nodes = np.meshgrid(*(nodes for nodes, _ in axes), indexing="ij")
    weights = functools.reduce(np.multiply.outer, (weights for _, weights in axes))
    return np.stack(nodes, axis=-1).reshape(-1, dimension), weights.reshape(-1)


def _midpoints(count: int) -> tuple[Any, Any]:
    return (np.arange(count) + 0.5) / count, np.full(count, 1 / count)


@functools.lru_cache(maxsize=64)
def _gauss(count: int) -> tuple[Any, Any]:
    nodes, weights = scipy.special.roots_legendre(count)
    return (nodes + 1) / 2, weights / 2
