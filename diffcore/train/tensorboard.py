"""Event files that TensorBoard reads: records of protocol buffers with masked checksums.

A record is its length, the checksum of the length, the content, and the checksum of the content.
The content is an `Event` message; only what scalars need is written here.

Source: TensorFlow, tensorflow/core/lib/io/record_writer.h (the framing), core/util/event.proto and
core/framework/summary.proto (field numbers); RFC 3720, appendix B.4 (CRC-32C).
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from diffcore.train.callbacks import Callback


@cache
def _table() -> tuple[int, ...]:
    def entry(byte: int) -> int:
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)  # Castagnoli's, reflected
        return byte

    return tuple(entry(byte) for byte in range(256))


def crc32c(content: bytes) -> int:
    """The cyclic redundancy check CRC-32C.

    Example:
        >>> hex(crc32c(b"123456789"))
        '0xe3069283'
    """
    crc = 0xFFFFFFFF
    for byte in content:
        crc = (crc >> 8) ^ _table()[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def _masked(content: bytes) -> bytes:
    crc = crc32c(content)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def _record(content: bytes) -> bytes:
    length = struct.pack("<Q", len(content))
    return length + _masked(length) + content + _masked(content)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _message(field: int, content: bytes) -> bytes:
    """A field of length-delimited content."""
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _event(step: int, body: bytes) -> bytes:
    return b"\x09" + struct.pack("<d", time.time()) + b"\x10" + _varint(step) + body


def _scalar(tag: str, value: float) -> bytes:
    return _message(1, _message(1, tag.encode()) + b"\x15" + struct.pack("<f", value))


class TensorBoard(Callback):
    """Writes the figures of each epoch, by step, to an event file for TensorBoard.

    Arguments:
        folder: in which `tensorboard --logdir folder` finds it; made if need be.
    """

    def __init__(self, folder: str | os.PathLike):
        self.folder = Path(folder)
        self.path: Path | None = None

    def start(self, trainer: Any) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"events.out.tfevents.{time.time_ns() / 1e9:.6f}.{os.getpid()}"
        self.path = self.folder / name
        self.path.write_bytes(_record(_event(0, _message(3, b"brain.Event:2"))))

    def epoch(self, trainer: Any, logs: Mapping[str, Any]) -> None:
        scalars = {
            name: value
            for name, value in logs.items()
            if isinstance(value, int | float) and name not in ("step", "epoch")
        }
        body = b"".join(_scalar(name, float(value)) for name, value in scalars.items())
        with open(self.path, "ab") as file:  # type: ignore[arg-type]
            file.write(_record(_event(int(logs["step"]), _message(5, body))))
