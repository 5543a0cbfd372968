"""Random changes of a batch of images (batch, channels, height, width): functions of a key.

They run under `jax.jit`; every image is changed in its own way.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from diffcore.keys import as_key


def flip(images: jax.Array, key: Any, *, axis: int = -1, probability: float = 0.5) -> jax.Array:
    """Returns the images, each mirrored along the axis with this probability.

    Example:
        >>> flip(jnp.array([[1, 2, 3]]), key=0, probability=1.0).tolist()
        [[3, 2, 1]]
    """
    images = jnp.asarray(images)
    chosen = jax.random.bernoulli(as_key(key), probability, images.shape[:1])
    chosen = chosen.reshape(-1, *(1,) * (images.ndim - 1))
    return jnp.where(chosen, jnp.flip(images, axis), images)


def crop(
    images: jax.Array,
    key: Any,
    *,
    size: tuple[int, int] | None = None,
    padding: int = 0,
    mode: str = "constant",
) -> jax.Array:
    """Returns windows of the images at random places.

    Arguments:
        size: (height, width) of a window; by default that of the images.
        padding: pixels added on each side before; `crop(images, key, padding=4)` moves images by
            up to 4 pixels.
        mode: of the padding, as in `jax.numpy.pad`: "constant" (zeros), "reflect", "edge", "wrap".
    """
    images = jnp.asarray(images)
    if images.ndim < 3:
        raise ValueError(f"`images` has axes (batch, ..., height, width); got {images.shape}.")
    height, width = size or images.shape[-2:]
    pad = [(0, 0)] * (images.ndim - 2) + [(padding, padding)] * 2
    padded = jnp.pad(images, pad, mode=mode)
    room = jnp.array([padded.shape[-2] - height, padded.shape[-1] - width])
    if min(padded.shape[-2] - height, padded.shape[-1] - width) < 0:
        raise ValueError(f"`size` {size} is larger than the padded images, {padded.shape[-2:]}.")
    corners = jax.random.randint(as_key(key), (len(images), 2), 0, room + 1)

    def window(image: jax.Array, corner: jax.Array) -> jax.Array:
        start = [jnp.zeros((), corner.dtype)] * (image.ndim - 2) + [corner[0], corner[1]]
        return jax.lax.dynamic_slice(image, start, (*image.shape[:-2], height, width))

    return jax.vmap(window)(padded, corners)


def noise(values: jax.Array, key: Any, *, scale: float = 0.1) -> jax.Array:
    """Returns the values with normal noise of this deviation."""
    values = jnp.asarray(values)
    return values + scale * jax.random.normal(as_key(key), values.shape, values.dtype)
