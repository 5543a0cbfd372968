"""Trusted solutions that methods are measured against; README.md beside this has their origin."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Any

import numpy as np

__all__ = ["Reference", "load", "names"]


@dataclass(frozen=True, eq=False)
class Reference:
    """A trusted solution: `reference["u"]` is an array, `reference.arrays` all of them.

    Attributes:
        problem: the statement in words.
        quantities: numbers of interest.
        origin: how it was obtained.
        digits: how far it is confirmed.
        tolerance: what counts as good, in words.
    """

    name: str
    problem: str
    arrays: Mapping[str, np.ndarray]
    quantities: Mapping[str, Any]
    origin: str
    digits: str
    tolerance: str

    def __getitem__(self, array: str) -> np.ndarray:
        if array not in self.arrays:
            raise KeyError(f"{self.name} has {', '.join(self.arrays)}; not {array!r}.")
        return self.arrays[array]

    def __str__(self) -> str:
        shapes = ", ".join(f"{k} {v.shape}" for k, v in self.arrays.items())
        return f"{self.name}: {self.problem}\n  arrays: {shapes}\n  confirmed: {self.digits}"


def names() -> tuple[str, ...]:
    """The names of all references."""
    found = (f.name for f in files(__name__).iterdir())
    return tuple(sorted(n.removesuffix(".json") for n in found if n.endswith(".json")))


def load(name: str) -> Reference:
    """The reference with that name.

    Raises:
        ValueError for a name that is not there, with the closest one.

    Example:
        >>> cavity = load("cavity_re100")
        >>> cavity["u"].shape, round(cavity.quantities["values"]["u_min"], 5)
        ((81, 81), -0.21404)
    """
    if name not in names():
        close = difflib.get_close_matches(name, names(), n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"There are: {', '.join(names())}."
        raise ValueError(f"there is no reference {name!r}. {hint}")
    folder = files(__name__)
    told = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    with as_file(folder / f"{name}.npz") as path, np.load(path, allow_pickle=False) as stored:
        arrays = {key: stored[key] for key in stored.files}
    return Reference(
        name,
        told["problem"],
        arrays,
        told["qoi"],
        told["how_obtained"],
        told["verified_digits"],
        told["suggested_tolerance"],
    )
