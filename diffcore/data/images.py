"""Datasets of images: IDX and CIFAR's binary files, and folders of pictures.

Sizes that a file states are compared with the bytes that are there.
"""

from __future__ import annotations

import gzip
import math
import os
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from diffcore.data.dataset import Dataset, Records, arrays

_IDX_TYPES = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


def idx(*paths: str | os.PathLike) -> Dataset:
    """A dataset of the rows of arrays in IDX files, such as those of MNIST, plain or gzipped.

    Arguments:
        paths: one file for each part of the records: idx("images.gz", "labels.gz").

    Raises:
        ValueError: a file that is no IDX file, or shorter or longer than it says.

    Source: LeCun, Cortes, Burges, The MNIST database of handwritten digits: the file format.
    """
    return arrays(*map(_read_idx, paths))


def _read_idx(path: Any) -> np.ndarray:
    with open(path, "rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path) if zipped else open(path, "rb") as content:
            return _parse_idx(path, content)  # type: ignore[arg-type]
    except (OSError, EOFError) as error:  # what gzip says of a damaged stream
        raise ValueError(f"{path} is damaged: {error}.") from error


def _parse_idx(path: Any, file: BinaryIO) -> np.ndarray:
    magic = file.read(4)
    if len(magic) < 4 or magic[:2] != b"\0\0" or magic[2] not in _IDX_TYPES or not magic[3]:
        raise ValueError(f"{path} is no IDX file: it starts with {magic.hex() or 'nothing'}.")
    shape = np.frombuffer(_exactly(path, file, 4 * magic[3]), ">u4")
    dtype = np.dtype(_IDX_TYPES[magic[2]])
    size = math.prod(int(n) for n in shape) * dtype.itemsize
    content = _exactly(path, file, size)
    if file.read(1):
        raise ValueError(f"{path} says to hold {size} bytes of numbers, and holds more.")
    values = np.frombuffer(content, dtype).reshape(shape)
    return values.astype(dtype.newbyteorder("="))


def _exactly(path: Any, file: BinaryIO, size: int) -> bytes:
    """The next `size` bytes, read in pieces: a size that is a lie takes no memory."""
    pieces, left = [], size
    while left and (piece := file.read(min(left, 1 << 24))):
        pieces.append(piece)
        left -= len(piece)
    if left:
        raise ValueError(f"{path} is cut short: {size} bytes were announced, {left} are missing.")
    return b"".join(pieces)


def cifar_binary(*paths: str | os.PathLike, classes: int = 10) -> Dataset:
    """A dataset of (image (3, 32, 32) of uint8, label) from CIFAR's binary files, in their order.

    Arguments:
        classes: 10 or 100; of CIFAR-100 the fine labels are taken.

    Raises:
        ValueError: a file whose length is no multiple of a record, or labels out of range.

    Source: Krizhevsky, Learning multiple layers of features from tiny images (2009); the binary
    version's description.
    """
    if classes not in (10, 100):
        raise ValueError(f"`classes` of CIFAR is 10 or 100; got {classes}.")
    if not paths:
        raise TypeError("`cifar_binary` needs the paths of its files; got none.")
    head = 1 if classes == 10 else 2
    parts = []
    for path in paths:
        content = np.fromfile(path, np.uint8)
        if not content.size or content.size % (head + 3072):
            raise ValueError(
                f"{path} has {content.size} bytes, no multiple of the {head + 3072} of a record of "
                f"CIFAR-{classes}: it is cut short, or of the other version (`classes`)."
            )
        rows = content.reshape(-1, head + 3072)
        if rows[:, head - 1].max() >= classes:
            raise ValueError(
                f"{path} has labels up to {rows[:, head - 1].max()}, above the {classes} classes."
            )
        parts.append(rows)
    table = np.concatenate(parts)
    return arrays(table[:, head:].reshape(-1, 3, 32, 32), table[:, head - 1].astype(np.int32))


_PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".ppm", ".pgm"}


def image_folder(
    folder: str | os.PathLike,
    *,
    size: tuple[int, int] | None = None,
    mode: str = "RGB",
    classes: tuple[str, ...] | None = None,
) -> Dataset:
    """A dataset of (image (channels, height, width) in [0, 1], label) from folder/class/picture.

    Pictures are read when they are asked for.

    Arguments:
        size: (height, width) to which pictures are resized; by default they stay as they are, and
            must be of one size to be batched.
        mode: "RGB" or "L", three channels or one.
        classes: names of the folders in the order of their labels; by default alphabetical. The
            dataset has them as `classes`.

    Raises:
        ValueError: no pictures, a class without folder, a mode there is not. A picture that cannot
            be read raises when it is asked for, with its name.
    """
    root = Path(folder)
    if not root.is_dir():
        raise FileNotFoundError(f"there is no folder {root}.")
    if mode not in ("RGB", "L"):
        raise ValueError(f'`mode` is "RGB" or "L"; got {mode!r}.')
    names = tuple(sorted(p.name for p in root.iterdir() if p.is_dir() and p.name[0] != "."))
    if missing := [name for name in classes or () if name not in names]:
        raise ValueError(f"`classes` names {missing}; {root} has the folders {', '.join(names)}.")
    names = classes or names
    files = [
        (path, label)
        for label, name in enumerate(names)
        for path in sorted((root / name).rglob("*"))
        if path.suffix.lower() in _PICTURES
    ]
    if not files:
        raise ValueError(f"{root} has no pictures; they lie in a folder for each class.")
    return Records(_Picture(tuple(files), size, mode), len(files), tuple(names))


class _Picture:
    """Reads the picture with a number."""

    def __init__(self, files: tuple, size: tuple[int, int] | None, mode: str):
        self.files, self.size, self.mode = files, size, mode

    def __call__(self, number: int) -> tuple[np.ndarray, np.int32]:
        from PIL import Image

        path, label = self.files[number]
        try:
            with Image.open(path) as file:
                picture = file.convert(self.mode)
                if self.size is not None:
                    picture = picture.resize(self.size[::-1], Image.Resampling.BILINEAR)
                pixels = np.asarray(picture, np.float32) / 255
        except Exception as error:  # a damaged picture fails in every way a decoder can
            raise ValueError(f"{path} is no picture, or damaged: {error}") from error
        channels = pixels[None] if pixels.ndim == 2 else np.moveaxis(pixels, -1, 0)
        return channels, np.int32(label)
