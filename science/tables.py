"""Tables of measurements from text files: columns with units, and every doubtful line named."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

KINDS = {
    "missing": "an empty cell or NaN",
    "sentinel": "a number that stands for a missing one, such as -999",
    "duplicate": "a line that repeats an earlier one",
    "fields": "more or fewer cells than the header has columns",
    "text": "a cell that is no number",
}
SENTINELS = (-999, -9999, -99999, -999.9, 999, 9999, 99999, 1e20, -1e20, 1e30, -1e30)
_FAR = 3  # times the largest other value of a column, from where a sentinel is taken for one


class TableError(ValueError):
    """A table that cannot be read, or has lines that nobody agreed to drop."""


@dataclass(frozen=True)
class Issue:
    """What is wrong with a line of a table: its number, a word of `KINDS`, and a sentence."""

    line: int
    kind: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message} ({self.kind})"


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers `(n,)` by name, their units as written (None where there is none), the
    number of the line of each row, and the issues of the lines that were dropped."""

    columns: Mapping[str, np.ndarray]
    units: Mapping[str, str | None]
    lines: np.ndarray
    issues: tuple[Issue, ...] = ()

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            there = ", ".join(self.columns)
            raise KeyError(f"the table has no column {name!r}; there are: {there}.")
        return self.columns[name]

    def __len__(self) -> int:
        return len(self.lines)

    def points(self, *names: str) -> np.ndarray:
        """Returns columns side by side `(n, d)`, as `Data` takes its points."""
        if not names:
            raise ValueError("`points(name, ...)` needs the name of a column for each coordinate.")
        return np.stack([self[name] for name in names], axis=-1)

    def in_units(self, **units: str) -> Table:
        """Returns the table with columns in other units: `table.in_units(x="m", T="kelvin")`.

        Needs the package pint.

        Raises:
            ValueError: a column without a unit, or a unit of another kind.
        """
        try:
            import pint
        except ImportError as error:  # pragma: no cover
            raise ImportError("`in_units` needs the package pint: `pip install pint`.") from error
        registry: Any = pint.UnitRegistry()
        columns = dict(self.columns)
        for name, unit in units.items():
            values, own = self[name], self.units[name]
            if own is None:
                raise ValueError(
                    f"`in_units({name}={unit!r})`: the column has no unit in the file."
                )
            try:
                columns[name] = registry.Quantity(values, own).to(unit).magnitude
            except pint.errors.PintError as error:
                raise ValueError(f"`in_units({name}={unit!r})` from {own!r}: {error}.") from error
        return Table(columns, {**self.units, **units}, self.lines, self.issues)

    def __repr__(self) -> str:
        words = [n if self.units[n] is None else f"{n} [{self.units[n]}]" for n in self.columns]
        return f"Table({len(self)} rows: {', '.join(words)})"


def read_table(
    path: Any, *, drop: str | Iterable[str] = (), sentinels: Iterable[float] = SENTINELS
) -> Table:
    """Returns the columns of a text file with a header, as numbers with their units.

    Commas, semicolons, tabs or blanks separate; decimal commas are understood where commas do not
    separate; a byte order mark, Windows line ends, blank lines and comments (#, %, //) are passed
    over. A unit stands behind its column's name in brackets, as "T [degC]" or "T (degC)".

    Arguments:
        drop: words of `KINDS` ("missing", "sentinel", "duplicate", "fields", "text") whose lines
            are left out, or "all"; by default none, so that each doubtful line is told.
        sentinels: numbers that stand for missing ones, where they lie far from the rest.

    Raises:
        TableError: no data, columns of one name, or doubtful lines of a kind that is not in `drop`:
            all of them are listed with their number.

    Example:
        >>> import tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "rod.csv"
        >>> _ = file.write_text("x [mm], T [degC]\\n0, 80.0\\n500, NaN\\n1000, 23.3\\n")
        >>> read_table(file, drop="missing")
        Table(2 rows: x [mm], T [degC])
    """
    place = Path(os.fspath(path))
    agreed = _agreed(drop)
    rows, comma = _rows(_text(place), place)
    names, units, rows = _header(rows, place)
    values, issues = _values(rows, names, comma, tuple(sentinels))
    doubtful = [issue for issue in issues if issue.kind not in agreed]
    if doubtful:
        counts = Counter(issue.kind for issue in doubtful)
        listed = "\n  ".join(map(str, doubtful[:50]))
        more = f"\n  and {len(doubtful) - 50} more" if len(doubtful) > 50 else ""
        words = ", ".join(repr(kind) for kind in counts)
        raise TableError(
            f"{str(place)!r} has doubtful lines:\n  {listed}{more}\nCorrect them, or leave "
            f"them out by `drop=({words},)`."
        )
    bad = {issue.line for issue in issues}
    kept = [i for i, (line, _) in enumerate(rows) if line not in bad]
    if not kept:
        raise TableError(f"{str(place)!r} has no data rows left; all of {len(rows)} were dropped.")
    columns = {name: values[kept, i] for i, name in enumerate(names)}
    lines = np.array([rows[i][0] for i in kept])
    return Table(columns, units, lines, tuple(issues))


