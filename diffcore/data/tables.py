"""Datasets from files of numbers: CSV, NPZ and HDF5.

Files are read with suspicion: nothing is unpickled, and what a file says of itself is compared with
what is there.
"""

from __future__ import annotations

import csv as csv_format
import os
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from diffcore.data.dataset import Dataset, Records, arrays

Group = str | Sequence[str]


def csv(
    path: str | os.PathLike,
    *columns: Group,
    delimiter: str = ",",
    classes: Mapping[str, Sequence[str]] | None = None,
) -> Dataset:
    """A dataset of the rows of a text table, whose first line has the names of the columns.

    Arguments:
        columns: a name gives one number of each record, a list of names an array of them; several
            of these give tuples. By default an array of all columns.
        classes: {column: words}, for columns that hold words: the number of the word is taken.

    Raises:
        ValueError: a cell that is no number, a row of another length (with the line), an unknown
            column.

    Example:
        >>> import tempfile, os
        >>> from diffcore import data
        >>> path = os.path.join(tempfile.mkdtemp(), "flowers.csv")
        >>> _ = open(path, "w").write("length,width,kind\\n1,2,rose\\n3,4,lily\\n")
        >>> kinds = {"kind": ["lily", "rose"]}
        >>> flowers = data.csv(path, ["length", "width"], "kind", classes=kinds)
        >>> flowers[1]
        (array([3., 4.]), np.int64(0))
    """
    with open(path, newline="", encoding="utf-8-sig") as file:
        reader = csv_format.reader(file, delimiter=delimiter)
        try:
            names = [name.strip() for name in next(reader, [])]
            rows = [(reader.line_num, row) for row in reader if row]
        except (csv_format.Error, UnicodeDecodeError) as error:
            raise ValueError(f"{path} is no text table: {error}.") from error
    if not names:
        raise ValueError(f"{path} is empty: its first line needs the names of the columns.")
    for line, row in rows:
        if len(row) != len(names):
            raise ValueError(
                f"{path}, line {line} has {len(row)} cells; there are {len(names)} columns "
                f"({', '.join(names[:8])}). Is {delimiter!r} the `delimiter`?"
            )
    groups = columns or (names,)
    words = dict(classes or {})
    _check_names(path, [n for group in groups for n in _names(group)] + list(words), names)
    cells = {name: [(line, row[i]) for line, row in rows] for i, name in enumerate(names)}

    def values(group: Group) -> np.ndarray:
        read = [_numbers(path, name, cells[name], words.get(name)) for name in _names(group)]
        return read[0] if isinstance(group, str) else np.stack(read, axis=-1)

    return arrays(*map(values, groups))


def _names(group: Group) -> Sequence[str]:
    return (group,) if isinstance(group, str) else group


def _numbers(path: Any, name: str, cells: list, words: Sequence[str] | None) -> np.ndarray:
    if words is None:
        try:
            return np.array([float(cell) for _, cell in cells])
        except ValueError:
            kind, fits = "no number: give its words by `classes`, or mend the file", _is_number
    else:
        places = {word: i for i, word in enumerate(words)}
        try:
            return np.array([places[cell.strip()] for _, cell in cells], dtype=np.int64)
        except KeyError:
            kind, fits = f"none of its classes {list(words)}", lambda cell: cell.strip() in places
    line, cell = next((line, cell) for line, cell in cells if not fits(cell))
    raise ValueError(f"{path}, line {line}: column {name!r} holds {cell!r}, {kind}.")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _check_names(path: Any, wanted: Sequence[str], known: Sequence[str]) -> None:
    missing = [name for name in wanted if name not in known]
    if missing:
        raise ValueError(f"{path} has no {missing}; there are {', '.join(known) or 'none'}.")


def npz(path: str | os.PathLike, *names: str) -> Dataset:
    """A dataset of the rows of arrays in a NumPy file (.npz), in the order of `names`.

    Arguments:
        names: of the arrays; by default all, in alphabetical order.

    Raises:
        ValueError: a damaged or foreign file, objects instead of numbers, an unknown name.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            if not isinstance(file, np.lib.npyio.NpzFile):
                raise ValueError("it holds a single array, not named ones")
            known = sorted(file.files)
            wanted = names or tuple(known)
            found = {name: file[name] for name in wanted if name in known}
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile) as error:
        if isinstance(error, FileNotFoundError | IsADirectoryError | PermissionError):
            raise
        raise ValueError(f"{path} is no .npz file of numbers, or damaged: {error}.") from error
    except Exception as error:  # a damaged archive fails in every way a decoder can
        raise ValueError(f"{path} is damaged: {error!r}.") from error
    _check_names(path, wanted, known)
    return _named(path, [found[name] for name in wanted])


def _named(path: Any, values: Sequence[np.ndarray]) -> Dataset:
    try:
        return arrays(*values)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{path}: {error}") from None


def hdf5(path: str | os.PathLike, *names: str, lazily: bool = False) -> Dataset:
    """A dataset of the rows of arrays in an HDF5 file.

    Arguments:
        names: paths of the arrays in the file.
        lazily: whether rows are read from the file when they are asked for, each time; for what
            does not fit into memory.

    Raises:
        ValueError: a damaged or foreign file, an unknown name, arrays of different lengths.
    """
    if not names:
        raise TypeError("`hdf5` needs the names of the arrays, as hdf5(path, 'images', 'labels').")
    with _opened(path) as file:
        known = _arrays_in(file)
        _check_names(path, names, known)
        if not lazily:
            return _named(path, [_content(path, file[name]) for name in names])
        lengths = {file[name].shape[:1] for name in names}
    if len(lengths) > 1 or () in lengths:
        raise ValueError(f"{path}: arrays {names} have lengths {sorted(lengths)}, not one length.")
    return Records(_Row(os.fspath(path), names), lengths.pop()[0])


def _opened(path: Any) -> Any:
    import h5py

    if not os.path.isfile(path):
        raise FileNotFoundError(f"there is no file {path}.")
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise ValueError(f"{path} is no HDF5 file, or damaged: {error}.") from error


def _arrays_in(file: Any) -> list[str]:
    import h5py

    found: list[str] = []
    file.visititems(
        lambda name, node: found.append(name) if isinstance(node, h5py.Dataset) else None
    )
    return sorted(found)


def _content(path: Any, node: Any) -> np.ndarray:
    try:
        return node[()]
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: the array {node.name} is damaged: {error}.") from error


class _Row:
    """The rows with one number of arrays in an HDF5 file, opened for each."""

    def __init__(self, path: str, names: tuple[str, ...]):
        self.path, self.names = path, names

    def __call__(self, number: int) -> Any:
        with _opened(self.path) as file:
            values = tuple(file[name][number] for name in self.names)
        return values[0] if len(values) == 1 else values
