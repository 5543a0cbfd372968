"""Changes of resolution of (..., channels, *spatial): interpolation and pixel shuffling."""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from diffcore.nn._shapes import per_axis
from diffcore.nn.module import Module

_MODES = ("nearest", "linear", "cubic")


class Upsample(Module):
    """Interpolation to another number of points along the last axes, `dimension` of them.

    Arguments:
        scale: factor of the size, one number or one for each axis; or
        size: the new size, one number or one for each axis.
        mode: "nearest", "linear" (along each axis: bilinear, trilinear) or "cubic" (Keys, with
            a = -3/4 as in torch).
        align_corners: whether the outermost points stay where they are; otherwise the points are
            centers of pixels.
        dimension: number of spatial axes.

    Source: Keys, Cubic convolution interpolation for digital image processing (1981).

    Example:
        >>> from diffcore import nn
        >>> nn.Upsample(2, dimension=1, mode="linear")(jnp.array([[0.0, 4.0]])).tolist()
        [[0.0, 1.0, 3.0, 4.0]]
    """

    scale: tuple[float, ...] | None = eqx.field(static=True)
    size: tuple[int, ...] | None = eqx.field(static=True)
    mode: str = eqx.field(static=True)
    align_corners: bool = eqx.field(static=True)
    dimension: int = eqx.field(static=True)

    def __init__(
        self,
        scale: float | Sequence[float] | None = None,
        *,
        size: int | Sequence[int] | None = None,
        mode: str = "nearest",
        align_corners: bool = False,
        dimension: int = 2,
    ):
        if (scale is None) == (size is None):
            raise ValueError(f"give either `scale` or `size`; got {scale} and {size}.")
        if mode not in _MODES:
            raise ValueError(f"`mode` is one of {', '.join(_MODES)}; got {mode!r}.")
        if align_corners and mode == "nearest":
            raise ValueError('`align_corners` does not apply to `mode="nearest"`.')
        scales = scale if isinstance(scale, Sequence) else (scale,) * dimension
        self.scale = None if scale is None else tuple(float(s) for s in scales)  # type: ignore[arg-type]
        self.size = None if size is None else per_axis("size", size, dimension)
        self.mode, self.align_corners, self.dimension = mode, align_corners, dimension

    def __call__(self, x: jax.Array) -> jax.Array:
        x = jnp.asarray(x)
        for axis, (size, ratio) in zip(
            range(-self.dimension, 0), self._sizes(x.shape[-self.dimension :]), strict=True
        ):
            indices, weights = self._taps(x.shape[axis], size, ratio)
            x = jnp.moveaxis(x, axis, -1)
            terms = [
                x[..., i] if w is None else x[..., i] * jnp.asarray(w, x.dtype)
                for i, w in zip(indices, weights, strict=True)
            ]
            x = jnp.moveaxis(sum(terms[1:], terms[0]), -1, axis)
        return x

    def _sizes(self, shape: Sequence[int]) -> list[tuple[int, float]]:
        """The new size of each axis, and the old spacing over the new."""
        if self.size is not None:
            return [(m, n / m) for n, m in zip(shape, self.size, strict=True)]
        assert self.scale is not None
        return [(int(n * s), 1 / s) for n, s in zip(shape, self.scale, strict=True)]

    def _taps(self, n: int, m: int, ratio: float) -> tuple[list, list]:
        """Indices of the points that each new point is made of, and their weights."""
        if self.mode == "nearest":
            return [np.minimum((np.arange(m) * ratio).astype(int), n - 1)], [None]
        if self.align_corners:
            place = np.arange(m) * ((n - 1) / max(m - 1, 1))
        else:
            place = (np.arange(m) + 0.5) * ratio - 0.5
        if self.mode == "linear":
            place = np.clip(place, 0, n - 1)
            low = np.minimum(np.floor(place).astype(int), max(n - 2, 0))
            part = place - low
            return [low, np.minimum(low + 1, n - 1)], [1 - part, part]
        low = np.floor(place).astype(int)
        offsets = range(-1, 3)
        indices = [np.clip(low + o, 0, n - 1) for o in offsets]
        return indices, [_cubic(np.abs(place - low - o)) for o in offsets]


def _cubic(x: np.ndarray, a: float = -0.75) -> np.ndarray:
    """Keys's kernel at 0 <= x <= 2."""
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return np.where(x <= 1, near, far)


class PixelShuffle(Module):
    """Rearranges (..., C r², H, W) to (..., C, H r, W r), with r = `factor`.

    Source: Shi et al., Real-time single image and video super-resolution using an efficient
    sub-pixel convolutional neural network (2016), eq. (4).
    """

    factor: int = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        *lead, c, h, w = jnp.shape(x)
        r = self.factor
        if c % r**2:
            raise ValueError(f"PixelShuffle({r}) needs a multiple of {r**2} channels; got {c}.")
        x = jnp.reshape(x, (*lead, c // r**2, r, r, h, w))
        x = jnp.moveaxis(x, (-4, -3), (-3, -1))  # (..., c, h, r, w, r)
        return x.reshape(*lead, c // r**2, h * r, w * r)


class PixelUnshuffle(Module):
    """The inverse of `PixelShuffle`: (..., C, H r, W r) to (..., C r², H, W), with r = `factor`."""

    factor: int = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        *lead, c, h, w = jnp.shape(x)
        r = self.factor
        if h % r or w % r:
            raise ValueError(
                f"PixelUnshuffle({r}) needs height and width divisible by {r}; got {h} and {w}."
            )
        x = jnp.reshape(x, (*lead, c, h // r, r, w // r, r))
        x = jnp.moveaxis(x, (-3, -1), (-4, -3))
        return x.reshape(*lead, c * r**2, h // r, w // r)
