"""Fourier, cosine and sine transforms, and what a spectral method does with them.

The Fourier transforms are `jax.numpy.fft`'s, by their NumPy names. The cosine and sine transforms
have all four types, any axis and norm, by SciPy's definitions; each is one real FFT of the
symmetric extension, so that they differentiate, compile and batch like everything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax.numpy.fft import (
    fft,
    fft2,
    fftfreq,
    fftn,
    fftshift,
    hfft,
    ifft,
    ifft2,
    ifftn,
    ifftshift,
    ihfft,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftfreq,
    rfftn,
)

from diffcore._inputs import as_count, is_complex

__all__ = [
    "dct",
    "dctn",
    "dealias",
    "derivative",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
    "wavenumbers",
]

_NORMS = ("backward", "ortho", "forward")
_INVERSE_TYPE = {1: 1, 2: 3, 3: 2, 4: 4}


def dct(x: jax.Array, type: int = 2, *, axis: int = -1, norm: str = "backward") -> jax.Array:
    """The discrete cosine transform of type 1, 2, 3 or 4 along one axis, as `scipy.fft.dct`.

    With norm "backward" type 2 is y_k = 2 sum_j x_j cos(pi k (2 j + 1) / (2 n)); "ortho" makes the
    matrix orthogonal, "forward" puts the factor of the inverse on this one. Complex input is
    transformed by real and imaginary part.

    Raises:
        ValueError: an unknown type or norm, an axis that is too short.

    Example:
        >>> import jax.numpy as jnp
        >>> dct(jnp.ones(4)).round(12).tolist()
        [8.0, 0.0, 0.0, 0.0]
    """
    return _transform("dct", _COSINE, x, type, axis, norm)


def idct(x: jax.Array, type: int = 2, *, axis: int = -1, norm: str = "backward") -> jax.Array:
    """The inverse of `dct` of the same type and norm, along one axis."""
    return _inverse("idct", _COSINE, x, type, axis, norm)


def dst(x: jax.Array, type: int = 2, *, axis: int = -1, norm: str = "backward") -> jax.Array:
    """The discrete sine transform of type 1, 2, 3 or 4 along one axis, as `scipy.fft.dst`.

    With norm "backward" type 1 is y_k = 2 sum_j x_j sin(pi (k + 1) (j + 1) / (n + 1)).
    Arguments and errors as `dct`.
    """
    return _transform("dst", _SINE, x, type, axis, norm)


def idst(x: jax.Array, type: int = 2, *, axis: int = -1, norm: str = "backward") -> jax.Array:
    """The inverse of `dst` of the same type and norm, along one axis."""
    return _inverse("idst", _SINE, x, type, axis, norm)


def dctn(
    x: jax.Array, type: int = 2, *, axes: Sequence[int] | None = None, norm: str = "backward"
) -> jax.Array:
    """`dct` along several axes (all, by default)."""
    return _along_axes(dct, x, type, axes, norm)


def idctn(
    x: jax.Array, type: int = 2, *, axes: Sequence[int] | None = None, norm: str = "backward"
) -> jax.Array:
    """`idct` along several axes (all, by default)."""
    return _along_axes(idct, x, type, axes, norm)


def dstn(
    x: jax.Array, type: int = 2, *, axes: Sequence[int] | None = None, norm: str = "backward"
) -> jax.Array:
    """`dst` along several axes (all, by default)."""
    return _along_axes(dst, x, type, axes, norm)


def idstn(
    x: jax.Array, type: int = 2, *, axes: Sequence[int] | None = None, norm: str = "backward"
) -> jax.Array:
    """`idst` along several axes (all, by default)."""
    return _along_axes(idst, x, type, axes, norm)


def wavenumbers(n: int, length: float = 2 * math.pi, *, real: bool = False) -> np.ndarray:
    """Angular wavenumbers 2 pi m / length, in the order of `fft` (of `rfft` if `real`).

    Arguments:
        n: number of points in one period.
        length: the period.

    Example:
        >>> wavenumbers(4).tolist(), wavenumbers(4, real=True).tolist()
        ([0.0, 1.0, -2.0, -1.0], [0.0, 1.0, 2.0])
    """
    n = as_count("wavenumbers", "n", n)
    frequencies = np.fft.rfftfreq(n) if real else np.fft.fftfreq(n)
    return 2 * np.pi / _positive("wavenumbers", "length", length) * n * frequencies


def derivative(
    u: jax.Array, order: int = 1, *, length: float = 2 * math.pi, axis: int = -1
) -> jax.Array:
    """The derivative of a periodic function given at equispaced points over one period.

    Arguments:
        u: values, real or complex; the point at the end of the period is not repeated.
        order: order of the derivative, >= 0.
        length: the period.

    Notes:
        Exact for trigonometric polynomials below the Nyquist frequency, so errors fall faster than
        any power of 1/n for smooth u. At the Nyquist frequency (even n) odd derivatives are zero.

    Source:
        L. N. Trefethen, Spectral Methods in MATLAB, 2000, chapter 3.

    Example:
        >>> import jax.numpy as jnp
        >>> x = jnp.arange(8) * jnp.pi / 4
        >>> bool(jnp.allclose(derivative(jnp.sin(x)), jnp.cos(x), atol=1e-5))
        True
    """
    u = _floating("derivative", u)
    axis = _axis("derivative", u, axis)
    order = as_count("derivative", "order", order, at_least=0)
    n, real = u.shape[axis], not is_complex(u)
    symbol = (1j * wavenumbers(n, length, real=real)) ** order
    if n % 2 == 0 and order % 2 == 1:
        symbol[n // 2] = 0
    return _multiply(u, symbol, axis)


def dealias(
    u: jax.Array, *, axes: Sequence[int] | None = None, fraction: float = 2 / 3
) -> jax.Array:
    """u without the modes above `fraction` of the Nyquist frequency, along each of the axes.

    With the default 2/3, the product of two such functions has no aliasing error in the modes that
    are kept (Orszag's rule).

    Arguments:
        u: values at equispaced points over one period, real or complex.
        axes: the periodic axes (all, by default).
        fraction: in (0, 1].

    Source:
        S. A. Orszag, On the elimination of aliasing in finite-difference schemes by filtering
        high-wavenumber components, 1971.
    """
    u = _floating("dealias", u)
    if not 0 < fraction <= 1:
        raise ValueError(f"`dealias` needs 0 < fraction <= 1; got {fraction}.")
    for axis in _axes("dealias", u, axes):
        n = u.shape[axis]
        modes = np.abs(wavenumbers(n, real=not is_complex(u)))
        u = _multiply(u, (modes < fraction * n / 2).astype(float), axis)
    return u


def _multiply(u: jax.Array, symbol: np.ndarray, axis: int) -> jax.Array:
    """u with its modes along an axis multiplied by `symbol`, in the data type of u."""
    n = u.shape[axis]
    shape = [-1 if i == axis else 1 for i in range(u.ndim)]
    if is_complex(u):
        return ifft(fft(u, axis=axis) * symbol.astype(u.dtype).reshape(shape), axis=axis)
    spectrum = rfft(u, axis=axis)
    symbol = symbol.astype(spectrum.dtype if np.iscomplexobj(symbol) else u.dtype)
    return irfft(spectrum * symbol.reshape(shape), n=n, axis=axis)


# Cosine and sine transforms, along the last axis of a real array, unnormalized.


def _dct1(x: jax.Array) -> jax.Array:
    even = jnp.concatenate([x, x[..., -2:0:-1]], -1)
    return rfft(even).real


def _dct2(x: jax.Array) -> jax.Array:
    n = x.shape[-1]
    even = jnp.concatenate([x, x[..., ::-1]], -1)
    return (rfft(even)[..., :n] * _twiddle(n, np.arange(n) / 2, x)).real


def _dct3(x: jax.Array) -> jax.Array:
    n = x.shape[-1]
    spectrum = x * _twiddle(n, -np.arange(n) / 2, x)
    spectrum = jnp.concatenate([spectrum, jnp.zeros_like(spectrum[..., :1])], -1)
    return 2 * n * irfft(spectrum, n=2 * n)[..., :n]


def _dct4(x: jax.Array) -> jax.Array:
    # (j + 1/2)(k + 1/2) = j k + j/2 + (k + 1/2)/2: a zero-padded FFT between two twiddles.
    n = x.shape[-1]
    padded = jnp.concatenate([x, jnp.zeros_like(x)], -1)
    shifted = padded * _twiddle(n, np.arange(2 * n) / 2, x)
    return 2 * (fft(shifted)[..., :n] * _twiddle(n, (np.arange(n) + 0.5) / 2, x)).real


def _dst1(x: jax.Array) -> jax.Array:
    n = x.shape[-1]
    zero = jnp.zeros_like(x[..., :1])
    odd = jnp.concatenate([zero, x, zero, -x[..., ::-1]], -1)
    return -rfft(odd)[..., 1 : n + 1].imag


def _dst2(x: jax.Array) -> jax.Array:
    return _dct2(x * _signs(x))[..., ::-1]


def _dst3(x: jax.Array) -> jax.Array:
    return _dct3(x[..., ::-1]) * _signs(x)


def _dst4(x: jax.Array) -> jax.Array:
    return _dct4(x[..., ::-1]) * _signs(x)


_Kernels = dict[int, Callable[[jax.Array], jax.Array]]
_COSINE: _Kernels = {1: _dct1, 2: _dct2, 3: _dct3, 4: _dct4}
_SINE: _Kernels = {1: _dst1, 2: _dst2, 3: _dst3, 4: _dst4}


def _twiddle(n: int, quarter_turns: np.ndarray, x: jax.Array) -> jax.Array:
    angles = -np.pi * quarter_turns / n
    return jnp.asarray(np.exp(1j * angles), jnp.result_type(x.dtype, jnp.complex64))


def _signs(x: jax.Array) -> jax.Array:
    return jnp.asarray((-1.0) ** np.arange(x.shape[-1]), x.dtype)


def _transform(
    name: str, kernels: _Kernels, x: jax.Array, type: int, axis: int, norm: str
) -> jax.Array:
    x = _floating(name, x)
    axis = _axis(name, x, axis)
    n = x.shape[axis]
    _check_type(name, type, norm, n, needs_two=kernels is _COSINE)
    if is_complex(x):
        parts = (_transform(name, kernels, part, type, axis, norm) for part in (x.real, x.imag))
        return jax.lax.complex(*parts)
    before, after = _scales(kernels is _COSINE, type, norm, n)
    x = jnp.moveaxis(x, axis, -1)
    y = kernels[type](x * jnp.asarray(before, x.dtype)) * jnp.asarray(after, x.dtype)
    return jnp.moveaxis(y, -1, axis)


def _scales(cosine: bool, type: int, norm: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Factors on the input and on the output that turn the plain transform into the normed one."""
    period = 2 * {(True, 1): n - 1, (False, 1): n + 1}.get((cosine, type), n)
    before, after = np.ones(n), np.ones(n)
    if norm == "forward":
        after /= period
    if norm == "ortho":
        after /= math.sqrt(period)
        ends = [0, -1] if type == 1 else [0] if cosine else [-1]
        if cosine or type != 1:
            if type in (1, 3):
                before[ends] *= math.sqrt(2)
            if type in (1, 2):
                after[ends] /= math.sqrt(2)
    return before, after


def _inverse(
    name: str, kernels: _Kernels, x: jax.Array, type: int, axis: int, norm: str
) -> jax.Array:
    x = _floating(name, x)
    _check_type(name, type, norm, x.shape[_axis(name, x, axis)], needs_two=kernels is _COSINE)
    opposite = {"backward": "forward", "forward": "backward", "ortho": "ortho"}[norm]
    return _transform(name, kernels, x, _INVERSE_TYPE[type], axis, opposite)


def _along_axes(
    one: Callable[..., jax.Array],
    x: jax.Array,
    type: int,
    axes: Sequence[int] | None,
    norm: str,
) -> jax.Array:
    x = _floating(f"{one.__name__}n", x)
    for axis in _axes(f"{one.__name__}n", x, axes):
        x = one(x, type, axis=axis, norm=norm)
    return x


def _check_type(name: str, type: int, norm: str, n: int, needs_two: bool) -> None:
    if type not in _INVERSE_TYPE:
        raise ValueError(f"`{name}` needs `type` 1, 2, 3 or 4; got {type!r}.")
    if norm not in _NORMS:
        raise ValueError(f"`{name}` needs `norm` to be one of {_NORMS}; got {norm!r}.")
    least = 2 if needs_two and type == 1 else 1
    if n < least:
        raise ValueError(f"`{name}` of type {type} needs at least {least} points; got {n}.")


def _axis(name: str, x: jax.Array, axis: int) -> int:
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"`{name}` has no axis {axis} in an array of shape {x.shape}.")
    return axis % x.ndim


def _axes(name: str, x: jax.Array, axes: Sequence[int] | None) -> list[int]:
    chosen = [_axis(name, x, axis) for axis in (range(x.ndim) if axes is None else axes)]
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"`{name}` needs distinct `axes`; got {axes}.")
    return chosen


def _floating(name: str, x: jax.Array) -> jax.Array:
    x = jnp.asarray(x)
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        raise TypeError(f"`{name}` needs real or complex numbers; got {x.dtype}: convert to float.")
    return x


def _positive(name: str, argument: str, value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"`{name}` needs a finite `{argument}` > 0; got {value}.")
    return value
