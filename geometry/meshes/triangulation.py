"""Triangles in space as data: what a surface mesh keeps of a file or of arrays."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np


def digest(*values: Any) -> str:
    """Returns a text that equal arrays and words have in common, and others do not."""
    found = hashlib.blake2b(digest_size=16)
    for value in values:
        if isinstance(value, np.ndarray):
            found.update(f"{value.dtype.str}{value.shape}".encode())
            found.update(np.ascontiguousarray(value).tobytes())
        else:
            found.update(repr(value).encode())
    return found.hexdigest()


@dataclass(frozen=True, eq=False)
class Triangulation:
    """Vertices `(n, 3)`, triangles `(m, 3)`, the group `(m,)` of each as a number of `names`.

    `flat` are triangles without area that close the surface, `path` the file it came from, and
    `notes` what was made of it on the way, in words.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    groups: np.ndarray
    names: tuple[str, ...] = ()
    flat: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), int))
    path: str | None = None
    notes: tuple[str, ...] = field(default=(), metadata={"stored": False})

    @property
    def chain(self) -> np.ndarray:
        """All triangles, those without area too."""
        return np.concatenate([self.triangles, self.flat])

    @property
    def corners(self) -> np.ndarray:
        """The corners `(m, 3, 3)`."""
        return self.vertices[self.triangles]

    def in_units(self, length: float) -> Triangulation:
        """The same triangles with coordinates divided by a length."""
        return replace(self, vertices=self.vertices / length, path=None)

    @functools.cached_property
    def _digest(self) -> str:
        return digest(self.vertices, self.triangles, self.groups, self.names, self.flat)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Triangulation) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        if self.path is not None:
            return repr(self.path)
        return f"(<{len(self.vertices)} vertices>, <{len(self.triangles)} triangles>)"