def _agreed(drop: str | Iterable[str]) -> set[str]:
    words = set(KINDS) if drop == "all" else {drop} if isinstance(drop, str) else set(drop)
    if not words <= set(KINDS):
        raise ValueError(
            f"`drop` takes 'all' or words of {', '.join(map(repr, KINDS))}; got {drop!r}."
        )
    return words


def _text(place: Path) -> str:
    if place.is_dir():
        raise TableError(f"`path` needs a file; {str(place)!r} is a folder.")
    if not place.exists():
        raise FileNotFoundError(f"there is no file {str(place)!r}; the folder is {place.parent}.")
    data = place.read_bytes()
    if not data.strip():
        raise TableError(f"{str(place)!r}: the file is empty.")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16")
    if b"\0" in data[:4096]:
        raise TableError(f"{str(place)!r} is no text file. Save the table as CSV.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _rows(text: str, place: Path) -> tuple[list[tuple[int, list[str]]], bool]:
    """The cells of each line with its number, and whether decimals have commas."""
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines = [(i, line) for i, line in lines if not line.lstrip().startswith(("#", "%", "//"))]
    if not lines:
        raise TableError(f"{str(place)!r} has comments only, no header and no data rows.")
    mark = next((m for m in "\t;|," if m in lines[0][1]), None)
    if mark is None and all(";" not in line and "," not in line for _, line in lines):
        rows = [(i, line.split()) for i, line in lines]
        if len(rows[0][1]) > 1 and len({len(cells) for _, cells in rows}) == 1:
            return rows, False
    mark = mark or ","
    found = []
    for i, line in lines:
        cells = next(csv.reader(io.StringIO(line), delimiter=mark, skipinitialspace=True))
        found.append((i, [cell.strip() for cell in cells]))
    comma = mark != "," and any(
        re.fullmatch(r"[-+]?\d+,\d+([eE][-+]?\d+)?", c) for _, cells in found[1:] for c in cells
    )
    return found, comma


def _header(
    rows: list[tuple[int, list[str]]], place: Path
) -> tuple[list[str], dict[str, str | None], list[tuple[int, list[str]]]]:
    first = rows[0][1]
    if all(_number(cell, True) is not None for cell in first):
        raise TableError(
            f"{str(place)!r} has no header: line {rows[0][0]} holds numbers only. Put the names of "
            "the columns above them."
        )
    if len(rows) == 1:
        raise TableError(f"{str(place)!r} has no data rows, only the header {', '.join(first)}.")
    names, units = [], {}
    for cell in first:
        match = re.fullmatch(r"(.*?)\s*[\[(]\s*([^\])]*?)\s*[\])]", cell)
        name, unit = (match[1], match[2] or None) if match else (cell, None)
        if not name or name in units:
            raise TableError(
                f"{str(place)!r}, line {rows[0][0]}: columns need names of their own; got {first}."
            )
        names.append(name)
        units[name] = unit
    return names, units, rows[1:]


def _number(cell: str, comma: bool) -> float | None:
    try:
        return float(cell.replace(",", ".") if comma and cell.count(",") == 1 else cell)
    except ValueError:
        return None


def _values(
    rows: list[tuple[int, list[str]]],
    names: list[str],
    comma: bool,
    sentinels: tuple[float, ...],
) -> tuple[np.ndarray, list[Issue]]:
    """The numbers `(rows, columns)`, NaN where there is none, and what is wrong with lines."""
    issues: list[Issue] = []
    values = np.full((len(rows), len(names)), math.nan)
    seen: dict[tuple[str, ...], int] = {}
    for i, (line, cells) in enumerate(rows):
        if len(cells) != len(names):
            hint = ""
            if len(cells) > len(names):
                hint = "; a decimal comma, where commas separate?"
            message = f"{len(cells)} cells for {len(names)} columns{hint}"
            issues.append(Issue(line, "fields", message))
            continue
        for j, cell in enumerate(cells):
            value = _number(cell, comma)
            if not cell or (value is not None and not math.isfinite(value)):
                what = f"is {cell}" if cell else "is empty"
                issues.append(Issue(line, "missing", f"{names[j]} {what}"))
            elif value is None:
                issues.append(Issue(line, "text", f"{names[j]} is {cell!r}"))
            else:
                values[i, j] = value
        first = seen.setdefault(tuple(cells), line)
        if first != line:
            issues.append(Issue(line, "duplicate", f"the same as line {first}"))
    for j, name in enumerate(names):
        column = values[:, j]
        suspect = np.isin(column, sentinels)
        rest = np.abs(column[~suspect & np.isfinite(column)])
        far = suspect & (np.abs(column) > _FAR * rest.max(initial=0.0))
        for i in np.flatnonzero(far).tolist():
            message = f"{name} is {column[i]:g}, far from all others"
            issues.append(Issue(rows[i][0], "sentinel", message))
    return values, sorted(issues, key=lambda issue: issue.line)
