"""Files of ours: uncompressed zip archives that are whole or absent, read with suspicion.

A file may be damaged, cut short, foreign, or made to do harm. So nothing is unpickled, nothing is
decompressed (a small file cannot grow), no member is written anywhere, and every size that the
file states is compared with the bytes that are there before memory is taken for it.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np


class ArchiveError(ValueError):
    """The file is no archive of ours, or is damaged."""


def write(path: Path, members: Mapping[str, bytes | np.ndarray]) -> None:
    """Write the members, arrays as NumPy's `.npy`, in one step: a process that is killed at any
    moment leaves either the old file or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            _write_members(file, members)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)


def read(path: str | os.PathLike) -> dict[str, bytes]:
    """The members of an archive by name, each as long as the file says.

    Raises:
        OSError: no such file, a folder, no permission.
        ArchiveError: no zip file, a damaged one, or one that `write` cannot have made.
    """
    with open(path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                infos = archive.infolist()
                _check(infos, os.fstat(file.fileno()).st_size)
                return {info.filename: archive.read(info) for info in infos}
        except Exception as error:  # a damaged archive fails in every way a parser can
            raise ArchiveError(f"{path} is damaged, truncated or foreign: {error}.") from error


def decode_array(content: bytes) -> np.ndarray:
    """The numbers of an `.npy` file.

    Raises:
        ArchiveError: an array of objects, or of another size than it says.
    """
    file = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(file)
        readers = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }
        shape, fortran, dtype = readers[version](file)
    except Exception as error:
        raise ArchiveError(f"a member is no array: {error}") from error
    if dtype.kind not in "biufc" or min(shape, default=0) < 0:
        raise ArchiveError(f"an array of {dtype} with shape {shape} is not one of numbers")
    start = file.tell()
    if math.prod(shape) * dtype.itemsize != len(content) - start:
        raise ArchiveError(f"an array of shape {shape} has {len(content) - start} bytes")
    flat = np.frombuffer(content, dtype, offset=start).copy()
    return flat.reshape(shape[::-1]).T if fortran else flat.reshape(shape)


def decode_json(content: bytes) -> dict[str, Any]:
    """The JSON object in `content`.

    Raises:
        ArchiveError: anything else.
    """
    try:
        tree = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"its manifest is no JSON: {error}") from error
    if not isinstance(tree, dict):
        raise ArchiveError("its manifest is no JSON object")
    return tree


def _check(infos: list[zipfile.ZipInfo], size: int) -> None:
    if len({info.filename for info in infos}) != len(infos):
        raise ArchiveError("two members have the same name")
    if any(info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1 for info in infos):
        raise ArchiveError("its members are compressed or encrypted")
    if any(info.file_size != info.compress_size for info in infos):
        raise ArchiveError("its sizes contradict each other")
    if sum(info.file_size for info in infos) > size:
        raise ArchiveError("it says to be larger than it is")


def _write_members(file: BinaryIO, members: Mapping[str, bytes | np.ndarray]) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            with archive.open(name, "w", force_zip64=True) as member:
                if isinstance(content, np.ndarray):
                    np.lib.format.write_array(member, content, allow_pickle=False)
                else:
                    member.write(content)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where the system lets one open a folder."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
